"""All parts of a crawl, put together: opened, mended, and folded from the log where they are behind it."""

import time as system_time
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import sha256
from shutil import rmtree
from urllib.parse import quote

from toponaut import __version__
from toponaut.archive import ArchiveWriter
from toponaut.crawl.directory import LOG, Directory
from toponaut.crawl.fold import Folded, fold
from toponaut.crawl.learned import restore, save
from toponaut.crawl.progress import NodeProgress, Progress
from toponaut.crawl.surroundings import Strategies
from toponaut.errors import InputError
from toponaut.exchange import Exchange
from toponaut.frontier import Frontier
from toponaut.gate.gate import Gate
from toponaut.job import Job, render
from toponaut.log import LogWriter
from toponaut.node import Node, Shared
from toponaut.page.reading.readers import Readers
from toponaut.records import PAGES, Visit
from toponaut.timing import SimulatedTime, Time
from toponaut.urls import host_of, normalise
from toponaut.web.fetch import Fetcher
from toponaut.web.politeness.clocks import Clocks
from toponaut.web.politeness.polite_fetcher import PoliteFetcher
from toponaut.web.registrant import Registrants

Say = Callable[[str], None]


class Assembled:
    """A crawl that is ready to run."""

    def __init__(
        self,
        directory: Directory,
        strategies: Strategies,
        web: Fetcher,
        readers: Readers,
        time: Time,
        say: Say,
        registrants: Registrants | None = None,
    ) -> None:
        self.time = time
        self._strategies = strategies
        self._models = directory.state
        self._registrants = registrants
        if len(directory.logs.parts()) > 1:
            raise InputError(
                f"{directory.root} was crawled on a cluster", "Go on there: --cluster auto"
            )
        self.log = LogWriter(directory.log, LOG)
        self.archive: ArchiveWriter | None = None
        try:
            self._open(directory, strategies.job, web, readers, say)
        except BaseException:
            with suppress(OSError, InputError):  # it is the first error that counts
                if self.archive:
                    self.archive.close()
                self.log.close()
            raise

    def _open(
        self, directory: Directory, job: Job, web: Fetcher, readers: Readers, say: Say
    ) -> None:
        names, time = self._strategies.nodes, self.time
        if self.log.cut:
            say(
                f"{self.log.cut:,} bytes of a write that was cut short are set aside; they are fetched again"
            )
        self._frontiers, rebuild = self._open_frontiers(directory, job, names)
        clocks = Clocks(job.politeness.delay, per_ip=job.politeness.per_ip)
        gate = Gate(job, clocks, system_time.gmtime().tm_year)
        learning = restore(self._models, self.log.position, self._strategies.by_name)
        folded = fold(self.log.directory, self._frontiers, gate, rebuild, learning)
        if isinstance(time, SimulatedTime):
            time.start_at(folded.time)
        self.totals, self._by_node = folded.totals, folded.by_node
        if job.storage.warc:
            self.archive = self._open_archive(directory, job, folded, say)
        exchange = Exchange(self._frontiers)
        self._shared = Shared(
            job=job,
            time=time,
            web=PoliteFetcher(web, clocks, time, job),
            readers=readers,
            gate=gate,
            ordering=self._strategies.ordering,
            collaboration=self._strategies.collaboration,
            archive=self.archive,
            log=self.log,
            exchange=exchange,
            registrants=self._registrants,
        )
        self.nodes = [Node(name, self._frontiers[name], self._shared) for name in names]
        self._started = time.now()
        self._last: Progress | None = None
        self._exchange = exchange
        self._seed(job, folded)

    def _open_frontiers(
        self, directory: Directory, job: Job, names: Sequence[str]
    ) -> tuple[dict[str, Frontier], bool]:
        """The frontiers as they were closed, if all were, right where the log ends; otherwise empty ones."""
        paths = {name: directory.state / f"frontier-{quote(name, safe=' ')}" for name in names}
        opened = {name: Frontier(path, job.random_seed) for name, path in paths.items()}
        if all(frontier.position == self.log.position for frontier in opened.values()):
            return opened, False
        for name, frontier in opened.items():
            if frontier.position is not None:
                frontier.close(b"")
                rmtree(paths[name])
                opened[name] = Frontier(paths[name], job.random_seed)
        return opened, True

    def _open_archive(
        self, directory: Directory, job: Job, folded: Folded, say: Say
    ) -> ArchiveWriter:
        archive = ArchiveWriter(
            directory.archive, LOG, max_bytes=job.storage.warc_bytes, info=archive_info(job)
        )
        if lost := self.log.written - folded.visits:
            # Then the log cannot tell where the archive ends, and nothing is cut off that.
            say(
                f"{lost:,} visits are missing from the log; they are made again where a page that is left links there"
            )
            return archive
        mended = archive.truncate_to(*folded.archived)
        if mended.missing:
            say(
                f"{mended.file} lacks {mended.missing:,} bytes that the log tells of: the disk lost them, or somebody moved it"
            )
        return archive

    def _seed(self, job: Job, folded: Folded) -> None:
        """Seeds that the crawl does not know yet enter it; on a resume that is none, unless the job was given new ones."""
        urls = [url for seed in job.seeds if (url := normalise(seed)) and url not in folded.seeds]
        if urls:
            self.count(self.nodes[0], self.nodes[0].seed(list(dict.fromkeys(urls))))

    def count(self, node: Node, visit: Visit) -> None:
        """Takes a visit into the totals; a host that has given enough is left alone from then on."""
        self.totals.add(visit)
        self._by_node[node.name].add(visit)
        if visit.outcome in PAGES and self._shared.gate.add(visit):
            self._exchange.give_up(host_of(visit.url))

    def progress(self) -> Progress:
        """The crawl at this moment; after its close, as it was then."""
        if self._last is not None:
            return self._last
        nodes = tuple(self._progress_of(node) for node in self.nodes)
        now = self.time.now()
        return Progress(
            time=now,
            seconds=round(now - self._started, 3),
            pages=self.totals.pages,
            relevant=self.totals.relevant,
            harvest=round(self.totals.harvest, 4),
            addresses=self.totals.addresses,
            queued=sum(node.queued for node in nodes),
            seen=sum(frontier.seen for frontier in self._frontiers.values()),
            hosts=sum(node.hosts for node in nodes),
            resting=sum(node.resting for node in nodes),
            busy=sum(node.busy for node in nodes),
            faults=self.totals.faults,
            received=self.totals.size,
            sent=self.totals.sent,
            messages=self.totals.messages,
            message_bytes=self.totals.message_bytes,
            outcomes=dict(self.totals.outcomes),
            refused=dict(self.totals.refused),
            nodes=nodes,
        )

    def _progress_of(self, node: Node) -> NodeProgress:
        totals, frontier = self._by_node[node.name], node.frontier
        return NodeProgress(
            node=node.name,
            pages=totals.pages,
            relevant=totals.relevant,
            queued=len(frontier),
            hosts=frontier.hosts,
            resting=frontier.resting,
            busy=frontier.busy,
            faults=totals.faults,
            sent=totals.sent,
        )

    def close(self, settled_all: bool) -> None:
        """Brings everything to the disk. If some visits were taken and not settled, the frontiers no longer agree with
        the log: they are left unclosed, and rebuilt from it on the next opening.
        """
        self._last = self.progress()
        if self.archive:
            self.archive.close()
        self.log.close()
        save(self._models, self.log.position, self._strategies.by_name)
        if settled_all:
            for frontier in self._frontiers.values():
                frontier.close(self.log.position)


def archive_info(job: Job) -> dict[str, str]:
    """What an archive says about the crawl that made it."""
    return {
        "software": f"Toponaut/{__version__}",
        "http-header-user-agent": job.politeness.user_agent,
        "robots": "obey" if job.politeness.robots else "ignore",
        "conformsTo": "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
        "job": "sha256:" + sha256(render(job).encode()).hexdigest(),
    }
