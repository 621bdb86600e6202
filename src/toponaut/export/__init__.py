"""Results as files for other programs: `toponaut export` and `toponaut extract`.

    run.py           one export: crawls in, a file out
    selection.py     the visits of one or several crawls; which of them an export contains
    rows.py          the columns of tables
    addresses.py     visits -> one row for each organisation at each address
    pages.py         visits -> one row for each page
    disk_sort.py     sorts more than fits into memory
    geojson.py, csv.py, geoparquet.py, sqlite.py, duckdb_file.py, opensearch.py      rows -> a file
    warc_copier.py   answers -> a WARC with everything they refer to
    wacz_writer.py   the same with its index and its list of pages, in a zip
    output.py        a file that is there completely or not at all
    extract.py       documents -> addresses, without a crawl

An export is a fold over the log and, for WARC and WACZ, a copy from the archive. It only reads the
crawl, which may be running. The same crawl gives the same bytes: rows are sorted, and dates are
those of the crawl.

Nothing is imported here, because the workers of `toponaut extract` need few of these modules.
"""
