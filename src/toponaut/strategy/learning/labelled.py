"""Lists of labelled pages: a line each with a URL or file, a tab, and a label.

Files are relative to the list. An unusable line is reported by its number; the others count.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from toponaut.archive.documents import NO_PAGE, Documents, page_of
from toponaut.errors import InputError
from toponaut.records import Outcome, Page

Progress = Callable[[int, int], None]  # pages or lines done, and their total
Report = Callable[[str, InputError], None]  # where something cannot be used, and why

KEPT_OUTCOMES = (Outcome.FETCHED, Outcome.UNCHANGED)  # near copies would count twice


class LabelLine(NamedTuple):
    number: int
    source: str  # as written
    label: str


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
