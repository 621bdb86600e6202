"""The web app: `toponaut serve DIR` is one process with a search page, a dashboard and a JSON API.

    server.py        assembles and runs the app       security.py    access, response headers
    served_crawl.py  shared by all endpoints          responses.py   JSON, errors, static files
    parameters.py    query parameters, validated      about.py       the crawl, example queries
    search_api.py    search, pins, hit, towns         page_view.py   a page and its captured copy
    descriptions.py  OpenAPI and OpenSearch           dashboard.py   /api/crawl and /metrics, from
    static/          plain HTML, CSS and ES modules   crawl_watcher and log_statistics
    tile_files.py    maps in PMTiles files            tiles_api.py   their tiles
    embedded_map.py  the map in a report

**A request** passes uvicorn, RequestGuard (security.py: Host header, token) and a route. Endpoints
of the API are data (responses.Endpoint): a path, a record of parameters, a record that is returned,
and a function from one to the other. Starlette calls it in a thread. If it needs the index, it uses
`crawl.locked_search()`, one thread at a time. The result is encoded, compressed and tagged, and
passes the guard again, which adds headers.

**Errors** are InputErrors, sent as {"error": cause, "fix": fix} with status 400, or 404 if
something is missing. Nothing can be changed over HTTP: all requests are GET.

**Crawled content** is text. It is sent as JSON, and enters the page as text only (static/). Only
page_view.py sends markup, and it forbids the browser to run, load or send anything.
"""
