"""What is true about a page of the synthetic web. For the measures alone: no crawler code may import this room.

The truth is the page's plan, which the page is written from; nothing is read back from the page.
"""

from collections import Counter

from msgspec import Struct

from toponaut.synthetic.plan import Plan
from toponaut.synthetic.web import SyntheticWeb


class TrueAddress(Struct, frozen=True):
    """An address that a page shows."""

    normal: str  # the form that identifies it, as of the addresses that are found
    place: int
    number: str
    street: str
    unit: str
    city: str
    state: str
    postcode: str
    country: str
    organisation: str


class Truth(Struct, frozen=True):
    """A page as it is."""

    url: str
    kind: str = ""  # of its site: "guide", "shop", "general"; "" where there is no page
    role: str = ""  # of the page in its site: "home", "contact", "list", ...
    title: str = ""
    language: str = ""
    about: int = 0  # id of the place that it is about; 0 if none
    in_url: int = 0  # id of the place that its URL names
    places: tuple[int, ...] = ()  # ids of the places that its text names, the most frequent first
    addresses: tuple[TrueAddress, ...] = ()
    server: int = 0  # id of the place where its server stands
    copy_of: str = ""  # the host that it is a mirror of


_ROLES = {"": "page", "s": "state", "c": "city", "k": "list", "t": "store"}


def truth(web: SyntheticWeb, url: str) -> Truth:
    """What is true about the page behind a URL. Redirects, errors and files are no pages and have no truth."""
    plan = web.find(url)
    if plan is None:
        return Truth(url)
    site = plan.site
    return Truth(
        url=url,
        kind=site.kind.value,
        role=_ROLES.get(plan.spot.role, plan.spot.role),
        title=plan.title,
        language=site.language,
        about=plan.about.place if plan.about else 0,
        in_url=plan.in_url.place if plan.in_url else 0,
        places=_named(plan),
        addresses=tuple(
            TrueAddress(
                one.normal, one.place, one.number, one.street, one.unit, one.city, one.state_code, one.postcode,
                one.country, one.organisation,
            )
            for one in plan.addresses
        ),
        server=web.hosting.city(site).place,
        copy_of="" if site.twin == site.number else web.sites.site(site.twin).host,
    )  # fmt: skip


def _named(plan: Plan) -> tuple[int, ...]:
    """Places by how often they stand in the text, its addresses and lists included."""
    counts = Counter(city.place for city in plan.named)
    counts.update(one.place for one in plan.addresses)
    counts.update(city.place for city in plan.cities)
    return tuple(place for place, _ in counts.most_common())
