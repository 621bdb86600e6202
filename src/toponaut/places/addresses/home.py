"""Which town a street belongs to when the address does not say: the town under whose heading it stands, else the
page's own.

Votes for the page's own town come from its other addresses, its title and its headings; only where none of these
names a town, from the text as a whole.
"""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from toponaut.places.addresses.candidate import Candidate
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.names.finder import NameFinder
from toponaut.records import Kind, Mention, Page, Place

_TITLE, _HEADING, _ADDRESS, _TEXT = 3.0, 2.0, 2.0, 0.5  # votes of one naming
_LONGEST_HEADING = 120
_MOST_HEADINGS = 200
_TEXT_READ = 20_000  # characters of the text that are asked for towns
_LONGEST_TOWN = 32
_FEW, _LONG, _LARGE = (
    20,
    5,
    10_000,
)  # doubtful names: so many looked at, of so many letters, of towns of so many people
_SMALLEST = 1000  # people of a town named by nothing but its place before a street
_SEPARATORS = re.compile(r"[\n\t|•·]|\s[–—-]\s")
_APART = "\n\n"  # between headings: names in single lines below each other would be read as a list
_SURE = 0.3  # a mention below this confidence does not vote


class Home(Struct, frozen=True):
    """A town that addresses may be completed with."""

    city: str
    state: str  # as a code; "" where the country writes none
    country: str
    place: int


class Homes:
    """The towns of one page. Nothing is read before somebody asks."""

    def __init__(
        self,
        page: Page,
        gazetteer: Gazetteer,
        names: NameFinder,
        complete: Iterable[Candidate],
        mentions: Sequence[Mention] | None = None,
    ) -> None:
        self._page = page
        self._gazetteer = gazetteer
        self._names = names
        self._mentions = mentions
        # A town alone does not vote: whether it is one of the page is the question.
        self._complete = [
            one for one in complete if one.place and one.city and (one.state or one.postcode)
        ]

    def at(self, position: int, country: str) -> Home | None:
        """The town for a street at that position of the text."""
        beside = self._beside(position, country)
        if beside is not None:
            return beside
        headed = self._headings
        index = bisect_right(headed, position, key=lambda pair: pair[0]) - 1
        while index >= 0:
            home = headed[index][1]
            if home.country == country:
                return home
            index -= 1
        return self.of_page(country)

    def _beside(self, position: int, country: str) -> Home | None:
        """The town that stands alone in the line or cell before: "Troy | 12 Elm St"."""
        stretch = self._page.text[max(0, position - _LONGEST_HEADING) : position]
        cells = _SEPARATORS.split(stretch.rstrip("\n\t :–—-|•·"))
        name = cells[-1].strip(" ,:") if cells else ""
        if (
            not name[:1].isupper()
            or len(name) > _LONGEST_TOWN
            or len(stretch.rstrip()) == len(stretch)
        ):
            return None
        for row in self._gazetteer.rows_named(name)[:1].tolist():
            place = self._gazetteer.place_at(row)
            if place.country == country and place.kind in _TOWNS and place.population >= _SMALLEST:
                return self._home(place)
        return None

    def of_page(self, country: str) -> Home | None:
        homes = self._ranked if country == "US" else [*self._ranked, *self._doubtful]
        return next((home for home in homes if home.country == country), None)

    @property
    def is_elsewhere(self) -> bool:
        """Whether the page's own town is known and not in the United States."""
        return bool(self._ranked) and all(home.country != "US" for home in self._ranked)

    @cached_property
    def states(self) -> list[str]:
        """States named in title and headings or held by the page's towns, the likelier first."""
        named = [
            place.admin1
            for place in map(self._place, self._title_mentions)
            if place.kind is Kind.STATE
        ]
        headed = [place.admin1 for place, _ in self._heading_places if place.kind is Kind.STATE]
        return list(dict.fromkeys([*named, *headed, *(home.state for home in self._ranked)]))

    # --- what the page says ------------------------------------------------------------------------------

    @cached_property
    def _title_mentions(self) -> list[Mention]:
        return self._names.find(_APART.join((self._page.title, self._page.description))[:1000])

    @cached_property
    def _heading_places(self) -> list[tuple[Place, int]]:
        """Places named in headings and in bold lines, and where."""
        text = self._page.text
        marks = [
            m for m in self._page.marks if m.tag[0] in "hb" and m.end - m.start <= _LONGEST_HEADING
        ][:_MOST_HEADINGS]
        joined = _APART.join(text[mark.start : mark.end].replace("\n", " ") for mark in marks)
        starts, at = [], 0
        for mark in marks:
            starts.append(at)
            at += mark.end - mark.start + len(_APART)
        return [
            (self._place(mention), marks[bisect_right(starts, mention.start) - 1].start)
            for mention in self._names.find(joined)
            if mention.confidence >= _SURE
        ]

    @cached_property
    def _headings(self) -> list[tuple[int, Home]]:
        """Headings that name a town, in order."""
        return [
            (start, self._home(place))
            for place, start in self._heading_places
            if place.kind in _TOWNS
        ]

    @cached_property
    def _ranked(self) -> list[Home]:
        votes: defaultdict[int, float] = defaultdict(float)
        for candidate in self._complete:
            votes[candidate.place] += _ADDRESS
        for mention in self._title_mentions:
            votes[mention.place] += _TITLE
        for place, _ in self._heading_places:
            votes[place.id] += _HEADING
        homes = self._towns(votes)
        if homes:
            return homes
        mentions = self._mentions
        if mentions is None:
            mentions = self._names.find(self._page.text[:_TEXT_READ])
        return self._towns(Counter(one.place for one in mentions if one.confidence >= _SURE))

    @cached_property
    def _doubtful(self) -> list[Home]:
        """Towns whose names stand in title or headings and may be other words ("Gewerbeverein Tuttlingen").

        For the United States these would do harm: half the words of a title are towns there.
        """
        text = self._page.text
        headings = [text[mark.start : mark.end] for mark in self._page.marks if mark.tag[0] == "h"][
            :_FEW
        ]
        words = [
            word.strip(".,:;!?()\"'")
            for word in " ".join([self._page.title, *headings])[:1000].split()
        ]
        names = [word for word in words if word[:1].isupper() and len(word) >= _LONG][:_FEW]
        rows = [int(row) for name in names for row in self._gazetteer.rows_named(name)[:1]]
        places = [self._gazetteer.place_at(row) for row in rows]
        return [
            self._home(place)
            for place in places
            if place.kind in _TOWNS and place.population >= _LARGE
        ]

    def _towns(self, votes: Mapping[int, float]) -> list[Home]:
        """The towns among places, those with more votes first."""
        places = (
            self._gazetteer.place(place) for place in sorted(votes, key=lambda place: -votes[place])
        )
        return [self._home(place) for place in places if place.kind in _TOWNS]

    def _place(self, mention: Mention) -> Place:
        return self._gazetteer.place(mention.place)

    def _home(self, place: Place) -> Home:
        state = place.admin1 if place.country in _STATED else ""
        return Home(place.name, state, place.country, place.id)


_TOWNS = frozenset({Kind.CITY, Kind.NEIGHBOURHOOD})
_STATED = frozenset({"US"})
