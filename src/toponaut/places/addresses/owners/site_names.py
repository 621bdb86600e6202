"""The name of a page's owner as the page gives it, and its log-odds.

Sources: og:site_name, the one organisation in the structured data, copyright lines, the text of the
link to the front page (the logo's alt text), and the parts of the title. None is certain: titles
advertise, "Home" is the name of many sites, a footer names the web designer. Two things are hardly
chance: the letters of the domain spell a name ("Brookdale Community College", brookdalecc.edu), or
two sources agree.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import cython

from toponaut.places.addresses.owners.label_words import SMALL, is_boilerplate
from toponaut.places.addresses.owners.name_form import form_odds
from toponaut.places.addresses.owners.structured import is_title_type
from toponaut.places.addresses.quick_pattern import has_any
from toponaut.places.addresses.regions import fold
from toponaut.places.addresses.structured.properties import text_of
from toponaut.places.lazy_value import lazy_value
from toponaut.records import Mark, Page
from toponaut.urls import host, registered_domain

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

_DECLARED, _HOLDER, _HOME_LINK, _TITLE = 1.5, 0.8, 0.3, -0.8  # odds by source
_BY_DOMAIN, _AGAIN = 2.0, 0.8  # spelled by the domain; given by another source too
_IN_TEXT = 1.2  # a part of the title that the text uses
_UNKNOWN = -9.0
_LONGEST, _MOST_WORDS = 70, 9
_HOST = re.compile(r"(?:www\.)?[\w-]+(?:\.[a-z]{2,})+/?", re.IGNORECASE)  # "www.acme.com"
# Makers of maps, templates and programs: pages credit them, they own none.
_CREDITED = frozenset(
    "google googlemaps openstreetmap openstreetmapcontributors bing microsoft mapbox apple wix "
    "wordpress joomla drupal squarespace shopify weebly facebook twitter".split()
)
_CREDIT = re.compile(  # "(c) 2010 Acme jQuery Menus": of a tool that the site uses
    r"\b(?:jquery|templates?|themes?|plugins?|scripts?|web ?design)\b", re.IGNORECASE
)
_LONGEST_LINE, _MOST_HOLDERS = 200, 20  # characters of a copyright line, and such lines of a page
_PUNYCODE = "xn--"
_END = 4000  # characters at the end of a page that contain its copyright line
_MOST_PARTS = 8  # of a title
_MOST_LINKS = 300  # of a page that are tested for its front page
_TITLE_PARTS = re.compile(r"\s[|–—:•·»>~-]+\s|\s*[|»•·]\s*|:{1,2}\s+")
_PART_SIGNS = frozenset("|–—:•·»>~-")  # between parts is one of these
_GREETING = re.compile(
    r"^(?:welcome to|willkommen (?:bei|auf|beim|im|in der)|bienvenue (?:sur|chez)|items from|home "
    r"of)\s+",
    re.IGNORECASE,
)
_LOGO = re.compile(  # "Acme Logo", "Go to the Acme home page"
    r"^(?:(?:go|back|return|zurück|retour) (?:to|zu|zur|à)(?: the)? |logo(?: of| von| de)? )|\W*\b"
    r"(?:logo|home ?page|home|startseite)$",
    re.IGNORECASE,
)
_MARK = r"(?:©|\(c\)|copyright|&copy;)"
_COPYRIGHT = re.compile(rf"{_MARK}(?:[\s:,–-]*{_MARK})*", re.IGNORECASE)
_SIGN = re.compile(r"[©(Cc](?:(?<=©)|[cC]\)|opyright|OPYRIGHT)")  # the same, four times as fast
_SIGNS = ("©", "opyright", "c)", "C)", "OPYRIGHT")  # each such sign has one of these
# Of a copyright notice; "© Anna Meyer" alone is the credit of a photograph.
_NOTICE = re.compile(
    r"(?:19|20)\d\d|copyright|\(c\)|rights|rechte|droits|derechos|diritti|direitos|rechten",
    re.IGNORECASE,
)
_YEARS = re.compile(
    r"^[\s,.:–—-]*(?:(?:19|20)\d\d(?:\s*[-–—/,&]\s*(?:19|20)?\d\d)*)?[\s,.:–—-]*(?:(?:copyright|by"
    r"|all rights reserved|alle rechte vorbehalten|tous droits réservés)\b[\s,.:–—-]*){0,2}",
    re.IGNORECASE,
)
_HOLDER_END = re.compile(
    r"(?<=[^\W\d_]{3})[.!](?:\s|$)|\s[|–—•·-]\s|[|•·;\t(]|,(?!\s*(?:Inc|LLC|L\.L\.C|Ltd|LLP|PLC|Co"
    r"|S\.A|P\.C|Lda|GmbH)\b)|\ball rights|\balle rechte|\btous droits|\b(?:19|20)\d\d\b|\b(?:web "
    r"?site|powered|designed|created) by\b",
    re.IGNORECASE,
)
_ORGANISATIONS = re.compile(
    r"Organi[sz]ation|Business|Corporation|Store|Restaurant|Hotel|School|College|University|vcard"
    r"|hcard|WebSite"
)


class SiteName(NamedTuple):
    text: str
    odds: float  # that it is the name of the page's owner


class SiteNames:
    """The names that one page gives itself, read on demand."""

    def __init__(self, page: Page) -> None:
        self._page = page

    @lazy_value
    def name(self) -> SiteName:
        """The likeliest name."""
        return max(self._weighed, key=lambda one: one.odds, default=SiteName("", _UNKNOWN))

    def name_with(self, domain: str) -> SiteName:
        """The likeliest name, if the e-mail address beside an address has that domain."""
        if domain in ("", self.domain):
            return self.name
        weighed = [
            SiteName(text, odds + _BY_DOMAIN * spells(domain, text)) for text, odds in self._weighed
        ]
        return max(weighed, key=lambda one: one.odds, default=SiteName("", _UNKNOWN))

    @lazy_value
    def _weighed(self) -> list[SiteName]:
        weighed = []
        for own, (text, odds) in self._by_fold.items():
            again = any(own in other or other in own for other in self._by_fold if other != own)
            odds += _BY_DOMAIN * spells(self.domain, text)
            if odds == _TITLE:
                odds += _IN_TEXT * self._is_in_text(text) + form_odds(text)
            weighed.append(SiteName(text, odds + _AGAIN * again))
        return weighed

    def _is_in_text(self, name: str) -> bool:
        """Whether the text has a name repeatedly other than as a heading or a link."""
        page, text = self._page, self._page.text
        found = text.count(name)
        if found < 2:
            return False
        headings = (mark for mark in page.marks if mark.tag[0] == "h")
        others = sum(name in text[mark.start : mark.end] for mark in headings)
        others += sum(name in link.anchor for link in page.links)
        return found > others + 1

    def agrees(self, name: str) -> bool:
        """Whether a name is one of the site's own: by the domain, or by a source but the title."""
        own = self._by_fold.get(fold(name))
        return (own is not None and own.odds > _TITLE) or spells(self.domain, name)

    def shortened(self, name: str) -> str:
        """The part of a title that the domain spells, or the holder in a copyright line."""
        parts = () if _PART_SIGNS.isdisjoint(name) else _TITLE_PARTS.split(name)
        own = next((part for part in parts if len(parts) > 1 and spells(self.domain, part)), name)
        return copyright_holder(own) or own

    def is_of_site(self, url: str) -> bool:
        return registered_domain(host(url)) == registered_domain(self._host)

    def is_in_title(self, name: str) -> bool:
        return fold(name) in self._by_fold

    @lazy_value
    def heading(self) -> Mark | None:
        return next((mark for mark in self._page.marks if mark.tag == "h1"), None)

    @lazy_value
    def subject(self) -> str:
        """What the page is about, if not the site: its heading."""
        heading = self.heading
        if heading is None:
            return ""
        name = " ".join(self._page.text[heading.start : heading.end].split())[:_LONGEST_LINE]
        own = self.name
        if own.odds >= _DECLARED:  # the domain may spell only a word of a heading
            is_own = fold(own.text) in fold(name) or fold(name) in fold(own.text)
        else:
            is_own = self.agrees(name)
        return "" if is_own or is_boilerplate(name) else name

    @lazy_value
    def titles(self) -> frozenset[str]:
        """The folded titles of events, offers and texts in the page's data: they own nothing."""
        items = [item.data for item in self._page.structured if is_title_type(item.data)]
        names = [text_of(item, (key,)) for item in items for key in ("name", "headline")]
        names = [name for name in names if not self.agrees(name)]  # a front page's: the site's
        events = (text_of(item, ("name",)) for item in items if "Event" in str(item["@type"]))
        names += [part for name in events for part in _TITLE_PARTS.split(name)[:_MOST_PARTS]]
        return frozenset(map(fold, filter(None, names)))

    @lazy_value
    def holders(self) -> list[tuple[str, int]]:
        """The copyright holders at the end of the page, with the positions of their lines."""
        text = self._page.text
        first = max(0, len(text) - _END)
        if not has_any(text[first:], _SIGNS):
            return []
        found = islice(_SIGN.finditer(text, first), _MOST_HOLDERS)
        starts = [match.start() for match in found]
        lines = [text[start : start + _LONGEST_LINE].split("\n")[0] for start in starts]
        lines = [line if _NOTICE.search(line) else "" for line in lines]
        holders = zip(map(copyright_holder, lines), starts, strict=True)
        return [(name, start) for name, start in holders if name]

    @lazy_value
    def domain(self) -> str:
        """The registered letters of the domain: "brookdalecc" of www.brookdalecc.edu."""
        label = registered_domain(self._host).partition(".")[0]
        if label.startswith(_PUNYCODE):
            with suppress(UnicodeError):
                label = label.removeprefix(_PUNYCODE).encode().decode("punycode")
        return fold(label)

    @lazy_value
    def _host(self) -> str:
        return host(self._page.url)

    @lazy_value
    def _by_fold(self) -> dict[str, SiteName]:
        """The names by all sources, each once under its folded form, better sources first."""
        page = self._page
        declared = {name for item in page.structured if (name := _organisation(item.data))}
        found = [SiteName(page.site_name, _DECLARED)]
        found += [SiteName(name, _DECLARED) for name in declared if len(declared) == 1]
        found += [SiteName(name, _HOLDER) for name, _ in self.holders]
        found += [SiteName(name, _HOME_LINK) for name in self._home_links()]
        parts = _TITLE_PARTS.split(page.title)[:_MOST_PARTS]
        found += [SiteName(_GREETING.sub("", part), _TITLE) for part in parts]
        names: dict[str, SiteName] = {}
        for one in found:
            if _may_be_name(one.text):
                names.setdefault(fold(one.text), SiteName(one.text.strip(" .,\"'"), one.odds))
        return names

    def _home_links(self) -> Iterator[str]:
        """The texts of links to the site's front page: often the logo's."""
        fronts = {f"{scheme}://{self._host}/" for scheme in ("http", "https")}
        links = self._page.links[:_MOST_LINKS]
        return (_without_logo(link.anchor) for link in links if link.url in fronts)


