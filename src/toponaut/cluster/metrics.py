"""What an actor tells Ray's Prometheus endpoint: ray_toponaut_pages{crawl, node, actor}, and so on.

They are gauges, because they count all lives of an actor, as its logs do; a counter would begin anew with every life.
"""

from collections.abc import Callable

from ray.util.metrics import Gauge

from toponaut.cluster.beats import Beat

_TOLD: dict[str, tuple[str, Callable[[Beat], int]]] = {
    "pages": ("Pages fetched", lambda beat: beat.totals.pages),
    "relevant": ("Pages that are relevant", lambda beat: beat.totals.relevant),
    "received_bytes": ("Bytes received from the web", lambda beat: beat.totals.size),
    "faults": ("Requests that brought no page", lambda beat: beat.totals.faults),
    "queued": ("Links that wait", lambda beat: beat.queued),
    "hosts_busy": ("Hosts that are being asked", lambda beat: beat.busy),
    "hosts_resting": ("Hosts with links whose time has not come", lambda beat: beat.resting),
    "sent_links": ("Links sent to other nodes", lambda beat: beat.totals.sent),
    "message_bytes": (
        "Bytes of the messages that carried them",
        lambda beat: beat.totals.message_bytes,
    ),
}


class Metrics:
    """Those of one actor."""

    def __init__(self, crawl: str, node: str, actor: str) -> None:
        self._tags = {"crawl": crawl, "node": node, "actor": actor}
        self._gauges = {
            name: Gauge(f"toponaut_{name}", what, tuple(self._tags))
            for name, (what, _) in _TOLD.items()
        }

    def tell(self, beat: Beat) -> None:
        for name, (_, figure) in _TOLD.items():
            self._gauges[name].set(figure(beat), self._tags)
