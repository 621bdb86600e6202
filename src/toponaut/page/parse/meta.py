"""What a page says about itself: title, language, description, canonical address, robots, coordinates."""

import re
from functools import lru_cache
from typing import NamedTuple

from toponaut.page.parse.flow import Flow
from toponaut.page.parse.kinds import MARK
from toponaut.page.parse.links import absolute
from toponaut.page.parse.markup import attributes, tag_name
from toponaut.page.parse.text import decode_references, one_line
from toponaut.records import Response

# Names under which pages give a place in <meta>: the geo and ICBM tags, Open Graph and its extensions.
_GEO_NAMES = frozenset({"icbm", "dc.coverage", "dcterms.spatial"})
_GEO_FAMILIES = (
    "geo.",
    "place:location:",
    "business:contact_data:",
    "og:latitude",
    "og:longitude",
    "og:street-address",
    "og:locality",
    "og:region",
    "og:postal-code",
    "og:country",
)
# A page has some dozens; a million would only cost memory.
MAX_NOTES = 1000
_ROBOTS = frozenset({"robots", "toponaut"})
# A <meta> as nearly all are written: reading all attributes takes five times as long.
_PLAIN_META = re.compile(r'meta (?:name|property|http-equiv)="([^"&]*+)" content="([^"&]*+)" ?/?')
_KEPT = frozenset(
    {
        "description",
        "og:description",
        "content-language",
        "refresh",
        "og:site_name",
        "application-name",
    }
)
_WANTED = _KEPT | _ROBOTS | _GEO_NAMES
_SHORT = 80  # signs of a tag that is kept, so that the memory that this takes has a bound
# "0; url=/en/": after some seconds the browser goes there. Whole pages may hold nothing else. After minutes it is the page
# again, for the latest news.
_REFRESH = re.compile(r"""(\d+)[\d.]*\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)""", re.IGNORECASE)
_AT_ONCE = 10  # seconds


class PageMeta(NamedTuple):
    """Fields of a Page."""

    title: str
    language: str
    description: str
    canonical: str
    robots: frozenset[str]
    geo: tuple[tuple[str, str], ...]
    site_name: str
    base: str  # what links are relative to
    leads_to: str  # another page that it sends its readers to


def read_meta(page: Flow, fetched: Response) -> PageMeta:
    """Reads <title>, <html>, <base>, <link> and <meta>; of several, the first that says something."""
    said: dict[str, str] = {}
    geo: list[tuple[str, str]] = []
    robots, base = header_robots(fetched), ""
    notes = [index for kind, index, _ in page.marks if kind < MARK]
    for index in notes[:MAX_NOTES]:
        head = page.tokens[index][0]
        name, value = _short_note(head) if len(head) < _SHORT else _note(head)
        if name in _KEPT:
            if name != "refresh" or tag_name(page.tokens[index - 1][0]) != "noscript":
                said.setdefault(
                    name, value
                )  # a refresh there leads to a page that says that scripts are needed
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
    """What a tag says of its page: the name of a <meta>, or "<" and that of another tag, and a value; "" and "" if that is
    nothing that we want to know."""
    if head[:5] == "link " and "&" not in head and "canonical" not in head.lower():
        return (
            "",
            "",
        )  # style sheets, icons and the like: reading all attributes takes ten times as long
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


# The pages of a site share most of these tags, too (kinds.py); a description is longer and not two pages' alike.
_short_note = lru_cache(maxsize=1024)(_note)


def _refreshed(content: str, base: str, url: str) -> str:
    """Where a <meta http-equiv="refresh"> leads, unless to the page itself, be it with another query ("?noscript=1")."""
    found = _REFRESH.match(content)
    target = absolute(base, found[2].strip()) if found and int(found[1][:3]) <= _AT_ONCE else ""
    return target if target.partition("?")[0] != url.partition("?")[0] else ""


def header(fetched: Response, name: str) -> str:
    """The values of a header, joined with commas as HTTP allows; its name in lower case."""
    return ", ".join(value for key, value in fetched.headers if key.lower() == name)


def header_robots(fetched: Response) -> frozenset[str]:
    """The directives of X-Robots-Tag for every crawler or for this one.

    A crawler's name speaks for what follows it, up to the next name: "noarchive, otherbot: noindex, toponaut: nofollow".
    """
    ours: list[str] = []
    for key, value in fetched.headers:
        if key.lower() == "x-robots-tag":
            for_us = True
            for part in value.split(","):
                agent = _agent(part)
                if agent:
                    for_us = agent in _ROBOTS or agent == "*"
                if for_us:
                    ours.append(part.partition(":")[2] if agent else part)
    return directives(",".join(ours)) if ours else frozenset()


_WITH_VALUE = ("max-", "unavailable_after")  # how directives begin that have one: "max-snippet: 20"


def _agent(part: str) -> str:
    """The crawler that "otherbot: noindex" names; "" for a directive, also for one with a value, and for part of a date
    ("unavailable_after: Wed, 25 Jun 2026 15:00:00 PST")."""
    name, colon, _ = part.strip().lower().partition(":")
    name = name.rstrip()
    is_name = (
        colon and not name.startswith(_WITH_VALUE) and len(name.split()) == 1 and not name.isdigit()
    )
    return name if is_name else ""


def directives(content: str) -> frozenset[str]:
    """ "NoIndex, follow" -> {"noindex", "follow"}; "none" stands for two, but not as a value ("max-image-preview: none")."""
    content = one_line(content.lower()).replace(" :", ":").replace(": ", ":")
    found = frozenset(content.replace(",", " ").split())
    return found | {"noindex", "nofollow"} if "none" in found else found


def primary_language(tag: str) -> str:
    """ "de-AT, en" -> "de"; "" for what is no language tag."""
    primary = one_line(tag).replace("_", "-").replace(",", "-").split("-")[0].strip().lower()
    return primary if primary.isascii() and primary.isalpha() and 2 <= len(primary) <= 3 else ""
