"""What a crawl of a billion pages takes, from figures that were measured: the table of
docs/cluster.md.

    python -m bench.cluster.model [--pages 1e9] [--days 30 7 1] [--delay 1]

What a page brings (links, bytes of log and archive, new URLs and hosts) is measured here, by a
crawl of the synthetic web with the job of `make
demo`, ordered breadth-first; the other figures are those that the named commands print.
"""

import argparse
import math
import tempfile
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from toponaut.cluster.exchange import LETTERS_A_SECOND
from toponaut.cluster.setup import keepers_for
from toponaut.crawl.start import start
from toponaut.job import LimitsSection, OrderingSection, load, render
from toponaut.log import Logs, LogWriter

PAGES = 3000
DEMO = Path("examples/us-top-100/demo.toml")
BUSY = 0.7  # of a core that is planned with
CORES, MEMORY = 16, 128e9  # of a machine
PAGES_EACH = 5e6  # of an actor, at most: it begins anew in half an hour
SEAL_S = 300  # storage.seal_seconds, as it is set
ANSWER_S = 0.3  # that a host takes for an answer
_REBUILD = "`python -m bench.cluster.restart`"
_BENCH, _CRAWL = "`make bench-cluster`", "this command"
_MACHINE = f"{CORES} cores and {MEMORY / 1e9:.0f} GB, if frontiers are to stay in memory"
Line = tuple[str, str, str]  # what, how much, and what that rests on


class Known(Struct, frozen=True):
    """Figures of other benches."""

    page_ms: float = (
        3.2  # CPU of a page, with all of Ray: `make bench-cluster`, two actors (2.9 by one)
    )
    letter_ms: float = 1.4  # CPU of a letter with one link, both sides: `make bench-cluster`
    link_us: float = 1.7  # of each other link in it, packed, sent and unpacked: the same
    link_bytes: float = 121.0  # on the wire: the same
    url_bytes: float = 66.0  # memory of a URL in a frontier, mapped: `make bench-frontier`
    index_bytes: float = 3600.0  # of a page: `python -m bench.index`
    index_us: float = 260.0  # CPU of a page, made by whom it may be: `python -m bench.spreading`
    # CPU of a page of its own that an actor reads when it begins anew: `python -m
    # bench.cluster.restart`
    own_us: float = 160.0
    told_us: float = 6.7  # of a link that others have found for it: the same


class Brought(Struct, frozen=True):
    """What one page brings, on average."""

    visits: float
    links: float  # that the log has not had from this node
    urls: float  # that the crawl has not had
    hosts: float
    log: float  # bytes, sealed
    archive: float  # bytes
    received: float  # bytes


def brought(pages: int) -> Brought:
    """Measured by a crawl in one process."""
    job = load(DEMO.read_text(encoding="utf-8"), DEMO.name, seedless=True)
    job = replace(
        job, ordering=OrderingSection(strategy="breadth-first"), limits=LimitsSection(pages=pages)
    )
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "crawl"
        done = start(render(job), DEMO.name, root, synthetic=1).progress
        with LogWriter(root / "log", "main") as log:
            log.seal()
        visits = links = 0
        for visit in Logs(root / "log").read(("links.url",)):
            visits += 1
            links += len(visit.links)
        return Brought(
            visits / done.pages,
            links / done.pages,
            done.seen / done.pages,
            done.hosts / done.pages,
            _size(root / "log") / done.pages,
            _size(root / "archive") / done.pages,
            done.received / done.pages,
        )


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


class Plan(Struct, frozen=True):
    """A crawl: how much, how fast, how politely."""

    pages: float
    days: float
    delay: float
    page: Brought
    known: Known

    @property
    def rate(self) -> float:
        return self.pages / (self.days * 86_400)

    @property
    def cores(self) -> float:
        return self.rate * self.known.page_ms / 1000 / BUSY

    @property
    def actors(self) -> int:
        """One for each core, and enough that none has too much to read when it begins anew."""
        return max(math.ceil(self.cores), math.ceil(self.pages / PAGES_EACH))

    @property
    def sent(self) -> float:
        """Links that an actor sends in a second."""
        return self.rate / self.actors * self.page.links * (self.actors - 1) / self.actors

    @property
    def exchange(self) -> float:
        """What sending and receiving takes of an actor's core."""
        return (
            self.sent * self.known.link_us / 1000 + LETTERS_A_SECOND * self.known.letter_ms
        ) / 1000

    @property
    def urls(self) -> float:
        return self.pages * self.page.urls

    @property
    def restart(self) -> float:
        """Seconds until an actor that begins anew at the end of the crawl has its frontier."""
        return (
            self.pages
            / self.actors
            * (self.known.own_us + self.page.links * self.known.told_us)
            / 1e6
        )


