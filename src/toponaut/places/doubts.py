"""Is this capitalised word a place name here?

A gazetteer of the world holds "Of", "Reading", "Mobile", "Orange" and half of all surnames. Whether a word that
could be a place is one is decided by adding up evidence, each piece with a weight in log-odds: what kind of name it
is, what stands right before and after it ("in Paris", "Paris Hilton", "Mr. Houston", "Houston Street"), and how the
same word is used elsewhere in the document ("mobile" in lower case; "Mark Houston" earlier on). The weights follow
from one rule of thumb, that the bare capitalised name of a town stands at even odds, and were checked on
bench/toponyms, not fitted to it. All of them stand in this file; the words they speak of are in cues.py.
"""

from collections.abc import Container
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toponaut.places.context import attached, neighbours
from toponaut.places.cues import BIT, GROUPS
from toponaut.places.gazetteer import ALIAS, KINDS, Gazetteer
from toponaut.places.nametable import Matches
from toponaut.places.tokens import Bools, Hashes, Index, Tokens
from toponaut.records import Kind

Floats = NDArray[np.float64]

HOPELESS = -2.5  # at or below these odds nothing helps; above, lying near believed places may (names.py)

# --- what the name itself is ---
BARE = 0.2  # a town's name, alone, in running text
SEVERAL_WORDS = 1.6  # "Fort Worth", "San Antonio": rarely anything else
COUNTRY_OR_STATE, SMALL_STATE, COUNTY = 2.2, 0.8, 2.5  # small: under half a million people, as Bay in Somalia
SIZE, SIZE_FROM, SIZE_LEAST, SIZE_MOST = 0.3, 9.9, -0.7, 1.6  # per unit of ln(population) above 20,000 people
WEAKLY_NAMED = -2.2  # an alias that names.py does not trust by itself
FUNCTION_WORD = -6.0  # "Of", "Die", "Las"
COMMON_WORD, PER_CLASS = -0.9, -0.22  # and so much more per class of frequency in tables/words
GIVEN_NAME, SURNAME = -0.9, -0.25
PEOPLE = -4.0  # "German", a town in Maryland
SHORT = -0.8  # three letters or fewer
ENDS_IN_LOWER_CASE = -8.0  # "West coast", "La ville": not the name but its words
# --- what stands beside it ---
EXPLICIT = 6.0  # its state or country follows: ", Texas"
AFTER_LOCATIVE, AFTER_OF, AFTER_AREA = 1.7, 0.5, 0.9
AFTER_PERSON_WORD, AFTER_GIVEN, AFTER_INITIAL, AFTER_CAPITAL = -6.0, -5.0, -3.0, -1.8
AFTER_NAMED_AFTER, AFTER_INSTITUTION = -6.0, -6.0
BEFORE_ROLE, BEFORE_STREET, BEFORE_ORGANISATION, BEFORE_WARE = 0.3, -10.0, -10.0, -8.0
BEFORE_CAPITAL, BEFORE_SURNAME, BEFORE_SPEECH = -3.2, -3.0, -1.1
IN_COMPOUND = -4.0  # "Nordwest-Zeitung", "Ouest-France"
THE_ALONE = -2.0  # "where the Ohio meets the Mississippi": rivers, ships, hotels
LISTED, BELIEVED = 1.5, 0.8  # "Corbin, Manchester and Somerset": for each name beside it that is believed
PLAIN_SHARE, TITLED_SHARE, IN_TITLE_CASE = 0.3, 0.6, 0.25  # see _case_counts
OPENS_SENTENCE = -1.0  # a common word there has its capital from the sentence
CAPITALS_EVERYWHERE = -1.0  # a small town's name where most words have capitals (German: "Kosten" is costs, and a town)
# --- how the document uses it elsewhere; not held against a name after "in" or "from" ---
LOWER_CASE_ELSEWHERE, PERSON_ELSEWHERE = -1.6, -2.6

SMALL, HALF_A_MILLION = 10.8, 13.1  # ln(50,000), ln(500,000)
_REMEMBERED = 100_000  # names, and as many words beside them
FUNCTION_CLASS = 9  # of tables/words: closed-class words

