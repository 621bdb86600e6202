"""Links that wait and are rated again by another page that holds them: the best rating stays.

Only those whose promise rises are logged and queued, so the log and the frontier grow by
improvements alone. If a URL has one owner, links that wait at any node of the process are rated;
otherwise only those of the node's own frontier, and no message is sent.
"""

from collections.abc import Collection, Sequence

from toponaut.crawl.parts import CrawlParts
from toponaut.exchange import NOWHERE
from toponaut.frontier import Frontier
from toponaut.gate.gate import SortedLinks
from toponaut.records import Link, Refusal, RefusedLink
from toponaut.strategy.ordering import Rating
from toponaut.urls import fingerprint


def known_links(
    parts: CrawlParts,
    frontier: Frontier,
    relevant: bool,
    urls: list[str],
    prints: list[int],
    plain: list[int],
    met: list[bool],
) -> tuple[list[bool], dict[str, float]]:
    """Which links of a page are skipped, and the promises of those that are rated again.

    `prints`, `plain`: fingerprints of the URLs, keyed and not; `met`: the node knows them.
    """
    if not relevant and not parts.ordering.rates_again:
        return met, {}
    if parts.one_owner:
        held = parts.exchange.holdings(urls, plain)
        known = [
            one is not NOWHERE or (before and not relevant)
            for one, before in zip(held, met, strict=True)
        ]
        return links_to_rate_again(urls, known, [one.promise for one in held])
    if relevant and not parts.collaboration.by_url_alone:
        return [False] * len(met), {}  # the page may give them to other owners
    known = frontier.holds(prints) if relevant else met
    return links_to_rate_again(urls, known, frontier.promises(prints, plain))


def links_to_rate_again(
    urls: Sequence[str], met: Sequence[bool], promises: Sequence[float | None]
) -> tuple[list[bool], dict[str, float]]:
    """Which links of a page are skipped, and the promises of those that are rated again.

    `met`: known before; `promises`: None: it does not wait.
    """
    waiting = {
        url: promise for url, promise in zip(urls, promises, strict=True) if promise is not None
    }
    return [before and one is None for before, one in zip(met, promises, strict=True)], waiting


def without_worse(
    parted: SortedLinks, rated: Sequence[Rating | None], waiting: Collection[str]
) -> tuple[SortedLinks, list[Rating]]:
    """Leave out waiting links that are not rated higher, and refuse links that may not enter."""
    kept: list[tuple[Link, int, Rating]] = []
    known, refused = list(parted.known), list(parted.refused)
    for link, depth, rating in zip(parted.wanted, parted.depths, rated, strict=True):
        if rating is not None and rating.enters:
            kept.append((link, depth, rating))
        elif link.url in waiting:
            known.append(fingerprint(link.url))
        else:
            refused.append(RefusedLink(link.url, Refusal.NO_PLACE))
    links, depths = [link for link, _, _ in kept], [depth for _, depth, _ in kept]
    sorted_links = SortedLinks(links, depths, tuple(known), tuple(refused))
    return sorted_links, [rating for _, _, rating in kept]