def speed(plan: Plan) -> list[Line]:
    page, known = plan.page, plan.known
    hosts = plan.rate * (plan.delay + ANSWER_S)
    return [
        ("pages a second", f"{plan.rate:,.0f}", f"{plan.pages:,.0f} pages"),
        (
            "cores",
            f"{math.ceil(plan.cores):,}",
            f"{known.page_ms} ms of CPU a page: {_BENCH}; busy to {BUSY:.0%}",
        ),
        (
            "actors",
            f"{plan.actors:,}",
            f"one a core, at most {PAGES_EACH / 1e6:g} million pages each",
        ),
        (
            "received, MB/s",
            f"{plan.rate * page.received / 1e6:,.0f}",
            f"{page.received / 1000:.0f} KB a page: {_CRAWL}",
        ),
        (
            "hosts that are asked at any moment",
            f"{hosts:,.0f}",
            f"{plan.delay:g} s of rest, {ANSWER_S} s for an answer",
        ),
        ("keepers of clocks", f"{keepers_for(plan.actors)}", "cluster/setup.py"),
    ]


def exchange(plan: Plan) -> list[Line]:
    page, known = plan.page, plan.known
    sent = plan.sent * plan.actors
    waits = (plan.actors - 1) / LETTERS_A_SECOND
    cost = f"{known.letter_ms} ms a letter, {known.link_us} us a link: {_BENCH}"
    return [
        ("links sent a second", f"{sent:,.0f}", f"{page.links:.0f} new links a page: {_CRAWL}"),
        (
            "letters a second",
            f"{LETTERS_A_SECOND * plan.actors:,.0f}",
            f"{LETTERS_A_SECOND:.0f} from each actor",
        ),
        ("links in a letter", f"{plan.sent / LETTERS_A_SECOND:,.0f}", "the two lines above"),
        ("seconds that a link waits", f"{waits:,.1f}", "all receivers in turn"),
        (
            "between actors, MB/s",
            f"{sent * known.link_bytes / 1e6:,.1f}",
            f"{known.link_bytes:.0f} bytes a link: {_BENCH}",
        ),
        ("exchange, cores in all", f"{plan.exchange * plan.actors:.1f}", cost),
    ]


def storage(plan: Plan) -> list[Line]:
    page, known = plan.page, plan.known
    mapped = plan.urls * known.url_bytes
    segments = plan.actors * 60 / SEAL_S
    return [
        ("URLs met, billions", f"{plan.urls / 1e9:,.0f}", f"{page.urls:.0f} a page: {_CRAWL}"),
        (
            "frontiers, mapped TB",
            f"{mapped / 1e12:,.1f}",
            f"{known.url_bytes:.0f} bytes a URL: `make bench-frontier`",
        ),
        ("machines", f"{max(math.ceil(plan.cores / CORES), math.ceil(mapped / MEMORY))}", _MACHINE),
        (
            "log, TB",
            f"{plan.pages * page.log / 1e12:,.1f}",
            f"{page.log / 1000:.1f} KB a page, sealed: {_CRAWL}",
        ),
        (
            "archive, TB",
            f"{plan.pages * page.archive / 1e12:,.1f}",
            f"{page.archive / 1000:.1f} KB a page: {_CRAWL}",
        ),
        (
            "index, TB",
            f"{plan.pages * known.index_bytes / 1e12:,.1f}",
            f"{known.index_bytes / 1000} KB a page: `python -m bench.index`",
        ),
        (
            "index, hours of a core",
            f"{plan.pages * known.index_us / 3.6e9:,.0f}",
            f"{known.index_us:.0f} us a page: `python -m bench.spreading`",
        ),
        (
            "minutes of a restart at the end",
            f"{plan.restart / 60:,.0f}",
            f"{known.own_us:.0f} us a page, {known.told_us} us a link: {_REBUILD}",
        ),
        ("segments copied to DIR a minute", f"{segments:,.0f}", f"storage.seal_seconds = {SEAL_S}"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description="What a crawl of a billion pages takes.")
    parser.add_argument("--pages", type=float, default=1e9)
    parser.add_argument("--days", type=float, nargs="+", default=[30.0, 7.0, 1.0])
    parser.add_argument("--delay", type=float, default=1.0)
    parser.add_argument(
        "--measured-pages", type=int, default=PAGES, help="pages of the crawl that is measured"
    )
    chosen = parser.parse_args()
    page = brought(chosen.measured_pages)
    plans = [Plan(chosen.pages, days, chosen.delay, page, Known()) for days in chosen.days]
    print("| in days |", " | ".join(f"{days:g}" for days in chosen.days), "| rests on |")
    print("|---" * (len(plans) + 2) + "|")
    for part in (speed, exchange, storage):
        for lines in zip(*map(part, plans), strict=True):
            print(
                "|",
                " | ".join([lines[0][0], *(figure for _, figure, _ in lines), lines[0][2]]),
                "|",
            )


if __name__ == "__main__":
    main()
