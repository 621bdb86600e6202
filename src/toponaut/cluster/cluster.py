"""A crawl on a Ray cluster: its actors, and the driver that watches over them. The only module that imports ray.

Actors are detached and have names, so that they outlive a driver that dies: the next one finds them, by the crawl's directory. Ray
begins an actor anew when its process or machine is lost, without its memory: it then takes a new epoch and rebuilds itself
from the logs (worker.py).
"""

import asyncio
import contextlib
import hashlib
import logging
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import ray
from msgspec import Struct
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from toponaut import __version__
from toponaut.cluster.budget import Budget
from toponaut.cluster.exchange import Parts
from toponaut.cluster.telling import progress_of
from toponaut.cluster.worker import Beat, Worker
from toponaut.crawl.directory import Directory
from toponaut.crawl.run import Ended
from toponaut.crawl.start import fetcher_of
from toponaut.crawl.status import Snapshot, write_snapshot
from toponaut.crawl.surroundings import Strategies
from toponaut.crawl.synthetic import open_web
from toponaut.errors import InputError
from toponaut.job import Job
from toponaut.log import FencedError, begin, fence
from toponaut.readers import readers_of
from toponaut.web.leases import LEASE_S, Answer, Asked, Keeper

_KNOCK_S = 10.0
_BEAT_S = 0.25
_SILENT_S = 30.0  # an actor that does not answer for so long is ended: Ray begins it anew elsewhere
_STARTING_S = 300.0  # unless it has not answered yet: it reads the logs


class Setup(Struct, frozen=True):
    """What every actor is made from."""

    root: str
    job: Job
    parts: Parts
    keepers: int
    workers: int = 0  # processes that read pages, for each actor
    synthetic: int | None = None
    replay: str | None = None

    @property
    def digest(self) -> str:
        return hashlib.sha256(msgspec.msgpack.encode(self)).hexdigest()[:16]

    @property
    def namespace(self) -> str:
        return "toponaut-" + hashlib.sha256(self.root.encode()).hexdigest()[:16]


class RayOthers:
    """The other actors, by their names. A handle that fails is looked up anew."""

    def __init__(self, setup: Setup) -> None:
        self.keepers = setup.keepers
        self._namespace = setup.namespace
        self._handles: dict[str, Any] = {}

    async def post(self, actor: str, letter: bytes) -> int:
        return int(await self._call(actor, "receive", letter))

    async def ask(self, keeper: int, asked: Asked) -> Answer:
        answer: Answer = await self._call(keeper_name(keeper), "ask", asked)
        return answer

    async def _call(self, name: str, method: str, argument: object) -> Any:
        try:
            if name not in self._handles:
                self._handles[name] = ray.get_actor(name, self._namespace)
            return await asyncio.wait_for(getattr(self._handles[name], method).remote(argument), _SILENT_S)
        except BaseException:
            self._handles.pop(name, None)
            raise


class NodeActor:
    """A worker as an actor. It begins when it is first called, also after Ray has begun it anew."""

    def __init__(self, actor: str, setup: Setup) -> None:
        self._actor, self._setup = actor, setup
        self._disk = Path(tempfile.mkdtemp(prefix="toponaut-"))
        self._beginning: asyncio.Task[Worker] | None = None

    async def _worker(self) -> Worker:
        if self._beginning is None:
            self._beginning = asyncio.ensure_future(self._begin())
        return await asyncio.shield(self._beginning)

    async def _begin(self) -> Worker:
        setup, job = self._setup, self._setup.job
        made = open_web(setup.synthetic) if setup.synthetic is not None else None
        web = fetcher_of(job, made or (Path(setup.replay) if setup.replay else None), None)
        readers = await readers_of(job, setup.workers)
        root = Path(setup.root)
        strategies = Strategies(job, Directory(root).given)
        worker = Worker(self._actor, setup.parts, root, self._disk, strategies, web, readers)
        worker.start(RayOthers(setup))
        return worker

    async def digest(self) -> str:
        return self._setup.digest

    async def receive(self, letter: bytes) -> int:
        return (await self._worker()).receive(letter)

    async def beat(self, allowed: int | None, reclaim: bool) -> Beat:
        beat = (await self._worker()).beat(allowed, reclaim)
        if beat.trouble.startswith(FencedError.__name__):
            os._exit(1)  # a later life goes on
        return beat

    async def end(self) -> None:
        await (await self._worker()).end()
        shutil.rmtree(self._disk, ignore_errors=True)


