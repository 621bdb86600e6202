"""A recorded web: a WARC, a WACZ or a folder of pages, served like the live web."""

from toponaut.web.replay.fetcher import DatedFetcher, ReplayFetcher, SinceFetcher

__all__ = ["DatedFetcher", "ReplayFetcher", "SinceFetcher"]
