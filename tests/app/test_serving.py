"""Serving while the index grows, and the serve command."""

import re
import signal
import socket
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.support.crawling import command, run_here
from tests.support.serving import ask, get, serve
from tests.support.towns import PAGES, crawl_towns, visit, written

from toponaut.app.served_crawl import ServedCrawl
from toponaut.cli import serving
from toponaut.crawl.directory import LOG
from toponaut.errors import InputError
from toponaut.index import IndexWriter, Question, index_folder
from toponaut.index.write.update import prepare_index, update_index
from toponaut.log import LogWriter
from toponaut.places.names.finder import NameFinder


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawl_towns(tmp_path_factory.mktemp("towns"))


# --- while the index grows ------------------------------------------------------------------------


def test_new_pages_appear_during_requests(tmp_path: Path, finder: NameFinder) -> None:
    """Threads search continuously while pages are added and the index is reopened."""
    root = written(tmp_path / "crawl", [visit(0, "http://0.test/", "Pizza in Lisbon, Portugal")])
    prepare_index(root, lambda _: None, lambda _: None)
    crawl = ServedCrawl(root, finder)
    wrong: list[str] = []
    over = threading.Event()

    def keep_asking() -> None:
        least = 1
        while not over.is_set():
            with crawl.locked_search() as index:
                answer, pages = index.ask(Question("pizza", limit=100)), index.pages
                pins = index.pins(Question("pizza"))
            if not least <= answer.total == len(answer.hits) == pages or len(pins) > pages:
                wrong.append(f"{answer.total} {len(answer.hits)} of {pages}, at least {least}")
            least = answer.total

    threads = [threading.Thread(target=keep_asking) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for number in range(1, 12):
            unlike = number * 0x9E3779B97F4A7C15 % 2**64  # no near copies
            with LogWriter(root / "log", LOG) as log:
                log.append(
                    visit(
                        number, f"http://{number}.test/", f"Pizza number {number}", simhash=unlike
                    )
                )
            update_index(root)
            assert crawl.refresh()
    finally:
        over.set()
        for thread in threads:
            thread.join()
    assert wrong == []
    with crawl.locked_search() as index:
        assert index.pages == 12


def test_a_crawl_without_pages(tmp_path: Path) -> None:
    """It can be served, and its first pages appear."""
    root = written(tmp_path / "crawl", [])
    with serve(root, fresh_s=0.05) as url:
        assert ask(url, "/api/about")["pages"] == 0
        assert ask(url, "/api/search", q="pizza")["hits"] == []
        assert ask(url, "/api/search")["facets"] == []
        with LogWriter(root / "log", LOG) as log:
            log.append(visit(0, "http://a.test/", "Pizza in Lisbon"))
        waited = threading.Event()
        for _ in range(200):
            if ask(url, "/api/about")["pages"]:
                break
            waited.wait(0.1)
        assert ask(url, "/api/search", q="pizza")["hits"][0]["url"] == "http://a.test/"


def test_an_index_that_another_process_writes_to(tmp_path: Path, finder: NameFinder) -> None:
    """It is used without an update, with a warning."""
    root = written(tmp_path / "crawl", [visit(0, "http://a.test/", "Pizza")])
    update_index(root)
    warnings: list[str] = []
    with IndexWriter(index_folder(root), finder):
        prepare_index(root, lambda _: None, warnings.append)
    assert warnings == [
        "searching the index without updating it: another process is adding to "
        f"{index_folder(root)}. Wait until it ends; searches still work"
    ]


# --- the command ----------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_the_command_serves_until_a_signal(root: Path, how: signal.Signals) -> None:
    line, environment = command("serve", root, "--port", "0")
    with subprocess.Popen(
        line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        line = process.stdout.readline()
        found = re.fullmatch(rf"{root}, {len(PAGES)} pages: (http://127\.0\.0\.1:\d+/)\n", line)
        assert found, line
        assert get(found[1], "/health").status == 200
        process.send_signal(how)
        rest, errors = process.communicate(timeout=300)
    assert (process.returncode, rest, errors) == (0, "", "")


def test_a_port_that_is_taken(root: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        cause = f"cannot listen on 127.0.0.1, port {port} (Address already in use)"
        with pytest.raises(InputError, match=re.escape(cause)):
            serving.serve(root, port=port)


@pytest.mark.parametrize(
    ("options", "cause"),
    [
        ({"host": "no.such.host.invalid"}, "this machine has no address no.such.host.invalid"),
        ({"tiles": "https://tile.example/"}, '--tiles is "https://tile.example/"'),
        ({"tiles": "https://tile.example/{z}/{x}/{y}.png"}, "--tiles has no --attribution"),
        ({"token": "two words"}, "--token has characters that a URL cannot hold"),
    ],
    ids=["host", "tiles", "attribution", "token"],
)
def test_bad_options_are_reported_with_a_fix(
    root: Path, options: dict[str, Any], cause: str
) -> None:
    with pytest.raises(InputError) as refused:
        serving.serve(root, port=0, **options)
    assert refused.value.cause.startswith(cause)
    assert refused.value.fix


def test_a_directory_without_a_crawl(tmp_path: Path) -> None:
    ended = run_here("serve", tmp_path, "--port", "0")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert (
        ended.stderr
        == f"toponaut: {tmp_path} holds no crawl. Name a directory that `toponaut crawl` has made\n"
    )
