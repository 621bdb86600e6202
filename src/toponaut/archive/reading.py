"""One answer back from the archive, by the place that the log keeps of it."""

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from toponaut.archive.members import beginning, members, unpacked
from toponaut.archive.records import Original, as_received
from toponaut.errors import InputError

_HEAD_BYTES = 1 << 16  # a URL has 2,048 characters at most, so that every record's header fits
_END = b"\r\n\r\n"


class StoredAnswer(Struct, frozen=True):
    """An answer as it was archived. Of a revisit the payload is its original's."""

    url: str
    date: str  # of the request: "2026-11-01T12:00:00.250000Z"
    kind: str  # "response" or "revisit"
    response_head: bytes  # status line and headers, with the empty line
    payload: bytes  # the body as received, still gzip where the server packed it
    digest: str = ""  # of the payload
    ip: str = ""
    truncated: str = (
        ""  # why the payload is not whole: "length", "time", "disconnect", "unspecified"
    )
    refers_to: str = ""  # of a revisit: the original's URL
    refers_to_date: str = ""


def read_record(
    path: Path, offset: int, length: int, present: Callable[[Path], Path] = lambda path: path
) -> StoredAnswer:
    """The answer that lies at this place of a WARC file; InputError if it does not. `present` is told of every file before it is read."""
    try:
        with present(path).open("rb") as stream:
            stream.seek(offset)
            header, block = parsed(unpacked(stream.read(length)))
    except FileNotFoundError:
        raise _no_file(path) from None
    except ValueError as error:
        raise _no_answer(path, offset, str(error)) from None
    kind = header.get("warc-type", "")
    if kind not in ("response", "revisit"):
        raise _no_answer(path, offset, f"a {kind or 'nameless'} record")
    head, _, payload = block.partition(_END)
    if kind == "revisit" and "warc-refers-to-filename" in header:
        beside = path.with_name(Path(header["warc-refers-to-filename"]).name)
        payload = _original_payload(present(beside), int(header["warc-refers-to-file-offset"]))
    return StoredAnswer(
        url=header.get("warc-target-uri", ""),
        date=header.get("warc-date", ""),
        kind=kind,
        response_head=as_received(head + _END),
        payload=payload,
        digest=header.get("warc-payload-digest", ""),
        ip=header.get("warc-ip-address", ""),
        truncated=header.get("warc-truncated", "") if kind == "response" else "",
        refers_to=header.get("warc-refers-to-target-uri", ""),
        refers_to_date=header.get("warc-refers-to-date", ""),
    )


def _original_payload(path: Path, offset: int) -> bytes:
    """The payload of the response that a revisit refers to."""
    try:
        _, _, record = next(members(path, offset), (0, 0, b""))
        header, block = parsed(record)
    except FileNotFoundError:
        raise _no_file(path) from None
    except ValueError as error:
        raise _no_answer(path, offset, str(error)) from None
    if header.get("warc-type") != "response":
        raise _no_answer(path, offset, "not the original that a later answer refers to")
    return block.partition(_END)[2]


def original_at(path: Path, offset: int, digest: str = "") -> Original | None:
    """What a revisit says of the response at a place, or of the one that the revisit there refers to.

    None if there is none, or if its payload does not have the digest that is asked for.
    """
    try:
        header, _ = parsed(beginning(path, offset, _HEAD_BYTES))
    except (ValueError, FileNotFoundError):
        return None
    found = header.get("warc-payload-digest", "")
    if not found or (digest and found != digest):
        return None
    if header["warc-type"] == "response":
        names = ("warc-target-uri", "warc-date", "warc-record-id")
        file = path.name
    elif "warc-refers-to-filename" in header:
        names = ("warc-refers-to-target-uri", "warc-refers-to-date", "warc-refers-to")
        file, offset = header["warc-refers-to-filename"], int(header["warc-refers-to-file-offset"])
    else:
        return None
    url, date, id = (header[name] for name in names)
    return Original(url, date, id, found, file, offset)


def parsed(record: bytes) -> tuple[dict[str, str], bytes]:
    """A record's header, names in lower case, and its block; ValueError where it is no WARC record."""
    text, end, rest = record.partition(_END)
    version, *lines = text.decode("utf-8", "replace").split("\r\n")
    if not end or not version.startswith("WARC/"):
        raise ValueError("no WARC record")
    pairs = (one.partition(":") for one in lines)
    header = {name.strip().lower(): value.strip() for name, _, value in pairs}
    return header, rest[: int(header.get("content-length", 0))]


def _no_file(path: Path) -> InputError:
    return InputError(f"there is no {path}", "Put the crawl's archive back beside its log")


def _no_answer(path: Path, offset: int, found: str) -> InputError:
    cure = "The file is damaged or of another crawl: restore it"
    return InputError(f"{path} holds no answer at byte {offset:,} ({found})", cure)
