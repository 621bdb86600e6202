"""Ctrl-C twice, for a crawl on one machine and on a cluster."""

import signal
import subprocess
import time
from collections.abc import Callable, Iterable

from msgspec.structs import replace
from tests.support.crawling import FAST
from tests.support.web_answers import Answer, Slow
from tests.support.webserver import Sites

PATIENT = replace(
    FAST, read_timeout=1000.0, total_timeout=1000.0
)  # longer than the slow page takes
SEED, SLOW = "http://a.test/", "http://a.test/slow"
PAGES = {SEED, SLOW, "http://a.test/fine", "http://b.test/"}


def slow_web() -> tuple[Sites, Callable[[], None]]:
    """A web with a page that takes a quarter of an hour; and what makes it a fast one."""
    site: dict[str, bytes | str | Answer] = {
        "/robots.txt": "",
        "/": '<a href="/slow">slow</a> <a href="/fine">fine</a> <a href="http://b.test/">b</a>',
        "/slow": Slow(delay=900),
        "/fine": "<p>fine",
    }

    def hasten() -> None:
        site["/slow"] = "<p>fast by now"

    return {"a.test": site, "b.test": {"/": "<p>b"}}, hasten


def interrupt_twice(crawl: "subprocess.Popen[str]", asked: Callable[[], Iterable[str]]) -> None:
    """While the slow page is waited for: it ends at once."""
    while SLOW not in asked():
        assert crawl.poll() is None, crawl.communicate()
        time.sleep(0.05)
    crawl.send_signal(signal.SIGINT)
    assert crawl.stderr is not None
    assert "again to stop now" in crawl.stderr.readline()
    assert crawl.poll() is None
    crawl.send_signal(signal.SIGINT)
    out, err = crawl.communicate(timeout=300)
    assert (crawl.returncode, err) == (130, "")
    assert "stopped because it was interrupted twice; the requests in flight are repeated" in out
