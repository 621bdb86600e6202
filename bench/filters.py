"""CPU time of the link filters, the simhash and the flood guard, and what simhash can distinguish.

    python -m bench.filters

A link may take 2.5 us on average, the simhash of 14,000 characters 60 us (best of several rounds).
The table below shows how often two variants of a page come within the flood guard's bound.
"""

import random
import time
from collections.abc import Callable, Sequence

from bench.parse import _WORDS, page
from toponaut.gate.flood import CLOSE, FloodGuard
from toponaut.gate.links import LinkFilter
from toponaut.gate.simhash import distance, simhash
from toponaut.job.sections import LimitsSection
from toponaut.page.parse import parse
from toponaut.records import Response

PAGES = 20
ROUNDS = 15
LINK_LIMIT = 2.5
TEXT_LIMIT = 60.0
VARIANTS = 300


def microseconds(work: Callable[[], object], count: int) -> float:
    """CPU time for one of `count`, in the best of ROUNDS rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        begin = time.process_time()
        work()
        best = min(best, time.process_time() - begin)
    return best / count * 1e6


def speeds() -> None:
    pages = [
        parse(Response("https://www.example-times.com/", 200, page(seed), "text/html"))
        for seed in range(PAGES)
    ]
    links = [(link.url, link.rel) for one in pages for link in one.links]
    links += [
        (f"https://www.example.com/events/{2000 + n}/05/?id={n}&page=2", ()) for n in range(100)
    ]
    links += [(f"https://www.example.com/wp-content/2024/photo-{n}.jpg", ()) for n in range(100)]
    texts = [one.text for one in pages]
    refuse = LinkFilter(
        LimitsSection(exclude=(r"/print/",)), obey_nofollow=True, this_year=2026
    ).refuse
    guard = FloodGuard()
    hashes = [random.Random(seed).getrandbits(64) for seed in range(1000)]
    link = microseconds(lambda: [refuse(url, 2, rel) for url, rel in links], len(links))
    text = microseconds(lambda: [simhash(text) for text in texts], len(texts))
    flood = microseconds(lambda: [guard.seen("example.com", one) for one in hashes], len(hashes))
    letters = sum(map(len, texts)) // len(texts)
    print(f"LinkFilter.refuse   {link:6.2f} us a link ({len(links)} links; limit {LINK_LIMIT})")
    print(
        f"simhash             {text:6.1f} us a text of {letters:,} characters (limit "
        f"{TEXT_LIMIT:.0f})"
    )
    print(f"FloodGuard.seen     {flood:6.2f} us a page")


def words(rng: random.Random, vocabulary: Sequence[str], count: int) -> str:
    """Running text: a few words make up most of it, as in any language."""
    return " ".join(
        rng.choices(vocabulary, [1 / (rank + 3) for rank in range(len(vocabulary))], k=count)
    )


def variants(
    rng: random.Random, vocabulary: Sequence[str], length: int
) -> dict[str, tuple[str, str]]:
    """Pairs of texts by what differs between them."""
    sentences = [words(rng, vocabulary, 15) for _ in range(length // 15)]
    text = " ".join(sentences)
    changed = list(sentences)
    changed[rng.randrange(len(changed))] = words(rng, vocabulary, 15)
    pairs = {
        "one sentence": (text, " ".join(changed)),
        "the date": (f"{text}\nSaturday, 12 May 2024 14:33", f"{text}\nSunday, 13 May 2024 09:10"),
        "a menu item": (
            f"{words(rng, vocabulary, 6)}\n{text}",
            f"{words(rng, vocabulary, 6)}\n{text}",
        ),
    }
    for own in (10, 20, 50):
        count = length * own // 100
        template = words(rng, vocabulary, length - count)
        one, other = words(rng, vocabulary, count), words(rng, vocabulary, count)
        pairs[f"{own} % of the words"] = (f"{template} {one}", f"{template} {other}")
    pairs["everything"] = (text, words(rng, vocabulary, length))
    return pairs


def distances() -> None:
    rng = random.Random(1)
    made = [
        "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 9))) for _ in range(5000)
    ]
    print(f"\n{'what differs':22}{'words':>7}{'median bits':>13}{f'within {CLOSE}':>12}")
    for length in (200, 1000, 2400):
        found: dict[str, list[int]] = {}
        for _ in range(VARIANTS):
            for name, (one, other) in variants(rng, [*_WORDS, *made], length).items():
                found.setdefault(name, []).append(distance(simhash(one), simhash(other)))
        for name, bits in found.items():
            close = sum(one <= CLOSE for one in bits) / len(bits)
            print(f"{name:22}{length:7}{sorted(bits)[len(bits) // 2]:13}{close:12.0%}")


if __name__ == "__main__":
    speeds()
    distances()
