"""The history of a place, from the log of a crawl: its facts over time, and its changes."""

import re

from toponaut.errors import InputError
from toponaut.log import Logs
from toponaut.records import Record
from toponaut.watch.changes import Change
from toponaut.watch.feeds import ChangeReader, as_text, in_words
from toponaut.watch.history import PlaceHistory

_ID = re.compile(r"[0-9a-f]{16}")


class PlaceExplanation(Record, frozen=True):
    """What a crawl knows about a place over time."""

    place: PlaceHistory
    pages: tuple[str, ...]  # that show it now
    changes: tuple[Change, ...]

    def __str__(self) -> str:
        """The history in words, as `toponaut explain` prints it."""
        shown = (f"  shown on   {url}" for url in self.pages)
        changed = (f"  changed    {line.strip()}" for line in as_text(self.changes))
        return "\n".join([*history_lines(self.place), *shown, *changed])


def is_place_id(text: str) -> bool:
    """Whether a text is the id of a place, as exports and changes have it."""
    return _ID.fullmatch(text) is not None


def explain_place(logs: Logs, id: str) -> PlaceExplanation:
    """Look up a place in the log of a crawl."""
    reader = ChangeReader(logs)
    changes = tuple(change for change in reader.read() if change.place == id)
    place = reader.fold.places.get(id)
    if place is None:
        raise InputError(
            f"this crawl has no place {id}", "Copy an id from `toponaut changes DIR --json`"
        )
    pages = tuple(url for url, page in reader.fold.pages.items() if id in page.shown)
    return PlaceExplanation(place, pages, changes)


def history_lines(place: PlaceHistory) -> list[str]:
    """Each fact of a place with its times and its proof."""
    closed = ", closed" if place.closed else ""
    lines = [f"{place.name or place.address.normal}{closed} ({place.id})"]
    for fact in place.facts:
        proof = f"{fact.proof.archive} at {fact.proof.offset:,}" if fact.proof.archive else "log"
        lines.append(
            f"  {fact.name:12} {fact.value}: first seen {in_words(fact.first_seen)}, last "
            f"{in_words(fact.last_seen)}, confirmed {in_words(fact.last_confirmed)} ({proof})"
        )
    return lines
