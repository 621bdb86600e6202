"""What an actor of a cluster takes to begin anew, and what keeping letters for that costs.

    python -m bench.cluster.restart

Two logs of pages with 20 links not met before (bench/log.py), each link for one of ACTORS actors:
the actor's own, which it reads as visits, and
another's, of which it reads its letters. CPU time of one process, best of several rounds; bytes on
the storage.
"""

import random
import tempfile
import time
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from bench.log import NEW, visit
from toponaut.cluster.exchange import ActorLayout, ClusterExchange, by_actor
from toponaut.cluster.letters import pack
from toponaut.cluster.own_log import OwnLog
from toponaut.cluster.stored_logs import rebuild
from toponaut.crawl.fold import LogFold
from toponaut.crawl.parts import CrawlParts
from toponaut.frontier import Frontier
from toponaut.gate.gate import Gate
from toponaut.job import Job, StorageSection
from toponaut.log import begin
from toponaut.log.epochs import Epoch, epochs
from toponaut.node import Node
from toponaut.records import Visit
from toponaut.store import FolderStore
from toponaut.web.politeness.leases import LeasedClocks

ACTORS = 100
VISITS = 4_000
ROUNDS = 3


def shipped(store: FolderStore, disk: Path, parts: ActorLayout, actor: str) -> float:
    """A life of an actor that fetched VISITS pages; the CPU time of bringing them to the "
    "storage."""
    own = OwnLog(
        store,
        disk,
        begin(store.subfolder("log"), actor, 0.0),
        Job(storage=StorageSection(warc=False)),
    )
    chance = random.Random(actor)
    for number in range(VISITS):
        if not number % 1000:
            own.sync()
        one = _given(visit(own.log.written, chance), actor, parts, chance)
        own.log.append(one)
        parcels = by_actor(parts, one.links, one.sequence)
        own.add_letters({to: pack(links) for to, links in parcels.items() if to != actor})
    own.roll()
    start = time.process_time()
    own.seal()
    took = time.process_time() - start
    own.close()
    return took


def _given(one: Visit, actor: str, parts: ActorLayout, chance: random.Random) -> Visit:
    links = tuple(replace(link, owners=(chance.choice(parts.nodes),)) for link in one.links)
    return replace(one, node=actor, links=links)


def begun(
    store: FolderStore, disk: Path, parts: ActorLayout, known: list[Epoch]
) -> tuple[float, int]:
    """The CPU time of a beginning from these epochs, and how many links wait then."""
    with tempfile.TemporaryDirectory(dir=disk) as folder:
        frontier = Frontier(Path(folder), 1)
        crawl = _parts(ClusterExchange("Cn0", parts, frontier, lambda _: b"", lambda *_: None))
        fold = LogFold(crawl, [Node("Cn0", frontier, crawl)], [], rebuild=True)
        start = time.process_time()
        rebuild(store.subfolder("log"), known, "Cn0", frontier, fold)
        return time.process_time() - start, len(frontier)


def _parts(exchange: ClusterExchange) -> CrawlParts:
    """Those that folding a log needs."""
    nothing: Any = None
    gate = Gate(Job(), LeasedClocks(1.0), 2026)
    return CrawlParts(
        Job(),
        nothing,
        nothing,
        nothing,
        gate,
        nothing,
        nothing,
        nothing,
        None,
        nothing,
        exchange,
        nothing,
    )


def main() -> None:
    parts = ActorLayout(tuple(f"Cn{number}" for number in range(ACTORS)))
    with tempfile.TemporaryDirectory() as folder:
        store, disk = FolderStore(Path(folder) / "shared"), Path(folder)
        ship = min(shipped(store, disk / actor, parts, actor) for actor in ("Cn0", "Cn1"))
        own, other = epochs(store.subfolder("log"))
        names = store.names(f"log/{other.log}")
        letters = sum(size for name, size in names.items() if name.endswith(".letters"))
        print(
            f"to the storage, a page: {ship / VISITS * 1e6:,.0f} us, "
            f"{sum(names.values()) / VISITS:,.0f} bytes, of which letters {letters / VISITS:,.0f}"
        )
        took, links = min(begun(store, disk, parts, [own]) for _ in range(ROUNDS))
        print(
            f"begin anew, an own page with {NEW} links, {links / VISITS:.1f} of them its own: "
            f"{took / VISITS * 1e6:,.0f} us"
        )
        took, links = min(begun(store, disk, parts, [other]) for _ in range(ROUNDS))
        print(
            f"begin anew, a link that another found: {took / max(links, 1) * 1e6:,.1f} us; a page "
            f"of another, with {links / VISITS:.2f} of them: {took / VISITS * 1e6:,.1f} us"
        )


if __name__ == "__main__":
    main()
