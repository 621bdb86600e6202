"""What the crawl leaves alone: links that lead into traps, hosts that repeat themselves, languages nobody asked for."""

from toponaut.filters.flood import FloodGuard
from toponaut.filters.language import unwanted_language
from toponaut.filters.links import LinkFilter
from toponaut.filters.simhash import distance, simhash

__all__ = ["FloodGuard", "LinkFilter", "distance", "simhash", "unwanted_language"]
