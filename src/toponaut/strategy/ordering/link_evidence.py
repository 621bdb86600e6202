"""The evidence on a link before it is followed, as one row of numbers (for combined.py).

Each evidence is 0 if it says nothing and about 1 if it says something, so that weights can be
compared. The fixed part is kept in the link's memo, one byte for each number. The moving part is
looked up again when the link's turn has come: the words, and the records of sites kept here.
"""

import math
import re
from collections.abc import Callable, Sequence
from functools import lru_cache

import cython
from cython.cimports.libc.math import log, rint, sqrt

from toponaut.places.names.anchors import LinkReader
from toponaut.records import JudgedPage, Link, QueuedLink
from toponaut.strategy.ordering.cell_counts import CellCounts
from toponaut.urls import fingerprint, host_of, registered_domain

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

FIXED = (
    "bias",
    "nearness of a relevant page",  # 1 next to a relevant page or a seed, then 1/2, 1/4
    "a relevant page holds it",
    "the URL names a target",
    "the link text names a target",
    "a target is named near it",
    "its page is about targets",
    "stays on its site",
    "depth in its host",
    "many links on its page",
    "its name says contact",
)
MOVING = (
    "words of links that led on",
    "hope for its site",  # by its record
    "record of such links to its site",  # compared with that of the site
    "record of links from there",
)
NAMES = FIXED + MOVING
IN_URL, IN_TEXT, NEAR = 3, 4, 5  # the places of a link's names
# Whether a target is named in a link's URL, in its text, and near it: 1, or less far from it.
NameEvidence = tuple[float, float, float]
# A number is kept in one byte: -8 to 8 in steps of 1/16.
_STEPS = cython.declare(cython.double, 16.0)
_MOST_STEPS = cython.declare(cython.double, 127.0)
_FEW_LINKS = math.log(20)
_SCHEME = len("https://")
# Names of the page of a site that has its address, in the languages of the web's largest countries.
_CONTACT = re.compile(
    r"contact|kontakt|contatt|contato|impressum|imprint|mentions-?l[eé]gales|find[ -]?us|anfahrt"
    r"|standort|directions|our[ -]?location|yhteystiedot|kapcsolat",
    re.IGNORECASE,
).search

# Sites are registered domains, kept by 20 bits of their hash: 8 MB for each of three tables.
_BITS = 20
CELLS = 1 << _BITS
_GOLDEN = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)  # 2^64 / golden ratio
_SPARE = 40  # bits of a hash that are not used: 24 distinguish the folders of a site
# Links with the crawl's average success that every site starts with. With fewer, one relevant page
# would make a site the best of all; with more, a site would need too many visits to be believed.
_BEFORE = cython.declare(cython.double, 3.0)
_MOST = cython.declare(cython.double, 4.0)  # log-odds, relative to the whole crawl
# Standard deviations that a site is rated above its mean. With 0, 1 and 2, relevant pages of five
# real targets after 300 fetches: 482, 504, 447; coverage of generated webs 301 to 308 after 600
# pages: 65.9, 69.1, 74.5 %.
_HOPE = cython.declare(cython.double, 1.0)
_SURE = cython.declare(cython.double, 0.99)  # the highest hope


class LinkEvidence:
    """Reads links. `row`: place id -> row in the gazetteer."""

    def __init__(self, reader: LinkReader, row: Callable[[int], int]) -> None:
        self._reader, self._row = reader, row

    def read(
        self,
        came: QueuedLink,
        judged: JudgedPage,
        links: Sequence[Link],
        score: float,
        same_site: Sequence[bool],
        names: Sequence[NameEvidence] = (),
    ) -> list[list[float]]:
        """The fixed evidence of links of a page, a row for each. `names`: if they are known."""
        about = self.about_targets(judged)
        many = max(math.log(1 + len(judged.page.links)) - _FEW_LINKS, 0.0)
        here = host_of(came.url) if came.url else ""
        deeper = min(came.depth + 1, 5) / 5
        named = names or self.names(judged.page.text, links)
        found = []
        for link, same, (in_url, in_text, near) in zip(links, same_site, named, strict=True):
            depth = deeper if same and host_of(link.url) == here else 0.0
            contact = float(says_contact(link))
            row = [1.0, 2 * score, judged.relevant, in_url, in_text, near, about, same, depth, many]
            found.append([*row, contact])
        return found

    def names_in_urls(self, links: Sequence[Link]) -> list[NameEvidence]:
        """How the URLs of links name targets."""
        return [(float(bool(names)), 0.0, 0.0) for names in self._reader.in_urls(links)]

    def names(self, text: str, links: Sequence[Link]) -> list[NameEvidence]:
        """How links of the page with this text name targets."""
        in_urls, anchored = self._reader.read(text, links)
        found: list[NameEvidence] = [(float(bool(names)), 0.0, 0.0) for names in in_urls]
        for k, near in anchored.items():
            weight = 1 / max(near.words, 1)
            found[k] = (found[k][0], 0.0, weight) if near.words else (found[k][0], weight, 0.0)
        return found

    def about_targets(self, judged: JudgedPage) -> float:
        """The share of a page's scope that is in targets."""
        inside, row = self._reader.inside, self._row
        return sum(weight for place, weight in judged.scope if inside[row(place)])


