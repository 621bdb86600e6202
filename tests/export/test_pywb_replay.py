"""An exported WACZ is replayed by pywb, with the dates of its pages."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from typer.testing import CliRunner

import toponaut
from toponaut.cli import app

PYWB = "pywb==2.10.0"
ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "oldenburg"
IMPRINT = "https://vesuvio.example/impressum"
SAVED = "20261102090000"  # in the manifest of the example


@pytest.fixture(scope="module")
def pywb() -> Path:
    """pywb in a folder of its own, because its dependencies are not ours. Installed once."""
    folder = ROOT / "build" / PYWB.replace("==", "-")
    if not (folder / "pywb").is_dir():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder), PYWB]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if done.returncode:
            pytest.skip("pip cannot install pywb")
    return folder


def environment(pywb: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(pywb)}


@pytest.fixture(scope="module")
def collection(pywb: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of pywb with an exported crawl."""
    folder = tmp_path_factory.mktemp("pywb")
    toponaut.crawl(EXAMPLES / "job.toml", folder / "crawl", replay=EXAMPLES)
    wacz = folder / "town.wacz"
    done = CliRunner().invoke(app, ["export", str(folder / "crawl"), "--all", "-o", str(wacz)])
    assert done.exit_code == 0, done.output
    for arguments in (["init", "town"], ["add", "--unpack-wacz", "town", str(wacz)]):
        subprocess.run(
            [sys.executable, str(pywb / "bin" / "wb-manager"), *arguments],
            env=environment(pywb),
            cwd=folder,
            check=True,
            capture_output=True,
        )
    return folder


@contextmanager
def served(pywb: Path, folder: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    call = [sys.executable, str(pywb / "bin" / "wayback"), "-p", str(port), "--bind", "127.0.0.1"]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(call, env=environment(pywb), cwd=folder, stdout=quiet, stderr=quiet)
    try:
        for _ in range(600):  # a minute, on a busy machine
            with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def test_pywb_shows_archived_pages_with_their_dates(pywb: Path, collection: Path) -> None:
    index = (collection / "collections" / "town" / "indexes" / "index.cdxj").read_text()
    assert {line.split(" ")[1] for line in index.splitlines()} == {SAVED}
    with served(pywb, collection) as base:
        url = f"{base}/town/{SAVED}mp_/{IMPRINT}"
        with urllib.request.urlopen(url, timeout=60) as answer:
            shown = answer.read().decode()
            date = answer.headers["Memento-Datetime"]
    assert "Lange Straße 12" in shown
    assert date == "Mon, 02 Nov 2026 09:00:00 GMT"
