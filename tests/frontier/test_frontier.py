"""The frontier against a simple model: a list that is searched completely."""

import math
import random
import tempfile
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from shutil import rmtree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from msgspec.structs import replace

from toponaut.frontier import Frontier
from toponaut.frontier.supply import CLASSES, class_of
from toponaut.records import QueuedLink
from toponaut.urls import fingerprints, host_of

SEED = 7
HOSTS = [f"h{number}.example" for number in range(4)]
URLS = [f"https://{host}/{page}" for host in HOSTS for page in range(3)]


def queued(url: str, promise: float = 1.0, depth: int = 0) -> QueuedLink:
    return QueuedLink(url, promise, depth=depth, hops=depth)


def drain(frontier: Frontier, now: float = 0.0) -> list[QueuedLink]:
    """All waiting URLs in order, with hosts that are free at once."""
    entries = []
    while entry := frontier.next(now):
        entries.append(entry)
        frontier.release(host_of(entry.url), now)
    return entries


def urls(entries: Sequence[QueuedLink]) -> list[str]:
    return [entry.url for entry in entries]


@cache
def ranks() -> dict[str, int]:
    """The random order of equal promises, taken from the frontier itself."""
    with tempfile.TemporaryDirectory() as top:
        frontier = Frontier(Path(top), SEED)
        frontier.put([queued(url) for url in URLS])
        return {url: rank for rank, url in enumerate(urls(drain(frontier)))}


# Up to sixteen are put one by one, more as a batch.
ENTRIES = st.builds(
    queued, st.sampled_from(URLS), st.sampled_from([-1.0, 0.0, 0.5, 2.0]), st.integers(0, 3)
)


