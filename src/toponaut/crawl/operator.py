"""Obeys the commands of an operator (control.py) in a running crawl."""

from collections.abc import Callable

from toponaut.crawl.control import (
    BY_OPERATOR,
    ControlCommand,
    ControlFolder,
    ControlState,
    exclusion,
)
from toponaut.crawl.drive import Drive
from toponaut.crawl.limits import JobLimits
from toponaut.errors import InputError
from toponaut.node import Node
from toponaut.records import Outcome
from toponaut.urls import normalise

Say = Callable[[str], None]


class CrawlOperator:
    """Logs each command, then acts on it, between two visits."""

    def __init__(
        self,
        node: Node,
        drive: Drive,
        limits: JobLimits,
        state: ControlState,
        commit: Callable[[], None],
        say: Say,
    ) -> None:
        self._node, self._drive, self._limits, self._state = node, drive, limits, state
        self._commit, self._say = commit, say
        limits.set_pages(state.pages(limits.job_pages))
        drive.paused = state.paused
        if state.paused:
            say("the crawl is paused; continue with `toponaut control DIR resume`")

    def poll(self, folder: ControlFolder) -> None:
        folder.take(self.obey)

    def obey(self, command: ControlCommand) -> str:
        """Carry out a command; return what was done."""
        done = self._carry_out(command)
        self._commit()  # an answered command is not lost
        self._say(done)
        self._drive.wake()
        return done

    def _carry_out(self, command: ControlCommand) -> str:
        match command.action:
            case "pause":
                return self._pause()
            case "resume":
                return self._resume()
            case "budget":
                return self._budget(int(command.values[0]))
            case "exclude":
                return self._exclude(*command.values)
            case _:
                return self._seed(*command.values)

    def _log(self, detail: str) -> None:
        self._node.note(Outcome.CONTROL, detail)
        self._state.add(detail)

    def _pause(self) -> str:
        if self._drive.paused:
            raise InputError("the crawl is paused already", "Continue it with resume")
        self._log("pause")
        self._drive.paused = True
        return "paused: no new requests"

    def _resume(self) -> str:
        if not self._drive.paused:
            raise InputError("the crawl is not paused", "Nothing is to be done")
        self._log("resume")
        self._drive.paused = False
        return "resumed"

    def _budget(self, pages: int) -> str:
        self._log(f"budget {pages} instead of {self._limits.job_pages}")
        self._limits.set_pages(pages)
        return f"the budget is {pages:,} pages" if pages else "there is no page limit"

    def _exclude(self, *texts: str) -> str:
        dropped = 0
        for text in texts:
            self._log(f"exclude {text}")
            excluded = exclusion(text)
            self._node.parts.gate.exclude(excluded)
            dropped += self._node.parts.exchange.drop_if(excluded)
        return f"excluded {', '.join(texts)}: {dropped:,} waiting links dropped"

    def _seed(self, *urls: str) -> str:
        self._node.parts.gate.admit([normal for url in urls if (normal := normalise(url))])
        self._node.seed(urls, detail=BY_OPERATOR)
        return f"added {len(urls)} seed{'s'[: len(urls) > 1]}"
