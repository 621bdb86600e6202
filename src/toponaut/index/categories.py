"""Categories in an index: those of a page, and those that the words of a query name.

"restaurant" names a category, so it also finds a pizzeria that never says "restaurant", and
"shops" finds bakeries. "pizza" does not: most restaurants have none. The fixed table is
places/addresses/contact/categories.py.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import tantivy

from toponaut.places.addresses.contact.categories import (
    MEANING_WORDS,
    NAMING_WORDS,
    category_of_name,
    with_kinds,
)

if TYPE_CHECKING:
    from toponaut.index.layout import StoredPage
    from toponaut.records import Visit

_SHOP = "shop"
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa"})  # as typed without them
Categories = tuple[str, ...]


def page_categories(page: "Visit | StoredPage") -> list[str]:
    """One for each organisation of a page whose category is known; else that of its title."""
    known = [address.category for address in page.addresses if address.category]
    of_title = "" if known else category_of_name(page.title)
    return [of_title] if of_title else known


class CategoryWords:
    """The words of the table as an index has them: in lower case, without accents."""

    def __init__(self, analyser: tantivy.TextAnalyzer) -> None:
        self._analyser = analyser
        self._naming = dict(self._typed(NAMING_WORDS.items()))
        self._meaning = dict(self._typed(MEANING_WORDS.items()))

    def _typed(self, words: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        for word, category in words:
            for spelling in (word.translate(_UMLAUTS), word):
                yield " ".join(self._analyser.analyze(spelling)), category

    def named(self, words: Sequence[str]) -> list[Categories]:
        """For each word of a query the categories it names: "real estate" does by both."""
        found = [self._naming.get(word, "") for word in words]
        for k in range(len(words) - 1):
            pair = self._naming.get(f"{words[k]} {words[k + 1]}", "")
            if not pair and found[k + 1] == _SHOP:  # a barber shop is not a shop
                pair = self._meaning.get(words[k], "")
            if pair:
                found[k] = found[k + 1] = pair
        return [with_kinds(category) if category else () for category in found]
