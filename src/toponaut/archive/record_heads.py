"""The head of a record, in WARC or in ARC, the format that came before it.

A WARC head has named fields; an ARC head is one line: URL, address, date, type, length. Both become
the fields of WARC, so that nothing else needs to know ARC.
"""

import re

from msgspec import Struct

HEAD_BYTES = 1 << 16  # enough for a record's head and the head of its HTTP answer
NO_RECORD = "not a WARC record"
_SOON = 4096  # bytes that hold most heads
_EMPTY_LINE = re.compile(rb"\r*\n\r*\n")  # some writers end lines with \r\r\n
_FOLDED = re.compile(r"\r*\n[ \t]+")  # an old way to break long lines
# The URL may contain spaces. Version 2 has status, checksum, location, offset and file as well.
_ARC_LINE = re.compile(
    rb"(?P<url>[a-z][a-z0-9+.-]*:[^\r\n]*?) (?P<ip>[0-9a-fA-F.:-]+) (?P<date>\d{8,18}) "
    rb"(?P<type>[^ \r\n]+)(?: [^\r\n]+)? (?P<length>[^ \r\n]+)\r?\n",
    re.IGNORECASE,
)
# Where a record may begin, for a reader that has lost its way.
RECORD_START = re.compile(
    rb"WARC/\d|(?<![^\n])(?:https?|ftp|dns|filedesc):[^\r\n]{1,2000} [0-9a-fA-F.:-]+ \d{8,18} ",
)


class UnreadableRecordError(Exception):
    """There is no readable record at this offset; the message says why."""


class RecordHead(Struct, frozen=True):
    """The fields of a record, and how far its head and its block reach."""

    fields: dict[str, str]  # names in lower case
    written: bytes  # as written, without the empty line
    length: int  # with the empty line
    size: int  # of the block


def read_head(some: bytes) -> RecordHead | None:
    """The head that these bytes begin with; None if more are needed to say.

    Raises UnreadableRecordError if no record begins there.
    """
    if some.startswith(b"WARC/"):
        if end := _EMPTY_LINE.search(some):
            return _warc_head(some[: end.start()], end.end())
        is_complete = len(some) >= HEAD_BYTES
    else:
        if line := _ARC_LINE.match(some):
            return _arc_head(line)
        is_complete = len(some) >= _SOON or b"\n" in some
    if is_complete:
        raise UnreadableRecordError(NO_RECORD)
    return None


def _warc_head(head: bytes, length: int) -> RecordHead:
    text = head.decode("utf-8", "replace")
    if "\n " in text or "\n\t" in text:
        text = _FOLDED.sub(" ", text)
    pairs = (line.partition(":") for line in text.splitlines()[1:])
    fields = {name.strip().lower(): value.strip() for name, _, value in pairs}
    size = fields.get("content-length", "")
    if not size.isdecimal():
        raise UnreadableRecordError("a WARC record without its length")
    return RecordHead(fields, head, length, int(size))


def _arc_head(line: re.Match[bytes]) -> RecordHead:
    url, ip, date, kind, length = (part.decode("utf-8", "replace") for part in line.groups())
    size = int(length) if length.isdecimal() else 0
    fields = {
        "warc-target-uri": url,
        "warc-ip-address": ip,
        "warc-date": _iso(date),
        "content-length": str(size),
    }
    if url.lower().startswith("filedesc:"):
        fields |= {"warc-type": "warcinfo", "content-type": "text/plain"}
    elif url.lower().startswith(("http:", "https:")):
        fields |= {"warc-type": "response", "content-type": "application/http;msgtype=response"}
    else:
        fields |= {"warc-type": "resource", "content-type": kind}
    return RecordHead(fields, line[0].rstrip(b"\r\n"), len(line[0]), size)


def _iso(date: str) -> str:
    """ARC's 20140216050221 as WARC's 2014-02-16T05:02:21Z."""
    d = date.ljust(14, "0")
    return f"{d[:4]}-{d[4:6]}-{d[6:8]}T{d[8:10]}:{d[10:12]}:{d[12:14]}Z"
