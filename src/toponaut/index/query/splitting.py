"""What and where: a query taken apart by its wording and the gazetteer alone.

    "pizza in lisbon"  ->  what "pizza", joint "in", where "lisbon"

A query has neither sentences nor, mostly, capitals; nothing marks a name as one. So every run of words that is some place's
name is a *split* of the query, with what speaks for it:

    SAID      a word before it says so ("in", "near", "5 km from"), or its state or country behind it ("lisbon ohio")
    NAMED     it stands there bare, and is no word of everyday use ("athens public schools")
    PERHAPS   it is such a word as well ("reading glasses", "mobile phone repair"), or part of another name ("houston street")

Which split is meant, and which of the places of that name, is decided with the index at hand (choosing.py). The rules for bare
names are those for URLs (places/url_names.py), which have no sentences and capitals either.

Whatever is asked, the words of `what`, `joint` and `where` together are the words of the query.
"""

import re
from collections.abc import Iterable
from enum import IntEnum
from urllib.parse import quote

import numpy as np
from msgspec import Struct

from toponaut.index.query.joints import (
    HERE,
    IN,
    LINKED,
    LINKS,
    NO_NAMES,
    POSTCODE,
    WITHIN,
    WORDY,
    Joint,
    Manner,
    Query,
    joined,
    joint_of,
    km_of,
    word_at,
)
from toponaut.places.addresses.finder import AddressFinder
from toponaut.places.gazetteer.gazetteer import ALIAS, CODE, JOINED, KINDS, WEAK
from toponaut.places.names.finder import NameFinder
from toponaut.places.names.name_table import Matches, longest, run_hash
from toponaut.places.names.tokens import Ints
from toponaut.places.names.url_names import LONGER, by_size
from toponaut.records import Kind, Page

MOST_LETTERS = 400  # of a query; nobody types more, and a program that sends more means no good
_COUNTY = KINDS.index(Kind.COUNTY)
_AREA_WORDS = 3  # of a state or country: "district of columbia"


class Wording(IntEnum):
    """How much the wording says that a name is a place."""

    PERHAPS = 0
    NAMED = 1
    SAID = 2


class Split(Struct, frozen=True):
    """One way to read a query."""

    what: str
    joint: str = ""  # the words that tie the two: "in", "within 5 km of"
    where: str = ""
    name: str = ""  # of `where` the place's own name, without its state and without a street
    rows: tuple[int, ...] = ()  # of the gazetteer: what bears the name, likeliest first
    wording: Wording = Wording.PERHAPS
    manner: Manner = Manner.IN
    radius_km: float | None = None
    street: str = ""  # "100 milam street"
    here: bool = False  # where the asker is
    settled: bool = False  # a state or country says which place it is


