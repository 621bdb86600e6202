"""A real browser for the tests of the page: Debian's Chromium, driven by playwright.

Every window that a test opens is watched: an error on the console, an exception in a script, a refused script or style, or a
request to any other host than the page's own fails the test when the window is closed.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect, sync_playwright

# As root, and without the requests that Chromium makes on its own account.
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
DESKTOP, PHONE = (1280, 800), (375, 740)
expect.set_options(timeout=60_000)  # instead of 5 s, in which a busy machine may not even begin


@contextmanager
def chromium() -> Iterator[Browser]:
    """Chromium, started anew; a test is skipped where there is none. For fixtures of scope "module": it runs a loop of
    its own, which tests of other modules must not meet."""
    path = (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )
    if path is None:
        pytest.skip("no Chromium here, and no apt that `make test` could install it with")
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
) -> Iterator[Page]:
    """A window of its own, without cookies or cache. Closing it asserts that nothing went wrong unseen."""
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
        if message.type in ("error", "warning"):
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
