"""A real Scrapy project with our pipeline and middleware, on a real server."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from scrapy.settings import Settings
from tests.support.shops import JOE, LISBON, shop
from tests.support.webserver import TestWeb

from toponaut.errors import InputError
from toponaut.scrapy import AddressPipeline

SPIDER = """
import scrapy


class ShopSpider(scrapy.Spider):
    name = "shops"
    custom_settings = {
        "ITEM_PIPELINES": {"toponaut.scrapy.AddressPipeline": 300},
        "SPIDER_MIDDLEWARES": {"toponaut.scrapy.PlaceMiddleware": 500},
        "TOPONAUT_TARGETS": ["Springfield, IL"],
        "CONCURRENT_REQUESTS": 1,
        "LOG_LEVEL": "ERROR",
    }

    async def start(self):
        yield scrapy.Request("http://front.test/")

    def parse(self, response):
        yield {"url": response.url, "html": response.text, "priority": response.request.priority}
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link)
"""
SITES = {
    "front.test": {
        "/": '<a href="http://lisbon.test/">one</a> <a href="http://joes.test/">two</a>'
        ' <a href="/springfield-il/news">three</a>',
        "/springfield-il/news": "<p>Nothing new.</p>",
    },
    "lisbon.test": {"/": shop("Napoli", LISBON)},
    "joes.test": {
        "/": shop("Joe's Diner", JOE).replace("Welcome", '<a href="/menu">Menu</a>'),
        "/menu": "<p>Soup</p>",
    },
}


def test_a_spider_with_pipeline_and_middleware(tmp_path: Path) -> None:
    (tmp_path / "spider.py").write_text(SPIDER)
    with TestWeb(SITES) as web:
        line = [sys.executable, "-m", "scrapy", "runspider", "spider.py", "-O", "items.json"]
        environment = {**os.environ, "http_proxy": web.proxy}
        done = subprocess.run(line, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    items = {item["url"]: item for item in json.loads((tmp_path / "items.json").read_text())}
    joes, lisbon = items["http://joes.test/"], items["http://lisbon.test/"]
    assert joes["relevant"]
    assert [one["organisation"] for one in joes["addresses"]] == ["Joe's Diner"]
    assert not lisbon["relevant"]
    assert lisbon["addresses"][0]["city"] == "Lisboa"
    priorities = {url: item["priority"] for url, item in items.items()}
    assert priorities["http://joes.test/menu"] == 100  # of a relevant page
    assert priorities["http://front.test/springfield-il/news"] == 50  # its URL names a target
    assert priorities["http://lisbon.test/"] == 0


def test_settings_without_targets() -> None:
    with pytest.raises(InputError, match="TOPONAUT_TARGETS is empty"):
        AddressPipeline.from_crawler(SimpleNamespace(settings=Settings()))  # type: ignore[arg-type]
