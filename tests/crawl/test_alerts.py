"""Alerts and the JSON log of a crawl."""

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from tests.support.crawling import job, run_here
from tests.support.little_web import export, little_web

from toponaut.crawl.alerts import LOW_BYTES, STALL_S, Alert, AlertRules, AlertView, send_alert
from toponaut.crawl.progress import Progress, progress_of
from toponaut.job import render


def progress(requests: int, faults: int = 0, queued: int = 10, *, paused: bool = False) -> Progress:
    from msgspec.structs import replace

    made = progress_of([], 0.0, 0.0)
    outcomes = {"fetched": requests - faults, "timeout": faults}
    return replace(made, outcomes=outcomes, faults=faults, queued=queued, paused=paused)


def test_a_stall_is_no_request_while_links_wait() -> None:
    rules = AlertRules(lambda: None)
    assert rules.wrong(progress(5), 0.0) == {}
    assert rules.wrong(progress(5), STALL_S - 1) == {}
    assert "10 links wait" in rules.wrong(progress(5), STALL_S)["stall"]
    assert rules.wrong(progress(6), STALL_S + 1) == {}
    assert rules.wrong(progress(6, paused=True), 9 * STALL_S) == {}
    assert rules.wrong(progress(6), 9 * STALL_S + 1) == {}
    assert rules.wrong(progress(6, queued=0), 30 * STALL_S) == {}


def test_the_disk_is_low() -> None:
    free = [LOW_BYTES, LOW_BYTES - 1]
    rules = AlertRules(lambda: free.pop(0))
    assert [list(rules.wrong(progress(k), 0.0)) for k in (1, 2)] == [[], ["disk"]]


def test_most_of_the_last_requests_fail() -> None:
    rules = AlertRules(lambda: None)
    assert rules.wrong(progress(1000, 0), 0.0) == {}
    assert rules.wrong(progress(1150, 150), 1.0) == {}  # too few to say
    assert "of the last" in rules.wrong(progress(1250, 250), 2.0)["errors"]
    assert rules.wrong(progress(1700, 250), 3.0) == {}


def wait_for(event: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not event():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_a_command_gets_an_alert_and_its_end(tmp_path: Path) -> None:
    told, said = tmp_path / "alerts", list[str]()
    now, asked = progress(0), threading.Event()

    def ask() -> Progress:
        asked.set()
        return now

    line = f'cat >> {told}; echo " $TOPONAUT_ALERT" >> {told}'
    with AlertView(line, str(tmp_path), said.append, every=0.01) as view:
        view.watch(ask)
        assert asked.wait(60)
        now = progress(300, 300)
        wait_for(lambda: told.exists() and told.read_text().count("\n") == 1)
        now = progress(3000, 300)
        wait_for(lambda: told.read_text().count("\n") == 2)
    alerts = [json.loads(one.rpartition(" ")[0]) for one in told.read_text().splitlines()]
    assert [(one["alert"], one["over"]) for one in alerts] == [("errors", False), ("errors", True)]
    assert told.read_text().splitlines()[0].endswith(" errors")
    assert [one.partition(":")[0] for one in said] == ["alert", "alert is over"]


def test_a_url_gets_an_alert() -> None:
    posted: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            posted.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("no_proxy", "127.0.0.1")
            alert = Alert("stall", False, "c", "no request has ended", 1.0)
            send_alert(f"http://127.0.0.1:{server.server_port}/hook", alert)
        thread.join()
    assert json.loads(posted[0])["alert"] == "stall"


def test_the_json_log_has_start_messages_and_stop(tmp_path: Path) -> None:
    little = little_web(seed=5, hosts=2, pages=20)
    web, log = export(little, tmp_path / "web"), tmp_path / "log.jsonl"
    (tmp_path / "job.toml").write_text(render(job([little.seed])))
    line = ("crawl", tmp_path / "job.toml", tmp_path / "c", "--replay", web, "--workers", "0", "-q")
    assert run_here(*line, "--log-json", log).returncode == 0
    tail = next((tmp_path / "c" / "log" / "main").glob("*.tail"))
    tail.write_bytes(tail.read_bytes()[:-10])
    assert run_here(*line, "--log-json", log).returncode == 0
    lines = [json.loads(one) for one in log.read_text().splitlines()]
    assert [one["event"] for one in lines if one["event"] != "progress"] == [
        "start", "stop", "message", "start", "stop",
    ]  # fmt: skip
    assert "interrupted write" in next(one["text"] for one in lines if "text" in one)
    assert lines[-1]["why"] == "nothing is left to fetch"
    assert lines[-1]["pages"] == len(little.pages)
    assert all(one["time"].endswith("Z") for one in lines)
    bad = run_here(*line, "--log-json", tmp_path / "no" / "log")
    assert (bad.returncode, "cannot write" in bad.stderr) == (2, True)
