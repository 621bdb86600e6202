"""A web made of the gazetteer's places, with known truth: deterministic from (seed, URL), without storage or end."""

from toponaut.synthetic.fetcher import SyntheticFetcher
from toponaut.synthetic.settings import Settings
from toponaut.synthetic.web import Answer, SyntheticWeb

__all__ = ["Answer", "Settings", "SyntheticFetcher", "SyntheticWeb"]
