"""The messages between a crawl and its reader processes.

    crawl -> process    the job, then responses: two lengths, a head in msgpack, the raw body
    process -> crawl    a length and a msgpack value: nil when ready, then an answer per response

Links stay packed until the crawl asks for one, because it only looks at links it has not met
before. This halves the cost of a page's round trip (0.18 -> 0.09 ms; reading it takes 0.65). The
text is sent apart from the page, because it keeps its UTF-8 form, which the log needs next.
"""

import socket
import struct
from collections.abc import Callable, Sequence
from typing import overload

import msgspec
from msgspec.structs import replace

from toponaut.job import Job
from toponaut.records import JudgedPage, Link, Response

_LENGTH = struct.Struct("<I")
_LENGTHS = struct.Struct("<II")
_ROOM = 1 << 18  # bytes: about ten pages at a time

_encoder = msgspec.msgpack.Encoder()
_raw_links_in = msgspec.msgpack.Decoder(list[msgspec.Raw]).decode
_link_in = msgspec.msgpack.Decoder(Link).decode
_job_in = msgspec.msgpack.Decoder(Job).decode
_fetched_in = msgspec.msgpack.Decoder(Response).decode


class _OutgoingAnswer(msgspec.Struct, array_like=True):
    """A judged page without its links and text, and these."""

    judged: JudgedPage
    links: Sequence[Link]
    text: bytes


class _IncomingAnswer(msgspec.Struct, array_like=True):
    """The same as received, with the links still packed."""

    judged: JudgedPage
    links: msgspec.Raw
    text: memoryview


_answer_in: Callable[[bytes], _IncomingAnswer | str | None] = msgspec.msgpack.Decoder(
    _IncomingAnswer | str | None
).decode


class PackedLinks(Sequence[Link]):
    """The links of a page that another process read, each unpacked on access."""

    def __init__(self, packed: msgspec.Raw, count: int) -> None:
        self._packed = packed
        self._count = count
        self._each: list[msgspec.Raw] = []

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, at: int) -> Link: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Link, ...]: ...
    def __getitem__(self, at: int | slice) -> Link | tuple[Link, ...]:
        if not self._each:
            self._each = _raw_links_in(self._packed)
        if isinstance(at, slice):
            return tuple(map(_link_in, self._each[at]))
        return _link_in(self._each[at])


# --- sending ------------------------------------------------------------------------------------


def encode_job(job: Job) -> bytes:
    head = _encoder.encode(job)
    return _LENGTHS.pack(len(head), 0) + head


def encode_response(fetched: Response) -> tuple[bytes, bytes]:
    """A response in two pieces, without the fields that only the archive needs."""
    body = fetched.body
    head = _encoder.encode(
        Response(
            fetched.url, fetched.status, b"", fetched.content_type, fetched.headers, ip=fetched.ip
        )
    )
    return _LENGTHS.pack(len(head), len(body)) + head, body


def write_answer(answer: JudgedPage | str | None, into: bytearray) -> None:
    """Packs a judged page without the fields only the judge needs, or an error; None means ready.

    Overwrites the buffer without emptying it first, so that it need not grow again each time.
    """
    if len(into) < _LENGTH.size:
        into[:] = bytes(_LENGTH.size)
    _encoder.encode_into(
        _light(answer) if isinstance(answer, JudgedPage) else answer, into, _LENGTH.size
    )
    _LENGTH.pack_into(into, 0, len(into) - _LENGTH.size)


def pack_page(judged: JudgedPage) -> bytes:
    """A judged page as a crawl needs it, to be kept."""
    return _encoder.encode(_light(judged))


def unpack_page(packed: bytes) -> JudgedPage:
    """A page from `pack_page`."""
    judged = _answer(packed)
    assert isinstance(judged, JudgedPage)
    return judged


def _light(judged: JudgedPage) -> _OutgoingAnswer:
    page = judged.page
    light = replace(page, text="", links=(), marks=(), structured=(), geo=())
    return _OutgoingAnswer(replace(judged, page=light), page.links, page.text.encode())


# --- receiving ----------------------------------------------------------------------------------


class _Buffer:
    """A buffer whose bytes from `_start` to `_end` were received and not used yet."""

    def __init__(self) -> None:
        self._buffer = memoryview(bytearray(_ROOM))
        self._start = self._end = 0

    def _make_room(self, size: int) -> None:
        """Moves the unused bytes to the front, and grows the buffer to at least `size` bytes."""
        kept = bytes(self._buffer[self._start : self._end])
        if size > len(self._buffer):
            self._buffer = memoryview(bytearray(size + _ROOM))
        self._buffer[: len(kept)] = kept
        self._start, self._end = 0, len(kept)


class CrawlStream(_Buffer):
    """Reads the messages of the crawl from a socket."""

    def __init__(self, wire: socket.socket) -> None:
        super().__init__()
        self._wire = wire

    def job(self) -> Job:
        head, _ = _LENGTHS.unpack(self._take(_LENGTHS.size))
        return _job_in(self._take(head))

    def next(self) -> Response:
        head, body = _LENGTHS.unpack(self._take(_LENGTHS.size))
        fetched = _fetched_in(self._take(head))
        return replace(fetched, body=bytes(self._take(body)))

    def _take(self, size: int) -> memoryview:
        """The next `size` bytes, valid until the next call."""
        if self._end - self._start < size:
            self._make_room(size)
            while self._end < size:
                got = self._wire.recv_into(self._buffer[self._end :])
                if not got:
                    raise EOFError
                self._end += got
        self._start += size
        return self._buffer[self._start - size : self._start]


class AnswerStream(_Buffer):
    """Splits the bytes of a reader process into answers; `use` is called with each."""

    def __init__(self, use: Callable[[JudgedPage | str | None], None]) -> None:
        super().__init__()
        self._use = use

    def buffer(self) -> memoryview:
        """Where the next bytes are to be written."""
        return self._buffer[self._end :]

    def received(self, size: int) -> None:
        """Handles `size` bytes that were written to the buffer."""
        self._end += size
        wanted = _LENGTH.size
        while self._end - self._start >= _LENGTH.size:
            length = _LENGTH.size + _LENGTH.unpack_from(self._buffer, self._start)[0]
            if self._end - self._start < length:
                wanted = length
                break
            # A copy, because links stay packed in it.
            frame = bytes(self._buffer[self._start + _LENGTH.size : self._start + length])
            self._start += length
            self._use(_answer(frame))
        if self._start == self._end:
            self._start = self._end = 0
        if len(self._buffer) - self._start < wanted or self._end == len(self._buffer):
            self._make_room(wanted)


def _answer(frame: bytes) -> JudgedPage | str | None:
    answer = _answer_in(frame)
    if not isinstance(answer, _IncomingAnswer):
        return answer
    judged = answer.judged
    links = PackedLinks(answer.links, len(judged.link_fingerprints))
    return replace(judged, page=replace(judged.page, text=str(answer.text, "utf-8"), links=links))
