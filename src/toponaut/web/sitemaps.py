"""Sitemaps: what a site says its pages are, and when they changed (sitemaps.org, protocol 0.9).

Bytes in, records out. A sitemap is XML, an index of sitemaps, a text file with a URL a line, or a feed (RSS, Atom);
each may be packed with gzip. Many on the web are broken somewhere, so no XML parser reads them but one scan for the
few tags that count. It goes from "<" to "<" and never back, and the only entities it knows are the five of XML and
numbers: nothing outside can be named and nothing can multiply.

A sitemap vouches for its own site: URLs of other registered domains are left out. The exception is the protocol's
own ("cross submits"): a site's robots.txt may name a sitemap that lies elsewhere, which then speaks for that site,
too. Who knows of such a site hands it in as `speaks_for`.
"""

import re
import zlib
from collections.abc import Iterator
from datetime import datetime
from email.utils import parsedate_to_datetime
from itertools import islice

from msgspec import Struct

from toponaut.page.parse.encoding import decode
from toponaut.urls import host, host_of, normalise, registered_domain

# The protocol's limit.
MAX_ENTRIES = 50_000
# The protocol allows 50 MiB. We read the first 20, which is 50,000 entries of 400 bytes: the most hostile 20 MiB that
# we could make take 2 s to read.
MAX_BYTES = 20 * 1024 * 1024
# An entry has six tags (url, loc, lastmod and their ends); a file of empty ones ends here.
_MAX_TAGS = 12 * MAX_ENTRIES
_PIECE = 65_536  # bytes unpacked at a time: what comes before a damage is kept
_MOST_MEMBERS = 100  # of a gzip file; millions of empty ones would each cost a decompressor

_ROOT = re.compile(
    r"<([A-Za-z_][\w.-]{0,30}:)?(urlset|sitemapindex|rss|feed|rdf)(?=[\s>])", re.IGNORECASE
)
_ROOT_WITHIN = 65_536  # comments and style sheets may come before it
_CONTENT = r"(?:\s*+<!\[CDATA\[([^<]*+)|([^<]*+))"
_SITEMAP_TAG = r"<(/?)%s(url|sitemap|loc|lastmod)(?=[\s/>])([^<>]*+)>" + _CONTENT
_FEED_TAG = re.compile(
    r"<(/?)(?:atom:|dc:)?(item|entry|link|guid|pubdate|updated|date)(?=[\s/>])([^<>]*+)>"
    + _CONTENT,
    re.IGNORECASE,
)
_HREF = re.compile(r"""\shref\s?=\s?["']([^"']*+)""", re.IGNORECASE)
_OTHER_REL = re.compile(r"""\srel\s?=\s?["'](?!alternate)""", re.IGNORECASE)
_LINE = re.compile(r"https?://[^\r\n]*+")
_ENTITY = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6}));", re.ASCII)
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_W3C_DATE = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?)?)?)?",
    re.ASCII,
)
_LONGEST_DATE = 64  # characters

_Found = tuple[bool, str, str]  # in an index, address and date as written


class Entry(Struct, frozen=True):
    """A page that a sitemap names."""

    url: str  # in normal form
    modified: str = (
        ""  # ISO 8601, as precise as it was given: "2024", "2024-05-17", "2024-05-17T08:30:00Z"
    )


class Sitemap(Struct, frozen=True):
    """What a sitemap names: pages, or further sitemaps."""

    pages: tuple[Entry, ...] = ()
    sitemaps: tuple[str, ...] = ()


def read_sitemap(body: bytes, url: str, *, speaks_for: str = "") -> Sitemap:
    """Reads a sitemap that lies at `url`. `speaks_for`: the host whose robots.txt named it, if that is another."""
    text = _without_comments(decode(_unpacked(body), "", markup=True)[0])
    sites = {registered_domain(host(url)), registered_domain(speaks_for or host(url))}
    pages: dict[str, str] = {}
    sitemaps: dict[str, str] = {}
    for in_index, address, date in _found(text):
        known = sitemaps if in_index else pages
        found = normalise(_plain(address))
        if found is not None and found not in known and registered_domain(host_of(found)) in sites:
            known[found] = iso_date(_plain(date)) if date else ""
            if len(known) == MAX_ENTRIES:
                break
    return Sitemap(tuple(Entry(page, date) for page, date in pages.items()), tuple(sitemaps))