_LOCATIVE, _OF, _NOBLE, _AREA, _TITLE, _TRADE, _ROLE, _STREET, _NAMED_AFTER = (
    BIT[group] for group in ("locative", "of", "noble", "area", "title", "trade", "role", "street", "named_after")
)
_INSTITUTION, _PEOPLE, _THE, _AND, _ORGANISATION, _WARE, _SPEECH = (
    BIT[group] for group in ("institution", "people", "the", "and", "organisation", "ware", "speech")
)
_ALL_BUT_LAST = ~np.uint64(1)
_APART = np.uint64(0x9E3779B97F4A7C15)  # parts the words of documents: odd, and all its bytes differ
_COUNTRY, _STATE, _COUNTY = KINDS.index(Kind.COUNTRY), KINDS.index(Kind.STATE), KINDS.index(Kind.COUNTY)

_new = tuple.__new__  # makes a named tuple of a row in two thirds of the time that Word(*row) takes


class Word(NamedTuple):
    """A token beside a match, or its first one, and what is known of it as a word."""

    upper: bool = False
    cues: int = 0  # bits of cues.py
    common: int = 0  # classes of tables/words, 0 for never
    given: int = 0
    surname: int = 0
    length: int = 0


class Name(NamedTuple):
    """What a name is, the same in every text."""

    odds: float  # what it is worth by itself
    single: bool  # of one token
    level: int  # of the place that it most likely means
    small: bool  # that place is
    common: bool  # it is a common word, a given name, a surname, too
    given: bool
    surname: bool


class Site(NamedTuple):
    """A match and all that its evidence is read from."""

    key: int  # of its name in the table
    name: Name
    length: int
    ends_upper: bool
    capitals: float  # how much a capital says in its line, 0..1
    in_lower_case: bool  # its word stands in the document in lower case, too
    before: Word  # an empty one where no word stands right before or after
    further: Word  # the one before that
    after: Word
    opens: bool  # the word before opens its line or sentence, so that its capital says nothing
    stopped: bool  # a full stop parts it from the word before: "J. Houston"
    tied: bool  # a hyphen ties it to a capitalised word: "Nordwest-Zeitung"
    explicit: bool  # its state or country stands beside it


