"""Leased clocks: no host is requested by two nodes, or too fast, whatever dies or is cut off."""

import asyncio
import contextlib
import itertools
import time
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.support.lease_world import CRAWL_DELAYS, FASTEST, HOSTS, Kind, Request, World

from toponaut.log import FencedError
from toponaut.web.politeness.clock_keeper import (
    LOOK_S,
    BlindKeeperError,
    ClockKeeper,
    LateCallError,
)
from toponaut.web.politeness.clocks import ClockState
from toponaut.web.politeness.lease_messages import LEASE_S, LeaseReply, LeaseRequest
from toponaut.web.politeness.leases import LeasedClocks, LeaseOverError

DELAY = 1.0


def check(made: list[Request], delay: float) -> None:
    """Each request waits a full delay after the one before, by the fastest of all clocks."""
    for host in HOSTS:
        requests = [one for one in made if one.host == host]
        for before, after in itertools.pairwise(requests):
            least = max(delay, CRAWL_DELAYS.get(host, 0.0) if after.knew_rules else 0.0)
            assert after.start - before.end >= least / FASTEST - 1e-6, (
                host,
                before.who,
                after.who,
                after.start,
            )


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.sampled_from([0.2, 1.0, 3.0]))
def test_no_host_is_asked_by_two_nor_faster_than_its_delay(seed: int, delay: float) -> None:
    made = World(Random(seed), Kind(delay, troubles=1 / 8, longest=20.0)).run(seconds=200.0)
    assert made
    check(made, delay)


@settings(max_examples=10)
@given(st.integers(0, 10**6))
def test_on_a_good_day_all_have_their_share(seed: int) -> None:
    made = World(Random(seed), Kind(DELAY, others=0.7)).run(seconds=80.0)
    check(made, DELAY)
    for host in HOSTS:
        requests = [one for one in made if one.host == host]
        assert len(requests) > (5 if host in CRAWL_DELAYS else 15)
        assert len({one.who for one in requests}) == 3


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Pair:
    """A node and its keeper, who understand each other at once."""

    def __init__(self, name: str, epoch: int, keeper: ClockKeeper, clock: Clock) -> None:
        self._name, self._epoch, self._keeper, self._clock = name, epoch, keeper, clock
        self.clocks = LeasedClocks(keeper.delay, clock)

    def talk(self) -> LeaseReply:
        """Says what there is to say, until there is no more."""
        answers = []
        for _ in range(2):  # who meets a keeper for the first time has to ask twice
            sent = self._clock.now
            if asked := self.clocks.next_request(self._name, self._epoch, 0, sent):
                answers.append(self._keeper.ask(asked, sent))
                self.clocks.apply_reply(0, asked, answers[-1], sent, sent)
        return answers[-1] if answers else LeaseReply()

    def claim(self, host: str = "a.example") -> bool:
        return self.clocks.claim(host, self._clock.now) <= self._clock.now

    def release(self, host: str = "a.example", healthy: bool = True) -> None:
        self.clocks.release(host, self._clock.now, seconds=0.0, healthy=healthy)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pair(clock: Clock) -> tuple[Pair, Pair]:
    keeper = ClockKeeper(DELAY, clock.now)
    return Pair("north", 1, keeper, clock), Pair("south", 2, keeper, clock)


def test_a_node_that_is_alone_on_its_host_sends_nothing_for_single_requests(clock: Clock) -> None:
    keeper, clocks = ClockKeeper(DELAY, clock.now), LeasedClocks(DELAY, clock)
    words = requests = 0
    while clock.now < 200.0:
        clock.now += 0.05
        if asked := clocks.next_request("north", 1, 0, clock.now):
            words += len(asked.wants) + len(asked.holds) + len(asked.returns)
            clocks.apply_reply(0, asked, keeper.ask(asked, clock.now), clock.now, clock.now)
        if clocks.claim("a.example", clock.now) <= clock.now:
            clocks.release("a.example", clock.now, seconds=0.0, healthy=True)
            requests += 1
    assert requests > 90
    assert words < 45


