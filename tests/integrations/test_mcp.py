"""The tools for language models, asked by a real client: in this process, over a pipe, by HTTP."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from tests.support.crawling import run_here
from tests.support.shops import HOST, crawl_shops

import toponaut
from toponaut.mcp.markdown import to_markdown
from toponaut.mcp.server import make_server
from toponaut.page.parse import parse
from toponaut.records import Response


@pytest.fixture(scope="module")
def shops(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawl_shops(tmp_path_factory.mktemp("mcp"))


def call(server: Any, tool: str, **arguments: object) -> Any:
    async def ask() -> Any:
        async with Client(server) as client:
            return await client.call_tool(tool, arguments)

    return asyncio.run(ask())


def data(server: Any, tool: str, **arguments: object) -> Any:
    answer = call(server, tool, **arguments)
    assert not answer.is_error, answer
    return answer.structured_content["result"]


def test_search_finds_pages(shops: Path) -> None:
    server = make_server(toponaut.open(shops))
    first = data(server, "search", query="diner in springfield", limit=3)[0]
    assert first["url"].startswith(f"{HOST}/")
    assert "Springfield" in first["address"]


def test_places_are_organisations_at_addresses(shops: Path) -> None:
    server = make_server(toponaut.open(shops))
    rows = data(server, "places", place="Seattle, WA")
    assert {row["organisation"] for row in rows} == {"Alpha Books", "Beta Tours"}
    (tours,) = data(server, "places", name="beta")
    assert tours["city"] == "Seattle"


def test_a_page_its_evidence_and_its_story(shops: Path) -> None:
    server = make_server(toponaut.open(shops))
    assert data(server, "page", url=f"{HOST}/joe/menu").startswith("# Menu\n\nWhat we cook today")
    (address,) = data(server, "evidence", url=f"{HOST}/joe/menu")
    assert address["text"] == "123 Main St., Springfield, IL 62701"
    assert "fetched" in data(server, "explain", url=f"{HOST}/joe")


def test_an_unknown_page_is_an_error_with_a_fix(shops: Path) -> None:
    answer = call(make_server(toponaut.open(shops)), "page", url="http://elsewhere.test/")
    assert answer.is_error
    assert "is not a page of this crawl" in answer.content[0].text


def test_every_tool_is_read_only(shops: Path) -> None:
    async def ask() -> Any:
        async with Client(make_server(toponaut.open(shops))) as client:
            return (await client.list_tools()).tools

    tools = asyncio.run(ask())
    assert [tool.name for tool in tools] == ["search", "places", "page", "evidence", "explain"]
    assert all(tool.annotations.read_only_hint and tool.description for tool in tools)


def test_the_command_speaks_over_a_pipe(shops: Path) -> None:
    line = ["-m", "toponaut", "mcp", str(shops)]
    server = StdioServerParameters(command=sys.executable, args=line)
    assert "Menu" in data(server, "page", url=f"{HOST}/joe/menu")


def test_a_directory_without_a_crawl(tmp_path: Path) -> None:
    done = run_here("mcp", tmp_path)
    assert (done.returncode, "holds no crawl" in done.stderr) == (2, True)


def test_markdown() -> None:
    html = (
        "<title>Our *shop*</title><h1>Welcome</h1><p>See the <a href='/menu'>menu</a> today.</p>"
        "<h2><a href='/about'>About us</a></h2><table><tr><td>Mo</td><td>9-5</td></tr></table>"
    )
    page = parse(Response("http://a.test/", 200, html.encode(), "text/html"))
    assert to_markdown(page).split("\n\n") == [
        "# Our \\*shop\\*",
        "# Welcome",
        "See the [menu](http://a.test/menu) today.",
        "## [About us](http://a.test/about)",
        "Mo | 9-5\n",
    ]
