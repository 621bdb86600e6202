"""Judges the responses of a Scrapy project by its targets, each once."""

from collections.abc import Iterable, Sequence

from scrapy.http import Response as ScrapyResponse
from scrapy.http import TextResponse
from scrapy.settings import BaseSettings

from toponaut.errors import InputError
from toponaut.job import Job, TargetsSection
from toponaut.job.owners import OwnerTable
from toponaut.job.targets import Territory, job_targets
from toponaut.page.judge import Judge, judge_of
from toponaut.page.parse import parse
from toponaut.places.gazetteer.cache import open_names
from toponaut.places.names.link_names import LinkNames
from toponaut.records import JudgedPage, Response

META = "toponaut"  # the key of the judged page in a response's meta
_TARGETS = "TOPONAUT_TARGETS"


class PageJudge:
    """Finds places and addresses in responses."""

    def __init__(self, targets: Iterable[str]) -> None:
        wanted = tuple(targets)
        if not wanted:
            raise InputError(f"{_TARGETS} is empty", f'Set {_TARGETS} = ["Oldenburg, DE"]')
        names, job = open_names(), Job(targets=TargetsSection(places=wanted))
        self._judge: Judge = judge_of(job, names)
        territory = Territory("all", tuple(job_targets(names.gazetteer, job)))
        self._links = LinkNames(names, OwnerTable(names.gazetteer, [territory], ()).target_of)

    def read(self, response: ScrapyResponse) -> JudgedPage | None:
        """The judged page of a response, kept in its meta; None if it is not text."""
        if not isinstance(response, TextResponse):
            return None
        kept = response.meta.get(META) if response.request is not None else None
        if isinstance(kept, JudgedPage) and kept.page.url == response.url:
            return kept
        kind = (response.headers.get("Content-Type") or b"text/html").decode("latin-1")
        page = parse(Response(response.url, response.status, response.body, kind))
        judged = self._judge.judge(page)
        if response.request is not None:
            response.meta[META] = judged
        return judged

    def names_target(self, urls: Sequence[str]) -> list[bool]:
        """Whether each URL names a target, or a place in one."""
        return [bool(names) for names in self._links.in_urls(urls)]


def judge_of_settings(settings: BaseSettings) -> PageJudge:
    """The judge of a project, by its settings."""
    return PageJudge(settings.getlist(_TARGETS))