class KeeperActor:
    """A keeper of clocks as an actor."""

    def __init__(self, number: int, setup: Setup) -> None:
        self._logs = Directory(Path(setup.root)).log
        self._setup = setup
        self._epoch = begin(self._logs, keeper_name(number), time.time())
        self._keeper = Keeper(setup.job.politeness.delay, time.monotonic(), anew=self._epoch.before > 0)
        self._looked = time.monotonic()

    async def digest(self) -> str:
        return self._setup.digest

    async def ask(self, asked: Asked) -> Answer:
        now = time.monotonic()
        if now - self._looked > LEASE_S / 4:
            try:
                fence(self._logs, self._epoch)
            except FencedError:
                os._exit(1)
            self._looked = now
        return self._keeper.ask(asked, now)


def keeper_name(number: int) -> str:
    return f"keeper {number}"


# --- the driver ------------------------------------------------------------------------------------------------------


def connect(address: str) -> None:
    """Joins a cluster: "auto" for the one on this machine, or ray://host:port."""
    try:
        _knock(address)
        ray.init(address=address, logging_level=logging.ERROR, log_to_driver=False, configure_logging=False)
    except (ConnectionError, ValueError, RuntimeError, OSError) as error:
        cause = str(error).strip().splitlines()[0].rstrip(".") if str(error).strip() else type(error).__name__
        cure = "Start one with `ray start --head`, or give the address of one: --cluster ray://host:10001"
        raise InputError(f"no Ray cluster answers at {address} ({cause})", cure) from error


