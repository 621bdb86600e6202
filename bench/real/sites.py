"""A folder of real sites, laid out for nginx: one folder per host, one file per URL.

The folder has manifest.tsv (URL, file, content type) and sites.tsv (site, place, country, kind,
seed, pages), as `toponaut crawl --replay` reads it. Nothing of it is part of the repository.
"""

import csv
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit


@dataclass(frozen=True)
class RealSites:
    """Hosts and seeds of a folder, and the root for the web server."""

    root: Path
    hosts: tuple[str, ...]
    seeds: tuple[str, ...]
    pages: int  # distinct files


def lay_out(folder: Path, root: Path) -> RealSites:
    """Links every page into root/HOST/PATH. An earlier layout is replaced."""
    manifest = folder / "manifest.tsv"
    if not manifest.exists():
        sys.exit(f"{folder} has no manifest.tsv: give a folder that `crawl --replay` can read.")
    shutil.rmtree(root, ignore_errors=True)
    hosts: dict[str, None] = {}
    files: set[str] = set()
    with manifest.open(encoding="utf-8", newline="") as lines:
        # Long paths first: "/a/b/" is a folder by the time that "/a/b" comes.
        rows = sorted(
            (line.rstrip("\n").split("\t") for line in lines), key=lambda row: -len(row[0])
        )
    for url, file, *_ in rows:
        parts = urlsplit(url)
        hosts[parts.hostname or ""] = None
        files.add(file)
        path = root / (parts.hostname or "") / unquote(parts.path).lstrip("/")
        if path.is_dir() or parts.path.endswith("/") or not parts.path:
            path = path / "index.html"
        if path.exists() or any(parent.is_file() for parent in path.parents):
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.hardlink_to((folder / file).resolve())
    return RealSites(root, tuple(sorted(filter(None, hosts))), _seeds(folder), len(files))


def _seeds(folder: Path) -> tuple[str, ...]:
    with (folder / "sites.tsv").open(encoding="utf-8", newline="") as lines:
        return tuple(row["seed"] for row in csv.DictReader(lines, delimiter="\t"))
