"""The truth about a page of the synthetic web. For measures only: crawler code must not import it.

The truth is the plan that the page is written from; nothing is read back from the page.
"""

from collections import Counter

from msgspec import Struct

from toponaut.records import Address
from toponaut.synthetic.plan import PagePlan
from toponaut.synthetic.postal import SyntheticAddress
from toponaut.synthetic.web import SyntheticWeb


class PageTruth(Struct, frozen=True):
    """The truth about a page."""

    url: str
    kind: str = ""  # of its site: "guide", "shop", "general"; "" where there is no page
    role: str = ""  # of the page in its site: "home", "contact", "list", ...
    title: str = ""
    language: str = ""
    about: int = 0  # id of the place that it is about; 0: no place
    in_url: int = 0  # id of the place that its URL names
    places: tuple[int, ...] = ()  # ids of the places in its text, most frequent first
    addresses: tuple[Address, ...] = ()
    server: int = 0  # id of the place of its server
    copy_of: str = ""  # the host that it mirrors


def page_truth(web: SyntheticWeb, url: str) -> PageTruth:
    """The truth about the page at a URL. Redirects, errors and files have no truth."""
    plan = web.find(url)
    if plan is None:
        return PageTruth(url)
    site = plan.site
    return PageTruth(
        url=url,
        kind=site.kind.value,
        role=plan.spot.role.name.lower(),
        title=plan.title,
        language=site.language,
        about=plan.about.place if plan.about else 0,
        in_url=plan.in_url.place if plan.in_url else 0,
        places=_named(plan),
        addresses=tuple(map(_address, plan.addresses)),
        server=web.servers.city(site).place,
        copy_of="" if site.twin == site.number else web.sites.site(site.twin).host,
    )


def _address(one: SyntheticAddress) -> Address:
    same = ("number", "street", "unit", "city", "postcode", "country", "organisation", "place")
    fields = {name: getattr(one, name) for name in same}
    return Address("", -1, -1, **fields, state=one.state_code, normal=one.normal)


def _named(plan: PagePlan) -> tuple[int, ...]:
    """Places by frequency in the text, including addresses and lists."""
    counts = Counter(city.place for city in plan.named)
    counts.update(one.place for one in plan.addresses)
    counts.update(city.place for city in plan.cities)
    return tuple(place for place, _ in counts.most_common())
