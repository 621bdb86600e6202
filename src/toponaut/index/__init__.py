"""The geo-referenced index (SPEC 4): a fold over a crawl's log that answers "pizza restaurant in Lisbon".

    writing.py    visits in, in the order of the log          search.py     a question in, an answer out
    ties.py       page -> places and points                   splitting.py  query -> what and where, by its wording
    cells.py      points, circles and boxes as H3 cells       choosing.py, namesakes.py   which place is meant: the index decides
    schema.py     what tantivy keeps of a page                words.py      the words of a query in their forms
    table.py, parts.py   numbers about pages, as arrays       ranking.py    words and place in one score
    opened.py     an index, open for reading                  hits.py, extracts.py, facets.py, nearby.py, spelling.py
    pages.py      a visit as a page                           layout.py     what lies where
    planning.py, building.py, joining.py   by many processes: who makes which pages, a part of them, all parts as one

docs/search.md tells it for users.
"""

from toponaut.index.build.writing import IndexWriter, read_marker
from toponaut.index.cells import Box
from toponaut.index.query.answers import Answer, Extract, Facet, Hit, Meant, Pin, Where
from toponaut.index.query.nearby import Nearby, Neighbour
from toponaut.index.query.search import Question, Search

__all__ = [
    "Answer",
    "Box",
    "Extract",
    "Facet",
    "Hit",
    "IndexWriter",
    "Meant",
    "Nearby",
    "Neighbour",
    "Pin",
    "Question",
    "Search",
    "Where",
    "read_marker",
]
