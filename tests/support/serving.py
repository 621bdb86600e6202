"""The app on a real port, for the tests of the API and of the page; and a client that sends what it is told to."""

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
    """Serves a crawl on any free port, and yields the URL without a slash at its end: "http://127.0.0.1:40123".

    Its index is made first. `options` are those of toponaut.app.server.ServerOptions: host, token, tiles. With `fresh_s` what a crawl adds
    is looked for so often.
    """
    prepare_index(root, lambda _: None, lambda _: None)
    wanted = ServerOptions(**{"port": 0, **options})
    crawl = ServedCrawl(root, open_names(), wanted.tiles)
    updater = IndexUpdater(crawl, fresh_s) if fresh_s else nullcontext()
    with serving(crawl, wanted) as url, updater:
        yield url.rstrip("/")


class Answered(NamedTuple):
    status: int
    headers: dict[str, str]  # names in lower case
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def get(base: str, path: str, method: str = "GET", **headers: str) -> Answered:
    """One request whose path goes out as it is written here, with headers by their names (dashes as underscores)."""
    connection = http.client.HTTPConnection(urlsplit(base).netloc, timeout=60)
    try:
        connection.request(
            method, path, headers={name.replace("_", "-"): value for name, value in headers.items()}
        )
        answer = connection.getresponse()
        return Answered(
            answer.status,
            {name.lower(): value for name, value in answer.getheaders()},
            answer.read(),
        )
    finally:
        connection.close()


def ask(base: str, path: str, **said: object) -> Any:
    """What an endpoint answers to some parameters."""
    answer = get(base, f"{path}?{urlencode(said)}")
    assert answer.status == 200, answer.body
    return answer.json
