"""Asking an index: a query in, an answer out.

text -> what and where (splitting.py) -> which place (choosing.py) -> candidates, ranked (ranking.py) -> hits
"""

from pathlib import Path

import numpy as np
from msgspec import Struct, structs

from toponaut.errors import InputError
from toponaut.index.build.writing import read_marker
from toponaut.index.cells import Box
from toponaut.index.query.answers import Answer, Facet, Hit, Meant, Pin
from toponaut.index.query.choosing import Chooser, Chosen, Spot
from toponaut.index.query.extracts import Extracts
from toponaut.index.query.facets import facets_of
from toponaut.index.query.hits import Hits
from toponaut.index.query.nearby import Nearby, nearby
from toponaut.index.query.opened import Opened
from toponaut.index.query.ranking import Ranked, Sought, rank
from toponaut.index.query.spelling import Spelling
from toponaut.index.query.splitting import MOST_LETTERS, Splitter
from toponaut.index.ties import Ties
from toponaut.index.words import Wanted
from toponaut.places.names.finder import NameFinder

MOST = 5000  # hits of one answer
FEW = 10  # pages with all words; where there are fewer, those with some are answers, too


class Question(Struct, frozen=True):
    """What is asked."""

    text: str
    here: Spot | None = None  # latitude and longitude of the asker, for "near me"
    place: int | None = (
        None  # a place chosen by hand, from an answer's `others` or facets; 0: none, words only
    )
    box: Box | None = None  # a stretch of the map, instead of any place
    limit: int = 10
    offset: int = 0


Understood = tuple[Chosen, Wanted, Sought]


