"""The town of a street whose address leaves it out.

It is the town in the line before the street, else in the heading above it, else the page's own.
Votes for the page's own town come from its other addresses, its title and its headings; if none of
these names a town, from the whole text. Parts taken from the page are marked as inferred.
"""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from msgspec import Struct
from msgspec.structs import replace

from toponaut.places.addresses.us.towns import UsTowns
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.lazy_value import lazy_value
from toponaut.places.names.finder import NameFinder
from toponaut.records import Address, Kind, Mention, Page, Place

_TITLE, _HEADING, _ADDRESS = 3.0, 2.0, 2.0  # votes per mention
_LONGEST_HEADING = 120
_MOST_HEADINGS = 200
_TEXT_READ = 20_000  # characters of the text that are searched for towns
_LONGEST_TOWN = 32
# Doubtful names: how many are tried, their least length, and the least population of their towns.
_FEW, _LONG, _LARGE = 20, 5, 10_000
_SMALLEST = 1000  # least population of a town in the line before a street
_SEPARATORS = re.compile(r"[\n\t|•·]|\s[–—-]\s")
_SENTENCE_READ = 60  # characters before a street
_STATED_TOWN = re.compile(
    r"(?P<town>[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*){0,3}), (?P<state>[A-Z]{2})\b"
)
_APART = "\n\n"  # between headings: names in consecutive lines would be read as a list
_SURE = 0.3  # a mention below this confidence does not vote
_LARGEST_SHARE = 500  # Denver, Missouri, has 39 people: a page with "MO" hardly means it
_TOWNS = frozenset({Kind.CITY, Kind.NEIGHBOURHOOD})
_STATED = frozenset({"US"})  # countries whose addresses name the state
# Factors on the confidence of a street (the page names a town, or none), and of a guessed state.
_HEADED, _HOMELESS, _STATE_GUESSED = 1.3, 0.8, 0.95


class HomeTown(Struct, frozen=True):
    city: str
    state: str  # a code; "" if the country writes none
    country: str
    place: int


