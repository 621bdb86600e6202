"""An exported WACZ is replayed by ReplayWeb.page in a real browser, by range requests."""

import shutil
import subprocess
import tarfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Browser, Error
from starlette.applications import Starlette
from starlette.staticfiles import StaticFiles
from tests.support.browser import chromium
from typer.testing import CliRunner

import toponaut
from toponaut.cli import app

VIEWER = "replaywebpage@2.4.6"
EXAMPLES = Path(__file__).parents[2] / "examples" / "oldenburg"
IMPRINT = "https://vesuvio.example/impressum"
ADDRESS = "Lange Stra"
EMBEDDED = f"""<!doctype html><title>Viewer</title><script src="/viewer/ui.js"></script>
<replay-web-page source="/town.wacz" url="{IMPRINT}" replayBase="/viewer/" embed="replayonly">
</replay-web-page>"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an exported crawl, ReplayWeb.page, and a page that embeds both."""
    folder = tmp_path_factory.mktemp("site")
    unpack_viewer(folder)
    crawl = folder / "crawl"
    toponaut.crawl(EXAMPLES / "job.toml", crawl, replay=EXAMPLES)
    done = CliRunner().invoke(app, ["export", str(crawl), "--all", "-o", f"{folder}/town.wacz"])
    assert done.exit_code == 0, done.output
    (folder / "index.html").write_text(EMBEDDED)
    return folder


def unpack_viewer(folder: Path) -> None:
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    command = ["npm", "pack", VIEWER, "--silent", "--pack-destination", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode:
        pytest.skip("npm does not reach its registry")
    with tarfile.open(next(folder.glob("replaywebpage-*.tgz"))) as package:
        package.extractall(folder, filter="data")
    (folder / "package").rename(folder / "viewer")


@contextmanager
def served(folder: Path) -> Iterator[str]:
    web = Starlette()
    web.mount("/", StaticFiles(directory=folder, html=True))
    server = uvicorn.Server(uvicorn.Config(web, port=0, log_level="error"))
    with server_thread(server) as port:
        yield f"http://127.0.0.1:{port}"


@contextmanager
def server_thread(server: uvicorn.Server) -> Iterator[int]:
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        thread.join(0.05)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


def test_replayweb_page_shows_an_archived_page(browser: Browser, site: Path) -> None:
    with served(site) as base:
        page = browser.new_page()
        page.goto(base)
        text = ""
        for _ in range(150):  # a minute on a busy machine: the viewer installs a service worker
            page.wait_for_timeout(400)
            with suppress(Error):  # a frame that is just loading has no content
                text = "".join(frame.content() for frame in page.frames)
            if ADDRESS in text:  # the body: the title arrives earlier
                break
        page.close()
    assert ADDRESS in text, text[:2000]
