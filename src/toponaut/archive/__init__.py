"""Every answer of a crawl as WARC 1.1 with a CDXJ index: what web archives read.

    writer.py     appends answers, rotates files, survives kills and full disks
    records.py    one answer as WARC records
    members.py    records as gzip members
    originals.py  which payloads are archived already
    cdxj.py       the index beside each WARC: its lines and keys
    indexing.py   what an index lacks, read from its WARC
    repair.py     the files of a node, and their end after a crash
    reading.py    one answer back

The WARCs are the truth here: indexes and the memory of copies are folds over them, and may be deleted.
"""

from toponaut.archive.reading import StoredAnswer, read_record
from toponaut.archive.repair import Mended
from toponaut.archive.writer import ArchiveWriter, Stored

__all__ = ["ArchiveWriter", "Mended", "Stored", "StoredAnswer", "read_record"]
