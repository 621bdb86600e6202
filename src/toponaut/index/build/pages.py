"""Visits as pages of an index: which are, and what tantivy and the table keep of each."""

import tantivy

from toponaut.index import table
from toponaut.index.schema import document
from toponaut.index.ties import Ties
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import PAGES, Outcome, Visit
from toponaut.urls import fingerprint

_GONE = (Outcome.GONE, Outcome.NO_INDEX)  # what once was a page is none any more
# What is read of the log for it.
FIELDS = ("outcome", "time", "simhash", "title", "description", "language", "text", "addresses", "scope", "relevant")


def is_page(visit: Visit) -> bool:
    """Whether a visit has something to search in."""
    return visit.outcome in PAGES and bool(visit.text or visit.title)


def is_gone(visit: Visit) -> bool:
    """Whether a visit says that the URL is no page any more."""
    return visit.outcome in _GONE


class Pages:
    """Makes pages of visits. Remembers what lies around the places that it has met."""

    def __init__(self, gazetteer: Gazetteer) -> None:
        self._ties = Ties(gazetteer)

    def made(self, visit: Visit, number: int) -> tuple[tantivy.Document, table.Row]:
        """The page with this number."""
        ties, points = self._ties.of(visit), self._ties.points(visit)
        seats = {address.place for address in visit.addresses}
        row = table.Row(
            url=fingerprint(visit.url),
            time=visit.time,
            simhash=visit.simhash,
            entities=table.entities_of(visit.addresses),
            host=fingerprint(visit.url.split("/", 3)[2]),
            seat=seats.pop() if len(seats) == 1 else 0,
            points=points,
            ties=ties,
        )
        return document(visit, number, ties, points), row
