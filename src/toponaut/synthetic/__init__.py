"""A web made of the gazetteer's places, with known truth.

Deterministic from (seed, URL), without storage, and endless.
"""

from toponaut.synthetic.changing import ChangeSettings, ChangingFetcher, ChangingWeb
from toponaut.synthetic.serving import SyntheticFetcher
from toponaut.synthetic.settings import SyntheticSettings
from toponaut.synthetic.web import SyntheticWeb

__all__ = [
    "ChangeSettings", "ChangingFetcher", "ChangingWeb", "SyntheticFetcher", "SyntheticSettings",
    "SyntheticWeb",
]  # fmt: skip
