"""Search words: their forms in the index, and corrections of misspelled ones.

A crawl has pages in many languages, so the index does not stem. Instead, a query also searches the
likely other forms of each word ("restaurants", "restaurant") that the index has. A word that names
a category also finds the pages of that category, below those with the word (index/categories.py).
"""

import difflib
import re
from collections.abc import Iterable, Sequence, Set
from functools import lru_cache

import tantivy
from msgspec import Struct
from msgspec.structs import replace

from toponaut.index.categories import CategoryWords
from toponaut.index.layout import FIELDS, analyser
from toponaut.places.gazetteer import Gazetteer

# Words without meaning for a search. They are dropped if others remain.
_STOP_WORDS = frozenset(
    """a an and any are as at best by find for from good have i in is it list me my near of on or
    our show some the their there to top we what where which with you your der die das den dem ein
    eine und oder in im am von zu für mit wo gibt es ist o os um uma e ou em no na de do da para com
    onde há le la les un une et ou dans où est des du el los las y con""".split()
)
_OTHER_FORM = 0.9  # weight of a match with another form of the word
_BY_CATEGORY = 0.5  # the same with its category: less than the word in a text of usual length
_BY_PARTS = 0.5  # the same with the parts of a compound, each
_OTHER_FIELDS = 0.2  # weight of matches in fields other than the best
_MAX_WORDS = 12
_REMEMBERED = 50_000  # frequencies of words
# Plural endings in English, German, Portuguese, French and Spanish.
_ENDINGS = ("s", "es", "n", "en", "e", "er")
_SHORTEST_STEM = 3
_SHORTEST_PREFIX, _ALIKE = 4, 20  # letters; words with that prefix
_SHORTEST_PART, _LEAST_PAGES_OF_PARTS = 4, 2  # letters; pages with each part of a compound


class SearchWord(Struct, frozen=True):
    """A word of a query, with what the index has of it."""

    word: str
    forms: tuple[str, ...]  # the word itself first
    categories: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()  # of a compound: "tennis", "platz"

    @property
    def is_known(self) -> bool:
        """Whether the index has anything of it."""
        return bool(self.forms or self.categories or self.parts)

    def is_in(self, words: Set[str], category: str = "") -> bool:
        """Whether a name or a title has the word, or something is of its category."""
        whole = bool(self.parts) and words >= set(self.parts)
        return whole or category in self.categories or not words.isdisjoint(self.forms)


class SearchTerms(Struct, frozen=True):
    """The words of a query."""

    words: tuple[SearchWord, ...] = ()
    missing: tuple[str, ...] = ()  # words of which the index has no form


