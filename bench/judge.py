"""When a found address matches a gold one: the labelled fragments and the rule of comparison.

The rule is independent of the finder's own normal form, so that a mistake there cannot hide itself:
number and street are equal after folding (case, accents, punctuation, abbreviated directions and
types), and so is the town or the postcode where the gold has one.
"""

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from toponaut.page.parse import parse
from toponaut.records import Page, Response

FOLDER = Path(__file__).parent / "addresses"

_SHORT = {
    "north": "n", "south": "s", "east": "e", "west": "w", "northeast": "ne", "northwest": "nw",
    "southeast": "se", "southwest": "sw", "street": "st", "str": "st", "avenue": "ave", "av": "ave",
    "road": "rd", "drive": "dr", "boulevard": "blvd", "lane": "ln", "court": "ct", "place": "pl",
    "square": "sq", "parkway": "pkwy", "highway": "hwy", "circle": "cir", "terrace": "ter",
    "trail": "trl",
    "plaza": "plz", "way": "wy", "turnpike": "tpke", "expressway": "expy", "freeway": "fwy",
    "route": "rte",
    "rt": "rte", "county": "co", "crescent": "cres", "heights": "hts", "point": "pt",
    "center": "ctr",
    "centre": "ctr", "mount": "mt", "saint": "st", "fort": "ft", "and": "&", "at": "&",
    "number": "no",
    "first": "1st", "second": "2nd", "third": "3rd", "fourth": "4th", "fifth": "5th",
    "sixth": "6th",
    "seventh": "7th", "eighth": "8th", "ninth": "9th", "tenth": "10th",
}  # fmt: skip
_WORDS = "zero one two three four five six seven eight nine ten eleven twelve"
_NUMBERS = {word: str(number) for number, word in enumerate(_WORDS.split())}
_FRACTIONS = str.maketrans({"½": " 1/2", "¼": " 1/4", "¾": " 3/4", "–": "-", "—": "-"})
_STRASSE = re.compile(r"str(?:asse|\.)?(?=$|[\s-])")


@dataclass(frozen=True)
class Found:
    """The compared parts of an address."""

    number: str
    street: str
    city: str
    postcode: str
    unit: str = ""
    state: str = ""
    organisation: str = ""


@dataclass(frozen=True)
class Fragment:
    name: str
    country: str
    layout: str
    page: Page
    gold: tuple[Found, ...]

    @property
    def held_out(self) -> bool:
        """Odd fragments are held out from development."""
        number = re.search(r"\d+", self.name)
        return number is not None and int(number[0]) % 2 == 1


def fragments(folder: str) -> Iterator[Fragment]:
    """The labelled fragments of us, de or world, in order."""
    for path in sorted((FOLDER / folder).glob("*.html")):
        gold, layout, html = path.read_text(encoding="utf-8").split("\n", 2)
        entries = json.loads(gold.partition("gold:")[2].rpartition("-->")[0])
        country = path.name[:2].upper() if folder == "world" else folder.upper()
        fields = Found.__dataclass_fields__
        yield Fragment(
            name=f"{folder}/{path.stem}",
            country=country,
            layout=layout.partition("layout:")[2].rpartition("-->")[0].strip(),
            page=parse(
                Response("https://www.example.com/", 200, html.encode(), "text/html; charset=utf-8")
            ),
            gold=tuple(Found(**{key: entry.get(key, "") for key in fields}) for entry in entries),
        )


def same(found: Found, gold: Found) -> bool:
    """Whether two addresses are the same."""
    if fold_number(found.number) != fold_number(gold.number) or fold(found.street) != fold(
        gold.street
    ):
        return False
    towns = [fold(found.city) == fold(gold.city)] if gold.city else []
    codes = [fold_code(found.postcode) == fold_code(gold.postcode)] if gold.postcode else []
    return any(towns + codes) or not towns + codes


def all_parts_same(found: Found, gold: Found) -> bool:
    """Whether the other parts are equal, where the gold has them."""
    pairs = [
        (fold(one), fold(other))
        for one, other in ((found.city, gold.city), (found.state, gold.state))
    ]
    pairs += [
        (fold_code(found.postcode), fold_code(gold.postcode)),
        (fold(found.unit), fold(gold.unit)),
    ]
    return all(one == other for one, other in pairs if other)


def fold(text: str) -> str:
    """Folds case, accents and punctuation; abbreviates directions, types and ordinals."""
    text = _plain(text).replace("p.o.", "po").replace("post office box", "po box")
    text = _STRASSE.sub("st", text)
    words = re.findall(r"[^\W_]+|&", re.sub(r"[.'’]", "", text))
    return "".join(_SHORT.get(word, word) for word in words)


def fold_number(text: str) -> str:
    text = " ".join(_plain(text).translate(_FRACTIONS).split())
    return re.sub(r"[\s.#]", "", _NUMBERS.get(text, text))


def fold_code(text: str) -> str:
    """A ZIP+4 equals its ZIP."""
    return re.sub(r"^(\d{5})\d{4}$", r"\1", re.sub(r"\W", "", text).upper())


def _plain(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign)).replace(
        "\u2044", "/"
    )
