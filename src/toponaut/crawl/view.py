"""Views of a running crawl: a table in the terminal, or a line of JSON a second."""

import sys
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple, Self

import msgspec
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from toponaut.crawl.progress import NodeProgress, Progress, WatchProgress
from toponaut.timing import is_simulated

_SPEED_S = 10.0  # over which pages a second are averaged
_EVERY_S = 0.5
_JSON_EVERY_S = 1.0


class CrawlBudget(NamedTuple):
    """The limits at which a crawl stops; 0: none."""

    pages: int = 0
    seconds: float = 0.0

    def share(self, progress: Progress) -> float | None:
        """How much of the budget is spent, by the limit that is nearer; None without a limit."""
        spent = ((progress.pages, self.pages), (progress.seconds, self.seconds))
        shares = [min(done / limit, 1.0) for done, limit in spent if limit]
        return max(shares, default=None)

    def left_s(self, progress: Progress, per_second: float) -> float | None:
        """Seconds until a limit is reached, if that can be said."""
        left = [max(self.seconds - progress.seconds, 0.0)] if self.seconds else []
        if self.pages and per_second:
            left.append(max(self.pages - progress.pages, 0) / per_second)
        return min(left, default=None)

    def bar(self, progress: Progress, per_second: float) -> RenderableType | None:
        share, left = self.share(progress), self.left_s(progress, per_second)
        if share is None:
            return None
        words = f"{share:.0%} of the budget"
        line = Table.grid(padding=(0, 1))
        line.add_row(
            ProgressBar(1.0, share, width=40),
            Text(words if left is None else f"{words}, about {clock(left)} left"),
        )
        return line


class NoView:
    """Shows nothing; the base of the other views."""

    def watch(self, ask: Callable[[], Progress]) -> None:
        """Show the progress that `ask` returns."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass


class LiveView(NoView):
    """The table in a terminal."""

    def __init__(self, console: Console, budget: CrawlBudget) -> None:
        self._ask: Callable[[], Progress] | None = None
        self._speed = Speed()
        self._budget = budget
        self._live = Live(
            console=console,
            get_renderable=self._render,
            refresh_per_second=1 / _EVERY_S,
            transient=True,
        )

    def watch(self, ask: Callable[[], Progress]) -> None:
        self._ask = ask

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ask = None  # the crawl is closed
        self._live.stop()

    def _render(self) -> RenderableType:
        if self._ask is None:
            return Text("opening ...")
        progress = self._ask()
        speeds = self._speed.measure(progress)
        table, bar = table_of(progress, speeds), self._budget.bar(progress, speeds[0])
        return Group(bar, table) if bar else table


class RegularView(NoView, ABC):
    """A view that looks at the crawl every few seconds, in a thread of its own."""

    def __init__(self, every: float) -> None:
        self._every = every
        self.closed = threading.Event()
        self._thread: threading.Thread | None = None

    def watch(self, ask: Callable[[], Progress]) -> None:
        self._thread = threading.Thread(target=self._run, args=(ask,), daemon=True)
        self._thread.start()

    def __exit__(self, *error: object) -> None:
        self.closed.set()
        if self._thread:
            self._thread.join()

    def _run(self, ask: Callable[[], Progress]) -> None:
        while not self.closed.wait(self._every):
            self.look(ask())
        self.finish()

    @abstractmethod
    def look(self, progress: Progress) -> None:
        """Do what the view is for."""

    def finish(self) -> None:
        """Do what is left when the crawl is closed."""


class JsonView(RegularView):
    """A line of JSON a second on standard output."""

    def __init__(self, budget: CrawlBudget) -> None:
        super().__init__(_JSON_EVERY_S)
        self._budget = budget
        self._speed = Speed()

    def look(self, progress: Progress) -> None:
        per_second = self._speed.measure(progress)[0]
        ahead = {
            "per_second": per_second,
            "budget": self._budget.share(progress),
            "left_s": self._budget.left_s(progress, per_second),
        }
        print_line({**msgspec.structs.asdict(progress), **ahead})


class Speed:
    """Recent pages a second: of the crawl, then of each node."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, ...]] = deque()

    def measure(self, progress: Progress) -> list[float]:
        self._seen.append(
            (progress.seconds, progress.pages, *(node.pages for node in progress.nodes))
        )
        while len(self._seen) > 2 and progress.seconds - self._seen[0][0] > _SPEED_S:
            self._seen.popleft()
        seconds, *pages = (
            after - before for before, after in zip(self._seen[0], self._seen[-1], strict=True)
        )
        return [round(some / seconds, 1) if seconds > 0 else 0.0 for some in pages]


def print_line(line: object) -> None:
    sys.stdout.write(msgspec.json.encode(line).decode() + "\n")
    sys.stdout.flush()


def _watch_lines(watch: WatchProgress) -> list[str]:
    """The figures of a watch."""
    lines = [
        f"watch: {watch.used:,} of {watch.budget:,} requests in the last day, "
        f"{watch.pages:,} pages, {watch.staleness:.1%} expected to be stale, "
        f"{watch.due:,} due within a day, {watch.changes:,} changes in the last day"
    ]
    lines += [f"next: {_moment(moment)}  {url}" for moment, url in watch.next]
    return lines


def _moment(moment: float) -> str:
    if is_simulated(moment):
        return f"day {moment / 86_400:.2f}"
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M")


def table_of(progress: Progress, speeds: Sequence[float] = ()) -> RenderableType:
    """Progress as a table with a row for each node. `speeds`: of the crawl, then of each node."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    fast = "pages/s " if speeds else ""
    for name in f"node pages {fast}relevant harvest queued hosts waiting busy errors".split():
        table.add_column(name, justify="left" if name == "node" else "right")
    for number, node in enumerate(progress.nodes, 1):
        table.add_row(node.node, *_figures(node, speeds[number : number + 1]))
    if len(progress.nodes) > 1:
        table.add_row("all", *_figures(progress, speeds[:1]), style="bold")
    figures = [
        f"{progress.received / 1e6:,.1f} MB received",
        f"{progress.addresses:,} addresses found",
    ]
    if progress.rendered:
        figures.append(f"{progress.rendered:,} pages rendered")
    if progress.paused:
        figures.insert(0, "paused")
    if progress.price:
        figures.append(f"price {progress.price:.3g}, {progress.explored:,} explored below it")
    if progress.sent:
        figures.append(f"{progress.sent:,} links in {progress.messages:,} messages between nodes")
    lines: list[RenderableType] = [
        table,
        Text("   ".join([*figures, clock(progress.seconds)]), style="dim"),
    ]
    if watch := progress.watch:
        lines += [Text(line, style="dim") for line in _watch_lines(watch)]
    for title, counts in (("outcomes", progress.outcomes), ("links refused", progress.refused)):
        if counts:
            ordered = sorted(counts.items(), key=lambda pair: -pair[1])
            listed = ", ".join(f"{name} {count:,}" for name, count in ordered)
            lines.append(Text(f"{title}: {listed}", style="dim"))
    return Group(*lines)


def _figures(one: NodeProgress | Progress, speed: Sequence[float]) -> list[str]:
    harvest = one.relevant / one.pages if one.pages else 0.0
    after = (one.queued, one.hosts, one.resting, one.busy, one.faults)
    fast = [f"{pages:,.1f}" for pages in speed]
    return [
        f"{one.pages:,}",
        *fast,
        f"{one.relevant:,}",
        f"{harvest:.1%}",
        *(f"{number:,}" for number in after),
    ]


def clock(seconds: float) -> str:
    """Seconds as h:mm:ss."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"
