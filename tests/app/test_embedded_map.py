"""The map of reports and of the demo page: one file, opened without a server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.support.browser import chromium, map_colours, window
from typer.testing import CliRunner

from toponaut.app.embedded_map import Spot, embedded_map
from toponaut.cli import app

LAND, SEA = (247, 245, 239), (207, 224, 232)  # map.css


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "demo.html"
    assert CliRunner().invoke(app, ["demo", "-o", str(path)]).exit_code == 0
    return path


@pytest.fixture(scope="module")
def browser(demo: Path) -> Iterator[Browser]:
    assert demo
    with chromium() as started:
        yield started


def test_the_demo_page_has_the_map(browser: Browser, demo: Path) -> None:
    """The window asserts that nothing is requested from any host."""
    with window(browser, "http://127.0.0.1") as page:
        page.goto(demo.as_uri())
        expect(page.locator("#map canvas")).to_be_visible()
        assert {LAND, SEA} <= map_colours(page)
        expect(page.locator("#map > svg")).to_have_count(0)
    assert demo.stat().st_size < 1_000_000


def test_a_name_cannot_leave_its_data() -> None:
    made = embedded_map("<svg></svg>", [Spot("</script><b>", 53.1, 8.2, 3)])
    assert "</script><b>" not in made
    assert made.count("<script") == made.count("</script") == 2
