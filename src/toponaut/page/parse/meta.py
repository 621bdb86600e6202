"""The metadata of a page: title, language, description, canonical URL, robots, coordinates."""

import re
from functools import lru_cache
from typing import NamedTuple

import cython

from toponaut.page.parse.kinds import MARK
from toponaut.page.parse.links import absolute
from toponaut.page.parse.markup import attributes, tag_name
from toponaut.page.parse.stream import Flow
from toponaut.page.parse.text import decode_references, one_line
from toponaut.records import Response

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

# <meta> names for places: geo and ICBM tags, Open Graph and its extensions.
_GEO_NAMES = frozenset({"icbm", "dc.coverage", "dcterms.spatial"})
_GEO_FAMILIES = (
    "geo.", "place:location:", "business:contact_data:", "og:latitude", "og:longitude",
    "og:street-address", "og:locality", "og:region", "og:postal-code", "og:country",
)  # fmt: skip
# Metadata tags read; normal pages have some dozens.
MAX_NOTES = 1000
_ROBOTS = frozenset({"robots", "toponaut"})
# Directives of a page, by what they forbid.
NO_INDEX = frozenset({"noindex", "none"})
NO_FOLLOW = frozenset({"nofollow", "none"})
NO_ARCHIVE = frozenset({"noarchive", "none", "noindex"})
# A <meta> as nearly all are written: reading all attributes takes five times as long.
_PLAIN_META = re.compile(r'meta (?:name|property|http-equiv)="([^"&]*+)" content="([^"&]*+)" ?/?')
_KEPT = frozenset(
    "description og:description content-language refresh og:site_name application-name".split()
)
_WANTED = _KEPT | _ROBOTS | _GEO_NAMES
_SHORT = 80  # characters of a cached tag: bounds the memory of the cache
# "0; url=/en/": a redirect after some seconds. After minutes, it only reloads the page.
_REFRESH = re.compile(r"""(\d+)[\d.]*\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)""", re.IGNORECASE)
_REDIRECT_S = 10  # a refresh within this time is a redirect


class PageMeta(NamedTuple):
    """The metadata of a page."""

    title: str
    language: str
    description: str
    canonical: str
    robots: frozenset[str]
    geo: tuple[tuple[str, str], ...]
    site_name: str
    base: str  # base URL of its links
    leads_to: str  # target of a <meta> refresh


def read_meta(page: Flow, fetched: Response) -> PageMeta:
    """Reads <title>, <html>, <base>, <link> and <meta>; the first non-empty one of each counts."""
    said: dict[str, str] = {}
    geo: list[tuple[str, str]] = []
    robots, base = header_robots(fetched), ""
    notes = [index for kind, index, _ in page.marks if kind < MARK]
    for index in notes[:MAX_NOTES]:
        head = page.tokens.head(index)
        name, value = _short_note(head) if len(head) < _SHORT else _note(head)
        if name in _KEPT:
            # A refresh in <noscript> leads to a page that asks for scripts.
            if name != "refresh" or tag_name(page.tokens.head(max(index - 1, 0))) != "noscript":
                said.setdefault(name, value)
        elif not value:
            continue
        elif name == "<base":
            base = base or absolute(fetched.url, value)
        elif name[0] == "<":
            said.setdefault(name, value)
        elif name in _ROBOTS:
            robots |= directives(value)
        else:
            geo.append((name, value))
    base = base or fetched.url
    language = (
        said.get("<html") or said.get("content-language") or header(fetched, "content-language")
    )
    return PageMeta(
        title=next(
            (
                one_line(decode_references(text))
                for head, text in page.raws
                if tag_name(head) == "title"
            ),
            "",
        ),
        language=primary_language(language),
        description=said.get("description") or said.get("og:description", ""),
        canonical=absolute(base, said["<link"]) if "<link" in said else "",
        robots=robots,
        geo=tuple(geo),
        site_name=said.get("og:site_name") or said.get("application-name", ""),
        base=base,
        leads_to=_refreshed(said["refresh"], base, fetched.url) if "refresh" in said else "",
    )


def _note(head: str) -> tuple[str, str]:
    """The name and value of a metadata tag: of a <meta> its name, of others "<" and the tag name.

    ("", "") if we do not need it.
    """
    if head[:5] == "link " and "&" not in head and "canonical" not in head.lower():
        return "", ""  # style sheets, icons: reading all attributes takes ten times as long
    plain = _PLAIN_META.fullmatch(head)
    found, name = (
        ({"name": plain[1], "content": plain[2]}, "meta")
        if plain
        else (attributes(head), tag_name(head))
    )
    if name == "meta":
        key = (
            (found.get("name") or found.get("property") or found.get("http-equiv") or "")
            .strip()
            .lower()
        )
        wanted = key in _WANTED or key.startswith(_GEO_FAMILIES)
        return (key, one_line(found["content"])) if wanted and "content" in found else ("", "")
    if name == "html":
        return "<html", found.get("lang", "") or found.get("xml:lang", "")
    if name == "link" and "canonical" not in found.get("rel", "").lower().split():
        return "", ""
    return f"<{name}", found.get("href", "").strip()


# Pages of a site share most of these tags; long ones differ.
_short_note = lru_cache(maxsize=4096)(_note)


def _refreshed(content: str, base: str, url: str) -> str:
    """The target of a <meta> refresh, unless it is the same page, perhaps with another query."""
    found = _REFRESH.match(content)
    target = absolute(base, found[2].strip()) if found and int(found[1][:3]) <= _REDIRECT_S else ""
    return target if target.partition("?")[0] != url.partition("?")[0] else ""


def header(fetched: Response, name: str) -> str:
    """The values of a header (name in lower case), joined with commas."""
    return ", ".join(value for key, value in fetched.headers if key.lower() == name)


def header_robots(fetched: Response) -> frozenset[str]:
    """The X-Robots-Tag directives for all crawlers or for this one.

    A crawler's name applies up to the next: "noarchive, otherbot: noindex, toponaut: nofollow".
    """
    applicable: list[str] = []
    for key, value in fetched.headers:
        if key.lower() == "x-robots-tag":
            for_us = True
            for part in value.split(","):
                agent = _agent(part)
                if agent:
                    for_us = agent in _ROBOTS or agent == "*"
                if for_us:
                    applicable.append(part.partition(":")[2] if agent else part)
    return directives(",".join(applicable)) if applicable else frozenset()


_WITH_VALUE = ("max-", "unavailable_after")  # directives with a value: "max-snippet: 20"


def _agent(part: str) -> str:
    """The crawler in "otherbot: noindex"; "" for a directive, its value, or part of a date."""
    name, colon, _ = part.strip().lower().partition(":")
    name = name.rstrip()
    is_name = (
        colon and not name.startswith(_WITH_VALUE) and len(name.split()) == 1 and not name.isdigit()
    )
    return name if is_name else ""


def directives(content: str) -> frozenset[str]:
    """ "NoIndex, follow" -> {"noindex", "follow"}. "none" means two, except as a value."""
    content = one_line(content.lower()).replace(" :", ":").replace(": ", ":")
    found = frozenset(content.replace(",", " ").split())
    return found | {"noindex", "nofollow"} if "none" in found else found


def primary_language(tag: str) -> str:
    """ "de-AT, en" -> "de"; "" if it is not a language tag."""
    primary = one_line(tag).replace("_", "-").replace(",", "-").split("-")[0].strip().lower()
    return primary if primary.isascii() and primary.isalpha() and 2 <= len(primary) <= 3 else ""
