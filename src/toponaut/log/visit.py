"""The record of a visit, from the link that was taken and what came of it; and what the archive says about it."""

from typing import TypedDict, Unpack

from toponaut.records import (
    JudgedPage,
    Outcome,
    Page,
    QueuedLink,
    RefusedLink,
    Response,
    ScoredLink,
    Visit,
)


class Decided(TypedDict, total=False):
    """What a node decides on a visit, by the names of the fields of a Visit."""

    links: tuple[ScoredLink, ...]
    known: tuple[int, ...]
    refused: tuple[RefusedLink, ...]
    retry: bool
    dropped: int


NOTHING_READ = JudgedPage(Page(""))


def visit_of(
    sequence: int,
    node: str,
    now: float,
    queued: QueuedLink,
    fetched: Response,
    outcome: Outcome,
    stamp: float = 0.0,
    judged: JudgedPage = NOTHING_READ,
    **decided: Unpack[Decided],
) -> Visit:
    """A visit with all that the link, the answer and the page tell, and what was decided on it."""
    page = judged.page
    headers = dict(fetched.headers)
    return Visit(
        sequence=sequence,
        node=node,
        url=queued.url,
        status=fetched.status,
        outcome=outcome,
        detail=fetched.detail,
        time=fetched.started or now,
        seconds=fetched.seconds,
        ip=fetched.ip,
        content_type=fetched.content_type,
        size=len(fetched.response_head) + len(fetched.payload),
        promise=queued.promise,
        depth=queued.depth,
        hops=queued.hops,
        found=queued.found,
        tries=queued.tries,
        score=queued.score,
        redirects=queued.redirects,
        sitemap=queued.sitemap,
        ordering_memo=queued.ordering_memo,
        owner_memo=queued.owner_memo,
        etag=headers.get("etag", ""),
        modified=headers.get("last-modified", ""),
        stamp=stamp,
        simhash=judged.simhash,
        title=page.title,
        description=page.description,
        language=page.language,
        text=page.text,
        addresses=judged.addresses,
        scope=judged.scope,
        relevant=judged.relevant,
        registrant=judged.registrant,
        **decided,
    )


def decisions(visit: Visit) -> dict[str, str]:
    """What the archive says about a visit beside its bytes."""
    return {
        "node": visit.node,
        "outcome": str(visit.outcome),
        "promise": f"{visit.promise:.6g}",
        "hopsFromSeed": str(visit.hops),
        "relevant": "yes" if visit.relevant else "no",
        "addresses": str(len(visit.addresses)),
        "outlinks": str(len(visit.links) + len(visit.known)),
    }
