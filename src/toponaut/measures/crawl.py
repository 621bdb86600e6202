"""A crawl as the measures see it: columns of numbers, a row for each page in the order of the log.

Everything that a measure needs of 1 million pages takes some 75 MB here, beside the link graph (graph.py). Texts and URLs
are left behind in the log; a URL is known by the number of its vertex in the graph, so two visits of one URL share it.
"""

from msgspec import Struct

from toponaut.measures.arrays import Bools, Floats, Ints, Marks


class NodeTraffic(Struct, frozen=True):
    """A crawling node, and what it sent to others."""

    name: str
    general: bool = False  # it has no territory
    sent: int = 0  # URLs to other nodes
    messages: int = 0
    message_bytes: int = 0
    received: int = 0  # bytes from the web


class PageColumns(Struct, frozen=True):
    """Pages downloaded: outcomes that are pages of the crawl (records.PAGES)."""

    node: Ints  # which of the crawl's nodes fetched it
    vertex: Ints  # its URL, among the distinct ones
    host: Ints  # its host, among the distinct ones
    relevant: Bools  # as the crawl judged it
    aware: Bools  # it has an address in any target: the paper's geographically aware page
    own: Bools  # it has an address in the territory of its node
    target: Ints  # the target that it is most probably about (row of the gazetteer), -1: none
    hops: Ints  # links from a seed
    weight: (
        Floats  # against the interests; where there are none, the promise with which it was taken
    )
    parent: Ints  # row of the page whose link led here, -1: none, it came from a seed
    url_target: Ints | None = None  # the most populous target that its URL names, -1: none
    true: Bools | None = None  # whether it is relevant, on a web whose truth is known


class AddressColumns(Struct, frozen=True):
    """Addresses in the targets, as often as pages carry them: the papers' geographic entities."""

    mark: Marks  # fingerprint of its normal form: two spellings of an address share it
    page: Ints  # row of its page


class PlaceCount(Struct, frozen=True):
    """A place with addresses, and on how many pages they stand."""

    id: int
    name: str
    lat: float
    lon: float
    pages: int
    wanted: bool  # it lies in a target


class NameCounts(Struct, frozen=True):
    """Places that pages name, each once a page: the location entities of SPEC 4."""

    all: int = 0
    distinct: int = 0


class OwnerCounts(Struct, frozen=True):
    """Links that were decided on."""

    links: int = 0
    owners: int = 0  # of all of them, each as often as it has some
    first_away: int = 0  # links whose first owner, the likeliest, is another node than their finder


class CrawlColumns(Struct, frozen=True):
    """All of it."""

    nodes: tuple[NodeTraffic, ...]
    pages: PageColumns
    entities: AddressColumns
    places: tuple[PlaceCount, ...]
    names: NameCounts
    urls: Marks  # fingerprint of the URL of each vertex
    visits: int = 0  # whatever came of them

    @property
    def geographic(self) -> list[int]:
        """Numbers of the nodes that have a territory."""
        return [number for number, node in enumerate(self.nodes) if not node.general]