class Doubts:
    """Weighs the matches of a document. Built once per gazetteer; holds tables and a memory of names.

    What is known of the tokens is gathered by vector operations, the evidence is then read match by match: a page has
    a few dozen, and for so few a hundred small vector operations cost more than they save (measured: 0.4 ms for 2
    matches and 0.6 for 110, against 0.1 and 0.6 ms).
    """

    def __init__(self, gazetteer: Gazetteer, words: dict[str, NDArray[Any]]) -> None:
        self.gazetteer = gazetteer
        self._words: Hashes = words["word_hash"]
        self._classes: NDArray[np.int8] = words["word_class"]  # columns: common, given, surname
        tokeniser = gazetteer.names.tokeniser
        bits: dict[int, int] = {}
        for group, members in GROUPS.items():
            for value in tokeniser.words(members).hash.tolist():
                bits[value] = bits.get(value, 0) | BIT[group]
        self._cues = np.array(sorted(bits), np.uint64)
        self._bits = np.array([bits[value] for value in sorted(bits)], np.int64)
        self._known: dict[int, Name] = {}
        self._met: dict[int, Word] = {0: Word()}  # by hash, whose lowest bit says whether it begins with a capital

    def weigh(
        self, tokens: Tokens, found: Matches, explicit: Container[int], documents: Index | None = None
    ) -> list[float]:
        """Log-odds that each match is a place name. `explicit`: matches whose state or country stands beside them.
        `documents`: for each token the one it stands in, where the tokens are of several."""
        documents = np.zeros(len(tokens.start), np.int64) if documents is None else documents
        sites = self._sites(tokens, found, explicit, documents)
        odds = [_of_name(site) + _of_word_before(site) + _of_word_after(site) + _of_place(site) for site in sites]
        whose = documents[found.first].tolist()
        persons = {
            (document, site.key)
            for document, site in zip(whose, sites, strict=True)
            if site.name.single and _is_person(site.before)
        }
        if persons:
            for k, site in enumerate(sites):
                if (whose[k], site.key) in persons and not _is_sure(site):
                    odds[k] += PERSON_ELSEWHERE
        beside = self._listed(tokens, found)
        listed = _with_list(odds, beside, odds)
        return _with_list(odds, beside, listed)  # once more: belief passes on along a list

    def classes(self, hashes: Hashes) -> NDArray[np.int8]:
        """How common words are as a word, a given name and a surname: rows of three classes, 0 for never."""
        k = np.minimum(np.searchsorted(self._words, hashes), len(self._words) - 1)
        return np.asarray(self._classes[k] * (self._words[k] == hashes)[:, None])

    # --- gathering ---------------------------------------------------------------------------------------

    def names(self, tokens: Tokens, found: Matches) -> list[Name]:
        """What the name of each match is, whatever stands beside it."""
        indices, known = found.name.tolist(), self._known
        if not known.keys() >= set(indices):
            if len(known) > _REMEMBERED:
                known.clear()
            self._learn(tokens, found, np.array([k for k, index in enumerate(indices) if index not in known]))
        return [known[index] for index in indices]

    def _sites(self, tokens: Tokens, found: Matches, explicit: Container[int], documents: Index) -> list[Site]:
        before, after = neighbours(tokens, found)
        opens = ~attached(tokens, before)
        further = np.where(opens, -1, before - 1)
        words = self._words_at(tokens, np.concatenate([before, further, after]))
        count = len(found.first)
        columns = (
            tokens.end[found.last] - tokens.start[found.first], tokens.upper[found.last],
            self._case_counts(tokens)[tokens.line[found.first]], self._in_lower_case(tokens, found.first, documents),
        )  # fmt: skip
        beside = (
            opens,
            tokens.start[found.first] - tokens.end[found.first - 1] == 2,
            self._tied(tokens, found, before, after),
        )
        rows = zip(
            found.name.tolist(),
            self.names(tokens, found),
            *(column.tolist() for column in columns),
            *(words[part : part + count] for part in range(0, 3 * count, count)),
            *(column.tolist() for column in beside),
            [k in explicit for k in range(count)],
            strict=True,
        )
        return [_new(Site, row) for row in rows]

    def _learn(self, tokens: Tokens, found: Matches, which: Index) -> None:
        """Remember what some names are. It is read from the tables alone, so the memory changes no answer."""
        names, gazetteer = self.gazetteer.names, self.gazetteer
        index, first = found.name[which], found.first[which]
        posting = names.posting_start[index]  # the first of a name's postings is what it most likely means
        best = names.posting_row[posting]
        columns = (
            index,
            gazetteer.prior[best],
            names.posting_quality[posting],
            gazetteer.levels[best],
            first == found.last[which],
        )
        rows = zip(*(column.tolist() for column in columns), self._words_at(tokens, first), strict=True)
        for name, size, quality, level, single, own in rows:
            worth = _worth(size, quality, level, own if single else None)
            self._known[name] = Name(worth, single, level, size < SMALL, own.common > 0, own.given > 0, own.surname > 0)

    def _words_at(self, tokens: Tokens, at: Index) -> list[Word]:
        """What is known of the tokens at some places (-1: none there, an empty word).

        The words beside names are few: to remember them takes a third of the time of looking them up again.
        """
        keys = ((tokens.hash_at(at) & _ALL_BUT_LAST | tokens.upper[at]) * (at >= 0)).tolist()
        met = self._met
        if new := [k for k, key in enumerate(keys) if key not in met]:
            if len(met) > _REMEMBERED:
                met.clear()
                met[0] = Word()
                new = [k for k, key in enumerate(keys) if key]
            for k, word in zip(new, self._read(tokens, at[new]), strict=True):
                met[keys[k]] = word
        return [met[key] for key in keys]

    def _read(self, tokens: Tokens, at: Index) -> list[Word]:
        hashes = tokens.hash_at(at)
        k = np.minimum(np.searchsorted(self._cues, hashes), len(self._cues) - 1)
        cues = self._bits[k] * (self._cues[k] == hashes)
        length = tokens.end[at] - tokens.start[at]
        columns = (tokens.upper[at], cues, *self.classes(hashes).T, length)
        return [_new(Word, row) for row in zip(*(column.tolist() for column in columns), strict=True)]

    @staticmethod
    def _tied(tokens: Tokens, found: Matches, before: Index, after: Index) -> Bools:
        """Whether a hyphen ties each name to a capitalised word that is no name itself."""
        left, right = tokens.hyphened[before], tokens.hyphened[found.last]
        tied = left | right
        if tied.any():  # hyphens are rare
            left = left & (before >= 0) & tokens.upper[before]
            right = right & (after >= 0) & tokens.upper[after]
            tied = (left | right) & ~(left & np.isin(before, found.last)) & ~(right & np.isin(after, found.first))
        return np.asarray(tied)

    @staticmethod
    def _case_counts(tokens: Tokens) -> Floats:
        """For each line how much a capital says in it: all in running text, little where most words have one.

        The English news of bench/toponyms, dense with names, capitalises 29 % of its words, the German 46 %.
        """
        if not len(tokens.line):
            return np.ones(1)
        share = np.bincount(tokens.line, weights=tokens.upper) / np.maximum(np.bincount(tokens.line), 3)
        return np.interp(share, (PLAIN_SHARE, TITLED_SHARE), (1.0, IN_TITLE_CASE))

    @staticmethod
    def _in_lower_case(tokens: Tokens, at: Index, documents: Index) -> Bools:
        """Whether some tokens stand in their document in lower case too. A bitmap first: most do not."""
        words = tokens.hash + documents.view(np.uint64) * _APART
        lower, hashes = words[~tokens.upper], words[at]
        bitmap = np.zeros(1 << 16, np.bool_)
        bitmap[lower >> np.uint64(48)] = True
        maybe = bitmap[hashes >> np.uint64(48)]
        maybe[maybe] = (hashes[maybe][:, None] == lower).any(axis=1)
        return np.asarray(maybe)

    def _listed(self, tokens: Tokens, found: Matches) -> list[bool]:
        """Whether each match and the next stand in a list: parted by a comma, a bar, a line end, "and"."""
        last, first = found.last[:-1], found.first[1:]
        between = first - last - 1  # tokens between one match and the next
        gap = tokens.start[first] - tokens.end[last]
        comma = (between == 0) & tokens.comma[last] & (gap <= 3)
        lines = (between == 0) & (gap == 1) & (tokens.line[first] > tokens.line[last])
        listed: list[bool] = (comma | lines).tolist()
        parted = np.flatnonzero(between == 1)
        for k, word in zip(parted.tolist(), self._words_at(tokens, last[parted] + 1), strict=True):
            listed[k] = bool(word.cues & _AND)
        return listed


