"""Train the classifier: pages with known places in, a model file out (`toponaut train`).

Pages come from a *labelled list* (URL or file, tab, place), a *web directory* or a *folder* with a
subfolder for each place (labelled.py), or from a *crawl*: a page belongs to the target with most of
its addresses, and to none if it has no address in a target.

**Balance.** At most PER_PLACE pages are read for each place, MOST_TEXTS of all places and half as
many of none; from a crawl, at most as many about no place as about all places together. The sample
is drawn by URL fingerprints, so it is the same every time.

**Accuracy** is measured by five-fold cross-validation. Pages of one host are held out together:
they share their template, which would give the place away.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path

from msgspec import Struct

from toponaut.crawl.directory import Directory
from toponaut.errors import InputError
from toponaut.job import Job
from toponaut.job.owners import OwnerTable
from toponaut.job.targets import Territory, find_place, job_targets, label
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.records import Address
from toponaut.store.disk import write_whole
from toponaut.strategy.learning.labelled import (
    KEPT_OUTCOMES,
    LabelLine,
    Progress,
    Report,
    is_labelled_folder,
    labelled_lines,
    pages_of,
)
from toponaut.strategy.learning.text_bayes import Lesson, WordCounts, dump
from toponaut.urls import fingerprint, host_of

PER_PLACE = 2_000  # the paper has 500 to 2,000 pages of a city and 2,000 of none
MOST_TEXTS = 50_000  # 500 for each of 100 places; with 550 different words each, half a gigabyte
FOLDS = 5
NONE = ("none", "-")
_LABEL = "a place or - for none"


class LabelledPage(Struct, frozen=True):
    """A page to learn from."""

    text: str
    place: int  # id, 0 for none
    group: str  # held out together: its host, or the page itself


class TrainingResult(Struct, frozen=True):
    """The outcome of a training."""

    pages: dict[str, int]  # of each place, "none" last
    words: int  # of the vocabulary
    accuracy: float | None  # share of held-out pages classified correctly; None if too few pages
    largest: float  # the share of the largest class: the accuracy of always guessing it
    faults: int  # lines or pages that could not be used


def train(
    source: Path, out: Path, job: Job | None, report: Report, progress: Progress
) -> TrainingResult:
    """Train on a labelled list or a crawl's directory and write the model."""
    _refuse_unwritable(out)
    gazetteer = open_gazetteer()
    faults: list[str] = []

    def fault(where: str, error: InputError) -> None:
        faults.append(where)
        report(where, error)

    if source.is_dir() and not is_labelled_folder(source):
        pages = _crawl_pages(source, job, gazetteer, progress)
    else:
        pages = _list_pages(source, job, gazetteer, fault, progress)
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
    sizes = zip(model.places, model.texts, strict=True)
    for place, texts in sorted(sizes, key=lambda one: (not one[0], -one[1])):
        name = label(gazetteer.place(place)) if place else NONE[0]
        named[f"{name} ({place})" if name in named else name] = texts  # Ohio has two Glendales
    folds = folds_of(groups)
    accuracy = round(lesson.accuracy(folds), 4) if len(set(folds)) > 1 else None
    largest = round(max(model.texts) / sum(model.texts), 4)
    return TrainingResult(named, len(model.words), accuracy, largest, faults)


def folds_of(groups: list[str]) -> list[int]:
    """The fold of each page: that of its group, or its own if there are few groups."""
    if len(set(groups)) < FOLDS:
        groups = [f"{k} {group}" for k, group in enumerate(groups)]
    ranked = sorted(set(groups), key=lambda group: (fingerprint(group), group))
    fold = {group: number % FOLDS for number, group in enumerate(ranked)}
    return [fold[group] for group in groups]


def _refuse_poor(lesson: Lesson, source: Path, gazetteer: Gazetteer) -> None:
    """Refuse to train a model of one class."""
    classes = set(lesson.places)
    if not classes:
        raise InputError(
            f"{source} has no usable pages", "Give pages with text, each with its place"
        )
    if len(classes) == 1:
        place = classes.pop()
        what = label(gazetteer.place(place)) if place else "no target"
        fix = 'Add pages about other places, or about none ("-")'
        raise InputError(f"all pages of {source} are about {what}", fix)


# --- a labelled list ------------------------------------------------------------------------------


