"""Words and names that pages and sites are made of, in three languages (words.toml).

Function words have their share of running English (as in the Brown corpus). The other lists are in
the order of use and drawn by Zipf's law. Pages make no sense, but their words have the statistics
that name finders and learners meet on the web.
"""

import tomllib
from importlib import resources
from typing import Any

from toponaut.synthetic.chance import mix

_FILE = resources.files("toponaut.synthetic").joinpath("words.toml")
_DATA: dict[str, Any] = tomllib.loads(_FILE.read_text("utf-8"))


def _words(name: str) -> list[str]:
    """A list of words, or of names that contain spaces."""
    text: str | list[str] = _DATA[name]
    return text.split() if isinstance(text, str) else text


ENGLISH: str = _DATA["english"]  # each word with its parts of 10,000 in running English
GERMAN: str = _DATA["german"]
PORTUGUESE: str = _DATA["portuguese"]
TOPICS: dict[str, str] = _DATA["topics"]
TRADES: dict[str, str] = _DATA["trades"]
TRADES_DE: dict[str, str] = _DATA["trades_de"]
TRADES_PT: dict[str, str] = _DATA["trades_pt"]
CIVIC: dict[str, str] = _DATA["civic"]
FAMILIES: dict[str, list[str]] = {
    language: text.split() for language, text in _DATA["families"].items()
}
MISLEADING, FOREIGN, BRANDS = _words("misleading"), _words("foreign"), _words("brands")
STREETS, STREET_TYPES = _words("streets"), _words("street_types")
STREETS_DE, STREETS_PT = _words("streets_de"), _words("streets_pt")
FEATURES = _words("features")
FEATURES_DE, FEATURES_PT = _words("features_de"), _words("features_pt")
ADJECTIVES, GENERIC_NAMES = _words("adjectives"), _words("generic_names")

_CIVIC_NAMES: dict[str, dict[str, list[str]]] = _DATA["civic_names"]  # by kind and language
FIXED_PATHS: dict[str, dict[str, list[str]]] = _DATA["fixed_paths"]  # by language and role
_BLOGS = ("{0}'s Blog", "{0} Family Pages", "The {0} Journal")
_IN_CITY = ("{0} {1}", "{1} of {0}", "Downtown {0} {1}")
_SHOPS = ("{0}'s {1}", "{0} {1}", "{0} & Sons {1}", "{2} {1}", "{2} {1} Inc", "{0} and {2} {1}")
_WEB = ("Web", "Link", "Site", "Net", "Yellow", "Open")
_FINDERS = ("Finder", "Index", "Directory", "Guide", "Pages", "Catalog")
_TOPIC_WORDS = {name: tuple(text.split()) for name, text in TOPICS.items()}


def vocabularies() -> dict[tuple[str, str], tuple[str, ...]]:
    """Content words by language and subject."""
    found = {
        ("en", name): text for name, text in (*TOPICS.items(), *TRADES.items(), *CIVIC.items())
    }
    for language, trades, civic, topic in (
        ("de", TRADES_DE, _DATA["civic_de"], _DATA["topic_de"]),
        ("pt", TRADES_PT, _DATA["civic_pt"], _DATA["topic_pt"]),
    ):
        found |= {(language, name): text for name, text in trades.items()}
        found |= {(language, name): civic for name in CIVIC}
        found |= {(language, name): topic for name in ("forum", "personal")}
    return {key: tuple(dict.fromkeys(text.split())) for key, text in found.items()}


def local_name(
    kind: str, language: str, trade: str, named: str, city: str, owner: str, key: int
) -> str:
    """The name of a city's site. `named`: the city, if a shop is named after it; else ""."""
    forms = _CIVIC_NAMES.get(kind, {}).get(language)
    draw = mix(key, 11)
    if forms:
        return forms[draw % len(forms)].format(city)
    if kind == "blog":
        return _BLOGS[draw % 3].format(owner)
    if language != "en":
        return f"{trade} {named or owner}"
    if named:
        return _IN_CITY[draw % 3].format(named, trade)
    return _SHOPS[draw % 6].format(owner, trade, ADJECTIVES[(draw >> 8) % len(ADJECTIVES)])


def general_name(kind: str, topic: str, owner: str, key: int) -> str:
    """The name of a site without a city. `owner`: name of the owner, for other languages."""
    draw = mix(key, 11)
    if kind == "chain":
        return BRANDS[draw % len(BRANDS)]
    if kind == "directory":
        return f"{_WEB[draw % len(_WEB)]} {_FINDERS[(draw >> 8) % len(_FINDERS)]}"
    if owner:
        return f"{owner} {topic.title()}"
    about = _TOPIC_WORDS[topic]
    return f"{about[draw % len(about)]} {GENERIC_NAMES[(draw >> 16) % len(GENERIC_NAMES)]}".title()
