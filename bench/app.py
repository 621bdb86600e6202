"""The search page: bytes and time of a first load, and the server's work per request.

    python -m bench.app [pages] [DIR]        (default: 100,000; DIR is kept and reused)

**Pages** are those of bench/index.py. **The first load** is Chromium's with an empty cache: bytes
received, and by the page's own clock the first paint, when it can be used (its suggestions or its
results are there; wanted within a second on loopback) and when pins are on the map. **Requests**
are sequential, to a server in this process; CPU times are the process's, less those of /health;
wall times are the client's. Bytes are compressed. Wanted on 100,000 pages: the 99th percentile of
searches below 50 ms, of type-ahead below 20 ms.
"""

import gzip
import http.client
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from playwright.sync_api import Browser, sync_playwright

from bench.index import MADE, made, more, write
from toponaut.app.served_crawl import ServedCrawl
from toponaut.app.server import ServerOptions, serving
from toponaut.index import Question
from toponaut.index.write.update import prepare_index
from toponaut.places.gazetteer.cache import open_names
from toponaut.places.names.finder import NameFinder
from toponaut.synthetic.settings import SyntheticSettings
from toponaut.synthetic.web import SyntheticWeb

PAGES = 100_000
ROUNDS = 20
MANY = 300  # for a 99th percentile
HEAVIEST_KB = 450
WORDS, CITIES = (
    ("restaurant", "hotels", "pizza", "flowers", "auto repair"),
    ("houston", "las vegas", "bremen", "lisbon"),
)
SEARCHES, TYPE_AHEAD = "searches of all kinds", "type-ahead, letter by letter"
FLAGS = (
    "--no-sandbox",
    "--enable-unsafe-swiftshader",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
)


def prepared(root: Path, many: int, names: NameFinder) -> Path:
    """A crawl of that many pages, with its index."""
    if not (root / "job.toml").exists():
        root.mkdir(parents=True, exist_ok=True)
        web = SyntheticWeb(names.gazetteer, SyntheticSettings(seed=1))
        write(root, more(list(made(web, min(MADE, many))), many))
    prepare_index(root, lambda _: None, print)
    return root


def endpoints(crawl: ServedCrawl) -> dict[str, list[str]]:
    """The requests of the page, in several variants."""
    asked = [(word, city) for word in WORDS for city in CITIES]
    with crawl.locked_search() as index:
        urls = [hit.url for hit in index.ask(Question(WORDS[0], limit=ROUNDS)).hits]
    box = "box=-95.8,29.5,-95.0,30.1"
    return {
        "/api/about": ["/api/about"],
        SEARCHES: [
            f"/api/search?q={quote(text)}"
            for word, city in asked
            for text in (word, f"{word} in {city}", f"{word} within 5 km of {city}")
        ],
        TYPE_AHEAD: [f"/api/suggest?q={quote(text)}" for text in typed(asked)],
        "search: words": [f"/api/search?q={quote(word)}" for word in WORDS],
        "search: words in a city": [
            f"/api/search?q={quote(f'{word} in {city}')}" for word, city in asked
        ],
        "search: within 5 km": [
            f"/api/search?q={quote(f'{word} within 5 km of {city}')}" for word, city in asked
        ],
        "search: a stretch of map": [f"/api/search?q={quote(word)}&{box}" for word in WORDS],
        "2,000 pins of words": [f"/api/pins?q={quote(word)}" for word in WORDS],
        "2,000 pins in a city": [
            f"/api/pins?q={quote(f'{word} in {city}')}" for word, city in asked
        ],
        "/api/towns": [f"/api/towns?{box}", "/api/towns?box=-130,20,-60,55"],
        "/api/page": [f"/api/page?url={quote(url, safe='')}" for url in urls],
        "/api/crawl": ["/api/crawl"],
    }


