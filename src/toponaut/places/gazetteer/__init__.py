"""The gazetteer: the places of the world, compiled once from data packages and mapped into memory."""

from toponaut.places.gazetteer.gazetteer import Gazetteer

__all__ = ["Gazetteer"]
