"""How good and how fast the address finder is, with pyap and usaddress beside it on the same fragments.

    python -m bench.addresses              all tables
    python -m bench.addresses --mistakes   and what is wrong on the fragments that may be looked at
    python -m bench.addresses --quality    the first table only

Quality is measured on the labelled fragments of bench/addresses; half of them (odd numbers) is held out, so
that a rule that only fits the others shows. "parts" is the share of the right addresses whose unit, town,
state and postcode are right too, "owner" the share with the right organisation where the gold names one, "false owner"
the share of the owners that we name which are wrong, or of an address for which the gold names nobody. What a rival finds twice
counts once; what we find twice counts as a mistake, because merging is our work.
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


def ours(finder: AddressFinder, fragment: Fragment) -> list[Found]:
    """What we find; in a fragment of one country's set, addresses of any country count."""
    return [
        Found(one.number, one.street, one.city, one.postcode, one.unit, one.state, one.organisation)
        for one in finder.find(fragment.page)
    ]


# The rivals are imported where they run: pyap brings an old `six` whose import hook warns, and tests import this file.
def pyaps(fragment: Fragment) -> list[Found]:
    from bench.rivals import by_pyap

    return _once(by_pyap(fragment.page.text, fragment.country))


def usaddresses(fragment: Fragment) -> list[Found]:
    from bench.rivals import by_usaddress

    return _once(by_usaddress(fragment.page.text))


def _once(found: list[Found]) -> list[Found]:
    """Each address once: these libraries find, they do not merge."""
    keys = {
        (fold_number(one.number), fold(one.street), fold(one.city), fold_code(one.postcode)): one
        for one in found
    }
    return list(keys.values())


def judge(found: list[Found], fragment: Fragment) -> tuple[Counter[str], list[str]]:
    """Counts of found, gold and right addresses, and the mistakes in words."""
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
        counts["owner"] += bool(gold.organisation) and fold(one.organisation) == fold(
            gold.organisation
        )
    mistakes += [f"{fragment.name} ({fragment.layout}): missed {gold}" for gold in left]
    return counts, mistakes


def measure(
    finder: Finder, chosen: Iterator[Fragment] | list[Fragment]
) -> tuple[Counter[str], list[str]]:
    """Counts over some fragments, and the mistakes on those that may be looked at."""
    total: Counter[str] = Counter()
    mistakes: list[str] = []
    for fragment in chosen:
        counts, wrong = judge(finder(fragment), fragment)
        total.update(counts)
        mistakes += [] if fragment.held_out else wrong
    return total, mistakes


def scores(counts: Counter[str]) -> tuple[float, float, float]:
    """Precision, recall and F1."""
    precision, recall = (
        counts["right"] / max(counts["found"], 1),
        counts["right"] / max(counts["gold"], 1),
    )
    return precision, recall, 2 * precision * recall / max(precision + recall, 1e-9)


def rows(folder: str) -> Iterator[tuple[str, list[Fragment]]]:
    """The rows of the table: a set and its halves, or the countries of the world."""
    every = list(fragments(folder))
    if folder == "world":
        for country in sorted({fragment.country for fragment in every}):
            yield (
                f"world {country}",
                [fragment for fragment in every if fragment.country == country],
            )
        return
    yield folder, every
    yield "  developed on", [fragment for fragment in every if not fragment.held_out]
    yield "  held out", [fragment for fragment in every if fragment.held_out]


def quality(console: Console, show_mistakes: bool) -> None:
    from bench.rivals import PYAP_COUNTRIES

    finder = open_finder()
    table = Table(
        "set",
        "finder",
        "fragments",
        "gold",
        "found",
        "precision",
        "recall",
        "F1",
        "parts",
        "owner",
        "false owner",
    )
    table.title = "Addresses: quality"
    mistakes: list[str] = []
    for name, chosen in (row for folder in SETS for row in rows(folder)):
        rivals: list[tuple[str, Finder]] = [("toponaut", partial(ours, finder))]
        rivals += [("pyap", pyaps)] if chosen[0].country in PYAP_COUNTRIES else []
        rivals += [("usaddress", usaddresses)] if chosen[0].country == "US" else []
        for who, rival in rivals:
            counts, wrong = measure(rival, chosen)
            mistakes += wrong if who == "toponaut" and not name.startswith("  ") else []
            parts = counts["parts"] / max(counts["right"], 1)
            figures = [f"{figure:.3f}" for figure in (*scores(counts), parts)]
            owner, false = (
                counts["owner"] / max(counts["owned"], 1),
                1 - counts["owner"] / max(counts["named"], 1),
            )
            figures += [f"{owner:.3f}", f"{false:.3f}"] if who == "toponaut" else ["-", "-"]
            table.add_row(
                name, who, *(str(counts[key]) for key in ("fragments", "gold", "found")), *figures
            )
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
