"""Sitemaps: the pages that a site lists (sitemaps.org, protocol 0.9).

A sitemap is XML, an index of sitemaps, a text file with one URL per line, or a feed (RSS, Atom);
each may be gzipped. Many are broken, so no XML parser is used but one scan for the few tags that
matter. It never goes back, and knows only XML's five entities and numbers: nothing can be included
or multiply.

A sitemap speaks for its own registered domain only.
"""

import re
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import islice
from typing import NamedTuple

from msgspec import Struct, field

from toponaut.page.parse.encoding import decode
from toponaut.urls import host, host_of, normalise, registered_domain

MAX_ENTRIES = 50_000  # the protocol's limit
# The protocol allows 50 MiB. We read the first 20: the most hostile 20 MiB we could make take 2 s.
MAX_BYTES = 20 * 1024 * 1024
_MAX_TAGS = 8 * MAX_ENTRIES  # an entry has six (url, loc, lastmod and their ends)
_PIECE = 65_536  # bytes decompressed at a time: what precedes damage is kept
_MAX_MEMBERS = 100  # of a gzip file; millions of empty ones would each cost a decompressor

_ROOT = re.compile(
    r"<([A-Za-z_][\w.-]{0,30}:)?(urlset|sitemapindex|rss|feed|rdf)(?=[\s>])", re.IGNORECASE
)
_ROOT_WITHIN = 65_536  # comments and style sheets may come before it
_CONTENT = r"(?:\s*+<!\[CDATA\[([^<]*+)|([^<]*+))"
_SITEMAP_TAG = r"<(/?)%s(url|sitemap|loc|lastmod)(?=[\s/>])([^<>]*+)>" + _CONTENT
_FEED_TAG = re.compile(
    r"<(/?)(?:atom:)?(item|entry|link|guid|pubDate|updated)(?=[\s/>])([^<>]*+)>" + _CONTENT,
    re.IGNORECASE,
)
_HREF = re.compile(r"""\shref\s?=\s?["']([^"']*+)""", re.IGNORECASE)
_OTHER_REL = re.compile(r"""\srel\s?=\s?["'](?!alternate)""", re.IGNORECASE)
_LINE = re.compile(r"https?://[^\r\n]*+")
_ENTITY = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6}));", re.ASCII)
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


class _RawEntry(NamedTuple):
    in_index: bool  # whether it is a sitemap
    address: str  # as written
    date: str = ""  # as written


class Sitemap(Struct, frozen=True):
    """The pages, or further sitemaps, in a sitemap."""

    pages: tuple[str, ...] = ()  # normalised URLs
    sitemaps: tuple[str, ...] = ()
    modified: dict[str, float] = field(default_factory=dict)  # dates of some pages, as Unix time


def read_sitemap(body: bytes, url: str, most: int = MAX_ENTRIES) -> Sitemap:
    """Parses the sitemap at `url`, up to `most` pages and sitemaps."""
    text = _without_comments(decode(_unpacked(body), "", markup=True)[0])
    site = registered_domain(host(url))
    pages: dict[str, None] = {}  # ordered
    sitemaps: dict[str, None] = {}
    modified: dict[str, float] = {}
    for entry in _raw_entries(text):
        known = sitemaps if entry.in_index else pages
        found = normalise(_plain(entry.address))
        if found is not None and registered_domain(host_of(found)) == site:
            known[found] = None
            if entry.date and not entry.in_index and (date := _moment(_plain(entry.date))):
                modified[found] = date
            if len(known) == min(most, MAX_ENTRIES):
                break
    return Sitemap(tuple(pages), tuple(sitemaps), modified)


def _moment(written: str) -> float | None:
    """A date of a sitemap (W3C) or a feed (RFC 822) as Unix time."""
    try:
        if written[:4].isdigit():
            date = datetime.fromisoformat(written[:32])
        else:
            date = parsedate_to_datetime(written[:64])
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


# --- formats ---


