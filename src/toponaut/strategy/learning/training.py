"""Trains the classifier: pages whose place is known in, a model file out (`toponaut train`).

Pages come from a *labelled list* (a line each: URL or file, tab, place) or from a *crawl*, whose addresses label its
pages: a page belongs to the target in which most of its addresses lie, and to none if none does.

**No class swamps the others.** Of each place at most PER_PLACE pages are read and MOST_TEXTS in all, and of a crawl no
more about none than about all places together: on the web nine pages of ten are about no target, and what they teach is
learned from a part of them. The part is drawn by the fingerprints of URLs, which have nothing to do with what a page
says and are the same every time.

**How good the model is** is measured on pages that it has not seen: five times a fifth of the pages is put aside. Pages
of one host are put aside together, because they share their frame, and a model that knows the frame would be right
without knowing the place.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path

from msgspec import Struct

from toponaut.archive.documents import NO_PAGE, documents, page_of
from toponaut.crawl.directory import Directory
from toponaut.errors import InputError
from toponaut.job import Job
from toponaut.job.owners import OwnerTable
from toponaut.job.targets import Territory, find_place, job_targets, label
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.records import Address, Outcome
from toponaut.strategy.learning.text_bayes import Lesson, WordCounts, dump
from toponaut.urls import fingerprint, host_of

PER_PLACE = 2_000  # as in the paper, which had 500 to 2,000 pages of a city and 2,000 of none
MOST_TEXTS = 50_000  # of 550 different words each they take half a gigabyte
FOLDS = 5
NONE = ("none", "-")
_FORMAT = "Write URL or file, a tab, and a place or - for none"

_KEPT = (Outcome.FETCHED, Outcome.UNCHANGED)  # near copies would say everything twice

Tell = Callable[[int, int], None]  # how far: pages or lines done, of how many
Report = Callable[[str, InputError], None]  # what cannot be used: where, and why


class LabelledPage(Struct, frozen=True):
    """A page to learn from."""

    text: str
    place: int  # id, 0 for none
    group: str  # what is put aside together with it: its host, or itself


class TrainingResult(Struct, frozen=True):
    """What a training came to."""

    pages: dict[str, int]  # of each place, "none" last
    words: int  # of the vocabulary
    accuracy: (
        float | None
    )  # of pages put aside, the share that was put right; None where too few were there
    largest: float  # the share of the largest class: what one is right with who always says it
    faults: int  # lines or pages that could not be used


def train(source: Path, out: Path, job: Job | None, report: Report, tell: Tell) -> TrainingResult:
    """Trains on a labelled list or a crawl's directory and writes the model."""
    _refuse_unwritable(out)
    gazetteer = open_gazetteer()
    faults: list[str] = []

    def fault(where: str, error: InputError) -> None:
        faults.append(where)
        report(where, error)

    if source.is_dir():
        pages = _of_crawl(source, job, gazetteer, tell)
    else:
        pages = _of_list(source, job, gazetteer, fault, tell)
    lesson = Lesson(gazetteer.names.tokeniser)
    groups = [page.group for page in pages if lesson.add(page.text, page.place)]
    _refuse_poor(lesson, source, gazetteer)
    model = lesson.model()
    _write(out, dump(model))
    return _summary(lesson, model, groups, gazetteer, len(faults))


def _summary(
    lesson: Lesson, model: WordCounts, groups: list[str], gazetteer: Gazetteer, faults: int
) -> TrainingResult:
    named: dict[str, int] = {}
    for place, texts in sorted(
        zip(model.places, model.texts, strict=True), key=lambda one: (not one[0], -one[1])
    ):
        name = label(gazetteer.place(place)) if place else NONE[0]
        named[f"{name} ({place})" if name in named else name] = (
            texts  # two towns of Ohio are called Glendale
        )
    folds = folds_of(groups)
    accuracy = round(lesson.accuracy(folds), 4) if len(set(folds)) > 1 else None
    return TrainingResult(
        named, len(model.words), accuracy, round(max(model.texts) / sum(model.texts), 4), faults
    )


def folds_of(groups: list[str]) -> list[int]:
    """For each page the fold in which it is put aside: that of its group, or its own where groups are few."""
    if len(set(groups)) < FOLDS:
        groups = [f"{k} {group}" for k, group in enumerate(groups)]
    ranked = sorted(set(groups), key=lambda group: (fingerprint(group), group))
    fold = {group: number % FOLDS for number, group in enumerate(ranked)}
    return [fold[group] for group in groups]


def _refuse_poor(lesson: Lesson, source: Path, gazetteer: Gazetteer) -> None:
    """A model of one class would say the same of every page."""
    classes = set(lesson.places)
    if not classes:
        raise InputError(
            f"nothing in {source} can be learned from", "Give pages with text, each with its place"
        )
    if len(classes) == 1:
        place = classes.pop()
        what = label(gazetteer.place(place)) if place else "no target"
        cure = (
            'Add pages about other places, or about none ("-"): a classifier has to tell some apart'
        )
        raise InputError(f"all pages of {source} are about {what}", cure)


# --- a labelled list ------------------------------------------------------------------------------


class _LabelLine(Struct, frozen=True):
    number: int
    source: str  # as written
    place: int


