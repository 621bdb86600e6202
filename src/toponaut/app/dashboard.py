"""The dashboard's two addresses: /api/crawl for the page that shows a crawl live, /metrics for Prometheus.

Both are answered from one Watch. A look takes a thread of the pool, and there is one at a time, however many ask: who comes while
another looks waits for that, and is given what it found. Looking takes a tenth of the time at most, so that watching a crawl
does not slow it: to read on in a long tail of the log costs 0.5 ms for every MB that was read before.
"""

import asyncio
from pathlib import Path
from time import monotonic

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toponaut.app.metrics import MEDIA, exposition
from toponaut.app.sending import JSON, respond
from toponaut.app.state import State
from toponaut.app.watching import Watch
from toponaut.index import index_folder, read_marker

_REST = 9.0  # times as long as the last look took
_REST_LEAST_S = 0.5
_REST_MOST_S = 30.0


def routes(root: Path) -> list[Route]:
    """What app/server.py mounts."""
    dashboard = _Dashboard(root)
    return [Route("/api/crawl", dashboard.crawl), Route("/metrics", dashboard.metrics)]


class _Dashboard:
    def __init__(self, root: Path) -> None:
        self._root = root
        self._watch = Watch(root)
        self._looking = asyncio.Lock()
        self._next = 0.0
        self._state: State | None = None
        self._told = b""  # the state as JSON

    async def crawl(self, request: Request) -> Response:
        """The crawl as it is now; 304 to whoever has that already."""
        _, told = await self._look()
        return respond(request, told, JSON)

    async def metrics(self, request: Request) -> Response:
        """The same as numbers for Prometheus."""
        state, _ = await self._look()
        marker = await run_in_threadpool(read_marker, index_folder(self._root))
        return respond(request, exposition(state, marker.pages if marker else 0).encode(), MEDIA)

    async def _look(self) -> tuple[State, bytes]:
        async with self._looking:
            if self._state is None or monotonic() >= self._next:
                await run_in_threadpool(self._look_now)
            assert self._state is not None
            return self._state, self._told

    def _look_now(self) -> None:
        start = monotonic()
        first = self._state is None  # which opens the gazetteer: that says nothing about the next
        state = self._watch.look()
        if state is not self._state:
            self._state, self._told = state, msgspec.json.encode(state)
        now = monotonic()
        took = 0.0 if first else now - start
        self._next = (
            now if state.reading else now + min(max(_REST * took, _REST_LEAST_S), _REST_MOST_S)
        )