class Splitter:
    """Takes queries apart. Holds tables only: the same query gives the same splits."""

    def __init__(self, names: NameFinder) -> None:
        self._names, self._gazetteer = names, names.gazetteer
        self._finder = AddressFinder(names.gazetteer, names)

    def splits(self, text: str) -> list[Split]:
        """All ways to read a query, best wording first; the last has no place."""
        text = " ".join(text[:MOST_LETTERS].split())
        plain = Split(text)
        here = HERE.search(text)
        if here:
            return [_at_here(text, here), plain]
        query = self._read(text)
        found = [*self._places(query), *self._addresses(query)]
        found.sort(key=self._rank, reverse=True)
        return [*found, plain]

    def _rank(self, split: Split) -> tuple[int, bool, bool, int, float]:
        """Wording first, then a state beside it, then a street before it, names of several words, and larger places."""
        people = float(self._gazetteer.prior[split.rows[0]])
        return split.wording, split.settled, bool(split.street), len(split.name.split()), people

    def _read(self, text: str) -> Query:
        tokens = self._gazetteer.names.tokeniser.words(text)
        spans = tuple(zip(tokens.start.tolist(), tokens.end.tolist(), strict=True))
        return Query(text, tokens, tuple(text[start:end].lower() for start, end in spans), spans)

    def _addresses(self, query: Query) -> Iterable[Split]:
        """An address in it, in a place of the gazetteer: "pizza 100 milam street houston"."""
        if not any(word[0].isdigit() for word in query.words):
            return
        said = _as_written(query)
        for address in self._finder.find(Page("", text=said)):
            if not (
                address.place
                and address.street
                and address.start >= 0
                and len(said) == len(query.text)
            ):
                continue
            first = word_at(query, address.start)
            joint = joint_of(query, first) if first else Joint(first, first)
            start = query.spans[joint.begin][0]
            yield Split(
                what=joined(query.text[:start], query.text[address.end :]),
                joint=query.text[start : address.start].strip(" ,"),
                where=query.text[address.start : address.end],
                name=address.city,
                rows=(self._gazetteer.row(address.place),),
                wording=Wording.SAID,
                manner=Manner.NEAR if joint.radius_km is None else Manner.WITHIN,
                radius_km=joint.radius_km,
                street=f"{address.number} {address.street}".strip(),
                settled=True,
            )

    # --- names in it -------------------------------------------------------------------------------------

    def _places(self, query: Query) -> Iterable[Split]:
        if not query.words:
            return
        matches = self._gazetteer.names.scan(query.tokens, caseless=True)
        whole = [
            query.words[k] not in LINKED for k in matches.first.tolist()
        ]  # "city of austin": Austin, not a name
        matches = longest(Matches(*(column[whole] for column in matches)))
        columns = (matches.first.tolist(), matches.last.tolist(), matches.name.tolist())
        for first, last, index in zip(*columns, strict=True):
            if all(word in NO_NAMES for word in query.words[first : last + 1]):
                continue
            splits = [self._split(query, first, last, index)]
            if (
                last > first
            ):  # "denver co" is an alias of Denver County, but also Denver in Colorado
                shorter = int(
                    self._gazetteer.names.find(run_hash(query.tokens.hash[first:last]))[0]
                )
                splits.append(
                    self._split(query, first, last - 1, shorter) if shorter >= 0 else None
                )
                splits = [
                    split for k, split in enumerate(splits) if split and (not k or split.settled)
                ]
            yield from (split for split in splits if split)

    def _split(self, query: Query, first: int, last: int, index: int) -> Split | None:
        own, all_ = self._bearers(index)
        if not len(all_):
            return None
        inside, end = self._within(query, all_, last)
        ranked = own if len(own) else all_
        joint = joint_of(query, first)
        posted = (
            self._posted(query, first, inside if len(inside) else ranked)
            if joint.street == first
            else inside[:0]
        )
        street = first - 1 if len(posted) else joint.street
        begin = min(joint.begin, street)
        said = begin < first or len(inside) > 0
        wording = Wording.SAID if said else self._bare(query, first, last, index)
        start, stop = query.spans[street][0], query.spans[end][1]
        joint_start = query.spans[begin][0]
        return Split(
            what=joined(query.text[:joint_start], query.text[stop:]),
            joint=query.text[joint_start:start].strip(" ,"),
            where=query.text[start:stop],
            name=query.text[query.spans[first][0] : query.spans[last][1]],
            rows=tuple((posted if len(posted) else inside if len(inside) else ranked).tolist()),
            wording=wording,
            manner=joint.manner,
            radius_km=joint.radius_km,
            street=query.text[start : query.spans[first][0]].strip(" ,") if not len(posted) else "",
            settled=len(inside) + len(posted) > 0,
        )

    def _bearers(self, index: int) -> tuple[Ints, Ints]:
        """The places that bear a name, likeliest first: those it means by itself, and all that it means beside their state."""
        rows, quality = self._gazetteer.names.postings(index)
        used, known = quality >= ALIAS, (quality >= WEAK) | (quality == JOINED)
        by_itself, at_all = (
            by_size(self._gazetteer, rows[some], quality[some]) for some in (used, known)
        )
        return by_itself, at_all

    def _posted(self, query: Query, first: int, rows: Ints) -> Ints:
        """Those of some places that have the postcode right before their name: "26122 oldenburg"."""
        code = query.words[first - 1] if first else ""
        if not POSTCODE.fullmatch(code):
            return rows[:0]
        gazetteer = self._gazetteer
        found = [gazetteer.postcode(gazetteer.country(row), code) for row in rows.tolist()]
        towns = {area.place for area in found if area}
        return rows[np.isin(gazetteer.ids[rows], list(towns))]

    def _within(self, query: Query, rows: Ints, last: int) -> tuple[Ints, int]:
        """Those of some places that lie in the areas named right behind them, and the last word of those; or none."""
        inside, end = rows[:0], last
        while end + 1 < len(query.words):
            around, stop = self._area(query, end + 1, rows if end == last else inside)
            if not len(around):
                break
            inside, end = around, stop
        return inside, end

    def _area(self, query: Query, first: int, rows: Ints) -> tuple[Ints, int]:
        names, gazetteer = self._gazetteer.names, self._gazetteer
        for last in range(min(first + _AREA_WORDS, len(query.words)) - 1, first - 1, -1):
            index = int(names.find(run_hash(query.tokens.hash[first : last + 1]))[0])
            if index < 0:
                continue
            if (
                first == last
                and query.words[first] in WORDY
                and not self._stands_as_code(query, first)
            ):
                continue
            areas, quality = names.postings(index)
            areas = areas[
                (gazetteer.levels[areas] <= _COUNTY) & ((quality >= ALIAS) | (quality == CODE))
            ]
            inside = rows[
                (gazetteer.lineage[rows][:, :, None] == areas).any(axis=(1, 2))
                & ~np.isin(rows, areas)
            ]
            if len(inside):
                return inside, last
        return rows[:0], first

    def _stands_as_code(self, query: Query, word: int) -> bool:
        """Whether a word such as "or" is a state's code here."""
        start, end = query.spans[word]
        if (
            query.text[start:end].isupper()
            or query.comma_after(word - 1)
            or word + 1 == len(query.words)
        ):
            return True
        return query.words[word + 1] not in LINKS and not self._stands_alone(query.words[word + 1])

    def _bare(self, query: Query, first: int, last: int, index: int) -> Wording:
        """What a name is worth that nothing stands beside."""
        follows = query.words[last + 1] if last + 1 < len(query.words) else ""
        if follows in LONGER:
            return Wording.PERHAPS
        if last > first:
            return Wording.NAMED
        word = query.words[first]
        singular = word.removesuffix("s")
        if self._names.urls.is_word(index) or (singular != word and self._is_word(singular)):
            return Wording.PERHAPS
        return Wording.NAMED if self._stands_alone(word) else Wording.PERHAPS

    def _stands_alone(self, word: str) -> bool:
        """Whether a name is one in a URL, too, where no state stands beside it."""
        return bool(self._names.urls.names([f"https://x.example/{quote(word)}"])[0])

    def _is_word(self, word: str) -> bool:
        """Whether a word that is some name is a common word first. "tours" is a town and the plural of "tour"."""
        index = self._gazetteer.names.lookup(word)
        return index >= 0 and self._names.urls.is_word(index)


def _as_written(query: Query) -> str:
    """A query with the capitals that an address has on a page: "100 Milam Street Houston TX"."""
    text = query.text
    for word, (start, end) in zip(query.words, query.spans, strict=True):
        written = word.upper() if len(word) == 2 and word not in IN else word[:1].upper() + word[1:]
        text = text[:start] + written + text[end:]
    return text


def _at_here(text: str, found: re.Match[str]) -> Split:
    within = WITHIN.search(text)
    start = (
        min(found.start(), within.start())
        if within and within.end() >= found.start()
        else found.start()
    )
    radius = km_of(within["number"], within["unit"]) if within and start < found.start() else None
    return Split(
        what=joined(text[:start], text[found.end() :]),
        joint=text[start : found.start()].strip(),
        where=found[0],
        wording=Wording.SAID,
        manner=Manner.NEAR if radius is None else Manner.WITHIN,
        radius_km=radius,
        here=True,
    )
