"""A web of good sites among servers that try to stall, flood or mislead a crawler.

All tricks are bounded in number, but most have no end. Names are resolved as on the live web: each
good host has an address of its own, each kind of trick has one, and dead hosts have none or one
that refuses.

    with HostileWeb() as web:                            # in a process of its own
        ended = web.crawl(folder, seconds=10)            # in another one

`CrawlFigures` has what came of it. bench/hostile.py prints the figures of a long crawl.
"""

import argparse
import asyncio
import gzip
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec
import zstandard
from msgspec.structs import replace
from tests.support.crawling import FAST, job, visits
from tests.support.web_answers import (
    HTML,
    Answer,
    Asked,
    Drop,
    EndlessBody,
    EndlessPath,
    Garbage,
    HugeHead,
    Page,
    Redirect,
    RedirectLoop,
    Robots,
    Sitemap,
    Slow,
    SlowLoris,
    head,
)
from tests.support.webserver import TestWeb

from toponaut.crawl.process import give_back_large_buffers
from toponaut.crawl.run import CrawlRun
from toponaut.job import LimitsSection, StorageSection, render
from toponaut.records import PAGES, Outcome, Request, Response
from toponaut.urls import host_of
from toponaut.web.http.client import HttpFetcher

Site = dict[str, bytes | str | Answer]
GOOD = 8
START = "start.test"
DAY = (("Retry-After", "86400"),)
_SILENT_S = 900.0
CROWD = 150  # servers with addresses of their own, more than a crawl has slots
MUTE = "127.5.0.1"  # takes connections, and says nothing
_NEARLY_ALL = b"<p>" + b"word " * 1_990_000


def good_hosts() -> list[str]:
    return [f"www.good{number}.test" for number in range(GOOD)]


@dataclass(frozen=True)
class EndlessHints:
    """Interim answers for ever."""

    async def send(self, asked: Asked) -> bool:
        while not asked.has_gone():
            await asked.write(head(103, [("Link", "</style.css>")]) * 100)
            await asyncio.sleep(0.001)  # the machine has other things to do
        return False


@dataclass(frozen=True)
class MadeUpHosts:
    """Each page links to new hosts of the same domain, and to new pages of its own host."""

    domain: str
    port: int
    hosts: int = 100

    async def send(self, asked: Asked) -> bool:
        number = zlib.crc32(f"{asked.host}{asked.path}".encode())
        links = [
            f"http://x{number + step:x}.{self.domain}:{self.port}/" for step in range(self.hosts)
        ]
        links += [f"/{number:x}/{step}" for step in range(10)]
        words = f"word{number:x} " * 3 + "the same words on each of these pages, " * 20
        return await Page(f"<p>{words}" + _anchors(links)).send(asked)


@dataclass(frozen=True)
class RedirectAbroad:
    """Redirects to ever new hosts of the same domain."""

    domain: str
    port: int

    async def send(self, asked: Asked) -> bool:
        number = zlib.crc32(f"{asked.host}{asked.path}".encode())
        return await Redirect(f"http://x{number:x}.{self.domain}:{self.port}/").send(asked)


@dataclass(frozen=True)
class Heavy:
    """Large pages that take long to read, and link to more of them."""

    async def send(self, asked: Asked) -> bool:
        number = zlib.crc32(asked.path.encode())
        links = _anchors(f"/{number:x}/{step}" for step in range(10))
        lines = "".join(f"<p>Hauptstrasse {n}, 26122 Oldenburg" for n in range(number, number + 9))
        return await Page(links + lines * 12_000).send(asked)


@dataclass(frozen=True)
class ManyLinks:
    """As many links as fit into a page, to hosts that do not exist."""

    async def send(self, asked: Asked) -> bool:
        number = zlib.crc32(asked.path.encode())
        links = (f"<a href=//{number + step:x}.unknown1.test>" for step in range(100_000))
        return await Page(f"<a href=/{number:x}>" + "".join(links)).send(asked)


@dataclass(frozen=True)
class NearlyAll:
    """Nearly as many bytes as a body may have, at once; then silence."""

    async def send(self, asked: Asked) -> bool:
        await asked.write(head(200, [("Content-Type", HTML), ("Content-Length", "9999999")]))
        await asked.write(_NEARLY_ALL)
        await asyncio.sleep(_SILENT_S)
        return False