def _knock(address: str) -> None:
    """Whether somebody is there at all: Ray itself asks for minutes before it gives up."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host, int(port)), timeout=_KNOCK_S).close()


def check(root: Path) -> None:
    """That all machines have this version, and see the directory: before anything is crawled."""
    probe = root / f"probe-{os.getpid()}"
    probe.write_text(__version__, encoding="utf-8")
    try:
        for node, (version, seen, wrote) in _ask_machines(probe).items():
            if version != __version__:
                cause = f"machine {node} has Toponaut {version}, this one {__version__}"
                raise InputError(cause, "Install the same version on all machines of the cluster")
            if not seen or not (root / f"{probe.name}.{wrote}").exists():
                cause = f"machine {node} does not see what is in {root}"
                raise InputError(cause, "Name a directory on storage that all machines of the cluster share")
    finally:
        for path in root.glob(f"{probe.name}*"):
            path.unlink()


def _ask_machines(probe: Path) -> dict[str, tuple[str, bool, str]]:
    def look(path: str, number: str) -> tuple[str, bool, str]:
        from toponaut import __version__ as version

        try:
            seen = Path(path).read_text(encoding="utf-8")
            Path(f"{path}.{number}").write_text("", encoding="utf-8")
        except OSError:
            return version, False, number
        return version, bool(seen), number

    task = ray.remote(num_cpus=0)(look)
    asked = {}
    for node in ray.nodes():  # type: ignore[no-untyped-call]
        if node["Alive"]:
            place = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            asked[node["NodeManagerAddress"], node["NodeID"]] = task.options(scheduling_strategy=place).remote(
                str(probe), node["NodeID"]
            )
    return {f"{address} ({number[:8]})": ray.get(ref) for (address, number), ref in asked.items()}


class Driver:
    """Begins the actors or finds them, watches over them, and ends them."""

    def __init__(self, setup: Setup, say: Callable[[str], None]) -> None:
        self._setup, self._say = setup, say
        self._directory = Directory(Path(setup.root))
        self._actors: dict[str, Any] = {}
        self._keepers: list[Any] = []
        self._beats: dict[str, Beat] = {}
        self._answered: dict[str, float] = {}
        self._started = time.monotonic()
        self._why = ""

    async def run(self) -> Ended:
        setup = self._setup
        for number in range(setup.keepers):
            self._keepers.append(await self._find(keeper_name(number), KeeperActor, number))
        for actor in setup.parts.actors:
            self._actors[actor] = await self._find(actor, NodeActor, actor)
        try:
            why = await self._watch()
        except asyncio.CancelledError:
            why = "it was interrupted"
        await self._end()
        progress = progress_of(self._beats, setup.parts, time.monotonic() - self._started)
        write_snapshot(self._directory, Snapshot(progress, why))
        return Ended(why, why == "it was interrupted", progress)

    async def _find(self, name: str, kind: type, *arguments: object) -> Any:
        """The actor of that name, if there is one that was made from the same; else a new one."""
        namespace = self._setup.namespace
        with contextlib.suppress(Exception):
            there = ray.get_actor(name, namespace)
            if await asyncio.wait_for(there.digest.remote(), _SILENT_S) == self._setup.digest:
                return there
            ray.kill(there, no_restart=True)
            await asyncio.sleep(1.0)
        made: Any = ray.remote(kind)
        options = made.options(
            name=name,
            namespace=namespace,
            lifetime="detached",
            num_cpus=0,
            max_restarts=-1,
            max_concurrency=1000,
            scheduling_strategy="SPREAD",
        )
        return options.remote(*arguments, self._setup)

    async def _watch(self) -> str:
        """Until all is done, twice in a row with nothing done in between."""
        await self._beat_all({})
        while len(self._beats) < len(self._actors):
            await asyncio.sleep(_BEAT_S)
            await self._beat_all({})
        limits = self._setup.job.limits
        budget = Budget(limits.pages, {actor: beat.totals.pages for actor, beat in self._beats.items()})
        before: dict[str, tuple[int, int]] = {}
        while True:
            grants = {
                actor: budget.grant(actor, beat.allowed, beat.totals.pages, beat.idle)
                for actor, beat in self._beats.items()
            }
            await self._beat_all(grants)
            beats = self._beats
            write_snapshot(self._directory, Snapshot(self._progress()))
            now = {actor: (beat.epoch, beat.activity) for actor, beat in beats.items()}
            if trouble := next((beat.trouble for beat in beats.values() if beat.trouble), ""):
                return f"of an error: {trouble}"
            if why := self._limit_reached(budget):
                return why
            if now == before and all(beat.idle for beat in beats.values()):
                return "nothing is left to fetch"
            before = now
            await asyncio.sleep(_BEAT_S)

    def _limit_reached(self, budget: Budget) -> str:
        limits, beats = self._setup.job.limits, self._beats.values()
        if budget.spent({beat.actor: beat.totals.pages for beat in beats}):
            return f"the page limit is reached (limits.pages = {limits.pages})"
        if limits.total_bytes and sum(beat.totals.size for beat in beats) >= limits.total_bytes:
            return f"the byte limit is reached (limits.total_bytes = {limits.total_bytes})"
        if limits.seconds and time.monotonic() - self._started >= limits.seconds:
            return f"the time limit is reached (limits.seconds = {limits.seconds})"
        return ""

    async def _beat_all(self, grants: dict[str, int]) -> None:
        await asyncio.gather(*(self._beat(actor, grants.get(actor)) for actor in self._actors))

    async def _beat(self, actor: str, allowed: int | None) -> None:
        """Asks an actor how it is. One that is silent for long is ended, and Ray begins it anew."""
        self._answered.setdefault(actor, time.monotonic())
        idle = actor in self._beats and self._beats[actor].idle
        try:
            told = await asyncio.wait_for(self._actors[actor].beat.remote(allowed, idle), 5.0)
        except (ray.exceptions.RayError, TimeoutError):
            patience = _SILENT_S if actor in self._beats else _STARTING_S
            if time.monotonic() - self._answered[actor] > patience:
                self._say(f"{actor} does not answer; it is begun anew")
                ray.kill(self._actors[actor], no_restart=False)
                self._answered[actor] = time.monotonic()
            return
        self._beats[actor] = told
        self._answered[actor] = time.monotonic()

    def _progress(self) -> Any:
        return progress_of(self._beats, self._setup.parts, time.monotonic() - self._started)

    async def _end(self) -> None:
        await asyncio.gather(*(actor.end.remote() for actor in self._actors.values()), return_exceptions=True)
        await self._beat_nothing()
        for handle in [*self._actors.values(), *self._keepers]:
            ray.kill(handle, no_restart=True)

    async def _beat_nothing(self) -> None:
        """The last totals: what was under way has come to its end."""
        with contextlib.suppress(Exception):
            await self._beat_all({})


def crawl_on(address: str, setup: Setup, text: str, say: Callable[[str], None]) -> Ended:
    """Runs a crawl on a cluster to its end."""
    connect(address)
    try:
        directory = Directory(Path(setup.root))
        strategies = Strategies(setup.job, directory.given)
        with directory.open(text, setup.job):
            check(directory.root)
            strategies.keep_files()
            return asyncio.run(Driver(setup, say).run())
    finally:
        ray.shutdown()


def setup_of(root: Path, job: Job, *, synthetic: int | None, replay: Path | None, workers: int) -> Setup:
    """What the actors of a job are made from."""
    if job.politeness.per_ip:
        raise InputError("politeness.per_ip is not kept on a cluster", "Leave it out, or crawl in one process")
    if job.collaboration.exclusive:
        raise InputError("collaboration.exclusive is not kept on a cluster", "Leave it out, or crawl in one process")
    parts = Parts(tuple(Strategies(job, Directory(root).given).nodes), job.nodes.shards)
    keepers = max(1, min(len(parts.actors) // 8, 16))  # one for eight actors: each asks it fifty times a second at most
    return Setup(
        str(root.resolve()), job, parts, keepers, workers, synthetic, str(replay.resolve()) if replay else None
    )