class TermIndex:
    """The words of an index."""

    def __init__(self, searcher: tantivy.Searcher, schema: tantivy.Schema) -> None:
        self._searcher, self._schema = searcher, schema
        self._analyser = analyser()
        self._categories = CategoryWords(self._analyser)
        # A question asks for the same few words some hundred times.
        self._frequency = lru_cache(_REMEMBERED)(searcher.doc_freq)

    def terms(self, text: str) -> SearchTerms:
        """The words of a text, such as a name."""
        return self._known([SearchWord(word, ()) for word in self.analyse(text)])

    def searched(self, text: str) -> SearchTerms:
        """The words that are searched, with the categories that they name."""
        words = self.analyse(text)
        named = zip(words, self._categories.named(words), strict=True)
        return self._known([SearchWord(word, (), kinds) for word, kinds in named])

    def _known(self, words: Sequence[SearchWord]) -> SearchTerms:
        """The telling words, with their forms and categories that the index has."""
        words = words[:_MAX_WORDS]
        words = [one for one in words if one.word not in _STOP_WORDS] or words
        found = [
            SearchWord(
                one.word,
                tuple(form for form in (one.word, *_forms(one.word)) if self._exists(form)),
                tuple(kind for kind in one.categories if self._has_pages(kind)),
            )
            for one in words
        ]
        return _sorted_out(found)

    def widened(self, terms: SearchTerms) -> SearchTerms:
        """The words, also the missing ones, with those that begin alike, and compounds in parts:
        "randonnee" with "randonneur", "tennisplatz" with "tennis" and "platz".
        """
        words = [*terms.words, *(SearchWord(word, ()) for word in terms.missing)]
        return _sorted_out([self._widened(one) for one in words])

    def _widened(self, one: SearchWord) -> SearchWord:
        forms = (*one.forms, *self._alike(one))
        return replace(one, forms=forms, parts=self._parts(one.word))

    def _alike(self, one: SearchWord) -> list[str]:
        stem = (one.forms or (one.word,))[0][:-2]
        if len(stem) < _SHORTEST_PREFIX or not stem.isalpha():
            return []
        known = self._searcher.terms_with_prefix("text", stem, limit=_ALIKE)
        return [term for term, _ in known if term not in one.forms]

    def _parts(self, word: str) -> tuple[str, ...]:
        """The two words of a compound that the index has, the most frequent ones."""
        if not word.isalpha():
            return ()
        ends = range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1)
        split = [(word[:end], word[end:]) for end in ends]
        frequency = {pair: min(self._frequency("text", p) for p in pair) for pair in split}
        best = max(split, key=frequency.__getitem__, default=())
        return best if best and frequency[best] >= _LEAST_PAGES_OF_PARTS else ()

    def analyse(self, text: str) -> list[str]:
        """The distinct words of a text, in the index's form."""
        return list(dict.fromkeys(self._analyser.analyze(text)))

    def _exists(self, word: str) -> bool:
        return any(self._frequency(field, word) for field in FIELDS)

    def _has_pages(self, category: str) -> bool:
        return bool(self._frequency("category", category))

    def query(self, terms: SearchTerms, every: bool) -> tantivy.Query:
        """Pages with every word, or with any."""
        occur = tantivy.Occur.Must if every else tantivy.Occur.Should
        return tantivy.Query.boolean_query(
            [(occur, self._in_any_field(one, occur)) for one in terms.words]
        )

    def preferring(self, query: tantivy.Query, named: SearchTerms, weight: float) -> tantivy.Query:
        """A query whose pages score higher if they also have some of these words."""
        wished = tantivy.Query.boost_query(self.query(named, every=False), weight)
        return tantivy.Query.boolean_query(
            [(tantivy.Occur.Must, query), (tantivy.Occur.Should, wished)]
        )

    def in_title(self, terms: SearchTerms) -> tantivy.Query:
        """Pages with every word in the title."""
        return self._in_fields(terms, ("title",))

    def named(self, terms: SearchTerms) -> tantivy.Query:
        """Pages with every word in the title, or in the name of an organisation."""
        return self._in_fields(terms, ("title", "name"))

    def _in_fields(self, terms: SearchTerms, fields: Sequence[str]) -> tantivy.Query:
        some = [
            tantivy.Query.boolean_query(
                [
                    (
                        tantivy.Occur.Must,
                        tantivy.Query.term_set_query(self._schema, field, [*one.forms]),
                    )
                    for one in terms.words
                ]
            )
            for field in fields
        ]
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, one) for one in some])

    def _in_any_field(
        self, word: SearchWord, parts: tantivy.Occur = tantivy.Occur.Must
    ) -> tantivy.Query:
        found = [
            tantivy.Query.boost_query(
                tantivy.Query.term_query(self._schema, field, form, "freq"),
                weight * (_OTHER_FORM if k else 1.0),
            )
            for k, form in enumerate(word.forms)
            for field, weight in FIELDS.items()
            if self._frequency(field, form)
        ]
        found += [
            tantivy.Query.boost_query(
                tantivy.Query.term_query(self._schema, "category", kind, "freq"), _BY_CATEGORY
            )
            for kind in word.categories
        ]
        if word.parts:
            both = [(parts, self._in_any_field(_part(one))) for one in word.parts]
            found.append(tantivy.Query.boost_query(tantivy.Query.boolean_query(both), _BY_PARTS))
        return tantivy.Query.disjunction_max_query(found, _OTHER_FIELDS)

    def similar(self, word: str) -> str:
        """The word of the index that is most similar to an unknown one; "" if there is none."""
        known = self._searcher.terms_with_prefix("text", word[:1], limit=_FREQUENT_WORDS)
        least, most = len(word) - _LONGER, len(word) + _LONGER
        sized = (term for term, _ in known if least <= len(term) <= most and term.isalpha())
        likely = [term for term in sized if _may_be_alike(word, term)]
        return next(iter(difflib.get_close_matches(word, likely, 1, _WORD_CUTOFF)), "")


