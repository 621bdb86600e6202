"""The app: `toponaut serve DIR` is one process with a page, a JSON API and a live view of the crawl.

    server.py     the app put together, and run           security.py   who may ask; headers of every answer
    site.py       what all endpoints share                sending.py    answers: packed, tagged, or a cause and its cure
    keeping.py    the index, kept fresh                   files.py      static files, Leaflet's among them
    endpoint.py   an endpoint: path, takes, gives         asked.py      what may be asked: records that check themselves
    api.py        search, pins, hit, GeoJSON              about.py, examples.py   what is served, and what to ask
    towns.py      labels for the map
    page_view.py  a page as the crawl has it              archived.py   its captured copy, in a sandbox
    openapi.py    the API described, from the endpoints   opensearch.py for the address line of a browser
    dashboard.py  /api/crawl and /metrics, with watching.py, state.py, folding.py, bounded.py and metrics.py
    static/       the pages themselves: plain HTML, CSS and ES modules, no build step

**The way of a request.** uvicorn -> Guard (security.py: its Host header, its token) -> a route. Endpoints of the API are data
(endpoint.py): a path, a record of parameters, a record that comes back, and a function between the two. Starlette calls it in a
thread; whoever needs the index takes it by `with site.asking()`, one at a time. What comes back is encoded, packed and tagged
(sending.py), and passes the Guard again, which adds the headers.

**What can go wrong** is an InputError wherever it happens, and leaves as {"error": cause, "cure": cure}: 400, or 404 where something is
not there. There is nothing that can be changed over HTTP: all requests are GET.

**What comes from crawled pages** is text. It leaves as JSON, and enters the page as text only (static/). Their markup is sent by
one endpoint alone, archived.py, which tells the browser to run, load and send nothing.
"""
