"""Coverage, focus, overlap, diversity and cost (Gao, Lee and Miao 2006), and accuracy.

The measures of sections 3.2 and 4, for each node and for the whole crawl. At the end: accuracy and
coverage of names (Kozanidis, Stamou and Spyros 2009, section 4).
"""

import numpy as np
from msgspec import Struct

from toponaut.measures.columns import (
    FIRST_NAMES,
    Bools,
    CrawlColumns,
    Floats,
    OwnerCounts,
    distinct,
    mean,
    share,
)

Again = tuple[int, ...]


class NodeMeasures(Struct, frozen=True):
    """The measures of one node, or of all together. None: there is nothing to measure."""

    node: str
    general: bool
    pages: int
    relevant: int
    harvest: float | None
    geo_coverage: float | None
    distinct_coverage: float | None  # the same, a page that two nodes fetched counted once
    geo_focus: float | None  # None also for a general node: it has no territory
    entities: int
    distinct_entities: int
    entity_uniqueness: float | None
    geo_centrality: float | None
    overlap: float | None
    hosts: int
    domains: int  # registered domains
    diversity: float | None  # domains / page, as in the paper
    host_diversity: float | None  # hosts / page
    sent: int
    messages: int
    message_bytes: int
    communication: float | None  # URLs sent to another node / page
    forwarded: float | None  # the same, a URL counted each time it is met (the paper's way)
    received: int  # bytes from the web


class Averages(Struct, frozen=True):
    """Means over nodes."""

    geo_coverage: float | None
    geo_coverage_geographic: float | None  # without general nodes
    pooled_geographic: float | None  # over the pages of these nodes
    geo_focus: float | None


def node_measures(crawl: CrawlColumns, central: Floats, again: Again) -> list[NodeMeasures]:
    """The measures of each node. `central`: the geo-centrality of every vertex. `again`: links of
    other nodes that each node met again (forwarding.py)."""
    return [
        _measured(
            crawl, central, crawl.pages.node == number, node.name, node.general, [number], again
        )
        for number, node in enumerate(crawl.nodes)
    ]


def whole_measures(crawl: CrawlColumns, central: Floats, again: Again) -> NodeMeasures:
    """The measures of all nodes together. Its geo-focus is over the pages of geographic nodes."""
    every = np.ones(len(crawl.pages.node), np.bool_)
    return _measured(crawl, central, every, "all", False, range(len(crawl.nodes)), again)


def _measured(
    crawl: CrawlColumns,
    central: Floats,
    some: Bools,
    name: str,
    general: bool,
    nodes: list[int] | range,
    again: Again,
) -> NodeMeasures:
    pages = crawl.pages
    many = int(some.sum())
    relevant = int(pages.relevant[some].sum())
    marks = crawl.entities.mark[some[crawl.entities.page]]
    once = len(distinct(marks))
    hosts, domains = len(distinct(pages.host[some])), len(distinct(pages.domain[some]))
    sent = sum(crawl.nodes[number].sent for number in nodes)
    return NodeMeasures(
        node=name,
        general=general,
        pages=many,
        relevant=relevant,
        harvest=share(relevant, many),
        geo_coverage=geo_coverage(crawl, some),
        distinct_coverage=share(len(distinct(pages.vertex[some & pages.aware])), many),
        geo_focus=None if general else geo_focus(crawl, some),
        entities=len(marks),
        distinct_entities=once,
        entity_uniqueness=share(once, len(marks)),
        geo_centrality=mean(central[pages.vertex[some]]),
        overlap=share(many - len(distinct(pages.vertex[some])), many),
        hosts=hosts,
        domains=domains,
        diversity=share(domains, many),
        host_diversity=share(hosts, many),
        sent=sent,
        messages=sum(crawl.nodes[number].messages for number in nodes),
        message_bytes=sum(crawl.nodes[number].message_bytes for number in nodes),
        communication=share(sent, many),
        forwarded=share(sent + sum(again[number] for number in nodes if number < len(again)), many),
        received=sum(crawl.nodes[number].received for number in nodes),
    )


def geo_coverage(crawl: CrawlColumns, some: Bools) -> float | None:
    """Pages with at least one address in any target / pages (section 4; Table 3)."""
    return share(crawl.pages.aware[some].sum(), some.sum())


def geo_focus(crawl: CrawlColumns, some: Bools) -> float | None:
    """Of the pages with an address in any target, the share with one in their node's territory.

    Section 4; Table 4. The paper defines a number and prints a share; this is the share.
    """
    geographic = some & np.isin(crawl.pages.node, crawl.geographic)
    return share(crawl.pages.own[geographic].sum(), crawl.pages.aware[geographic].sum())