def says_contact(link: Link) -> bool:
    """Whether the text or the path of a link names the page with the address of its site."""
    return _says_contact(link.anchor, link.url)


@lru_cache(maxsize=16_384)  # 7 us; a site's menu is on each of its pages
def _says_contact(anchor: str, url: str) -> bool:
    return bool(_CONTACT(anchor) or _CONTACT(url, url.find("/", _SCHEME)))


def packed(row: Sequence[float]) -> bytes:
    """A row of evidence as the memo keeps it."""
    steps = bytearray(len(row))
    step: cython.uchar[::1] = steps
    number: cython.double
    k: cython.Py_ssize_t
    for k in range(len(row)):
        number = rint(cython.cast(cython.double, row[k]) * _STEPS)
        step[k] = cython.cast(cython.int, min(max(number, -_MOST_STEPS), _MOST_STEPS)) & 255
    return bytes(steps)


def unpacked(row: bytes) -> list[float]:
    """A row of evidence from the bytes of a memo."""
    step: cython.const[cython.uchar][::1] = row
    found = []
    k: cython.Py_ssize_t
    for k in range(step.shape[0]):
        found.append((step[k] - 256 * (step[k] > 127)) / _STEPS)  # noqa: PERF401 (k is typed)
    return found


def cell_of(mark: int) -> int:
    """The cell for the fingerprint of a site's name. Sites that share a cell are rare enough."""
    return mark >> (64 - _BITS)


def site_cell(url: str) -> int:
    """The cell of a URL's site; 0 for no URL."""
    return host_cell(host_of(url)) if url else 0


def host_cell(host: str) -> int:
    """The cell of a host's site."""
    return cell_of(fingerprint(registered_domain(host)))


def group_cell(site: int, url: str, row: Sequence[float]) -> int:
    """The cell of the links to a site that are alike: in the same first folder of its paths, with
    or without a target in the URL, and in the text.

    Of a chain's links those to its shops in targets are all good, and those to its other shops are
    not. By their groups, the log-loss of links followed on generated webs fell from 0.21 to 0.09;
    by the names alone to 0.16, by the folders alone to 0.13.
    """
    named = (row[IN_URL] > 0) + 2 * (row[IN_TEXT] > 0)
    return path_cell(site, _folder_mark(url) | named)


@lru_cache(maxsize=16_384)
def _folder_mark(url: str) -> int:
    """A number for the first folder of a URL, with two bits to spare."""
    parts = url.split("/", 4)
    return fingerprint(parts[3] if len(parts) > 4 else "") >> _SPARE & ~3


def path_cell(site: cython.ulonglong, path: cython.ulonglong) -> int:
    """The cell of the links of a site with a tag path (Fibonacci hashing of both)."""
    mixed: cython.ulonglong = (site << 31 | path) * _GOLDEN
    return mixed >> (64 - _BITS)


def log_odds_ratio(share: cython.double, usual: cython.double) -> float:
    """How much better a share is than the usual one, as log-odds within bounds."""
    odds: cython.double = log(share / (1 - share)) - log(usual / (1 - usual))
    return min(max(odds, -_MOST), _MOST)


class SiteRecords:
    """For each site (or other cell) how many links were followed, and led to relevant pages."""

    def __init__(self) -> None:
        self._counts = CellCounts(_BITS)
        self._totals = [0, 0]  # followed and relevant

    def add(self, cell: int, relevant: bool) -> None:
        for column in range(1 + relevant):
            self._counts.add(cell, column)
            self._totals[column] += 1

    @property
    def followed(self) -> int:
        """Links of all sites."""
        return self._totals[0]

    def counts(self, cell: int) -> tuple[int, int]:
        """Links of a site that were followed, and those that led to relevant pages."""
        return self._counts.pair(cell)

    @property
    def usual(self) -> float:
        """The success of the whole crawl; 1 in 25 before the first page, as in lookahead."""
        return (self._totals[1] + 1) / (self._totals[0] + 25)

    def share(self, cell: int, usual: float) -> float:
        """The share of a site's links that led to relevant pages, `usual` for a new site."""
        followed, relevant = self.counts(cell)
        return (relevant + _BEFORE * usual) / (followed + _BEFORE)

    def hope(self, cell: int, usual: float) -> float:
        """The share that a site may well have: the mean and a standard deviation of its Beta
        distribution (Kaufmann, Cappe and Garivier 2012, Bayes-UCB, by its normal form).

        A new site may be the best of all, a site with many bad pages is not. By the mean alone a
        crawl would try the same mediocre sites for long.
        """
        mean: cython.double = self.share(cell, usual)
        known: cython.double = self.counts(cell)[0] + _BEFORE
        return min(mean + _HOPE * sqrt(mean * (1 - mean) / (known + 1)), _SURE)

    def odds(self, cell: int) -> float:
        """The success of a site relative to the whole crawl, as log-odds; 0 for a new site."""
        return log_odds_ratio(self.share(cell, self.usual), self.usual)

    def saved(self) -> tuple[bytes, bytes]:
        return self._counts.saved()

    def restore(self, saved: tuple[bytes, bytes]) -> None:
        """Take over saved counts. Raises ValueError if they are damaged."""
        self._counts.restore(saved)
        self._totals = self._counts.totals()
