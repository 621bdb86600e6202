"""US addresses in text. `find` is the door; find.py tells how it decides."""

from toponaut.places.addresses.us.find import find

__all__ = ["find"]
