"""All measures of a crawl as one tree, which is written to JSON.

It has no times and no paths: two identical crawls have identical measures.
"""

import numpy as np
from msgspec import Struct

from toponaut.measures import coverage
from toponaut.measures.columns import CrawlColumns, OwnerCounts, PlaceCount
from toponaut.measures.completeness import Estimate, by_hosts, by_nodes
from toponaut.measures.graph import Graph
from toponaut.measures.harvest import (
    Bridges,
    Distances,
    HarvestCurve,
    WeightsAt,
    bridges,
    distances,
    harvest,
    weights_over,
)  # fmt: skip
from toponaut.measures.link_measures import Locality, centrality, localities
from toponaut.measures.truth import AgainstTruth
from toponaut.records import Record


class MeasureSetup(Struct, frozen=True):
    """The strategies of a crawl, and the parameters of the measures."""

    collaboration: str
    policy: str
    ordering: str
    targets: int
    seeds: int
    k: int = 2  # links that geo-centrality looks ahead
    m: float = 10.0  # discount factor per link there
    download_cost: float = 1.0  # b of Lemma 2
    message_cost: float = 0.01  # c of Lemma 2


class Measures(Record, frozen=True):
    """The measures of the four papers, and some more."""

    setup: MeasureSetup
    visits: int
    whole: coverage.NodeMeasures
    nodes: tuple[coverage.NodeMeasures, ...]
    averages: coverage.Averages
    costs: coverage.Costs
    locality: tuple[Locality, ...]  # by content, by URL, and by a classifier
    links: int  # between pages of the crawl
    harvest: HarvestCurve
    bridges: Bridges
    distances: Distances
    weights: tuple[WeightsAt, ...]
    accuracy: coverage.Accuracy
    completeness: tuple[Estimate, ...]
    places: tuple[PlaceCount, ...]
    truth: AgainstTruth | None = None


def measure(
    crawl: CrawlColumns,
    graph: Graph,
    owned: OwnerCounts,
    setup: MeasureSetup,
    others: tuple[Estimate, ...] = (),
    truth: AgainstTruth | None = None,
) -> Measures:
    """All measures. `others`: estimates made with other crawls."""
    pages = crawl.pages
    vertices = len(crawl.urls)
    aware = np.zeros(vertices, np.bool_)
    aware[pages.vertex[pages.aware]] = True
    central = centrality(graph, aware, setup.k, setup.m)
    again = owned.met_again
    nodes = coverage.node_measures(crawl, central, again)
    return Measures(
        setup=setup,
        visits=crawl.visits,
        whole=coverage.whole_measures(crawl, central, again),
        nodes=tuple(nodes),
        averages=coverage.averages(crawl, nodes),
        costs=coverage.costs(crawl, owned, setup.policy, setup.download_cost, setup.message_cost),
        locality=localities(crawl, graph),
        links=len(graph.target),
        harvest=harvest(pages.relevant),
        bridges=bridges(pages.relevant, pages.parent),
        distances=distances(pages),
        weights=weights_over(pages.weight, pages.relevant),
        accuracy=coverage.accuracy(crawl),
        completeness=(*others, by_hosts(crawl), *by_nodes(crawl)),
        places=crawl.places,
        truth=truth,
    )
