"""The postman of an actor: letters to all others, from the one who has waited longest on.

To each receiver one letter at a time is under way, and what comes meanwhile makes the next one longer. All together leave at a pace, for a call
costs what some thousand links in it cost (`python -m bench.cluster`): with two receivers a link waits for a tenth of a second, with a
thousand for a minute or two, in letters that are worth it. So what exchange costs an actor does not grow with the cluster.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping

from toponaut.cluster.letters import Outbox
from toponaut.log import FencedError

LETTERS_A_SECOND = (
    10.0  # each costs 1 to 3 ms of CPU, both sides together: 3 % of a core (bench/cluster)
)
_AT_ONCE = 20  # after a rest
_AGAIN_S = 0.5  # after a call that failed
FENCED = -1  # the answer to a letter of a life that was followed by another

Post = Callable[[str, bytes], Awaitable[int]]


class Postman:
    """Brings what is in the outboxes to their receivers."""

    def __init__(self, boxes: Mapping[str, Outbox], stamp: Callable[[], float]) -> None:
        self._boxes, self._stamp = boxes, stamp
        self._waiting: dict[
            str, None
        ] = {}  # receivers, in the order in which there was something for them
        self._under_way: dict[str, asyncio.Task[None]] = {}
        self._woken = asyncio.Event()
        self._refused = ""
        self.soon(to for to, box in boxes.items() if not box.all_answered)

    @property
    def all_answered(self) -> bool:
        """Whether all others have everything that is for them."""
        return not self._waiting and not self._under_way

    def soon(self, receivers: Iterable[str]) -> None:
        """There is something for these."""
        self._waiting.update((to, None) for to in receivers if to not in self._under_way)
        self._woken.set()

    async def run(self, post: Post) -> None:
        """Raises FencedError when a later life of this actor has begun."""
        due = 0.0
        try:
            while True:
                await self._woken.wait()
                if self._refused:
                    raise FencedError(self._refused)
                if not self._waiting:
                    self._woken.clear()
                    continue
                to = next(iter(self._waiting))
                del self._waiting[to]
                self._under_way[to] = asyncio.ensure_future(self._bring(post, to))
                now = time.monotonic()
                due = max(due + 1 / LETTERS_A_SECOND, now - _AT_ONCE / LETTERS_A_SECOND)
                await asyncio.sleep(max(due - now, 0.0))
        finally:
            tasks = list(self._under_way.values())
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _bring(self, post: Post, to: str) -> None:
        box = self._boxes[to]
        try:
            if letter := box.letter(self._stamp()):
                applied = await post(to, letter)
                if applied == FENCED:
                    self._refused = f"this life was refused by {to}"
                else:
                    box.answered(applied)
        except Exception:  # whatever it was: the letter is written anew
            await asyncio.sleep(_AGAIN_S)
        del self._under_way[to]
        if not box.all_answered:
            self._waiting[to] = None
        self._woken.set()
