"""WARCs read through in their order, every answer once: what another crawler did, as it did it.

A replay asks for the last answer of a URL; a walk gives all answers one after the other. Both make the same of a record.

**Revisits** have the payload of an earlier record. Where that lies is remembered by its digest and by its URL, in the memory
that our own archive has for copies: bounded, it forgets what is older than some hundred thousand answers.

**Damage.** A record that cannot be read is reported with its place, and the walk goes on at the next bytes that begin a record.
"""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from toponaut.archive.originals import Originals
from toponaut.errors import InputError
from toponaut.job import LimitsSection
from toponaut.records import Outcome, Request, Response
from toponaut.urls import normalise
from toponaut.web.replay.fetcher import ReplayFetcher
from toponaut.web.replay.recorded import (
    Recorded,
    UnreadableError,
    recorded,
    value_of,
    without_chunks,
)
from toponaut.web.replay.wacz import is_zip, parts_in
from toponaut.web.replay.warcs import HEAD, PackedInOnePieceError, Part, Reader, Record

_ANSWERS = frozenset({"response", "revisit", "resource"})
_BEGINNINGS = (b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"WARC/1.")  # of a record: gzip, zstd, plain
_CHUNK = 1 << 20

BROKEN = "broken record"
NO_ORIGINAL = "revisit without its original"


class Walked(Struct, frozen=True):
    """What a walk came upon: an answer, or why there is none."""

    file: str
    offset: int
    end: int  # where the next record begins, in bytes from the start of the first WARC
    fetched: Response | None = None
    skipped: str = ""
    detail: str = ""


class _Replay(ReplayFetcher):
    """A replay that is handed its records instead of looking for them."""

    def __init__(self, limits: LimitsSection) -> None:
        self._limit, self._types = limits.body_bytes, limits.content_types

    def answer(self, url: str, found: Recorded) -> Response:
        """What a crawl is told of a record."""
        return self._fetched(Request(url, types=self._types), found)


class Walk:
    """The records of some WARCs (or of those in WACZs), in the order in which they are named.

    It is a Fetcher, too, for a crawl must have one; but nothing is asked of it.
    """

    live = False

    def __init__(self, paths: list[Path], limits: LimitsSection) -> None:
        self._limit = limits.body_bytes
        self._replay = _Replay(limits)
        self._parts = [part for path in paths for part in _parts_of(path)]
        self._starts = [sum(part.size for part in self._parts[:k]) for k in range(len(self._parts))]
        self._originals = Originals()
        self.size = sum(part.size for part in self._parts)

    def __iter__(self) -> Iterator[Walked]:
        """Every answer, and every record that should be one and is not. Requests, metadata and the like are passed over."""
        for number, part in enumerate(self._parts):
            with Reader(part) as reader:
                yield from self._walk(number, part, reader)

    async def fetch(self, request: Request) -> Response:
        """Whoever walks is given answers, and cannot ask for any."""
        return Response(
            request.url, 0, b"", outcome=Outcome.NO_CONNECTION, detail="a walk answers no requests"
        )

    async def close(self) -> None:
        """Files are open only while they are walked through."""

    def _walk(self, number: int, part: Part, reader: Reader) -> Iterator[Walked]:
        offset, before = reader.first, self._starts[number]
        while offset < part.size:
            try:
                record = reader.at(offset, self._limit + HEAD)
            except PackedInOnePieceError:
                if offset == reader.first:
                    raise InputError(
                        f"{part.path} is packed in one piece, so that no page can be read alone",
                        f"Repack it: warcio recompress {part.path} new.warc.gz",
                    ) from None
                found, why = _next_record(part, reader, offset), "longer than it says"
            except UnreadableError as error:
                found, why = _next_record(part, reader, offset), str(error)
            else:
                yield self._walked(number, offset, before + record.end, record)
                offset = record.end
                continue
            yield Walked(part.name, offset, before + found, skipped=BROKEN, detail=why)
            offset = found

    def _walked(self, number: int, offset: int, end: int, record: Record) -> Walked:
        header = record.header
        url = normalise(
            header.get("warc-target-uri", "").strip("<>")
        )  # WARC 1.0's grammar, and wget, put it in brackets
        here = Walked(self._parts[number].name, offset, end)
        if header.get("warc-type") not in _ANSWERS or url is None:
            return here
        try:
            answer = _answer(record)
        except UnreadableError as error:
            if header["warc-type"] != "revisit":
                return replace(here, skipped=BROKEN, detail=str(error))
            answer = None  # a revisit need not have a head
        if header["warc-type"] == "revisit" or (answer and answer.status == 304):
            fetched = self._again(url, header, answer)
            if fetched is None:
                return replace(here, skipped=NO_ORIGINAL)
        else:
            assert answer is not None
            self._remember(url, header.get("warc-payload-digest", ""), number, offset)
            fetched = self._replay.answer(url, answer)
        if fetched.outcome is Outcome.WRONG_TYPE:
            return replace(here, skipped=Outcome.WRONG_TYPE.value)
        started = _seconds(header.get("warc-date", ""))
        return replace(
            here, fetched=replace(fetched, started=started, ip=header.get("warc-ip-address", ""))
        )

    def _again(self, url: str, header: dict[str, str], own: Recorded | None) -> Response | None:
        """The answer of a revisit: its own head, the body of its original."""
        original = self._original(url, header)
        if original is None:
            return None
        if own is None or own.status == 304:
            page = self._replay.answer(url, original)
            if page.outcome is not Outcome.FETCHED:
                return page
            head = (own.headers, own.head) if own else (page.headers, page.response_head)
            same = replace(page, status=304, outcome=Outcome.UNCHANGED, payload=b"")
            return replace(same, headers=head[0], response_head=head[1])
        # How the body is packed is the original's to say.
        packed = tuple(pair for pair in original.headers if pair[0] == "content-encoding")
        headers = tuple(pair for pair in own.headers if pair[0] != "content-encoding") + packed
        if not value_of(headers, "content-type"):
            headers += (("content-type", value_of(original.headers, "content-type")),)
        answer = Recorded(own.status, headers, own.head, original.payload, original.cut)
        return self._replay.answer(url, answer)

    def _remember(self, url: str, digest: str, number: int, offset: int) -> None:
        for key in filter(None, (digest, url)):
            self._originals.add(key, number + 1, offset)  # + 1, because no place may be 0

    def _original(self, url: str, header: dict[str, str]) -> Recorded | None:
        """By the digest of the payload, or as the last answer of the URL that it names, or of its own."""
        digest = header.get("warc-payload-digest", "")
        named = normalise(header.get("warc-refers-to-target-uri", "").strip("<>")) or url
        for key in (digest, named):
            place = self._originals.find(key) if key else None
            if place is None:
                continue
            with Reader(self._parts[place[0] - 1]) as reader:
                record = reader.at(place[1], self._limit + HEAD)
            there = record.header
            # Two keys may share their 64 bits: the record itself tells.
            if key in (
                there.get("warc-payload-digest"),
                normalise(there.get("warc-target-uri", "").strip("<>")),
            ):
                return _answer(record)
        return None


