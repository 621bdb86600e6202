"""Postal addresses in pages: `AddressFinder(gazetteer, names).find(page)`.

finder.py     makes one list of all that the others find; merge.py joins mentions of one address
us/           reads addresses of the United States in text
countries/    reads those of countries whose habits need rules of their own
world/        reads those of all countries, from a table of how each writes them
structured/   reads a page's structured data: JSON-LD, microdata, RDFa, hCard
owners/       says who is at an address
contact/      phone, opening hours, website and category of an owner
"""

from toponaut.places.addresses.finder import AddressFinder
from toponaut.places.addresses.normal import normal_form

__all__ = ["AddressFinder", "normal_form"]