# --- what kinds there are ---------------------------------------------------------------------------------


def _found(text: str) -> Iterator[_Found]:
    """All addresses in the order of the file."""
    root = _ROOT.search(text, 0, _ROOT_WITHIN)
    if root is None:  # lost, or a list of lines; but not the HTML of an error page
        markup = text.lstrip()[:1] == "<"
        return (
            _entries(text, "", False) if markup or "<loc" in text[:_ROOT_WITHIN] else _lines(text)
        )
    name = root[2].lower()
    if name in ("urlset", "sitemapindex"):
        return _entries(text, root[1] or "", name == "sitemapindex")
    return _feed_entries(text)


def _entries(text: str, prefix: str, in_index: bool) -> Iterator[_Found]:
    """Of a sitemap or an index. Tags must have the root's prefix: "image:loc" is no page.

    An entry ends with any tag that begins or ends one, or with the next address, so that missing tags do no harm.
    """
    tag = re.compile(_SITEMAP_TAG % re.escape(prefix), re.IGNORECASE)
    address = date = ""
    for found in islice(tag.finditer(text), _MAX_TAGS):
        closing, name, _, quoted, content = found.groups("")
        name, content = name.lower(), (quoted or content).strip()
        if name == "lastmod" or (name == "loc" and closing):
            date = date if closing else content
            continue
        if address and (content or name != "loc"):
            yield in_index, address, date
            address = date = ""
        if name == "loc":
            address = content
        elif not closing:
            in_index, date = name == "sitemap", ""
    if address:
        yield in_index, address, date


def _feed_entries(text: str) -> Iterator[_Found]:
    """Of RSS the items, of Atom the entries; the link of the feed itself is no news."""
    address = date = guid = ""
    inside = False
    for found in islice(_FEED_TAG.finditer(text), _MAX_TAGS):
        closing, name, attributes, quoted, content = found.groups("")
        name, content = name.lower(), (quoted or content).strip()
        if name in ("item", "entry"):
            if address or guid:
                yield False, address or guid, date
            address = date = guid = ""
            inside = not closing
        elif inside and not closing:
            if name == "link":
                href = None if _OTHER_REL.search(attributes) else _HREF.search(attributes)
                address = address or (href[1] if href else content)
            elif name == "guid":
                guid = content  # the permanent link; one that is something else does not begin with http
            else:
                date = content or date
    if address or guid:
        yield False, address or guid, date


def _lines(text: str) -> Iterator[_Found]:
    return ((False, line[0], "") for line in islice(_LINE.finditer(text), _MAX_TAGS))


# --- bytes and text ---------------------------------------------------------------------------------------


def _unpacked(body: bytes) -> bytes:
    """Unpacks gzip, told by its first bytes, as far as it is sound and as far as we read."""
    parts: list[bytes] = []
    room = MAX_BYTES
    for _ in range(_MOST_MEMBERS):
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
    """Cuts comments out, in one pass; one without an end is none."""
    kept = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        kept.append(text[at:start])
        at = end + 3
    return "".join(kept) + text[at:] if at else text


def _plain(text: str) -> str:
    """What is meant by content as written."""
    text = text.strip().removesuffix("]]>").strip()
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(entity: re.Match[str]) -> str:
    name, decimal, hexadecimal = entity.groups()
    if name:
        return _NAMED[name]
    code = int(decimal) if decimal else int(hexadecimal, 16)
    return chr(code) if 0x20 <= code < 0xD800 or 0xE000 <= code < 0x110000 else "\ufffd"


def iso_date(text: str) -> str:
    """A date in the W3C's format or in that of mails, as ISO 8601; "" for what is no date."""
    if len(text) > _LONGEST_DATE:
        return ""
    found = _W3C_DATE.fullmatch(text)
    try:
        if found is None:
            return parsedate_to_datetime(text).isoformat()
        year, month, day, clock, zone = found.groups()
        datetime.fromisoformat(
            f"{year}-{month or '01'}-{day or '01'}T{clock or '00:00'}{zone or ''}"
        )
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""
    return text.replace(" ", "T")
