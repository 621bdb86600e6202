"""Links that wait and are rated again by another page that holds them: the best rating stays.

Only links in the node's own frontier are rated again, and only those whose promise rises are logged
and queued, so the log and the frontier grow by improvements alone, and no message is sent.
"""

from collections.abc import Collection, Sequence

from toponaut.gate.gate import SortedLinks
from toponaut.records import Link, Refusal, RefusedLink
from toponaut.strategy.ordering import Rating
from toponaut.urls import fingerprint


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
