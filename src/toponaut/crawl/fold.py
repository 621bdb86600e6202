"""Everything that a crawl remembers is a fold over its log. This is that fold.

After a clean stop the frontiers are on the disk, and only counts are folded, from a few columns.
After a crash, and whenever an actor of a cluster starts, the frontiers are empty: then all links
are queued and all visited URLs are marked as taken. Strategies learn from all visits again, unless
their models were saved at the end of the log.
"""

from collections import defaultdict
from collections.abc import Sequence

from msgspec import Struct, field

from toponaut.crawl.control import BY_OPERATOR, ControlState, exclusion
from toponaut.crawl.parts import CrawlParts
from toponaut.exchange import urls_elsewhere
from toponaut.log.visit import asked_host
from toponaut.node import Node
from toponaut.records import PAGES, Outcome, QueuedLink, Visit
from toponaut.strategy import Learner
from toponaut.timing import crawl_moment
from toponaut.urls import host_of
from toponaut.watch.budget import NO_REQUEST
from toponaut.web.politeness.robots import HAVE_RULES

_COUNTED = (
    "sequence", "node", "url", "outcome", "detail", "time", "size", "promise", "price", "simhash",
    "relevant", "addresses.normal", "links.url", "refused", "canonical", "sent", "messages",
    "message_bytes", "archive", "offset", "length", "stamp", "revisit",
    "rendered", "rules_of", "retry_after",
)  # fmt: skip
_WEB = ("status", "seconds")  # a watch continues by the same rules and clocks
_QUEUED = (
    "depth", "hops", "found_by", "tries", "score", "redirects", "sitemap", "requisite", "retry",
    "dropped", "links", "ordering_memo", "owner_memo", "sunk", "sunk_to",
)  # fmt: skip


class CrawlHistory(Struct):
    """The log of a crawl so far, apart from its totals."""

    visits: int = 0
    next: int = 0  # the sequence after the last visit
    time: float = 0.0  # of the last visit
    archived: tuple[str, int] = ("", 0)  # where the last archived response ends
    end_known: bool = True  # whether no visit is missing after it
    archives: dict[str, int] = field(default_factory=dict)  # where the last one in each file ends
    seeds: set[str] = field(default_factory=set)
    controls: ControlState = field(default_factory=ControlState)
    rules: dict[str, Visit] = field(default_factory=dict)  # of a watch: robots.txt by origin


