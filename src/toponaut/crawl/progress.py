"""A crawl in figures: counted visit by visit, and as a whole at one moment."""

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct, field

from toponaut.frontier import Frontier
from toponaut.records import PAGES, Outcome, Visit

# Outcomes of requests that brought neither a page nor a list of pages.
FAULTS = frozenset({
    Outcome.GONE, Outcome.CLIENT_ERROR, Outcome.SERVER_ERROR, Outcome.NO_HOST, Outcome.TIMEOUT,
    Outcome.NO_CONNECTION, Outcome.NO_TLS, Outcome.BROKEN, Outcome.UNREADABLE, Outcome.TOO_LARGE,
})  # fmt: skip


class Totals(Struct):
    """Counts of one node or of a whole crawl: a fold over the log."""

    visits: int = 0
    pages: int = 0
    relevant: int = 0
    addresses: int = 0
    links: int = 0  # found and put into a frontier
    size: int = 0  # bytes received
    explored: int = 0  # requests for links below the price
    revisits: int = 0  # visits to pages that were fetched before; not counted as pages
    rendered: int = 0  # pages that a browser rendered
    sent: int = 0  # links to other nodes
    messages: int = 0  # with those links
    message_bytes: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)

    def add(self, visit: Visit) -> None:
        self.visits += 1
        self.outcomes[str(visit.outcome)] += 1  # ten times as fast as .value
        if visit.revisit:
            self.revisits += 1
            self.size += visit.size
            self.links += len(visit.links)
            return
        self.pages += visit.outcome in PAGES
        self.relevant += visit.relevant
        self.addresses += len(visit.addresses)
        self.links += len(visit.links)
        self.size += visit.size
        self.rendered += visit.rendered
        self.explored += visit.promise < visit.price
        self.sent += visit.sent
        self.messages += visit.messages
        self.message_bytes += visit.message_bytes
        for one in visit.refused:
            self.refused[str(one.why)] += 1

    def add_totals(self, other: "Totals") -> None:
        for name in Totals.__struct_fields__:
            count = getattr(other, name)
            if isinstance(count, int):
                setattr(self, name, getattr(self, name) + count)
            else:
                getattr(self, name).update(count)

    @property
    def faults(self) -> int:
        return sum(self.outcomes[outcome] for outcome in FAULTS)

    @property
    def harvest(self) -> float:
        """Relevant pages / downloaded pages."""
        return self.relevant / self.pages if self.pages else 0.0


class NodeProgress(Struct, frozen=True):
    """One node at one moment."""

    node: str
    pages: int
    relevant: int
    queued: int
    hosts: int  # known
    resting: int  # hosts with links that may not be asked yet
    busy: int  # hosts with a request in flight
    faults: int  # requests that brought no page
    sent: int  # links to other nodes


class WatchProgress(Struct, frozen=True):
    """A watch at one moment."""

    budget: int  # requests a day
    used: int  # of the last 24 hours
    pages: int  # under watch
    staleness: float  # expected share of pages that have changed since their last visit
    due: int  # visits of the next 24 hours
    changes: int  # visits of the last 24 hours that found other facts
    next: tuple[tuple[float, str], ...] = ()  # the next visits: moments and URLs


class Progress(Struct, frozen=True):
    """The whole crawl at one moment."""

    time: float  # Unix; simulated on a replayed web
    seconds: float  # since this run began
    pages: int
    relevant: int
    harvest: float
    addresses: int
    queued: int
    seen: int
    hosts: int
    resting: int
    busy: int
    faults: int
    received: int
    sent: int  # links from one node to another
    messages: int  # with those links
    message_bytes: int
    outcomes: dict[str, int]
    refused: dict[str, int]
    nodes: tuple[NodeProgress, ...]
    price: float = 0.0  # the promise that a link needs to be fetched now; 0: any
    explored: int = 0  # requests for links below the price
    paused: bool = False  # by the operator
    revisits: int = 0  # visits to pages that were fetched before
    rendered: int = 0  # pages that a browser rendered
    watch: WatchProgress | None = None


class NodeFigures(Struct, frozen=True):
    """The counts of a node, or of a shard of it, and the state of its frontier."""

    node: str
    totals: Totals
    queued: int
    seen: int
    hosts: int
    resting: int
    busy: int

    @classmethod
    def of_frontier(cls, node: str, totals: Totals, frontier: Frontier) -> "NodeFigures":
        waiting = (frontier.seen, frontier.hosts, frontier.resting, frontier.busy)
        return cls(node, totals, len(frontier), *waiting)


def progress_of(
    figures: Sequence[NodeFigures], time: float, seconds: float, price: float = 0.0
) -> Progress:
    """The progress of a crawl. The shards of a node are added up."""
    totals = Totals()
    by_node: dict[str, list[NodeFigures]] = {}
    for one in figures:
        totals.add_totals(one.totals)
        by_node.setdefault(one.node, []).append(one)
    return Progress(
        time=time,
        seconds=round(seconds, 3),
        pages=totals.pages,
        relevant=totals.relevant,
        harvest=round(totals.harvest, 4),
        addresses=totals.addresses,
        queued=sum(one.queued for one in figures),
        seen=sum(one.seen for one in figures),
        hosts=sum(one.hosts for one in figures),
        resting=sum(one.resting for one in figures),
        busy=sum(one.busy for one in figures),
        faults=totals.faults,
        received=totals.size,
        sent=totals.sent,
        messages=totals.messages,
        message_bytes=totals.message_bytes,
        outcomes=dict(totals.outcomes),
        refused=dict(totals.refused),
        nodes=tuple(_node_progress(node, some) for node, some in by_node.items()),
        price=max(price, 0.0),
        explored=totals.explored,
        revisits=totals.revisits,
        rendered=totals.rendered,
    )


def _node_progress(node: str, shards: Sequence[NodeFigures]) -> NodeProgress:
    return NodeProgress(
        node=node,
        pages=sum(one.totals.pages for one in shards),
        relevant=sum(one.totals.relevant for one in shards),
        queued=sum(one.queued for one in shards),
        hosts=sum(one.hosts for one in shards),
        resting=sum(one.resting for one in shards),
        busy=sum(one.busy for one in shards),
        faults=sum(one.totals.faults for one in shards),
        sent=sum(one.totals.sent for one in shards),
    )
