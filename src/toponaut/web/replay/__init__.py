"""A recorded web: a WARC, a WACZ or a folder of pages, served as if it were the live one."""

from toponaut.web.replay.fetcher import ReplayFetcher

__all__ = ["ReplayFetcher"]