class LogFold:
    """Brings nodes, gate and strategies to the state at the end of a log.

    `rebuild`: fill the frontiers, too. `learners`: the strategies that have to learn again. Visits
    of other actors of a cluster count for the links that they found for a node here, and teach.
    """

    def __init__(
        self, parts: CrawlParts, nodes: Sequence[Node], learners: Sequence[Learner], rebuild: bool
    ) -> None:
        self.history = CrawlHistory()
        self._parts, self._exchange = parts, parts.exchange
        self._nodes = {node.name: node for node in nodes}
        self._learners, self._rebuild = learners, rebuild
        self._hosts: set[str] = set()

    @property
    def fields(self) -> tuple[str, ...]:
        """The columns of the log that `add` needs."""
        queued = _QUEUED if self._rebuild else ()
        agenda = (self._parts.agenda,) if self._parts.agenda else ()
        web = _WEB if agenda else ()
        learned = (name for one in (*self._learners, *agenda) for name in one.learns_from)
        return tuple(dict.fromkeys((*_COUNTED, *queued, *web, *learned)))

    def add(self, visits: Sequence[Visit]) -> None:
        """Fold some visits, in the order of the log."""
        if self._rebuild:
            self._queue_in_order(visits)
        for visit in visits:
            self.history.time = max(self.history.time, crawl_moment(visit.time, visit.stamp))
            if visit.outcome is Outcome.SEEDED:
                self._take_seeds(visit)
            elif visit.outcome is Outcome.CONTROL:
                self._control(visit)
            here = self._is_here(visit)
            if here:
                self._count(visit)
            self._learn(visit, here)

    def finish(self) -> CrawlHistory:
        """Drop the links of full and of failing hosts, also if a limit was lowered since."""
        node = next(iter(self._nodes.values()))
        for host in self._hosts:
            node.give_up_if_closed(host)
        return self.history

    def _is_here(self, visit: Visit) -> bool:
        return self._exchange.receiver(visit.node, visit.url) in self._exchange.frontiers

    def _count(self, visit: Visit) -> None:
        history, parts = self.history, self._parts
        history.visits += 1
        if visit.sequence != history.next:
            history.end_known = False
        history.next = visit.sequence + 1
        if visit.archive:
            history.archived = visit.archive, visit.offset + visit.length
            history.archives[visit.archive] = visit.offset + visit.length
            history.end_known = True
        parts.totals.add(visit)
        self._nodes[visit.node].totals.add(visit)
        if visit.outcome in PAGES:
            parts.gate.is_near_copy(visit.node, visit.url, visit.simhash, visit.relevant)

    def _learn(self, visit: Visit, here: bool) -> None:
        if self._parts.agenda:
            self._parts.agenda.learn(visit)
            if visit.rules_of and visit.outcome in HAVE_RULES:
                self.history.rules[visit.rules_of] = visit
            if visit.url and visit.outcome not in NO_REQUEST:
                self._parts.web.remember_visit(visit, crawl_moment(visit.time, visit.stamp))
        if visit.retry_after:
            self._parts.web.remember_wait(visit, crawl_moment(visit.time, visit.stamp))
        if visit.revisit:
            return
        if visit.url:
            self._parts.gate.learn(visit, here)
            self._hosts.add(host_of(visit.url))
        for strategy in self._learners:
            strategy.learn(visit)

    def _queue_in_order(self, visits: Sequence[Visit]) -> None:
        """Queue the links of some visits. A host that was given up may have got links later; links
        that sank may have been rated again.
        """
        start = 0
        for end, visit in enumerate(visits, 1):
            if visit.sunk:
                self._queue(visits[start : end - 1])
                start = end - 1
                receiver = self._exchange.receiver(visit.node, visit.url)
                if frontier := self._exchange.frontiers.get(receiver):
                    frontier.sink(visit.sunk, visit.sunk_to)
            control = visit.outcome is Outcome.CONTROL
            if visit.dropped or control or end == len(visits):
                self._queue(visits[start:end])
                start = end
            if control and (text := ControlState().add(visit.detail)):
                self._exchange.drop_if(exclusion(text))

    def _take_seeds(self, visit: Visit) -> None:
        urls = [link.url for link in visit.links]
        self.history.seeds.update(urls)
        if visit.detail == BY_OPERATOR:
            self._parts.gate.admit(urls)

    def _control(self, visit: Visit) -> None:
        if excluded := self.history.controls.add(visit.detail):
            self._parts.gate.exclude(exclusion(excluded))

    def _queue(self, visits: Sequence[Visit]) -> None:
        """Queue the links of some visits; visited URLs do not wait, except for a retry."""
        frontiers = self._exchange.frontiers
        found: dict[str, list[QueuedLink]] = defaultdict(list)
        elsewhere: dict[str, list[str]] = defaultdict(list)
        latest: dict[str, dict[str, Visit]] = defaultdict(dict)
        for visit in visits:
            parcels = self._exchange.parcels(visit.links, visit.sequence)
            for receiver, queued in parcels.items():
                if receiver in frontiers:
                    found[receiver] += queued
            here = self._exchange.receiver(visit.node, visit.url)
            if here in frontiers:
                elsewhere[here] += urls_elsewhere(visit.links, parcels.get(here, ()))
                if visit.url:
                    latest[here][visit.url] = visit
        for receiver, queued in found.items():
            frontiers[receiver].put(queued)
        for receiver, urls in elsewhere.items():
            frontiers[receiver].meet(urls)
        for receiver, visited in latest.items():
            frontiers[receiver].mark_taken(
                [url for url, visit in visited.items() if not visit.retry]
            )
            for visit in visited.values():
                if visit.retry:
                    frontiers[receiver].put_back(_retry(visit))
        for host in {asked_host(visit) for visit in visits if visit.dropped}:
            self._exchange.give_up(host)


def _retry(visit: Visit) -> QueuedLink:
    """The link of a visit, for its next try."""
    return QueuedLink(
        visit.url,
        visit.promise,
        depth=visit.depth,
        hops=visit.hops,
        found_by=visit.found_by,
        tries=visit.tries + 1,
        score=visit.score,
        redirects=visit.redirects,
        sitemap=visit.sitemap,
        requisite=visit.requisite,
        ordering_memo=visit.ordering_memo,
        owner_memo=visit.owner_memo,
    )
