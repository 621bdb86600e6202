"""A crawl on one machine.

Opening it repairs what a crash left behind, and folds the log into the parts that are older than
it.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from shutil import rmtree
from urllib.parse import quote

from msgspec.structs import replace

from toponaut.archive.archive_files import missing_bytes
from toponaut.archive.bodies import archived_body
from toponaut.crawl.directory import LOG, Directory
from toponaut.crawl.fold import CrawlHistory, LogFold
from toponaut.crawl.parts import assemble, open_archive
from toponaut.crawl.progress import NodeFigures, Progress, Totals, progress_of
from toponaut.crawl.status import Snapshot, write_snapshot
from toponaut.crawl.strategies import Strategies, restore_models, save_models
from toponaut.errors import InputError
from toponaut.exchange import Exchange
from toponaut.frontier import Frontier
from toponaut.job import Job
from toponaut.log import LogWriter, batches, seal
from toponaut.node import Node
from toponaut.page.reading.pool import Readers
from toponaut.records import Outcome, Visit
from toponaut.timing import SimulatedTime, Time
from toponaut.watch.plan import WatchPlan, watch_progress
from toponaut.web.fetch import Fetcher
from toponaut.web.politeness.clocks import Clocks

Say = Callable[[str], None]


class LocalCrawl:
    """A crawl on one machine, ready to run; it is also where its Committer writes."""

    def __init__(
        self,
        directory: Directory,
        strategies: Strategies,
        web: Fetcher,
        readers: Readers,
        time: Time,
        say: Say,
        watch: WatchPlan | None = None,
    ) -> None:
        if len(directory.logs.parts()) > 1:
            raise InputError(
                f"{directory.root} was crawled on a cluster", "Resume it there: --cluster auto"
            )
        self._directory, self._strategies, self._say = directory, strategies, say
        self._watch = watch
        self.log = LogWriter(directory.log, LOG)
        self.archive = open_archive(directory.archive, LOG, strategies.job)
        self._last: Progress | None = None
        try:
            self._open(web, readers, time)
        except BaseException:
            with suppress(OSError, InputError):  # the first error counts
                if self.archive:
                    self.archive.close()
                self.log.close()
            raise

    def _open(self, web: Fetcher, readers: Readers, time: Time) -> None:
        strategies, job = self._strategies, self._strategies.job
        if self.log.cut:
            self._say(
                f"set aside {self.log.cut:,} bytes of an interrupted write; they are fetched again"
            )
        self._frontiers, rebuild = self._open_frontiers(job, strategies.nodes)
        totals = Totals()
        agenda = (
            self._watch.agenda(job, self._directory.state, totals, time) if self._watch else None
        )
        self.parts = assemble(
            strategies,
            web=web,
            readers=readers,
            clocks=Clocks(
                job.politeness.delay,
                per_domain=job.politeness.per_domain,
                per_ip=job.politeness.per_ip,
                slots=job.politeness.concurrent if web.live else 0,
            ),
            time=time,
            log=self.log,
            archive=self.archive,
            exchange=Exchange(self._frontiers),
            state=self._directory.state,
            totals=totals,
            agenda=agenda,
        )
        self.nodes = [Node(name, one, self.parts) for name, one in self._frontiers.items()]
        if agenda:
            agenda.attach(
                self._frontiers,
                self.parts.price,
                strategies.ordering.calibrated,
                lambda text: self.nodes[0].note(Outcome.CONTROL, text),
            )
        history = self._fold(rebuild)
        if rebuild and (lost := self.log.written - history.visits):
            self._say(
                f"{lost:,} visits are missing from the log; "
                "pages that the remaining visits link to are fetched again"
            )
        self._cut_archive(history)
        if isinstance(time, SimulatedTime):
            time.advance_to(history.time)
        self._remember_rules(history, time.now())
        self._started = time.now()
        self.controls = history.controls
        if agenda and self._watch:
            agenda.budget.begin()
            self.nodes[0].note(Outcome.CONTROL, self._watch.note)
        self.nodes[0].seed(job.seeds, history.seeds)

    def _open_frontiers(self, job: Job, names: Sequence[str]) -> tuple[dict[str, Frontier], bool]:
        """The frontiers, and whether they must be rebuilt: not all were closed with this log."""
        state = self._directory.state
        paths = {name: state / f"frontier-{quote(name, safe=' ')}" for name in names}
        settings = job.random_seed, job.politeness.per_domain
        opened = {name: Frontier(path, *settings) for name, path in paths.items()}
        if all(frontier.position == self.log.mark for frontier in opened.values()):
            return opened, False
        for name, frontier in opened.items():
            if frontier.position is not None:
                frontier.close(b"")
                rmtree(paths[name])
                opened[name] = Frontier(paths[name], *settings)
        return opened, True

    def _fold(self, rebuild: bool) -> CrawlHistory:
        models = self._strategies.by_name
        learners = restore_models(self._directory.state, self.log.mark, models)
        fold = LogFold(self.parts, self.nodes, learners, rebuild)
        for batch in batches(self.log.directory, None, fold.fields):
            fold.add(batch.visits)
        return fold.finish()

    def _cut_archive(self, history: CrawlHistory) -> None:
        """Cut off the responses after the log's end, if the log knows it; report lost ones."""
        if self.archive is None:
            return
        lacks = missing_bytes(self._directory.archive, history.archives)
        if history.end_known and history.next == self.log.written:
            cut = self.archive.truncate_to(*history.archived)
            lacks |= {cut.file: cut.missing} if cut.missing else {}
        for file, missing in lacks.items():
            self._say(
                f"{file} lacks {missing:,} bytes that are in the log: the disk lost them, or the "
                f"file was moved; list the pages with `toponaut check {self._directory.root}`"
            )

    def _remember_rules(self, history: CrawlHistory, now: float) -> None:
        """A watch continues by the robots.txt of the last day, without requests for them."""
        for origin, visit in history.rules.items():
            self.parts.web.remember_rules(origin, now, partial(self._archived, visit))

    def _archived(self, visit: Visit) -> bytes | None:
        """The body of a response, unless it is not in the archive."""
        with suppress(InputError):
            return archived_body(self._directory.archive, visit) if visit.archive else None
        return None

    def progress(self) -> Progress:
        """The progress now; after `close`, as it was then."""
        if self._last is not None:
            return self._last
        figures = [
            NodeFigures.of_frontier(node.name, node.totals, node.frontier) for node in self.nodes
        ]
        now = self.parts.time.now()
        made = progress_of(figures, now, now - self._started, self.parts.price.level)
        agenda = self.parts.agenda
        watch = watch_progress(agenda, now) if agenda else None
        return replace(made, paused=self.controls.paused, watch=watch)

    # --- for the Committer -----------------------------------------------------------------------

    def snapshot(self, stopped: str) -> Callable[[], None]:
        snapshot = Snapshot(self.progress(), stopped)
        return lambda: write_snapshot(self._directory, snapshot)

    def roll(self) -> None:
        self.log.roll()

    def seal(self) -> None:
        """A segment that cannot be sealed now is sealed the next time."""
        try:
            seal(self.log.directory)
        except (OSError, InputError) as error:
            self._say(f"cannot seal the log, will retry: {getattr(error, 'cause', error)}")

    def clean_up(self) -> None:
        """Nothing is superfluous."""

    def close(self, settled_all: bool) -> None:
        """Write everything to the disk.

        Unless all visits were settled, the frontiers differ from the log: they are not closed, and
        the next run rebuilds them.
        """
        self._last = self.progress()
        if self.archive:
            self.archive.close()
        self.log.close()
        mark = self.log.mark
        save_models(self._directory.state, mark, self._strategies.by_name)
        if settled_all:
            for frontier in self._frontiers.values():
                frontier.close(mark)
