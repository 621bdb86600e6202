"""Addresses out of files, folders, WARCs and URLs, as a file: `toponaut extract`.

    pool.py     documents -> rows, on all cores, in order, with a bounded number in flight
    rows.py     addresses -> JSON lines, GeoJSON or CSV
    run.py      one run: sources in, a file out, a progress bar and errors on stderr

Memory does not grow with the input. A source that cannot be read is one line on stderr.
"""
