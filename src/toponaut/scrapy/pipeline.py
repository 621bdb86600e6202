"""An item pipeline that adds the addresses and the scope of an item's page."""

from typing import Any, Self

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.http import Response as ScrapyResponse

from toponaut.scrapy.page_judge import PageJudge, judge_of_settings

_HTML, _URL = "html", "url"


class AddressPipeline:
    """Fills the fields `addresses`, `scope` and `relevant`.

    The page is the item's `response`, or its `html` (str or bytes) with its `url`.
    """

    def __init__(self, judge: PageJudge) -> None:
        self._judge = judge

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(judge_of_settings(crawler.settings))

    def process_item(self, item: Any) -> Any:
        fields = ItemAdapter(item)
        response = fields.get("response")
        if not isinstance(response, ScrapyResponse):
            response = _made_response(fields)
        judged = self._judge.read(response) if response is not None else None
        if judged is not None:
            fields["addresses"] = [address.to_dict() for address in judged.addresses]
            fields["scope"] = [list(pair) for pair in judged.scope]
            fields["relevant"] = judged.relevant
        return item


def _made_response(fields: ItemAdapter) -> ScrapyResponse | None:
    from scrapy.http import HtmlResponse

    html = fields.get(_HTML)
    if not html:
        return None
    body = html.encode() if isinstance(html, str) else html
    encoding = "utf-8" if isinstance(html, str) else None
    return HtmlResponse(str(fields.get(_URL) or ""), body=body, encoding=encoding)
