"""How good a crawl was: the measures of the four papers and some more, from the log. Pure
functions.

columns.py   the data of the measures, targets   gathering.py      reads them from the log
graph.py     the link graph                      link_measures.py  geo-centrality, locality
coverage.py  coverage, focus, cost, accuracy     completeness.py   capture and recapture
harvest.py   harvest, bridges, weights           truth.py          the truth, if it is known
measure.py   all measures as one tree            tables.py         tables as in the papers
report.py    the report in HTML                  svg.py, world_map.py: its drawings
"""

from toponaut.measures.measure import Measures

__all__ = ["Measures"]