def typed(asked: Sequence[tuple[str, str]]) -> list[str]:
    """The text of the search box after each letter that a user types."""
    texts = [f"{word} in {city}" for word, city in asked]
    return [text[:end] for text in texts for end in range(2, len(text) + 1)]


class Times(NamedTuple):
    """Of the requests to some paths: milliseconds, and the mean of their kilobytes."""

    cpu: list[float]
    wall: list[float]
    kilobytes: float


def timed(base: str, paths: Sequence[str], rounds: int = ROUNDS) -> Times:
    taken, waited, sent = [], [], []
    connection = http.client.HTTPConnection(urlsplit(base).netloc, timeout=60)
    for number in range(rounds + 2):
        start, begun = time.process_time(), time.perf_counter()
        connection.request("GET", paths[number % len(paths)], headers={"Accept-Encoding": "gzip"})
        answer = connection.getresponse()
        body = answer.read()
        taken.append(1e3 * (time.process_time() - start))
        waited.append(1e3 * (time.perf_counter() - begun))
        sent.append(len(body) / 1000)
        assert answer.status == 200, gzip.decompress(body)
    connection.close()
    return Times(taken[2:], waited[2:], statistics.mean(sent[2:]))


def percentile(values: Sequence[float], share: float = 0.99) -> float:
    return sorted(values)[int(share * (len(values) - 1))]


# Notes when an element appears, by the page's own clock: polling from outside adds its own delays.
_NOTE = """
window.seen = {};
new MutationObserver(() => {
  for (const [name, found] of Object.entries({usable: ".start, .hit .title", pinned: ".pin"})) {
    if (!(name in seen) && document.querySelector(found)) seen[name] = performance.now();
  }
}).observe(document, {childList: true, subtree: true});
"""
_PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"


def first_load(browser: Browser, base: str, path: str) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.add_init_script(_NOTE)
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    received: list[int] = []
    session.on(
        "Network.loadingFinished", lambda event: received.append(int(event["encodedDataLength"]))
    )
    page.goto(base + path, wait_until="commit")
    page.locator(".pin").first.wait_for()
    page.wait_for_load_state("networkidle")
    painted, usable, pinned = (
        moment / 1000 for moment in page.evaluate(f"[{_PAINT}, seen.usable, seen.pinned]")
    )
    kilobytes = sum(received) / 1000
    print(
        f"first load of {path:<26}{kilobytes:6.0f} KB in {len(received)} answers ({HEAVIEST_KB}); "
        f"painted after {painted:.2f} s, usable after {usable:.2f} s, pins after {pinned:.2f} s"
    )
    page.close()


def loads(base: str) -> None:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        print("no Chromium here: the first load is not measured")
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        for path in ("/", "/?q=restaurant+in+houston", "/"):
            first_load(browser, base, path)
        browser.close()


def main() -> None:
    many = int(sys.argv[1]) if len(sys.argv) > 1 else PAGES
    names = open_names()
    with ExitStack() as stack:
        root = (
            Path(sys.argv[2])
            if len(sys.argv) > 2
            else Path(stack.enter_context(tempfile.TemporaryDirectory()))
        )
        crawl = ServedCrawl(prepared(root, many, names), names)
        base = stack.enter_context(serving(crawl, ServerOptions(port=0))).rstrip("/")
        print(f"--- {many:,} pages")
        loads(base)
        idle = statistics.median(timed(base, ["/health"]).cpu)
        for name, paths in endpoints(crawl).items():
            found = timed(base, paths, MANY if name in (SEARCHES, TYPE_AHEAD) else ROUNDS)
            print(
                f"{name:<26}{found.kilobytes:8.1f} KB   CPU: median "
                f"{statistics.median(found.cpu) - idle:6.1f}, 99th percentile "
                f"{percentile(found.cpu) - idle:6.1f} ms   wall: median "
                f"{statistics.median(found.wall):6.1f}, 99th percentile "
                f"{percentile(found.wall):6.1f} ms"
            )


if __name__ == "__main__":
    main()
