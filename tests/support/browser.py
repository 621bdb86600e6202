"""A browser for the tests of the pages: Debian's Chromium, driven by playwright.

Every window is watched: a console error, a script exception, a blocked script or style, or a
request to another host fails the test when the window is closed.
"""

import base64
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect, sync_playwright

# For root, and without Chromium's own background requests.
FLAGS = (
    "--no-sandbox", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
_COLOURS = """async ([source, share]) => {
  const image = new Image();
  image.src = source;
  await image.decode();
  const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
  pen.drawImage(image, 0, 0);
  const counts = new Map();
  const { data } = pen.getImageData(0, 0, image.width, image.height);
  for (let k = 0; k < data.length; k += 4) {
    const colour = (data[k] << 16) | (data[k + 1] << 8) | data[k + 2];
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const least = (share * data.length) / 4;
  return [...counts].filter(([, many]) => many >= least)
    .map(([colour]) => [colour >> 16, (colour >> 8) & 255, colour & 255]);
}"""
DESKTOP, PHONE = (1280, 800), (375, 740)
expect.set_options(timeout=60_000)  # the default of 5 s is too short on a busy machine


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start Chromium; skip the test if there is none.

    For fixtures of scope "module": its event loop must not meet tests of other modules.
    """
    path = (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )
    if path is None:
        pytest.skip("Chromium is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def window(
    browser: Browser,
    base: str,
    size: tuple[int, int] = DESKTOP,
    *,
    dark: bool = False,
    phone: bool = False,
    refused: Sequence[int] = (),
    aborted: bool = False,
) -> Iterator[Page]:
    """A new window without cookies or cache. Closing it asserts that there were no errors.

    `refused`: HTTP statuses that the test wants to see; Chromium reports each as an error.
    `aborted`: whether the test stops requests, which Chromium reports too.
    """
    context = browser.new_context(
        base_url=base,
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if dark else "light",
        has_touch=phone,
        is_mobile=phone,
        reduced_motion="reduce",
    )
    page = context.new_page()
    wrong: list[str] = []
    own = urlsplit(base).netloc

    def hear(message: ConsoleMessage) -> None:
        statuses = [f"responded with a status of {one} " for one in refused]
        expected = [*statuses, "GL Driver Message", *(["net::ERR_FAILED"] if aborted else [])]
        unexpected = not any(words in message.text for words in expected)
        if message.type in ("error", "warning") and unexpected:
            wrong.append(f"console {message.type}: {message.text}")

    def see(request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob", "about", "file") and parts.netloc != own:
            wrong.append(f"request to another host: {request.url}")

    page.on("console", hear)
    page.on("pageerror", lambda error: wrong.append(f"exception: {error}"))
    context.on("request", see)
    try:
        yield page
    finally:
        context.close()
    assert wrong == [], wrong


def map_drawn(page: Page) -> None:
    """Wait until the map is drawn."""
    expect(page.locator("#map")).to_have_attribute("data-drawn", "true")


def map_colours(page: Page, share: float = 0.01) -> set[tuple[int, int, int]]:
    """The colours of the drawn map that cover at least that share of it."""
    map_drawn(page)
    page.wait_for_timeout(300)  # a new colour is drawn in the next frames
    picture = base64.b64encode(page.locator("#map").screenshot()).decode()
    found: list[list[int]] = page.evaluate(_COLOURS, [f"data:image/png;base64,{picture}", share])
    return {(r, g, b) for r, g, b in found}
