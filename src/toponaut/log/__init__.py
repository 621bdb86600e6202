"""The append-only log of visits. All other state is rebuilt from it.

Every node has a directory of numbered segments. The newest is a tail that grows frame by frame; the
others are sealed as Parquet, which any tool reads. LogWriter appends; read() and batches() return
the visits in order, also while the log grows; a fold stores the position up to which it has read.
On a cluster every node has its own log, and Logs reads all logs of a crawl as one.

    files.py     file names, durable renames       reading.py   visits in order, positions
    tails.py     the format of a tail              queries.py   one URL; a summary
    tables.py    visits as columns                 logs.py      all logs of a crawl as one
    segments.py  sealed segments, and sealing      merge.py     the common order of several logs
    writer.py    appending, repair after a crash   epochs.py    whose log counts on a cluster
    visit.py     building a Visit                  damage.py    damaged segments
"""

from toponaut.log.damage import DamagedSegment, salvage
from toponaut.log.epochs import Epoch, Fence, FencedError, begin, epoch_of, ship
from toponaut.log.files import DamagedLogError, directory_of
from toponaut.log.logs import MAIN, Logs, Piece, position_after
from toponaut.log.queries import LogSummary, find, summary, trace
from toponaut.log.reading import Batch, StaleError, batches, read, read_from
from toponaut.log.segments import seal
from toponaut.log.writer import LogWriter

__all__ = [
    "MAIN", "Batch", "DamagedLogError", "DamagedSegment", "Epoch", "Fence", "FencedError",
    "LogSummary", "LogWriter", "Logs", "Piece", "StaleError", "batches", "begin",
    "directory_of", "epoch_of", "find", "position_after", "read", "read_from",
    "salvage", "seal", "ship", "summary", "trace",
]  # fmt: skip