def test_what_was_learned_of_a_host_goes_with_its_clock(
    clock: Clock, pair: tuple[Pair, Pair]
) -> None:
    north, south = pair
    assert not north.claim()
    assert north.talk().granted == [("a.example", ClockState())]
    assert north.claim()
    south.claim()
    assert [host for host, _ in south.talk().later] == ["a.example"]
    clock.now += 0.5
    assert north.talk().wanted == ["a.example"]
    north.release(healthy=False)
    north.clocks.crawl_delay("a.example", 7.0)
    assert not north.claim()  # it is wanted elsewhere
    north.talk()
    clock.now += 1.0
    assert dict(south.talk().later) == {"a.example": pytest.approx(6.0)}
    clock.now += 6.0
    granted = dict(south.talk().granted)
    assert granted["a.example"].failures == 1
    assert (granted["a.example"].crawl_delay, south.clocks.failures("a.example")) == (7.0, 1)
    assert north.clocks.failures("a.example") == 0


def test_a_wait_that_is_known_before_the_lease_counts_from_the_first(
    clock: Clock, pair: tuple[Pair, Pair]
) -> None:
    """A node that starts anew knows from its log what a host has asked for."""
    north, _ = pair
    north.clocks.hold("a.example", clock.now + 2.0)
    north.claim()
    assert [host for host, _ in north.talk().granted] == ["a.example"]
    assert not north.claim()
    clock.now += 2.0
    assert north.claim()


def test_a_crawl_delay_is_told_at_once_and_outlives_who_read_it(
    clock: Clock, pair: tuple[Pair, Pair]
) -> None:
    north, south = pair
    north.claim()
    north.talk()
    assert north.claim()
    north.release()
    north.clocks.crawl_delay("a.example", 60.0)
    north.talk()  # its last word
    heard = clock.now
    while not south.claim():
        clock.now += 0.1
        south.talk()
    assert clock.now >= heard + LEASE_S + 60.0 - 0.2


def test_crawl_delays_are_told_to_a_new_keeper(clock: Clock) -> None:
    north = Pair("north", 1, ClockKeeper(DELAY, clock.now), clock)
    north.claim()
    north.talk()
    north.clocks.crawl_delay("a.example", 60.0)
    north.talk()
    clock.now += 2 * LEASE_S
    north.talk()  # it goes back
    keeper = north._keeper = ClockKeeper(DELAY, clock.now, epoch=5, successor=True)
    clock.now += LOOK_S
    north.talk()
    clock.now += LEASE_S + 30.0
    south = Pair("south", 2, keeper, clock)
    south.claim()
    assert dict(south.talk().later) == {"a.example": pytest.approx(30.0)}


def test_the_hosts_of_a_keeper_that_died_wait_for_its_leases_and_a_full_delay() -> None:
    keeper = ClockKeeper(DELAY, 100.0, epoch=2, successor=True)

    def ask(number: int, now: float) -> list[str]:
        delays = [("slow.example", 30.0)]
        asked = LeaseRequest(
            "north", 1, 2, number, wants=[("a.example", 0), ("slow.example", 0)], delays=delays
        )
        return [host for host, _ in keeper.ask(asked, now).granted]

    with pytest.raises(BlindKeeperError, match="may still be answering"):
        ask(1, 100.0)
    opens = 100.0 + LOOK_S + LEASE_S
    assert [ask(2, 100.0 + LOOK_S), ask(3, opens), ask(4, opens + 0.9 * DELAY)] == [[], [], []]
    assert ask(5, opens + DELAY) == ["a.example"]
    assert ask(6, opens + 29.0) == ["a.example"]  # it has that already
    assert ask(7, opens + 30.0) == ["a.example", "slow.example"]


def test_a_keeper_gives_nothing_that_has_not_seen_the_storage() -> None:
    keeper = ClockKeeper(DELAY, 100.0)
    asked = LeaseRequest("north", 1, wants=[("a.example", 0)])
    with pytest.raises(BlindKeeperError, match="has not seen the storage"):
        keeper.ask(asked, 100.0 + LOOK_S, looked=100.0)
    assert keeper.ask(asked, 100.0 + LOOK_S, looked=100.0 + LOOK_S / 2).granted