def averages(crawl: CrawlColumns, nodes: list[NodeMeasures]) -> Averages:
    """Averages over the nodes that fetched anything.

    The paper's Table 3 averages over pages: its row "URL based" has 7.25 %, where the mean of its
    nodes is 8.35 %. Table 4 averages over nodes. For geo-coverage both are given; the average over
    pages is `geo_coverage` of the whole crawl, and `pooled_geographic`.
    """
    fetched = [node for node in nodes if node.pages]
    geographic = [node for node in fetched if not node.general]
    return Averages(
        _mean([node.geo_coverage for node in fetched]),
        _mean([node.geo_coverage for node in geographic]),
        geo_coverage(crawl, np.isin(crawl.pages.node, crawl.geographic)),
        _mean([node.geo_focus for node in geographic]),
    )


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


# --- the cost of the policies (Lemma 2) -----------------------------------------------------------


class Costs(Struct, frozen=True):
    """The cost of a crawl, with a price for a download (b of Lemma 2) and for a URL sent (c)."""

    download: float
    message: float
    total: float  # b * pages + c * URLs sent
    policy_a: float  # under policy A; for a crawl under B, the least that A would have cost
    owners_per_link: float | None  # m of Lemma 2: 1 under policy A
    lemma_a: float | None  # the most that a page and its links cost under policy A
    lemma_b: float | None  # the least that they cost under policy B
    per_relevant: float | None  # total / distinct relevant pages


def costs(
    crawl: CrawlColumns,
    owned: OwnerCounts,
    policy: str,
    download: float = 1.0,
    message: float = 0.01,
) -> Costs:
    """The bandwidth and communication cost of a crawl (section 3.2).

    For a crawl under policy B the log shows the least that A would have cost: the first owner of a
    link is A's, and each page is fetched once. For a crawl under A it does not show B's cost.
    """
    pages = crawl.pages
    total = download * len(pages.node) + message * sum(node.sent for node in crawl.nodes)
    under_a = download * len(crawl.urls) + message * owned.first_away
    owners_per_link = share(owned.owners, owned.links)
    links_per_page = share(owned.links, len(pages.node))
    bounds = (
        lemma_2(download, message, owners_per_link, links_per_page)
        if owners_per_link is not None and links_per_page is not None
        else (None, None)
    )
    return Costs(
        download,
        message,
        total,
        policy_a=total if policy == "A" else under_a,
        owners_per_link=owners_per_link,
        lemma_a=bounds[0],
        lemma_b=bounds[1],
        per_relevant=share(total, len(distinct(pages.vertex[pages.relevant]))),
    )


def lemma_2(b: float, c: float, m: float, links: float) -> tuple[float, float]:
    """Lemma 2: the cost of a page and of all its links under the policies, C(A) <= and C(B) >=.

    C(A) <= b + l (c + b): the page is fetched once, all its l links are sent away. C(B) >= m b +
    l m b: m nodes fetch page and links, and send none. With b > c and m >= 2, A is cheaper.
    """
    return b + links * (c + b), m * b + links * m * b


# --- accuracy (Kozanidis, Stamou and Spyros 2009, section 4, Tables 1 to 3) -----------------------


class Accuracy(Struct, frozen=True):
    """How many of the geographic pages were judged relevant, and how varied their places are."""

    seen: int  # pages that name any place
    aimed: int  # those of them that name a place in a target
    retrieved: int  # those that the crawl judged relevant
    accuracy: float | None  # retrieved / seen, as in the paper
    aimed_accuracy: float | None  # retrieved / aimed
    names: int  # places that pages name, each once per page
    distinct_names: int
    coverage: float | None
    first_coverage: float | None  # of the first FIRST_NAMES places; None with fewer


def accuracy(crawl: CrawlColumns) -> Accuracy:
    """accuracy = |retrieved| / |visited|, coverage = distinct / all location entities in the pages.

    "The fraction of the pages that the crawler retrieved as geographically relevant from all the
    visited pages that have some geographic orientation": pages that name any place. A crawl for a
    few targets also has the share of those that name a target. With relevant = "address", a page
    that only names a place is seen but not retrieved. The log has a place once for each page that
    names it. Coverage falls with the number of names, so it is also given for as many as the paper
    has (Table 2: 1,265).
    """
    pages, names = crawl.pages, crawl.names
    retrieved = int(pages.relevant.sum())
    seen = int((pages.named | pages.relevant).sum())
    aimed = int(((pages.target >= 0) | pages.relevant).sum())
    enough = names.all >= FIRST_NAMES
    return Accuracy(
        seen,
        aimed,
        retrieved,
        share(retrieved, seen),
        share(retrieved, aimed),
        names.all,
        names.distinct,
        share(names.distinct, names.all),
        share(names.first_distinct, FIRST_NAMES) if enough else None,
    )
