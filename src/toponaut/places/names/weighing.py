"""Is this capitalised word a place name here?

A gazetteer of the world contains "Of", "Reading", "Mobile", "Orange" and half of all surnames. Adds
up evidence in log-odds: the name itself, the words next to it ("in Paris", "Paris Hilton", "Mr.
Houston", "Houston Street"), and other uses of the word in the document ("mobile" in lower case;
"Mark Houston"). The weights are in evidence.py.
"""

from collections.abc import Container

import cython
import numpy as np

from toponaut.places.names import alphabet
from toponaut.places.names.evidence import (
    AND,
    BELIEVED,
    IN_TITLE_CASE,
    LISTED,
    NO_WORD,
    PERSON_ELSEWHERE,
    PLAIN_SHARE,
    TITLED_SHARE,
    MatchEvidence,
    NameFacts,
    is_person,
    is_sure,
    match_odds,
)
from toponaut.places.names.name_table import Matches, NameTable
from toponaut.places.names.tokens import Hashes, Index, TextTokens
from toponaut.places.names.vocabulary import Vocabulary, WordFacts, sorted_index

_REMEMBERED = 100_000  # words next to names
# Keeps the words of different documents apart: odd, with eight different bytes.
_APART = np.uint64(0x9E3779B97F4A7C15)
_LETTERS_PER_SIGN = cython.declare(cython.Py_ssize_t, 3)
_SOLO = cython.declare(cython.uchar, alphabet.WORD | alphabet.SOLO)
_SPACE = cython.declare(cython.uchar, alphabet.SPACE)
_HYPHEN = cython.declare(cython.uchar, alphabet.HYPHEN)
_COMMA = cython.declare(cython.uchar, alphabet.COMMA)
_AND = cython.declare(cython.int, AND)
_CAPITAL = cython.declare(cython.uchar, alphabet.WORD | alphabet.UPPER)
_DOLLAR = cython.declare(cython.uchar, ord("$"))
_ZERO, _NINE = cython.declare(cython.uchar, ord("0")), cython.declare(cython.uchar, ord("9"))
_ALL_BUT_LAST = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFE)
_PLAIN_SHARE = cython.declare(cython.double, PLAIN_SHARE)
_TITLED_SHARE = cython.declare(cython.double, TITLED_SHARE)
_IN_TITLE_CASE = cython.declare(cython.double, IN_TITLE_CASE)


class MatchWeigher:
    """Weighs the matches of a document. Built once for a gazetteer: tables and a word cache."""

    def __init__(self, table: NameTable, vocabulary: Vocabulary) -> None:
        self._table, self._vocabulary = table, vocabulary
        # By hash, whose lowest bit is set if the word begins with a capital.
        self._known: dict[int, WordFacts] = {}

    def weigh(
        self,
        tokens: TextTokens,
        found: Matches,
        explicit: Container[int],
        documents: Index | None = None,
    ) -> list[float]:
        """Log-odds that each match is a place name.

        `explicit`: matches whose state or country is next to them. `documents`: the document of
        each token, if there are several.
        """
        if len(self._known) > _REMEMBERED:
            self._known.clear()
        words = _WordReader(tokens, self._vocabulary, self._known)
        gatherer = _EvidenceGatherer(tokens, found, words, _distinct(tokens.hash, documents))
        evidence = gatherer.gather(self._table, explicit)
        odds = [match_odds(one) for one in evidence]
        whose = [0] * len(odds) if documents is None else documents[found.first].tolist()
        _doubt_persons(odds, evidence, list(zip(whose, found.name.tolist(), strict=True)))
        paired = gatherer.paired()
        listed = _with_list(odds, paired, odds)
        return _with_list(odds, paired, listed)  # again: belief spreads along a list


def _distinct(hashes: Hashes, documents: Index | None) -> Hashes:
    """The hashes of tokens, different in different documents."""
    return hashes if documents is None else hashes + documents.view(np.uint64) * _APART


@cython.cfunc
def _doubt_persons(
    odds: list[float], evidence: list[MatchEvidence], keys: list[tuple[int, int]]
) -> cython.void:
    """Lower the odds of names that are a person's elsewhere. `keys`: document and name of each."""
    one: MatchEvidence
    k: cython.Py_ssize_t
    persons = set()
    for k, one in enumerate(evidence):
        if one.name.single and is_person(one.before):
            persons.add(keys[k])
    if not persons:
        return
    for k, one in enumerate(evidence):
        if keys[k] in persons and not is_sure(one):
            odds[k] += PERSON_ELSEWHERE


def _with_list(odds: list[float], paired: list[bool], believed: list[float]) -> list[float]:
    """The odds, raised for each neighbour in a list that is believed."""
    raised = list(odds)
    for k, listed in enumerate(paired):
        if listed:
            raised[k] += LISTED * (believed[k + 1] > BELIEVED)
            raised[k + 1] += LISTED * (believed[k] > BELIEVED)
    return raised