def _with_list(odds: list[float], beside: list[bool], believed: list[float]) -> list[float]:
    """The odds, raised for every name beside it in a list that is believed."""
    raised = list(odds)
    for k, listed in enumerate(beside):
        if listed:
            raised[k] += LISTED * (believed[k + 1] > BELIEVED)
            raised[k + 1] += LISTED * (believed[k] > BELIEVED)
    return raised


# --- kinds of evidence ---------------------------------------------------------------------------------------------


def _worth(size: float, quality: int, level: int, own: Word | None) -> float:
    """What a name is worth by itself. `own`: its word, if it is a single one."""
    odds = BARE + min(max(SIZE * (size - SIZE_FROM), SIZE_LEAST), SIZE_MOST)
    if level <= _STATE:
        odds += SMALL_STATE if level == _STATE and size < HALF_A_MILLION else COUNTRY_OR_STATE
    elif level == _COUNTY:
        odds += COUNTY
    if quality < ALIAS:
        odds += WEAKLY_NAMED
    if own is None:
        return odds + SEVERAL_WORDS
    if own.common:
        odds += FUNCTION_WORD if own.common == FUNCTION_CLASS else COMMON_WORD + PER_CLASS * own.common
    if own.cues & _PEOPLE:
        odds += PEOPLE
    return odds + GIVEN_NAME * (own.given > 0) + SURNAME * (own.surname > 0)