class HomeTowns:
    """The towns of one page, read on demand."""

    def __init__(
        self,
        page: Page,
        gazetteer: Gazetteer,
        names: NameFinder,
        complete: Iterable[Address],
        mentions: Sequence[Mention] | None = None,
    ) -> None:
        self._page = page
        self._gazetteer = gazetteer
        self._names = names
        self._mentions = mentions
        # A town without state or postcode does not vote: it may be somewhere else.
        self._complete = [
            one for one in complete if one.place and one.city and (one.state or one.postcode)
        ]

    def town_at(self, position: int, country: str) -> HomeTown | None:
        """The town for a street at that position of the text."""
        before = self._line_before(position, country)
        if before is not None:
            return before
        headed = self._headings
        index = bisect_right(headed, position, key=lambda pair: pair[0]) - 1
        while index >= 0:
            home = headed[index][1]
            if home.country == country:
                return home
            index -= 1
        return self.of_page(country)

    def stated_before(self, position: int, towns: UsTowns) -> HomeTown | None:
        """The town with its state in the sentence: "in our Troy, NY office at [12 Elm St]"."""
        before = self._page.text[max(0, position - _SENTENCE_READ) : position]
        for found in reversed(list(_STATED_TOWN.finditer(_SEPARATORS.split(before)[-1]))):
            words = found["town"].split()
            for k in range(len(words)):
                place = towns.place(" ".join(words[k:]), found["state"], "")
                if place:
                    return self._home(self._gazetteer.place(place))
        return None

    def _line_before(self, position: int, country: str) -> HomeTown | None:
        """The town that fills the line or cell before: "Troy | 12 Elm St"."""
        stretch = self._page.text[max(0, position - _LONGEST_HEADING) : position]
        cells = _SEPARATORS.split(stretch.rstrip("\n\t :–—-|•·"))
        name = cells[-1].strip(" ,:") if cells else ""
        if not name[:1].isupper() or len(name) > _LONGEST_TOWN:
            return None
        if len(stretch.rstrip()) == len(stretch):
            return None
        place = self._gazetteer.likeliest(name)
        if place is None or place.country != country or place.population < _SMALLEST:
            return None
        return self._home(place) if place.kind in _TOWNS else None

    def of_page(self, country: str) -> HomeTown | None:
        homes = self._ranked if country == "US" else [*self._ranked, *self._doubtful]
        return next((home for home in homes if home.country == country), None)

    @property
    def country(self) -> str:
        """The country of the page's own town; without one, by its language: US or unknown."""
        if self._ranked:
            return self._ranked[0].country
        return "US" if self._page.language in ("", "en", "es") else ""

    @property
    def is_elsewhere(self) -> bool:
        """Whether the page's own town is known and not in the United States."""
        return bool(self._ranked) and all(home.country != "US" for home in self._ranked)

    @lazy_value
    def states(self) -> list[str]:
        """States in title and headings, then those of the page's towns, the likelier first."""
        places = [self._gazetteer.place(mention.place) for mention in self._title_mentions]
        places += [place for place, _ in self._heading_places]
        named = [place.admin1 for place in places if place.kind is Kind.STATE]
        return list(dict.fromkeys([*named, *(home.state for home in self._ranked)]))

    @lazy_value
    def _title_mentions(self) -> list[Mention]:
        return self._names.find(_APART.join((self._page.title, self._page.description))[:1000])

    @lazy_value
    def _heading_places(self) -> list[tuple[Place, int]]:
        """Places named in headings and bold lines, with their positions."""
        text = self._page.text
        marks = [mark for mark in self._page.marks if mark.tag[0] in "hb"]
        marks = [mark for mark in marks if mark.end - mark.start <= _LONGEST_HEADING]
        marks = marks[:_MOST_HEADINGS]
        joined = _APART.join(text[mark.start : mark.end].replace("\n", " ") for mark in marks)
        lengths = (mark.end - mark.start + len(_APART) for mark in marks)
        starts = list(accumulate(lengths, initial=0))[:-1]
        return [
            (
                self._gazetteer.place(mention.place),
                marks[bisect_right(starts, mention.start) - 1].start,
            )
            for mention in self._names.find(joined)
            if mention.confidence >= _SURE
        ]

    @lazy_value
    def _headings(self) -> list[tuple[int, HomeTown]]:
        """Positions of headings that name a town, in order."""
        towns = [pair for pair in self._heading_places if pair[0].kind in _TOWNS]
        return [(start, self._home(place)) for place, start in towns]

    @lazy_value
    def _ranked(self) -> list[HomeTown]:
        votes: defaultdict[int, float] = defaultdict(float)
        for address in self._complete:
            votes[address.place] += _ADDRESS
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

    @lazy_value
    def _doubtful(self) -> list[HomeTown]:
        """Towns in title or headings whose names may be other words ("Gewerbeverein Tuttlingen").

        Not used for the United States: half the words of a title are towns there.
        """
        text = self._page.text
        marks = [mark for mark in self._page.marks if mark.tag[0] == "h"][:_FEW]
        lines = [self._page.title, *(text[mark.start : mark.end] for mark in marks)]
        words = [word.strip(".,:;!?()\"'") for word in " ".join(lines)[:1000].split()]
        names = [word for word in words if word[:1].isupper() and len(word) >= _LONG][:_FEW]
        places = [place for name in names if (place := self._gazetteer.likeliest(name))]
        towns = [place for place in places if place.kind in _TOWNS]
        return [self._home(place) for place in towns if place.population >= _LARGE]

    def _towns(self, votes: Mapping[int, float]) -> list[HomeTown]:
        """The towns among places by id, those with more votes first."""
        ranked = sorted(votes, key=lambda place: -votes[place])
        places = map(self._gazetteer.place, ranked)
        return [self._home(place) for place in places if place.kind in _TOWNS]

    def _home(self, place: Place) -> HomeTown:
        state = place.admin1 if place.country in _STATED else ""
        return HomeTown(place.name, state, place.country, place.id)


def complete(address: Address, homes: HomeTowns, towns: UsTowns) -> Address:
    """The address with the town and state that it leaves out."""
    if not address.city and not address.postcode:
        near = homes.stated_before(address.start, towns) if address.country == "US" else None
        return _with_town(address, near or homes.town_at(address.start, address.country))
    if address.country == "US" and not address.state:
        return _with_state(address, homes, towns)
    return address


def _with_town(address: Address, home: HomeTown | None) -> Address:
    if home is None:
        return replace(address, confidence=round(address.confidence * _HOMELESS, 3))
    parts = ("city", "state") if home.state else ("city",)
    return replace(
        address,
        city=home.city,
        state=home.state,
        place=home.place,
        inferred=(*address.inferred, *parts),
        confidence=round(address.confidence * _HEADED, 3),
    )


def _with_state(address: Address, homes: HomeTowns, towns: UsTowns) -> Address:
    """With the state of the town: one that the page names, else that of the largest such town."""
    named = towns.named(address.city)
    if not named:
        return address
    least = named[0].population / _LARGEST_SHARE
    likely = [town for town in named if town.population >= least]
    known = named[0].population >= _LARGE
    chosen = None
    if len(likely) > 1 or not known:  # what the page names takes time to find
        states = homes.states
        chosen = next((town for state in states for town in likely if town.state == state), None)
    if chosen is None and not known:
        own = homes.of_page("US")
        if own is not None and own.city != address.city:
            return _with_town(replace(address, city=""), own)  # a part of it: "in North Beach"
    chosen = chosen or named[0]
    return replace(
        address,
        state=chosen.state,
        place=chosen.place,
        inferred=(*address.inferred, "state"),
        confidence=round(address.confidence * _STATE_GUESSED, 3),
    )
