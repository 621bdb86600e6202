"""Hosts of one registered domain: the first ones have their own queues, the others share one."""

from pathlib import Path

from toponaut.frontier import Frontier
from toponaut.records import QueuedLink
from toponaut.urls import host_of

SEED = 3
TRAP = [f"https://x{number}.trap.example/" for number in range(100)]


def filled(folder: Path, *urls: str, per_domain: int = 4, promise: float = 1.0) -> Frontier:
    frontier = Frontier(folder, SEED, per_domain)
    frontier.put([QueuedLink(url, promise) for url in urls])
    return frontier


def taken(frontier: Frontier, now: float) -> list[str]:
    found = []
    while link := frontier.next(now):
        found.append(link.url)
    return found


def test_made_up_hosts_share_one_queue(tmp_path: Path) -> None:
    frontier = filled(tmp_path, *TRAP, "https://good.example/")
    assert len(taken(frontier, 0.0)) == 4 + 1 + 1
    assert frontier.busy == 6
    frontier.put([QueuedLink(f"https://late{number}.trap.example/", 9.0) for number in range(5)])
    assert taken(frontier, 0.0) == [], "one by one, they come to the same queue"


def test_hosts_below_a_public_suffix_have_their_own_queues(tmp_path: Path) -> None:
    urls = [f"https://x{number}.github.io/" for number in range(50)]
    assert sorted(taken(filled(tmp_path, *urls), 0.0)) == sorted(urls)


def test_a_shared_queue_hands_out_one_host_after_another(tmp_path: Path) -> None:
    frontier = filled(tmp_path, *TRAP)
    found, now = [], 0.0
    while len(frontier):
        for url in taken(frontier, now):
            found.append(url)
            frontier.release(host_of(url), now + 1.0)
        now += 1.0
    assert sorted(found) == sorted(TRAP)
    assert now == 100 - 4, "four hosts were asked at once in the first second, then only the rest"


def test_a_resting_host_does_not_hold_up_the_others_of_its_queue(tmp_path: Path) -> None:
    frontier = filled(tmp_path, *TRAP[:6], per_domain=1)
    own, first = taken(frontier, 0.0)
    alive, *others = sorted({*TRAP[:6]} - {own, first})
    dead = {host_of(url) for url in others}

    def may(host: str, now: float) -> float:
        return now + 600.0 if host in dead else now

    for url in (own, first):
        frontier.release(host_of(url), 600.0)
    link = frontier.next(1.5, may)
    assert link
    assert link.url == alive


def test_links_of_a_dead_host_leave_a_shared_queue_and_all_of_a_full_domain(tmp_path: Path) -> None:
    more = [f"https://x50.trap.example/{number}" for number in range(7)]
    frontier = filled(tmp_path, *TRAP, *more)
    waiting = len(frontier)
    assert frontier.drop("x50.trap.example") == 8
    assert len(frontier) == waiting - 8
    assert frontier.drop("*.trap.example") == 100 - 4 - 1
    assert len(frontier) == 4


def test_the_queues_of_hosts_survive_a_clean_close(tmp_path: Path) -> None:
    filled(tmp_path, *TRAP).close(b"here")
    frontier = Frontier(tmp_path, SEED, 4)
    assert frontier.position == b"here"
    frontier.put([QueuedLink("https://another.trap.example/", 9.0)])
    assert len(taken(frontier, 0.0)) == 4 + 1
    frontier.close(b"there")
    assert Frontier(tmp_path, SEED, 5).position is None, "with another bound it is rebuilt"


def test_a_made_up_domain_does_not_raise_the_price(tmp_path: Path) -> None:
    """In 9 seconds at one a second, 500 hosts of a domain give as many links as five hosts."""
    hosts = [f"https://x{number}.trap.example/" for number in range(500)]
    frontier = filled(tmp_path, *hosts)
    assert frontier.fetchable(0.0, 9.0, 1.0).sum() == 4 + 10


def test_fingerprints_have_a_secret_key_and_the_order_does_not_depend_on_it(tmp_path: Path) -> None:
    one, other = filled(tmp_path / "a", *TRAP), filled(tmp_path / "b", *TRAP)
    assert not set(one.keyed(TRAP)) & set(other.keyed(TRAP))
    assert taken(one, 0.0) == taken(other, 0.0)
    key = one.keyed(TRAP)
    one.close(b"")
    assert Frontier(tmp_path / "a", SEED, 4).keyed(TRAP) == key
