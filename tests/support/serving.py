"""The app on a real port, for tests of the API and the pages; and a simple HTTP client."""

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from toponaut.app.served_crawl import IndexUpdater, ServedCrawl
from toponaut.app.server import ServerOptions, serving
from toponaut.index.write.update import prepare_index
from toponaut.places.gazetteer.cache import open_names


@contextmanager
def serve(root: Path, *, fresh_s: float = 0.0, **options: Any) -> Iterator[str]:
    """Serve a crawl on a free port; yields the URL without a final slash.

    The index is built first. `options` are those of ServerOptions: host, token, tiles. With
    `fresh_s` the index is updated at that interval.
    """
    prepare_index(root, lambda _: None, lambda _: None)
    wanted = ServerOptions(**{"port": 0, **options})
    crawl = ServedCrawl(
        root,
        open_names(),
        wanted.tiles,
        basemap=wanted.basemap,
        mmdb=wanted.mmdb,
        count_queries=wanted.count_queries,
    )
    updater = IndexUpdater(crawl, fresh_s) if fresh_s else nullcontext()
    with serving(crawl, wanted) as url, updater:
        yield url.rstrip("/")


class HttpAnswer(NamedTuple):
    status: int
    headers: dict[str, str]  # names in lower case
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def get(base: str, path: str, method: str = "GET", **headers: str) -> HttpAnswer:
    """One request with this exact path. Headers are keywords, with underscores for dashes."""
    connection = http.client.HTTPConnection(urlsplit(base).netloc, timeout=60)
    try:
        connection.request(
            method, path, headers={name.replace("_", "-"): value for name, value in headers.items()}
        )
        answer = connection.getresponse()
        return HttpAnswer(
            answer.status,
            {name.lower(): value for name, value in answer.getheaders()},
            answer.read(),
        )
    finally:
        connection.close()


def ask(base: str, path: str, **parameters: object) -> Any:
    """The JSON answer of an endpoint."""
    answer = get(base, f"{path}?{urlencode(parameters)}")
    assert answer.status == 200, answer.body
    return answer.json
