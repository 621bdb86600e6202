"""What a crawl has found, as files for other programs: `toponaut export`.

    wanted.py      what is asked for, and which addresses and pages that is
    crawls.py      the visits of one or several crawls, as their logs stand
    sorting.py     more than fits into memory, in order
    rows.py        what a row of a table holds
    addresses.py   visits -> one row for each address of each organisation
    pages.py       visits -> one row for each page
    geojson.py, csv.py, geoparquet.py      rows -> a file
    groups.py      the records of one answer, out of the archive
    copying.py     answers -> a WARC with all that they refer to
    wacz.py        the same with its index and its list of pages, in a zip
    output.py      a file that is there whole or not at all
    run.py         all of it

Everything is a fold over the log and, for WARC and WACZ, a copy out of the archive; the crawl may run meanwhile, and is only read.
The same crawl gives the same bytes: rows are sorted, and dates are those of the crawl. docs/exporting.md tells it for users.

The door is run.py: `export(...)`. Nothing is imported here, because `toponaut extract` uses geojson.py and csv.py in many processes.
"""
