"""The log: the cost of appending, syncing, sealing and reading a visit, and its size.

    python -m bench.log

Visits of pages with 14 KB of text, 20 new links, 40 known links and an address, from 500 hosts. CPU
time of one process on one core, best of several rounds. Times of queries are scaled to 100,000
visits. The time of a sync is elapsed time, because it waits for the disk.
"""

import gc
import random
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench.parse import _WORDS
from toponaut.log import LogWriter, batches, find, read, summary, trace
from toponaut.records import Address, Outcome, Precision, ScoredLink, Visit
from toponaut.urls import fingerprint

VISITS = 4_000
HOSTS = 500
NEW = 20
KNOWN = 40
RATE = 400  # visits between two syncs
ROUNDS = 5
FOLDED = ("retry", "links.url", "links.promise", "links.depth", "links.hops", "links.owners")
INDEXED = ("title", "text", "addresses", "scope", "time")


def visit(sequence: int, rng: random.Random) -> Visit:
    """A local news page in the middle of a crawl: its menu and some links are known."""
    host = f"https://www.town{sequence % HOSTS}.example.org"

    def words(count: int) -> str:
        return " ".join(rng.choices(_WORDS, k=count))

    def link() -> ScoredLink:
        url = f"{host}/local/{words(3).replace(' ', '-').lower()}-{rng.randrange(10**6)}.html"
        why = f"2 links from a relevant page, {rng.randrange(100) / 100}"
        owner, depth, hops = (
            rng.choice(("north", "south", "general")),
            rng.randrange(5),
            rng.randrange(9),
        )
        return ScoredLink(
            url,
            rng.random(),
            (owner,),
            depth,
            hops,
            anchor=words(5),
            ordering_reason=why,
            owner_reason="Springfield, IL",
        )

    menu = [fingerprint(f"{host}/menu/{number}/") for number in range(KNOWN // 2)]
    others = [fingerprint(f"{host}/{rng.randrange(2000)}.html") for _ in range(KNOWN - len(menu))]
    address = Address(
        "123 Main Street\nSpringfield, IL 62701", 13_900, 13_937, "123", "Main Street",
        city="Springfield", state="IL",
        postcode="62701", country="US",
        normal=f"{rng.randrange(999)} main st, springfield il 62701, us", lat=39.8,
        lon=-89.6, precision=Precision.POSTCODE, place=4_250_542, evidence=("text", "address"),
        confidence=0.93,
    )  # fmt: skip
    return Visit(
        sequence, "north", f"{host}/local/{sequence}.html", 200, Outcome.FETCHED,
        time=1.8e9 + sequence / 100,
        seconds=rng.random(), ip=f"192.0.2.{sequence % 250}",
        content_type="text/html; charset=utf-8", size=9_000,
        promise=rng.random(), depth=2, hops=4, found_by=max(-1, sequence - 900),
        digest=f"sha1:{rng.getrandbits(160):032X}",
        simhash=rng.getrandbits(64), title=words(8), description=words(20), language="en",
        text=words(2_650),
        addresses=(address,), scope=((4_250_542, 0.8), (4_896_861, 0.2)), relevant=True,
        links=tuple(link() for _ in range(NEW)), known=(*menu, *others),
        archive="north-000003.warc.gz",
        offset=sequence * 9_000, length=8_900,
    )  # fmt: skip


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds."""
    start = time.process_time()
    work()
    return time.process_time() - start


def passing(work: Callable[[], object]) -> float:
    """Elapsed seconds."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def write(logs: Path, visits: list[Visit]) -> tuple[dict[str, float], Path]:
    """Writes a log of one segment; returns the times."""
    with LogWriter(logs, "north") as log:

        def append(second: list[Visit]) -> None:
            for one in second:
                log.append(one)

        appended = synced = 0.0
        seconds = [visits[start : start + RATE] for start in range(0, VISITS, RATE)]
        for second in seconds:
            appended += cpu(partial(append, second))
            synced += passing(log.sync) / len(seconds)
        tail = summary(log.directory).stored
        sealed = cpu(log.seal)
        times = {
            "append": appended,
            "sync": synced,
            "seal": sealed,
            "tail": tail,
            "parquet": summary(log.directory).stored,
        }
        return times, log.directory


def main() -> None:
    """Prints the table."""
    rng = random.Random(4)
    visits = [visit(number, rng) for number in range(VISITS)]
    gc.freeze()  # a crawl does not keep them, so the collector should not visit them
    with tempfile.TemporaryDirectory() as directory:
        rounds = [write(Path(directory) / str(number), visits) for number in range(ROUNDS)]
        best = {name: min(times[name] for times, _ in rounds) for name in rounds[0][0]}
        log = rounds[0][1]

        def least(work: Callable[[], object]) -> float:
            return min(cpu(work) for _ in range(ROUNDS))

        whole = least(lambda: sum(1 for _ in read(log)))
        indexed = least(lambda: sum(1 for _ in read(log, fields=INDEXED)))
        folded = least(lambda: sum(len(batch.visits) for batch in batches(log, fields=FOLDED)))
        target = visits[VISITS // 2]
        looked = least(lambda: list(find(log, target.url)))
        linked = least(lambda: trace(log, target.links[0].url))
        summed = least(lambda: summary(log))
    text = sum(len(one.text) for one in visits) / VISITS / 1000
    scale = 100_000 / VISITS
    print(
        f"log: {VISITS:,} visits, {text:.1f} KB of text, {NEW} links not met before, {KNOWN} met "
        f"before"
    )
    print(f"  append                {best['append'] / VISITS * 1e6:9.1f} us a visit (at most 40)")
    print(f"  sync, {RATE} visits      {best['sync'] * 1e3:9.1f} ms that pass")
    print(f"  seal                  {best['seal'] / VISITS * 1e6:9.1f} us a visit (at most 250)")
    print(f"  in the tail           {best['tail'] / VISITS:9,.0f} bytes a visit")
    print(f"  in Parquet            {best['parquet'] / VISITS:9,.0f} bytes a visit")
    print(f"  read whole            {VISITS / whole:9,.0f} visits/s")
    print(f"  read for the index    {VISITS / indexed:9,.0f} visits/s (at least 1,000)")
    print(f"  read for the frontier {VISITS * NEW / folded:9,.0f} links/s (at least 300,000)")
    print(f"  find                  {looked * scale:9.2f} s in 100,000 visits, scaled")
    print(f"  trace                 {linked * scale:9.2f} s in 100,000 visits, scaled")
    print(f"  summary               {summed * scale:9.2f} s of 100,000 visits, scaled")


if __name__ == "__main__":
    main()
