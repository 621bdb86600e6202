"""A world in which clocks on lease are tried: nodes, keepers, storage and a network, all of which
fail.

Every process has a clock of its own, which runs up to a tenth faster than others and began
anywhere. Nodes and keepers die, are presumed dead and continue next to their successors, and are
suspended for up to half a minute. Calls and answers are lost, late or repeated, some nodes hear of
a new keeper long after others, and a keeper may lose sight of the storage. Recorded is
what the hosts see: when requests begin and end.
"""

from random import Random
from typing import NamedTuple

from toponaut.log import FencedError
from toponaut.web.politeness.clock_keeper import BlindKeeperError, ClockKeeper, LateCallError
from toponaut.web.politeness.lease_messages import LeaseReply, LeaseRequest
from toponaut.web.politeness.leases import LeasedClocks

HOSTS = ("a.example", "b.example", "slow.example")
CRAWL_DELAYS = {"slow.example": 4.0}  # by its robots.txt, which every node has to read for itself
TICK = 0.05
FASTEST = 1.1  # how much faster one clock may run than another
_PATIENCE_S = 3.0  # of a node with a call
_LOOKS = (0.03, 0.1)  # in a tick a keeper looks with one of these chances whether it is the last


class Kind(NamedTuple):
    """The parameters of a world."""

    delay: float
    troubles: float = 0.0  # how many a second
    others: float = 0.3  # how much a node wants hosts that are not its favourite
    longest: float = 0.7  # seconds of a request


class Request:
    """One that was made, by the world's time."""

    def __init__(self, host: str, who: str, knew_rules: bool, start: float, seconds: float) -> None:
        self.host, self.who, self.knew_rules, self.start = host, who, knew_rules, start
        self.end = start + seconds


class Process:
    """A process with its own clock, which may be suspended."""

    def __init__(self, chance: Random, real: float) -> None:
        self._rate = chance.choice([1.0, FASTEST])
        self._zero = chance.uniform(-1e6, 1e6)
        self.real = real
        self.suspended_until = real

    def steady(self) -> float:
        return self._zero + self.real * self._rate

    def runs(self, real: float) -> bool:
        if real >= self.suspended_until:
            self.real = real
        return real >= self.suspended_until


class KeeperProcess(Process):
    """A keeper. `storage` knows which keeper began last."""

    def __init__(self, kind: Kind, epoch: int, chance: Random, real: float) -> None:
        super().__init__(chance, real)
        self.epoch, self._chance = epoch, chance
        self.keeper = ClockKeeper(kind.delay, self.steady(), epoch=epoch, successor=epoch > 1)
        self._looked = self.steady()
        self._looks = chance.choice(_LOOKS) if kind.troubles else 1.0
        self.blind_until = real

    def look(self, latest: int) -> bool:
        """Whether it continues."""
        if self.real < self.blind_until or self._chance.random() > self._looks:
            return True
        self._looked = self.steady()
        return latest == self.epoch

    def ask(self, asked: LeaseRequest) -> LeaseReply | None:
        try:
            return self.keeper.ask(asked, self.steady(), self._looked)
        except (BlindKeeperError, LateCallError):
            return None


class Call(NamedTuple):
    """On its way to a keeper, or back with an answer."""

    at: float
    node: "Node"
    asked: LeaseRequest
    sent: float
    keeper: KeeperProcess
    answer: LeaseReply | None = None


class Node(Process):
    """Asks a host again and again, and the others at times."""

    def __init__(self, name: str, epoch: int, kind: Kind, chance: Random, real: float) -> None:
        super().__init__(chance, real)
        self.name, self.epoch = name, epoch
        self._wall = chance.uniform(0, 1e9)
        self.cut_off_until = real
        self.hears_slowly = chance.random() < 0.5  # of new keepers
        self._chance = chance
        self._favourite, self._others, self._longest = (
            HOSTS[epoch % len(HOSTS)],
            kind.others,
            kind.longest,
        )
        self.clocks = LeasedClocks(kind.delay, self.steady)
        self.calls: Call | None = None  # that it waits for
        self.claimed: list[str] = []  # where a connection is being made
        self.under_way: list[Request] = []
        self.asked: set[str] = set()

    def now(self) -> float:
        return self.steady() + self._wall

    def crawl(self) -> list[Request]:
        """Ends requests that are answered or without a lease, and begins others."""
        for request in list(self.under_way):
            if request.end > self.real and self.clocks.left(request.host) > 0:
                continue
            request.end = min(request.end, self.real)
            self.under_way.remove(request)
            self.clocks.release(request.host, self.now(), seconds=0.0, healthy=True)
            if request.host in CRAWL_DELAYS:
                self.clocks.crawl_delay(request.host, CRAWL_DELAYS[request.host])
        made = [self._begin(host) for host in self.claimed if self.clocks.left(host) > 0]
        for host in self.claimed:
            if host not in {request.host for request in made}:
                self.clocks.forgo(host, self.now())
        self.under_way += made
        self.claimed = [
            host
            for host in HOSTS
            if self._wants(host) and self.clocks.claim(host, self.now()) <= self.now()
        ]
        return made

    def _wants(self, host: str) -> bool:
        return self._chance.random() < (1.0 if host == self._favourite else self._others)

    def _begin(self, host: str) -> Request:
        seconds = self._chance.choice(
            [0.01, 0.1] if self._chance.random() < 0.95 else [0.7, self._longest]
        )
        knew = host in self.asked
        self.asked.add(host)
        return Request(host, f"{self.name}@{self.epoch}", knew, self.real, seconds)

    def leave(self, real: float) -> None:
        """It dies or is suspended: its open requests do not count any more."""
        for request in self.under_way:
            request.end = min(request.end, real)


