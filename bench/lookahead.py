"""What lookahead costs: CPU ms for the 60 links of a page, for a visit that teaches, and bytes for
each link that waits.

    python -m bench.lookahead

The pages are those of bench/parse.py: local news, 25 KB, 60 links, a third of them to other hosts.
The models are empty, or trained with all links of 200 such pages, of which those are relevant whose
text has "restaurant" in it and 2 % of the others; every link was found on the page of the link
before it, so that a visit teaches at all three depths. Best of some rounds.

Then how well the smoothing of ordering/link_bayes.py separates links, compared with Laplace's
formula: links of 4 to 40 words drawn by Zipf's law, where in relevant ones every twelfth word is
one of 40 that speak for them. The area under the ROC curve (0.5 is chance) should be large, the
mean of P as large as the share of relevant links.
"""

import random
import tracemalloc
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from bench.parse import LINKS, URL, milliseconds, page
from toponaut.page.parse import parse
from toponaut.places.gazetteer.cache import open_names
from toponaut.places.names.tokens import Tokeniser
from toponaut.records import JudgedPage, Outcome, QueuedLink, Response, Visit
from toponaut.strategy.ordering.link_bayes import PRIOR_LINKS, LinkModels
from toponaut.strategy.ordering.link_terms import read_links
from toponaut.strategy.ordering.lookahead import Lookahead
from toponaut.strategy.ordering.trail import LENGTH, Trail

PAGES, TRAINED, ROUNDS = 20, 200, 25
LIMIT_MS = 0.35
CAME = QueuedLink(URL, 0.5, score=0.5)
VOCABULARY, SPEAKING, TESTED = 60_000, 40, 3000

Floats = NDArray[np.float64]


def main() -> None:
    """Prints both tables."""
    tokeniser = open_names().gazetteer.names.tokeniser
    pages = [
        JudgedPage(parse(Response(URL, 200, page(seed), "text/html"))) for seed in range(TRAINED)
    ]
    empty, trained = Lookahead(tokeniser, 0.5, 3), Lookahead(tokeniser, 0.5, 3)
    taught = visits(trained, pages)
    for visit in taught:
        trained.learn(visit)
    Console(width=110).print(costs(tokeniser, empty, trained, pages[:PAGES], taught))
    Console(width=110).print(smoothing())


def visits(ordering: Lookahead, pages: Sequence[JudgedPage]) -> list[Visit]:
    chance = random.Random(1)
    rated = [
        (link, answer.memo)
        for judged in pages
        for link, answer in zip(
            judged.page.links, ordering.rate(CAME, judged, judged.page.links), strict=True
        )
    ]
    return [
        Visit(
            number, "Cn1", link.url, 200, Outcome.FETCHED, found_by=number - 1, ordering_memo=memo,
            relevant="restaurant" in link.anchor or chance.random() < 0.02,
        )
        for number, (link, memo) in enumerate(rated)
    ]  # fmt: skip


def costs(
    tokeniser: Tokeniser,
    empty: Lookahead,
    trained: Lookahead,
    pages: Sequence[JudgedPage],
    taught: Sequence[Visit],
) -> Table:
    rows = Table("lookahead", "", title=f"{LINKS} links of a page, all new")
    for name, ordering in {"empty": empty, "trained": trained}.items():
        cost = best(partial(rate, ordering), pages)
        rows.add_row(f"rate, {name} models, CPU ms (about {LIMIT_MS})", f"{cost:.3f}")
    read = best(
        lambda judged: read_links(tokeniser, URL, judged.page.text, judged.page.links), pages
    )
    rows.add_row("  of that, reading the links", f"{read:.3f}")
    answers = [Response(URL, 200, page(seed), "text/html") for seed in range(PAGES)]
    rows.add_row("parsing the page, for comparison", f"{best(parse, answers):.3f}")
    queued = [
        QueuedLink(visit.url, 0.5, score=0.25, ordering_memo=visit.ordering_memo)
        for visit in taught[:1000]
    ]
    rows.add_row("again, CPU ms a link", f"{best(trained.again, queued):.3f}")
    rows.add_row("learn, CPU ms a visit, three depths", f"{best(trained.learn, taught[:1000]):.3f}")
    memos = [len(visit.ordering_memo) for visit in taught]
    rows.add_row(
        "memo, bytes a link: mean, largest", f"{sum(memos) / len(memos):.0f}, {max(memos)}"
    )
    rows.add_row(f"trail of {LENGTH:,} visits, MB", f"{trail_bytes(taught) * LENGTH / 1e6:.0f}")
    rows.add_row(
        f"models after {len(taught):,} visits, saved, MB", f"{len(trained.dump()) / 1e6:.1f}"
    )
    return rows


