"""Commands over HTTP: only with a token, and only as JSON. Grafana's board knows the metrics."""

import json
import re
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from tests.support.serving import serve
from tests.support.watched import INTERRUPTED, VISITS, snapshot, write
from tools.docs_blocks import ROOT

from toponaut.app.crawl_watcher import CrawlWatcher
from toponaut.app.dashboard import format_metrics

TOKEN = "a-long-enough-token"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("control") / "c", snapshot(stopped=INTERRUPTED), VISITS)


def send(
    base: str, body: bytes | None, kind: str = "application/json", token: str = TOKEN
) -> tuple[int, Any]:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": kind}
    request = urllib.request.Request(f"{base}/api/control", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def test_a_server_without_a_token_takes_no_commands(root: Path) -> None:
    with serve(root) as base:
        assert send(base, None) == (200, {"allowed": False})
        status, body = send(base, b'{"action": "pause"}')
    assert (status, body["error"]) == (403, "this server takes no commands")


def test_a_server_with_a_token_hands_commands_to_the_crawl(root: Path) -> None:
    with serve(root, token=TOKEN) as base:
        assert send(base, None) == (200, {"allowed": True})
        assert send(base, b'{"action": "pause"}', token="x")[0] == 401
        assert send(base, b'{"action": "pause"}', kind="text/plain")[0] == 415
        assert send(base, b"pause")[0] == 400
        status, body = send(base, b'{"action": "pause"}')
    assert (status, "no crawl is running" in body["error"]) == (400, True)


def test_the_board_shows_metrics_that_exist(root: Path) -> None:
    board = (ROOT / "docs" / "how-to" / "grafana.json").read_text()
    assert json.loads(board)["panels"]
    wanted = set(re.findall(r"toponaut_\w+", board))
    found = set(re.findall(r"^(toponaut_\w+)", format_metrics(CrawlWatcher(root).look()), re.M))
    assert wanted <= found