def _list_pages(
    path: Path, job: Job | None, gazetteer: Gazetteer, report: Report, progress: Progress
) -> Iterator[LabelledPage]:
    lines = list(_placed_lines(path, job, gazetteer, report))
    if not lines:
        raise InputError(f"{path} has no usable line", f"Write URL or file, a tab, and {_LABEL}")
    most = _most_of_each(len({place for _, place in lines if place}))
    taken = Counter[int]()
    for done, (line, place) in enumerate(lines):
        progress(done, len(lines))
        left = (most if place else MOST_TEXTS // 2) - taken[place]
        for page in islice(pages_of(path, line, report), max(left, 0)):
            taken[place] += 1
            group = host_of(page.url) if page.url.startswith("http") else page.url
            yield LabelledPage(_text_of(page.title, page.text), place, group)
    progress(len(lines), len(lines))


def _most_of_each(places: int) -> int:
    return min(PER_PLACE, MOST_TEXTS // max(places, 1))


def _placed_lines(
    path: Path, job: Job | None, gazetteer: Gazetteer, report: Report
) -> Iterator[tuple[LabelLine, int]]:
    """The lines of a list, with the ids of their places."""
    owners: OwnerTable | None = None
    known: dict[str, int | InputError] = {}  # looking up an unknown name is slow
    for line in labelled_lines(path, _LABEL, report):
        if job and owners is None:
            owners = _owners(gazetteer, job)
        place = known.get(line.label)
        if place is None:
            place = known[line.label] = _place(line.label, gazetteer, owners)
        if isinstance(place, InputError):
            report(f"{path}, line {line.number}", place)
        else:
            yield line, place


def _place(name: str, gazetteer: Gazetteer, owners: OwnerTable | None) -> int | InputError:
    """The id of a place, or with a job that of the target around it; 0 for none."""
    if name.lower() in NONE:
        return 0
    try:
        place = find_place(gazetteer, name).id
    except InputError as error:
        return error
    return owners.target(place) if owners else place


# --- a crawl --------------------------------------------------------------------------------------


def _crawl_pages(
    root: Path, job: Job | None, gazetteer: Gazetteer, progress: Progress
) -> Iterator[LabelledPage]:
    """The pages of a crawl, with the target that has most of their addresses."""
    directory = Directory(root)
    if not directory.exists():
        raise InputError(
            f"{root} is not a crawl directory",
            "Name a labelled list, a folder with subfolders for places, or a crawl's directory",
        )
    owners = _owners(gazetteer, job or directory.read_job())
    place_of: dict[int, int] = {}  # by the fingerprint of the URL; the first visit counts
    for visit in directory.logs.read(("url", "outcome", "addresses.place")):
        if visit.outcome in KEPT_OUTCOMES:
            place_of.setdefault(fingerprint(visit.url), _main_target(visit.addresses, owners))
    wanted = drawn(place_of)
    if not any(place_of[mark] for mark in wanted):
        raise InputError(
            f"no page of {root} has an address in a target",
            "Continue the crawl, or train from a labelled list",
        )
    done, total = 0, len(wanted)
    for visit in directory.logs.read(("url", "outcome", "title", "text")):
        mark = fingerprint(visit.url)
        if visit.outcome in KEPT_OUTCOMES and mark in wanted:
            wanted.discard(mark)
            progress(done, total)
            done += 1
            text = _text_of(visit.title, visit.text)
            yield LabelledPage(text, place_of[mark], host_of(visit.url))
    progress(total, total)


def drawn(place_of: Mapping[int, int]) -> set[int]:
    """The sample of pages (fingerprints, given with their places) to learn from."""
    by_place: dict[int, list[int]] = {}
    for mark in sorted(place_of):
        by_place.setdefault(place_of[mark], []).append(mark)
    none = by_place.pop(0, [])
    most = _most_of_each(len(by_place))
    chosen = {mark for marks in by_place.values() for mark in marks[:most]}
    return chosen | set(none[: min(len(chosen), MOST_TEXTS // 2)])


def _main_target(addresses: tuple[Address, ...], owners: OwnerTable) -> int:
    """The target with most of the addresses, of equal ones the first; 0 if there is none."""
    found = Counter[int]()
    for address in addresses:
        with suppress(KeyError):  # 0, or a place of an older gazetteer
            found[owners.target(address.place)] += 1
    del found[0]
    return found.most_common(1)[0][0] if found else 0


def _owners(gazetteer: Gazetteer, job: Job) -> OwnerTable:
    """All targets of a job as one territory, to find the target of a place."""
    return OwnerTable(gazetteer, [Territory("all", tuple(job_targets(gazetteer, job)))], ())


def _text_of(title: str, text: str) -> str:
    return f"{title}\n\n{text}" if title else text


# --- the file -------------------------------------------------------------------------------------


def _refuse_unwritable(out: Path) -> None:
    """Checked before the pages are fetched."""
    if out.is_dir() or not out.absolute().parent.is_dir():
        cause = "it is a folder" if out.is_dir() else "there is no such folder"
        raise InputError(f"cannot write {out}: {cause}", "Name a file in an existing folder")


def _write(out: Path, data: bytes) -> None:
    try:
        write_whole(out, data)  # a model that is in use stays intact
    except OSError as error:
        raise InputError(
            f"cannot write {out}: {error.strerror}", "Name a file in a folder you can write to"
        ) from error
