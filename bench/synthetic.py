"""Measures the synthetic web: a blind crawl compared with published figures, and the cost of a
page.

    python -m bench.synthetic [PAGES] [SEED]

The crawl is breadth-first with one clock for each host: in each round, every host with waiting URLs
fetches its oldest one. It starts from general directories, goes five links deep into a host, and
reads the web's own truth, without name finder or address finder.

Geographic locality (Gao et al., Table 11): of the linked pairs of pages that both have a target,
the share that have the same; and the same share among random pairs. A page's target is the one in
its URL, or (by content) the most frequent one in its text.
"""

import sys
import time
from collections import Counter, deque
from statistics import median, quantiles

from msgspec import Struct
from rich.console import Console
from rich.table import Table

from toponaut.job.targets import us_top_100
from toponaut.page.parse import parse
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.records import Response
from toponaut.synthetic import SyntheticSettings, SyntheticWeb
from toponaut.synthetic.truth import PageTruth, page_truth
from toponaut.urls import host_of, join

PAGES, DEPTH, SEEDS = 20_000, 5, 30


class CrawledPage(Struct):
    """A page of the sample."""

    url: str
    parent: int  # the page it was found on; -1: a seed
    links: tuple[str, ...]
    size: int
    truth: PageTruth


class WaitingUrl(Struct):
    url: str
    parent: int
    depth: int


def blind_crawl(web: SyntheticWeb, pages: int) -> tuple[list[CrawledPage], Counter[str]]:
    """The pages of a blind crawl in order, and the outcomes of its requests."""
    hosts: dict[str, deque[WaitingUrl]] = {}
    turns: deque[str] = deque()
    seen: set[str] = set()
    met: list[CrawledPage] = []
    outcomes: Counter[str] = Counter()

    def put(url: str, parent: int, depth: int) -> None:
        if url in seen or depth > DEPTH:
            return
        seen.add(url)
        host = host_of(url)
        if host not in hosts:
            hosts[host] = deque()
            turns.append(host)
        hosts[host].append(WaitingUrl(url, parent, depth))

    for url in web.seeds("directory", SEEDS):
        put(url, -1, 0)
    while turns and len(met) < pages:
        host = turns.popleft()
        one = hosts[host].popleft()
        answer = web.page(one.url)
        outcomes[str(answer.fault or answer.status)] += 1
        headers = dict(answer.headers)
        if answer.status == 301:
            put(join(one.url, headers["location"]) or one.url, one.parent, one.depth)
        elif answer.status == 200:
            page = parse(Response(one.url, 200, answer.body, headers["content-type"]))
            links = tuple(dict.fromkeys(link.url for link in page.links))
            met.append(
                CrawledPage(one.url, one.parent, links, len(answer.body), page_truth(web, one.url))
            )
            for link in links:
                put(link, len(met) - 1, one.depth + 1 if host_of(link) == host else 0)
        if hosts[host]:
            turns.append(host)
        else:
            del hosts[host]
    return met, outcomes


def locality(met: list[CrawledPage], chosen: list[int]) -> tuple[float, float, int]:
    """Shares of linked and of all pairs with the same target; number of pairs.

    `chosen`: the target of each page; 0: no target.
    """
    number = {one.url: k for k, one in enumerate(met)}
    same = pairs = 0
    for k, one in enumerate(met):
        for link in one.links if chosen[k] else ():
            other = number.get(link)
            if other is not None and other != k and chosen[other]:
                pairs += 1
                same += chosen[k] == chosen[other]
    counts = Counter(place for place in chosen if place)
    total = sum(counts.values())
    unlinked = sum(count * (count - 1) for count in counts.values()) / max(total * (total - 1), 1)
    return same / max(pairs, 1), unlinked, pairs


def bridges(
    met: list[CrawledPage], relevant: list[bool], *, from_seeds: bool = True
) -> Counter[int]:
    """Pages between a relevant page and the last relevant one on the path to it, or the seed.

    Without `from_seeds`, counts only pages reached from a relevant page: few in a short crawl.
    """
    found: Counter[int] = Counter()
    for k, one in enumerate(met):
        if not relevant[k]:
            continue
        between, at = 0, one.parent
        # A seed counts as relevant, as in a crawl.
        while at >= 0 and not relevant[at] and met[at].parent >= 0:
            between, at = between + 1, met[at].parent
        if from_seeds or (at >= 0 and relevant[at]):
            found[between] += 1
    return found