class AgainstTheModel(RuleBasedStateMachine):
    """All operations in any order. The model is a list of entries and a few dicts."""

    @initialize()
    def begin(self) -> None:
        self.top = Path(tempfile.mkdtemp())
        self.frontier = Frontier(self.top, SEED)
        self.waits: list[QueuedLink] = []
        self.seen: set[str] = set()
        self.at: dict[str, float] = {}
        self.busy: set[str] = set()
        self.now = 0.0

    def teardown(self) -> None:
        if hasattr(self, "top"):
            rmtree(self.top)

    def best(self, barred: set[str]) -> QueuedLink | None:
        def key(entry: QueuedLink) -> tuple[float, int]:
            return entry.promise, -ranks()[entry.url]

        def may(host: str) -> bool:
            return host not in self.busy | barred and self.at.get(host, 0.0) <= self.now

        return max(
            (entry for entry in self.waits if may(host_of(entry.url))), key=key, default=None
        )

    def insert(self, entry: QueuedLink) -> bool:
        old = next((other for other in self.waits if other.url == entry.url), None)
        if old and entry.promise > old.promise:
            self.waits.remove(old)
            depth, hops = min(entry.depth, old.depth), min(entry.hops, old.hops)
            self.waits.append(
                replace(entry, depth=depth, hops=hops, tries=max(entry.tries, old.tries))
            )
        if entry.url in self.seen:
            return False
        self.seen.add(entry.url)
        self.waits.append(entry)
        return True

    @rule(batch=st.lists(ENTRIES, max_size=12) | st.lists(ENTRIES, min_size=17, max_size=20))
    def put(self, batch: list[QueuedLink]) -> None:
        assert self.frontier.put(batch) == sum([self.insert(entry) for entry in batch])

    @rule(batch=st.lists(st.sampled_from(URLS), max_size=5))
    def new(self, batch: list[str]) -> None:
        assert self.frontier.new(batch) == [url not in self.seen for url in batch]

    @rule(passed=st.sampled_from([0.0, 1.0, 5.0]))
    def next(self, passed: float) -> None:
        self.now += passed
        expected = self.best(set())
        assert self.frontier.next(self.now) == expected
        self.take(expected)

    @rule(barred=st.sets(st.sampled_from(HOSTS)), wait=st.sampled_from([1.0, 3.0]))
    def next_where_others_ask_too(self, barred: set[str], wait: float) -> None:
        asked = []

        def may(host: str, now: float) -> float:
            asked.append(host)
            return now + wait if host in barred else now

        expected = self.best(barred)
        assert self.frontier.next(self.now, may) == expected
        assert len(asked) == len(set(asked))
        self.at |= {host: self.now + wait for host in asked if host in barred}
        self.take(expected)

    @rule(fallen=st.dictionaries(st.sampled_from(URLS), st.sampled_from([-4.0, -1.0, 0.4, 1.0])))
    def next_where_priorities_have_fallen(self, fallen: dict[str, float]) -> None:
        """The first URL is rated again and sinks if its promise has fallen, up to 64."""
        for _ in range(64):
            expected = self.best(set())
            now = fallen.get(expected.url, expected.promise) if expected else 0.0
            if expected is None or expected.promise - now <= 0.05 * abs(expected.promise):
                break
            self.waits.remove(expected)
            self.waits.append(replace(expected, promise=now))
        expected = self.best(set())
        assert (
            self.frontier.next(self.now, again=lambda entry: fallen.get(entry.url, entry.promise))
            == expected
        )
        self.take(expected)

    def take(self, entry: QueuedLink | None) -> None:
        if entry:
            self.waits.remove(entry)
            self.busy.add(host_of(entry.url))

    @rule(host=st.sampled_from(HOSTS), later=st.sampled_from([0.0, 2.0]))
    def release(self, host: str, later: float) -> None:
        self.frontier.release(host, self.now + later)
        self.busy.discard(host)
        self.at[host] = max(self.at.get(host, 0.0), self.now + later)

    @rule(host=st.sampled_from(HOSTS), later=st.sampled_from([0.0, 4.0]))
    def hold(self, host: str, later: float) -> None:
        self.frontier.hold(host, self.now + later)
        self.at[host] = max(self.at.get(host, 0.0), self.now + later)

    @rule(price=st.sampled_from([-1.0, 0.5, 1.0, 9.0]))
    def next_for_a_price(self, price: float) -> None:
        best = self.best(set())
        expected = best if best and best.promise >= price else None
        assert self.frontier.best_promise(self.now) == (best.promise if best else -math.inf)
        assert self.frontier.next(self.now, price=price) == expected
        if expected is None and best is not None:
            assert self.frontier.ready_at(price) != 0.0
        self.take(expected)

    @rule(host=st.sampled_from(HOSTS))
    def drop(self, host: str) -> None:
        stay = [entry for entry in self.waits if host_of(entry.url) != host]
        assert self.frontier.drop(host) == len(self.waits) - len(stay)
        self.waits = stay

    @rule(url=st.sampled_from(URLS), promise=st.sampled_from([-1.0, 2.0]))
    def put_back(self, url: str, promise: float) -> None:
        entry = QueuedLink(url, promise, tries=1)
        self.frontier.put_back(entry)
        self.seen.add(url)
        self.waits = [other for other in self.waits if other.url != url] + [entry]

    @rule(batch=st.lists(st.sampled_from(URLS), max_size=3))
    def taken(self, batch: list[str]) -> None:
        self.frontier.mark_taken(batch)
        self.seen |= set(batch)
        self.waits = [entry for entry in self.waits if entry.url not in batch]

    @rule()
    def close_and_open(self) -> None:
        self.frontier.close(b"here")
        self.frontier = Frontier(self.top, SEED)
        assert self.frontier.position == b"here"
        self.busy.clear()

    @invariant()
    def counts(self) -> None:
        assert len(self.frontier) == len(self.waits)
        assert self.frontier.seen == len(self.seen)
        assert self.frontier.busy == len(self.busy)
        by_class = Counter(class_of(entry.promise) for entry in self.waits)
        counted = self.frontier.fetchable(self.now, 1e9, 0.0)
        assert counted.tolist() == [by_class[number] for number in range(CLASSES)]

    @invariant()
    def ready_at(self) -> None:
        hosts = {host_of(entry.url) for entry in self.waits} - self.busy
        times = [self.at.get(host, 0.0) for host in hosts]
        ready = self.frontier.ready_at()
        if not times:
            assert ready is None
        elif min(times) <= self.now:
            assert ready is not None
            assert ready <= self.now
        else:
            assert ready == min(times)


AgainstTheModel.TestCase.settings = settings(max_examples=50, stateful_step_count=30)
TestAgainstTheModel = AgainstTheModel.TestCase


@given(st.randoms(use_true_random=False), st.integers(1, 20))
@settings(max_examples=25)
def test_the_order_does_not_depend_on_the_order_of_puts(chance: random.Random, size: int) -> None:
    batch = [queued(url, promise=len(url) % 2) for url in URLS]
    with tempfile.TemporaryDirectory() as top:
        straight = Frontier(Path(top) / "a", SEED)
        straight.put(batch)
        chance.shuffle(batch)
        shuffled = Frontier(Path(top) / "b", SEED)
        for start in range(0, len(batch), size):
            shuffled.put(batch[start : start + size])
        assert drain(straight) == drain(shuffled)


def test_equal_promises_are_shuffled_by_the_seed(tmp_path: Path) -> None:
    orders = []
    for seed in (1, 2, 3):
        frontier = Frontier(tmp_path / str(seed), seed)
        frontier.put([queued(url) for url in URLS])
        orders.append(urls(drain(frontier)))
    assert all(sorted(order) == sorted(URLS) for order in orders)
    assert URLS not in orders
    assert len(set(map(tuple, orders))) == 3


def test_fingerprints_are_secret_and_stay_with_the_crawl(tmp_path: Path) -> None:
    """Nobody can craft a URL that another's page is taken for."""
    url = ["http://a.test/"]
    one, other = (Frontier(tmp_path / name, seed=1) for name in ("one", "other"))
    assert one.keyed(url) != other.keyed(url)
    assert fingerprints(url) not in (one.keyed(url), other.keyed(url))
    before = one.keyed(url)
    one.close(b"")
    assert Frontier(tmp_path / "one", seed=1).keyed(url) == before


