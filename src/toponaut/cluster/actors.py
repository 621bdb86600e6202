"""The actors of a crawl, as the driver sees them: found or started, called, replaced and ended.

Ray restarts an actor when its process or machine is lost, but not when it hangs or could not start
where it was placed. So an actor that does not answer for long is killed here, and another one
started under its name. That one takes a new epoch, which fences the old one if it comes back.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Any

import ray

from toponaut.cluster.machines import HeadWatch
from toponaut.cluster.ray_actors import KeeperActor, NodeActor
from toponaut.cluster.reports import DriverContact
from toponaut.cluster.setup import ClusterSetup, keeper_name
from toponaut.errors import InputError

_DRIVER_SILENT_S = 6.0  # a driver calls four times a second; after this it counts as dead
_START_S = 60.0  # starting takes 2 s, on a busy machine or without a free CPU much longer
_GONE_S = 30.0  # Ray forgets the name of an actor some time after its end


class BrokenActorError(Exception):
    """An actor cannot continue."""


class ActorGroup:
    """All actors of a crawl."""

    def __init__(self, setup: ClusterSetup, say: Callable[[str], None], head: HeadWatch) -> None:
        self._setup, self._say, self._head = setup, say, head
        self._heard = time.monotonic()  # when any of them answered
        self._handles: dict[str, Any] = {}
        self._answered: dict[str, float] = {}  # when, by name
        self._replaced: set[str] = set()
        self._expected: set[str] = set()  # started, and not answered yet
        self.nodes: list[str] = setup.layout.actors
        self.keepers = [keeper_name(number) for number in range(setup.keepers)]

    # --- starting --------------------------------------------------------------------------------

    async def refuse_if_driven(self) -> None:
        """Refuse to drive a crawl that another driver, on any machine, still calls."""
        heard = await self._last_driver()
        while heard and heard.ago < _DRIVER_SILENT_S and not heard.by.is_gone():
            await asyncio.sleep(0.5)
            again = await self._last_driver()
            if again and again.ago < heard.ago:
                fix = "Wait for it, stop it there with Ctrl-C, or name another directory"
                raise InputError(
                    f"{self._setup.root} is being crawled already ({again.by.name})", fix
                )
            heard = again

    async def _last_driver(self) -> DriverContact | None:
        for name in self.nodes:
            if (there := self._look_up(name)) is not None:
                with contextlib.suppress(ray.exceptions.RayError, TimeoutError):
                    heard: DriverContact | None = await answer(
                        there.last_driver.remote(), _DRIVER_SILENT_S
                    )
                    return heard
        return None

    async def gather(self) -> None:
        """Find the actors that were made from the same setup; end others with their names."""
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
        """End an actor with another setup, after it has copied its log to the shared storage."""
        if name in self.nodes:
            with contextlib.suppress(ray.exceptions.RayError, TimeoutError):
                await answer(there.end.remote(False), self._setup.silence)
        ray.kill(there, no_restart=True)
        until = time.monotonic() + _GONE_S
        while self._look_up(name) is not None and time.monotonic() < until:
            await asyncio.sleep(0.1)

    def _start(self, name: str) -> Any:
        """An actor reserves CPUs for itself and its parser processes. A replacement reserves none:
        it shares CPUs rather than wait for free ones.
        """
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

    # --- calling ---------------------------------------------------------------------------------

    async def ask(self, name: str, method: str, *arguments: object) -> Any:
        """Call an actor; None if it does not answer.

        A missing actor is started; one that is silent for long is replaced. Raises BrokenActorError
        if an actor cannot continue.
        """
        try:
            if name not in self._handles:
                # Raises ValueError as long as Ray knows another actor of this name.
                self._handles[name] = self._start(name)
                self._expect(name)
            result = await answer(
                getattr(self._handles[name], method).remote(*arguments), self._setup.silence / 3
            )
        except ray.exceptions.RayTaskError as error:
            raise BrokenActorError(str(error.cause)) from error
        except ray.exceptions.RayActorError as error:
            if error.actor_init_failed:
                raise BrokenActorError(" ".join(str(error).split())[-300:]) from error
            self._expect(name)  # Ray restarts it
        except (ray.exceptions.RayError, TimeoutError, ValueError):
            pass
        else:
            self._answered[name] = self._heard = time.monotonic()
            self._expected.discard(name)
            return result
        if self._is_silent(name):
            self._replace(name)
        return None

    def _expect(self, name: str) -> None:
        """A new copy starts: it gets more time than one that has answered before."""
        if name not in self._expected:
            self._answered[name] = time.monotonic()
            self._expected.add(name)

    def _is_silent(self, name: str) -> bool:
        patience = (
            max(self._setup.silence, _START_S) if name in self._expected else self._setup.silence
        )
        return time.monotonic() - self._answered[name] > patience

    def _replace(self, name: str) -> None:
        self._say(
            f"{name} has not answered for {time.monotonic() - self._answered[name]:.0f} s; "
            "it is replaced"
        )
        self._replaced.add(name)
        self._expected.discard(name)
        self._expect(name)
        if name in self._handles:
            ray.kill(self._handles.pop(name), no_restart=True)

    async def wait_until_lost(self) -> str:
        """Return why, when Ray's head is lost, or all machines: no actor answers, however often
        they are replaced.
        """
        head = asyncio.ensure_future(self._head.wait_until_lost())
        patience = 2 * (self._setup.silence + _START_S)
        try:
            while not head.done():
                await asyncio.wait({head}, timeout=1.0)
                if (silent := time.monotonic() - self._heard) > patience:
                    return f"no machine of the cluster has answered for {silent:.0f} s"
            return head.result()
        finally:
            head.cancel()

    # --- ending ----------------------------------------------------------------------------------

    async def end(self, at_once: asyncio.Event) -> list[str]:
        """End all nodes; return what went wrong. `at_once`: abandon the requests in flight."""
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
                    return f"{name} does not answer; its unsealed visits are repeated"
                if (
                    not ending.done()
                    and await answer(node.digest.remote(), self._setup.silence) is not None
                ):
                    self._answered[name] = time.monotonic()
            ending.result()
        except ray.exceptions.RayTaskError as error:
            return f"{name} could not finish: {error.cause}"
        except (ray.exceptions.RayError, TimeoutError):
            ending.cancel()
            return f"{name} was lost while it ended; its unsealed visits are repeated"
        return ""

    def dismiss_all(self) -> None:
        for handle in self._handles.values():
            ray.kill(handle, no_restart=True)


async def answer(ref: Any, seconds: float | None) -> Any:
    """The result of a call. References of Ray's client cannot be awaited, and log an error if
    their futures are cancelled: after a timeout they are left alone.
    """
    loop = asyncio.get_running_loop()
    here: asyncio.Future[Any] = loop.create_future()

    def take(there: Any) -> None:
        if here.done():
            return
        if error := there.exception():
            here.set_exception(error)
        else:
            here.set_result(there.result())

    def done(there: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(take, there)

    ref.future().add_done_callback(done)
    async with asyncio.timeout(seconds):
        return await here
