"""The web that a crawl runs on: the live one, a replayed one, or a synthetic one by its number."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from toponaut.job import Job
from toponaut.job.targets import job_targets
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.records import Kind, Place
from toponaut.web.fetch import Fetcher
from toponaut.web.http.client import HttpFetcher
from toponaut.web.replay import DatedFetcher, ReplayFetcher, SinceFetcher

if TYPE_CHECKING:  # most crawls do not need it: 30 ms
    from toponaut.synthetic import SyntheticWeb

# A directory has a page for each of the 50 states, the seeds of Gao, Lee and Miao (2006, 5.1).
SEEDS = 50
COUNTRY_SEEDS = 10
FEW = 5  # cities: each has seeds of its own


def open_web(number: int) -> "SyntheticWeb":
    """The synthetic web with this number; building it takes a second or two."""
    from toponaut.synthetic import SyntheticSettings, SyntheticWeb

    return SyntheticWeb(open_gazetteer(), SyntheticSettings(seed=number))


def seeds_of(web: "SyntheticWeb", job: Job) -> tuple[str, ...]:
    """Seeds as the papers have them.

    With interests: one general page (Chubak and Shokouhi 2005, Table IV). Else near the targets: of
    a few cities, of the states around many, ten of a country (Kozanidis and others 2009, section
    4), or general directories.
    """
    if job.ordering.interests or job.regions:
        return tuple(web.seeds("directory", 1))
    targets = job_targets(open_gazetteer(), job)
    cities = [place for place in targets if web.world.city_at(place.id)]
    if not cities:
        return _country_seeds(web, targets) or tuple(web.seeds("directory", SEEDS))
    if len(cities) <= FEW:
        return tuple(
            url for city in cities for url in web.seeds("city", SEEDS // len(cities), city.id)
        )
    largest = max(cities, key=lambda place: place.population)
    return tuple(web.seeds("regional", SEEDS, largest.id))


def _country_seeds(web: "SyntheticWeb", targets: list[Place]) -> tuple[str, ...]:
    """Pages of a directory for states of a country that is a target."""
    codes = {place.country for place in targets if place.kind is Kind.COUNTRY}
    for city in web.world.cities:
        if city.country in codes:
            return tuple(web.seeds("regional", COUNTRY_SEEDS, city.place))
    return ()


def fetcher_of(
    job: Job,
    other: "Path | SyntheticWeb | None",
    since: Path | None,
    say: Callable[[str], None] = lambda _: None,
) -> Fetcher:
    """The fetcher for the live or another web. `since`: fetch only pages changed since then."""
    web: Fetcher
    if other is None:
        web = HttpFetcher(job.politeness, job.limits)
    elif isinstance(other, Path):
        web = ReplayFetcher(other, job.limits, say)
    else:
        from toponaut.synthetic import SyntheticFetcher

        web = SyntheticFetcher(other, job.limits.body_bytes)
    if since is None:
        return web
    return SinceFetcher(web, ReplayFetcher(_archive(since), job.limits, say))


def changing_fetcher_of(
    job: Job, replay: Sequence[Path], synthetic: int | None, say: Callable[[str], None]
) -> Fetcher:
    """The web of a watch: the live one, dated archives, or a synthetic one with a clock."""
    if synthetic is not None:
        from toponaut.synthetic import ChangingFetcher, ChangingWeb

        return ChangingFetcher(ChangingWeb(open_web(synthetic)), job.limits.body_bytes)
    if replay:
        return DatedFetcher([ReplayFetcher(_archive(one), job.limits, say) for one in replay])
    return HttpFetcher(job.politeness, job.limits)


def _archive(path: Path) -> Path:
    """The archive of a crawl, if that is meant."""
    archive = path / "archive"
    return archive if archive.is_dir() else path