def report(
    web: SyntheticWeb, met: list[CrawledPage], outcomes: Counter[str], targets: set[int]
) -> Table:
    """The figures compared with the published ones."""
    relevant = [any(one.place in targets for one in page.truth.addresses) for page in met]
    by_url = [page.truth.in_url if page.truth.in_url in targets else 0 for page in met]
    by_content = [
        next((place for place in page.truth.places if place in targets), 0) for page in met
    ]
    url_linked, url_any, url_pairs = locality(met, by_url)
    text_linked, text_any, text_pairs = locality(met, by_content)
    between = bridges(met, relevant)
    links, sizes = [len(page.links) for page in met], [page.size / 1000 for page in met]
    count = len(met)
    table = Table(
        "", "here", "published", title=f"{count:,} pages of a blind crawl, seed {web.settings.seed}"
    )
    rows = (
        ("pages with an address in a target", f"{sum(relevant) / count:.2%}", "0.86 % (Gao, hash)"),
        (
            "pages with any address",
            f"{sum(bool(page.truth.addresses) for page in met) / count:.1%}",
            "",
        ),
        (
            "pages that name any place",
            f"{sum(bool(page.truth.places) for page in met) / count:.1%}",
            "10-20 % (in Ahlers)",
        ),
        ("distinct addresses of targets", _distinct(met, targets), "0.35 (Gao, hash, 12.8 M)"),
        (
            "with a target's name in the URL: relevant",
            _share([yes for yes, place in zip(relevant, by_url, strict=True) if place]),
            "",
        ),
        ("URL: linked pages share the target", f"{url_linked:.3f} of {url_pairs:,}", "0.416 (Gao)"),
        ("URL: unlinked pages do", f"{url_any:.4f}", "0.0258 (Gao)"),
        (
            "content: linked pages share the target",
            f"{text_linked:.3f} of {text_pairs:,}",
            "0.263 (Gao)",
        ),
        ("content: unlinked pages do", f"{text_any:.4f}", "0.0116 (Gao)"),
        (
            "relevant pages after bridges",
            f"{1 - between[0] / max(sum(between.values()), 1):.0%}",
            "over half (Ahlers)",
        ),
        (
            "of those that a relevant page led to",
            _bridged(bridges(met, relevant, from_seeds=False)),
            "over half (Ahlers)",
        ),
        ("bridge pages in between: 0, 1, 2, 3, more", _spread(between), ""),
        ("URLs that name a target", f"{sum(map(bool, by_url)) / count:.1%}", ""),
        ("texts that name a target", f"{sum(map(bool, by_content)) / count:.1%}", ""),
        ("links a page: median, mean, 90th percentile", _shape(links), "49, -, 199 (Almanac)"),
        ("HTML in KB: median, mean, 90th percentile", _shape(sizes), "18 packed (Almanac)"),
        (
            "hosts a page",
            f"{len({host_of(page.url) for page in met}) / count:.3f}",
            "0.081 (Gao, hash, 12.8 M)",
        ),
        ("requests without a page", f"{1 - outcomes['200'] / outcomes.total():.1%}", ""),
        ("kinds of sites", _kinds(page.truth.kind for page in met), ""),
        (
            "pages whose URL names a target",
            _kinds(page.truth.kind for page, place in zip(met, by_url, strict=True) if place),
            "",
        ),
        (
            "kinds of relevant pages",
            _kinds(page.truth.kind for page, yes in zip(met, relevant, strict=True) if yes),
            "",
        ),
    )  # fmt: skip
    for row in rows:
        table.add_row(*row)
    return table


def _distinct(met: list[CrawledPage], targets: set[int]) -> str:
    found = [one.normal for page in met for one in page.truth.addresses if one.place in targets]
    return f"{len(set(found)) / max(len(found), 1):.2f} of {len(found)}"


def _share(values: list[bool]) -> str:
    return f"{sum(values) / max(len(values), 1):.1%} of {len(values):,}"


def _kinds(names: object) -> str:
    counts = Counter(names)  # type: ignore[call-overload]
    return ", ".join(
        f"{name} {share / counts.total():.1%}" for name, share in counts.most_common(9)
    )


def _bridged(between: Counter[int]) -> str:
    return f"{1 - between[0] / max(between.total(), 1):.0%} of {between.total()}"


def _spread(between: Counter[int]) -> str:
    total = max(sum(between.values()), 1)
    shares = [between[k] / total for k in range(4)]
    return ", ".join(f"{share:.0%}" for share in [*shares, 1 - sum(shares)])


def _shape(values: list[int] | list[float]) -> str:
    return (
        f"{median(values):.0f}, {sum(values) / len(values):.0f}, {quantiles(values, n=10)[-1]:.0f}"
    )


def cost(web: SyntheticWeb, met: list[CrawledPage]) -> float:
    """CPU time to make a page in ms, best of five rounds."""
    some = [page.url for page in met[:: max(len(met) // 500, 1)]]

    def once() -> float:
        start = time.process_time()
        for url in some:
            web.page(url)
        return (time.process_time() - start) * 1000 / len(some)

    return min(once() for _ in range(5))


def main() -> None:
    """Print the table."""
    pages, seed = (*map(int, sys.argv[1:]), *(PAGES, 0)[len(sys.argv) - 1 :])
    gazetteer = open_gazetteer()
    start = time.process_time()
    web = SyntheticWeb(gazetteer, SyntheticSettings(seed=seed))
    opening = time.process_time() - start
    met, outcomes = blind_crawl(web, pages)
    targets = {place.id for place in us_top_100(gazetteer)}
    Console(width=150).print(report(web, met, outcomes, targets))
    print(f"a page takes {cost(web, met):.2f} ms of CPU, opening the web {opening:.1f} s")


if __name__ == "__main__":
    main()
