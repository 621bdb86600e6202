"""A web made of the gazetteer's places, with known truth.

Deterministic from (seed, URL), without storage, and endless.
"""

from toponaut.synthetic.serving import SyntheticFetcher
from toponaut.synthetic.settings import SyntheticSettings
from toponaut.synthetic.web import SyntheticAnswer, SyntheticWeb

__all__ = ["SyntheticAnswer", "SyntheticFetcher", "SyntheticSettings", "SyntheticWeb"]