@dataclass(frozen=True)
class Pushy:
    """Answers once, and then pushes answers that nobody asked for."""

    async def send(self, asked: Asked) -> bool:
        page = Page(f"<p>pushy {asked.path}" + _anchors(f"{asked.path}{n}" for n in range(9)))
        await page.send(asked)
        await asyncio.sleep(0.1)
        while not asked.has_gone():
            for _ in range(100):
                await page.send(asked)
            await asyncio.sleep(0.001)
        return False


@dataclass(frozen=True)
class EndlessChunks:
    """Chunks of a byte, for ever."""

    async def send(self, asked: Asked) -> bool:
        fields = [("Content-Type", HTML), ("Transfer-Encoding", "chunked")]
        await asked.write(head(200, fields))
        while not asked.has_gone():
            await asked.write(b"1\r\nx\r\n" * 1000)
            await asyncio.sleep(0.001)
        return False


@dataclass(frozen=True)
class NestedSitemaps:
    """Sitemaps without end: each names further ones, and many pages."""

    fan_out: int = 20
    pages: int = 5000

    async def send(self, asked: Asked) -> bool:
        root = f"http://{asked.headers['host']}"
        path = asked.path.removesuffix(".xml")
        if path.endswith("index") or path.count("/") % 2:
            nested = [f"{root}{path}/{step}.xml" for step in range(self.fan_out)]
            return await Sitemap(nested, "sitemapindex").send(asked)
        number = zlib.crc32(path.encode())
        return await Sitemap(f"{root}/p/{number:x}/{k}" for k in range(self.pages)).send(asked)


class Names:
    """Resolves the names of the hostile web: the address by the kind of host."""

    async def __call__(self, host: str) -> Sequence[str]:
        name = host.split(".")[-2]
        kind = name.rstrip("0123456789")
        if kind == "unknown":
            raise socket.gaierror(socket.EAI_NONAME, "unknown name")
        if kind == "silent":
            await asyncio.sleep(_SILENT_S)
        if kind == "refused":
            return ["127.9.9.9"]
        if kind == "mute":
            return [MUTE]
        return [_address(name)]


def address_of(kind: str, number: int = 0) -> str:
    """A loopback address: of its own for each good host and each of a crowd, one for each kind of
    trick.
    """
    if kind == "good":
        return f"127.1.0.{number + 1}"
    if kind in ("crowd", "fat"):
        return f"127.{3 if kind == 'crowd' else 4}.0.{number + 1}"
    return f"127.2.{zlib.crc32(kind.encode()) % 250}.1"


def good_sites(port: int, pages: int, tricks_at: int = 0) -> dict[str, Site]:
    """Good hosts with so many pages each. START links to them, and to all tricks at their port."""
    sites: dict[str, Site] = {}
    for host in good_hosts():
        sites[host] = {
            "/": f"<p>{host} " * 9 + _anchors(f"/{number}" for number in range(pages)),
            **{f"/{number}": _text(host, number) for number in range(pages)},
        }
    seeds = [f"http://{host}:{port}/" for host in good_hosts()]
    if tricks_at:
        names = [host for host in hostile_sites(tricks_at) if "*" not in host]
        for kind in ("unknown", "silent", "refused"):
            names += [f"{kind}{number}.test" for number in range(9)]
        names += [f"r{number}.tomorrow.test" for number in range(70)]
        names += [f"silent{number}.test" for number in range(9, 200)]
        names += [f"start{number}.wild.test" for number in range(10)]
        names += [f"start{number}.hops.test" for number in range(10)]
        seeds += [f"http://{name}:{tricks_at}/" for name in names]
        seeds += [f"https://www.notls{number}.test:{tricks_at}/" for number in range(9)]
        seeds += [f"https://www.mute{number}.test:{tricks_at}/" for number in range(9)]
    sites[START] = {"/": "<p>start " * 9 + _anchors(seeds)}
    return sites


def _addresses(hosts: Iterable[str]) -> list[str]:
    """All addresses of these hosts."""
    names = (host.split(".")[-2] for host in hosts)
    return sorted({_address(name) for name in names})


def _address(name: str) -> str:
    kind = name.rstrip("0123456789")
    return address_of(kind, int(name[len(kind) :] or 0))


