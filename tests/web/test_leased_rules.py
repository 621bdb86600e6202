"""A robots.txt that redirects to another host takes the clocks of both, also on a cluster."""

import asyncio
import time

import pytest

from toponaut.job import Job, PolitenessSection, TargetsSection
from toponaut.records import Outcome, QueuedLink, Request, Response
from toponaut.timing import LiveTime
from toponaut.web.politeness.clock_keeper import ClockKeeper
from toponaut.web.politeness.lease_messages import LeaseReply, LeaseRequest
from toponaut.web.politeness.leases import LeasedClocks, LeasedFetcher, LeaseOverError
from toponaut.web.politeness.polite_fetcher import PoliteFetcher, TurnResult

A, B = "a.example", "b.example"
JOB = Job(
    seeds=("http://a.example/",),
    targets=TargetsSection(places=(1,)),
    politeness=PolitenessSection(delay=0.0),
)


class Node:
    """A node with its clocks; A's robots.txt redirects to B, whose lease ends when it is asked."""

    live = True

    def __init__(self) -> None:
        self.time, self.clocks = LiveTime(), LeasedClocks(0.0)
        self._keeper = ClockKeeper(0.0, time.monotonic())
        fetcher = LeasedFetcher(self, self.clocks, self.time)
        self.web = PoliteFetcher(fetcher, self.clocks, self.time, JOB)

    async def fetch(self, request: Request) -> Response:
        if A in request.url:
            to = f"http://{B}/robots.txt"
            return Response(request.url, 301, b"", outcome=Outcome.REDIRECT, location=to)
        now = time.monotonic()
        lost = LeaseRequest("north", 1, 1, 100, holds=[(B, 0)])
        self.clocks.apply_reply(0, lost, LeaseReply(1, lost=[B]), now, self.time.now())
        await asyncio.sleep(60.0)
        raise AssertionError("the request outlived its lease")

    def address(self, host: str) -> str | None:  # noqa: ARG002 (all are one server)
        return ""

    async def close(self) -> None:
        pass

    def lease(self, *hosts: str) -> None:
        """Get the clocks of hosts. Who meets a keeper for the first time has to ask twice."""
        for host in hosts:
            self.clocks.claim(host, self.time.now())
        for _ in range(2):
            now = time.monotonic()
            if asked := self.clocks.next_request("north", 1, 0, self.time.now()):
                reply = self._keeper.ask(asked, now)
                self.clocks.apply_reply(0, asked, reply, now, self.time.now())

    def take_turn(self) -> TurnResult:
        assert self.web.claim(A, now := self.time.now()) <= now
        return asyncio.run(self.web.take_turn("n", QueuedLink(f"http://{A}/", 1.0)))


def test_a_lease_that_ends_on_the_way_frees_both_hosts() -> None:
    node = Node()
    node.lease(A, B)
    assert [one.outcome for one in node.take_turn().rules] == [Outcome.REDIRECT]
    with pytest.raises(LeaseOverError):
        node.take_turn()
    assert not node.clocks.busy(A)
    assert not node.clocks.busy(B)


def test_too_many_clocks_on_their_way_are_waited_for() -> None:
    """They are no failure of a host: three would give it up, with its links."""
    node = Node()
    node.lease(A)
    node.take_turn()
    for number in range(1000):
        node.clocks.claim(f"{number}.example", node.time.now())
    turn = node.take_turn()
    assert (turn.fetched, turn.rules, turn.dead) == (None, (), False)
    assert node.time.now() < turn.ready_at < node.time.now() + 10.0
