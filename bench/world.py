"""Addresses of the world: recall by country, confidence against truth, and false friends.

    python -m bench.world                          false friends and the reliability curve
    python -m bench.world world-addresses.csv      also the addresses of a labelled CSV file
    python -m bench.world --mistakes               also the finds on false friends

The CSV file has the columns country_code, house_number, road, city, state, postcode, country. Each
address is put into a small contact page, as its country writes it. It is found if a find has its
number, and its postcode or (without one) its town. False friends are pages of numbers, dates,
prices, lists and scores beside place names in many languages, without an address. The curve shows,
for finds on the labelled fragments, how many in each range of confidence are right.
"""

import csv
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

from babel import Locale, UnknownLocaleError
from babel.dates import get_day_names, get_month_names
from rich.console import Console
from rich.table import Table

from bench.addresses import SETS, open_finder
from bench.judge import Found, fragments, same
from toponaut.page.parse import parse
from toponaut.places.addresses.finder import AddressFinder
from toponaut.places.gazetteer.cache import open_names
from toponaut.places.gazetteer.descriptions import address_formats
from toponaut.records import Address, Page, Response

FALSE_FRIENDS = 2000
GOOD = 0.85  # recall of a country that counts as covered
EDGES = (0.0, 0.6, 0.7, 0.8, 0.9, 0.95, 1.01)
Judged = tuple[float, bool]  # a find's confidence, and whether it is right
_SIGNS = re.compile(r"[^\w]+")


def page_of(lines: list[str]) -> Page:
    body = "<br>".join(filter(None, lines))
    html = f"<h1>Contact</h1><p>Please visit us.</p><p>{body}</p><p>Monday to Friday</p>"
    return parse(Response("https://www.example.com/", 200, html.encode(), "text/html"))


def block(row: dict[str, str]) -> list[str]:
    """The lines of an address in the order of its country."""
    form = address_formats().get(row["country_code"].upper())
    parts = [row["road"].title(), row["house_number"]]
    street = " ".join(parts[::-1] if form and form.number_first else parts)
    town = [row["postcode"].upper(), row["city"].title()]
    return [street, " ".join(filter(None, town)), row["country"].title()]