def test_who_has_a_clock_keeps_it_when_its_keeper_dies_if_it_says_so_to_the_new_one() -> None:
    keeper = ClockKeeper(DELAY, 0.0, epoch=9, successor=True)
    stranger = LeaseRequest("north", 1, 4, 1, holds=[("a.example", 0)])
    assert keeper.ask(stranger, LOOK_S) == LeaseReply(
        9
    )  # that is no renewal: it was said to another keeper
    assert (
        keeper.ask(LeaseRequest("north", 1, 9, 2, holds=[("a.example", 0)]), LOOK_S + 1.0).lost
        == []
    )
    other = [LeaseRequest("south", 2, 9, number, wants=[("a.example", 0)]) for number in (1, 2)]
    assert keeper.ask(other[0], LOOK_S + LEASE_S + 0.5).granted == []
    late = LeaseRequest("north", 1, 9, 3, holds=[("late.example", 0)])
    assert keeper.ask(late, LOOK_S + LEASE_S + 0.5).lost == ["late.example"]
    assert dict(keeper.ask(other[1], LOOK_S + 1.0 + LEASE_S + DELAY).granted).keys() == {
        "a.example"
    }


def test_a_node_that_was_followed_gets_no_clock_and_a_late_call_does_nothing() -> None:
    keeper = ClockKeeper(DELAY, 0.0)
    keeper.ask(LeaseRequest("north", 5, number=2), 0.0)
    with pytest.raises(FencedError, match="north@4 was followed by north@5"):
        keeper.ask(LeaseRequest("north", 4, number=3, wants=[("a.example", 0)]), 1.0)
    with pytest.raises(LateCallError, match="call 1 of north@5 came after call 2"):
        keeper.ask(LeaseRequest("north", 5, number=1, wants=[("a.example", 0)]), 1.0)


def test_pages_are_counted_for_all_nodes_together() -> None:
    keeper = ClockKeeper(DELAY, 0.0)
    keeper.ask(LeaseRequest("north", 1, wants=[("a.example", 3)]), 0.0)
    keeper.ask(
        LeaseRequest("north", 1, number=2, returns=[("a.example", ClockState(pages=5))]), 0.1
    )
    granted = dict(keeper.ask(LeaseRequest("south", 2, wants=[("a.example", 2)]), 0.2).granted)
    assert granted["a.example"].pages == 5
    keeper.ask(LeaseRequest("south", 2, number=2, holds=[("a.example", 4)]), 0.3)  # its last word
    again = dict(
        keeper.ask(
            LeaseRequest("north", 6, wants=[("a.example", 5)]), 0.3 + LEASE_S + DELAY
        ).granted
    )
    assert again["a.example"].pages == 4


def test_a_keeper_forgets_hosts_of_which_nothing_counts() -> None:
    keeper = ClockKeeper(DELAY, 0.0)
    for number in range(1, 20_001):
        host, now = f"{number}.example", number / 100
        keeper.ask(LeaseRequest("north", 1, number=2 * number, wants=[(host, 0)]), now)
        state = ClockState(DELAY, 0.1, crawl_delay=9.0 if number % 100 == 0 else 0.0)
        keeper.ask(LeaseRequest("north", 1, number=2 * number + 1, returns=[(host, state)]), now)
    assert 200 <= len(keeper) < 3000
    wait = dict(keeper.ask(LeaseRequest("south", 2, wants=[("20000.example", 0)]), 201.0).later)
    assert wait == {"20000.example": pytest.approx(9.0 - 1.0 - 0.1)}


def test_a_frontier_of_many_hosts_does_not_want_them_all(
    clock: Clock, pair: tuple[Pair, Pair]
) -> None:
    north, _ = pair
    times = [north.clocks.claim(f"{number}.example", clock.now) for number in range(1000)]
    assert times[0] < float("inf")
    assert times[-1] == float("inf")
    granted = north.talk().granted
    assert 0 < len(granted) < 1000
    assert north.clocks.claim("999.example", clock.now) < float("inf")


def test_a_lease_counts_from_when_it_was_asked_for(clock: Clock) -> None:
    keeper, clocks = ClockKeeper(DELAY, clock.now), LeasedClocks(DELAY, clock)
    for later, seconds in (
        (0.0, 0.0),
        (0.0, 2.0),
        (3.0, 2.5),
    ):  # meet the keeper, get the clock, renew it
        clock.now += later
        clocks.claim("a.example", clock.now)
        sent = clock.now
        asked = clocks.next_request("north", 1, 0, sent)
        assert asked
        clock.now += seconds
        clocks.apply_reply(0, asked, keeper.ask(asked, clock.now), sent, clock.now)
        assert clocks.left("a.example") == (
            pytest.approx(0.9 * LEASE_S - seconds) if seconds else 0.0
        )


