"""Lookahead in whole crawls: the exact order of fetches on tiny webs, and what the log teaches."""

import random
from pathlib import Path

from tests.support.crawling import crawl, job, urls, visits

from toponaut.crawl.directory import LOG
from toponaut.job import PolitenessSection
from toponaut.log import directory_of, read
from toponaut.places.gazetteer.cache import open_names
from toponaut.records import Outcome
from toponaut.strategy.ordering.lookahead import Lookahead

ONE_AT_A_TIME = PolitenessSection(
    delay=0.0, concurrent=1, robots=False, contact="https://bot.example/"
)
ADDRESS = "<p>Joe's Diner, 123 Main Street, Springfield, IL 62701"


def web(folder: Path, pages: dict[str, str]) -> Path:
    """One page a host, so that no clock has a say in the order. "contact:b ADDRESS": a link called
    contact to the host b."""
    folder.mkdir()
    lines = []
    for name, body in pages.items():
        words = [word.split(":") for word in body.split() if word != "ADDRESS"]
        anchors = "".join(
            f'<p><a href="http://{host}.test/">{anchor}</a> ' for anchor, host in words
        )
        (folder / f"{name}.html").write_text(
            anchors + (ADDRESS if "ADDRESS" in body else ""), encoding="utf-8"
        )
        lines.append(f"http://{name}.test/\t{name}.html\ttext/html\n")
    (folder / "manifest.tsv").write_text("".join(lines), encoding="utf-8")
    return folder


def order(tmp_path: Path, pages: dict[str, str], ordering: str) -> str:
    folder = tmp_path / "web" if (tmp_path / "web").exists() else web(tmp_path / "web", pages)
    crawl(
        tmp_path / ordering,
        job(["http://a.test/"], ordering=ordering, politeness=ONE_AT_A_TIME),
        replay=folder,
    )
    return "".join(
        url.removeprefix("http://")[0] for url in urls(tmp_path / ordering, Outcome.FETCHED)
    )


def test_links_called_like_a_fruitful_one_are_fetched_first(tmp_path: Path) -> None:
    """Once "contact" has led to the relevant page c, and "about" to b, which is not: of d's links,
    all at a distance of 1/4, e goes first; it is relevant, and its link g (1/2) goes before d's
    others.
    """
    pages = {
        "a": "about:b",
        "b": "contact:c",
        "c": "ADDRESS next:d",
        "d": "news:f weather:h contact:e sports:i",
        "e": "ADDRESS more:g",
        **dict.fromkeys("fghi", ""),
    }
    fetched = order(tmp_path, pages, "lookahead")
    assert fetched[:6] == "abcdeg"
    assert set(fetched[6:]) == set("fhi")
    why = {
        link.url: link.ordering_reason
        for one in visits(tmp_path / "lookahead")
        for link in one.links
    }
    assert why["http://b.test/"] == "0.52 = distance 0.5 + prediction 0.04 * (1 - 0.5)"
    assert why["http://e.test/"].endswith("strongest terms: 'contact'")
    assert "strongest" not in why["http://f.test/"]
    assert (
        order(tmp_path, pages, "link-distance")[4] != "e"
    )  # all four are equal, and the random seed chooses another


def test_bridges_called_like_a_fruitful_one_are_fetched_first(tmp_path: Path) -> None:
    """ "directory" led to d, which is not relevant, and d to the relevant e: a bridge. "news" led
    to b and c, and those to nothing relevant. So of f's links "directory" goes first, though no
    such link ever led to a relevant page at once.
    """
    pages = {
        "a": "news:b",
        "b": "news:c",
        "c": "directory:d",
        "d": "entry:e",
        "e": "ADDRESS next:f",
        "f": "news:g directory:h news:i",
        **dict.fromkeys("ghi", ""),
    }
    fetched = order(tmp_path, pages, "lookahead")
    assert fetched[:7] == "abcdefh"
    assert set(fetched[7:]) == set("gi")
    assert order(tmp_path, pages, "link-distance")[6] != "h"


def random_web(folder: Path) -> Path:
    """60 pages, of which those that "contact" links lead to have addresses, more often than
    others."""
    chance = random.Random(3)
    hosts = [f"{letter}{number}" for letter in "abcdef" for number in range(10)]
    fruitful = set(chance.sample(hosts, 15))
    pages = {"a": " ".join(f"start:{host}" for host in hosts[:6])}
    for host in hosts:
        linked = chance.sample(hosts, 4)
        called = [
            "contact" if one in fruitful else chance.choice(("news", "about", "shop"))
            for one in linked
        ]
        words = [f"{anchor}:{one}" for anchor, one in zip(called, linked, strict=True)]
        pages[host] = " ".join(words) + (" ADDRESS" if host in fruitful else "")
    return web(folder, pages)


def test_the_same_seed_gives_the_same_crawl_and_the_log_the_same_models(tmp_path: Path) -> None:
    pages = random_web(tmp_path / "web")
    wanted = job(["http://a.test/"], ordering="lookahead", politeness=ONE_AT_A_TIME)
    for name in ("one", "two"):
        crawl(tmp_path / name, wanted, replay=pages)
    first, second = (
        [
            (one.url, one.promise, [(link.url, link.ordering_reason) for link in one.links])
            for one in visits(tmp_path / name)
        ]
        for name in ("one", "two")
    )
    assert len(first) > 50
    assert first == second
    tokeniser = open_names().gazetteer.names.tokeniser
    again = Lookahead(tokeniser, 0.5, 3)
    for heard in read(directory_of(tmp_path / "one" / "log", LOG), fields=Lookahead.learns_from):
        again.learn(heard)
    assert again.dump() == (tmp_path / "one" / "state" / "ordering.model").read_bytes()
    assert again.dump() != Lookahead(tokeniser, 0.5, 3).dump()