@lru_cache(maxsize=1024)
def _without_logo(anchor: str) -> str:
    return _LOGO.sub("", anchor)


@lru_cache(maxsize=8192)  # lines repeat on the pages of a site
def _may_be_name(name: str) -> bool:
    if len(name) > _LONGEST or len(name.split()) > _MOST_WORDS or _HOST.fullmatch(name.strip()):
        return False
    return len(fold(name)) > 1 and not is_boilerplate(name) and fold(name) not in _CREDITED


def _organisation(item: dict[str, object]) -> str:
    types, names = item.get("@type"), item.get("name")
    if not isinstance(types, list) or not isinstance(names, list):
        return ""
    if not any(map(_is_organisation, map(str, types))):
        return ""
    return next((one for one in names if isinstance(one, str)), "")


@lru_cache(maxsize=1024)
def _is_organisation(kind: str) -> bool:
    return _ORGANISATIONS.search(kind) is not None


@lru_cache(maxsize=8192)  # lines repeat on the pages of a site
def copyright_holder(line: str) -> str:
    """ "© 2005-2014 Acme Tools, LLC. All rights reserved." -> "Acme Tools, LLC"; "" if none."""
    found = _COPYRIGHT.match(line)
    if found is None:
        return ""
    rest = _YEARS.sub("", line[found.end() :], count=1)
    end = _HOLDER_END.search(rest)
    name = (rest[: end.start()] if end else rest).strip(" ,.-–—|:")
    if end and end[0].startswith(".") and re.search(r"\b(?:Inc|Ltd|Co|Corp|Bros)$", name):
        name += "."
    if _CREDIT.search(name):
        return ""
    return name if _may_be_name(name) and any(map(str.isalpha, name)) else ""


