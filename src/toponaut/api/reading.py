"""Reading pages and looking up places: extract, mentions, places, seeds."""

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import cache
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from toponaut.api.results import Columns, Records
from toponaut.errors import InputError

if TYPE_CHECKING:
    from toponaut.places.addresses.finder import AddressFinder
    from toponaut.places.gazetteer import Gazetteer
    from toponaut.records import Address, Mention, Page, Place
    from toponaut.seeds.seed import Seed

Source = str | bytes | PathLike[str]
_FILES = (".html", ".htm", ".xhtml", ".txt", ".warc", ".gz", ".zst", ".wet")


def extract(
    source: Source, *, url: str = "", points: str | PathLike[str] = ""
) -> "Records[Address]":
    """Find the postal addresses in a page.

    `source` is HTML or text (str or bytes), a path (a file, a folder or a WARC) or an http(s) URL.
    `url` says where HTML or text comes from; it helps to find the country. Addresses of several
    documents have the column `source`. `points` is a file of addresses with coordinates, or the URL
    of a geocoder of your own: addresses found there get the point of their house.
    """
    from toponaut.export.house_points import at_house, open_points, prepared
    from toponaut.records import Address

    finder = _address_finder()
    found = [
        (address, name) for name, page in pages_of(source, url) for address in finder.find(page)
    ]
    if points:
        with prepared(fspath(points)) as ready, closing(open_points(ready)) as houses:
            found = [(at_house(one, houses), name) for one, name in found]
    several = len({name for _, name in found}) > 1
    return Records([one for one, _ in found], Address, _source_column(found) if several else {})


def mentions(
    text: Source, *, region: Iterable[str | int] = (), demonyms: bool = False
) -> "Records[Mention]":
    """Find the place names in a text, and the places they mean.

    `text` is a str; bytes, a Path and an http(s) URL are read as a page, and offsets then refer to
    its visible text. `region` names places that are known to be near: ["Marietta, Ohio"].
    `demonyms` also finds English adjectives of countries: "the Turkish coast".
    """
    from toponaut.job.targets import find_place
    from toponaut.places.gazetteer.cache import open_names
    from toponaut.places.names.demonyms import DemonymFinder
    from toponaut.records import Mention

    finder = open_names()
    near = {find_place(finder.gazetteer, name).id: 1.0 for name in region}
    pages = pages_of(text, text_only=True)
    texts = [page.text for _, page in pages]
    found = [finder.find(one, near) for one in texts]
    if demonyms:
        add = DemonymFinder(finder.gazetteer).add
        found = [add(one, some) for one, some in zip(texts, found, strict=True)]
    return Records(
        [mention for some in found for mention in some], Mention, place_columns(finder.gazetteer)
    )


def places(name: str | int, *, limit: int | None = None, wordnet: bool = False) -> "Records[Place]":
    """Look up places by name or GeoNames id, best match first.

    A name may have context: "Glendale, AZ", "Oldenburg, Niedersachsen". An unknown name is an
    InputError that suggests similar ones. `wordnet` looks in WordNet's toponyms instead.
    """
    from toponaut.job.targets import look_up
    from toponaut.places.gazetteer.cache import open_gazetteer, open_wordnet
    from toponaut.records import Place

    return Records(look_up(open_wordnet() if wordnet else open_gazetteer(), name)[:limit], Place)


def seeds(
    place: str | int, sources: Iterable[str] = (), *, contact: str = "", fresh: bool = False
) -> "Records[Seed]":
    """Find web addresses at which a crawl of a place can start, best first.

    `sources`: "osm", "wikidata", "common-crawl", "hosts", another service of that kind
    ("osm=https://..."), or files; by default OpenStreetMap, Wikidata and likely host names. Sources
    that fail give a warning, and an InputError if all do. `contact` is sent to the services;
    `fresh` does not use answers of the last week.
    """
    from toponaut.job.targets import find_place
    from toponaut.places.gazetteer.cache import open_names
    from toponaut.seeds.find import DEFAULT, find_seeds
    from toponaut.seeds.seed import Seed
    from toponaut.seeds.service import Services

    names = open_names()
    wanted = find_place(names.gazetteer, place)
    services = Services(contact, fresh=fresh)
    found = find_seeds(names, wanted, tuple(sources) or DEFAULT, services=services)
    for fault in found.faults:
        warnings.warn(fault, stacklevel=2)
    return Records(found.seeds, Seed)


def _source_column(found: "list[tuple[Address, str]]") -> "Columns[Address]":
    """The document of each address. Equal addresses may come from two, so identity decides."""
    by_id = {id(address): (address, name) for address, name in found}
    return {"source": lambda address: by_id[id(address)][1] if id(address) in by_id else ""}


def place_columns(gazetteer: "Gazetteer") -> "Columns[Mention]":
    """Columns that describe the place of a mention."""
    return {
        "name": lambda mention: gazetteer.place(mention.place).name,
        "country": lambda mention: gazetteer.place(mention.place).country,
        "admin1": lambda mention: gazetteer.place(mention.place).admin1,
        "lat": lambda mention: gazetteer.place(mention.place).lat,
        "lon": lambda mention: gazetteer.place(mention.place).lon,
    }


def pages_in(sources: list[str], report: Callable[[str], None]) -> "Iterator[tuple[str, Page]]":
    """The pages in files, folders, WARCs and URLs, each with its name.

    What cannot be read is reported at the end; it is an InputError if nothing could be read.
    """
    from toponaut.archive.documents import NO_PAGE, Documents, page_of

    faults: list[str] = []

    def note(source: str, error: InputError) -> None:
        faults.append(f"{source}: {error}")

    read = 0
    for document in Documents(sources, note):
        if page := page_of(document):
            read += 1
            yield document.source, page
        else:
            note(document.source, NO_PAGE)
    if faults and not read:
        raise InputError("; ".join(faults))
    for fault in faults:
        report(fault)


def pages_of(
    source: Source, url: str = "", *, text_only: bool = False
) -> "Iterator[tuple[str, Page]]":
    """The pages in any source, each with its name. `text_only`: a str is never HTML or a path."""
    if isinstance(source, str) and not _is_location(source, text_only):
        markup = not text_only and "<" in source
        yield url, _page(source.encode(), url, "text/html" if markup else "text/plain")
    elif isinstance(source, bytes):
        yield url, _page(source, url, "")
    else:
        yield from pages_in([fspath(source)], lambda fault: warnings.warn(fault, stacklevel=4))


def _is_location(source: str, text_only: bool) -> bool:
    """Whether a string is a URL or a path, rather than HTML or text."""
    if any(sign in source for sign in "<\n\0") or not source.strip():
        return False
    if source.lower().startswith(("http://", "https://")) and len(source.split()) == 1:
        return True
    if text_only:
        return False
    named = source.lower().endswith(_FILES) and len(source.split()) == 1
    return named or (len(source) < 4096 and Path(source).exists())


def _page(body: bytes, url: str, content_type: str) -> "Page":
    from toponaut.archive.documents import NO_PAGE, Document, page_of

    kind = f"{content_type}; charset=utf-8" if content_type else ""
    page = page_of(Document(url, url or "text:", kind, body))
    if page is None:
        raise NO_PAGE
    return page


@cache
def _address_finder() -> "AddressFinder":
    from toponaut.places.addresses.finder import AddressFinder
    from toponaut.places.gazetteer.cache import open_names

    names = open_names()
    return AddressFinder(names.gazetteer, names)
