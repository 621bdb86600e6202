"""The actors of a crawl, as its driver has them: found by their names or begun, asked, begun anew when they are silent, and ended.

Ray begins an actor anew when its process or machine is lost. Not when it hangs, and not when it could not begin where it was
put: so who is silent for long is ended here, and another one begun in its name. That takes a new epoch, and fences the old
one, should it come back.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Any

import ray

from toponaut.cluster.actors import KeeperActor, NodeActor
from toponaut.cluster.beats import Watched
from toponaut.cluster.setup import Setup, keeper_name
from toponaut.errors import InputError

_LIVES_S = (
    6.0  # a driver that has said nothing for so long does not live: it speaks four times a second
)
_BEGIN_S = 60.0  # a process with all that it imports takes 2 s to begin; on a busy machine, or for want of a free CPU, much longer
_GONE_S = 30.0  # Ray forgets an actor's name some moments after its end


class BrokenActorError(Exception):
    """An actor cannot go on."""


class Crew:
    """All actors of a crawl."""

    def __init__(self, setup: Setup, say: Callable[[str], None]) -> None:
        self._setup, self._say = setup, say
        self._handles: dict[str, Any] = {}
        self._answered: dict[str, float] = {}  # when, by name
        self._replaced: set[str] = set()
        self._expected: set[str] = set()  # that have not answered since they were begun
        self.nodes: list[str] = setup.parts.actors
        self.keepers = [keeper_name(number) for number in range(setup.keepers)]

    # --- beginning ---------------------------------------------------------------------------------------------------

    async def refuse_if_driven(self) -> None:
        """Two commands do not drive one crawl. Whether another one lives, on whichever machine, its actors know."""
        heard = await self._watched()
        while heard and heard.ago < _LIVES_S and not heard.by.is_gone():
            await asyncio.sleep(0.5)
            again = await self._watched()
            if again and again.ago < heard.ago:
                cure = "Wait for it, stop it there with Ctrl-C, or name another directory"
                raise InputError(
                    f"{self._setup.root} is being crawled already ({again.by.who})", cure
                )
            heard = again

    async def _watched(self) -> Watched | None:
        for name in self.nodes:
            if (there := self._look_up(name)) is not None:
                with contextlib.suppress(ray.exceptions.RayError, TimeoutError):
                    heard: Watched | None = await answer(there.watched.remote(), _LIVES_S)
                    return heard
        return None

    async def gather(self) -> None:
        """Finds those that were made from the same, and begins the others."""
        await asyncio.gather(*(self._find(name) for name in (*self.keepers, *self.nodes)))

    async def _find(self, name: str) -> None:
        there = self._look_up(name)
        if there is not None and await self._is_fit(there):
            self._handles[name] = there
        elif there is not None:
            await self._dismiss(name, there)
        self._answered[name] = time.monotonic()

    def _look_up(self, name: str) -> Any:
        with contextlib.suppress(ValueError):
            return ray.get_actor(name, self._setup.namespace)
        return None

    async def _is_fit(self, there: Any) -> bool:
        with contextlib.suppress(ray.exceptions.RayError, TimeoutError):
            return bool(
                await answer(there.digest.remote(), self._setup.silence) == self._setup.digest
            )
        return False

    async def _dismiss(self, name: str, there: Any) -> None:
        """Ends an actor of another job, or one that has ended; what a node has written goes to the shared storage first."""
        if name in self.nodes:
            with contextlib.suppress(ray.exceptions.RayError, TimeoutError):
                await answer(there.end.remote(False), self._setup.silence)
        ray.kill(there, no_restart=True)
        until = time.monotonic() + _GONE_S
        while self._look_up(name) is not None and time.monotonic() < until:
            await asyncio.sleep(0.1)

    def _begin(self, name: str) -> Any:
        """An actor asks for the CPUs that it and its reading processes use. One that did not come to answer, be it for want of a
        free one, asks for none: rather share than wait."""
        node = name in self.nodes
        kind: Any = ray.remote(NodeActor if node else KeeperActor)
        options = kind.options(
            name=name,
            namespace=self._setup.namespace,
            lifetime="detached",
            num_cpus=1 + (self._setup.workers or 0) if node and name not in self._replaced else 0,
            max_restarts=-1,
            max_concurrency=1000,
            scheduling_strategy="SPREAD",
        )
        return options.remote(name if node else self.keepers.index(name), self._setup)

    # --- asking ------------------------------------------------------------------------------------------------------

    async def ask(self, name: str, method: str, *arguments: object) -> Any:
        """What an actor answers; None if it does not. Where there is none it is begun; one that is silent for long is replaced.
        BrokenActorError says why one cannot go on."""
        try:
            if name not in self._handles:
                self._handles[name] = self._begin(
                    name
                )  # a ValueError as long as Ray knows another of this name
                self._expect(name)
            told = await answer(
                getattr(self._handles[name], method).remote(*arguments), self._setup.silence / 3
            )
        except ray.exceptions.RayTaskError as error:
            raise BrokenActorError(str(error.cause)) from error
        except ray.exceptions.RayActorError as error:
            if error.actor_init_failed:
                raise BrokenActorError(" ".join(str(error).split())[-300:]) from error
            self._expect(name)  # Ray begins it anew
        except (ray.exceptions.RayError, TimeoutError, ValueError):
            pass
        else:
            self._answered[name] = time.monotonic()
            self._expected.discard(name)
            return told
        if self._is_silent(name):
            self._replace(name)
        return None

    def _expect(self, name: str) -> None:
        """A new copy is about to begin: it is given more time than one that has answered before."""
        if name not in self._expected:
            self._answered[name] = time.monotonic()
            self._expected.add(name)

    def _is_silent(self, name: str) -> bool:
        patience = (
            max(self._setup.silence, _BEGIN_S) if name in self._expected else self._setup.silence
        )
        return time.monotonic() - self._answered[name] > patience

    def _replace(self, name: str) -> None:
        self._say(
            f"{name} has not answered for {time.monotonic() - self._answered[name]:.0f} s; it is begun anew"
        )
        self._replaced.add(name)
        self._expected.discard(name)
        self._expect(name)
        if name in self._handles:
            ray.kill(self._handles.pop(name), no_restart=True)

    # --- ending ------------------------------------------------------------------------------------------------------

    async def end(self, at_once: asyncio.Event) -> list[str]:
        """Ends all nodes; gives what went wrong. Once it has to be at once, nothing that is under way is waited for."""
        wrong = await asyncio.gather(
            *(self._end(name, at_once) for name in self.nodes if name in self._handles)
        )
        return [one for one in wrong if one]

    async def _end(self, name: str, at_once: asyncio.Event) -> str:
        node = self._handles[name]
        ending = asyncio.ensure_future(answer(node.end.remote(False), None))
        hurried = False
        try:
            while not ending.done():
                await asyncio.wait({ending}, timeout=0.2)
                if at_once.is_set() and not hurried:
                    node.end.remote(True)
                    hurried = True
                if self._is_silent(name):
                    ending.cancel()
                    return f"{name} does not answer; what it had not sealed is fetched again"
                if (
                    not ending.done()
                    and await answer(node.digest.remote(), self._setup.silence) is not None
                ):
                    self._answered[name] = time.monotonic()
            ending.result()
        except ray.exceptions.RayTaskError as error:
            return f"{name} could not bring everything to its end: {error.cause}"
        except (ray.exceptions.RayError, TimeoutError):
            ending.cancel()
            return f"{name} was lost while it ended; what it had not sealed is fetched again"
        return ""

    def dismiss_all(self) -> None:
        for handle in self._handles.values():
            ray.kill(handle, no_restart=True)


async def answer(ref: Any, seconds: float | None) -> Any:
    """What a call comes to. References of Ray's client cannot be awaited, and complain if their futures are cancelled: so who
    has waited long enough leaves them alone."""
    loop = asyncio.get_running_loop()
    here: asyncio.Future[Any] = loop.create_future()

    def take(there: Any) -> None:
        if here.done():
            return
        if error := there.exception():
            here.set_exception(error)
        else:
            here.set_result(there.result())

    def told(there: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody wants to know any more
            loop.call_soon_threadsafe(take, there)

    ref.future().add_done_callback(told)
    async with asyncio.timeout(seconds):
        return await here
