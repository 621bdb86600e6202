"""Type-ahead over a small index."""

from pathlib import Path

import pytest
from tests.support.towns import crawl_towns

from toponaut.index import Search, index_folder
from toponaut.index.write.update import update_index
from toponaut.places.names.finder import NameFinder


@pytest.fixture(scope="module")
def search(tmp_path_factory: pytest.TempPathFactory, finder: NameFinder) -> Search:
    root: Path = crawl_towns(tmp_path_factory.mktemp("towns"))
    update_index(root)
    return Search(index_folder(root), finder)


def texts(search: Search, query: str) -> list[str]:
    return [one.text for one in search.complete(query)]


def test_places_first_after_a_preposition(search: Search) -> None:
    first = search.complete("pizza in ol")[0]
    assert (first.text, first.kind) == ("pizza in Oldenburg", "place")
    assert first.pages >= 2


def test_frequent_words(search: Search) -> None:
    assert texts(search, "plum")[0] == "plumbers"
    assert "cheap plumbers" in texts(search, "cheap plum")


def test_names_of_several_words(search: Search) -> None:
    assert "schools Clarke County" in texts(search, "schools clarke c")


def test_only_what_the_index_has(search: Search) -> None:
    assert texts(search, "pizza in zanz") == []
    for query in ("", " ", "p", "pizza ", "\x00\x00", "((((", "x" * 400):
        assert texts(search, query) == []