@cython.cclass
class _WordReader:
    """The words of a text, each looked up once: few words are next to names."""

    _vocabulary: Vocabulary
    _known: dict[int, WordFacts]
    _start: cython.const[cython.longlong][::1]
    _end: cython.const[cython.longlong][::1]
    _upper: cython.const[cython.uchar][::1]
    _hash: cython.const[cython.ulonglong][::1]
    _planes: cython.const[cython.uchar][:, ::1]

    def __init__(
        self, tokens: TextTokens, vocabulary: Vocabulary, known: dict[int, WordFacts]
    ) -> None:
        self._vocabulary, self._known = vocabulary, known
        self._start, self._end, self._hash = tokens.start, tokens.end, tokens.hash
        self._upper, self._planes = tokens.upper.view(np.uint8), tokens.chars.planes

    @cython.cfunc
    def word(self, at: cython.Py_ssize_t) -> WordFacts:
        """The facts about a token; an empty word for -1."""
        if at < 0:
            return NO_WORD
        upper: cython.bint = self._upper[at]
        key: cython.ulonglong = self._hash[at] & _ALL_BUT_LAST | upper
        known: WordFacts | None = self._known.get(key)
        if known is None:
            upper = upper and not self._is_caseless(self._start[at])
            length: cython.Py_ssize_t = self._end[at] - self._start[at]
            known = self._known[key] = self._vocabulary.word(self._hash[at], upper, length)
        return known

    @cython.cfunc
    def is_numbered(self, at: cython.Py_ssize_t) -> cython.bint:
        """Whether a sum or the number of a road follows a token: "US$5", "US 41"."""
        end: cython.Py_ssize_t = self._end[at]
        if end + 1 >= self._planes.shape[1]:
            return False
        return self._planes[0, end] == _DOLLAR or _ZERO <= self._planes[0, end + 1] <= _NINE

    @cython.cfunc
    def _is_caseless(self, at: cython.Py_ssize_t) -> cython.bint:
        """As vocabulary.is_caseless, for one character."""
        if self._planes.shape[0] == 1:
            return False
        high: cython.uchar = self._planes[1, at]
        return high > 5 or (high == 5 and self._planes[0, at] >= 0x90) or self._planes[2, at] > 0


