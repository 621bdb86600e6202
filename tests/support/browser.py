"""A browser for the tests of the pages: Debian's Chromium, driven by playwright.

Every window is watched: a console error, a script exception, a blocked script or style, or a
request to another host fails the test when the window is closed.
"""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect, sync_playwright

# For root, and without Chromium's own background requests.
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
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
) -> Iterator[Page]:
    """A new window without cookies or cache. Closing it asserts that there were no errors.

    `refused`: HTTP statuses that the test wants to see; Chromium reports each as an error.
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
        expected = any(f"responded with a status of {one} " in message.text for one in refused)
        if message.type in ("error", "warning") and not expected:
            wrong.append(f"console {message.type}: {message.text}")

    def see(request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob", "about") and parts.netloc != own:
            wrong.append(f"request to another host: {request.url}")

    page.on("console", hear)
    page.on("pageerror", lambda error: wrong.append(f"exception: {error}"))
    context.on("request", see)
    try:
        yield page
    finally:
        context.close()
    assert wrong == [], wrong
