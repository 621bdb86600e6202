"""Postal addresses in pages: `AddressFinder(gazetteer, names).find(page)`.

english.py, german_speaking.py, romance.py, europe.py, cyrillic.py and us/ read the text of a page,
structured.py reads its structured data, and finder.py makes one list of both.
"""

from toponaut.places.addresses.finder import AddressFinder
from toponaut.places.addresses.normal import normal_form

__all__ = ["AddressFinder", "normal_form"]
