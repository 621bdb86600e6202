"""A page as the crawl has it: text, addresses, why it was fetched, pages nearby, captured copy.

The copy is shown in a sandbox where it can run, load and send nothing. The response says so itself
in its Content-Security-Policy, so that it also holds in a separate tab. Only HTML and plain text
are shown; everything else is a download.

HTML is sent as UTF-8, decoded as the crawl decoded it. Frames, <link> and <meta> elements become
<basefont>, which has no effect in current browsers: Chromium (version 156) connects to a frame's
server before it refuses the frame, no policy covers <link rel=preconnect>, and <meta name=referrer>
could reveal this server to the sites of followed links.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toponaut.app.parameters import PageParameters, read_parameters
from toponaut.app.responses import Endpoint, NotFoundError, respond
from toponaut.app.served_crawl import ServedCrawl
from toponaut.archive.bodies import archived_body
from toponaut.crawl.explain import Explanation, look_up
from toponaut.errors import InputError
from toponaut.index import Hit, Nearby
from toponaut.index.hierarchy import LocationNode, hierarchy
from toponaut.index.query.hits import iso
from toponaut.page.judge import MOST_TEXT
from toponaut.page.parse.encoding import decode
from toponaut.places.names.finder import NameFinder
from toponaut.records import CONTENT, Address, Visit
from toponaut.store.mirror import present
from toponaut.urls import normalise

_MAX_TEXT = 200_000  # characters

MentionRow = tuple[int, int, int, str, tuple[str, ...]]  # start, end, place id, name, path


class PageView(Struct, frozen=True):
    """Offsets count characters (code points) of the text."""

    url: str
    title: str
    captured: str
    language: str
    text: str
    truncated: bool
    addresses: tuple[Address, ...]
    mentions: tuple[MentionRow, ...]
    explained: Explanation
    near: Nearby
    hierarchy: tuple[LocationNode, ...]  # the places of the page, the largest areas on top
    archived: bool  # a copy can be shown
    relevant: bool
    hit: Hit | None  # as in a search


def page(crawl: ServedCrawl, parameters: PageParameters) -> PageView:
    explained, visits = look_up(crawl.root, parameters.url)
    if not explained.visits:
        cause = f"{explained.url} is not a page of this crawl: {explained.state}"
        raise NotFoundError(cause, "Use the URL of a search hit")
    visit = last_page(visits) or Visit(0, "", explained.url, 0, explained.visits[-1].outcome)
    with crawl.locked_search() as index:
        found = index.reader.page(visit.url).numbers
        hit = index.hit(int(found[0])) if len(found) else None
        near = index.near(visit.url) if len(found) else Nearby()
        mentions = _mentions(crawl.names, visit)
        places = hierarchy(visit, crawl.gazetteer, crawl.toponyms.named(visit.text[:MOST_TEXT]))
    stored = crawl.directory.mirror is not None or copy_path(crawl, visit).is_file()
    return PageView(
        url=visit.url,
        title=visit.title,
        captured=iso(visit.time or explained.visits[-1].time),
        language=visit.language,
        text=visit.text[:_MAX_TEXT],
        truncated=len(visit.text) > _MAX_TEXT,
        addresses=visit.addresses,
        mentions=mentions,
        explained=explained,
        near=near,
        hierarchy=places,
        archived=bool(visit.archive) and stored,
        relevant=visit.relevant,
        hit=hit,
    )


def last_page(visits: Iterable[Visit]) -> Visit | None:
    """The last of a URL's visits that fetched a page."""
    pages = [visit for visit in visits if visit.outcome in CONTENT]
    return pages[-1] if pages else None


def copy_path(crawl: ServedCrawl, visit: Visit) -> Path:
    return crawl.directory.archive / Path(visit.archive).name


def _mentions(names: NameFinder, visit: Visit) -> tuple[MentionRow, ...]:
    """The place names in the text. Like the judge, it reads the title first, as context."""
    title = f"{visit.title}\n\n" if visit.title else ""
    offset = len(title)
    rows = []
    for mention in names.find(title + visit.text[:MOST_TEXT]):
        if mention.start >= offset:
            place = names.gazetteer.place(mention.place)
            start, end = mention.start - offset, mention.end - offset
            rows.append((start, end, place.id, place.name, place.path))
    return tuple(rows)


ENDPOINT = Endpoint(
    "/api/page", "A page's text, addresses and history", PageParameters, PageView, page
)


# --- the captured copy ---------------------------------------------------------------------------

COPY_PATH = "/archived"
_FIELDS = ("sequence", "url", "outcome", "content_type", "archive", "offset", "length")
POLICY = (
    "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
)
_HTML = ("text/html", "application/xhtml+xml")
_ACTIVE = re.compile(r"<(?:link|meta|i?frame)(?=[\s/>])", re.IGNORECASE)
_UNSAFE_NAME = re.compile(r"[^A-Za-z0-9._-]+")


def copy_route(crawl: ServedCrawl) -> Route:
    def answer(request: Request) -> Response:
        parameters = read_parameters(request.query_params, PageParameters)
        visit = _visit(crawl, parameters.url)
        return _show(request, visit, _body(crawl, visit))

    return Route(COPY_PATH, answer, methods=["GET"])


def _visit(crawl: ServedCrawl, url: str) -> Visit:
    normal = normalise(url)
    visit = last_page(crawl.directory.logs.find(normal, _FIELDS)) if normal else None
    if visit is None:
        raise NotFoundError("this crawl has no such page", "Use the URL of a search hit")
    if not visit.archive:
        fix = "Its text is in the log; crawl with storage.warc = true to keep copies"
        raise NotFoundError(f"{visit.url} was not archived", fix)
    return visit


def _body(crawl: ServedCrawl, visit: Visit) -> bytes:
    try:
        return archived_body(crawl.directory.archive, visit, present)
    except InputError as error:
        raise NotFoundError(error.cause, error.fix) from error


def _show(request: Request, visit: Visit, body: bytes) -> Response:
    declared = visit.content_type.partition(";")[0].strip().lower()
    headers = {"Content-Security-Policy": POLICY}
    if declared in _HTML:
        text = _ACTIVE.sub("<basefont", decode(body, visit.content_type, markup=True)[0])
        return respond(request, text.encode(), "text/html; charset=utf-8", headers)
    if declared == "text/plain":
        text = decode(body, visit.content_type, markup=False)[0]
        return respond(request, text.encode(), "text/plain; charset=utf-8", headers)
    name = _UNSAFE_NAME.sub("-", visit.url.rpartition("/")[2])[:80].strip("-.") or "copy"
    headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return respond(request, body, "application/octet-stream", headers)