LEFT_S = 1.5  # of a lease: longer than a busy machine keeps a process waiting


@pytest.mark.parametrize("renewed", [True, False])
def test_a_request_lasts_as_long_as_its_lease(renewed: bool) -> None:
    """By real time: the node sent its question so long ago that little is left of its lease."""
    keeper, clocks = ClockKeeper(0.0, time.monotonic()), LeasedClocks(0.0)

    def talk(ago: float) -> None:
        sent, now = time.monotonic() - ago, time.time()
        if asked := clocks.next_request("north", 1, 0, now):
            clocks.apply_reply(0, asked, keeper.ask(asked, sent), sent, now)

    async def ask() -> None:
        async with clocks.within("a.example"):
            if renewed:
                hold = LeaseRequest("north", 1, 1, 100, holds=[("a.example", 0)])
                clocks.apply_reply(
                    0, hold, keeper.ask(hold, time.monotonic()), time.monotonic(), time.time()
                )
            await asyncio.sleep(2 * LEFT_S)

    clocks.claim("a.example", time.time())
    talk(0.0)
    talk(0.9 * LEASE_S - LEFT_S)
    assert 0.0 < clocks.left("a.example") < LEFT_S
    if renewed:
        asyncio.run(ask())
    else:
        with pytest.raises(LeaseOverError):
            asyncio.run(ask())
        with pytest.raises(LeaseOverError):  # nor is one begun
            asyncio.run(ask())


class Switching(Pair):
    """A node that goes from one keeper to the next, and makes a request whenever it may."""

    def __init__(self, name: str, epoch: int, keeper: ClockKeeper, clock: Clock) -> None:
        super().__init__(name, epoch, keeper, clock)
        self.requests: list[float] = []

    def step(self, keeper: ClockKeeper, looked: float) -> None:
        asked = self.clocks.next_request(self._name, self._epoch, 0, self._clock.now)
        if asked:
            with contextlib.suppress(BlindKeeperError):
                answer = keeper.ask(asked, self._clock.now, looked)
                self.clocks.apply_reply(0, asked, answer, self._clock.now, self._clock.now)
        if self.claim():
            self.requests.append(self._clock.now)
            self.release()


@settings(max_examples=100)
@example(0.0, 7.0, 0.2, 29.0, 0.2)
@given(
    st.sampled_from([0.0, 1.0, 2.2]),
    st.sampled_from([-30.0, 6.0, 7.0, 8.0]),
    st.sampled_from([0.2, 4.0, 14.0, 29.0]),
    st.floats(0.0, 30.0),
    st.sampled_from([0.2, 1.0]),
)
def test_a_keeper_that_was_thought_dead_does_no_harm(
    looked_ago: float, silent: float, north_goes: float, south_goes: float, delay: float
) -> None:
    """The old keeper looked last some time before the new one begins. Each node continues with the
    new one when it hears of it. North made its last call to the old one before, or continues
    to speak to it."""
    clock = Clock()
    old, begins = ClockKeeper(delay, clock.now), clock.now + 20.0
    north, south = Switching("north", 1, old, clock), Switching("south", 2, old, clock)
    new: ClockKeeper | None = None
    while clock.now < begins + 40.0:
        clock.now += 0.1
        since = clock.now - begins
        if new is None and since >= 0:
            new = ClockKeeper(delay, clock.now, epoch=5, successor=True)
        looked = min(clock.now, begins - looked_ago)
        if new is not None and since >= north_goes:
            north.step(new, clock.now)
        elif since < -silent:
            north.step(old, looked)
        elif north.claim():  # cut off, it continues until its lease ends
            north.requests.append(clock.now)
            north.release()
        if new is not None and since >= south_goes:
            south.step(new, clock.now)
        elif since > (-silent if silent > 0.0 else -10.0):
            south.step(old, looked)
    both = sorted(north.requests + south.requests)
    assert south.requests
    assert all(after - before >= delay - 1e-6 for before, after in itertools.pairwise(both))