def _of_list(
    path: Path, job: Job | None, gazetteer: Gazetteer, report: Report, tell: Tell
) -> Iterator[LabelledPage]:
    """The pages of a list. A line that cannot be used is reported by its number, and the others count."""
    lines = list(_lines(path, job, gazetteer, report))
    if not lines:
        raise InputError(f"{path} has no line that can be used", _FORMAT)
    most = _most_of_each(len({line.place for line in lines if line.place}))
    taken = Counter[int]()
    for done, line in enumerate(lines):
        tell(done, len(lines))
        left = (most if line.place else MOST_TEXTS // 2) - taken[line.place]
        for page in islice(_in_line(path, line, report), max(left, 0)):
            taken[line.place] += 1
            yield page
    tell(len(lines), len(lines))


def _in_line(path: Path, line: _LabelLine, report: Report) -> Iterator[LabelledPage]:
    """The page that a line names; of a folder or a WARC all pages in it."""
    source = line.source if "://" in line.source else str(path.absolute().parent / line.source)

    def fault(_: str, error: InputError) -> None:
        report(f"{path}, line {line.number}: {line.source}", error)

    for document in documents([source], fault):
        page = page_of(document)
        if page is None:
            fault(source, NO_PAGE)
        else:
            group = host_of(page.url) if page.url.startswith("http") else page.url
            yield LabelledPage(_text_of(page.title, page.text), line.place, group)


def _most_of_each(places: int) -> int:
    return min(PER_PLACE, MOST_TEXTS // 2 // max(places, 1))


def _lines(
    path: Path, job: Job | None, gazetteer: Gazetteer, report: Report
) -> Iterator[_LabelLine]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(
            f"{path} cannot be read ({error.strerror})", "Name a labelled list or a crawl"
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not UTF-8 text", "Save the list as UTF-8: URL or file, tab, place"
        ) from error
    owners = _owners(gazetteer, job) if job else None
    known: dict[str, int | InputError] = {}  # a name that is not found is looked up for a while
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        source, _, name = (part.strip() for part in line.partition("\t"))
        if not (source and name):
            cause = (
                "there is no place behind a tab"
                if source
                else "there is no URL or file before the tab"
            )
            report(f"{path}, line {number}", InputError(cause, _FORMAT))
            continue
        place = known.get(name)
        if place is None:
            place = known[name] = _place(name, gazetteer, owners)
        if isinstance(place, InputError):
            report(f"{path}, line {number}", place)
        else:
            yield _LabelLine(number, source, place)


def _place(name: str, gazetteer: Gazetteer, owners: OwnerTable | None) -> int | InputError:
    """The id of a place, or where a job is given that of the target around it; 0 for none."""
    if name.lower() in NONE:
        return 0
    try:
        place = find_place(gazetteer, name).id
    except InputError as error:
        return error
    return owners.target(place) if owners else place


# --- a crawl --------------------------------------------------------------------------------------


def _of_crawl(
    root: Path, job: Job | None, gazetteer: Gazetteer, tell: Tell
) -> Iterator[LabelledPage]:
    """The pages of a crawl, with the target in which most of their addresses lie."""
    directory = Directory(root)
    if not directory.exists():
        raise InputError(
            f"{root} holds no crawl",
            "Name a labelled list, or a directory that `toponaut crawl` has made",
        )
    owners = _owners(gazetteer, job or directory.read_job())
    place_of: dict[int, int] = {}  # by the fingerprint of the URL; the first visit of a page counts
    for visit in directory.logs.read(("url", "outcome", "addresses.place")):
        if visit.outcome in _KEPT:
            place_of.setdefault(fingerprint(visit.url), _lies_in(visit.addresses, owners))
    wanted = drawn(place_of)
    if not any(place_of[mark] for mark in wanted):
        raise InputError(
            f"no page of {root} has an address in a target",
            "Crawl on, or train from a labelled list",
        )
    done, total = 0, len(wanted)
    for visit in directory.logs.read(("url", "outcome", "title", "text")):
        mark = fingerprint(visit.url)
        if visit.outcome in _KEPT and mark in wanted:
            wanted.discard(mark)
            tell(done, total)
            done += 1
            yield LabelledPage(
                _text_of(visit.title, visit.text), place_of[mark], host_of(visit.url)
            )
    tell(total, total)


def drawn(place_of: Mapping[int, int]) -> set[int]:
    """Of pages (by fingerprint, with their places) those to learn from: of none at most as many as of all places."""
    by_place: dict[int, list[int]] = {}
    for mark in sorted(place_of):
        by_place.setdefault(place_of[mark], []).append(mark)
    none = by_place.pop(0, [])
    most = _most_of_each(len(by_place))
    chosen = {mark for marks in by_place.values() for mark in marks[:most]}
    return chosen | set(none[: len(chosen)])


def _lies_in(addresses: tuple[Address, ...], owners: OwnerTable) -> int:
    """The target in which most of some addresses lie, of equal ones the first; 0 if none does."""
    found = Counter[int]()
    for address in addresses:
        with suppress(KeyError):  # 0, or a place that an older gazetteer knew
            found[owners.target(address.place)] += 1
    del found[0]
    return found.most_common(1)[0][0] if found else 0


def _owners(gazetteer: Gazetteer, job: Job) -> OwnerTable:
    """All targets of a job as one territory: which target a place lies in."""
    return OwnerTable(gazetteer, [Territory("all", tuple(job_targets(gazetteer, job)))], ())


def _text_of(title: str, text: str) -> str:
    return f"{title}\n\n{text}" if title else text


# --- the file -------------------------------------------------------------------------------------


def _refuse_unwritable(out: Path) -> None:
    """Before hours of fetching, not after."""
    if out.is_dir() or not out.absolute().parent.is_dir():
        cause = "it is a folder" if out.is_dir() else "there is no such folder"
        raise InputError(f"cannot write {out}: {cause}", "Name a file in a folder that is there")


def _write(out: Path, data: bytes) -> None:
    """All or nothing: a model that is in use stays whole."""
    draft = out.with_name(out.name + ".new")
    try:
        draft.write_bytes(data)
        draft.replace(out)
    except OSError as error:
        raise InputError(
            f"cannot write {out}: {error.strerror}", "Name a file in a folder you can write to"
        ) from error
