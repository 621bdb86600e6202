"""Interests from pages, and pages by interests: `toponaut interests learn` and `toponaut interests rank`.

Pages judged relevant or not come from a *crawl*, whose log says so of every page, or from a *list*: a line each with a
URL or a file (relative to the list), a tab, and yes or no. What makes interests of them is in rocchio.py.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from toponaut.archive.documents import NO_PAGE, documents, page_of
from toponaut.crawl.directory import Directory
from toponaut.errors import InputError
from toponaut.job import OrderingSection
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.places.gazetteer.sources import table
from toponaut.places.names.tokens import Tokeniser
from toponaut.records import Outcome, Page, Visit
from toponaut.strategy.learning.rocchio import Factors, Judgements, priorities
from toponaut.strategy.ordering.interest import Interests
from toponaut.strategy.ordering.terms import TermCounter, term_of, word_counts
from toponaut.strategy.ordering.weighting import Counts, revisit_days
from toponaut.urls import fingerprint

_ANSWERS = {"yes": True, "no": False}
_FORMAT = "Write URL or file, a tab, and yes or no"
_STOP_WORD = "9"  # in tables/words: a closed-class word of one of seven languages
_KEPT = (Outcome.FETCHED, Outcome.UNCHANGED)  # near copies would say everything twice

Tell = Callable[[int, int], None]  # how far: visits or lines done, of how many
Report = Callable[[str, InputError], None]  # what cannot be used: where, and why


class JudgedText(Struct, frozen=True):
    """A page to learn from."""

    title: str
    text: str
    relevant: bool


class InterestsRequest(Struct, frozen=True):
    """What is to be learned."""

    terms: int = 20
    start: Mapping[str, float] | None = (
        None  # the interests that one has; None: those of the crawl's job
    )
    factors: Factors = Factors()
    least: int = 2  # relevant pages that have a new term; a word of one page tells of that page, not of a region


class InterestsResult(Struct, frozen=True):
    """Interests with their priorities, and how many pages they come from."""

    interests: dict[str, float]
    relevant: int
    others: int


class RankedPage(Struct, frozen=True):
    """A page of a crawl, with its weight and how often it is worth a visit."""

    url: str
    title: str
    weight: float
    days: float  # from one visit to the next
    terms: dict[str, int]  # the interests in it


def learn(source: Path, wish: InterestsRequest, report: Report, tell: Tell) -> InterestsResult:
    """Interests from a crawl's directory or a list."""
    if source.is_dir():
        start = _job_of(source).interests if wish.start is None else wish.start
        pages = _of_crawl(source, tell)
    else:
        start = wish.start or {}
        pages = _of_list(source, report, tell)
    tokeniser = open_gazetteer().names.tokeniser
    start = {
        written.lower(): f for written, f in start.items() if f and term_of(tokeniser, written)
    }
    judged = _added_up(pages, start, tokeniser)
    _refuse_poor(judged, source)
    query = judged.query(start, wish.factors, min(wish.least, judged.relevant))
    if not query:
        raise InputError(
            f"no word tells the relevant pages of {source} from the others", "Judge more pages"
        )
    return InterestsResult(priorities(query, wish.terms), judged.relevant, judged.others)


def _added_up(
    pages: Iterable[JudgedText], start: Iterable[str], tokeniser: Tokeniser
) -> Judgements:
    """The interests that one starts with are counted as the ordering counts them, for they may be of several words."""
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
            f"no page of {source} is relevant",
            "Crawl on, or judge more pages: interests are learned from them",
        )
    if not judged.others:
        cure = "Add pages that are not: what all pages have in common tells nothing"
        raise InputError(f"all pages of {source} are relevant", cure)


def rank(
    source: Path, section: OrderingSection | None, days: tuple[float, float], tell: Tell
) -> list[RankedPage]:
    """The pages of a crawl, heaviest first, by the interests of its job or of another; `days` lie between two visits of the
    heaviest page, and at most.
    """
    interests = Interests(section or _job_of(source), open_gazetteer().names.tokeniser)
    pages: list[tuple[str, str, Counts]] = []
    having = [0] * len(interests.terms)
    for visit in _visits(source, ("title", "text"), tell):
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


# --- where pages come from ------------------------------------------------------------------------


def _job_of(root: Path) -> OrderingSection:
    return Directory(root).read_job().ordering


def _of_crawl(root: Path, tell: Tell) -> Iterator[JudgedText]:
    for visit in _visits(root, ("title", "text", "relevant"), tell):
        yield JudgedText(visit.title, visit.text, visit.relevant)


def _visits(root: Path, fields: tuple[str, ...], tell: Tell) -> Iterator[Visit]:
    """The pages of a crawl, each once, however many nodes have fetched it."""
    logs = Directory(root).logs
    total, seen = logs.summary().visits, set[int]()
    for done, visit in enumerate(logs.read(("url", "outcome", *fields))):
        tell(done, total)
        mark = fingerprint(visit.url)
        if visit.outcome in _KEPT and mark not in seen:
            seen.add(mark)
            yield visit
    tell(total, total)


def _of_list(path: Path, report: Report, tell: Tell) -> Iterator[JudgedText]:
    """The pages of a list. A line that cannot be used is reported by its number, and the others count."""
    lines = list(_lines(path, report))
    if not lines:
        raise InputError(f"{path} has no line that can be used", _FORMAT)
    for done, (number, written, relevant) in enumerate(lines):
        tell(done, len(lines))
        for page in _in_line(path, number, written, report):
            yield JudgedText(page.title, page.text, relevant)
    tell(len(lines), len(lines))


def _in_line(path: Path, number: int, written: str, report: Report) -> Iterator[Page]:
    """The page that a line names; of a folder or a WARC all pages in it."""

    def fault(_: str, error: InputError) -> None:
        report(f"{path}, line {number}: {written}", error)

    source = written if "://" in written else str(path.absolute().parent / written)
    for document in documents([source], fault):
        if page := page_of(document):
            yield page
        else:
            fault(source, NO_PAGE)


def _lines(path: Path, report: Report) -> Iterator[tuple[int, str, bool]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(
            f"{path} cannot be read ({error.strerror})", "Name a crawl or a list of judged pages"
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not UTF-8 text", f"Save the list as UTF-8. {_FORMAT}"
        ) from error
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        source, _, answer = (part.strip() for part in line.partition("\t"))
        relevant = _ANSWERS.get(answer.lower())
        if not source or relevant is None:
            cause = (
                f'"{answer}" is neither yes nor no'
                if answer
                else "there is no yes or no behind a tab"
            )
            report(
                f"{path}, line {number}",
                InputError(cause if source else "it names no page", _FORMAT),
            )
        else:
            yield number, source, relevant
