"""US addresses in text: `find`. find.py explains how it decides."""

from toponaut.places.addresses.us.find import find

__all__ = ["find"]
