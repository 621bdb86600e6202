"""A spider middleware that gives requests a priority by the places of their page and link.

Of a relevant page all requests gain `TOPONAUT_PRIORITY` (100); a request whose URL names a target
gains half of it. Priorities that the spider sets are kept: ours are added.
"""

from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response as ScrapyResponse
from scrapy.settings import BaseSettings

from toponaut.records import JudgedPage
from toponaut.scrapy.page_judge import judge_of_settings

_PRIORITY = 100


class PlaceMiddleware:
    """Judges each response before the spider sees it, and rates the requests it yields."""

    def __init__(self, settings: BaseSettings) -> None:
        self._judge = judge_of_settings(settings)
        self._priority = settings.getint("TOPONAUT_PRIORITY", _PRIORITY)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler.settings)

    def process_spider_input(self, response: ScrapyResponse, **_: Any) -> None:
        """Scrapy calls it before the spider's callback."""
        self._judge.read(response)

    def process_spider_output(
        self, response: ScrapyResponse, result: Iterable[Any], **_: Any
    ) -> Iterator[Any]:
        judged = self._judge.read(response)
        for one in result:
            yield self._rated(one, judged)

    async def process_spider_output_async(
        self, response: ScrapyResponse, result: AsyncIterator[Any], **_: Any
    ) -> AsyncIterator[Any]:
        judged = self._judge.read(response)
        async for one in result:
            yield self._rated(one, judged)

    def _rated(self, one: Any, judged: JudgedPage | None) -> Any:
        if not isinstance(one, Request):
            return one
        gain = self._priority if judged is not None and judged.relevant else 0
        gain += self._priority // 2 if self._judge.names_target([one.url])[0] else 0
        return one.replace(priority=one.priority + gain) if gain else one
