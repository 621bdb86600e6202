"""A corner of the synthetic web: some sites of some cities, and no way out. A crawl of it comes to an end, which one of the whole web
never does, so two crawls of it can be compared page by page.
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

_MOST_PAGES = 150  # of a site


def corner(web: SyntheticWeb, sites: int, cities: int = len(CITIES)) -> Job:
    """A job that crawls so many sites of each of the cities."""
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
        # How deep a page lies, and which of a host come first, depends on who finds them: so nothing is refused for that.
        limits=LimitsSection(
            pages=0, depth=0, pages_per_host=0, exclude=(rf"^(?!http://[^/]*_(?:{numbers})\.)",)
        ),
        storage=StorageSection(seal_seconds=2),
    )


def _sites(web: SyntheticWeb, place: int, count: int) -> list[SyntheticSite]:
    """The first sites of a city that work, are not large, have no calendar without end, and ask for no rest."""
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
