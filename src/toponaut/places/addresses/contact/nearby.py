"""Contact data in the text around an address: phone, opening hours, e-mail and website.

An address has the text from the previous address to the next one. What follows it counts before
what precedes it. On a page with a single address, opening hours may be anywhere.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from toponaut.places.addresses.contact.hours import hours_in
from toponaut.places.addresses.contact.phones import phone_near
from toponaut.places.addresses.regions import fold
from toponaut.places.lazy_value import lazy_value
from toponaut.records import Address, Link, Page
from toponaut.urls import host, registered_domain

_AFTER, _BEFORE = 400, 120  # characters searched on either side
_WHOLE = 60_000  # characters of a page that are searched for the hours of its only address
_EMAIL = re.compile(r"[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,4}[a-z]{2,24}(?![\w-])", re.IGNORECASE)
_NOBODY = re.compile(r"example\.|sentry|wixpress|@\dx\.|no-?reply", re.IGNORECASE)
_WEB = re.compile(r"(?<![@\w./])(?:https?://|www\.)[\w.-]+\.[a-z]{2,24}(?:/[\w./~-]*)?", re.I)
_ANCHOR = re.compile(
    r"web ?site|home ?page|web ?seite|site (?:web|officiel|internet)|official site|sitio web"
    r"|hemsida|^(?:https?://|www\.)|^[\w-]+\.[a-z]{2,6}/?$",
    re.IGNORECASE,
)
# Sites where organisations have profiles, maps and reviews: not their own.
_PLATFORMS = frozenset(
    "google facebook instagram twitter x youtube youtu linkedin yelp tripadvisor openstreetmap "
    "apple bing waze pinterest tiktok foursquare mapquest eventbrite goo wa t threads".split()
)
# Where anybody has an e-mail address.
_MAILERS = frozenset(
    "gmail googlemail yahoo ymail hotmail outlook live msn aol icloud me mac gmx web t-online "
    "freenet arcor online mail email posteo mailbox protonmail proton yandex free orange wanadoo "
    "laposte sfr bbox libero virgilio tiscali alice telia telenet skynet bluewin aon chello seznam "
    "centrum wp onet interia o2 uol bol terra sapo comcast verizon att sbcglobal cox charter "
    "earthlink bellsouth btinternet btconnect sky virginmedia bigpond optusnet rogers shaw "
    "sympatico telus ptd epix netzero juno naver daum qq 163 126".split()
)


class ContactData(NamedTuple):
    phone: str = ""
    hours: str = ""
    email: str = ""
    website: str = ""
    end: int = -1  # of the phone number


NO_CONTACT = ContactData()


class ContactFinder:
    """The contact data of one page's addresses, read on demand."""

    def __init__(self, page: Page, alone: bool) -> None:
        self._page = page
        self._alone = alone  # it has a single address

    def find(self, address: Address, floor: int, ceiling: int) -> ContactData:
        """The contact data of an address that has text[floor:ceiling] around it."""
        text, start, end = self._page.text, address.start, address.end
        phone = phone_near(text, start, end, floor, ceiling, address.country)
        before, after = max(floor, start - _BEFORE), min(ceiling, end + _AFTER)
        hours = hours_in(text, end, after)
        if not hours and self._alone:
            hours = self._hours_anywhere
        return ContactData(
            phone.number,
            hours,
            self._email(end, after) or self._email(before, start),
            self._website(end, after) or self._website(before, start),
            phone.end,
        )

    def _email(self, start: int, stop: int) -> str:
        text = self._page.text
        if text.find("@", start, stop) < 0:
            return ""
        found = _EMAIL.search(text, start, stop)
        return found[0].lower() if found and not _NOBODY.search(found[0]) else ""

    def _website(self, start: int, stop: int) -> str:
        """A web address in the text, or the target of a link that says so."""
        text = self._page.text
        if text.find("www.", start, stop) >= 0 or text.find("://", start, stop) >= 0:
            found = _WEB.search(text, start, stop)
            url = f"http://{found[0]}" if found and "://" not in found[0] else found and found[0]
            if url and _is_own(url):
                return url.rstrip(".")
        for k in range(bisect_left(self._starts, start), len(self._links)):
            link = self._links[k]
            if link.start >= stop:
                break
            if _ANCHOR.search(link.anchor) and _is_own(link.url) and self._is_elsewhere(link.url):
                return link.url
        return ""

    def _is_elsewhere(self, url: str) -> bool:
        return registered_domain(host(url)) != registered_domain(host(self._page.url))

    @lazy_value
    def _hours_anywhere(self) -> str:
        return hours_in(self._page.text, 0, min(len(self._page.text), _WHOLE))

    @lazy_value
    def _links(self) -> list[Link]:
        return sorted((one for one in self._page.links if one.start >= 0), key=_start)

    @lazy_value
    def _starts(self) -> Sequence[int]:
        return [link.start for link in self._links]


def owner_domain(contact: ContactData) -> str:
    """The name in the domain of its e-mail or web address: "acme" of info@acme.co.uk."""
    domain = contact.email.rpartition("@")[2] or (contact.website and host(contact.website))
    if not domain:
        return ""
    name = registered_domain(domain).partition(".")[0]
    return "" if name in _MAILERS else fold(name)


def _start(link: Link) -> int:
    return link.start


def _is_own(url: str) -> bool:
    return registered_domain(host(url)).partition(".")[0] not in _PLATFORMS
