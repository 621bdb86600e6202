"""The Python API: the functions and classes that `import toponaut` offers, and the commands use.

    reading.py    extract, mentions, places
    crawls.py     crawl, open, Crawl
    jobs.py       a job from a path, a dict or a Job
    results.py    Records: a list with to_pandas, to_geopandas, to_arrow
    notebook.py   how results look in a notebook: a table and a map
    truth.py      the truth of a synthetic web, for the measures

`import toponaut` must stay cheap, so these modules import the rooms they need inside functions.
"""