class World:
    """Runs for some time."""

    def __init__(self, chance: Random, kind: Kind) -> None:
        self._chance, self._kind, self._troubles = chance, kind, kind.troubles
        self.real, self._epochs = 0.0, 3
        self.nodes = [
            Node(name, k + 1, kind, chance, 0.0)
            for k, name in enumerate(("north", "south", "west"))
        ]
        self.keepers = [KeeperProcess(kind, 1, chance, 0.0)]
        self._route = dict.fromkeys(
            self.nodes, self.keepers[0]
        )  # which keeper it believes to be the one
        self._calls: list[Call] = []
        self._latest = 1  # keeper
        self.made: list[Request] = []

    def run(self, seconds: float) -> list[Request]:
        """The requests that were made."""
        kinds = [self._new_keeper, self._new_node, self._suspend, self._blind, self._cut_off]
        troubles = self._chance.sample(kinds, 3)
        while self.real < seconds:
            self.real += TICK
            self.keepers = [
                one for one in self.keepers if not one.runs(self.real) or one.look(self._latest)
            ]
            self._carry()
            for node in list(self.nodes):
                if node.runs(self.real):
                    self.made += node.crawl()
                    self._speak(node)
            if self._chance.random() < self._troubles * TICK:
                self._chance.choice(troubles)()
        return self.made

    # --- the network ---

    def _speak(self, node: Node) -> None:
        if node.calls and node.steady() - node.calls.sent < _PATIENCE_S:
            return
        if self._chance.random() < (0.1 if node.hears_slowly else 0.5):
            self._route[node] = self.keepers[-1]
        sent = node.steady()
        asked = node.clocks.next_request(node.name, node.epoch, 0, node.now())
        if asked is None:
            return
        node.calls = Call(self._later(), node, asked, sent, self._route[node])
        self._calls += [node.calls] * (2 if self._troubles and self._chance.random() < 0.05 else 1)
        if node.cut_off_until > self.real or (self._troubles and self._chance.random() < 0.05):
            self._calls.remove(node.calls)

    def _later(self) -> float:
        slow = self._troubles and self._chance.random() < 0.1
        return self.real + (
            self._chance.uniform(0, self._chance.choice([_PATIENCE_S, 20.0])) if slow else 0.0
        )

    def _carry(self) -> None:
        due = [call for call in self._calls if call.at <= self.real]
        self._calls = [call for call in self._calls if call.at > self.real]
        for call in due:
            to: Process = call.node if call.answer else call.keeper
            if not to.runs(self.real):
                self._calls.append(call._replace(at=to.suspended_until))
            elif call.answer:
                self._hear(call)
            elif call.keeper in self.keepers:
                self._reach(call)

    def _reach(self, call: Call) -> None:
        try:
            answer = call.keeper.ask(call.asked)
        except FencedError:
            if call.node in self.nodes and self._chance.random() < 0.5:
                call.node.leave(self.real)
                self.nodes.remove(call.node)
            return
        if answer and not (self._troubles and self._chance.random() < 0.05):
            self._calls.append(call._replace(at=self._later(), answer=answer))

    def _hear(self, call: Call) -> None:
        node = call.node
        if node.calls and node.calls.asked is call.asked and call.answer:
            node.calls = None
            node.clocks.apply_reply(0, call.asked, call.answer, call.sent, node.now())

    # --- what may happen ---

    def _new_keeper(self) -> None:
        self._latest += 1
        if self._chance.random() < 0.3:  # the old one is dead; else it was thought to be
            self.keepers.clear()
        self.keepers.append(KeeperProcess(self._kind, self._latest, self._chance, self.real))

    def _new_node(self) -> None:
        old = self._chance.choice(self.nodes)
        self._epochs += 1
        new = Node(old.name, self._epochs, self._kind, self._chance, self.real)
        self.nodes.append(new)
        self._route[new] = self._chance.choice(self.keepers)
        if self._chance.random() < 0.5:
            old.leave(self.real)
            self.nodes.remove(old)

    def _suspend(self) -> None:
        one: Process = self._chance.choice([*self.nodes, *self.keepers])
        one.suspended_until = self.real + self._chance.choice([1.0, 5.0, 12.0, 30.0])
        if isinstance(one, Node):
            one.leave(self.real)

    def _cut_off(self) -> None:
        one = self._chance.choice(self.nodes)
        one.cut_off_until = self.real + self._chance.choice([3.0, 8.0, 15.0])

    def _blind(self) -> None:
        self._chance.choice(self.keepers).blind_until = self.real + self._chance.choice([2.0, 8.0])
