"""The web as a node of a cluster may see it: a request lasts no longer than the lease of its host's clock."""

from time import monotonic

from toponaut.records import Request, Response
from toponaut.timing import Time
from toponaut.urls import host_of
from toponaut.web.fetch import Fetcher
from toponaut.web.politeness.leases import LeasedClocks, LeaseOverError


class LeasedWeb:
    """Fetches from hosts that were claimed. Raises LeaseOverError, the claim given back, where somebody else may ask by now."""

    def __init__(self, web: Fetcher, clocks: LeasedClocks, time: Time) -> None:
        self.live = web.live
        self._web, self._clocks, self._time = web, clocks, time

    async def fetch(self, request: Request) -> Response:
        host, began = host_of(request.url), monotonic()
        try:
            async with self._clocks.within(host):
                return await self._web.fetch(request)
        except LeaseOverError:
            self._clocks.release(host, self._time.now(), seconds=monotonic() - began, healthy=True)
            raise

    async def close(self) -> None:
        await self._web.close()
