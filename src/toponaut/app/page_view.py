"""A page as the crawl has it: its text and addresses, why it was fetched, and pages nearby."""

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from toponaut.app.parameters import PageParameters
from toponaut.app.responses import Endpoint, NotFoundError
from toponaut.app.served_crawl import ServedCrawl
from toponaut.crawl.explain import Explanation, look_up
from toponaut.index import Hit, Nearby
from toponaut.index.query.hits import iso
from toponaut.page.judge import MOST_TEXT
from toponaut.places.names.finder import NameFinder
from toponaut.records import PAGES, Address, Visit

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
        archived=bool(visit.archive) and stored,
        relevant=visit.relevant,
        hit=hit,
    )


def last_page(visits: Iterable[Visit]) -> Visit | None:
    """The last of a URL's visits that fetched a page."""
    pages = [visit for visit in visits if visit.outcome in PAGES]
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