def _part(word: str) -> SearchWord:
    return SearchWord(word, (word,))


def _sorted_out(words: Iterable[SearchWord]) -> SearchTerms:
    """Those that the index has, and the others."""
    words = list(words)
    missing = tuple(one.word for one in words if not one.is_known)
    return SearchTerms(tuple(one for one in words if one.is_known), missing)


def _may_be_alike(word: str, term: str) -> bool:
    """False where the letters that only one of them has rule out difflib's ratio."""
    apart = len(word) - len(term)
    most = (len(word) + len(term)) * (1 - _WORD_CUTOFF)  # letters of both that have no partner
    alone, other = len(set(word).difference(term)), len(set(term).difference(word))
    return 2 * alone <= most + apart and 2 * other <= most - apart


def _forms(word: str) -> Iterable[str]:
    """Other forms that a word may have, whatever its language."""
    if not word.isalpha() or len(word) < _SHORTEST_STEM:
        return
    for ending in _ENDINGS:
        yield word + ending
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            yield word.removesuffix(ending)
    if word.endswith("y"):
        yield word[:-1] + "ies"
    if word.endswith("ies"):
        yield word[:-3] + "y"


# --- spelling --------------------------------------------------------------------------------

_LONGER = 2  # letters that a similar word may have more or less
_FREQUENT_WORDS = 4000  # compared, of those with the same first letter
_WORD_CUTOFF, _PLACE_CUTOFF = 0.75, 0.8  # least similarity (difflib's ratio)
_SHORTEST_WORD = 4  # letters
_MAX_SUGGESTIONS = 3
_AFTER_PREPOSITION = re.compile(
    r"\b(?:in|near|around|at|of|bei|nahe|em|perto de)\s+([^\d\W]{4,}(?:\s+[^\d\W]{3,})?)\s*$",
    re.IGNORECASE,
)


def spelling_suggestions(
    gazetteer: Gazetteer, text: str, terms: SearchTerms, index: TermIndex, place_known: bool
) -> tuple[str, ...]:
    """Queries with another spelling where the index or gazetteer lacks a word."""
    missing = [word for word in terms.missing if len(word) >= _SHORTEST_WORD]
    # A place is misspelled after a preposition, or else among the words unknown to the index.
    named = _AFTER_PREPOSITION.search(text)
    found = [
        _replace(text, word, place.name.lower())
        for word in ([] if place_known else [named[1]] if named else missing)
        for place in gazetteer.similar(word, _MAX_SUGGESTIONS, _PLACE_CUTOFF)
    ]
    found += [_replace(text, word, better) for word in missing if (better := index.similar(word))]
    different = (one for one in dict.fromkeys(found) if one.lower() != text.lower())
    return tuple(different)[:_MAX_SUGGESTIONS]


def _replace(text: str, word: str, better: str) -> str:
    """A query with one word replaced. The query may spell it with accents and capitals."""
    changed = re.sub(rf"\b{re.escape(word)}\b", better, text, count=1, flags=re.IGNORECASE)
    if changed != text:
        return changed
    close = difflib.get_close_matches(word, text.lower().split(), 1, 0.6)
    if not close:
        return text
    return re.sub(re.escape(close[0]), better, text, count=1, flags=re.IGNORECASE)
