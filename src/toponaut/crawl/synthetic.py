"""The synthetic web as a web to crawl: opened by its number, with start URLs for a job that names none."""

from toponaut.job import Job
from toponaut.job.targets import job_targets
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.synthetic import SyntheticSettings, SyntheticWeb

# A directory has a page for each of the 50 states: where its readers go who start at "United States", as Gao, Lee and Miao
# (2006, section 5.1) did.
SEEDS = 50
FEW = 5  # cities: each is started from its own pages


def open_web(number: int) -> SyntheticWeb:
    """The web of this number. To put it together takes a second or two."""
    return SyntheticWeb(open_gazetteer(), SyntheticSettings(seed=number))


def seeds_of(web: SyntheticWeb, job: Job) -> tuple[str, ...]:
    """Start URLs near the targets: pages about few cities, a country's regional pages for many, directories for none."""
    targets = job_targets(open_gazetteer(), job)
    cities = [place for place in targets if web.world.city_at(place.id)]
    if not cities:
        return tuple(web.seeds("directory", SEEDS))
    if len(cities) <= FEW:
        return tuple(
            url for city in cities for url in web.seeds("city", SEEDS // len(cities), city.id)
        )
    largest = max(cities, key=lambda place: place.population)
    return tuple(web.seeds("regional", SEEDS, largest.id))
