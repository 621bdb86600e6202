"""One Chromium that runs the scripts of one page at a time, in bounded time and memory.

It cannot reach any network: all requests are answered by the crawl (requests.py), web sockets are
closed, and what Chromium would send beside them ends at a proxy that does not exist and at names
that do not resolve. Every page gets a profile of its own, which is deleted with it.
"""

import asyncio
import os
import shutil
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from toponaut.errors import InputError
from toponaut.records import Response

if TYPE_CHECKING:  # an extra
    from playwright.async_api import (
        Browser,
        BrowserContext,
        CDPSession,
        Playwright,
        Route,
        WebSocketRoute,
    )

    Answer = Callable[[str, str, str], Awaitable[Response | None]]  # of URL, kind and method

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_NO_NETWORK = (
    "--proxy-server=127.0.0.1:9",  # the discard port
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-quic",
)
_SMALL = ("--disable-gpu", "--blink-settings=imagesEnabled=false", "--mute-audio")
_CLOSE_S = 5.0
_WATCH_S = 0.25
_QUIET = 0.75  # of a page's time may pass until its requests end; the rest is for reading it
_LEAVE_OUT = frozenset({
    "content-encoding", "content-length", "transfer-encoding", "connection", "set-cookie",
    "access-control-allow-origin", "access-control-allow-credentials",
})  # fmt: skip


class RenderError(Exception):
    """A page that could not be rendered, and why."""


class BrowserLostError(RenderError):
    """The browser ended. Another one may render the page."""


def find_chromium() -> str:
    """The system's Chromium, or the one of playwright."""
    if found := next(filter(None, map(shutil.which, _NAMES)), ""):
        return found
    own = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache/ms-playwright")
    for path in sorted(own.glob("chromium-*/chrome-*/chrome*")):
        if path.name in ("chrome", "chrome.exe"):
            return str(path)
    fix = "Install it: apt install chromium, or: playwright install chromium"
    raise InputError("fetch.render needs Chromium, which was not found", fix)


class PageBrowser:
    """A running browser. `memory`: bytes that it and its processes may use."""

    def __init__(self, browser: "Browser", session: "CDPSession", agent: str, memory: int) -> None:
        self._browser, self._session = browser, session
        self._agent, self._memory = agent, memory
        self.pages = 0  # rendered so far

    @classmethod
    async def start(cls, playwright: "Playwright", agent: str, memory: int) -> "PageBrowser":
        heap = max(memory // 3 >> 20, 64)
        flags = [*_NO_NETWORK, *_SMALL, f"--js-flags=--max-old-space-size={heap}"]
        try:
            browser = await playwright.chromium.launch(
                executable_path=find_chromium(),
                args=flags,
                chromium_sandbox=os.geteuid() != 0,  # Chromium has none for root
                handle_sigint=False,
            )
            return cls(browser, await browser.new_browser_cdp_session(), agent, memory)
        except Exception as error:
            why = str(error).strip().partition("\n")[0]
            fix = 'Try `chromium --headless`, or set fetch.render = "never"'
            raise InputError(f"Chromium does not start ({why})", fix) from error

    @property
    def is_lost(self) -> bool:
        return not self._browser.is_connected()

    async def render(self, page: Response, answer: "Answer", seconds: float) -> str:
        """The page's HTML after its scripts ran. Raises RenderError."""
        self.pages += 1
        watch = asyncio.create_task(self._stop_large_pages())
        context: BrowserContext | None = None
        try:
            async with asyncio.timeout(seconds):
                context = await self._open(page, answer)
                return await _html_of(context, page.url, seconds)
        except TimeoutError:
            raise RenderError(f"its scripts ran for over {seconds:g} s") from None
        except RenderError:
            raise
        except Exception as error:
            why = str(error).strip().partition("\n")[0] or type(error).__name__
            if "crashed" in why:  # by the watch below, or by Chromium's own bounds
                raise RenderError("its scripts used too much memory") from error
            raise (BrowserLostError if self.is_lost else RenderError)(why) from error
        finally:
            watch.cancel()
            if context is not None:
                await self._close(context)

    async def stop(self) -> None:
        """End the browser; kill it if it does not end."""
        ids = await self._processes()
        try:
            async with asyncio.timeout(_CLOSE_S):
                await self._browser.close()
        except Exception:  # playwright may be gone itself
            _kill(ids)

    async def _open(self, page: Response, answer: "Answer") -> "BrowserContext":
        context = await self._browser.new_context(
            user_agent=self._agent, service_workers="block", accept_downloads=False
        )
        first = True

        async def handle(route: "Route") -> None:
            nonlocal first
            asked = route.request
            found: Response | None = None
            if asked.is_navigation_request():
                found, first = (page, False) if first else (None, False)
            else:
                found = await answer(asked.url, asked.resource_type, asked.method)
            with suppress(Exception):  # the page may be closed meanwhile
                await (_fulfil(route, found) if found else route.abort())

        async def refuse(socket: "WebSocketRoute") -> None:
            await socket.close()

        await context.route("**/*", handle)
        await context.route_web_socket("**/*", refuse)
        return context

    async def _close(self, context: "BrowserContext") -> None:
        """Close a page; if that takes long, kill the browser."""
        try:
            async with asyncio.timeout(_CLOSE_S):
                await context.close()
        except Exception:
            await self.stop()

    async def _stop_large_pages(self) -> None:
        """Kill the processes of the page if all processes together use too much memory."""
        while True:
            await asyncio.sleep(_WATCH_S)
            ids = await self._processes()
            if sum(map(_own_bytes, ids.values())) > self._memory:
                _kill({name: id for name, id in ids.items() if name.startswith("renderer")})

    async def _processes(self) -> dict[str, int]:
        try:
            async with asyncio.timeout(_CLOSE_S):
                found = await self._session.send("SystemInfo.getProcessInfo")
        except Exception:  # it is closing
            return {}
        return {f"{one['type']} {one['id']}": int(one["id"]) for one in found["processInfo"]}


async def _html_of(context: "BrowserContext", url: str, seconds: float) -> str:
    """Open a page, wait until its requests ended (but not for ever), and read it."""
    from playwright.async_api import TimeoutError

    page = await context.new_page()
    await page.goto(url, wait_until="domcontentloaded", timeout=0)
    with suppress(TimeoutError):  # it asks again and again: read what it shows now
        await page.wait_for_load_state("networkidle", timeout=_QUIET * seconds * 1000)
    return await page.content()


async def _fulfil(route: "Route", answer: Response) -> None:
    headers = {name: value for name, value in answer.headers if name not in _LEAVE_OUT}
    headers.setdefault("content-type", answer.content_type)
    origin = route.request.headers.get("origin", "*")
    headers["access-control-allow-origin"] = origin
    await route.fulfill(status=answer.status, headers=headers, body=answer.body)


def _own_bytes(process: int) -> int:
    """Memory that a process does not share, on Linux; elsewhere Chromium's own bounds count."""
    try:
        _, resident, shared, *_ = Path(f"/proc/{process}/statm").read_text().split()
    except (OSError, ValueError):
        return 0
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")


def _kill(processes: dict[str, int]) -> None:
    for process in processes.values():
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, signal.SIGKILL)
