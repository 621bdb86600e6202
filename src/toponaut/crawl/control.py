"""Commands of an operator to a running crawl: pause, resume, budget, exclude, seed.

`toponaut control` puts a command into the folder control/ of the crawl and waits for the answer
next to it. The crawl looks there four times a second. An accepted command is a visit in the log,
without a URL, before it has any effect; so a resumed crawl obeys it, too (fold.py):

    pause, resume     the crawl stays paused, also after a restart, until it is resumed
    budget 5000       instead of limits.pages, until the job gives another number than it did then
    exclude a.org     this host and its subdomains; anything else is a pattern, as in limits.exclude
    seed http://...   enters the frontier as a seed of the job does
"""

import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from toponaut.errors import InputError
from toponaut.job.link_limits import host_named, is_within
from toponaut.store.disk import make_directory, write_whole
from toponaut.urls import host_of, normalise

ACTIONS = ("pause", "resume", "budget", "exclude", "seed")
BY_OPERATOR = "by the operator"  # the detail of a visit with seeds
_ANSWER_S, _LOOK_S = 60.0, 0.05
_HOST = re.compile(r"(?:[a-z0-9-]+\.)+[a-z0-9-]+", re.IGNORECASE)
_BUDGET = re.compile(r"budget (\d+) instead of (\d+)")


class ControlCommand(Struct, frozen=True):
    """A command, as given."""

    action: str
    values: tuple[str, ...] = ()

    def check(self) -> None:
        """Refuse a command that no crawl can obey."""
        if self.action not in ACTIONS:
            raise InputError(f'"{self.action}" is no command', f"Give one of {', '.join(ACTIONS)}")
        if self.action in ("pause", "resume") and self.values:
            raise InputError(f"{self.action} takes no value", f"Write {self.action} alone")
        if self.action == "budget" and not (len(self.values) == 1 and self.values[0].isdecimal()):
            raise InputError("budget needs a number of pages", "Write: budget 5000; 0 for no limit")
        if self.action in ("exclude", "seed") and not self.values:
            raise InputError(f"{self.action} needs a value", "See toponaut control --help")
        for value in self.values:
            if self.action == "seed" and not normalise(value):
                raise InputError(f'"{value}" is not a web address', "Write it with http:// first")
            if self.action == "exclude":
                exclusion(value)


class ControlAnswer(Struct, frozen=True):
    """What the crawl did; or, if it refused, why."""

    done: str = ""
    cause: str = ""
    fix: str = ""


def exclusion(text: str) -> Callable[[str], bool]:
    """Whether a URL is excluded: by its host, or by a pattern."""
    if _HOST.fullmatch(text):
        hosts = frozenset({host_named(text)})
        return lambda url: is_within(host_of(url), hosts)
    try:
        found = re.compile(text).search
    except re.error as error:
        fix = "Give a host, or a regular expression as in limits.exclude"
        raise InputError(f'"{text}" is not a pattern ({error})', fix) from None
    return lambda url: found(url) is not None


class ControlState(Struct):
    """What the commands in a log have led to."""

    paused: bool = False
    budget: tuple[int, int] | None = None  # pages, and what the job said then

    def add(self, detail: str) -> str:
        """Take a command from the log; return the exclusion in it, if it is one."""
        action, _, value = detail.partition(" ")
        if action in ("pause", "resume"):
            self.paused = action == "pause"
        elif found := _BUDGET.fullmatch(detail):
            self.budget = int(found[1]), int(found[2])
        return value if action == "exclude" else ""

    def pages(self, limit: int) -> int:
        """The page limit, if the job says `limit`."""
        return self.budget[0] if self.budget and self.budget[1] == limit else limit


# --- the folder ----------------------------------------------------------------------------------


class ControlFolder:
    """Where commands and answers are. Files are written whole."""

    def __init__(self, root: Path) -> None:
        self._folder = root / "control"

    def send(self, command: ControlCommand, alive: Callable[[], bool]) -> str:
        """Give a command to the crawl; return what it did. InputError if it refuses."""
        make_directory(self._folder)
        path = self._folder / f"{time.time_ns()}-{os.getpid()}.command.json"
        answer = path.with_name(path.name.replace(".command", ".answer"))
        write_whole(path, msgspec.json.encode(command))
        until = time.monotonic() + _ANSWER_S
        try:
            while not answer.exists() and time.monotonic() < until and alive():
                time.sleep(_LOOK_S)
            if not answer.exists():
                raise InputError("the crawl does not answer", "See whether it runs and try again")
            found = msgspec.json.decode(answer.read_bytes(), type=ControlAnswer)
        finally:
            for one in (path, answer):
                one.unlink(missing_ok=True)
        if found.cause:
            raise InputError(found.cause, found.fix)
        return found.done

    def take(self, obey: Callable[[ControlCommand], str]) -> None:
        """Obey the commands that have come, in their order, and answer them."""
        for path, command in self._commands():
            try:
                command.check()
                answer = ControlAnswer(done=obey(command))
            except InputError as error:
                answer = ControlAnswer(cause=error.cause, fix=error.fix)
            answered = path.with_name(path.name.replace(".command", ".answer"))
            write_whole(answered, msgspec.json.encode(answer))
            path.unlink(missing_ok=True)

    def _commands(self) -> Iterator[tuple[Path, ControlCommand]]:
        with suppress(FileNotFoundError):
            for path in sorted(self._folder.iterdir()):
                if time.time() - path.stat().st_mtime > _ANSWER_S:
                    path.unlink()  # nobody waits for it any more
                elif path.name.endswith(".command.json"):
                    with suppress(OSError, msgspec.MsgspecError):
                        command = msgspec.json.decode(path.read_bytes(), type=ControlCommand)
                        yield path, command


def send_command(root: Path, action: str, values: Sequence[str]) -> str:
    """Give a command to the crawl that runs in a directory; return what it did."""
    from toponaut.crawl.directory import Directory
    from toponaut.crawl.status import is_running, on_cluster

    command = ControlCommand(action, tuple(values))
    command.check()
    directory = Directory(root)
    directory.read_job()
    if directory.mirror or on_cluster(directory):
        cause = f"{directory.where} is crawled on a cluster, which takes no commands"
        raise InputError(cause, "Stop it with Ctrl-C, change the job, and resume it")
    if not is_running(directory):
        cause = f"no crawl is running in {root}"
        raise InputError(cause, "Change limits and seeds in the job, and start it")
    return ControlFolder(root).send(command, lambda: is_running(directory))
