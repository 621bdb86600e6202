"""The sites of a replayed folder, as its sites.tsv lists them, and the targets that they give.

A line has a site's name, its place, country, kind, seed and number of pages. A place may name
several ("Boulder/Denver, CO"): all that the gazetteer knows are one target. A line without a known
place is skipped, with the reason; its seed still counts.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from toponaut.errors import InputError
from toponaut.job.targets import find_place
from toponaut.places.gazetteer import Gazetteer
from toponaut.urls import normalise

SITES = "sites.tsv"
_COLUMNS = ("site", "place", "country", "kind", "seed", "pages")
_ASIDE = re.compile(r"\s*\([^)]*\)|\s*\.\.\.")  # "Georgia (Atlanta ...)"


class RealSite(Struct, frozen=True):
    """A line of sites.tsv."""

    site: str
    place: str
    country: str
    kind: str
    seed: str
    pages: int


class SiteTarget(Struct, frozen=True):
    """A target of a comparison: the places that one or several sites are about."""

    name: str  # as sites.tsv writes it
    places: tuple[int, ...]  # ids
    pages: int  # of its sites


def read_sites(folder: Path) -> list[RealSite]:
    """The sites of a folder. InputError: the list is missing or damaged."""
    path = folder / SITES
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"cannot read {path} ({error})", f"Write a line for each site: {', '.join(_COLUMNS)}"
        ) from error
    if not lines or tuple(lines[0].split("\t")) != _COLUMNS:
        raise InputError(
            f"{path}, line 1 is not the head", f"Write, with tabs: {' '.join(_COLUMNS)}"
        )
    sites = [_site(path, number, line) for number, line in enumerate(lines[1:], 2) if line.strip()]
    if not sites:
        raise InputError(f"{path} lists no sites", "Add a line for each site")
    return sites


def _site(path: Path, number: int, line: str) -> RealSite:
    cells = [cell.strip() for cell in line.split("\t")]
    seed = normalise(cells[4]) if len(cells) == len(_COLUMNS) else None
    if seed is None or not cells[5].isdigit():
        raise InputError(
            f"{path}, line {number} is not a site",
            f"Write {', '.join(_COLUMNS)}, with tabs; the seed is a URL, pages a number",
        )
    site, place, country, kind = cells[:4]
    return RealSite(site, place, country, kind, seed, int(cells[5]))


def targets_of(
    gazetteer: Gazetteer, sites: Sequence[RealSite]
) -> tuple[list[SiteTarget], dict[str, str]]:
    """The targets of sites, largest first, and the places that are skipped, with reasons."""
    found: dict[tuple[int, ...], SiteTarget] = {}
    skipped: dict[str, str] = {}
    for site in sites:
        places, error = _places(gazetteer, site)
        if not places:
            skipped[site.place] = error
            continue
        before = found.get(places)
        name, pages = (before.name, before.pages) if before else (site.place, 0)
        found[places] = SiteTarget(name, places, pages + site.pages)
    return sorted(found.values(), key=lambda target: -target.pages), skipped


def _places(gazetteer: Gazetteer, site: RealSite) -> tuple[tuple[int, ...], str]:
    """The ids of a site's places; if there are none, also why."""
    error = ""
    for names in _readings(site):
        ids = set()
        for name in names:
            try:
                ids.add(find_place(gazetteer, name).id)
            except InputError as unknown:
                error = error or unknown.cause
        if ids:
            return tuple(sorted(ids)), ""
    return (), error


def _readings(site: RealSite) -> Iterator[list[str]]:
    """A place as it is written; without remarks; as a list of places in the same region."""
    yield [f"{site.place}, {site.country}"]
    bare = _ASIDE.sub("", site.place)
    head, comma, region = bare.partition(", ")
    yield [f"{bare}, {site.country}"]
    yield [f"{part.strip()}{comma}{region}, {site.country}" for part in head.split("/")]


def choose(targets: Sequence[SiteTarget], wanted: str) -> list[SiteTarget]:
    """The targets that a user asks for: all, the N largest, or names separated by semicolons."""
    if wanted == "all":
        return list(targets)
    if wanted.isdigit() and int(wanted):
        return list(targets[: int(wanted)])
    by_name = {target.name: target for target in targets}
    names = [name.strip() for name in wanted.split(";") if name.strip()]
    unknown = [name for name in names if name not in by_name]
    if unknown or not names:
        raise InputError(
            f"--targets: no site is in {'; '.join(unknown) or 'no place'}",
            f"Give a number, all, or some of: {'; '.join(by_name)}",
        )
    return [by_name[name] for name in names]
