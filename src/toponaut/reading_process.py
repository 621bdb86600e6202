"""A process that reads pages for a crawl, at the other end of a socket: `python -m toponaut.reading_process FD`.

A frame is its length and a msgpack value. The first frame is the job; an empty one answers it when the process is
ready. Then every fetched answer is answered with a judged page, in order, until the crawl hangs up; with what went wrong
where reading failed.
"""

import socket
import struct
import sys
from contextlib import suppress

import msgspec

from toponaut.garbage import collect_seldom
from toponaut.job import Job
from toponaut.reader import Reader
from toponaut.records import Fetched, Judged

LENGTH = struct.Struct("<I")
encode = msgspec.msgpack.Encoder().encode
answer_in = msgspec.msgpack.Decoder(Judged | str).decode
_fetched_in = msgspec.msgpack.Decoder(Fetched).decode


def framed(value: bytes) -> bytes:
    return LENGTH.pack(len(value)) + value


def question(fetched: Fetched) -> bytes:
    """An answer of the web as it is sent to be read: without what only the archive needs."""
    needed = Fetched(fetched.url, fetched.status, fetched.body, fetched.content_type, fetched.headers, ip=fetched.ip)
    return encode(needed)


def serve(wire: socket.socket) -> None:
    """Reads until the crawl hangs up, or is no more."""
    with suppress(ConnectionError, EOFError), wire:
        reader = Reader(msgspec.msgpack.decode(_receive(wire), type=Job))
        collect_seldom()
        wire.sendall(framed(b""))
        while True:
            wire.sendall(framed(encode(_read_page(reader, _fetched_in(_receive(wire))))))


def _read_page(reader: Reader, fetched: Fetched) -> Judged | str:
    """The judged page, or what went wrong: a page that we cannot read must not end a crawl."""
    try:
        return _light(reader.read(fetched))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _light(judged: Judged) -> Judged:
    """A judged page without what only its judging needed."""
    page = msgspec.structs.replace(judged.page, marks=(), structured=(), geo=())
    return msgspec.structs.replace(judged, page=page)


def _receive(wire: socket.socket) -> bytes:
    return _read(wire, LENGTH.unpack(_read(wire, LENGTH.size))[0])


def _read(wire: socket.socket, size: int) -> bytes:
    data = bytearray(size)
    view = memoryview(data)
    at = 0
    while at < size:
        got = wire.recv_into(view[at:])
        if not got:
            raise EOFError
        at += got
    return bytes(data)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
