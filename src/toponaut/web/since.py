"""Coming back: pages that have not changed since an earlier crawl are not sent again.

The earlier crawl is its archive, or any WARC: what it holds of a URL says by which ETag and date to ask. If the server
answers "unchanged", the page is read from there, so that its links and addresses are part of this crawl as well.
"""

from msgspec.structs import replace

from toponaut.records import Outcome, Request, Response
from toponaut.web.fetch import Fetcher
from toponaut.web.replay import ReplayFetcher


class SinceFetcher:
    """Asks another fetcher for what has changed."""

    def __init__(self, fetcher: Fetcher, earlier: ReplayFetcher) -> None:
        self._fetcher = fetcher
        self._earlier = earlier
        self.live = fetcher.live

    async def fetch(self, request: Request) -> Response:
        before = await self._earlier.fetch(request)
        known = dict(before.headers) if before.outcome is Outcome.FETCHED else {}
        etag, modified = known.get("etag", ""), known.get("last-modified", "")
        if not etag and not modified:
            return await self._fetcher.fetch(request)
        fetched = await self._fetcher.fetch(replace(request, etag=etag, modified=modified))
        if fetched.outcome is not Outcome.UNCHANGED:
            return fetched
        return replace(fetched, body=before.body, content_type=before.content_type)

    async def close(self) -> None:
        await self._earlier.close()
        await self._fetcher.close()
