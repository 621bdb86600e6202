"""Words of queries, counted by region and week: interests as users show them (Chubak 2005, III).

Only if the operator asks for it (`serve --count-queries`). Nothing else is kept: no address, no
time but the week, no query as a whole. A word enters the file when it was asked three times in a
week, so that one user's odd query leaves no trace.

    week        region   word      count        (queries.tsv in the crawl's directory)
    2026-W47    iran     tehran    12
"""

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from msgspec import Struct

from toponaut.errors import InputError
from toponaut.store.disk import write_whole

FILE = "queries.tsv"
_HEAD = "week\tregion\tword\tcount"
LEAST = 3  # times that a word must be asked in a week
_EVERY = 20  # queries between two writes


class WordCount(Struct, frozen=True):
    week: str
    region: str  # "" for clients of no region
    word: str
    count: int


class QueryCounts:
    """Counts words, and writes them from time to time."""

    def __init__(self, root: Path, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._path, self._now = root / FILE, now
        self._counts = Counter[tuple[str, str, str]]()
        for one in read_counts(self._path):
            self._counts[one.week, one.region, one.word] = one.count
        self._asked, self._lock = 0, Lock()

    def add(self, region: str, words: Iterable[str]) -> None:
        year, week, _ = self._now().isocalendar()
        with self._lock:
            for word in {word.lower() for word in words if word.isalpha()}:
                self._counts[f"{year}-W{week:02}", region, word] += 1
            self._asked += 1
            if self._asked % _EVERY == 0:
                self.write()

    def write(self) -> None:
        rows = sorted((*key, count) for key, count in self._counts.items() if count >= LEAST)
        lines = "".join("\t".join(map(str, row)) + "\n" for row in rows)
        write_whole(self._path, f"{_HEAD}\n{lines}".encode())


def read_counts(path: Path) -> list[WordCount]:
    """The counts in a file; none if there is no file."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    fix = "Remove it; serve --count-queries starts a new one"
    if not lines or lines[0] != _HEAD:
        raise InputError(f"{path}, line 1: it is not a table of query words", fix)
    found = []
    for number, line in enumerate(lines[1:], 2):
        week, region, word, count = (line.split("\t") + [""] * 4)[:4]
        if not word or not count.isdigit():
            raise InputError(f"{path}, line {number}: it is not week, region, word, count", fix)
        found.append(WordCount(week, region, word, int(count)))
    return found


class Shift(NamedTuple):
    """A word that is asked much more or less than before."""

    word: str
    before: float  # its share of the words of earlier weeks
    now: float  # its share in the last week


def query_interests(
    counts: Iterable[WordCount], region: str | None, terms: int = 20
) -> dict[str, float]:
    """Interests of a region, or of all (None): the most frequent words, priorities up to 10."""
    total = Counter[str]()
    for one in counts:
        if region in (None, one.region):
            total[one.word] += one.count
    ranked = total.most_common(terms)
    return {word: round(10 * count / ranked[0][1], 1) for word, count in ranked}


def shifts(counts: Iterable[WordCount], region: str, factor: float = 2.0) -> list[Shift]:
    """The words whose share in the last week is `factor` times that of before, or the reverse.

    A shift of interest raises a word's weight for a time (Chubak and Shokouhi 2005, section V).
    """
    weeks: dict[str, Counter[str]] = {}
    for one in counts:
        if one.region == region:
            weeks.setdefault(one.week, Counter())[one.word] += one.count
    if len(weeks) < 2:
        return []
    last = weeks.pop(max(weeks))
    earlier = sum(weeks.values(), Counter[str]())
    found = []
    for word in {*last, *earlier}:
        before, now = earlier[word] / earlier.total(), last[word] / last.total()
        if max(before, now) >= factor * min(before, now):
            found.append(Shift(word, before, now))
    return sorted(found, key=lambda one: (-abs(one.now - one.before), one.word))