@cython.cclass
class _EvidenceGatherer:
    """Gathers the evidence about the matches of a chunk of text."""

    _words: _WordReader
    _start: cython.const[cython.longlong][::1]  # by token
    _end: cython.const[cython.longlong][::1]
    _upper: cython.const[cython.uchar][::1]
    _joined: cython.const[cython.uchar][::1]
    _line: cython.const[cython.longlong][::1]
    _hash: cython.const[cython.ulonglong][::1]  # with its document
    _lower: cython.const[cython.ulonglong][::1]  # those of tokens in lower case, sorted
    _kind: cython.const[cython.uchar][::1]  # by character
    _stop: cython.Py_ssize_t  # of the chunk
    _first: cython.const[cython.longlong][::1]  # by match
    _last: cython.const[cython.longlong][::1]
    _name: cython.const[cython.longlong][::1]
    _weighed_line: cython.longlong  # of the last match
    _capitals: cython.double  # how much a capital means there

    def __init__(
        self, tokens: TextTokens, found: Matches, words: _WordReader, hashes: Hashes
    ) -> None:
        self._words, self._hash = words, hashes
        self._start, self._end, self._upper = tokens.start, tokens.end, tokens.upper.view(np.uint8)
        self._joined, self._line = tokens.joined.view(np.uint8), tokens.line
        self._lower = np.sort(hashes[~tokens.upper])
        self._kind, self._stop = tokens.chars.kind, tokens.chunk.stop
        self._first, self._last, self._name = found
        self._weighed_line, self._capitals = -1, 1.0

    def gather(self, table: NameTable, explicit: Container[int]) -> list[MatchEvidence]:
        """The evidence about each match."""
        odds: cython.const[cython.double][::1] = table.odds
        traits: cython.const[cython.uchar][::1] = table.traits
        evidence: list[MatchEvidence] = []
        name: cython.Py_ssize_t
        k: cython.Py_ssize_t
        for k in range(self._first.shape[0]):
            name = self._name[k]
            one: MatchEvidence = self._evidence(k, NameFacts(odds[name], traits[name]))
            one.explicit = k in explicit
            evidence.append(one)
        return evidence

    @cython.cfunc
    def _evidence(self, k: cython.Py_ssize_t, name: NameFacts) -> MatchEvidence:
        first: cython.Py_ssize_t = self._first[k]
        last: cython.Py_ssize_t = self._last[k]
        before: cython.Py_ssize_t = first - 1 if self._is_attached(first) else -1
        after: cython.Py_ssize_t = last + 1 if self._is_attached(last + 1) else -1
        attached: cython.bint = self._is_attached(before)
        words: _WordReader = self._words
        one: MatchEvidence = MatchEvidence(
            name, words.word(before), words.word(before - 1 if attached else -1), words.word(after)
        )
        one.length = self._end[last] - self._start[first]
        if self._kind[self._start[first]] & _SOLO == _SOLO:  # a sign counts as a syllable
            one.length *= _LETTERS_PER_SIGN
        one.ends_upper = self._upper[last]
        if self._line[first] != self._weighed_line:
            self._weighed_line, self._capitals = self._line[first], self._capital_weight(first)
        one.capitals = self._capitals
        one.acronym = self._is_acronym(first) and not self._is_shouted(before, after)
        if after >= 0 and self._upper[after] and self._is_attached(after + 1):
            one.beyond = words.word(after + 1)
        one.in_lower_case = sorted_index(self._lower, self._hash[first]) >= 0
        one.opens = not attached
        one.stopped = first > 0 and self._start[first] - self._end[first - 1] == 2
        one.tied = self._is_tied(k, before, after)
        return one

    @cython.cfunc
    def _is_attached(self, at: cython.Py_ssize_t) -> cython.bint:
        """Whether a token continues the words before it: it does not open a line or a sentence."""
        if at <= 0 or at >= self._start.shape[0] or not self._joined[at - 1]:
            return False
        return self._line[at - 1] == self._line[at]

    @cython.cfunc
    def _is_acronym(self, at: cython.Py_ssize_t) -> cython.bint:
        """Whether a token has two or three letters, all of them capitals, and no number."""
        k: cython.Py_ssize_t
        if not 2 <= self._end[at] - self._start[at] <= 3:
            return False
        for k in range(self._start[at], self._end[at]):
            if self._kind[k] != _CAPITAL:
                return False
        return not self._words.is_numbered(at)

    @cython.cfunc
    def _is_shouted(self, before: cython.Py_ssize_t, after: cython.Py_ssize_t) -> cython.bint:
        """Whether capitals say nothing: alone, in "CONTACT US", and at the end of "About US"."""
        if after < 0 and (before < 0 or self._upper[before]):
            return True
        return self._ends_in_capital(before) or self._ends_in_capital(after)

    @cython.cfunc
    def _ends_in_capital(self, at: cython.Py_ssize_t) -> cython.bint:
        return at >= 0 and self._kind[self._end[at] - 1] == _CAPITAL

    @cython.cfunc
    def _capital_weight(self, at: cython.Py_ssize_t) -> cython.double:
        """How much a capital means in a token's line: 1, but less if most words have one.

        In bench/toponyms, English news capitalises 29 % of its words, German news 46 %.
        """
        begin: cython.Py_ssize_t = at
        stop: cython.Py_ssize_t = at
        capitals: cython.Py_ssize_t = 0
        slope: cython.double = (_IN_TITLE_CASE - 1.0) / (_TITLED_SHARE - _PLAIN_SHARE)
        while begin > 0 and self._line[begin - 1] == self._line[at]:
            begin -= 1
        while stop < self._line.shape[0] and self._line[stop] == self._line[at]:
            stop += 1
        for at in range(begin, stop):
            capitals += self._upper[at]
        share: cython.double = capitals / cython.cast(cython.double, max(stop - begin, 3))
        if share >= _TITLED_SHARE:
            return _IN_TITLE_CASE
        return 1.0 if share <= _PLAIN_SHARE else slope * (share - _PLAIN_SHARE) + 1.0

    @cython.cfunc
    def _is_tied(
        self, k: cython.Py_ssize_t, before: cython.Py_ssize_t, after: cython.Py_ssize_t
    ) -> cython.bint:
        """Whether a hyphen ties a name to a capitalised word that is not a name itself."""
        left: cython.bint = before >= 0 and self._is_hyphened(before) and self._upper[before]
        right: cython.bint = after >= 0 and self._is_hyphened(after - 1) and self._upper[after]
        if left and k > 0 and self._last[k - 1] == before:
            return False
        if right and k + 1 < self._first.shape[0] and self._first[k + 1] == after:
            return False
        return left or right

    @cython.cfunc
    def _is_hyphened(self, at: cython.Py_ssize_t) -> cython.bint:
        """Whether just a hyphen separates a token from the next."""
        return self._start[at + 1] - self._end[at] == 1 and self._kind[self._end[at]] == _HYPHEN

    def paired(self) -> list[bool]:
        """Whether each match and the next are in a list: with a comma, bar, line end or "and"."""
        listed: list[bool] = []
        last: cython.Py_ssize_t
        first: cython.Py_ssize_t
        k: cython.Py_ssize_t
        for k in range(self._first.shape[0] - 1):
            last, first = self._last[k], self._first[k + 1]
            if first == last + 1:
                listed.append(self._is_parted(last, first))
            else:
                listed.append(first == last + 2 and self._words.word(last + 1).cues & _AND != 0)
        return listed

    @cython.cfunc
    def _is_parted(self, last: cython.Py_ssize_t, first: cython.Py_ssize_t) -> cython.bint:
        """Whether a separator of lists is between two tokens: a comma, bullet, bar or line end."""
        end: cython.Py_ssize_t = self._end[last]
        gap: cython.Py_ssize_t = self._start[first] - end
        if gap == 1 and self._line[first] > self._line[last]:
            return True
        if gap < 1 or gap > 3:
            return False
        if self._kind[end] == _COMMA:
            return True
        return gap > 1 and self._kind[end] & _SPACE != 0 and self._kind[end + 1] == _COMMA
