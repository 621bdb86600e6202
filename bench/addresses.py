"""Quality and speed of the address finder, compared with pyap and usaddress on the same fragments.

    python -m bench.addresses              all tables
    python -m bench.addresses --mistakes   also mistakes on fragments that are not held out
    python -m bench.addresses --quality    the first table only

Quality is measured on the labelled fragments of bench/addresses. Half of them (odd numbers) are
held out, to show rules that only fit the others. "parts": the share of correct addresses whose
unit, town, state and postcode are correct too. "owner": the share with the correct organisation,
where the gold names one. "false owner": the share of our owners that are wrong, or that the gold
does not name. An address that a rival finds twice counts once; one that we find twice is a mistake,
because merging is our job.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

from rich.console import Console
from rich.table import Table

from bench.judge import (
    Found,
    Fragment,
    all_parts_same,
    fold,
    fold_code,
    fold_number,
    fragments,
    same,
)
from toponaut.places.addresses.finder import AddressFinder
from toponaut.places.gazetteer.cache import open_names

Finder = Callable[[Fragment], list[Found]]

SETS = ("us", "de", "world")


def open_finder() -> AddressFinder:
    names = open_names()
    return AddressFinder(names.gazetteer, names)


def find_by_toponaut(finder: AddressFinder, fragment: Fragment) -> list[Found]:
    """Our addresses of a fragment, of any country."""
    return [
        Found(one.number, one.street, one.city, one.postcode, one.unit, one.state, one.organisation)
        for one in finder.find(fragment.page)
    ]


# Imported where they run: the import hook of pyap's `six` warns, and tests import this file.
def find_by_pyap(fragment: Fragment) -> list[Found]:
    from bench.rivals import by_pyap

    return _once(by_pyap(fragment.page.text, fragment.country))


def find_by_usaddress(fragment: Fragment) -> list[Found]:
    from bench.rivals import by_usaddress

    return _once(by_usaddress(fragment.page.text))


def _once(found: list[Found]) -> list[Found]:
    """Each address once: these libraries do not merge."""
    keys = {
        (fold_number(one.number), fold(one.street), fold(one.city), fold_code(one.postcode)): one
        for one in found
    }
    return list(keys.values())


def judge(found: list[Found], fragment: Fragment) -> tuple[Counter[str], list[str]]:
    """Counts of found, gold and correct addresses, and descriptions of the mistakes."""
    counts = Counter(fragments=1, found=len(found), gold=len(fragment.gold))
    left, mistakes = list(fragment.gold), []
    for one in found:
        gold = next((gold for gold in left if same(one, gold)), None)
        if gold is None:
            mistakes.append(f"{fragment.name} ({fragment.layout}): false  {one}")
            continue
        left.remove(gold)
        counts["right"] += 1
        counts["parts"] += all_parts_same(one, gold)
        counts["owned"] += bool(gold.organisation)
        counts["named"] += bool(one.organisation)
        same_owner = fold(one.organisation) == fold(gold.organisation)
        counts["owner"] += bool(gold.organisation) and same_owner
    mistakes += [f"{fragment.name} ({fragment.layout}): missed {gold}" for gold in left]
    return counts, mistakes


def measure(
    finder: Finder, chosen: Iterator[Fragment] | list[Fragment]
) -> tuple[Counter[str], list[str]]:
    """Counts over some fragments, and the mistakes on those that are not held out."""
    total: Counter[str] = Counter()
    mistakes: list[str] = []
    for fragment in chosen:
        counts, wrong = judge(finder(fragment), fragment)
        total.update(counts)
        mistakes += [] if fragment.held_out else wrong
    return total, mistakes


def scores(counts: Counter[str]) -> tuple[float, float, float]:
    """Precision, recall and F1."""
    precision = counts["right"] / max(counts["found"], 1)
    recall = counts["right"] / max(counts["gold"], 1)
    return precision, recall, 2 * precision * recall / max(precision + recall, 1e-9)


def rows(folder: str) -> Iterator[tuple[str, list[Fragment]]]:
    """The rows of the table: a set and its halves, or the countries of the world."""
    every = list(fragments(folder))
    if folder == "world":
        for country in sorted({fragment.country for fragment in every}):
            yield f"world {country}", [one for one in every if one.country == country]
        return
    yield folder, every
    yield "  developed on", [fragment for fragment in every if not fragment.held_out]
    yield "  held out", [fragment for fragment in every if fragment.held_out]


def quality(console: Console, show_mistakes: bool) -> None:
    from bench.rivals import PYAP_COUNTRIES

    finder = open_finder()
    table = Table("set", "finder", "fragments", "gold", "found", title="Addresses: quality")
    for column in ("precision", "recall", "F1", "parts", "owner", "false owner"):
        table.add_column(column)
    mistakes: list[str] = []
    for name, chosen in (row for folder in SETS for row in rows(folder)):
        rivals: list[tuple[str, Finder]] = [("toponaut", partial(find_by_toponaut, finder))]
        rivals += [("pyap", find_by_pyap)] if chosen[0].country in PYAP_COUNTRIES else []
        rivals += [("usaddress", find_by_usaddress)] if chosen[0].country == "US" else []
        for who, rival in rivals:
            counts, wrong = measure(rival, chosen)
            mistakes += wrong if who == "toponaut" and not name.startswith("  ") else []
            parts = counts["parts"] / max(counts["right"], 1)
            figures = [f"{figure:.3f}" for figure in (*scores(counts), parts)]
            owner = counts["owner"] / max(counts["owned"], 1)
            false = 1 - counts["owner"] / max(counts["named"], 1)
            figures += [f"{owner:.3f}", f"{false:.3f}"] if who == "toponaut" else ["-", "-"]
            totals = [str(counts[key]) for key in ("fragments", "gold", "found")]
            table.add_row(name, who, *totals, *figures)
            name = ""
    console.print(table)
    if show_mistakes:
        print("\n".join(mistakes))


def main() -> None:
    from bench import address_speed, adversarial

    console = Console(width=120)
    quality(console, "--mistakes" in sys.argv)
    if "--quality" not in sys.argv:
        finder = open_finder()
        address_speed.table(console, finder)
        adversarial.table(console, finder)


if __name__ == "__main__":
    main()