def labelled(path: Path) -> Iterator[dict[str, str]]:
    """The rows with a number, a street and a postcode or town."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["house_number"] and row["road"] and (row["postcode"] or row["city"]):
                yield row


def is_right(one: Address, row: dict[str, str]) -> bool:
    wanted = plain(row["postcode"] or row["city"])
    same_number = plain(one.number) == plain(row["house_number"])
    return same_number and wanted in (plain(one.postcode), plain(one.city))


def recall(finder: AddressFinder, path: Path) -> tuple[dict[str, tuple[int, int]], list[Judged]]:
    """Found and labelled addresses by country; and every find, with whether it is right."""
    counts: dict[str, Counter[bool]] = defaultdict(Counter)
    judged: list[Judged] = []
    for row in labelled(path):
        found = [(one, is_right(one, row)) for one in finder.find(page_of(block(row)))]
        counts[row["country_code"]][any(right for _, right in found)] += 1
        judged += [(one.confidence, right) for one, right in found]
    shares = {country: (one[True], one.total()) for country, one in sorted(counts.items())}
    return shares, judged


def print_recall(console: Console, found: dict[str, tuple[int, int]]) -> None:
    shares = {country: right / every for country, (right, every) in found.items()}
    console.print(
        f"contact blocks of {len(shares)} countries: mean recall "
        f"{sum(shares.values()) / len(shares):.3f}, "
        f"{sum(share >= GOOD for share in shares.values())} countries at {GOOD} or above"
    )
    worst = sorted(shares.items(), key=lambda pair: pair[1])[:12]
    console.print("lowest: " + ", ".join(f"{country} {share:.2f}" for country, share in worst))


def plain(text: str) -> str:
    return _SIGNS.sub("", text.lower())


def false_friends(count: int, seed: int = 1) -> Iterator[Page]:
    """Pages with numbers beside names of places, months and things, in many languages."""
    chance = random.Random(seed)
    gazetteer = open_names().gazetteer
    languages = sorted({form.languages[0] for form in address_formats().values() if form.languages})
    locales = [one for name in languages if (one := _locale(name))]
    for _ in range(count):
        locale = chance.choice(locales)
        months = list(get_month_names(locale=locale).values())
        days = list(get_day_names(locale=locale).values())
        lands = list(locale.territories.values()) or ["Europe"]
        money = list(locale.currencies.values()) or ["Euro"]
        towns = [gazetteer.name(chance.randrange(len(gazetteer))) for _ in range(6)]
        lines = []
        for _ in range(12):
            town, number = chance.choice(towns), chance.randrange(1, 3000)
            lines.append(
                chance.choice(
                    (
                        f"{chance.choice(days)} {number % 28 + 1} {chance.choice(months)}",
                        f"{town} {number % 9} : {number % 7} {chance.choice(towns)}",
                        f"{chance.choice(lands)} {number}",
                        f"{number} {chance.choice(money)}",
                        f"{town}\n{number % 2000} – {number % 2000 + 10} {chance.choice(lands)}",
                        f"{number % 100}. {town}, {chance.choice(lands)}",
                        f"{town} {number}\n{chance.choice(towns)} {number + 3}",
                        f"{chance.choice(months)} {1990 + number % 35}\n{town}",
                        f"FC {town} {number % 9} - SK {chance.choice(towns)} {number % 5}",
                        f"{number % 30} min | {number} {chance.choice(money)} | {town}",
                        f"Contact: +{number} {number} {number}",
                    )
                )
            )
        text = "</p><p>".join(lines).replace("\n", "<br>")
        html = f"<html lang={locale.language}><meta charset=utf-8><p>{text}</p>"
        yield parse(Response("https://www.example.com/", 200, html.encode(), "text/html"))


def _locale(language: str) -> Locale | None:
    try:
        return Locale.parse(language)
    except (UnknownLocaleError, ValueError):
        return None


def reliability(finder: AddressFinder) -> Iterator[Judged]:
    """The finds on the labelled fragments."""
    for fragment in (one for folder in SETS for one in fragments(folder)):
        left = list(fragment.gold)
        for one in finder.find(fragment.page):
            found = Found(one.number, one.street, one.city, one.postcode)
            gold = next((gold for gold in left if same(found, gold)), None)
            if gold:
                left.remove(gold)
            yield one.confidence, gold is not None


def curve(title: str, judged: Iterable[Judged]) -> Table:
    """The share of right finds for each range of confidence."""
    right, every, sums = Counter[int](), Counter[int](), Counter[int]()
    for confidence, is_gold in judged:
        level = max(k for k, edge in enumerate(EDGES) if confidence >= edge)
        every[level] += 1
        sums[level] += round(confidence * 1000)
        right[level] += is_gold
    table = Table("confidence", "mean", "finds", "right", title=f"Reliability: {title}")
    for k, (low, high) in enumerate(pairwise(EDGES)):
        if every[k]:
            mean, share = sums[k] / every[k] / 1000, right[k] / every[k]
            row = (f"{low:.2f}-{min(high, 1):.2f}", f"{mean:.3f}", str(every[k]), f"{share:.3f}")
            table.add_row(*row)
    return table


def main() -> None:
    console, finder = Console(width=120), open_finder()
    if files := [name for name in sys.argv[1:] if not name.startswith("--")]:
        found, judged = recall(finder, Path(files[0]))
        print_recall(console, found)
        console.print(curve("contact blocks", judged))
    pages = map(finder.find, false_friends(FALSE_FRIENDS))
    wrong = [addresses for addresses in pages if addresses]
    console.print(f"false friends: {len(wrong)} of {FALSE_FRIENDS} pages have a find")
    if "--mistakes" in sys.argv:
        for mistakes in wrong:
            console.print([(one.text, one.country, one.confidence) for one in mistakes])
    console.print(curve("labelled fragments", reliability(finder)))


if __name__ == "__main__":
    main()
