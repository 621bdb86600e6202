"""The append-only log of visits: the truth that frontier, seen-set, models, measures and index are rebuilt from.

Every node has a directory with numbered segments. The newest is a tail that grows frame by frame; the others are
sealed, as Parquet that any tool reads. LogWriter appends, read() and batches() give the visits back in order while it
does, and a fold notes the position up to which it has read.

    files.py      names, and making them last         frames.py    the format of a tail
    tables.py     visits as columns                   tails.py     reading a tail
    segments.py   the format of a sealed segment      sealing.py   tail to segment
    mending.py    what a crash leaves behind          writer.py    appending
    positions.py  where a fold stands                 reading.py   all of it in order
    search.py     one URL                             summary.py   a few numbers
"""

from toponaut.log.files import directory_of, listing
from toponaut.log.positions import StaleError
from toponaut.log.reading import Batch, batches, read
from toponaut.log.sealing import seal
from toponaut.log.search import find, trace
from toponaut.log.summary import Summary, summary
from toponaut.log.writer import LogWriter

__all__ = [
    "Batch",
    "LogWriter",
    "StaleError",
    "Summary",
    "batches",
    "directory_of",
    "find",
    "listing",
    "read",
    "seal",
    "summary",
    "trace",
]
