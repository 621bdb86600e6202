"""Alerts about a running crawl: it stalls, its disk fills up, most requests fail.

Each is sent when it begins and when it is over: as JSON to a URL (POST), or on the standard input
of a shell command, whose environment has TOPONAUT_ALERT=stall, and so on.
"""

import os
import shutil
import subprocess
import time
import urllib.request
from collections import deque
from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec import Struct

from toponaut.crawl.progress import Progress
from toponaut.crawl.view import RegularView

STALL_S = 300.0  # without a request that ended, although links wait
LOW_BYTES = 1_000_000_000  # free on the crawl's disk
FAILING = 0.5  # share of failed requests among the last ones
_REQUESTS = 200  # at least, before their share counts
_EVERY_S = 5.0
_SEND_S = 30.0


class Alert(Struct, frozen=True):
    """One message."""

    alert: str  # "stall", "disk" or "errors"
    over: bool
    crawl: str
    text: str
    time: float


class AlertRules:
    """Decides what is wrong, from the progress of a crawl."""

    def __init__(self, free: Callable[[], int | None]) -> None:
        self._free = free
        self._requests, self._since = -1, 0.0  # the last change of the number of requests
        self._window: deque[tuple[int, int]] = deque(maxlen=1000)  # requests, faults

    def wrong(self, progress: Progress, now: float) -> dict[str, str]:
        """What is wrong now, by name, in words."""
        requests = sum(progress.outcomes.values())
        if requests != self._requests or progress.paused or not progress.queued:
            self._requests, self._since = requests, now
        found = {}
        if now - self._since >= STALL_S:
            found["stall"] = (
                f"no request has ended for {now - self._since:.0f} s; "
                f"{progress.queued:,} links wait"
            )
        free = self._free()
        if free is not None and free < LOW_BYTES:
            found["disk"] = f"only {free / 1e6:,.0f} MB are free on the crawl's disk"
        if failing := self._failing(requests, progress.faults):
            found["errors"] = failing
        return found

    def _failing(self, requests: int, faults: int) -> str:
        window = self._window
        window.append((requests, faults))
        while len(window) > 1 and requests - window[1][0] >= _REQUESTS:
            window.popleft()
        made, failed = requests - window[0][0], faults - window[0][1]
        if made < _REQUESTS or failed < FAILING * made:
            return ""
        return f"{failed:,} of the last {made:,} requests failed"


class AlertView(RegularView):
    """Watches a crawl, and sends alerts to a command or URL."""

    def __init__(
        self, target: str, crawl: str, say: Callable[[str], None], every: float = _EVERY_S
    ) -> None:
        super().__init__(every)
        self._target, self._crawl, self._say = target, crawl, say
        folder = Path(crawl)
        self._rules = AlertRules(lambda: _free(folder) if "://" not in crawl else None)
        self._active: dict[str, str] = {}

    def look(self, progress: Progress) -> None:
        wrong = self._rules.wrong(progress, time.monotonic())
        for name in wrong.keys() - self._active.keys():
            self._send(Alert(name, False, self._crawl, wrong[name], time.time()))
        for name in self._active.keys() - wrong.keys():
            self._send(Alert(name, True, self._crawl, self._active[name], time.time()))
        self._active = wrong

    def _send(self, alert: Alert) -> None:
        self._say(f"alert{' is over' if alert.over else ''}: {alert.text}")
        try:
            send_alert(self._target, alert)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            self._say(f"the alert could not be sent to {self._target}: {error}")


def send_alert(target: str, alert: Alert) -> None:
    """Send an alert. Raises OSError, ValueError or SubprocessError if that fails."""
    content = msgspec.json.encode(alert)
    if target.startswith(("http://", "https://")):
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(target, content, headers)
        with urllib.request.urlopen(request, timeout=_SEND_S):
            return
    environment = {**os.environ, "TOPONAUT_ALERT": alert.alert}
    subprocess.run(
        target,
        shell=True,
        input=content,
        env=environment,
        timeout=_SEND_S,
        check=True,
        stdout=subprocess.DEVNULL,
    )


def _free(folder: Path) -> int | None:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None
