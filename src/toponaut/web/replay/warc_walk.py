"""WARCs read through in order, every answer once: another crawler's work, in its order.

Revisits have the payload of an earlier record. Its location is remembered by digest and by URL, in
the bounded memory that the archive uses for copies. An unreadable record is reported with its
location, and the walk continues at the next record.
"""

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from toponaut.archive.answers import PayloadIndex
from toponaut.archive.http_answers import RecordedAnswer, answer_in, record_time, value_of
from toponaut.archive.record_heads import HEAD_BYTES, UnreadableRecordError
from toponaut.archive.warc_files import WarcFile
from toponaut.archive.warc_reader import (
    AddressableWarcs,
    DamagedSpan,
    WarcReader,
    WarcRecord,
    unusable,
)
from toponaut.job import LimitsSection
from toponaut.page.reading.pdf import PDF
from toponaut.records import Outcome, Request, Response
from toponaut.urls import normalise
from toponaut.web.replay.fetcher import replay_answer
from toponaut.web.replay.warc_web import ANSWER_KINDS, warc_files

BROKEN = "broken record"
NO_ORIGINAL = "revisit without its original"


class WalkStep(Struct, frozen=True):
    """A record met on a walk: an answer, or why there is none."""

    file: str
    offset: int
    end: int  # where the next record begins, in bytes from the start of the first WARC
    fetched: Response | None = None
    skipped: str = ""
    detail: str = ""


class WarcWalk:
    """The records of some WARCs (or of those in WACZs), in the given order.

    It is a Fetcher, because a crawl needs one, but it answers no requests.
    """

    live = False

    def __init__(self, paths: list[Path], limits: LimitsSection) -> None:
        self._limit, self._types = limits.body_bytes, (*limits.content_types, PDF)
        warcs = AddressableWarcs()
        self._files = [warcs.addressable(file) for path in paths for file in warc_files(path)]
        self._warcs = warcs  # their copies are deleted with it
        self._starts = [sum(file.size for file in self._files[:k]) for k in range(len(self._files))]
        self._originals = PayloadIndex()
        self.size = sum(file.size for file in self._files)

    def __iter__(self) -> Iterator[WalkStep]:
        """All records. Requests, metadata and the like have neither an answer nor a reason."""
        for number, file in enumerate(self._files):
            with WarcReader(file) as reader:
                yield from self._walk(number, file, reader)

    async def fetch(self, request: Request) -> Response:
        detail = "a walk answers no requests"
        return Response(request.url, 0, b"", outcome=Outcome.NO_CONNECTION, detail=detail)

    def address(self, host: str) -> str:  # noqa: ARG002 (nobody is asked)
        return ""

    async def close(self) -> None:
        """Files are open only while they are read."""

    def _walk(self, number: int, file: WarcFile, reader: WarcReader) -> Iterator[WalkStep]:
        before = self._starts[number]
        for found in reader.walk(self._limit + HEAD_BYTES):
            if isinstance(found, WarcRecord) and not found.torn:
                yield self._step(number, before + found.end, found)
            else:
                reason = found.reason if isinstance(found, DamagedSpan) else unusable(found)
                end = before + found.end
                yield WalkStep(file.name, found.offset, end, skipped=BROKEN, detail=reason)

    def _step(self, number: int, end: int, record: WarcRecord) -> WalkStep:
        header = record.header
        url = normalise(record.url)
        step = WalkStep(self._files[number].name, record.offset, end)
        if record.kind not in ANSWER_KINDS or url is None:
            return step
        try:
            answer = answer_in(record)
        except UnreadableRecordError as error:
            if record.kind != "revisit":
                return replace(step, skipped=BROKEN, detail=str(error))
            answer = None  # a revisit need not have a head
        if record.kind == "revisit" or (answer and answer.status == 304):
            fetched = self._revisit(url, header, answer)
            if fetched is None:
                return replace(step, skipped=NO_ORIGINAL)
        else:
            assert answer is not None
            if not record.shared:
                self._remember(url, header.get("warc-payload-digest", ""), number, record.offset)
            fetched = self._replay(url, answer)
        ip = header.get("warc-ip-address", "")
        started = record_time(header) or self._files[number].written
        return replace(step, fetched=replace(fetched, started=started, ip=ip))

    def _replay(self, url: str, answer: RecordedAnswer) -> Response:
        """The response: a page, or a requisite of pages if it has another type."""
        found = replay_answer(Request(url, types=self._types), answer, self._limit)
        if found.outcome is not Outcome.WRONG_TYPE:
            return found
        if answer.cut:
            return replace(found, outcome=Outcome.TOO_LARGE)
        return replace(found, outcome=Outcome.REQUISITE, detail="", payload=answer.payload)

    def _revisit(
        self, url: str, header: dict[str, str], own: RecordedAnswer | None
    ) -> Response | None:
        """The answer of a revisit: its own head with the body of its original."""
        original = self._original(url, header)
        if original is None:
            return None
        if own is None or own.status == 304:
            page = self._replay(url, original)
            if page.outcome is not Outcome.FETCHED:
                return page
            same = replace(page, status=304, outcome=Outcome.UNCHANGED, payload=b"")
            return replace(same, headers=own.headers, response_head=own.head) if own else same
        # The original's header says how the body is encoded.
        encoding = tuple(pair for pair in original.headers if pair[0] == "content-encoding")
        headers = tuple(pair for pair in own.headers if pair[0] != "content-encoding") + encoding
        if not value_of(headers, "content-type"):
            headers += (("content-type", value_of(original.headers, "content-type")),)
        return self._replay(
            url, RecordedAnswer(own.status, headers, own.head, original.payload, original.cut)
        )

    def _remember(self, url: str, digest: str, number: int, offset: int) -> None:
        for key in filter(None, (digest, url)):
            self._originals.add(key, number + 1, offset)  # + 1: file 0 at offset 0 cannot be stored

    def _original(self, url: str, header: dict[str, str]) -> RecordedAnswer | None:
        """The original by its digest, else by the URL the revisit names, else by its own."""
        digest = header.get("warc-payload-digest", "")
        named = normalise(header.get("warc-refers-to-target-uri", "").strip("<>")) or url
        for key in (digest, named):
            location = self._originals.find(key) if key else None
            if location is None:
                continue
            with WarcReader(self._files[location[0] - 1]) as reader:
                record = reader.record_at(location[1], self._limit + HEAD_BYTES)
            # Two keys may share their 64 bits, so check the record.
            if key in (record.header.get("warc-payload-digest"), normalise(record.url)):
                return answer_in(record)
        return None
