"""How good a crawl was: every measure of the four papers, and some more, from the log alone. Pure functions.

gathering.py     the log's columns, folded into     crawl.py       what the measures are made from
world.py         places to targets and nodes        graph.py       the link graph
coverage.py      SPEC 1: coverage, focus, overlap, diversity, communication, the cost of the policies
centrality.py    SPEC 1: geo-centrality             locality.py    SPEC 1: geographic locality
harvest.py       SPEC 2: harvest; SPEC 3: weights   bridges.py     SPEC 2: bridges, tails, distance from the seeds
accuracy.py      SPEC 4                             completeness.py  capture and recapture
truth.py         recall and oracle, where the truth is known
measure.py       all of them as one tree            tables.py      as the papers' tables
svg.py           figures                            page.py        one page to look at
"""

from toponaut.measures.gathering import SECOND, PageEvidence, PagePass
from toponaut.measures.measure import Measures, MeasureSetup, measure
from toponaut.measures.world import TargetTable

__all__ = [
    "SECOND",
    "MeasureSetup",
    "Measures",
    "PageEvidence",
    "PagePass",
    "TargetTable",
    "measure",
]