_SHORTEST, _INITIALS = 4, 3  # letters that are hardly chance; letters of a domain of initials
_FEW_WORDS = 5
_WORD_END = re.compile(r"[\s/&-]+")


@lru_cache(maxsize=8192)  # lines repeat on the pages of a site
def spells(domain: str, name: str) -> bool:
    """Whether a folded domain spells a name: all of it, most, or the beginnings of its words.

    "cheesehouse" spells "Shisler's Cheese House", "caltronind" spells "Caltron Industries".
    """
    joined = fold(name)
    words = [word for one in _WORD_END.split(name) if (word := fold(one))]
    if not domain or not joined or (len(joined) > 3 * len(domain) and len(words) > _FEW_WORDS):
        return False  # "Acme Member Agreement and Liability Waiver" is more than the name
    if domain == joined or (len(domain) >= _SHORTEST and domain in joined):
        return True
    longest = max([joined, *words], key=lambda word: len(word) if word in domain else 0)
    if longest in domain and len(longest) >= _SHORTEST and 2 * len(longest) >= len(domain):
        return True
    content = [word for word in words if word not in SMALL]
    return len(domain) >= _INITIALS and (_spelled(domain, words) or _spelled(domain, content))


def _spelled(domain: str, words: list[str]) -> bool:
    """Whether the domain consists of the beginnings of the first words, at least two."""
    ends = {0}
    for k, word in enumerate(words[:_MOST_WORDS]):
        ends = {
            end + size
            for end in ends
            for size in range(1, len(word) + 1)
            if domain.startswith(word[:size], end)
        }
        if len(domain) in ends and k > 0:
            return True
    return False
