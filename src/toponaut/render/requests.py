"""The requests that a page's scripts make, answered by the crawl instead of the network.

The browser has no network of its own. Each of its requests passes through the crawl's fetcher: by
robots.txt, by the clock of its host, and never into a private network. Scripts and data are
fetched; pictures, styles, fonts and frames are not (a frame is a link, which the crawl follows),
nor anything that would send data. Answers are kept for the next pages, in bounded memory.
"""

import asyncio
from collections import OrderedDict
from typing import NamedTuple

from toponaut.records import Outcome, QueuedLink, Response
from toponaut.timing import Time
from toponaut.urls import host_of, normalise
from toponaut.web.politeness.polite_fetcher import ARRIVED, PoliteFetcher, TurnResult

_KINDS = frozenset({"script", "xhr", "fetch"})
_MOST_REQUESTS = 60  # of one page
_MOST_BYTES = 20_000_000  # of the answers to one page
_MOST_REDIRECTS = 5
_CACHE_BYTES = 32_000_000


class PageRequest(NamedTuple):
    """A request of a page, and the result of its turn."""

    url: str
    turn: TurnResult


class AnswerCache:
    """The last answers to requests of pages: sites use the same scripts everywhere."""

    def __init__(self, room: int = _CACHE_BYTES) -> None:
        self._answers: OrderedDict[str, Response] = OrderedDict()
        self._room = room

    def get(self, url: str) -> Response | None:
        if found := self._answers.get(url):
            self._answers.move_to_end(url)
        return found

    def keep(self, url: str, answer: Response) -> None:
        if answer.outcome in ARRIVED and url not in self._answers:
            self._answers[url] = answer
            self._room -= len(answer.body)
        while self._room < 0:
            _, oldest = self._answers.popitem(last=False)
            self._room += len(oldest.body)


class PageRequests:
    """Answers the requests of one page. `made` lists those that went out, for the log."""

    def __init__(self, node: str, web: PoliteFetcher, time: Time, cache: AnswerCache) -> None:
        self.made: list[PageRequest] = []
        self._node, self._web, self._time, self._cache = node, web, time, cache
        self._asked = self._received = 0
        self._under_way: dict[str, asyncio.Task[Response | None]] = {}
        self._over = False

    async def answer(self, url: str, kind: str, method: str) -> Response | None:
        """The answer to a request of the browser; None if it is refused or failed."""
        for _ in range(_MOST_REDIRECTS):
            normal = normalise(url)
            if normal is None or kind not in _KINDS or method != "GET":
                return None
            found = self._cache.get(normal) or await self._ask_once(normal)
            if found is None or found.outcome is not Outcome.REDIRECT:
                return found if found and found.status else None
            url = found.location
        return None

    async def finish(self) -> None:
        """Start no more requests, and wait for those under way: a host must be released."""
        self._over = True
        await asyncio.gather(*self._under_way.values())

    async def _ask_once(self, url: str) -> Response | None:
        """Ask, and let the same request share the answer. A page that gives up stops no request."""
        task = self._under_way.get(url)
        if task is None:
            task = self._under_way[url] = asyncio.create_task(self._ask(url))
            task.add_done_callback(lambda _: self._under_way.pop(url, None))
        return await asyncio.shield(task)

    async def _ask(self, url: str) -> Response | None:
        self._asked += 1
        queued, host = QueuedLink(url, 0.0, requisite=True), host_of(url)
        while self._asked <= _MOST_REQUESTS and self._received < _MOST_BYTES and not self._over:
            now = self._time.now()
            if (ready_at := self._web.claim(host, now)) > now:
                await self._time.sleep_until(ready_at)
                await asyncio.sleep(0)  # simulated time does not wait for others
                continue
            turn = await self._web.take_turn(self._node, queued)
            self.made.append(PageRequest(url, turn))
            if turn.fetched is not None:
                self._received += len(turn.fetched.body)
                self._cache.keep(url, turn.fetched)
                return turn.fetched
            if turn.dead:
                break
        return None