class Search:
    """An index, open for questions. What a running crawl adds is seen after refresh()."""

    def __init__(self, root: Path, names: NameFinder) -> None:
        self._root, self._gazetteer = root, names.gazetteer
        self._splitter = Splitter(names)
        self._spelling = Spelling(names.gazetteer)
        self._ties = Ties(names.gazetteer)
        self._opened = Opened(root)
        self._last: tuple[Question, Understood] | None = (
            None  # hits, facets and pins are asked for one after the other
        )

    def refresh(self) -> bool:
        """Opens the index anew if it has grown; says whether it has."""
        if read_marker(self._root) == self._opened.marker:
            return False
        self._opened, self._last = Opened(self._root), None
        return True

    @property
    def opened(self) -> Opened:
        """The index as it stands until the next refresh()."""
        return self._opened

    @property
    def pages(self) -> int:
        return self._opened.pages

    def ask(self, question: Question) -> Answer:
        """Raises InputError where nothing is asked, or "near me" without coordinates."""
        opened = self._opened
        enough = min(max(question.offset + question.limit, 1), MOST)
        chosen, wanted, sought, ranked = self._ranked(question, enough)
        said = opened.words.query(wanted, every=False) if wanted.words else sought.words
        hits = Hits(
            self._gazetteer,
            self._ties,
            opened,
            Extracts(opened.searcher, opened.schema, said),
            wanted,
        )
        part = slice(question.offset, question.offset + question.limit)
        return Answer(
            query=question.text,
            what=chosen.what,
            where=chosen.where,
            total=ranked.total,
            hits=tuple(hits.of(ranked, k, chosen.where) for k in range(len(ranked.numbers))[part]),
            others=chosen.others,
            as_words=chosen.as_words,
            did_you_mean=self._spelling.suggestions(
                question.text[:MOST_LETTERS], chosen, wanted, opened
            ),
            note=_note(wanted, sought),
            pages=opened.pages,
        )

    def facets(self, question: Question) -> tuple[Facet, ...]:
        """The places right below the one asked for (countries, where none is) by the pages that match."""
        chosen, wanted, sought = self._understood(question)
        if _several(wanted):
            sought = self._ranked(question, FEW)[2]
        words = sought.words if sought.needed else None
        place = chosen.where.place if chosen.where else None
        return facets_of(self._opened, self._gazetteer, words, place.id if place else 0)

    def pins(self, question: Question, most: int = 2000) -> tuple[Pin, ...]:
        """Where the matching pages are, the best ones first: each with its points, without what else a hit tells."""
        opened = self._opened
        ranked = self._ranked(question, min(most, MOST))[3]
        owner, at = opened.table.points_of(ranked.numbers)
        columns = (ranked.numbers[owner], at, ranked.scores[owner])
        rows = zip(*(column[:most].tolist() for column in columns), strict=True)
        return tuple(
            Pin(number, opened.table.point(spot), round(score, 4)) for number, spot, score in rows
        )

    def hit(self, number: int) -> Hit:
        """A page by its number, as a pin has it."""
        opened = self._opened
        found = opened.page_at(number)
        if not len(found.numbers):
            raise InputError(f"the index has no page {number} any more", "Search again")
        extracts = Extracts(opened.searcher, opened.schema, None)
        ones = np.ones(1)
        ranked = Ranked(found.numbers, found.addresses, ones, ones, ones, np.zeros(1, np.int64), 1)
        return Hits(self._gazetteer, self._ties, opened, extracts, Wanted()).of(ranked, 0, None)

    def near(self, url: str, limit: int = 10) -> Nearby:
        """Pages near a page of the index: in space and in the hierarchy (SPEC 4)."""
        return nearby(self._opened, self._gazetteer, url, limit)

    # --- steps -------------------------------------------------------------------------------------------

    def _understood(self, question: Question) -> Understood:
        whole = structs.replace(
            question, limit=0, offset=0
        )  # what is meant does not depend on how much is shown
        if self._last is None or self._last[0] != whole:
            self._last = whole, self._understand(whole)
        return self._last[1]

    def _understand(self, question: Question) -> Understood:
        asked = " ".join(question.text[:MOST_LETTERS].split())
        if not asked and question.place is None and question.box is None and question.here is None:
            raise InputError("nothing was asked", 'Say what and where: "pizza in lisbon"')
        if not asked and not question.place:
            chosen = Chosen(
                "", Chooser(self._opened, self._splitter, self._gazetteer).here(question.here)
            )
        else:
            chosen = Chooser(self._opened, self._splitter, self._gazetteer).choose(
                asked, question.here, question.place
            )
        words = self._opened.words
        wanted = words.wanted(chosen.what)
        place = chosen.where.place if chosen.where else None
        others = self._namesakes(place) if place else ()
        if wanted.words or wanted.missing:
            query = words.query(wanted, every=True) if not wanted.missing else words.nothing()
            return chosen, wanted, Sought(query, True, others)
        if chosen.what and not place:  # signs only, or a word longer than any
            return chosen, wanted, Sought(words.nothing())
        name = words.wanted(place.name) if place else Wanted()
        return (
            chosen,
            wanted,
            Sought(words.query(name, every=True) if name.words else None, False, others),
        )

    def _namesakes(self, place: Meant) -> tuple[int, ...]:
        gazetteer = self._gazetteer
        rows = gazetteer.rows_named(place.name)
        inside = (gazetteer.lineage[rows] == gazetteer.row(place.id)).any(axis=1)
        return tuple(one for one in gazetteer.ids[rows[~inside]].tolist() if one != place.id)

    def _ranked(self, question: Question, enough: int) -> tuple[Chosen, Wanted, Sought, Ranked]:
        """Pages with all words; where those are few, pages with any. Hits, pins and facets are of the same pages."""
        opened = self._opened
        chosen, wanted, sought = self._understood(question)
        ranked = rank(opened, sought, chosen.where, question.box, max(enough, FEW))
        if len(ranked.numbers) >= FEW or not _several(wanted):
            return chosen, wanted, sought, ranked
        some = Sought(opened.words.query(wanted, every=False), True, sought.namesakes, some=True)
        wider = rank(opened, some, chosen.where, question.box, max(enough, FEW))
        if len(wider.numbers) == len(ranked.numbers):
            return chosen, wanted, sought, ranked
        return chosen, wanted, some, wider


def _several(wanted: Wanted) -> bool:
    return len(wanted.words) + len(wanted.missing) > 1 and bool(wanted.words)


def _note(wanted: Wanted, sought: Sought) -> str:
    if wanted.missing:
        return "no page has " + ", ".join(f'"{word}"' for word in wanted.missing)
    return "few pages have all words: some of these have only some" if sought.some else ""
