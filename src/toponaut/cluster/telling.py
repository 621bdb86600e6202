"""The progress of a crawl on a cluster, from what its actors last said."""

from collections.abc import Mapping

from toponaut.cluster.beats import Beat
from toponaut.cluster.exchange import Parts
from toponaut.crawl.progress import NodeProgress, Progress
from toponaut.crawl.totals import Totals


def progress_of(beats: Mapping[str, Beat], parts: Parts, seconds: float) -> Progress:
    """All actors together; the shards of a node as one."""
    totals = Totals()
    for beat in beats.values():
        add(totals, beat.totals)
    nodes = {
        node: [beat for actor, beat in beats.items() if parts.node_of(actor) == node]
        for node in parts.nodes
    }
    return Progress(
        time=max((beat.time for beat in beats.values()), default=0.0),
        seconds=round(seconds, 3),
        pages=totals.pages,
        relevant=totals.relevant,
        harvest=round(totals.harvest, 4),
        addresses=totals.addresses,
        queued=sum(beat.queued for beat in beats.values()),
        seen=sum(beat.seen for beat in beats.values()),
        hosts=sum(beat.hosts for beat in beats.values()),
        resting=sum(beat.resting for beat in beats.values()),
        busy=sum(beat.busy for beat in beats.values()),
        faults=totals.faults,
        received=totals.size,
        sent=totals.sent,
        messages=totals.messages,
        message_bytes=totals.message_bytes,
        outcomes=dict(totals.outcomes),
        refused=dict(totals.refused),
        nodes=tuple(_node(node, some) for node, some in nodes.items()),
    )


def _node(node: str, beats: list[Beat]) -> NodeProgress:
    return NodeProgress(
        node=node,
        pages=sum(beat.totals.pages for beat in beats),
        relevant=sum(beat.totals.relevant for beat in beats),
        queued=sum(beat.queued for beat in beats),
        hosts=sum(beat.hosts for beat in beats),
        resting=sum(beat.resting for beat in beats),
        busy=sum(beat.busy for beat in beats),
        faults=sum(beat.totals.faults for beat in beats),
        sent=sum(beat.totals.sent for beat in beats),
    )


def add(to: Totals, other: Totals) -> None:
    """Adds some counts to others."""
    for name in Totals.__struct_fields__:
        count = getattr(other, name)
        if isinstance(count, int):
            setattr(to, name, getattr(to, name) + count)
        else:
            getattr(to, name).update(count)
