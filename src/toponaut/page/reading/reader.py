"""Bytes to judged page: all CPU work on a page, stateless, so that it can run in any process."""

from msgspec.structs import replace

from toponaut.gate.simhash import simhash
from toponaut.job import Job
from toponaut.page.judge import judge_of
from toponaut.page.parse import parse
from toponaut.places.gazetteer.cache import open_names
from toponaut.records import JudgedPage, Response
from toponaut.urls import fingerprints


class UnreadableError(Exception):
    """A page that cannot be read, or that took two workers down with it."""


class Reader:
    """Opens the gazetteer once (9 ms, mapped: all processes share its memory) and reads pages."""

    def __init__(self, job: Job) -> None:
        self._judge = judge_of(job, open_names())

    def read(self, fetched: Response) -> JudgedPage:
        """The page in an answer, the places and addresses in it, and whether it is wanted."""
        try:
            page = parse(fetched)
            prints = tuple(fingerprints([link.url for link in page.links]))
            return replace(
                self._judge.judge(page),
                simhash=simhash(page.text),
                ip=fetched.ip,
                link_fingerprints=prints,
            )
        except Exception as error:  # a page that we cannot read must not end a crawl
            raise UnreadableError(f"{type(error).__name__}: {error}") from error
