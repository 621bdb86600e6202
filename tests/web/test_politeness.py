"""The clocks of hosts: one request at a time, delays, and slow and failing hosts."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toponaut.web.politeness.clocks import (
    GIVE_UP_AFTER,
    GIVE_UP_NEW_AFTER,
    KEEP_HABITS,
    KEEP_RULES,
    LONGEST_REST,
    SLOW_MOST,
    Clocks,
)

START = 1_000_000.0


def test_a_host_that_does_not_exist_is_dead_at_once() -> None:
    clocks = Clocks(1.0)
    clocks.claim("gone.org", START)
    at = clocks.release("gone.org", START, seconds=0.0, healthy=False, exists=False)
    assert (clocks.given_up("gone.org"), at) == (True, START + LONGEST_REST)


def test_a_host_that_never_answered_is_given_up_sooner() -> None:
    clocks = Clocks(1.0)
    now = START
    for failures in range(GIVE_UP_NEW_AFTER):
        assert clocks.failures("new.org") == failures
        now = ask(clocks, "new.org", now, healthy=False)
    assert clocks.given_up("new.org")


def test_whether_a_host_answers() -> None:
    clocks = Clocks(1.0)
    assert not clocks.answers("a.org")
    for step, healthy in enumerate((False, True, False)):
        ask(clocks, "a.org", START + 1000.0 * step, healthy=healthy)
        assert clocks.answers("a.org") == healthy


def ask(
    clocks: Clocks,
    host: str,
    now: float,
    *,
    seconds: float = 0.0,
    healthy: bool = True,
    **more: float,
) -> float:
    """One whole request; the time at which the next may begin."""
    assert clocks.claim(host, now) <= now
    return clocks.release(
        host,
        now + seconds,
        seconds=seconds,
        healthy=healthy,
        retry_after=more.get("retry_after", 0.0),
    )


def test_a_host_is_busy_until_released_and_rests_for_the_delay() -> None:
    clocks = Clocks(2.0)
    assert clocks.claim("a.org", START) <= START
    assert clocks.claim("a.org", START + 100.0) > START + 100.0
    assert clocks.release("a.org", START + 100.3, seconds=0.1, healthy=True) == START + 102.3
    assert clocks.claim("a.org", START + 102.2) == START + 102.3
    assert clocks.claim("a.org", START + 102.3) <= START + 102.3


def test_hosts_do_not_wait_for_each_other() -> None:
    clocks = Clocks(2.0)
    assert clocks.claim("busy.org", START) <= START
    ask(clocks, "dead.org", START, healthy=False)
    clocks.hold("held.org", START + 1e6)
    assert clocks.claim("b.org", START) <= START


def test_a_claim_that_is_given_back_costs_no_delay() -> None:
    clocks = Clocks(2.0)
    assert clocks.claim("a.org", START) <= START
    assert clocks.forgo("a.org", START) == START
    assert clocks.claim("a.org", START) <= START


def test_the_larger_delay_counts_from_the_last_request_on() -> None:
    clocks = Clocks(2.0)
    assert ask(clocks, "a.org", START) == START + 2.0
    clocks.crawl_delay("a.org", 10.0)  # its robots.txt was just read
    assert clocks.claim("a.org", START + 2.0) == START + 10.0
    assert ask(clocks, "a.org", START + 10.0) == START + 20.0
    clocks.crawl_delay("a.org", 0.5)
    assert ask(clocks, "a.org", START + 20.0) == START + 22.0
    clocks.crawl_delay("new.org", 10.0)
    assert ask(clocks, "new.org", START) == START + 10.0


def test_slow_hosts_get_slower_service_and_recover() -> None:
    clocks = Clocks(1.0)
    assert ask(clocks, "a.org", START, seconds=0.1) == pytest.approx(START + 1.1)
    assert ask(clocks, "a.org", START + 10, seconds=2.0) == pytest.approx(
        START + 12 + 10.0
    )  # at once
    assert ask(clocks, "a.org", START + 50, seconds=0.0) == pytest.approx(
        START + 50 + 5.0
    )  # by halves
    assert ask(clocks, "a.org", START + 90, seconds=0.0) == pytest.approx(START + 90 + 2.5)
    assert ask(clocks, "a.org", START + 200, seconds=50.0) == START + 250 + SLOW_MOST


def test_without_a_delay_only_failing_hosts_rest() -> None:
    clocks = Clocks(0.0)
    assert ask(clocks, "a.org", START, seconds=9.0) == START + 9.0
    assert ask(clocks, "a.org", START + 9.0) == START + 9.0
    assert ask(clocks, "a.org", START + 9.0, healthy=False) == START + 14.0
    assert ask(clocks, "a.org", START + 14.0) == START + 14.0
    clocks.crawl_delay("a.org", 3.0)
    assert ask(clocks, "a.org", START + 20.0) == START + 23.0


def test_failing_hosts_back_off_and_come_back() -> None:
    clocks = Clocks(1.0)
    now, rests = ask(clocks, "a.org", START), []
    for _ in range(7):
        assert clocks.given_up("a.org") == (clocks.failures("a.org") >= GIVE_UP_AFTER)
        after = ask(clocks, "a.org", now, healthy=False)
        rests.append(after - now)
        now = after
    assert rests == [5.0, 10.0, 20.0, 40.0, LONGEST_REST, LONGEST_REST, LONGEST_REST]
    assert clocks.failures("a.org") == 7
    assert clocks.given_up("a.org")
    rests = []
    for _ in range(5):
        after = ask(clocks, "a.org", now)
        assert clocks.failures("a.org") == 0
        assert not clocks.given_up("a.org")
        rests.append(after - now)
        now = after
    assert rests == pytest.approx([75.0, 9.375, 1.171875, 1.0, 1.0], rel=1e-6)
    assert clocks.failures("unheard-of.org") == 0


@pytest.mark.parametrize(
    ("healthy", "asked", "rest"),
    [
        (False, 120.0, 120.0),
        (True, 120.0, 120.0),
        (False, 2.0, 5.0),
        (False, 1e12, 86_400.0),
        (False, float("nan"), 5.0),
    ],
)
def test_retry_after(healthy: bool, asked: float, rest: float) -> None:
    assert ask(Clocks(1.0), "a.org", START, healthy=healthy, retry_after=asked) == START + rest


def test_a_host_can_be_held() -> None:
    clocks = Clocks(1.0)
    clocks.hold("a.org", START + 60.0)
    assert clocks.claim("a.org", START) == START + 60.0
    clocks.hold("a.org", START + 30.0)  # never sooner
    assert clocks.claim("a.org", START) == START + 60.0
    assert clocks.claim("a.org", START + 60.0) <= START + 60.0


# --- hosts that belong together ---

AT = "192.0.2.1"


def test_hosts_at_one_address_share_their_pace_from_the_first_request_on() -> None:
    clocks = Clocks(2.0, per_ip=1)
    assert clocks.claim("a.org", START, AT) <= START
    assert clocks.claim("b.org", START, AT) > START
    assert clocks.release("a.org", START + 10.0, seconds=0.1, healthy=True) == START + 12.0
    assert clocks.claim("b.org", START + 11.0, AT) == START + 12.0
    assert clocks.claim("c.org", START + 11.0, "192.0.2.2") <= START + 11.0
    assert clocks.claim("b.org", START + 12.0, AT) <= START + 12.0
    assert clocks.claim("a.org", START + 12.0, AT) > START + 12.0


def test_hosts_that_have_not_answered_get_half_of_the_room_at_an_address() -> None:
    """Of four: so names that somebody makes up for the address do not stop the hosts there."""
    clocks = Clocks(1.0, per_ip=4)
    assert clocks.claim("good.org", START, AT) <= START
    clocks.release("good.org", START, seconds=0.1, healthy=True)
    made_up = [clocks.claim(f"x{n}.org", START + 1.0, AT) <= START + 1.0 for n in range(8)]
    assert made_up == [True, True, *[False] * 6]
    assert clocks.claim("good.org", START + 1.0, AT) <= START + 1.0
    clocks.release("x0.org", START + 1.5, seconds=0.5, healthy=True)
    clocks.release("x1.org", START + 1.5, seconds=0.5, healthy=False)
    room = [clocks.claim(f"x{n}.org", START + 99.0, AT) <= START + 99.0 for n in range(8)]
    assert room == [True, True, True, *[False] * 5]  # x0 has answered
    assert clocks.claim("x0.org", START + 99.0, "192.0.2.2") > START + 99.0  # it is busy


def test_hosts_at_one_address_do_not_share_their_troubles() -> None:
    clocks = Clocks(2.0, per_ip=1)
    now = START
    for _ in range(6):
        assert clocks.claim("dead.org", now, AT) <= now
        after = clocks.release("dead.org", now, seconds=0.0, healthy=False)
        assert clocks.claim("b.org", now + 2.0, AT) <= now + 2.0
        assert clocks.release("b.org", now + 2.0, seconds=0.1, healthy=True) == now + 4.0
        now = max(after, now + 4.0)


def test_a_host_that_moves_shares_the_pace_of_its_new_address() -> None:
    clocks = Clocks(1.0, per_ip=1)
    for host, address in (("a.org", AT), ("b.org", "192.0.2.2")):
        assert clocks.claim(host, START, address) <= START
        clocks.release(host, START, seconds=0.0, healthy=True)
    assert clocks.claim("a.org", START + 10, "192.0.2.2") <= START + 10
    assert clocks.claim("b.org", START + 10, "192.0.2.2") > START + 10
    assert clocks.claim("c.org", START + 10, AT) <= START + 10


def test_hosts_of_one_registered_domain_share_a_bound() -> None:
    """However many names a wildcard makes up; but those below github.io have different owners."""
    clocks = Clocks(1.0, per_domain=3)
    names = [f"{number}.trap.org" for number in range(50)]
    assert sum(clocks.claim(name, START) <= START for name in names) == 3
    assert all(clocks.claim(f"{number}.github.io", START) <= START for number in range(50))
    clocks.release("0.trap.org", START + 0.5, seconds=0.1, healthy=True)
    assert sum(clocks.claim(name, START + 1.4) <= START + 1.4 for name in names[3:]) == 0
    assert sum(clocks.claim(name, START + 1.6) <= START + 1.6 for name in names[3:]) == 1


def test_hosts_in_a_line_ask_again_one_after_another() -> None:
    """Not all at the next free moment: a thousand hosts would ask in vain every second."""
    clocks = Clocks(1.0, per_domain=2)
    names = [f"{number}.trap.org" for number in range(22)]
    times = [clocks.claim(name, START) for name in names]
    assert len(set(times[2:])) == 20
    assert max(times) < START + 11.0


def test_hosts_that_have_not_proved_to_work_leave_some_slots_to_others() -> None:
    clocks = Clocks(0.0, slots=16)
    assert clocks.claim("good.org", START) <= START
    clocks.release("good.org", START, seconds=0.1, healthy=True)
    assert not clocks.proved("good.org")  # that was its robots.txt
    assert clocks.claim("good.org", START) <= START
    clocks.release("good.org", START, seconds=0.1, healthy=True, page=True)
    assert sum(clocks.claim(f"x{n}.org", START) <= START for n in range(99)) == 14
    assert clocks.claim("good.org", START) <= START
    clocks.release("good.org", START, seconds=4.0, healthy=True, page=True)
    assert clocks.claim("good.org", START + 1.0) > START + 1.0
    clocks.release("x0.org", START + 1.0, seconds=1.0, healthy=False)
    clocks.forgo("x1.org", START + 1.0)
    assert clocks.claim("good.org", START + 1.0) <= START + 1.0
    assert clocks.claim("x99.org", START + 1.0) <= START + 1.0
    assert clocks.claim("x98.org", START + 1.0) > START + 1.0


def test_hosts_whose_pages_take_long_to_read_share_a_tenth_of_the_time() -> None:
    """With the other hosts of their domain, but not with those at their address."""
    clocks = Clocks(0.0, per_domain=8, per_ip=8)
    heavy = [f"www.heavy{number}.org" for number in range(6)]
    reading = 0.0
    for second in range(1000):
        now = START + second
        for host in heavy:
            if clocks.claim(host, now, AT) <= now:
                clocks.release(host, now, seconds=0.1, healthy=True)
                clocks.took(host, 2.0, now)
                reading += 2.0
        for host in ("other.heavy0.org", "good.org"):
            clocks.took(host, 0.002, now)
            asked = clocks.claim(host, now, AT) <= now
            assert asked or host != "good.org"
            if asked:
                clocks.release(host, now, seconds=0.1, healthy=True)
    assert 60.0 < reading < 130.0
    assert clocks.claim("other.heavy0.org", now + 1, AT) > now + 1
    assert clocks.claim("other.heavy0.org", now + 9999, AT) <= now + 9999


def test_no_bound_means_no_bound() -> None:
    clocks = Clocks(2.0)
    assert all(clocks.claim(f"{number}.org", START, AT) <= START for number in range(99))
    assert all(clocks.claim(f"{number}.trap.org", START) <= START for number in range(99))


# --- memory ---


def test_hosts_are_forgotten_when_nothing_is_known_that_counts() -> None:
    clocks = Clocks(1.0)
    clocks.crawl_delay("slow-please.org", 9.0)
    ask(clocks, "slow-please.org", START)
    ask(clocks, "failing.org", START, healthy=False)
    assert clocks.claim("busy.org", START) <= START
    for i in range(30_000):  # 100 hosts a second: no more than a hundred are not ready
        ask(clocks, f"host{i}.org", START + i / 100)
        assert len(clocks) <= 1024 + 1
    now = START + 300.0
    assert clocks.failures("failing.org") == 1
    assert ask(clocks, "slow-please.org", now) == now + 9.0
    assert clocks.claim("busy.org", now) > now
    for later, remembered in ((KEEP_HABITS, 9.0), (KEEP_RULES, 1.0)):
        for i in range(3000):
            ask(clocks, f"host{i}.org", now + later + 20.0 + i)
        assert clocks.failures("failing.org") == 0
        assert (
            ask(clocks, "slow-please.org", now + later + 4000.0)
            == now + later + 4000.0 + remembered
        )
        now += later + 4000.0
    assert clocks.claim("busy.org", now) > now


# --- whatever order claims and releases come in ---

HOSTS = ("a.org", "b.org", "c.org", "d.org")
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["claim", "claim", "release", "release", "forgo", "delay"]),
        st.sampled_from(HOSTS),
        st.floats(0.0, 20.0),
        st.booleans(),
    ),
    max_size=80,
)


@given(steps=STEPS, delay=st.sampled_from([0.0, 0.5, 3.0]), per_ip=st.integers(0, 2))
def test_never_too_many_at_once_and_never_too_soon(
    steps: list[tuple[str, str, float, bool]], delay: float, per_ip: int
) -> None:
    """Checks the promises with a model: per host, and per address for hosts that share it."""
    clocks = Clocks(delay, per_ip=per_ip)
    now = START
    under_way: set[str] = set()
    ended: dict[str, float] = {}
    wished: dict[str, float] = {}
    address: dict[str, str] = {}
    for action, host, amount, flag in steps:
        now += amount / 4
        if action == "claim":
            at = AT if flag else "192.0.2.2"
            if (ready := clocks.claim(host, now, at)) <= now:
                assert host not in under_way
                assert now >= ended.get(host, 0.0) + max(delay, wished.get(host, 0.0))
                address[host] = at
                resting = {one for one in HOSTS if ended.get(one, -delay) + delay > now}
                others = {one for one in under_way | resting if address[one] == at} - {host}
                assert not per_ip or len(others) < per_ip
                under_way.add(host)
            else:
                assert ready > now
        elif action == "release" and host in under_way:
            assert clocks.release(host, now, seconds=amount, healthy=flag) >= now + max(
                delay, wished.get(host, 0.0)
            )
            under_way.remove(host)
            ended[host] = now
        elif action == "forgo" and host in under_way:
            assert clocks.forgo(host, now) >= now
            under_way.remove(host)
        elif action == "delay":
            clocks.crawl_delay(host, amount)
            wished[host] = amount


@pytest.mark.parametrize("seed", range(3))
def test_many_nodes_on_few_hosts_keep_every_host_as_busy_as_it_may_be(seed: int) -> None:
    """Nodes that retry on time lose no turns: 50 s with a delay of 1 s give 45 requests."""
    chance = random.Random(seed)
    clocks = Clocks(1.0)
    events = [(START + chance.random(), node, host, "claim") for node in range(5) for host in HOSTS]
    asked = dict.fromkeys(HOSTS, 0)
    while events:
        events.sort()
        now, node, host, action = events.pop(0)
        if now > START + 50.0:
            continue
        if action == "release":
            again = clocks.release(host, now, seconds=0.1, healthy=True)
        elif (again := clocks.claim(host, now)) <= now:
            asked[host] += 1
            events.append((now + 0.1, node, host, "release"))
            continue
        events.append((again, node, host, "claim"))
    assert all(44 <= count <= 46 for count in asked.values()), asked
