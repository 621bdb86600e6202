"""Labelled pages: a list, a web directory, or a folder.

A *list* has a line for each page: a URL or file, a tab, and a label. Files are relative to the
list. An unusable line is reported by its number; the others count.

A *web directory* (Curlie or ODP in RDF) labels pages by their topics, as in Gao, Lee and Miao 2006,
section 3.4.4: pages below Regional/.../Texas/Localities/H/Houston are about Houston, pages of other
branches about no place. Regional pages of no locality are left out, and the branch World, whose
languages mix both.

A *folder* has a subfolder for each label ("Houston, TX", "none") with the pages of it.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from toponaut.archive.documents import NO_PAGE, Documents, page_of
from toponaut.errors import InputError
from toponaut.records import Outcome, Page
from toponaut.seeds.directory import read_rdf

Progress = Callable[[int, int], None]  # pages or lines done, and their total
Report = Callable[[str, InputError], None]  # where something cannot be used, and why

KEPT_OUTCOMES = (Outcome.FETCHED, Outcome.UNCHANGED)  # near copies would count twice


class LabelLine(NamedTuple):
    number: int
    source: str  # as written
    label: str


_NOWHERE = "-"  # the label of pages about no place


def labelled_lines(path: Path, label: str, report: Report) -> Iterator[LabelLine]:
    """The pages of a list, a web directory or a folder."""
    if path.is_dir():
        folders = sorted(one for one in path.iterdir() if one.is_dir())
        for number, folder in enumerate(folders, 1):
            yield LabelLine(number, str(folder.absolute()), folder.name)
    elif ".rdf" in path.suffixes:
        for number, seed in enumerate(read_rdf(path), 1):
            if place := topic_place(seed.id):
                yield LabelLine(number, seed.url, place)
    else:
        yield from read_lines(path, label, report)


def is_labelled_folder(path: Path) -> bool:
    """Whether a folder has subfolders of pages, and is not a crawl's directory."""
    return (
        path.is_dir()
        and not (path / "job.toml").exists()
        and any(one.is_dir() for one in path.iterdir())
    )


def topic_place(topic: str) -> str:
    """The place of a topic of a web directory: "Houston, Texas, United States", or "-" for none.

    "" for a topic whose pages may be about a place or not.
    """
    parts = [part.replace("_", " ") for part in topic.removeprefix("Top/").split("/")]
    if parts[0] != "Regional":
        return "" if parts[0] == "World" else _NOWHERE
    # Regional, continent, country, (States,) state, Localities, first letter, locality
    if "Localities" not in parts[3:-2]:
        return ""
    at = parts.index("Localities", 3)
    country, state, locality = parts[2], parts[at - 1], parts[at + 2]
    return ", ".join(dict.fromkeys((locality, state, country)))


def read_lines(path: Path, label: str, report: Report) -> Iterator[LabelLine]:
    """The lines of a list. `label` says what the label is: "a place"."""
    fix = f"Write URL or file, a tab, and {label}"
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(
            f"{path} cannot be read ({error.strerror})", "Name a list or a crawl"
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text", f"Save the list as UTF-8. {fix}") from error
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.startswith("#"):
            source, _, found = (part.strip() for part in line.partition("\t"))
            if source and found:
                yield LabelLine(number, source, found)
            else:
                missing = f"{label} after a tab" if source else "URL or file before the tab"
                cause = f"there is no {missing.removeprefix('a ')}"
                report(f"{path}, line {number}", InputError(cause, fix))


def pages_of(path: Path, line: LabelLine, report: Report) -> Iterator[Page]:
    """The page that a line names, or all pages in a folder or a WARC."""

    def fault(_: str, error: InputError) -> None:
        report(f"{path}, line {line.number}: {line.source}", error)

    source = line.source if "://" in line.source else str(path.absolute().parent / line.source)
    for document in Documents([source], fault):
        if page := page_of(document):
            yield page
        else:
            fault(source, NO_PAGE)
