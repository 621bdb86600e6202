"""What a watch has found, for the page of changes and for feed readers.

The log is read once, and read on at each request. Feeds can be narrowed down by place and category:
/feed.atom?place=Oldenburg,DE&category=restaurant
"""

from collections.abc import Sequence
from threading import Lock
from typing import Annotated

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toponaut.api.watching import change_filter, present_of
from toponaut.app.parameters import read_parameters
from toponaut.app.responses import Endpoint, respond
from toponaut.app.served_crawl import ServedCrawl
from toponaut.watch.changes import Change
from toponaut.watch.feeds import ChangeReader, as_atom

ATOM = "application/atom+xml; charset=utf-8"
Since = Annotated[str, Meta(max_length=40, description="A date (2026-11-02) or days ago (7d)")]
KindText = Annotated[str, Meta(max_length=40, description="Only such changes: closed, moved, ...")]
PlaceText = Annotated[str, Meta(max_length=200, description="Only in a place: Oldenburg, DE")]
CategoryText = Annotated[str, Meta(max_length=80, description="Only of a category: restaurant")]
Most = Annotated[
    int, Meta(ge=1, le=1000, description="Changes to return, the newest: a number from 1 to 1000")
]


class ChangeParameters(Struct, frozen=True):
    """The query of both endpoints."""

    since: Since = ""
    kind: KindText = ""
    place: PlaceText = ""
    category: CategoryText = ""
    limit: Most = 200


class ChangesResponse(Struct, frozen=True):
    """The newest changes first, and how many there are."""

    changes: tuple[Change, ...]
    total: int
    kinds: dict[str, int]  # of all
    categories: tuple[str, ...]


class ChangeLog:
    """The changes of a served crawl so far."""

    def __init__(self, crawl: ServedCrawl) -> None:
        self._reader, self._lock = ChangeReader(crawl.directory.logs), Lock()
        self._changes: dict[str, Change] = {}

    def wanted(self, parameters: ChangeParameters) -> tuple[list[Change], Sequence[Change]]:
        """The changes that a query asks for, and all."""
        with self._lock:
            for change in self._reader.read():
                self._changes[change.id] = change
            every = list(self._changes.values())
        kinds = (parameters.kind,) if parameters.kind else ()
        wanted = change_filter(
            parameters.since, kinds, parameters.place, parameters.category, present_of(every)
        )
        return [one for one in every if wanted.wants(one)], every


def endpoint(log: ChangeLog) -> Endpoint:
    """/api/changes."""

    def answer(_: ServedCrawl, parameters: ChangeParameters) -> ChangesResponse:
        found, every = log.wanted(parameters)
        kinds: dict[str, int] = {}
        for one in every:
            kinds[one.kind] = kinds.get(one.kind, 0) + 1
        return ChangesResponse(
            tuple(found[: -parameters.limit - 1 : -1]),
            len(found),
            kinds,
            tuple(sorted({one.category for one in every if one.category})),
        )

    about = "What a watch has found: places that appeared, moved, closed; phones, hours, pages."
    return Endpoint("/api/changes", about, ChangeParameters, ChangesResponse, answer)


def feed_route(crawl: ServedCrawl, log: ChangeLog) -> Route:
    """/feed.atom, with the same parameters."""

    def feed(request: Request) -> Response:  # not async: it runs in a thread
        found, _ = log.wanted(read_parameters(request.query_params, ChangeParameters))
        text = "".join(as_atom(found, f"Changes: {crawl.name}", str(request.url)))
        return respond(request, text.encode(), ATOM)

    return Route("/feed.atom", feed, methods=["GET"])
