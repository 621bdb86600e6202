"""How good a crawl was: the measures of the four papers and some more, from the log. Pure
functions.

columns.py       the data that measures need        gathering.py      reads them from the log
target_table.py  places to targets and nodes        graph.py          the link graph
coverage.py      coverage, focus, cost, accuracy    link_measures.py  geo-centrality, locality
harvest.py       harvest, bridges, weights          completeness.py   capture and recapture
truth.py         recall, if the truth is known      measure.py        all measures as one tree
tables.py        tables as in the papers            figures.py, svg.py, world_map.py, page.py: HTML
"""

from toponaut.measures.gathering import SECOND, PageEvidence, PagePass
from toponaut.measures.measure import Measures, MeasureSetup, measure
from toponaut.measures.target_table import TargetTable

__all__ = [
    "SECOND", "MeasureSetup", "Measures", "PageEvidence", "PagePass", "TargetTable", "measure",
]  # fmt: skip
