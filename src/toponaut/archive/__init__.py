"""A crawl's answers as WARC 1.1 with a CDXJ index, and the one reader of WARC and WACZ files.

    writer.py         appends answers, rotates files, survives kills and full disks
    records.py        one answer as WARC records, packed as gzip members
    cdxj.py           the index next to each WARC: lines, keys, rebuilding
    archive_files.py  the files of a node, and their repair after a crash
    answers.py        reads one answer of a crawl; which payloads are archived already

    warc_reader.py    reads any WARC or WACZ, in order or by offset
    http_answers.py   the HTTP answer in a record
    documents.py      files, folders, WARCs and URLs as documents

The WARCs are the truth here: indexes and the payload index are folds over them and may be deleted.
"""

from toponaut.archive.answers import ArchivedAnswer, read_answer
from toponaut.archive.archive_files import TruncateResult
from toponaut.archive.writer import ArchiveWriter, RecordLocation

__all__ = ["ArchiveWriter", "ArchivedAnswer", "RecordLocation", "TruncateResult", "read_answer"]
