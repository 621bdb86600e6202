"""A page as the crawl has it: its text with what was found in it, how it came into the crawl, what is near it."""

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from toponaut.app import asked
from toponaut.app.endpoint import Endpoint
from toponaut.app.sending import NotFoundError
from toponaut.app.site import Site
from toponaut.crawl.explain import Explained, look_up
from toponaut.index import Hit, Nearby
from toponaut.index.query.hits import iso
from toponaut.page.judge import MOST_TEXT
from toponaut.places.names.finder import NameFinder
from toponaut.records import PAGES, Address, Visit

_MOST_SHOWN = 200_000  # characters of a text

NamedTarget = tuple[
    int, int, int, str, tuple[str, ...]
]  # start, end, id of the place, its name, its path


class PageView(Struct, frozen=True):
    """Offsets count characters (code points) of the text."""

    url: str
    title: str
    captured: str
    language: str
    text: str
    truncated: bool
    addresses: tuple[Address, ...]
    mentions: tuple[NamedTarget, ...]
    explained: Explained
    near: Nearby
    archived: bool  # a copy can be shown
    relevant: bool
    hit: Hit | None  # as a search shows it


def page(site: Site, said: asked.Page) -> PageView:
    explained, visits = look_up(site.root, said.url)
    if not explained.visits:
        cause = f"{explained.url} is no page of this crawl: {explained.state}"
        raise NotFoundError(cause, "Give the URL of a hit, as it is shown")
    visit = last_page(visits) or Visit(0, "", explained.url, 0, explained.visits[-1].outcome)
    with site.asking() as index:
        found = index.reader.page(visit.url).numbers
        hit = index.hit(int(found[0])) if len(found) else None
        near = index.near(visit.url) if len(found) else Nearby()
        mentions = _mentions(site.names, visit)
    return PageView(
        url=visit.url,
        title=visit.title,
        captured=iso(visit.time or explained.visits[-1].time),
        language=visit.language,
        text=visit.text[:_MOST_SHOWN],
        truncated=len(visit.text) > _MOST_SHOWN,
        addresses=visit.addresses,
        mentions=mentions,
        explained=explained,
        near=near,
        archived=bool(visit.archive)
        and (site.directory.mirror is not None or copy_at(site, visit).is_file()),
        relevant=visit.relevant,
        hit=hit,
    )


def last_page(visits: Iterable[Visit]) -> Visit | None:
    """The last of a URL's visits, told in order, that brought a page."""
    pages = [visit for visit in visits if visit.outcome in PAGES]
    return pages[-1] if pages else None


def copy_at(site: Site, visit: Visit) -> Path:
    return site.directory.archive / Path(visit.archive).name


def _mentions(names: NameFinder, visit: Visit) -> tuple[NamedTarget, ...]:
    """The place names in the text, read as the judge has read them: the title goes first and says what is meant."""
    before = f"{visit.title}\n\n" if visit.title else ""
    found = names.find(before + visit.text[:MOST_TEXT])
    at = len(before)
    told = []
    for mention in found:
        if mention.start >= at:
            place = names.gazetteer.place(mention.place)
            told.append((mention.start - at, mention.end - at, place.id, place.name, place.path))
    return tuple(told)


ENDPOINTS = (
    Endpoint(
        "/api/page",
        "A page: its text, what was found in it, and why it was fetched",
        asked.Page,
        PageView,
        page,
    ),
)
