"""A crawl's messages and progress as JSON lines in a file, for programs that collect logs.

    {"time": "2026-11-18T10:00:00.000Z", "event": "progress", "pages": 120, ...}

Events: "start", "message" (all that the command prints, also alerts and commands of the operator),
"progress" every ten seconds, "stop" with the reason, "error" with cause and fix. Visits are in the
crawl's own log.
"""

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from toponaut.crawl.progress import Progress
from toponaut.crawl.view import RegularView
from toponaut.errors import InputError

_EVERY_S = 10.0


class JournalView(RegularView):
    """Appends to a file; every line is complete when it is written."""

    def __init__(self, path: Path, every: float = _EVERY_S) -> None:
        super().__init__(every)
        self._lock = threading.Lock()
        try:
            self._file = path.open("ab", buffering=0)
        except OSError as error:
            cause = f"cannot write {path} ({error.strerror})"
            raise InputError(cause, "Name another file: --log-json FILE") from error

    def write(self, event: str, **fields: object) -> None:
        """Add a line."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = msgspec.json.encode({"time": now, "event": event, **fields}) + b"\n"
        with self._lock:
            if not self._file.closed:
                self._file.write(line)

    def watch(self, ask: Callable[[], Progress]) -> None:
        self.write("start", **_figures(ask()))
        super().watch(ask)

    def __exit__(self, *raised: object) -> None:
        super().__exit__(*raised)
        if isinstance(error := raised[1], BaseException):
            cause, fix = getattr(error, "cause", str(error)), getattr(error, "fix", "")
            self.write("error", cause=cause, fix=fix)
        self._file.close()

    def end(self, why: str, progress: Progress) -> None:
        """The crawl has stopped."""
        self.write("stop", why=why, **_figures(progress))

    def look(self, progress: Progress) -> None:
        self.write("progress", **_figures(progress))


def _figures(progress: Progress) -> dict[str, object]:
    """The progress without its nodes, and without its own time: it may be simulated."""
    fields = msgspec.structs.asdict(progress)
    return {name: value for name, value in fields.items() if name not in ("time", "nodes")}
