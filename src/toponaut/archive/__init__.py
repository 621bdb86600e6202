"""A crawl's answers as WARC 1.1 with a CDXJ index, and the one reader of WARC and WACZ files.

    writer.py         appends answers, rotates files, survives kills and full disks
    records.py        one answer as WARC records, packed as gzip members
    cdxj.py           the index next to each WARC: lines, keys, rebuilding
    archive_files.py  the files of a node, and their repair after a crash
    answers.py        reads one answer of a crawl; which payloads are archived already
    bodies.py         the body of such an answer

    warc_files.py     the WARCs that a user names: files, folders, WACZs
    warc_reader.py    reads the records of a WARC or ARC, in order or by offset
    unpacking.py      gzip and zstd, many records to a member or one
    record_heads.py   the head of a record, WARC or ARC
    http_answers.py   the HTTP answer in a record
    documents.py      files, folders, WARCs and URLs as documents (page_request.py: one URL)

The WARCs are the truth here: indexes and the payload index are folds over them and may be deleted.
"""

from toponaut.archive.answers import ArchivedAnswer, read_answer
from toponaut.archive.archive_files import TruncateResult
from toponaut.archive.writer import ArchiveWriter, RecordLocation

__all__ = ["ArchiveWriter", "ArchivedAnswer", "RecordLocation", "TruncateResult", "read_answer"]
