"""The words that are searched: in the forms that pages have them in, and in the fields of a page.

A crawl has pages in many languages, so nothing is stemmed when a page is indexed. Instead a word is asked for in its likely
other forms ("restaurants", "restaurant"), as far as the index has them.
"""

import difflib
from collections.abc import Iterable, Sequence

import tantivy
from msgspec import Struct

from toponaut.index.schema import FIELDS, analyser

# Words that say nothing about what is wanted. Only dropped where others remain.
_IDLE = frozenset(
    """a an and any are as at best by find for from good have i in is it list me my near of on or our show some the their there
    to top we what where which with you your der die das den dem ein eine und oder in im am von zu für mit wo gibt es ist
    o os um uma e ou em no na de do da para com onde há le la les un une et ou dans où est des du el los las y con""".split()
)
_OTHER_FORM = 0.9  # what a word in another form counts for
_OTHER_FIELDS = 0.2  # what a word counts for in further fields than the best
_MOST_WORDS = 12
_ENDINGS = (
    "s",
    "es",
    "n",
    "en",
    "e",
    "er",
)  # of plurals in English, German, Portuguese, French and Spanish
_SHORTEST_STEM = 3
# "Did you mean": so many of the most frequent words with the same first letter are looked at.
_LOOKED_AT, _ALIKE = 4000, 0.75


class Wanted(Struct, frozen=True):
    """What is searched for: every word with its forms, the word itself first."""

    words: tuple[tuple[str, ...], ...] = ()
    missing: tuple[str, ...] = ()  # words that the index has in no form


class Words:
    """Words of an index as it stands."""

    def __init__(self, searcher: tantivy.Searcher, schema: tantivy.Schema) -> None:
        self._searcher, self._schema = searcher, schema
        self._analyser = analyser()

    def wanted(self, what: str) -> Wanted:
        said = self.analysed(what)[:_MOST_WORDS]
        telling = [word for word in said if word not in _IDLE] or said
        forms = [
            tuple(form for form in (word, *_forms(word)) if self._is_there(form))
            for word in telling
        ]
        missing = tuple(word for word, known in zip(telling, forms, strict=True) if not known)
        return Wanted(tuple(known for known in forms if known), missing)

    def analysed(self, text: str) -> list[str]:
        """The words of a text as the index has them, each once."""
        return list(dict.fromkeys(self._analyser.analyze(text)))

    def _is_there(self, word: str) -> bool:
        return any(self._searcher.doc_freq(field, word) for field in FIELDS)

    def query(self, wanted: Wanted, every: bool) -> tantivy.Query:
        """Pages with every word, or with any."""
        occur = tantivy.Occur.Must if every else tantivy.Occur.Should
        return tantivy.Query.boolean_query(
            [(occur, self._anywhere(forms)) for forms in wanted.words]
        )

    def nothing(self) -> tantivy.Query:
        return tantivy.Query.empty_query()

    def _anywhere(self, forms: Sequence[str]) -> tantivy.Query:
        parts = [
            tantivy.Query.boost_query(
                tantivy.Query.term_query(self._schema, field, form, "freq"),
                worth * (_OTHER_FORM if k else 1.0),
            )
            for k, form in enumerate(forms)
            for field, worth in FIELDS.items()
            if self._searcher.doc_freq(field, form)
        ]
        return tantivy.Query.disjunction_max_query(parts, _OTHER_FIELDS)

    def similar(self, word: str) -> str:
        """The word of the index that is spelled most like one that it does not have; "" for none."""
        known = self._searcher.terms_with_prefix("text", word[:1], limit=_LOOKED_AT)
        likely = [term for term, _ in known if abs(len(term) - len(word)) <= 2 and term.isalpha()]
        return next(iter(difflib.get_close_matches(word, likely, 1, _ALIKE)), "")


def _forms(word: str) -> Iterable[str]:
    """Other forms that a word may have, without knowing its language."""
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
