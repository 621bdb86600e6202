"""What a watch is to do, and its figures for status and dashboard."""

from collections.abc import Mapping
from pathlib import Path
from shutil import rmtree

import numpy as np
from msgspec import Struct, field

from toponaut.crawl.progress import Totals, WatchProgress
from toponaut.errors import InputError
from toponaut.job import Job
from toponaut.log import Logs
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.store.disk import make_directory
from toponaut.timing import Time
from toponaut.urls import host_of
from toponaut.watch.agenda import Agenda
from toponaut.watch.budget import RequestBudget
from toponaut.watch.history import WATCH
from toponaut.watch.interest import page_interest
from toponaut.watch.revisit_table import DAY_S, RevisitTable

_SHOWN = 5  # next visits


class WatchPlan(Struct, frozen=True):
    """A watch, as asked for. `days`: 0 for ever. `asked`: words of queries, with priorities."""

    requests_per_day: int
    days: float = 0.0
    asked: Mapping[str, float] = field(default_factory=dict)

    @property
    def note(self) -> str:
        """What the log says when the watch begins."""
        return f"{WATCH} {self.requests_per_day} requests a day"

    def agenda(self, job: Job, state: Path, totals: Totals, time: Time) -> Agenda:
        """An empty agenda, to be filled by the log."""
        folder = state / "watch"
        rmtree(folder, ignore_errors=True)
        make_directory(folder)
        budget = RequestBudget(job, totals, time, self.requests_per_day, self.days)
        interest = page_interest(job, self.asked, open_gazetteer().names.tokeniser)
        return Agenda(job.watch, RevisitTable(folder, job.watch.schedule, interest), budget)


def check_pace(per_day: int, hosts: int, delay: float) -> None:
    """Refuse a budget that politeness cannot use."""
    most = hosts * DAY_S / delay if delay else float("inf")
    if per_day > most:
        cause = (
            f"{per_day:,} requests a day cannot be made: {hosts:,} host{'s'[: hosts != 1]} with "
            f"{delay:g} s between two requests allow {int(most):,}"
        )
        raise InputError(cause, f"Give --requests-per-day {int(most)} or less")


def crawled_hosts(logs: Logs) -> int:
    """The hosts that have given pages, or were linked to from them."""
    hosts = set()
    for visit in logs.read(("url", "links.url")):
        hosts.add(host_of(visit.url) if visit.url else "")
        hosts.update(host_of(link.url) for link in visit.links)
    return len(hosts - {""})


def watch_progress(agenda: Agenda, now: float) -> WatchProgress:
    """The figures of a watch."""
    due = agenda.pages.column("due")
    soon = np.sort(due[due > 0.0])[:_SHOWN] if len(due) <= 100_000 else due[:0]
    rows = [int(np.flatnonzero(due == moment)[0]) for moment in soon.tolist()]
    return WatchProgress(
        budget=agenda.budget.per_day,
        used=agenda.budget.used(now),
        pages=agenda.pages.count,
        staleness=round(agenda.staleness(), 4),
        due=int(((due > 0.0) & (due <= now + DAY_S)).sum()),
        changes=sum(1 for moment in agenda.changes if moment > now - DAY_S),
        next=tuple((float(due[row]), agenda.pages.record(row).url) for row in rows),
    )