def rate(ordering: Lookahead, judged: JudgedPage) -> object:
    return ordering.rate(CAME, judged, judged.page.links)


def trail_bytes(taught: Sequence[Visit]) -> float:
    """Memory a visit."""
    tracemalloc.start()
    trail = Trail(len(taught))
    for visit in taught:
        trail.add(visit)
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return size / len(taught)


def best(work: Callable[[Any], object], on: Sequence[object]) -> float:
    return min(milliseconds(work, on) for _ in range(ROUNDS))


# --- smoothing ------------------------------------------------------------------------------------


def smoothing() -> Table:
    rows = Table(
        "relevant",
        "learned",
        "ours: area",
        "mean of P",
        "Laplace's alone: area",
        "mean of P",
        title="Smoothing",
    )
    for share in (0.02, 0.1, 0.4):
        for size in (300, 3000, 30_000):
            chance = np.random.default_rng(size)
            speaking = chance.choice(np.arange(150, 1500), SPEAKING, replace=False)
            known, new = (
                links(chance, speaking, share, size),
                links(chance, speaking, share, TESTED),
            )
            models = LinkModels(1)
            for words, relevant in known:
                models.learn(words, 1, relevant)
            ours = np.array(
                [models.judge(words, np.array([0, len(words)])).chances[0, 0] for words, _ in new]
            )
            answers = ours, laplace(known, new)
            truth = np.array([relevant for _, relevant in new])
            cells = [
                text
                for chances in answers
                for text in (f"{area(chances, truth):.2f}", f"{chances.mean():.2f}")
            ]
            rows.add_row(f"{share:.0%}", f"{size:,}", *cells)
    return rows


Sample = list[tuple[NDArray[np.int64], bool]]


def links(
    chance: np.random.Generator, speaking: NDArray[np.int64], share: float, size: int
) -> Sample:
    frequency = 1 / np.arange(1, VOCABULARY + 1) ** 1.05
    drawn: Sample = []
    for _ in range(size):
        words = chance.choice(VOCABULARY, chance.integers(4, 40), p=frequency / frequency.sum())
        relevant = bool(chance.random() < share)
        if relevant:
            changed = chance.random(len(words)) < 1 / 12
            words[changed] = chance.choice(speaking, int(changed.sum()))
        drawn.append((np.unique(words), relevant))
    return drawn


def laplace(known: Sample, new: Sample) -> Floats:
    """P(relevant) with p(t | class) = (n + 1) / (N + 2)."""
    counts, sizes = np.zeros((VOCABULARY, 2)), np.zeros(2)
    for words, relevant in known:
        counts[words, int(relevant)] += 1
        sizes[int(relevant)] += 1
    terms = np.log((counts + 1) / (sizes + 2))
    prior = np.log(sizes + np.array(PRIOR_LINKS))
    odds = np.array([np.diff(prior + terms[words].sum(axis=0))[0] for words, _ in new])
    return np.asarray(1 / (1 + np.exp(-odds)))


def area(chances: Floats, truth: NDArray[np.bool_]) -> float:
    """Under the ROC curve: how often a relevant link is given more than another one."""
    ranks = chances.argsort(kind="stable").argsort() + 1
    hits = int(truth.sum())
    return float((ranks[truth].sum() - hits * (hits + 1) / 2) / (hits * (len(truth) - hits)))


if __name__ == "__main__":
    main()