def _parts_of(path: Path) -> list[Part]:
    if path.is_dir():
        raise InputError(
            f"{path} is a directory", f"Name the WARC files in it, in their order: {path}/*.warc.gz"
        )
    try:
        parts = parts_in(path) if is_zip(path) else [Part(path, path.name, path.stat().st_size)]
        for part in parts:
            _refuse_others(part)
        return parts
    except FileNotFoundError:
        raise InputError(f"there is no {path}", "Name a WARC or a WACZ") from None
    except OSError as error:
        raise InputError(
            f"{path} cannot be read ({error.strerror})", "Name a file that you may read"
        ) from error


def _refuse_others(part: Part) -> None:
    """Refuses what does not begin as a WARC does. One whose first record is torn begins so, too."""
    with part.path.open("rb") as stream:
        stream.seek(part.start)
        begins = stream.read(8)
    if not begins.startswith(
        (*_BEGINNINGS, b"\x5d\x2a\x4d\x18")
    ):  # the last: zstd with a dictionary
        raise InputError(
            f"{part.path} is no WARC", "Name a WARC (.warc, .warc.gz, .warc.zst) or a WACZ"
        )


def _answer(record: Record) -> Recorded:
    """The HTTP answer in a record, its chunks joined; UnreadableError where there is none."""
    header = record.header
    cut = header.get("warc-truncated", "") if record.is_whole else "length"
    if header["warc-type"] == "resource":
        return Recorded(
            200, (("content-type", header.get("content-type", "")),), b"", record.block, cut
        )
    found = recorded(record.block, cut)
    whole = without_chunks(found.payload, found.headers)
    return replace(
        found,
        payload=whole,
        headers=tuple(one for one in found.headers if one[0] != "transfer-encoding"),
    )


def _next_record(part: Part, reader: Reader, broken: int) -> int:
    """Where the next record begins that can be read; the end of the WARC if none does."""
    overlap = max(map(len, _BEGINNINGS)) - 1
    place = broken + 1
    with part.path.open("rb") as stream:
        while place < part.size:
            stream.seek(part.start + place)
            some = stream.read(min(_CHUNK + overlap, part.size - place))
            for found in sorted(_positions(some)):
                if found < _CHUNK and _is_record(reader, place + found):
                    return place + found
            place += _CHUNK
    return part.size


def _positions(some: bytes) -> Iterator[int]:
    for beginning in _BEGINNINGS:
        found = some.find(beginning)
        while found >= 0:
            yield found
            found = some.find(beginning, found + 1)


def _is_record(reader: Reader, offset: int) -> bool:
    try:
        return bool(reader.at(offset, HEAD).header.get("warc-type"))
    except (UnreadableError, PackedInOnePieceError):
        return False


def _seconds(date: str) -> float:
    """A WARC-Date as Unix time, 0.0 where it is none."""
    try:
        return datetime.fromisoformat(date).timestamp()
    except ValueError:
        return 0.0
