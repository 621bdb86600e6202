"""Addresses, scope and priorities in a Scrapy project.

    ITEM_PIPELINES = {"toponaut.scrapy.AddressPipeline": 300}
    SPIDER_MIDDLEWARES = {"toponaut.scrapy.PlaceMiddleware": 500}
    TOPONAUT_TARGETS = ["Oldenburg, DE"]

The middleware reads every HTML response once. Requests of relevant pages, and those whose link
names a target, get a higher priority; `response.meta["toponaut"]` has the judged page. The pipeline
adds the addresses and the scope of an item's page to the item.
"""

from toponaut.scrapy.middleware import PlaceMiddleware
from toponaut.scrapy.pipeline import AddressPipeline

__all__ = ["AddressPipeline", "PlaceMiddleware"]
