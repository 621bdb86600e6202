"""Is this capitalised word a place name here?

A gazetteer of the world holds "Of", "Reading", "Mobile", "Orange" and half of all surnames. Whether a word that
could be a place is one is decided by adding up evidence, each piece with a weight in log-odds: what kind of name it
is, what stands right before and after it ("in Paris", "Paris Hilton", "Mr. Houston", "Houston Street"), and how the
same word is used elsewhere in the document ("mobile" in lower case; "Mark Houston" earlier on). The weights follow
from one rule of thumb, that the bare capitalised name of a town stands at even odds, and were checked on
bench/toponyms, not fitted to it. All of them stand in this file; the words they speak of are in cues.py.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toponaut.places.cues import BIT, GROUPS
from toponaut.places.gazetteer import ALIAS, KINDS, Gazetteer
from toponaut.places.nametable import Matches
from toponaut.places.tokens import Bools, Hashes, Index, Ints, Tokens
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
FUNCTION_CLASS = 9  # of tables/words: closed-class words


class Words(NamedTuple):
    """Some tokens of a text and what is known of them as words."""

    upper: Bools
    cues: NDArray[np.int64]  # bits of cues.py
    common: NDArray[np.int8]  # classes of tables/words, 0 for never
    given: NDArray[np.int8]
    surname: NDArray[np.int8]

    def is_(self, *groups: str) -> Bools:
        return np.asarray((self.cues & _mask(groups)) != 0)


@cache
def _mask(groups: tuple[str, ...]) -> int:
    return sum(BIT[group] for group in groups)


class Doubts:
    """Weighs the matches of a document. Built once per gazetteer; holds only tables."""

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

    def plausible(self, tokens: Tokens, found: Matches) -> Matches:
        """The matches that some evidence could still make a place; "Many" at the beginning of a sentence is none.

        A quick look that spares the long one: a third of all matches go, half of them in plain prose.
        """
        (own,) = self._words_at(tokens, found.first)
        attached = _attached(tokens, found.first)
        after = np.minimum(found.last + 1, len(tokens.start) - 1)
        listed = tokens.comma[found.last] | (tokens.line[after] > tokens.line[found.last])
        listed |= tokens.end[after] - tokens.start[after] <= 3  # perhaps "and"
        best = self._of_names(tokens, found, own, found.first == found.last, self._best(found))
        best += np.where(attached, AFTER_LOCATIVE, OPENS_SENTENCE * (own.common > 0)) + 2 * LISTED * listed
        beside = tokens.comma[found.last] | (tokens.joined[found.last] & tokens.upper[after])  # its state may follow
        kept = (best > HOPELESS) | beside
        return Matches(found.first[kept], found.last[kept], found.name[kept])

    def weigh(self, tokens: Tokens, found: Matches, explicit: Bools) -> Floats:
        """Log-odds that each match is a place name."""
        single = found.first == found.last
        before, after = neighbours(tokens, found)
        opens = (before >= 0) & ~_attached(tokens, before)  # the word before opens its sentence
        further = np.where(opens | (before < 0), -1, before - 1)
        own, prior, earlier, later, middle = self._words_at(tokens, found.first, before, further, after, found.last + 1)
        weight = self._case_counts(tokens)[tokens.line[found.first]]
        best = self._best(found)
        level = self.gazetteer.levels[best]
        person = self._is_person(prior)

        odds = self._of_names(tokens, found, own, single, best) + EXPLICIT * explicit
        odds += self._of_word_before(tokens, before, prior, earlier, opens, person, weight)
        odds += self._of_word_after(later, own, single, weight) * ~explicit
        odds += IN_COMPOUND * (self._in_compound(tokens, found, before, after) & ~explicit)
        sure = explicit | prior.is_("locative", "area")
        small = self.gazetteer.prior[best] < SMALL
        odds += CAPITALS_EVERYWHERE * (1 - weight) * (single & small & ~sure)
        odds += OPENS_SENTENCE * ((before < 0) & single & (own.common > 0))
        odds += THE_ALONE * (prior.is_("the") & (after < 0) & (level > KINDS.index(Kind.COUNTRY)) & ~explicit)
        odds += LOWER_CASE_ELSEWHERE * (single & ~sure & self._in_lower_case(tokens, tokens.hash[found.first]))
        if (persons := found.name[single & person]).size:
            odds += PERSON_ELSEWHERE * (np.isin(found.name, persons) & ~sure)
        listed = odds + LISTED * self._believed_beside(tokens, found, middle, odds)
        # Once more: belief passes on along a list.
        return odds + LISTED * self._believed_beside(tokens, found, middle, listed)

    # --- kinds of evidence -------------------------------------------------------------------------------

    def _of_names(self, tokens: Tokens, found: Matches, own: Words, single: Bools, best: Ints) -> Floats:
        names, gazetteer = self.gazetteer.names, self.gazetteer
        quality = names.posting_quality[names.posting_start[found.name]]
        level = gazetteer.levels[best]
        odds = np.where(single, BARE, BARE + SEVERAL_WORDS)
        odds += np.clip(SIZE * (gazetteer.prior[best] - SIZE_FROM), SIZE_LEAST, SIZE_MOST)
        small = (level == KINDS.index(Kind.STATE)) & (gazetteer.prior[best] < HALF_A_MILLION)
        odds += np.where(small, SMALL_STATE, COUNTRY_OR_STATE) * (level <= KINDS.index(Kind.STATE))
        odds += COUNTY * (level == KINDS.index(Kind.COUNTY))
        odds += WEAKLY_NAMED * (quality < ALIAS)
        odds += FUNCTION_WORD * (single & (own.common == FUNCTION_CLASS))
        odds += (COMMON_WORD + PER_CLASS * own.common) * (single & (own.common > 0) & (own.common < FUNCTION_CLASS))
        odds += GIVEN_NAME * (single & (own.given > 0)) + SURNAME * (single & (own.surname > 0))
        odds += PEOPLE * (single & own.is_("people"))
        odds += SHORT * (tokens.end[found.last] - tokens.start[found.first] <= 3)
        odds += ENDS_IN_LOWER_CASE * ~tokens.upper[found.last]
        return odds

    @staticmethod
    def _of_word_before(
        tokens: Tokens, before: Index, word: Words, further: Words, opens: Bools, person: Bools, weight: Floats
    ) -> Floats:
        stop = tokens.start[before + 1] - tokens.end[before] == 2  # "J. Houston"
        initial = word.upper & (tokens.end[before] - tokens.start[before] == 1) & stop
        institution = word.is_("of") & ((further.is_("institution") & further.upper) | further.is_("named_after"))
        born = word.upper & ~opens | further.upper & (further.given > 0) & (further.common < FUNCTION_CLASS)
        person = person | (word.is_("noble") & born)  # "Jan van Delft"
        neutral = (
            word.is_("locative", "of", "area", "the") | (word.common == FUNCTION_CLASS) | (opens & (word.common > 0))
        )
        named_after = word.is_("named_after") & (word.upper | ~word.is_("locative"))  # "Via Roma", but "via Verona"
        odds = AFTER_LOCATIVE * word.is_("locative") + AFTER_AREA * word.is_("area")
        odds += (
            AFTER_OF * (word.is_("of") & ~institution)
            + AFTER_INSTITUTION * institution
            + AFTER_NAMED_AFTER * named_after
        )
        odds += np.where(word.given > 0, AFTER_GIVEN, AFTER_PERSON_WORD) * person + AFTER_INITIAL * (initial & ~person)
        odds += AFTER_CAPITAL * (word.upper & ~person & ~initial & ~neutral & ~named_after) * weight
        return np.asarray(odds)

    @staticmethod
    def _of_word_after(word: Words, own: Words, single: Bools, weight: Floats) -> Floats:
        street = word.is_("street") & word.upper
        organisation = word.is_("organisation") & word.upper & ~street
        role = word.is_("role") & word.upper
        other = word.upper & ~street & ~organisation & ~role & (word.common < FUNCTION_CLASS)
        odds = BEFORE_STREET * street + BEFORE_ORGANISATION * organisation + BEFORE_ROLE * role
        odds += BEFORE_WARE * (word.is_("ware") & ~word.upper)
        odds += BEFORE_SPEECH * (word.is_("speech") & single & (own.surname > 0))
        odds += BEFORE_CAPITAL * other * weight
        # "Paris Hilton"; "Jordan Pickford" has a surname too rare for the table
        odds += BEFORE_SURNAME * np.where(word.surname > 0, 1.0, 0.5) * (other & single & (own.given > 0))
        return np.asarray(odds)

    @staticmethod
    def _believed_beside(tokens: Tokens, found: Matches, middle: Words, odds: Floats) -> Floats:
        """How many believed names (0, 1, 2) stand beside each in a list: parted by a comma, a bar, a line end, "and"."""
        between = found.first[1:] - found.last[:-1] - 1  # tokens between one match and the next
        gap = tokens.start[found.first[1:]] - tokens.end[found.last[:-1]]
        comma = (between == 0) & tokens.comma[found.last[:-1]] & (gap <= 3)
        lines = (between == 0) & (gap == 1) & (tokens.line[found.first[1:]] > tokens.line[found.last[:-1]])
        listed = comma | lines | ((between == 1) & middle.is_("and")[:-1])
        beside = np.zeros(len(odds))
        beside[1:] += listed & (odds[:-1] > BELIEVED)
        beside[:-1] += listed & (odds[1:] > BELIEVED)
        return beside

    # --- helpers -----------------------------------------------------------------------------------------

    def classes(self, hashes: Hashes) -> NDArray[np.int8]:
        """How common words are as a word, a given name and a surname: rows of three classes, 0 for never."""
        k = np.minimum(np.searchsorted(self._words, hashes), len(self._words) - 1)
        return np.asarray(self._classes[k] * (self._words[k] == hashes)[:, None])

    def _words_at(self, tokens: Tokens, *places: Index) -> Iterator[Words]:
        """What is known of the tokens at some places (-1: none there), looked up all at once."""
        at = np.concatenate(places)
        here = (at >= 0) & (at < len(tokens.hash))
        at = np.where(here, at, 0)
        hashes = tokens.hash[at]
        classes = self.classes(hashes) * here[:, None]
        k = np.minimum(np.searchsorted(self._cues, hashes), len(self._cues) - 1)
        cues = np.where((self._cues[k] == hashes) & here, self._bits[k], 0)
        upper = tokens.upper[at] & here
        size = len(places[0])
        for part in (slice(k * size, (k + 1) * size) for k in range(len(places))):
            yield Words(upper[part], cues[part], *classes[part].T)

    def _best(self, found: Matches) -> Ints:
        """The row that each name most likely means: the first of its postings."""
        names = self.gazetteer.names
        return names.posting_row[names.posting_start[found.name]]

    @staticmethod
    def _in_compound(tokens: Tokens, found: Matches, before: Index, after: Index) -> Bools:
        """Whether a hyphen ties the name to a capitalised word that is no name itself."""
        left = (before >= 0) & tokens.hyphened[before] & tokens.upper[before]
        right = (after >= 0) & tokens.hyphened[found.last] & tokens.upper[after]
        tied = left | right
        if tied.any():
            tied &= ~(left & np.isin(before, found.last)) & ~(right & np.isin(after, found.first))
        return tied

    @staticmethod
    def _is_person(word: Words) -> Bools:
        """Whether a word before a name makes it a person's: a title, a trade, a given name."""
        given = word.upper & (word.given > 0) & (word.common < FUNCTION_CLASS) & ~word.is_("area", "locative")
        return word.is_("trade") | (word.is_("title") & word.upper) | given

    @staticmethod
    def _case_counts(tokens: Tokens) -> Floats:
        """For each line how much a capital says in it: all in running text, little where most words have one.

        English prose capitalises 10 to 20 % of its words, German about 35 %, a heading in title case 70 % and more.
        """
        if not len(tokens.line):
            return np.ones(1)
        share = np.bincount(tokens.line, weights=tokens.upper) / np.maximum(np.bincount(tokens.line), 3)
        return np.interp(share, (PLAIN_SHARE, TITLED_SHARE), (1.0, IN_TITLE_CASE))

    @staticmethod
    def _in_lower_case(tokens: Tokens, hashes: Hashes) -> Bools:
        """Whether a token stands in the text in lower case too. A bitmap first: most do not."""
        lower = tokens.hash[~tokens.upper]
        bitmap = np.zeros(1 << 16, np.bool_)
        bitmap[lower >> np.uint64(48)] = True
        maybe = bitmap[hashes >> np.uint64(48)]
        maybe[maybe] = (hashes[maybe][:, None] == lower).any(axis=1)
        return np.asarray(maybe)


def _attached(tokens: Tokens, at: Index) -> Bools:
    """Whether a token continues the words before it, rather than opening a line or a sentence."""
    before = np.maximum(at - 1, 0)
    return np.asarray((at > 0) & tokens.joined[before] & (tokens.line[before] == tokens.line[at]))


def neighbours(tokens: Tokens, found: Matches) -> tuple[Index, Index]:
    """The tokens right before and after each match on its line, with nothing but a space between; -1 for none."""
    before = np.where(_attached(tokens, found.first), found.first - 1, -1)
    after = np.minimum(found.last + 1, len(tokens.start) - 1)
    follows = tokens.joined[found.last] & (tokens.line[after] == tokens.line[found.last]) & (after > found.last)
    return before, np.where(follows, after, -1)
