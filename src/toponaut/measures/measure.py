"""All measures of a crawl, as one tree that is written to JSON as it stands.

There is no clock in it and no path: two crawls that did the same have the same bytes.
"""

import numpy as np
from msgspec import Struct

from toponaut.measures.accuracy import Accuracy, accuracy
from toponaut.measures.bridges import Bridges, Distances, bridges, distances
from toponaut.measures.centrality import centrality
from toponaut.measures.completeness import Estimate, by_hosts, by_nodes
from toponaut.measures.coverage import (
    Averages,
    Costs,
    NodeMeasures,
    averages,
    costs,
    node_measures,
    whole_measures,
)
from toponaut.measures.crawl import CrawlColumns, OwnerCounts, PlaceCount
from toponaut.measures.graph import Graph
from toponaut.measures.harvest import HarvestCurve, WeightsAt, harvest, weights_over
from toponaut.measures.locality import Locality, localities
from toponaut.measures.truth import AgainstTruth
from toponaut.records import Record


class MeasureSetup(Struct, frozen=True):
    """What was crawled how, and what the measures were asked for."""

    collaboration: str
    policy: str
    ordering: str
    targets: int
    seeds: int
    k: int = 2  # links that geo-centrality looks ahead
    m: float = 10.0  # what each of them costs there
    download_cost: float = 1.0  # b of Lemma 2
    message_cost: float = 0.01  # c of Lemma 2


class Measures(Record, frozen=True):
    """The measures of SPEC 1 to 4, and what was added to them."""

    setup: MeasureSetup
    visits: int
    whole: NodeMeasures
    nodes: tuple[NodeMeasures, ...]
    averages: Averages
    costs: Costs
    locality: tuple[Locality, ...]  # by what pages say, and by what their URLs say
    links: int  # between pages of the crawl
    harvest: HarvestCurve
    bridges: Bridges
    distances: Distances
    weights: tuple[WeightsAt, ...]
    accuracy: Accuracy
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
    """Everything. `others`: estimates made with other crawls."""
    pages = crawl.pages
    vertices = len(crawl.urls)
    aware = np.zeros(vertices, np.bool_)
    aware[pages.vertex[pages.aware]] = True
    central = centrality(graph, aware, setup.k, setup.m)
    nodes = node_measures(crawl, central)
    return Measures(
        setup=setup,
        visits=crawl.visits,
        whole=whole_measures(crawl, central),
        nodes=tuple(nodes),
        averages=averages(crawl, nodes),
        costs=costs(crawl, owned, setup.policy, setup.download_cost, setup.message_cost),
        locality=localities(crawl, graph),
        links=len(graph.target),
        harvest=harvest(pages.relevant),
        bridges=bridges(pages.relevant, pages.parent),
        distances=distances(pages),
        weights=weights_over(pages.weight, pages.relevant),
        accuracy=accuracy(crawl),
        completeness=(*others, by_hosts(crawl), *by_nodes(crawl)),
        places=crawl.places,
        truth=truth,
    )
