"""What a page says about itself: title, language, description, canonical address, robots, coordinates."""

import re
from typing import NamedTuple

from toponaut.parse.flow import Flow
from toponaut.parse.kinds import MARK
from toponaut.parse.links import absolute
from toponaut.parse.markup import attributes, tag_name
from toponaut.parse.signs import decoded, one_line
from toponaut.records import Fetched

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
_KEPT = frozenset({"description", "og:description", "content-language", "refresh", "og:site_name", "application-name"})
# "0; url=/en/": after some seconds the browser goes there. Whole pages may hold nothing else. After minutes it is the page
# again, for the latest news.
_REFRESH = re.compile(r"""(\d+)[\d.]*\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)""", re.IGNORECASE)
_AT_ONCE = 10  # seconds


class About(NamedTuple):
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


def about(page: Flow, fetched: Fetched) -> About:
    """Reads <title>, <html>, <base>, <link> and <meta>; of several, the first that says something."""
    metas: dict[str, str] = {}
    geo: list[tuple[str, str]] = []
    robots = header_robots(fetched)
    language = canonical = base = ""
    notes = [index for kind, index, _ in page.marks if kind < MARK]
    for index in notes[:MAX_NOTES]:
        head = page.tokens[index][0]
        if head[:5] == "link " and "&" not in head and "canonical" not in head.lower():
            continue  # style sheets, icons and the like: reading all attributes takes ten times as long
        plain = _PLAIN_META.fullmatch(head)
        found, name = ({"name": plain[1], "content": plain[2]}, "meta") if plain else (attributes(head), tag_name(head))
        if name == "html":
            language = language or found.get("lang", "") or found.get("xml:lang", "")
        elif name == "base":
            href = found.get("href", "").strip()
            base = base or (absolute(fetched.url, href) if href else "")
        elif name == "link":
            if "canonical" in found.get("rel", "").lower().split():
                canonical = canonical or found.get("href", "").strip()
        elif "content" in found:
            key = (found.get("name") or found.get("property") or found.get("http-equiv") or "").strip().lower()
            if key == "refresh" and tag_name(page.tokens[index - 1][0]) == "noscript":
                continue  # to a page that says that scripts are needed
            if key in _KEPT:
                metas.setdefault(key, one_line(found["content"]))
            elif key in _ROBOTS:
                robots |= directives(found["content"])
            elif key in _GEO_NAMES or key.startswith(_GEO_FAMILIES):
                geo.append((key, one_line(found["content"])))
    base = base or fetched.url
    language = language or metas.get("content-language", "") or header(fetched, "content-language")
    return About(
        title=next((one_line(decoded(text)) for head, text in page.raws if tag_name(head) == "title"), ""),
        language=primary_language(language),
        description=metas.get("description") or metas.get("og:description", ""),
        canonical=absolute(base, canonical) if canonical else "",
        robots=robots,
        geo=tuple([(key, value) for key, value in geo if value]),
        site_name=metas.get("og:site_name") or metas.get("application-name", ""),
        base=base,
        leads_to=_refreshed(metas.get("refresh", ""), base, fetched.url),
    )


def _refreshed(content: str, base: str, url: str) -> str:
    """Where a <meta http-equiv="refresh"> leads, unless to the page itself, be it with another query ("?noscript=1")."""
    found = _REFRESH.match(content)
    target = absolute(base, found[2].strip()) if found and int(found[1][:3]) <= _AT_ONCE else ""
    return target if target.partition("?")[0] != url.partition("?")[0] else ""


def header(fetched: Fetched, name: str) -> str:
    """The values of a header, joined with commas as HTTP allows; its name in lower case."""
    return ", ".join(value for key, value in fetched.headers if key.lower() == name)


def header_robots(fetched: Fetched) -> frozenset[str]:
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
    is_name = colon and not name.startswith(_WITH_VALUE) and len(name.split()) == 1 and not name.isdigit()
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
