"""Sends each change to a URL: in order, with retries, at least once.

The ids of delivered changes are in the crawl's directory. A change whose id is not there is sent.
So a change may come twice if the sender is killed between the answer and the note; receivers
drop ids that they know.
"""

import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec
from xxhash import xxh3_64_hexdigest

from toponaut.crawl.directory import Directory
from toponaut.crawl.progress import Progress
from toponaut.crawl.view import RegularView
from toponaut.errors import InputError
from toponaut.store.disk import make_directory
from toponaut.watch.changes import Change
from toponaut.watch.feeds import ChangeReader

TRIES = 5
_FIRST_WAIT_S, _LONGEST_WAIT_S = 1.0, 300.0
_TIMEOUT_S = 30.0
_EVERY_S = 1.0
_LAST_TRIES = 3  # when a watch ends

Wait = Callable[[float], bool]  # waits for so many seconds; True: stop


class Delivery:
    """Delivers the changes of a crawl to a URL."""

    def __init__(self, root: Path, url: str, first_wait: float = _FIRST_WAIT_S) -> None:
        if not url.startswith(("http://", "https://")):
            raise InputError(
                f'--post is "{url}"', "Give a URL that starts with http:// or https://"
            )
        self._url, self._first_wait = url, first_wait
        folder = root / "feed"
        make_directory(folder)
        self._file = folder / f"posted-{xxh3_64_hexdigest(url.encode())}.txt"
        self._done = set(self._file.read_text().split()) if self._file.exists() else set()

    def send(self, changes: Iterable[Change], wait: Wait, tries: int = TRIES) -> int:
        """Send those that were not delivered yet; return their number. `tries`: 0 for ever."""
        sent = 0
        with self._file.open("a", encoding="ascii") as file:
            for change in changes:
                if change.id in self._done:
                    continue
                if not self._send_one(change, wait, tries):
                    return sent
                file.write(f"{change.id}\n")
                file.flush()
                self._done.add(change.id)
                sent += 1
        return sent

    def _send_one(self, change: Change, wait: Wait, tries: int) -> bool:
        """Send one until it is accepted; False if it is time to stop."""
        pause, tried = self._first_wait, 0
        while True:
            try:
                self._post(change)
                return True
            except (OSError, ValueError) as error:
                tried += 1
                if tried == tries:
                    cause = f"{self._url} does not accept changes ({error})"
                    raise InputError(cause, "Repeat the command: it continues there") from error
            if wait(pause):
                return False
            pause = min(2 * pause, _LONGEST_WAIT_S)

    def _post(self, change: Change) -> None:
        headers = {"Content-Type": "application/json", "Idempotency-Key": change.id}
        asked = urllib.request.Request(self._url, msgspec.json.encode(change), headers)
        with urllib.request.urlopen(asked, timeout=_TIMEOUT_S):
            return


def post_changes(root: Path, url: str, changes: Iterable[Change]) -> int:
    """Deliver changes now."""
    return Delivery(root, url).send(changes, _sleep)


def _sleep(seconds: float) -> bool:
    time.sleep(seconds)
    return False


class DeliveryView(RegularView):
    """Delivers the changes of a running watch; the last ones when it ends."""

    def __init__(self, root: Path, url: str, say: Callable[[str], None]) -> None:
        super().__init__(_EVERY_S)
        self._delivery, self._say = Delivery(root, url), say
        self._reader = ChangeReader(Directory(root).logs)
        self._found: list[Change] = []

    def look(self, progress: Progress) -> None:  # noqa: ARG002 (the log says more)
        self._found += self._reader.read()
        self._delivery.send(self._found, self.closed.wait, tries=0)
        if not self.closed.is_set():  # all were accepted
            self._found = []

    def finish(self) -> None:
        self._found += self._reader.read()
        try:
            self._delivery.send(self._found, _sleep, _LAST_TRIES)
        except InputError as error:
            self._say(f"{error.cause}. The next watch sends the rest")
