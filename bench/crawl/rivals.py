"""The other crawlers, each written as its documentation shows it, following every link from the
same seeds.

    python -m bench.crawl.rivals NAME URL...

All obey robots.txt but the bare loop, which does nothing that it need not. Every crawler has 64
requests under way.
"""

import asyncio
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

CONCURRENT = 64


def scrapy(seeds: list[str]) -> None:
    """Scrapy as its tutorial has it: LinkExtractor, its duplicate filter, an item a page."""
    from scrapy import Request, Spider
    from scrapy.http import Response, TextResponse
    from scrapy.linkextractors import LinkExtractor

    class Following(Spider):
        name = "following"
        start_urls = seeds
        links = LinkExtractor()

        def parse(self, response: Response, **_: Any) -> Iterator[Any]:
            yield {"url": response.url, "title": response.css("title::text").get()}
            assert isinstance(response, TextResponse)
            for link in self.links.extract_links(response):
                yield Request(link.url)

    _run_scrapy(Following, {})


def scrapy_selectolax(seeds: list[str]) -> None:
    """Scrapy with selectolax for the links; the rest as it comes."""
    from scrapy import Request, Spider
    from scrapy.http import Response

    class Following(Spider):
        name = "following"
        start_urls = seeds

        def parse(self, response: Response, **_: Any) -> Iterator[Any]:
            title, links = _read(response.body, response.url)
            yield {"url": response.url, "title": title}
            for link in links:
                yield Request(link)

    _run_scrapy(Following, {})


def scrapy_stripped(seeds: list[str]) -> None:
    """Scrapy with selectolax, a plain set of links seen in place of its filter, and without all
    that can go: cookies, retries, redirects, compression, time limits, statistics."""
    from scrapy import Request, Spider
    from scrapy.http import Response

    seen = set(seeds)

    class Following(Spider):
        name = "following"
        start_urls = seeds

        def parse(self, response: Response, **_: Any) -> Iterator[Any]:
            title, links = _read(response.body, response.url)
            yield {"url": response.url, "title": title}
            for link in links:
                if link not in seen:
                    seen.add(link)
                    yield Request(link, dont_filter=True)

    unused = "httpauth.HttpAuth downloadtimeout.DownloadTimeout retry.Retry redirect.MetaRefresh"
    unused += " redirect.Redirect"
    unused += " httpcompression.HttpCompression cookies.Cookies httpproxy.HttpProxy offsite.Offsite"
    spider = "httperror.HttpError referer.Referer urllength.UrlLength depth.Depth"
    spider += " metacopy.MetaCopyDetection"
    names = "corestats.CoreStats logcount.LogCount memusage.MemoryUsage logstats.LogStats"
    names += " spiderstate.SpiderState"
    _run_scrapy(
        Following,
        {
            "DOWNLOADER_MIDDLEWARES": {
                f"scrapy.downloadermiddlewares.{name}Middleware": None for name in unused.split()
            },
            "SPIDER_MIDDLEWARES": {
                f"scrapy.spidermiddlewares.{name}Middleware": None for name in spider.split()
            },
            "EXTENSIONS": {f"scrapy.extensions.{name}": None for name in names.split()},
            "DOWNLOADER_STATS": False,
            "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",
        },
    )


def _run_scrapy(spider: type[Any], settings: dict[str, Any]) -> None:
    from scrapy.crawler import CrawlerProcess

    process = CrawlerProcess(
        {
            "CONCURRENT_REQUESTS": CONCURRENT,
            "CONCURRENT_REQUESTS_PER_DOMAIN": CONCURRENT,
            "DOWNLOAD_DELAY": 0,
            "ROBOTSTXT_OBEY": True,
            "LOG_ENABLED": False,
            "TELNETCONSOLE_ENABLED": False,
            "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
            "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
            **settings,
        },
        install_root_handler=False,
    )
    process.crawl(spider)
    process.start()


def crawlee(seeds: list[str]) -> None:
    """Crawlee with parsel, everything in memory."""
    import uvloop

    uvloop.run(_crawlee(seeds))


async def _crawlee(seeds: list[str]) -> None:
    import logging

    from crawlee import ConcurrencySettings
    from crawlee.crawlers import ParselCrawler, ParselCrawlingContext
    from crawlee.storage_clients import MemoryStorageClient

    crawler = ParselCrawler(
        concurrency_settings=ConcurrencySettings(
            min_concurrency=CONCURRENT, desired_concurrency=CONCURRENT, max_concurrency=CONCURRENT
        ),
        storage_client=MemoryStorageClient(),
        respect_robots_txt_file=True,
        configure_logging=False,
    )
    logging.disable(logging.CRITICAL)

    @crawler.router.default_handler
    async def handle(context: ParselCrawlingContext) -> None:
        await context.push_data(
            {"url": context.request.url, "title": context.selector.css("title::text").get()}
        )
        await context.enqueue_links(strategy="all")

    await crawler.run(seeds)


def bare_loop(seeds: list[str]) -> None:
    """aiohttp, uvloop and selectolax: no robots.txt, no retries, no limits, nothing kept."""
    import uvloop

    uvloop.run(_bare_loop(seeds))


async def _bare_loop(seeds: list[str]) -> None:
    import aiohttp

    seen, queue, running = set(seeds), deque(seeds), 0
    arrived = asyncio.Event()

    async def work(session: aiohttp.ClientSession) -> None:
        nonlocal running
        while True:
            while not queue:
                if not running:
                    arrived.set()
                    return
                arrived.clear()
                await arrived.wait()
            url, running = queue.popleft(), running + 1
            try:
                async with session.get(url) as response:
                    body = await response.read() if response.status == 200 else b""
            except (aiohttp.ClientError, ValueError):  # real pages link to hosts that do not exist
                body = b""
            fresh = [link for link in dict.fromkeys(_read(body, url)[1]) if link not in seen]
            seen.update(fresh)
            queue.extend(fresh)
            running -= 1
            arrived.set()

    connector = aiohttp.TCPConnector(limit=CONCURRENT)
    async with aiohttp.ClientSession(connector=connector) as session:
        await asyncio.gather(*(work(session) for _ in range(CONCURRENT)))


def _read(body: bytes, url: str) -> tuple[str, Iterator[str]]:
    """Title and links by selectolax; an address on the page's own host is joined by hand, for
    urljoin takes 5 us.
    """
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(body)
    parts = urlsplit(url)
    host = f"{parts.scheme}://{parts.netloc}"

    def links() -> Iterator[str]:
        for node in tree.css("a[href]"):
            href = (node.attributes["href"] or "").partition("#")[0]
            if href.startswith("http"):
                yield href
            elif href.startswith("/") and not href.startswith("//"):
                yield host + href
            else:
                with suppress(ValueError):  # real pages hold broken URLs
                    yield urldefrag(urljoin(url, href)).url

    title = tree.css_first("title")
    return title.text() if title else "", links()


RIVALS = {
    "scrapy": scrapy,
    "scrapy-selectolax": scrapy_selectolax,
    "scrapy-stripped": scrapy_stripped,
    "crawlee": crawlee,
    "bare-loop": bare_loop,
}

if __name__ == "__main__":
    RIVALS[sys.argv[1]](sys.argv[2:])
