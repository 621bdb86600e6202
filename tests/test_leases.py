"""Clocks on lease: whoever dies or is cut off, no host is asked by two, nor faster than its delay."""

import itertools
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toponaut.log import FencedError
from toponaut.web.leases import LEASE_S, Answer, Asked, Keeper, LeasedClocks
from toponaut.web.politeness import ClockState

DELAY = 1.0
HOSTS = ("a.example", "b.example", "c.example")
TICK = 0.05


class Request:
    """One that was made, by real time."""

    def __init__(self, host: str, who: str, start: float) -> None:
        self.host, self.who, self.start = host, who, start
        self.end = float("inf")  # it is under way, or whoever made it died


class Node:
    """Asks a host again and again, and the others at times. Its two clocks have nothing to do with those of others."""

    def __init__(self, name: str, epoch: int, real: float, chance: Random, others: float) -> None:
        self.name, self.epoch = name, epoch
        self.clocks = LeasedClocks(DELAY)
        self._steady, self._wall = chance.uniform(0, 1e6) - real, chance.uniform(0, 1e9) - real
        self._chance = chance
        self._favourite, self._others = HOSTS[epoch % len(HOSTS)], others
        self.under_way: list[tuple[float, Request]] = []
        self.cut_off = False

    def talk(self, keeper: Keeper, real: float, at_keeper: float) -> None:
        """Calls and answers may be lost."""
        steady, now = real + self._steady, real + self._wall
        asked = self.clocks.asking(self.name, self.epoch, bool, now, steady)
        if asked is None or self.cut_off or self._chance.random() < 0.1:
            return
        answer = keeper.ask(asked, at_keeper)
        if self._chance.random() > 0.1:
            self.clocks.answered(asked, answer, steady, now, steady)

    def crawl(self, real: float) -> list[Request]:
        now = real + self._wall
        for end, request in [one for one in self.under_way if one[0] <= real]:
            request.end = end
            self.under_way.remove((end, request))
            self.clocks.release(request.host, now, seconds=0.0, healthy=True)
        made = []
        for host in HOSTS:
            if self._chance.random() > (1.0 if host == self._favourite else self._others):
                continue
            self.clocks.steady = real + self._steady
            if self.clocks.claim(host, now) <= now:
                made.append(Request(host, f"{self.name}@{self.epoch}", real))
                self.under_way.append((real + self._chance.choice([0.0, 0.1, 0.7]), made[-1]))
        return made


def run(chance: Random, seconds: float, troubles: float, others: float) -> list[Request]:
    """Two or three nodes and a keeper; now and then one of them dies, or is thought to."""
    real, epochs = 0.0, 3
    keeper, keeper_zero = Keeper(DELAY, 0.0), 0.0
    nodes = [Node(name, k + 1, 0.0, chance, others) for k, name in enumerate(("north", "south", "west"))]
    made: list[Request] = []
    while real < seconds:
        real += TICK
        for node in list(nodes):
            try:
                node.talk(keeper, real, real - keeper_zero)
            except FencedError:
                nodes.remove(node)
                continue
            made += node.crawl(real)
        if chance.random() < troubles * TICK:
            if chance.random() < 0.5:  # the keeper dies, and its clock begins anew
                keeper_zero = real - chance.uniform(0, 100)
                keeper = Keeper(DELAY, real - keeper_zero, anew=True)
            else:
                old = chance.choice(nodes)
                epochs += 1
                nodes.append(Node(old.name, epochs, real, chance, others))
                old.cut_off = chance.random() < 0.5  # it goes on without hearing of it
                if chance.random() < 0.3:
                    nodes.remove(old)
    return made


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_no_host_is_asked_faster_than_its_delay(seed: int) -> None:
    made = run(Random(seed), seconds=90.0, troubles=1 / 15, others=0.02)
    assert len(made) > 40
    for host in HOSTS:
        requests = [one for one in made if one.host == host]
        for before, after in itertools.pairwise(requests):
            assert after.start - before.start >= DELAY - 1e-6, (seed, before.who, after.who)


