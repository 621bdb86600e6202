"""Links that were read before: the same answer, unless the words around them are others."""

from collections.abc import Sequence
from typing import NamedTuple

from toponaut.crawl.strategies import setting_of
from toponaut.job import Job, TargetsSection
from toponaut.places.gazetteer.cache import open_names
from toponaut.records import Link
from toponaut.strategy.ordering.link_evidence import LinkEvidence, NameEvidence
from toponaut.strategy.ordering.link_memory import LinkMemory
from toponaut.strategy.ordering.link_terms import read_links

GAZETTEER = open_names().gazetteer
TOKENISER = GAZETTEER.names.tokeniser
PAGE = "http://shop.example/one"
MENU = ("Home", "Stores in Denver", "About us", "Contact")


class CountingEvidence(LinkEvidence):
    """Counts the links that are read."""

    count = 0

    def names(self, text: str, links: Sequence[Link]) -> list[NameEvidence]:
        self.count += len(links)
        return super().names(text, links)


def evidence() -> CountingEvidence:
    job = Job(seeds=(PAGE,), targets=TargetsSection(places=("Denver, CO",)))
    return CountingEvidence(setting_of(job).link_reader(), GAZETTEER.row)


def page(*labels: str, rest: str) -> tuple[str, list[Link]]:
    """A page with links one after another, then text."""
    text, links = "", []
    for label in labels:
        url = f"http://shop.example/{label.lower().replace(' ', '-')}"
        links.append(Link(url, PAGE, label, start=len(text), end=len(text) + len(label)))
        text += f"{label}\n"
    return text + rest, links


class Read(NamedTuple):
    """What some links say."""

    terms: list[bytes]
    names: list[NameEvidence]


def read(memory: LinkMemory, text: str, links: list[Link]) -> Read:
    return Read(memory.terms(PAGE, text, links), memory.names(text, links))


def read_anew(text: str, links: list[Link]) -> Read:
    terms = read_links(TOKENISER, PAGE, text, links).memos()
    return Read(terms, evidence().names(text, links))


WORDS = " ".join(f"word{number}" for number in range(60))


def test_links_of_a_menu_are_read_once() -> None:
    counted = evidence()
    memory = LinkMemory(counted, TOKENISER)
    labels = (*MENU, *(f"Item {number}" for number in range(30)))
    first = page(*labels, rest=f"Opening hours. {WORDS}")
    second = page(*labels, rest=f"Our team in Denver. {WORDS}")
    assert read(memory, *first) == read_anew(*first)
    assert counted.count == len(labels)
    assert read(memory, *first) == read_anew(*first)
    assert counted.count == len(labels)
    assert read(memory, *second) == read_anew(*second)
    again = counted.count - len(labels)
    assert 0 < again < len(labels) / 2  # only those near the text, which is another


def test_words_next_to_a_link_and_line_ends_count() -> None:
    memory = LinkMemory(evidence(), TOKENISER)
    link = Link("http://shop.example/more", PAGE, "more", start=7, end=11)
    for text in ("Denver more", "Dinner more", "Denver\nmore", "Dinner more Denver"):
        assert read(memory, text, [link]) == read_anew(text, [link]), text
    assert memory.names("Denver more", [link]) != memory.names("Dinner more", [link])


def test_the_site_of_the_page_counts() -> None:
    memory = LinkMemory(evidence(), TOKENISER)
    link = Link("http://shop.example/more", PAGE, "more")
    here, elsewhere = (memory.terms(url, "", [link]) for url in (PAGE, "http://other.example/list"))
    assert here != elsewhere


def test_the_oldest_are_forgotten() -> None:
    counted = evidence()
    memory = LinkMemory(counted, TOKENISER, kept=2)
    links = [Link(f"http://shop.example/{name}", PAGE, name) for name in "abc"]
    memory.names("", links)
    memory.names("", links[1:])
    assert counted.count == 3
    memory.names("", links[:1])
    assert counted.count == 4


def test_equal_links_of_a_page_are_read_once() -> None:
    counted = evidence()
    link = Link("http://shop.example/denver", PAGE, "Denver")
    found = read(LinkMemory(counted, TOKENISER), "", [link, link])
    assert found == read_anew("", [link, link])
    assert counted.count == 1
