"""Changes as lines, GeoJSON and Atom; and which of them are wanted."""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from xml.sax.saxutils import escape, quoteattr

import msgspec
from msgspec import Struct

from toponaut.errors import InputError
from toponaut.log import Logs, StaleError
from toponaut.timing import is_simulated
from toponaut.watch.changes import FIELDS, Change, ChangeFold

FORMATS = ("text", "jsonl", "geojson", "atom")
_DAYS = re.compile(r"(\d{1,5})d")
_DAY_S = 86_400.0
_MOST = 1000  # entries of a feed: the newest


class ChangeReader:
    """Reads the changes of a crawl, and later those that have come since."""

    def __init__(self, logs: Logs) -> None:
        self._logs = logs
        self._begin()

    def _begin(self) -> None:
        self.fold = ChangeFold()
        self._position: bytes | None = None

    def read(self) -> Iterator[Change]:
        """The changes of visits that were not read yet."""
        try:
            for batch in self._logs.batches(self._position, FIELDS):
                for visit in batch.visits:
                    yield from self.fold.add(visit)
                self._position = batch.position
        except StaleError:  # a power cut took visits that were read: all changes once more
            self._begin()
            yield from self.read()


class ChangeFilter(Struct, frozen=True):
    """Which changes are wanted."""

    since: float = 0.0
    kinds: frozenset[str] = frozenset()  # none: all
    category: str = ""
    place: Callable[[int], bool] | None = None  # whether it holds a place of the gazetteer

    def wants(self, change: Change) -> bool:
        return (
            change.time >= self.since
            and (not self.kinds or change.kind in self.kinds)
            and (not self.category or change.category == self.category)
            and (self.place is None or self.place(change.city))
        )


def since_time(text: str, now: float) -> float:
    """The moment of "2026-11-02", "2026-11-02T09:00" or "7d" (days ago)."""
    if not text:
        return 0.0
    if days := _DAYS.fullmatch(text):
        return now - int(days[1]) * _DAY_S
    try:
        date = datetime.fromisoformat(text)
    except ValueError:
        fix = "Write a date (2026-11-02), a time (2026-11-02T09:00), or days ago (7d)"
        raise InputError(f'--since is "{text}"', fix) from None
    moment = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    if moment > now:
        raise InputError(f"--since {text} is in the future", "Give the date of the last look")
    return moment


def in_words(moment: float) -> str:
    """A moment, for people."""
    if is_simulated(moment):
        days, seconds = divmod(int(moment), int(_DAY_S))
        return f"day {days + 1}, {seconds // 3600:02}:{seconds // 60 % 60:02}"
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M")


def as_text(changes: Iterable[Change]) -> Iterator[str]:
    """One line for each change."""
    for one in changes:
        about = ", ".join(part for part in (one.name, one.address) if part) or one.evidence.url
        what = one.why or " -> ".join(part for part in (one.before, one.after) if part)
        line = f"{in_words(one.time)}  {one.kind}: {about}: {what} ({one.confidence:.2f})"
        yield f"{' '.join(line.split())}  {one.evidence.url}\n"


def as_jsonl(changes: Iterable[Change]) -> Iterator[str]:
    """One JSON object a line."""
    for one in changes:
        yield msgspec.json.encode(one).decode() + "\n"


def as_geojson(changes: Iterable[Change]) -> Iterator[str]:
    """A FeatureCollection; changes without a location have no geometry."""
    yield '{"type":"FeatureCollection","features":['
    for number, one in enumerate(changes):
        point = None
        if one.lat is not None and one.lon is not None:
            point = {"type": "Point", "coordinates": (one.lon, one.lat)}
        feature = {"type": "Feature", "id": one.id, "geometry": point, "properties": one}
        yield ("," if number else "") + "\n" + msgspec.json.encode(feature).decode()
    yield "\n]}\n"


def as_atom(changes: Iterable[Change], title: str = "Changes", url: str = "") -> Iterator[str]:
    """An Atom feed (RFC 4287) of the newest changes, newest first."""
    newest = list(changes)[: -_MOST - 1 : -1]
    updated = _date(newest[0].time if newest else 0.0)
    yield '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
    yield f"<title>{escape(title)}</title>\n<id>{escape(url or 'urn:toponaut:changes')}</id>\n"
    yield f"<updated>{updated}</updated>\n<author><name>Toponaut</name></author>\n"
    if url:
        yield f'<link rel="self" href={quoteattr(url)}/>\n'
    for one in newest:
        yield _entry(one)
    yield "</feed>\n"


def _entry(one: Change) -> str:
    name = one.name or one.address or one.evidence.url
    words = next(as_text([one])).strip()
    category = f"<category term={quoteattr(one.category)}/>" if one.category else ""
    return (
        f"<entry><id>urn:toponaut:change:{one.id}</id><title>{escape(f'{one.kind}: {name}')}"
        f"</title><updated>{_date(one.time)}</updated><link href={quoteattr(one.evidence.url)}/>"
        f"{category}<summary>{escape(words)}</summary></entry>\n"
    )


def _date(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


WRITERS: dict[str, Callable[[Iterable[Change]], Iterator[str]]] = {
    "text": as_text,
    "jsonl": as_jsonl,
    "geojson": as_geojson,
    "atom": as_atom,
}