def test_one_request_per_host_and_the_best_first(tmp_path: Path) -> None:
    """The best host is busy and the second rests, so the third is next."""
    frontier = Frontier(tmp_path, SEED)
    frontier.put(
        [
            queued("https://a.example/1", 9),
            queued("https://a.example/2", 8),
            queued("https://b.example/", 5),
        ]
    )
    frontier.put([queued("https://c.example:8080/", 1)])
    frontier.hold("b.example", 10.0)
    assert frontier.next(0.0) == queued("https://a.example/1", 9)
    assert frontier.next(0.0) == queued("https://c.example:8080/", 1)
    assert frontier.next(0.0) is None
    assert frontier.ready_at() == 10.0
    frontier.release("a.example", 20.0)
    assert frontier.next(9.9) is None
    assert frontier.next(10.0) == queued("https://b.example/", 5)
    assert frontier.ready_at() == 20.0
    assert frontier.next(20.0) == queued("https://a.example/2", 8)
    assert frontier.ready_at() is None


def test_a_better_link_to_a_waiting_url_moves_it_forward(tmp_path: Path) -> None:
    """It keeps the smallest distance to the seeds and the largest number of tries."""
    frontier = Frontier(tmp_path, SEED)
    first, other = "https://a.example/1", "https://a.example/2"
    frontier.put([queued(first, 1, depth=2), queued(other, 3)])
    assert (
        frontier.put(
            [
                QueuedLink(first, 5, depth=4, hops=1, found_by=77),
                QueuedLink(other, 2, depth=0, found_by=78),
            ]
        )
        == 0
    )
    assert frontier.next(0.0) == QueuedLink(first, 5, depth=2, hops=1, found_by=77)
    frontier.put([QueuedLink(first, 9)])
    frontier.release("a.example", 0.0)
    assert frontier.next(0.0) == queued(other, 3), "what was taken stays taken"
    frontier.put_back(QueuedLink(other, 3, tries=2))
    frontier.put([QueuedLink(other, 4)])
    frontier.release("a.example", 0.0)
    assert frontier.next(0.0) == QueuedLink(other, 4, tries=2)


def test_a_link_that_sank_and_rose_again_is_not_logged_as_sunk(tmp_path: Path) -> None:
    """A rebuilt frontier would let it sink after the visit that raised it."""
    frontier = Frontier(tmp_path / "f", seed=SEED)
    urls = [URLS[0], URLS[3]]
    frontier.put([queued(url, 0.9) for url in urls])
    taken = frontier.next(0.0, again=lambda _: 0.2)
    assert taken
    assert taken.promise == 0.2
    other = next(url for url in urls if url != taken.url)
    frontier.put([queued(other, 0.5)])
    assert frontier.sunk.take() == {taken.url: 0.2}


def test_bad_numbers_are_refused_and_change_nothing(tmp_path: Path) -> None:
    frontier = Frontier(tmp_path, SEED)
    with pytest.raises(ValueError, match="not a number"):
        frontier.put([queued(URLS[0]), queued(URLS[1], math.nan)])
    with pytest.raises(ValueError, match="20002 characters"):
        frontier.put([queued("https://a.example/" + "a" * 19_984)])
    assert (len(frontier), frontier.seen) == (0, 0)
    frontier.put([queued(URLS[0], -math.inf), queued(URLS[1], math.inf), queued(URLS[2], 0)])
    assert urls(drain(frontier)) == [URLS[1], URLS[2], URLS[0]]


def test_thousands_of_urls_across_all_growth(tmp_path: Path) -> None:
    """Tables and columns grow, slots and segments are reused: the order stays exact."""
    chance = random.Random(3)
    entries = [
        queued(
            f"https://h{chance.randrange(300)}.example/page/{number}",
            chance.choice([0, 1, chance.random()]),
        )
        for number in range(30_000)
    ]
    frontier = Frontier(tmp_path, SEED)
    first, second = entries[:12_000], entries[12_000:]
    assert sum(
        frontier.put(first[start : start + 61]) for start in range(0, len(first), 61)
    ) == len(first)
    early = [frontier.next(0.0) for _ in range(300)]
    assert frontier.next(0.0) is None, "every host is busy"
    for entry in early:
        assert entry is not None
        frontier.release(host_of(entry.url), 0.0)
    assert frontier.put(entries) == len(second), "one batch, larger than the parts it is put in"
    rest = drain(frontier)
    assert [entry.promise for entry in rest] == sorted(
        (entry.promise for entry in rest), reverse=True
    )
    assert {entry.url for entry in [*early, *rest] if entry} == {entry.url for entry in entries}
    assert len(early) + len(rest) == len(entries)
    assert frontier.put(entries) == 0
    assert not any(frontier.new([entry.url for entry in entries]))
