"""The geo-referenced index: a fold over a crawl's log that answers "pizza restaurant in Lisbon".

    layout.py        the files and fields of an index  table.py  numbers about pages, as arrays
    georeference.py  page -> places and points         cells.py  circles and boxes as H3 cells
    integrity.py     whether all files are whole

    write/update.py     bring an index up to date     query/search.py        question -> answer
    write/writer.py     add visits in log order       query/parser.py        query -> what, where
    write/documents.py  visit -> document and row     query/place_choice.py  which place is meant
    write/parts.py      divide work among processes,  query/ranking.py       words and place: score
                        build parts and join them     query/hits.py          ranked page -> hit

docs/search.md is the user's guide.
"""

from toponaut.index.cells import Box
from toponaut.index.layout import index_folder, read_marker
from toponaut.index.query.answers import (
    Extract,
    Facet,
    Hit,
    PlaceCandidate,
    QueryLocation,
    SearchAnswer,
)  # fmt: skip
from toponaut.index.query.nearby import Nearby
from toponaut.index.query.search import Question, Search
from toponaut.index.write.writer import IndexWriter

__all__ = [
    "Box", "Extract", "Facet", "Hit", "IndexWriter", "Nearby",
    "PlaceCandidate", "QueryLocation", "Question", "Search", "SearchAnswer", "index_folder",
    "read_marker",
]  # fmt: skip
