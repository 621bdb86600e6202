"""The append-only log of visits: the truth that frontier, seen-set, models, measures and index are rebuilt from.

Every node has a directory with numbered segments. The newest is a tail that grows frame by frame; the others are
sealed, as Parquet that any tool reads. LogWriter appends, read() and batches() give the visits back in order while it
does, and a fold notes the position up to which it has read. On a cluster every node has a log of its own: Logs reads all of a
crawl as one.

    files.py      names, and making them last         frames.py    the format of a tail
    tables.py     visits as columns                   tails.py     reading a tail
    segments.py   the format of a sealed segment      sealing.py   tail to segment
    mending.py    what a crash leaves behind          writer.py    appending
    positions.py  where a fold stands                 reading.py   all of it in order
    search.py     one URL                             summary.py   a few numbers
    logs.py       all logs of a crawl                 merging.py   their common order
    epochs.py     whose log counts                    shipping.py  copies on storage that is shared
    pieces.py     all logs, to be read by many
"""

from toponaut.log.epochs import Epoch, Fence, FencedError, begin, epoch_of
from toponaut.log.files import directory_of
from toponaut.log.logs import MAIN, Logs, position_after
from toponaut.log.pieces import Piece
from toponaut.log.positions import StaleError
from toponaut.log.reading import Batch, batches, read, read_from
from toponaut.log.sealing import seal
from toponaut.log.search import find, trace
from toponaut.log.shipping import ship
from toponaut.log.summary import Summary, summary
from toponaut.log.writer import LogWriter

__all__ = [
    "MAIN",
    "Batch",
    "Epoch",
    "Fence",
    "FencedError",
    "LogWriter",
    "Logs",
    "Piece",
    "StaleError",
    "Summary",
    "batches",
    "begin",
    "directory_of",
    "epoch_of",
    "find",
    "position_after",
    "read",
    "read_from",
    "seal",
    "ship",
    "summary",
    "trace",
]
