"""Is this capitalised word a place name here?

A gazetteer of the world holds "Of", "Reading", "Mobile", "Orange" and half of all surnames. Whether a word that
could be a place is one is decided by adding up evidence, each piece with a weight in log-odds: what kind of name it
is, what stands right before and after it ("in Paris", "Paris Hilton", "Mr. Houston", "Houston Street"), and how the
same word is used elsewhere in the document ("mobile" in lower case; "Mark Houston" earlier on). The weights follow
from one rule of thumb, that the bare capitalised name of a town stands at even odds, and were checked on
bench/toponyms, not fitted to it. All of them stand in this file; the words they speak of are in cues.py.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toponaut.places.cues import BIT, GROUPS
from toponaut.places.gazetteer import ALIAS, KINDS, Gazetteer
from toponaut.places.nametable import Matches
from toponaut.places.tokens import Bools, Hashes, Index, Tokens
from toponaut.records import Kind

Floats = NDArray[np.float64]

# --- what the name itself is ---
BARE = 0.2  # a town's name, alone, in running text
SEVERAL_WORDS = 1.6  # "Fort Worth", "San Antonio": rarely anything else
COUNTRY_OR_STATE, COUNTY = 2.2, 2.5
SIZE, SIZE_FROM, SIZE_LEAST, SIZE_MOST = 0.28, 9.9, -0.7, 1.3  # per unit of ln(population) above 20,000 people
WEAKLY_NAMED = -2.2  # an alias that names.py does not trust by itself
FUNCTION_WORD = -6.0  # "Of", "Die", "Las"
COMMON_WORD, PER_CLASS = -0.9, -0.22  # and so much more per class of frequency in tables/words
GIVEN_NAME, SURNAME = -0.9, -0.25
SHORT = -0.8  # three letters or fewer
# --- what stands beside it ---
EXPLICIT = 6.0  # its state or country follows: ", Texas"
AFTER_LOCATIVE, AFTER_OF, AFTER_AREA = 1.7, 0.5, 0.9
AFTER_PERSON_WORD, AFTER_GIVEN, AFTER_INITIAL, AFTER_CAPITAL = -3.6, -3.4, -2.6, -1.6
BEFORE_ROLE, BEFORE_STREET, BEFORE_ORGANISATION, BEFORE_WARE = 0.3, -4.5, -3.8, -3.0
BEFORE_CAPITAL, BEFORE_SURNAME, BEFORE_SPEECH = -1.5, -2.0, -1.1
IN_TITLE_CASE = 0.3  # where a whole line is capitalised, a capital neighbour says so much less
OPENS_SENTENCE = -1.0  # a common word there has its capital from the sentence
# --- how the document uses it elsewhere ---
LOWER_CASE_ELSEWHERE, PERSON_ELSEWHERE = -1.6, -2.6

FUNCTION_CLASS = 9  # of tables/words: closed-class words
TITLED_SHARE = 0.6  # of a line's words with capitals; running text has 0.1 to 0.3, headings 0.7 and more


@dataclass(frozen=True)
class Setting:
    """Where each match stands: the tokens around it and what is known of them (-1: no token there)."""

    before: Index
    after: Index
    explicit: Bools


class Doubts:
    """Weighs the matches of a document. Built once per gazetteer; holds only tables."""

    def __init__(self, gazetteer: Gazetteer, words: dict[str, NDArray[Any]]) -> None:
        self.gazetteer = gazetteer
        self._words: Hashes = words["word_hash"]
        self._classes: NDArray[np.int8] = words["word_class"]  # columns: common, given, surname
        tokeniser = gazetteer.names.tokeniser
        bits: dict[int, int] = {}
        for group, members in GROUPS.items():
            for value in tokeniser.tokens(tokeniser.codes(members)).hash.tolist():
                bits[value] = bits.get(value, 0) | BIT[group]
        self._cues = np.array(sorted(bits), np.uint64)
        self._bits = np.array([bits[value] for value in sorted(bits)], np.int64)

    def weigh(self, tokens: Tokens, found: Matches, explicit: Bools) -> Floats:
        """Log-odds that each match is a place name."""
        odds = self._of_names(tokens, found) + EXPLICIT * explicit
        odds += self._of_neighbours(tokens, found, explicit)
        return odds + self._of_document(tokens, found, explicit)

    # --- three kinds of evidence -------------------------------------------------------------------------

    def _of_names(self, tokens: Tokens, found: Matches) -> Floats:
        names, gazetteer = self.gazetteer.names, self.gazetteer
        best = names.posting_row[names.posting_start[found.name]]  # a name's postings: best quality, then largest
        quality = names.posting_quality[names.posting_start[found.name]]
        level = gazetteer.levels[best]
        common, given, surname = self.classes(tokens.hash[found.first]).T
        single = found.first == found.last
        odds = np.where(single, BARE, BARE + SEVERAL_WORDS)
        odds += np.clip(SIZE * (gazetteer.prior[best] - SIZE_FROM), SIZE_LEAST, SIZE_MOST)
        odds += COUNTRY_OR_STATE * (level <= KINDS.index(Kind.STATE)) + COUNTY * (level == KINDS.index(Kind.COUNTY))
        odds += WEAKLY_NAMED * (quality < ALIAS)
        odds += FUNCTION_WORD * (single & (common == FUNCTION_CLASS))
        odds += (COMMON_WORD + PER_CLASS * common) * (single & (common > 0) & (common < FUNCTION_CLASS))
        odds += GIVEN_NAME * (single & (given > 0)) + SURNAME * (single & (surname > 0))
        odds += SHORT * (tokens.end[found.last] - tokens.start[found.first] <= 3)
        return odds

    def _of_neighbours(self, tokens: Tokens, found: Matches, explicit: Bools) -> Floats:
        before, after = neighbours(tokens, found)
        titled = np.where(self._titled(tokens)[tokens.line[found.first]], IN_TITLE_CASE, 1.0)
        odds = np.zeros(len(found.first))

        here = before >= 0
        cue, upper = self._cue(tokens, before), tokens.upper[before] & here
        common, given, _ = (self.classes(tokens.hash[before]) * here[:, None]).T
        initial = upper & (tokens.end[before] - tokens.start[before] == 1)
        person = self._is(cue, "trade") | (self._is(cue, "title") & upper)
        opens = here & ~_attached(tokens, before)  # the word before opens its sentence, so its capital says nothing
        odds += AFTER_LOCATIVE * self._is(cue, "locative") + AFTER_OF * self._is(cue, "of") + AFTER_AREA * self._is(cue, "area")
        odds += AFTER_PERSON_WORD * person + AFTER_INITIAL * initial
        named = upper & (given > 0) & (common < FUNCTION_CLASS) & ~person & ~initial
        odds += AFTER_GIVEN * named * titled
        neutral = self._is(cue, "locative", "of", "area") | (common == FUNCTION_CLASS) | (opens & (common > 0))
        starts = np.isin(before, found.last)  # another place name stands there: "Houston Texas"
        odds += AFTER_CAPITAL * (upper & ~person & ~initial & ~named & ~neutral & ~starts) * titled
        own = self.classes(tokens.hash[found.first])
        odds += OPENS_SENTENCE * (~here & (found.first == found.last) & (own[:, 0] > 0))

        here = after >= 0
        cue, upper = self._cue(tokens, after), tokens.upper[after] & here
        common, _, surname = (self.classes(tokens.hash[after]) * here[:, None]).T
        street = self._is(cue, "street") & (upper | self._is(cue, "street")) & ~explicit
        organisation = self._is(cue, "organisation") & upper & ~explicit
        role = self._is(cue, "role") & upper
        odds += BEFORE_STREET * (street & upper) + BEFORE_ORGANISATION * (organisation & ~street) + BEFORE_ROLE * role
        odds += BEFORE_WARE * (self._is(cue, "ware") & ~upper)
        odds += BEFORE_SPEECH * (self._is(cue, "speech") & (own[:, 2] > 0) & (found.first == found.last))
        other = upper & ~street & ~organisation & ~role & (common < FUNCTION_CLASS) & ~np.isin(after, found.first)
        odds += BEFORE_CAPITAL * other * titled
        odds += BEFORE_SURNAME * (other & (surname > 0) & (own[:, 1] > 0))
        return odds

    def _of_document(self, tokens: Tokens, found: Matches, explicit: Bools) -> Floats:
        single = found.first == found.last
        lower = single & ~explicit & self._in_lower_case(tokens, tokens.hash[found.first])
        persons = self._persons(tokens, found)
        return LOWER_CASE_ELSEWHERE * lower + PERSON_ELSEWHERE * (np.isin(found.name, persons) & ~explicit)

    # --- helpers -----------------------------------------------------------------------------------------

    def classes(self, hashes: Hashes) -> NDArray[np.int8]:
        """How common a word is as a word, a given name and a surname: rows of three classes, 0 for never."""
        at = np.minimum(np.searchsorted(self._words, hashes), len(self._words) - 1)
        return self._classes[at] * (self._words[at] == hashes)[:, None]

    def _cue(self, tokens: Tokens, at: Index) -> NDArray[np.int64]:
        hashes = tokens.hash[at]
        k = np.minimum(np.searchsorted(self._cues, hashes), len(self._cues) - 1)
        return np.where((self._cues[k] == hashes) & (at >= 0), self._bits[k], 0)

    @staticmethod
    def _is(cue: NDArray[np.int64], *groups: str) -> Bools:
        return (cue & sum(BIT[group] for group in groups)) != 0

    @staticmethod
    def _titled(tokens: Tokens) -> Bools:
        """For each line whether most of its words have capitals."""
        if not len(tokens.line):
            return np.zeros(1, np.bool_)
        words = np.bincount(tokens.line)
        capitals = np.bincount(tokens.line, weights=tokens.upper)
        return np.asarray(capitals >= TITLED_SHARE * np.maximum(words, 3))

    @staticmethod
    def _in_lower_case(tokens: Tokens, hashes: Hashes) -> Bools:
        lower = np.zeros(1 << 16, np.bool_)
        lower[tokens.hash[~tokens.upper] >> np.uint64(48)] = True
        maybe = lower[hashes >> np.uint64(48)]
        if maybe.any():
            maybe[maybe] = np.isin(hashes[maybe], tokens.hash[~tokens.upper])
        return maybe

    def _persons(self, tokens: Tokens, found: Matches) -> Index:
        """Names that somewhere in the document are a person's: after a title, a given name or an initial."""
        before, _ = neighbours(tokens, found)
        here = (before >= 0) & tokens.upper[before]
        given = (self.classes(tokens.hash[before])[:, 1] > 0) & (self.classes(tokens.hash[before])[:, 0] < FUNCTION_CLASS)
        person = here & (given | self._is(self._cue(tokens, before), "title", "trade"))
        return found.name[person & (found.first == found.last)]


def _attached(tokens: Tokens, at: Index) -> Bools:
    """Whether a token continues the words before it, rather than opening a line or a sentence."""
    before = at - 1
    return (before >= 0) & tokens.joined[before] & (tokens.line[before] == tokens.line[at])


def neighbours(tokens: Tokens, found: Matches) -> tuple[Index, Index]:
    """The tokens right before and after each match on its line, with nothing but a space between; -1 for none."""
    before = np.where(_attached(tokens, found.first), found.first - 1, -1)
    after = np.minimum(found.last + 1, len(tokens.start) - 1)
    follows = tokens.joined[found.last] & (tokens.line[after] == tokens.line[found.last]) & (after > found.last)
    return before, np.where(follows, after, -1)
