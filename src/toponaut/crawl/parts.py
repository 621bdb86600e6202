"""The parts of a crawl, put together in one way for one machine and for an actor of a cluster."""

import secrets
import time as system_time
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from msgspec import Struct, field

from toponaut import __version__
from toponaut.archive import ArchiveWriter
from toponaut.crawl.price import Price, patience_of
from toponaut.crawl.progress import Totals
from toponaut.crawl.strategies import Strategies
from toponaut.exchange import Exchange
from toponaut.gate.gate import Gate
from toponaut.job import Job, render
from toponaut.log import LogWriter
from toponaut.page.reading.pool import Readers
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.render.renderer import Renderer, open_renderer
from toponaut.strategy.collaboration import Collaboration
from toponaut.strategy.ordering import Ordering
from toponaut.strategy.site_homes import SiteHomes
from toponaut.timing import Time
from toponaut.urls import registered_domain
from toponaut.watch.agenda import Agenda
from toponaut.watch.revisit_table import DAY_S
from toponaut.web.fetch import Fetcher
from toponaut.web.politeness.clocks import Clocks
from toponaut.web.politeness.polite_fetcher import PoliteFetcher
from toponaut.web.registrant import Registrants


class CrawlParts(Struct, frozen=True):
    """Everything that the nodes of one process share."""

    job: Job
    time: Time
    web: PoliteFetcher
    readers: Readers
    gate: Gate
    ordering: Ordering
    collaboration: Collaboration
    homes: SiteHomes
    archive: ArchiveWriter | None
    log: LogWriter
    exchange: Exchange
    price: Price
    registrants: Registrants | None = None  # locates domain owners, if the job asks for it
    totals: Totals = field(default_factory=Totals)  # of all nodes
    agenda: Agenda | None = None  # of a watch: the pages that are due
    renderer: Renderer | None = None  # runs the scripts of pages, if the job asks for it

    def read_dates(self, sitemap: str, dates: Mapping[str, float]) -> None:
        """Let a watch know when the pages in a sitemap were modified."""
        if self.agenda:
            self.agenda.read_dates(sitemap, dates, self.time.now())

    def give_up(self, host: str, *, whole_domain: bool) -> None:
        """Drop the waiting links of a host, or of its whole domain. A watch keeps its pages."""
        self.exchange.give_up(host)
        domain = registered_domain(host) if whole_domain else ""
        if domain:
            self.exchange.give_up(f"*.{domain}")
        if self.agenda:
            self.agenda.put_again(lambda one: one == host or registered_domain(one) == domain)

    @property
    def one_owner(self) -> bool:
        """Whether a URL stays with the node that was given it first."""
        return self.job.collaboration.exclusive or self.collaboration.one_owner


def assemble(
    strategies: Strategies,
    *,
    web: Fetcher,
    readers: Readers,
    clocks: Clocks,
    time: Time,
    log: LogWriter,
    archive: ArchiveWriter | None,
    exchange: Exchange,
    state: Path,
    totals: Totals | None = None,
    agenda: Agenda | None = None,
) -> CrawlParts:
    """The parts of a crawl. Clocks, time, log, archive and exchange differ on a cluster.

    `state`: a folder for the answers about domain owners, if the job uses one.
    """
    job = strategies.job
    polite = PoliteFetcher(web, clocks, time, job)
    return CrawlParts(
        job=job,
        time=time,
        web=polite,
        readers=readers,
        gate=Gate(job, clocks, system_time.gmtime().tm_year, secrets.randbits(64)),
        ordering=strategies.ordering,
        collaboration=strategies.collaboration,
        homes=strategies.homes,
        archive=archive,
        log=log,
        exchange=exchange,
        price=Price(
            list(exchange.frontiers.values()),
            _patience(job, strategies.ordering, agenda),
            job.politeness.delay,
            job.random_seed,
            spreads=agenda is None,  # a watch spreads its requests itself
        ),
        totals=totals or Totals(),
        agenda=agenda,
        registrants=_open_registrants(job, state) if web.live else None,
        renderer=open_renderer(job, web, polite, time),
    )


def _patience(job: Job, ordering: Ordering, agenda: Agenda | None) -> float:
    """A watch looks a day ahead, if promises can be compared with visits to known pages."""
    if agenda:
        return DAY_S if ordering.calibrated else 0.0
    return patience_of(job, ordering)


def _open_registrants(job: Job, state: Path) -> Registrants | None:
    if not job.ordering.registrant:
        return None
    wanted, file = job.ordering, state / "registrants.jsonl"
    return Registrants(
        wanted.rdap, file, open_gazetteer(), job.politeness, job.limits, whois=wanted.whois
    )


def open_archive(directory: Path, name: str, job: Job, group: int = 0) -> ArchiveWriter | None:
    """The archive of a log, if the job wants one."""
    if not job.storage.warc:
        return None
    info = {
        "software": f"Toponaut/{__version__}",
        "http-header-user-agent": job.politeness.user_agent,
        "robots": "obey" if job.politeness.robots else "ignore",
        "conformsTo": "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
        "job": "sha256:" + sha256(render(job).encode()).hexdigest(),
    }
    max_bytes = job.storage.warc_bytes
    return ArchiveWriter(directory, name, max_bytes=max_bytes, info=info, group=group)