@settings(max_examples=10)
@given(st.integers(0, 10**6))
def test_on_a_good_day_hosts_are_never_asked_by_two_and_all_have_their_share(seed: int) -> None:
    made = run(Random(seed), seconds=60.0, troubles=0.0, others=0.7)
    for host in HOSTS:
        requests = [one for one in made if one.host == host]
        for before, after in itertools.pairwise(requests):
            assert after.start - before.end >= DELAY - 1e-6
        assert len(requests) > 15
        assert len({one.who for one in requests}) == 3


def test_a_node_that_is_alone_on_its_host_sends_nothing_for_single_requests() -> None:
    keeper, clocks = Keeper(DELAY, 0.0), LeasedClocks(DELAY)
    messages, requests, now = 0, 0, 0.0
    while now < 100.0:
        now += TICK
        asked = clocks.asking("north", 1, bool, now, now)
        if asked and (asked.wants or asked.holds or asked.returns):
            messages += 1
        if asked:
            clocks.answered(asked, keeper.ask(asked, now), now, now, now)
        if clocks.claim("a.example", now) <= now:
            clocks.release("a.example", now, seconds=0.0, healthy=True)
            requests += 1
    assert requests > 90
    assert messages < 50


def test_what_was_learned_of_a_host_goes_with_its_clock() -> None:
    keeper, north, south = Keeper(DELAY, 0.0), LeasedClocks(DELAY), LeasedClocks(DELAY)

    def talk(name: str, clocks: LeasedClocks, now: float) -> Answer:
        asked = clocks.asking(name, 1 if name == "north" else 2, bool, now, now)
        assert asked
        answer = keeper.ask(asked, now)
        clocks.answered(asked, answer, now, now, now)
        return answer

    assert north.claim("a.example", 0.0) > 0.0
    assert talk("north", north, 0.0).granted == [("a.example", ClockState())]
    assert north.claim("a.example", 0.0) <= 0.0
    south.claim("a.example", 0.0)
    assert [host for host, _ in talk("south", south, 0.1).later] == ["a.example"]
    assert talk("north", north, 0.2).wanted == ["a.example"]
    north.crawl_delay("a.example", 7.0)
    north.release("a.example", 0.5, seconds=0.3, healthy=False)
    assert north.claim("a.example", 20.0) > 20.0  # it is wanted elsewhere
    talk("north", north, 0.6)
    south.steady = 0.7
    (host, wait) = talk("south", south, 0.7).later[0]
    assert host == "a.example"
    assert wait == pytest.approx(6.8)
    granted = dict(talk("south", south, 8.0).granted)
    assert granted["a.example"].failures == 1
    assert (granted["a.example"].crawl_delay, south.failing("a.example"), north.failing("a.example")) == (7.0, 1, 0)


def test_the_hosts_of_a_keeper_that_died_wait_for_its_leases_and_a_full_delay() -> None:
    keeper = Keeper(DELAY, 100.0, anew=True)
    asked = Asked("north", 1, wants=[("a.example", 0.0), ("slow.example", 30.0)])
    for now in (100.0, 105.0, 100.0 + LEASE_S):
        assert keeper.ask(asked, now).granted == []
    assert [host for host, _ in keeper.ask(asked, 100.0 + LEASE_S + DELAY).granted] == ["a.example"]
    late = keeper.ask(asked, 100.0 + LEASE_S + 30.0)
    assert "slow.example" in dict(late.granted)


def test_who_has_a_clock_keeps_it_when_its_keeper_dies() -> None:
    keeper = Keeper(DELAY, 0.0, anew=True)
    assert keeper.ask(Asked("north", 1, holds=["a.example"]), 1.0).lost == []
    other = Asked("south", 2, wants=[("a.example", 0.0)])
    assert keeper.ask(other, LEASE_S + 0.5).granted == []
    assert keeper.ask(Asked("north", 1, holds=["late.example"]), LEASE_S + 0.5).lost == ["late.example"]
    assert dict(keeper.ask(other, 1.0 + LEASE_S + DELAY).granted).keys() == {"a.example"}


def test_a_node_that_was_followed_gets_no_clock() -> None:
    keeper = Keeper(DELAY, 0.0)
    keeper.ask(Asked("north", 5), 0.0)
    with pytest.raises(FencedError, match="north@4 was followed by north@5"):
        keeper.ask(Asked("north", 4, wants=[("a.example", 0.0)]), 1.0)
