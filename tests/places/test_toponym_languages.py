"""Place names in German, French and Spanish sentences, made up in the shape of local news.

A mark is {surface|country}. A name counts if the same span is found in that country. Each file has
sentences without a place whose words are places elsewhere: "an dieser Stelle", "des tours".
"""

import re
from pathlib import Path

import pytest

from toponaut.places.names.finder import NameFinder

SENTENCES = Path(__file__).parent / "sentences"
MARK = re.compile(r"\{([^|}]+)\|([A-Z]*)\}")
FLOORS = {"de": (0.94, 0.85), "fr": (0.95, 0.95), "es": (0.88, 0.86)}  # precision, found and placed


def read(sentence: str) -> tuple[str, set[tuple[int, int, str]]]:
    """A sentence without its marks, and the spans and countries of its names."""
    text, gold, at = "", set(), 0
    for mark in MARK.finditer(sentence):
        text += sentence[at : mark.start()]
        gold.add((len(text), len(text) + len(mark[1]), mark[2]))
        text += mark[1]
        at = mark.end()
    return text + sentence[at:], gold


@pytest.mark.parametrize("language", FLOORS)
def test_names_are_found_and_placed(language: str, finder: NameFinder) -> None:
    found = right = labels = 0
    mistakes = []
    for line in (SENTENCES / f"{language}.txt").read_text(encoding="utf-8").splitlines():
        text, gold = read(line)
        mentions = finder.find(text)
        spans = {
            (one.start, one.end, finder.gazetteer.place(one.place).country) for one in mentions
        }
        found, right, labels = found + len(spans), right + len(spans & gold), labels + len(gold)
        mistakes += [(text[span[0] : span[1]], span[2], text) for span in spans ^ gold]
    precision, recall = FLOORS[language]
    assert right / found >= precision, mistakes
    assert right / labels >= recall, mistakes