def _of_name(site: Site) -> float:
    return site.name.odds + SHORT * (site.length <= 3) + ENDS_IN_LOWER_CASE * (not site.ends_upper)


def _of_word_before(site: Site) -> float:
    word, further = site.before, site.further
    if not word.length:
        return OPENS_SENTENCE * (site.name.single and site.name.common)
    cues, odds = word.cues, 0.0
    if cues & _LOCATIVE:
        odds += AFTER_LOCATIVE
    if cues & _AREA:
        odds += AFTER_AREA
    if cues & _OF:
        named = further.cues & _NAMED_AFTER or (further.cues & _INSTITUTION and further.upper)
        odds += AFTER_INSTITUTION if named else AFTER_OF
    named_after = cues & _NAMED_AFTER and (word.upper or not cues & _LOCATIVE)  # "Via Roma", but "via Verona"
    if named_after:
        odds += AFTER_NAMED_AFTER
    born = (word.upper and not site.opens) or (further.upper and _is_given(further))
    person = _is_person(word) or (cues & _NOBLE and born)  # "Jan van Delft"
    initial = word.upper and word.length == 1 and site.stopped
    if person:
        odds += AFTER_GIVEN if word.given else AFTER_PERSON_WORD
    elif initial:
        odds += AFTER_INITIAL
    elif word.upper and not named_after and not _is_neutral(site):
        odds += AFTER_CAPITAL * site.capitals
    return odds


def _is_neutral(site: Site) -> bool:
    """Whether the capital of the word before a name says nothing: "The Houston man", "Visit Houston"."""
    word = site.before
    return bool(
        word.cues & (_LOCATIVE | _OF | _AREA | _THE) or word.common == FUNCTION_CLASS or (site.opens and word.common)
    )


def _of_word_after(site: Site) -> float:
    word, name = site.after, site.name
    if site.explicit or not word.length:
        return 0.0
    if not word.upper:
        odds = BEFORE_WARE if word.cues & _WARE else 0.0
    elif word.cues & _STREET:
        odds = BEFORE_STREET + BEFORE_ROLE * (word.cues & _ROLE > 0)
    elif word.cues & _ORGANISATION:
        odds = BEFORE_ORGANISATION + BEFORE_ROLE * (word.cues & _ROLE > 0)
    elif word.cues & _ROLE:
        odds = BEFORE_ROLE
    elif word.common < FUNCTION_CLASS:
        odds = BEFORE_CAPITAL * site.capitals
        if name.single and name.given:  # "Paris Hilton"; "Jordan Pickford" has a surname too rare for the table
            odds += BEFORE_SURNAME * (1.0 if word.surname else 0.5)
    else:
        odds = 0.0
    if word.cues & _SPEECH and name.single and name.surname:
        odds += BEFORE_SPEECH
    return odds


def _of_place(site: Site) -> float:
    """Where it stands in line and document, and whether its state stands beside it."""
    if site.explicit:
        return EXPLICIT
    odds = IN_COMPOUND if site.tied else 0.0
    if site.before.cues & _THE and not site.after.length and site.name.level > _COUNTRY:
        odds += THE_ALONE
    if site.name.single and not _is_sure(site):
        if site.name.small:
            odds += CAPITALS_EVERYWHERE * (1 - site.capitals)
        if site.in_lower_case:
            odds += LOWER_CASE_ELSEWHERE
    return odds


def _is_sure(site: Site) -> bool:
    """ "in Surprise": how the document uses the word elsewhere is not held against it."""
    return site.explicit or bool(site.before.cues & (_LOCATIVE | _AREA))


def _is_person(word: Word) -> bool:
    """Whether a word before a name makes it a person's: a title, a trade, a given name."""
    if word.cues & _TRADE or (word.upper and word.cues & _TITLE):
        return True
    return word.upper and _is_given(word) and not word.cues & (_AREA | _LOCATIVE)


def _is_given(word: Word) -> bool:
    return word.given > 0 and word.common < FUNCTION_CLASS