def _raw_entries(text: str) -> Iterator[_RawEntry]:
    root = _ROOT.search(text, 0, _ROOT_WITHIN)
    if root is None:  # missing, or a list of lines; not the HTML of an error page
        markup = text.lstrip()[:1] == "<"
        return (
            _entries(text, "", False) if markup or "<loc" in text[:_ROOT_WITHIN] else _lines(text)
        )
    name = root[2].lower()
    if name in ("urlset", "sitemapindex"):
        return _entries(text, root[1] or "", name == "sitemapindex")
    return _feed_entries(text)


def _entries(text: str, prefix: str, in_index: bool) -> Iterator[_RawEntry]:
    """The entries of a sitemap or an index. Tags must have the root's prefix: "image:loc" is not a
    page.

    An entry ends with any tag that begins or ends one, or with the next URL: missing tags do no
    harm.
    """
    tag = re.compile(_SITEMAP_TAG % re.escape(prefix), re.IGNORECASE)
    address = date = ""
    for found in islice(tag.finditer(text), _MAX_TAGS):
        closing, name, _, quoted, content = found.groups("")
        name, content = name.lower(), (quoted or content).strip()
        if name == "lastmod":
            date = content or date
            continue
        if name == "loc" and closing:
            continue
        if address and (content or name != "loc"):
            yield _RawEntry(in_index, address, date)
            address = date = ""
        if name == "loc":
            address = content
        elif not closing:
            in_index, date = name == "sitemap", ""
    if address:
        yield _RawEntry(in_index, address, date)


def _feed_entries(text: str) -> Iterator[_RawEntry]:
    """The items of RSS and the entries of Atom, without the link of the feed itself."""
    address = guid = date = ""
    inside = False
    for found in islice(_FEED_TAG.finditer(text), _MAX_TAGS):
        closing, name, attributes, quoted, content = found.groups("")
        name, content = name.lower(), (quoted or content).strip()
        if name in ("item", "entry"):
            if address or guid:
                yield _RawEntry(False, address or guid, date)
            address = guid = date = ""
            inside = not closing
        elif inside and not closing:
            if name == "link":
                href = None if _OTHER_REL.search(attributes) else _HREF.search(attributes)
                address = address or (href[1] if href else content)
            elif name == "guid":
                guid = content  # a permanent link if it begins with http
            else:
                date = content
    if address or guid:
        yield _RawEntry(False, address or guid, date)


def _lines(text: str) -> Iterator[_RawEntry]:
    return (_RawEntry(False, line[0]) for line in islice(_LINE.finditer(text), _MAX_TAGS))


# --- bytes and text ---


def _unpacked(body: bytes) -> bytes:
    """Decompresses gzip as far as it is intact, up to MAX_BYTES."""
    parts: list[bytes] = []
    room = MAX_BYTES
    for _ in range(_MAX_MEMBERS):
        if not body.startswith(b"\x1f\x8b"):
            break
        unpacker = zlib.decompressobj(wbits=31)
        at = 0
        try:
            while at < len(body) and room > 0 and not unpacker.eof:
                parts.append(unpacker.decompress(body[at : at + _PIECE], room))
                room -= len(parts[-1])
                at += _PIECE
        except zlib.error:
            break
        body = unpacker.unused_data + body[at:]
    return b"".join(parts) if parts else body[:MAX_BYTES]


def _without_comments(text: str) -> str:
    """Removes comments, in one pass. An unclosed one stays."""
    kept = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        kept.append(text[at:start])
        at = end + 3
    return "".join(kept) + text[at:] if at else text


def _plain(text: str) -> str:
    """The text of an element, without CDATA and entities."""
    text = text.strip().removesuffix("]]>").strip()
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(entity: re.Match[str]) -> str:
    name, decimal, hexadecimal = entity.groups()
    if name:
        return _NAMED[name]
    code = int(decimal) if decimal else int(hexadecimal, 16)
    return chr(code) if 0x20 <= code < 0xD800 or 0xE000 <= code < 0x110000 else "\ufffd"
