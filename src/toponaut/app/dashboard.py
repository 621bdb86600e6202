"""The dashboard's endpoints: /api/crawl for the page, and /metrics for Prometheus.

Both answer from one CrawlWatcher. It looks at the crawl in a thread, once at a time: requests that
arrive during a look wait for it and share its result. Looking takes at most a tenth of the time,
so that watching does not slow the crawl (reading on in a long log tail costs 0.5 ms per MB).

Metrics follow Prometheus' text format 0.0.4 and naming rules: base units, "_total" for counters.
prometheus-client is not used: its registry counts events of a process; the log has the totals.
"""

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import monotonic

import msgspec
from msgspec import Struct
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toponaut.app.crawl_watcher import CrawlState, CrawlWatcher
from toponaut.app.responses import JSON, respond
from toponaut.index import index_folder, read_marker

METRICS_MEDIA = "text/plain; version=0.0.4; charset=utf-8"
_PAUSE = 9.0  # times as long as the last look took
_MIN_PAUSE_S, _MAX_PAUSE_S = 0.5, 30.0


def routes(root: Path) -> list[Route]:
    dashboard = _Dashboard(root)
    return [Route("/api/crawl", dashboard.crawl), Route("/metrics", dashboard.metrics)]


class _Dashboard:
    def __init__(self, root: Path) -> None:
        self._root = root
        self._watcher = CrawlWatcher(root)
        self._looking = asyncio.Lock()
        self._next = 0.0
        self._state: CrawlState | None = None
        self._json = b""

    async def crawl(self, request: Request) -> Response:
        """The state of the crawl; 304 if it has not changed."""
        _, encoded = await self._look()
        return respond(request, encoded, JSON)

    async def metrics(self, request: Request) -> Response:
        state, _ = await self._look()
        marker = await run_in_threadpool(read_marker, index_folder(self._root))
        text = format_metrics(state, marker.pages if marker else 0)
        return respond(request, text.encode(), METRICS_MEDIA)

    async def _look(self) -> tuple[CrawlState, bytes]:
        async with self._looking:
            if self._state is None or monotonic() >= self._next:
                await run_in_threadpool(self._look_now)
            assert self._state is not None
            return self._state, self._json

    def _look_now(self) -> None:
        start = monotonic()
        first = self._state is None  # it opens the gazetteer, which takes longer
        state = self._watcher.look()
        if state is not self._state:
            self._state, self._json = state, msgspec.json.encode(state)
        now = monotonic()
        pause = min(max(0.0 if first else _PAUSE * (now - start), _MIN_PAUSE_S), _MAX_PAUSE_S)
        self._next = now if state.reading else now + pause


# --- Prometheus ------------------------------------------------------------------------------


class _Metric(Struct, frozen=True):
    """A metric, with a sample for each value of its label, or one without a label."""

    name: str
    about: str
    samples: Sequence[tuple[str, float]]
    label: str = ""
    kind: str = "counter"


def format_metrics(state: CrawlState, indexed: int = 0) -> str:
    """All metrics. `indexed`: pages in the index."""
    return "".join(line for metric in _metrics(state, indexed) for line in _lines(metric))


def _metrics(state: CrawlState, indexed: int) -> Iterable[_Metric]:
    now, nodes = state.numbers, state.nodes
    distinct = now.address_counts
    hosts = (("known", now.hosts), ("resting", now.resting), ("busy", now.busy))
    outcomes = [(one.outcome, one.visits) for one in state.outcomes]
    refused = list(state.refused.items())

    def gauge(name: str, about: str, value: float) -> _Metric:
        return _Metric(name, about, (("", value),), kind="gauge")

    def by_node(name: str, about: str, field: str, kind: str = "counter") -> _Metric:
        samples = [(node.node, getattr(node, field)) for node in nodes]
        return _Metric(name, about, samples, "node", kind)

    watch = now.watch
    watched = (
        (
            gauge("watch_budget_requests", "Requests a day of the watch.", watch.budget),
            gauge("watch_used_requests", "Requests of the last day.", watch.used),
            gauge("watch_pages", "Pages under watch.", watch.pages),
            gauge("watch_staleness", "Expected share of stale pages.", watch.staleness),
            gauge("watch_changes", "Changes found in the last day.", watch.changes),
        )
        if watch
        else ()
    )
    written = "When the crawling process last wrote its progress."
    return (
        gauge("running", "Whether the crawl runs: 1 or 0.", state.state == "running"),
        gauge("log_reading", "Whether part of the log is not yet counted: 1 or 0.", state.reading),
        by_node("pages_total", "Pages fetched.", "pages"),
        by_node("relevant_pages_total", "Relevant pages fetched.", "relevant"),
        by_node("addresses_total", "Addresses found in pages.", "addresses"),
        gauge("distinct_addresses", "Distinct addresses.", distinct.distinct),
        gauge("distinct_addresses_in_targets", "Those in targets.", distinct.distinct_in_targets),
        by_node("received_bytes_total", "Bytes received.", "received"),
        _Metric("outcomes_total", "Requests, by outcome.", outcomes, "outcome"),
        _Metric("refused_total", "Links skipped, by reason.", refused, "reason"),
        by_node("queue_links", "Links waiting in the queue.", "queued", "gauge"),
        _Metric("hosts", "Hosts: known, resting, and with a request.", hosts, "state", "gauge"),
        gauge("price", "The promise that a link needs to be fetched now; 0: any.", now.price),
        gauge("explored_requests", "Requests for links below the price.", now.explored),
        gauge("targets", "Target places of the job.", state.places.targets),
        gauge("targets_covered", "Targets with an address on a page.", state.places.covered),
        gauge("index_pages", "Pages in the search index.", indexed),
        gauge("snapshot_timestamp_seconds", written, state.written),
        *watched,
    )


def _lines(metric: _Metric) -> Iterable[str]:
    """A metric without samples is left out."""
    if not metric.samples:
        return
    name = f"toponaut_{metric.name}"
    yield f"# HELP {name} {_escape_help(metric.about)}\n# TYPE {name} {metric.kind}\n"
    for value, number in metric.samples:
        labels = f'{{{metric.label}="{_escape(value)}"}}' if metric.label else ""
        yield f"{name}{labels} {int(number) if number == int(number) else number!r}\n"


def _escape(value: str) -> str:
    return _escape_help(value).replace('"', '\\"')


def _escape_help(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")
