"""Interests from pages, and pages by interests: `toponaut interests learn` and `... rank`.

Judged pages come from a *crawl*, whose log has the judgements, or from a *list*: a line each with a
URL or a file, a tab, and yes or no. rocchio.py turns them into interests.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from toponaut.crawl.directory import Directory
from toponaut.errors import InputError
from toponaut.job import OrderingSection
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.places.gazetteer.sources import table
from toponaut.places.names.tokens import Tokeniser
from toponaut.records import Visit
from toponaut.strategy.learning.labelled import (
    KEPT_OUTCOMES,
    Progress,
    Report,
    pages_of,
    read_lines,
)
from toponaut.strategy.learning.rocchio import Factors, Judgements, priorities
from toponaut.strategy.ordering.interest import Interests
from toponaut.strategy.ordering.term_weights import (
    Counts,
    TermCounter,
    revisit_days,
    term_of,
    word_counts,
)
from toponaut.urls import fingerprint

_ANSWERS = {"yes": True, "no": False}
_LABEL = "yes or no"
_STOP_WORD = "9"  # in tables/words: a closed-class word of one of seven languages


class JudgedText(Struct, frozen=True):
    """A page to learn from."""

    title: str
    text: str
    relevant: bool


class InterestsRequest(Struct, frozen=True):
    """What to learn."""

    terms: int = 20
    start: Mapping[str, float] | None = None  # initial interests; None: those of the crawl's job
    factors: Factors = Factors()
    least: int = 2  # relevant pages that a new term needs


class InterestsResult(Struct, frozen=True):
    """Interests with their priorities, and the numbers of pages they come from."""

    interests: dict[str, float]
    relevant: int
    others: int


class RankedPage(Struct, frozen=True):
    """A page of a crawl, with its weight and revisit interval."""

    url: str
    title: str
    weight: float
    days: float  # from one visit to the next
    terms: dict[str, int]  # the interests in it


def learn(
    source: Path, wish: InterestsRequest, report: Report, progress: Progress
) -> InterestsResult:
    """Interests from a crawl's directory or a list."""
    if source.is_dir():
        start = _job_of(source).interests if wish.start is None else wish.start
        pages = _crawl_pages(source, progress)
    else:
        start = wish.start or {}
        pages = _list_pages(source, report, progress)
    tokeniser = open_gazetteer().names.tokeniser
    start = {
        written.lower(): f for written, f in start.items() if f and term_of(tokeniser, written)
    }
    judged = _added_up(pages, start, tokeniser)
    _refuse_poor(judged, source)
    query = judged.query(start, wish.factors, min(wish.least, judged.relevant))
    if not query:
        cause = f"no word distinguishes the relevant pages of {source} from the others"
        raise InputError(cause, "Judge more pages")
    return InterestsResult(priorities(query, wish.terms), judged.relevant, judged.others)


def _added_up(
    pages: Iterable[JudgedText], start: Iterable[str], tokeniser: Tokeniser
) -> Judgements:
    """Sums over pages. Initial interests may have several words, so they are counted separately."""
    counter = TermCounter(tokeniser, [term_of(tokeniser, written) for written in start])
    judged = Judgements(
        frozenset(row["word"] for row in table("words") if row["common"] == _STOP_WORD)
    )
    for page in pages:
        words = dict(word_counts(tokeniser, f"{page.title}\n{page.text}"))
        words |= zip(start, counter.count(page.title, page.text).tf, strict=True)
        judged.add(words, page.relevant)
    return judged


def _refuse_poor(judged: Judgements, source: Path) -> None:
    if not judged.relevant:
        raise InputError(
            f"no page of {source} is relevant", "Continue the crawl, or judge more pages"
        )
    if not judged.others:
        raise InputError(f"all pages of {source} are relevant", "Add pages that are not relevant")


def rank(
    source: Path, section: OrderingSection | None, days: tuple[float, float], progress: Progress
) -> list[RankedPage]:
    """The pages of a crawl, heaviest first, by the interests of its job or of `section`.

    `days`: between two visits of the heaviest page, and at most.
    """
    tokeniser = open_gazetteer().names.tokeniser
    job = Directory(source).read_job()
    interests = (
        Interests(section, tokeniser)
        if section
        else Interests(job.ordering, tokeniser, job.regions)
    )
    pages: list[tuple[str, str, Counts]] = []
    having = [0] * len(interests.terms)
    for visit in _visits(source, ("title", "text"), progress):
        counts = interests.count(visit.title, visit.text)
        pages.append((visit.url, visit.title, counts))
        having = [before + (tf > 0) for before, tf in zip(having, counts.tf, strict=True)]
    weights = [interests.weigh(counts, len(pages), having) for _, _, counts in pages]
    highest = max(weights, default=0.0)
    ranked = [
        RankedPage(
            url, title, weight, revisit_days(weight, highest, *days), interests.found(counts)
        )
        for (url, title, counts), weight in zip(pages, weights, strict=True)
    ]
    return sorted(ranked, key=lambda page: -page.weight)


# --- sources of pages -----------------------------------------------------------------------------


def _job_of(root: Path) -> OrderingSection:
    return Directory(root).read_job().ordering


def _crawl_pages(root: Path, progress: Progress) -> Iterator[JudgedText]:
    for visit in _visits(root, ("title", "text", "relevant"), progress):
        yield JudgedText(visit.title, visit.text, visit.relevant)


def _visits(root: Path, fields: tuple[str, ...], progress: Progress) -> Iterator[Visit]:
    """The pages of a crawl, each once, even if several nodes fetched it."""
    logs = Directory(root).logs
    total, seen = logs.summary().visits, set[int]()
    for done, visit in enumerate(logs.read(("url", "outcome", *fields))):
        progress(done, total)
        mark = fingerprint(visit.url)
        if visit.outcome in KEPT_OUTCOMES and mark not in seen:
            seen.add(mark)
            yield visit
    progress(total, total)


def _list_pages(path: Path, report: Report, progress: Progress) -> Iterator[JudgedText]:
    fix = f"Write URL or file, a tab, and {_LABEL}"
    lines = []
    for line in read_lines(path, _LABEL, report):
        if line.label.lower() in _ANSWERS:
            lines.append(line)
        else:
            cause = f'"{line.label}" is neither yes nor no'
            report(f"{path}, line {line.number}", InputError(cause, fix))
    if not lines:
        raise InputError(f"{path} has no usable line", fix)
    for done, line in enumerate(lines):
        progress(done, len(lines))
        for page in pages_of(path, line, report):
            yield JudgedText(page.title, page.text, _ANSWERS[line.label.lower()])
    progress(len(lines), len(lines))
