"""Building the record of a visit, and the part of it that goes into the archive."""

from typing import TypedDict, Unpack

from msgspec.structs import replace

from toponaut.archive.writer import RecordLocation
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
from toponaut.strategy.collaboration import Assignment
from toponaut.strategy.ordering import Rating
from toponaut.urls import host_of
from toponaut.watch.facts import facts_of


class VisitDecisions(TypedDict, total=False):
    """The fields of a Visit that hold the node's decisions."""

    links: tuple[ScoredLink, ...]
    known: tuple[int, ...]
    refused: tuple[RefusedLink, ...]
    canonical: str
    rules_of: str
    retry: bool
    dropped: int


EMPTY_PAGE = JudgedPage(Page(""))


def make_visit(
    sequence: int,
    node: str,
    now: float,
    queued: QueuedLink,
    fetched: Response,
    outcome: Outcome,
    stamp: float = 0.0,
    judged: JudgedPage = EMPTY_PAGE,
    **decisions: Unpack[VisitDecisions],
) -> Visit:
    """The visit of a link: its response, its page, and the decisions on both."""
    page = judged.page
    headers = dict(fetched.headers)
    return Visit(
        sequence=sequence,
        node=node,
        url=queued.url,
        status=fetched.status,
        outcome=outcome,
        detail=_redirected_to(fetched) if outcome is Outcome.REDIRECT else fetched.detail,
        time=fetched.started or now,
        seconds=fetched.seconds,
        retry_after=fetched.retry_after,
        ip=fetched.ip,
        content_type=fetched.content_type,
        size=len(fetched.response_head) + len(fetched.payload),
        promise=queued.promise,
        price=queued.price,
        depth=queued.depth,
        hops=queued.hops,
        found_by=queued.found_by,
        tries=queued.tries,
        score=queued.score,
        redirects=queued.redirects,
        sitemap=queued.sitemap,
        requisite=queued.requisite,
        revisit=queued.revisit,
        rendered=bool(fetched.rendered),
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
        own_scope=judged.own_scope,
        home=judged.home,
        relevant=judged.relevant,
        registrant=judged.registrant,
        facts=facts_of(judged) if judged is not EMPTY_PAGE else 0,
        **decisions,
    )


def _redirected_to(fetched: Response) -> str:
    return f"to {fetched.location}" if fetched.location else "to a non-HTTP URL"


def redirect_target(visit: Visit) -> str:
    """The URL that a visit was redirected to."""
    is_url = visit.outcome is Outcome.REDIRECT and "://" in visit.detail
    return visit.detail.removeprefix("to ") if is_url else ""


def asked_host(visit: Visit) -> str:
    """The host that a request was for: its robots.txt may have come from another."""
    return host_of(visit.rules_of or visit.url)


def make_note(
    sequence: int,
    node: str,
    now: float,
    stamp: float,
    outcome: Outcome,
    detail: str,
    links: tuple[ScoredLink, ...],
) -> Visit:
    """The record of something that is not a request."""
    return Visit(sequence, node, "", 0, outcome, detail, time=now, links=links, stamp=stamp)


def archive_metadata(visit: Visit) -> dict[str, str]:
    """The WARC metadata record of a visit."""
    return {
        "node": visit.node,
        "outcome": str(visit.outcome),
        "promise": f"{visit.promise:.6g}",
        "hopsFromSeed": str(visit.hops),
        "relevant": "yes" if visit.relevant else "no",
        "addresses": str(len(visit.addresses)),
        "outlinks": str(len(visit.links) + len(visit.known)),
    }


def archived_visit(visit: Visit, location: RecordLocation) -> Visit:
    """A visit with the location of its response in the archive."""
    return replace(
        visit,
        digest=location.digest,
        archive=location.file,
        offset=location.offset,
        length=location.length,
    )


def with_sunk(visit: Visit, sunk: dict[str, float]) -> Visit:
    """A visit with the links that sank since the last one, and their promises."""
    return replace(visit, sunk=tuple(sunk), sunk_to=tuple(sunk.values())) if sunk else visit


def scored_link(
    url: str, rating: Rating, owner: Assignment, depth: int, hops: int, anchor: str
) -> ScoredLink:
    """A link with the decisions of ordering and collaboration."""
    return ScoredLink(
        url, rating.promise, owner.owners, depth, hops, rating.score, 0, False, anchor,
        rating.why, owner.why, rating.memo, owner.memo,
    )  # fmt: skip
