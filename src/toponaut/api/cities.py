"""A city from its name alone: seeds, job, crawl, index and exports, in one call."""

import re
import sys
import tomllib
from collections.abc import Callable, Sequence
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from msgspec import Struct

from toponaut.api.crawls import Crawl, crawl
from toponaut.api.jobs import job_text
from toponaut.errors import InputError
from toponaut.job.targets import find_place, job_targets, label
from toponaut.places.gazetteer.cache import open_gazetteer

if TYPE_CHECKING:
    from toponaut.records import Place
    from toponaut.seeds.seed import Seed

EXPORTS = (".parquet", ".geojson", ".wacz")
SEEDS = "seeds.tsv"
_FEW_PAGES = 500  # of a first crawl, if the user names neither pages nor hours
_MOST_SEEDS = 2_000
_WIDTH = 100  # characters of a line of the job that are shown

JobKeys = dict[str, Any]


class CityOptions(Struct, frozen=True):
    """How a city is crawled."""

    pages: int = 0
    hours: float = 0.0
    sources: Sequence[str] = ()
    contact: str = ""
    replay: Path | None = None
    synthetic: int | None = None
    progress: bool | Literal["json"] = False


class CityData(NamedTuple):
    """A crawled city, and the files that were written."""

    crawl: Crawl
    files: list[Path]


def city(
    place: str | int,
    directory: str | PathLike[str] = "",
    options: CityOptions | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> CityData:
    """Find seeds for a place, crawl it, index it and export what was found.

    The same call resumes a crawl that was interrupted, or continues it with a larger budget.
    `directory` is named after the place by default. `say` gets a line for each step.
    """
    options = options or CityOptions()
    found = find_place(open_gazetteer(), place)
    folder = Path(directory or slug(found.name))
    job = _job_of(folder, found, options) or _new_job(folder, found, options, say)
    say(f"Job, as {folder / 'job.toml'}:\n{_shortened(job_text(job)[0])}")
    crawled = crawl(
        job, folder, replay=options.replay, synthetic=options.synthetic, progress=options.progress
    )
    assert crawled.end is not None
    say(crawled.end.line(folder))
    if crawled.end.interrupted or not crawled.end.progress.pages:
        return CityData(crawled, [])
    crawled.make_searchable()
    return CityData(crawled, _export(crawled, folder))


def slug(name: str) -> str:
    """A place's name as the name of a folder: "St. Paul" -> "st-paul"."""
    return re.sub(r"[^\w]+", "-", name.lower()).strip("-") or "city"


def _job_of(folder: Path, place: "Place", options: CityOptions) -> JobKeys | None:
    """The job of a crawl that was begun there, with the new budget; None if there is none."""
    from toponaut.crawl.directory import Directory

    directory = Directory(folder)
    if not directory.exists():
        return None
    targets = job_targets(open_gazetteer(), directory.read_job())
    if [target.id for target in targets] != [place.id]:
        fix = "Name another directory: toponaut city PLACE DIRECTORY"
        raise InputError(f"{folder} holds a crawl of other places", fix)
    job = tomllib.loads(directory.job.read_text(encoding="utf-8"))
    if options.pages or options.hours:
        job["limits"] = job.get("limits", {}) | _budget(options)
    return job


def _budget(options: CityOptions) -> dict[str, int]:
    if options.hours:
        return {"pages": options.pages, "seconds": max(round(options.hours * 3600), 1)}
    return {"pages": options.pages or _FEW_PAGES, "seconds": 0}


def _new_job(
    folder: Path, place: "Place", options: CityOptions, say: Callable[[str], None]
) -> JobKeys:
    from toponaut.crawl.directory import Directory
    from toponaut.seeds.known import keep_seeds

    job: JobKeys = {"targets": {"places": [_name(place)]}, "limits": _budget(options)}
    if options.contact:
        job["politeness"] = {"contact": options.contact}
    if options.synthetic is None:
        seeds = _seeds(place, options, say)[:_MOST_SEEDS]
        job["seeds"] = [seed.url for seed in seeds]
        keep_seeds(Directory(folder).given, seeds)
    return job


def _name(place: "Place") -> str | int:
    """A name that means the place and no other; its id if there is none."""
    with suppress(InputError):
        if find_place(open_gazetteer(), label(place)).id == place.id:
            return label(place)
    return place.id


def _seeds(place: "Place", options: CityOptions, say: Callable[[str], None]) -> "Sequence[Seed]":
    from toponaut.places.gazetteer.cache import open_names
    from toponaut.seeds.find import DEFAULT, find_seeds
    from toponaut.seeds.service import Services

    sources = tuple(options.sources)
    if not sources and options.replay is not None:
        recorded = options.replay / SEEDS  # a recorded town has its seeds with it
        if not options.replay.exists():
            raise InputError(f"there is no {options.replay}", "Check the path after --replay")
        if not recorded.is_file():
            cause = f"{options.replay} has no {SEEDS} beside its pages"
            raise InputError(cause, "Name the seeds of those pages: --from FILE")
        sources = (str(recorded),)
    services = Services(options.contact)
    found = find_seeds(
        open_names(),
        place,
        sources or DEFAULT,
        services=services,
        standard_input=sys.stdin.buffer.read,
        say=lambda source: say(f"Looking for seeds: {source}"),
    )
    for fault in found.faults:
        say(fault)
    if not found.seeds:
        raise InputError(f"no seeds were found for {place.name}", "Name a source: --from FILE")
    say(f"{len(found.seeds):,} seed{'s' * (len(found.seeds) != 1)} for {place.name}")
    return found.seeds


def _shortened(text: str) -> str:
    """A job with long lists of seeds cut, for the terminal."""
    lines = (f"{line[:_WIDTH]} ..." if len(line) > _WIDTH else line for line in text.splitlines())
    return "".join(f"  {line}\n" for line in lines).rstrip()


def _export(crawled: Crawl, folder: Path) -> list[Path]:
    exports = folder / "export"
    exports.mkdir(exist_ok=True)
    files = [exports / f"{slug(folder.resolve().name)}{ending}" for ending in EXPORTS]
    for file in files:
        crawled.export(file, in_targets=file.suffix != ".wacz", force=True)
    return files
