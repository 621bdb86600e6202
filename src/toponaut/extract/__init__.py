"""Addresses out of files, folders, WARCs and URLs: `toponaut extract`.

    sources.py  names of sources -> documents, one at a time
    pool.py     documents -> rows, on all cores, in order, with a bounded number on the way
    rows.py     addresses -> JSON lines, GeoJSON or CSV

Memory does not grow with the input: documents are read when a worker is about to be free, and written as they
come. A source that cannot be read costs one line on stderr, and the rest goes on.
"""

from toponaut.extract.run import Summary, extract

__all__ = ["Summary", "extract"]
