"""Postal addresses in pages: `AddressFinder(gazetteer, names).find(page)`.

One file or folder a country reads text (`us/`, `de.py` ...), structured.py reads what a page gives as data, and
finder.py makes one list of both.
"""

from toponaut.places.addresses.candidate import Candidate
from toponaut.places.addresses.finder import AddressFinder
from toponaut.places.addresses.normal import normal_form

__all__ = ["AddressFinder", "Candidate", "normal_form"]
