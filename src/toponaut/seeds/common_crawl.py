"""Common Crawl's index: pages whose address names the place, or says where a site's owner is.

Its CDX service is asked for the likely hosts of the place. A part of its columnar index (Parquet)
or a saved answer (JSON lines) is searched for the place's name in every address.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import msgspec

from toponaut.errors import InputError
from toponaut.records import Place
from toponaut.seeds.likely_hosts import likely_hosts
from toponaut.seeds.seed import Seed, make_seed
from toponaut.seeds.service import NothingThereError, Services, SourceError

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

SERVICE = "https://index.commoncrawl.org/"
_PAGES = 3  # of the answer for one host: the index is sorted, and a host's first pages suffice
_AT_ONCE = 1_000  # addresses
# Pages that carry a site's address, in the languages of the web's largest countries.
_CONTACT = re.compile(
    r"(?i)[/_-](?:impressum|kontakt|contact|contact-?us|contacto|contatti|mentions-legales|about|"
    r"about-?us|imprint|anfahrt|standorte?|locations?|nous-trouver)\b"
)

NamesPlace = Callable[[Sequence[str]], list[bool]]  # whether each URL names the place


class _CdxLine(msgspec.Struct):
    url: str
    status: str = "200"


class _Collection(msgspec.Struct, rename={"api": "cdx-api"}):
    api: str


def ask_common_crawl(services: Services, place: Place, url: str = SERVICE) -> Iterator[Seed]:
    """Home and contact pages of the place's likely hosts, from the newest index."""
    api = _newest(services, url)
    for host in likely_hosts(place):
        yield from _of_host(services, api, host)


def _newest(services: Services, url: str) -> str:
    try:
        collections = msgspec.json.decode(
            services.get(f"{url.rstrip('/')}/collinfo.json"), type=list[_Collection]
        )
    except msgspec.DecodeError:
        collections = []
    if not collections:
        raise SourceError(f"{url} lists no index", "Try again later, or give a file: --from FILE")
    return collections[0].api


def _of_host(services: Services, api: str, host: str) -> Iterator[Seed]:
    found: list[str] = []
    fields = {"url": host, "matchType": "domain", "output": "json", "filter": "status:200"}
    try:
        for page in range(_PAGES):
            lines = services.get(f"{api}?{urlencode(fields | {'page': str(page)})}")
            found += [capture.url for capture in _captures(lines, api)]
            if not lines.strip():
                break
    except NothingThereError:  # no captures of this host, or no further page
        pass
    homes = [f"https://{host}/"] if found else []
    for one in [*homes, *filter(_CONTACT.search, found)]:
        if seed := make_seed(one, "common-crawl"):
            yield seed


def read_captures(data: bytes, name: str, names_place: NamesPlace) -> Iterator[Seed]:
    """The seeds among the captures of a saved answer."""
    urls = [one.url for one in _captures(data, name) if one.status == "200"]
    return _naming(urls, names_place)


def read_columns(file: "ParquetFile", names_place: NamesPlace) -> Iterator[Seed]:
    """The seeds in a part of the columnar index: its column "url"."""

    def urls() -> Iterator[str]:
        for batch in file.iter_batches(columns=["url"]):
            yield from (url for url in batch.column(0).to_pylist() if url)

    return _naming(urls(), names_place)


def _captures(data: bytes, name: str) -> Iterator[_CdxLine]:
    for number, line in enumerate(data.splitlines(), 1):
        try:
            yield msgspec.json.decode(line, type=_CdxLine)
        except msgspec.DecodeError:
            raise InputError(
                f"{name}:{number}: not a capture of a CDX index", "Get it again"
            ) from None


def _naming(urls: Iterable[str], names_place: NamesPlace) -> Iterator[Seed]:
    rest = iter(urls)
    while some := list(islice(rest, _AT_ONCE)):
        for url, names in zip(some, names_place(some), strict=True):
            if names and (seed := make_seed(url, "common-crawl")):
                yield seed
