"""The browsers of a crawl: started when the first page needs one, replaced after some pages."""

import asyncio
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from toponaut.errors import InputError
from toponaut.job import Job
from toponaut.page.reading.pool import Readers
from toponaut.page.reading.reader import UnreadablePageError
from toponaut.records import JudgedPage, Response
from toponaut.render.browser import BrowserLostError, PageBrowser, RenderError, find_chromium
from toponaut.render.need import needs_browser
from toponaut.render.requests import AnswerCache, PageRequest, PageRequests
from toponaut.timing import SimulatedTime, Time
from toponaut.web.fetch import Fetcher
from toponaut.web.http.client import user_agent
from toponaut.web.politeness.clocks import Clocks
from toponaut.web.politeness.polite_fetcher import PoliteFetcher

if TYPE_CHECKING:  # an extra
    from playwright.async_api import Playwright

RENDERED_TYPE = "text/html; charset=utf-8"
_HTML = ("text/html", "application/xhtml+xml")
_PAGES_PER_BROWSER = 100  # then a new one: browsers grow
_TRIES = 2  # browsers that may be lost over one page


class RenderedPage(Struct, frozen=True):
    """A page after its scripts ran (or as it came, if that failed), and their requests."""

    response: Response
    judged: JudgedPage
    requests: tuple[PageRequest, ...] = ()


class Renderer:
    """Renders pages that need it; as many at once as there are browsers."""

    def __init__(self, job: Job, web: PoliteFetcher, time: Time) -> None:
        self._settings, self._web, self._time = job.fetch, web, time
        self._most_bytes = job.limits.body_bytes
        self._agent = user_agent(job.politeness)
        self._always = job.fetch.render == "always"
        self._cache = AnswerCache()
        self._room = asyncio.Semaphore(job.fetch.browsers)
        self._idle: list[PageBrowser] = []
        self._busy: set[PageBrowser] = set()
        self._playwright: Playwright | None = None
        self._starting = asyncio.Lock()

    def wants(self, page: RenderedPage) -> bool:
        """Whether a page as it came is to be rendered."""
        response = page.response
        kind = response.content_type.partition(";")[0].strip().lower() or _HTML[0]
        if kind not in _HTML or not response.body:
            return False
        return self._always or needs_browser(response.body, page.judged)

    async def render(self, node: str, plain: RenderedPage, readers: Readers) -> RenderedPage:
        """Run the scripts of a page and read it again. A page that fails stays as it came."""
        response = plain.response
        requests = PageRequests(node, self._web, self._time, self._cache)
        try:
            async with self._room:
                html = (await self._html(response, requests)).encode("utf-8", "replace")
            if len(html) > self._most_bytes:
                raise RenderError("it is too large after its scripts ran")
            judged = await readers.read(replace(response, body=html, content_type=RENDERED_TYPE))
            response = replace(response, rendered=html)
        except (RenderError, UnreadablePageError) as error:
            response, judged = replace(response, detail=f"not rendered: {error}"), plain.judged
        finally:
            await requests.finish()
        return RenderedPage(response, judged, tuple(requests.made))

    async def close(self) -> None:
        for browser in (*self._idle, *self._busy):
            await browser.stop()
        if self._playwright:
            with suppress(Exception):  # Ctrl-C reaches it, too
                await self._playwright.stop()

    async def _html(self, page: Response, requests: PageRequests) -> str:
        for last in range(_TRIES):
            browser = await self._take()
            try:
                return await browser.render(page, requests.answer, self._settings.render_seconds)
            except BrowserLostError:
                if last == _TRIES - 1:
                    raise
            finally:
                await self._return(browser)
        raise AssertionError

    async def _take(self) -> PageBrowser:
        browser = self._idle.pop() if self._idle else await self._start()
        self._busy.add(browser)
        return browser

    async def _start(self) -> PageBrowser:
        from playwright.async_api import async_playwright

        async with self._starting:
            if self._playwright is None:
                self._playwright = await async_playwright().start()
        return await PageBrowser.start(self._playwright, self._agent, self._settings.browser_bytes)

    async def _return(self, browser: PageBrowser) -> None:
        self._busy.discard(browser)
        if browser.is_lost or browser.pages >= _PAGES_PER_BROWSER:
            await browser.stop()
        else:
            self._idle.append(browser)


def open_renderer(job: Job, web: Fetcher, polite: PoliteFetcher, time: Time) -> Renderer | None:
    """The renderer of a crawl, if its job wants one.

    On a replayed web the requests of pages take no time and leave the crawl's clocks alone.
    """
    if job.fetch.render == "never":
        return None
    if find_spec("playwright") is None:
        fix = "Install it: pip install 'toponaut[render]'"
        raise InputError("fetch.render needs playwright, which is not installed", fix)
    find_chromium()
    if web.live:
        return Renderer(job, polite, time)
    simulated = SimulatedTime()
    return Renderer(job, PoliteFetcher(web, Clocks(0.0), simulated, job), simulated)
