"""Links that wait and are rated again by another page that holds them: the best rating stays.

Only links in the node's own frontier are rated again, and only those whose promise rises are logged
and queued, so the log and the frontier grow by improvements alone, and no message is sent.
"""

from collections.abc import Mapping, Sequence

from toponaut.gate.gate import SortedLinks
from toponaut.records import Link, Refusal, RefusedLink
from toponaut.strategy.ordering import Rating
from toponaut.urls import fingerprint


def links_to_rate_again(
    links: Sequence[Link],
    at: Mapping[int, int],
    met: Sequence[bool],
    promises: Sequence[float | None],
) -> tuple[list[bool], dict[str, float]]:
    """Which links of a page are not rated, and the promises of those that are rated again.

    `at`: fingerprint -> index in `links`; `met`: known before; `promises`: None: it does not wait.
    """
    waiting = {
        links[index].url: promise
        for index, promise in zip(at.values(), promises, strict=True)
        if promise is not None
    }
    known = [before and one is None for before, one in zip(met, promises, strict=True)]
    return known, waiting


def without_worse(
    parted: SortedLinks, rated: Sequence[Rating], waiting: Mapping[str, float]
) -> tuple[SortedLinks, list[Rating]]:
    """Leave out waiting links that are not rated higher, and refuse links that may not enter."""
    both = list(zip(parted.wanted, parted.depths, rated, strict=True))
    kept = [
        one
        for one in both
        if one[2].enters and one[2].promise > waiting.get(one[0].url, float("-inf"))
    ]
    refused = [
        *parted.refused,
        *(RefusedLink(link.url, Refusal.NO_PLACE) for link, _, rating in both if not rating.enters),
    ]
    better = {link.url for link, _, _ in kept}
    known = [fingerprint(url) for url in waiting if url not in better]
    parted = SortedLinks(
        [link for link, _, _ in kept],
        [depth for _, depth, _ in kept],
        (*parted.known, *known),
        tuple(one for one in refused if one.url not in waiting),
    )
    return parted, [rating for _, _, rating in kept]
