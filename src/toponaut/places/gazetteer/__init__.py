"""The gazetteer: the world's places, compiled once from data packages and mapped into memory."""

from toponaut.places.gazetteer.gazetteer import Gazetteer

__all__ = ["Gazetteer"]