def hostile_sites(port: int) -> dict[str, Site]:
    """One site or more for each trick, all at this port."""
    later = Page("later", status=503, headers=DAY)
    none = Robots("")
    sites: dict[str, Site] = {
        "*.wild.test": {"/robots.txt": none, "/*": MadeUpHosts("wild.test", port)},
        "*.tomorrow.test": {
            "/robots.txt": Redirect(f"http://rest.later.test:{port}/robots.txt"),
            "/": "<p>never fetched",
        },
        "rest.later.test": {"/*": later},
        "*.hops.test": {"/robots.txt": none, "/*": RedirectAbroad("hops.test", port)},
        "www.maps.test": {
            "/robots.txt": Robots(f"Sitemap: http://www.maps.test:{port}/index.xml"),
            "/": "<p>maps",
            "/p/*": EndlessPath("copies"),
            "/*": NestedSitemaps(),
        },
    }
    bad: dict[str, Answer] = {
        "hints": EndlessHints(),
        "bomb": _bomb("gzip", gzip.compress(bytes(100_000_000), 1)),
        "zstdbomb": _bomb("zstd", zstandard.compress(bytes(100_000_000))),
        "endless": EndlessBody(),
        "loris": SlowLoris(),
        "slow": Slow(delay=_SILENT_S),
        "trickle": Slow(b"<p>" + b"word " * 10_000, pause=1.0, pieces=10_000),
        "drop": Drop(),
        "garbage": Garbage(),
        "hugehead": HugeHead(),
        "loop": RedirectLoop(0),
        "calendar": EndlessPath("calendar"),
        "session": EndlessPath("session"),
        "deeper": EndlessPath("deeper"),
        "copies": EndlessPath("copies"),
        "heavy": Heavy(),
        "manylinks": ManyLinks(),
        "pushy": Pushy(),
        "tinychunks": EndlessChunks(),
    }
    for kind, answer in bad.items():
        for number in range(4):
            sites[f"www.{kind}{number}.test"] = {"/robots.txt": none, "/*": answer}
    for number in range(CROWD):
        sites[f"www.crowd{number}.test"] = {"/robots.txt": none, "/*": bad["trickle"]}
    for number in range(CROWD // 4):
        sites[f"www.fat{number}.test"] = {"/robots.txt": none, "/*": NearlyAll()}
    for number in range(4):  # robots.txt itself is the trick
        sites[f"www.robots{number}.test"] = {"/robots.txt": list(bad.values())[number], "/": "<p>"}
    return sites


def _bomb(packing: str, packed: bytes) -> Page:
    return Page(packed, headers=(("Content-Encoding", packing),))


def _anchors(links: Iterable[str]) -> str:
    return "".join(f'<a href="{link}">{link}</a> ' for link in links)


def _text(host: str, number: int) -> str:
    return f"<title>{host} {number}</title><p>" + f"{host}-{number} words{number} " * 20


# --- processes ---


class CrawlFigures(msgspec.Struct):
    """What came of a crawl of the hostile web."""

    why: str
    good: int  # pages of good hosts
    other: int  # pages of all others
    requests: dict[str, int]  # by registered domain, without numbers
    seconds: float  # from the first request to the end of the process
    stopped_in: float  # seconds from the interrupt, or from the limit, to the end
    megabytes: float  # most memory


class HostileWeb:
    """The servers as a process, for the time of a `with`."""

    def __init__(self, *, pages: int = 60, tricks: bool = True) -> None:
        self._pages, self._tricks = pages, tricks
        self._servers: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Self:
        tricks_at = self._serve("tricks") if self._tricks else 0
        numbers = ("--pages", str(self._pages), "--tricks-at", str(tricks_at))
        self.port = self._serve("good", *numbers)
        return self

    def _serve(self, *arguments: str) -> int:
        """Starts a server; returns its port. Good hosts share none with hostile ones."""
        server = _start(*arguments)
        self._servers.append(server)
        assert server.stdout is not None
        return int(server.stdout.readline())

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        for server in self._servers:
            server.terminate()
            server.communicate()

    def crawl(
        self, folder: Path, seconds: int, *, delay: float = 0.25, interrupt_at_good: int = 0
    ) -> CrawlFigures:
        """Crawl in a process of its own. `interrupt_at_good`: when it has so many good pages."""
        numbers = ("--port", self.port, "--seconds", seconds, "--delay", delay)
        until = ("--interrupt-at-good", interrupt_at_good)
        crawl = _start("crawl", str(folder), *map(str, (*numbers, *until)))
        try:
            line = crawl.communicate(timeout=seconds + 300)[0].splitlines()[-1]
        finally:
            crawl.kill()
            crawl.wait()
        return msgspec.json.decode(line, type=CrawlFigures)


def _start(*arguments: str) -> "subprocess.Popen[str]":
    line = [sys.executable, "-m", "tests.support.hostile_web", *arguments]
    environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    root = Path(__file__).parents[2]
    return subprocess.Popen(line, cwd=root, env=environment, stdout=subprocess.PIPE, text=True)


def _serve(make: Callable[[int], dict[str, Site]], *more: str) -> None:
    sites: dict[str, Site] = {address: {} for address in _addresses((*make(0), *more))}
    with TestWeb(sites) as web:
        sites |= make(web.port)
        with socket.create_server((MUTE, web.port), backlog=1000) if more else nullcontext():
            print(web.port, flush=True)
            with suppress(KeyboardInterrupt):
                threading.Event().wait()


async def _crawl(
    folder: Path, port: int, seconds: int, delay: float, interrupt_at_good: int
) -> CrawlFigures:
    polite = replace(FAST, delay=delay, connect_timeout=10.0, read_timeout=20.0)
    limits = LimitsSection(private_networks=True, seconds=seconds, pages=0)
    wanted = job([f"http://{START}:{port}/"], politeness=polite, limits=limits)
    wanted = replace(wanted, storage=StorageSection())  # sealed as seldom as in a usual crawl
    web = _CountingFetcher(polite, limits, resolver=Names())
    run = CrawlRun(folder, render(wanted), wanted, 0, web, watch=lambda _: None, say=lambda _: None)
    web.enough = interrupt_at_good
    began = time.monotonic()
    end = await run.run()
    ended = time.monotonic()
    requests: Counter[str] = Counter()
    pages: Counter[bool] = Counter()
    for visit in filter(lambda visit: visit.url, visits(folder)):
        host = host_of(visit.url)
        requests[host.split(".")[-2].rstrip("0123456789")] += visit.outcome is not Outcome.TWIN
        pages[host in good_hosts()] += visit.outcome in PAGES
    most = _peak_megabytes()
    stopped = web.interrupted or began + seconds
    return CrawlFigures(
        end.why, pages[True], pages[False], dict(requests), ended - began, ended - stopped, most
    )


def _peak_megabytes() -> float:
    """Of this program: getrusage would count that of its parent as well."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


class _CountingFetcher(HttpFetcher):
    """Interrupts the crawl when enough good pages have come."""

    enough = 0
    interrupted = 0.0
    _good = 0

    async def fetch(self, request: Request) -> Response:
        response = await super().fetch(request)
        if response.outcome is Outcome.FETCHED and host_of(request.url) in good_hosts():
            self._good += not request.url.endswith("/robots.txt")
            if self._good == self.enough:
                self.interrupted = time.monotonic()
                os.kill(os.getpid(), signal.SIGINT)
        return response


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve or crawl the hostile web.")
    commands = parser.add_subparsers(required=True, dest="command")
    commands.add_parser("tricks")
    good = commands.add_parser("good")
    for name in ("--pages", "--tricks-at"):
        good.add_argument(name, type=int, required=True)
    crawl = commands.add_parser("crawl")
    crawl.add_argument("folder", type=Path)
    for name in ("--port", "--seconds", "--interrupt-at-good"):
        crawl.add_argument(name, type=int, required=True)
    crawl.add_argument("--delay", type=float, required=True)
    chosen = parser.parse_args()
    if chosen.command == "tricks":
        _serve(hostile_sites, "www.notls.test")
        return
    if chosen.command == "good":
        _serve(lambda port: good_sites(port, chosen.pages, chosen.tricks_at))
        return
    give_back_large_buffers()
    figures = asyncio.run(
        _crawl(chosen.folder, chosen.port, chosen.seconds, chosen.delay, chosen.interrupt_at_good)
    )
    print(msgspec.json.encode(figures).decode(), flush=True)


if __name__ == "__main__":
    main()
