"""A hand-made crawl for the tests of the dashboard: nine visits of two nodes, and a snapshot."""

from pathlib import Path

from msgspec.structs import replace
from tests.support.crawling import job
from tests.support.towns import written

from toponaut.crawl.directory import LOG, Directory
from toponaut.crawl.progress import NodeProgress, Progress
from toponaut.crawl.status import Snapshot, write_snapshot
from toponaut.job import render
from toponaut.log import LogWriter
from toponaut.records import Address, Outcome, Refusal, RefusedLink, Visit

# All but Lisbon are targets of tests/support/crawling.py.
SEATTLE, DENVER, BOSTON, LISBON = 5809844, 5419384, 4930956, 2267057
START = 1.8e9
INTERRUPTED = "it was interrupted"


def at(place: int, text: str = "", **parts: str) -> Address:
    return replace(Address(text, -1, -1, normal=f"{place}", place=place), **parts)


def visit(
    sequence: int, node: str, url: str, outcome: Outcome = Outcome.FETCHED, **fields: object
) -> Visit:
    """One visit per second."""
    plain = Visit(
        sequence,
        node,
        url,
        200,
        outcome,
        time=START + sequence,
        text="text",
        title=f"Page {sequence}",
    )
    return replace(plain, **fields)


def refused(*reasons: Refusal) -> tuple[RefusedLink, ...]:
    return tuple(RefusedLink(f"http://no.test/{number}", why) for number, why in enumerate(reasons))


VISITS = (
    visit(0, "north", "", Outcome.SEEDED),
    visit(1, "north", "http://a.test/robots.txt", Outcome.ROBOTS_FILE, size=10),
    visit(2, "north", "http://a.test/1", size=1000, relevant=True,
    addresses=(at(SEATTLE, "1 Pike\n St,  Seattle"),),
          refused=refused(Refusal.CALENDAR, Refusal.NOFOLLOW)),
    visit(3, "north", "http://a.test/2", size=2000, refused=refused(Refusal.CALENDAR)),
    visit(4, "south", "http://b.test/1", size=3000, relevant=True, addresses=(
        at(SEATTLE, number="2", street="Pike St", city="Seattle", state="WA",
            postcode="98101", country="US", organisation="Two"), at(SEATTLE), at(DENVER))),
    visit(5, "south", "http://b.test/2", Outcome.CLIENT_ERROR, size=400),
    visit(6, "south", "http://c.test/", Outcome.TIMEOUT),
    visit(7, "south", "http://b.test/3", Outcome.NEAR_COPY, size=500,
        addresses=(at(LISBON), at(0))),
    visit(8, "north", "http://a.test/3", size=1500, relevant=True,
        addresses=(at(BOSTON, "3 Tremont St"),)),
)  # fmt: skip


def snapshot(pages: int = 5, queued: int = 70, stopped: str = "") -> Snapshot:
    north = NodeProgress("north", 3, 2, queued - 20, 4, 2, 1, 0, 9)
    south = NodeProgress("south", 2, 1, 20, 3, 1, 0, 2, 8)
    progress = Progress(
        time=START + 8, seconds=8.0, pages=pages, relevant=3, harvest=0.6, addresses=7,
        queued=queued, seen=100, hosts=7,
        resting=3, busy=1, faults=2, received=8410, sent=17, messages=5, message_bytes=500,
        outcomes={"fetched": 9},
        refused={}, nodes=(north, south),
    )  # fmt: skip
    return Snapshot(progress, stopped)


def write(root: Path, last: Snapshot | None = None, visits: tuple[Visit, ...] = VISITS) -> Path:
    """The directory of the crawl, which does not run."""
    written(root, list(visits))
    (root / "archive").mkdir(exist_ok=True)
    (root / "state").mkdir(exist_ok=True)
    if last:
        write_snapshot(Directory(root), last)
    return root


def append(root: Path, visits: tuple[Visit, ...], seal: bool = False) -> None:
    with LogWriter(root / "log", LOG) as log:
        for one in visits:
            log.append(one)
        if seal:
            log.seal()


def set_limit(root: Path, pages: int) -> None:
    """Change the page limit, as a resumed crawl may."""
    wanted = job(["http://a.test/"])
    text = render(replace(wanted, limits=replace(wanted.limits, pages=pages)))
    (root / "job.toml").write_text(text, encoding="utf-8")
