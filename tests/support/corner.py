"""A closed part of the synthetic web: some sites of some cities.

A crawl of it ends, so two crawls can be compared page by page.
"""

from msgspec.structs import replace
from tests.support.crawling import CITIES, FAST

from toponaut.job import (
    CollaborationSection,
    Job,
    LimitsSection,
    NodesSection,
    OrderingSection,
    StorageSection,
    TargetsSection,
)
from toponaut.job.targets import job_targets
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.synthetic import SyntheticWeb
from toponaut.synthetic.sites import HostFault, SyntheticSite

_MOST_PAGES = 150  # per site


def corner(web: SyntheticWeb, sites: int, cities: int = len(CITIES)) -> Job:
    """A job that crawls some sites of each city."""
    wanted = Job(targets=TargetsSection(places=CITIES[:cities]))
    chosen = [
        site
        for place in job_targets(open_gazetteer(), wanted)
        for site in _sites(web, place.id, sites)
    ]
    numbers = "|".join(str(site.number) for site in chosen)
    return replace(
        wanted,
        seeds=tuple(f"http://{site.host}/" for site in chosen),
        nodes=NodesSection(geographic=2, general=1),
        collaboration=CollaborationSection(strategy="hash"),
        ordering=OrderingSection(strategy="breadth-first"),
        politeness=FAST,
        # Depth and order within a host depend on the discovering node: no limits for them.
        limits=LimitsSection(
            pages=0, depth=0, pages_per_host=0, exclude=(rf"^(?!http://[^/]*_(?:{numbers})\.)",)
        ),
        storage=StorageSection(seal_seconds=2),
    )


def _sites(web: SyntheticWeb, place: int, count: int) -> list[SyntheticSite]:
    """The first sites of a city without faults, endless calendars and crawl delays."""
    city = web.world.city_at(place)
    assert city is not None
    found = (web.sites.site(city.first_site + k) for k in range(city.sites))
    sound = (
        site
        for site in found
        if web.sites.fault(site)[0] is HostFault.NONE
        and site.twin == site.number
        and web.sites.size(site) <= _MOST_PAGES
        and b"/calendar/" not in web.page(f"http://{site.host}/").body
        and b"Crawl-delay" not in web.page(f"http://{site.host}/robots.txt").body
    )
    return [site for site, _ in zip(sound, range(count), strict=False)]
