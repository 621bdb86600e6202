"""A crawl's state as Prometheus reads it: the text exposition format, version 0.0.4.

Names, units and endings are as Prometheus asks for: base units, "_total" for what only grows. prometheus-client is not used: its
registry counts what happens in a process, and here everything is counted already, in the log.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from toponaut.app.state import State

MEDIA = "text/plain; version=0.0.4; charset=utf-8"


class _Metric(Struct, frozen=True):
    """One metric: its samples by the value of its one label, or a single one without."""

    name: str
    kind: str
    about: str
    samples: Sequence[tuple[str, float]]
    label: str = ""


def exposition(state: State, indexed: int = 0) -> str:
    """The whole text. `indexed`: pages in the index."""
    return "".join(line for metric in _metrics(state, indexed) for line in _lines(metric))


def _metrics(state: State, indexed: int) -> Iterable[_Metric]:
    now, nodes = state.numbers, state.nodes
    hosts = (("known", now.hosts), ("resting", now.resting), ("busy", now.busy))
    outcomes = [(one.outcome, one.visits) for one in state.outcomes]

    def one(name: str, about: str, value: float) -> _Metric:
        return _Metric(name, "gauge", about, (("", value),))

    def each(
        name: str,
        about: str,
        label: str,
        samples: Sequence[tuple[str, float]],
        kind: str = "counter",
    ) -> _Metric:
        return _Metric(name, kind, about, samples, label)

    return (
        one("running", "Whether the crawl runs: 1 or 0.", state.state == "running"),
        one("log_reading", "Whether the log has more than was counted yet: 1 or 0.", state.reading),
        each("pages_total", "Pages fetched.", "node", [(node.node, node.pages) for node in nodes]),
        each(
            "relevant_pages_total",
            "Pages that are relevant.",
            "node",
            [(node.node, node.relevant) for node in nodes],
        ),
        each(
            "addresses_total",
            "Addresses found in pages.",
            "node",
            [(node.node, node.addresses) for node in nodes],
        ),
        each(
            "received_bytes_total",
            "Bytes received.",
            "node",
            [(node.node, node.received) for node in nodes],
        ),
        each("outcomes_total", "Visits, by what came of them.", "outcome", outcomes),
        each(
            "refused_total",
            "Links that were not taken, by reason.",
            "reason",
            list(state.refused.items()),
        ),
        each(
            "queue_links",
            "Links that wait.",
            "node",
            [(node.node, node.queued) for node in nodes],
            "gauge",
        ),
        each(
            "hosts",
            "Hosts: all that are known, those at rest, those being asked.",
            "state",
            hosts,
            "gauge",
        ),
        one("targets", "Places that the job wants pages about.", state.places.targets),
        one(
            "targets_covered", "Those with a page that has an address there.", state.places.covered
        ),
        one("index_pages", "Pages in the search index.", indexed),
        one(
            "snapshot_timestamp_seconds",
            "When the crawling process last wrote how far it is.",
            state.written,
        ),
    )


def _lines(metric: _Metric) -> Iterable[str]:
    """A metric without samples is left out: a heading alone tells nothing."""
    if not metric.samples:
        return
    name = f"toponaut_{metric.name}"
    yield f"# HELP {name} {_escape_help(metric.about)}\n# TYPE {name} {metric.kind}\n"
    for value, number in metric.samples:
        labels = f'{{{metric.label}="{_escape(value)}"}}' if metric.label else ""
        yield f"{name}{labels} {_number(number)}\n"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


def _escape(value: str) -> str:
    return _escape_help(value).replace('"', '\\"')


def _escape_help(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")
