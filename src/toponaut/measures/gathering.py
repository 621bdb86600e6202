"""From the log's columns to those of the measures: a fold over tables of visits, in two passes.

`PagePass` reads pages and their outcomes. When all URLs of pages are known, `LinkPass` keeps the
links between them. Tables have the log's columns (log/tables.py); missing ones read as zero.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct
from numpy.typing import NDArray

from toponaut.measures.columns import (
    FIRST_NAMES,
    AddressColumns,
    CrawlColumns,
    Floats,
    Ints,
    Marks,
    NameCounts,
    NodeTraffic,
    OwnerCounts,
    PageColumns,
    TargetTable,
    distinct,
    places_in,
    rows_with,
)
from toponaut.measures.forwarding import MetAgain
from toponaut.measures.graph import Edges, Graph
from toponaut.records import PAGES, Outcome
from toponaut.strategy.ordering.interest import Interests
from toponaut.strategy.ordering.term_weights import Counts
from toponaut.urls import fingerprint, host_of, registered_domain

FIRST = (
    "node", "url", "outcome", "relevant", "found_by", "hops", "promise", "size", "sent", "messages",
    "message_bytes", "addresses.place", "addresses.normal", "own_scope",
)  # fmt: skip
SECOND = ("node", "links.url", "links.owners", "known", "refused.url")
WEIGHED = ("title", "text")  # read only if there are interests
MOST_PLACES = 2000  # on the map: the places with the most pages


class PageEvidence(Struct, frozen=True):
    """What is known of pages besides the log; all of it may be missing."""

    truth: Callable[[str], bool] | None = None  # whether the page at a URL is relevant
    named: Callable[[list[str]], list[list[int]]] | None = None  # URLs -> ids of places in targets
    interests: Interests | None = None
    classify: Callable[[str], int] | None = None  # a page's text -> id of a place, 0: none

    @property
    def fields(self) -> tuple[str, ...]:
        """The columns that the first pass reads."""
        return (*FIRST, *WEIGHED) if self.interests or self.classify else FIRST


NO_EVIDENCE = PageEvidence()


class PagePass:
    """The first pass: every visit once, in the order of the log."""

    def __init__(self, world: TargetTable, evidence: PageEvidence = NO_EVIDENCE) -> None:
        self._world, self._evidence = world, evidence
        self._columns: dict[str, list[NDArray[Any]]] = {}
        self._names: dict[str, int] = {
            name: k for k, name in enumerate((*world.geographic, *world.general))
        }
        self._traffic: Counter[tuple[str, int]] = Counter()
        self._places: Counter[int] = Counter()
        self._named = np.zeros(world.size + 1, np.bool_)  # by row; the last is for unknown places
        self._mentioned = 0
        self._first_named: set[int] = set()
        self._pages = 0

    def add(self, table: pa.RecordBatch) -> None:
        """Add some visits."""
        node = np.array([self._number(name) for name in table.column("node").to_pylist()], np.int64)
        outcome = np.array(table.column("outcome").to_pylist(), object)
        page = np.isin(outcome, [one.value for one in PAGES])
        self._keep("sequence", _numbers(table, "sequence"))
        self._keep("found_by", _numbers(table, "found_by"))
        self._keep("page", page)
        self._keep("mark", _fingerprints(table.column("url")))
        self._keep("redirect", outcome == Outcome.REDIRECT.value)
        for name in ("sent", "messages", "message_bytes", "size"):
            for number, total in enumerate(np.bincount(node, _numbers(table, name)).tolist()):
                self._traffic[name, number] += int(total)
        self._keep("node", node[page])
        self._keep("relevant", np.array(table.column("relevant").to_pylist(), np.bool_)[page])
        self._keep("hops", _numbers(table, "hops")[page])
        self._keep("promise", table.column("promise").to_numpy(zero_copy_only=False)[page])
        pages = table.filter(pa.array(page))
        hosts = [host_of(url) for url in pages.column("url").to_pylist()]
        self._keep("host", _marks(hosts))
        self._keep("domain", _marks(list(map(registered_domain, hosts))))
        self._add_evidence(pages)
        self._add_addresses(pages, node[page])
        self._add_scopes(pages)
        self._pages += pages.num_rows

    def _keep(self, name: str, values: NDArray[Any]) -> None:
        self._columns.setdefault(name, []).append(values)

    def _number(self, name: str) -> int:
        return self._names.setdefault(name, len(self._names))

    def _add_evidence(self, pages: pa.RecordBatch) -> None:
        known, urls = self._evidence, pages.column("url").to_pylist()
        if known.truth:
            self._keep("true", np.array([known.truth(url) for url in urls], np.bool_))
        if known.named:
            places = known.named(urls)
            owner = np.repeat(np.arange(len(urls)), [len(some) for some in places])
            rows = self._world.rows(
                np.array([place for some in places for place in some], np.int64)
            )
            self._keep(
                "url target", self._world.likeliest(owner, rows, np.ones(len(rows)), len(urls))
            )
        if not known.interests and not known.classify:
            return
        titles, bodies = (pages.column(name).to_pylist() for name in WEIGHED)
        texts = list(zip(titles, bodies, strict=True))
        if known.classify:
            ids = [known.classify(f"{title}\n\n{text}") for title, text in texts]
            self._keep("class target", self._world.targets(self._world.rows(np.array(ids, int))))
        if known.interests:
            counts = [known.interests.count(title, text) for title, text in texts]
            many = [(one.most, one.words, one.unique, *one.tf) for one in counts]
            self._keep(
                "counts",
                np.array(many, np.int32).reshape(len(many), 3 + len(known.interests.terms)),
            )

    def _add_addresses(self, pages: pa.RecordBatch, node: Ints) -> None:
        column = pages.column("addresses")
        row = _owners(column)
        found = column.flatten()
        places = self._world.rows(found.field("place").to_numpy())
        wanted = self._world.targets(places) >= 0
        territory = self._world.territories(places)
        own = (territory >= 0) & (territory == node[row])
        for name, some in (("aware", wanted), ("own", own)):
            there = np.zeros(pages.num_rows, np.bool_)
            there[row[some]] = True
            self._keep(name, there)
        self._keep("entity", _fingerprints(found.field("normal"))[wanted])
        self._keep("entity page", row[wanted] + self._pages)
        known = places >= 0
        pairs = distinct((row[known] << 32) | places[known])
        self._places.update((pairs & 0xFFFFFFFF).tolist())

    def _add_scopes(self, pages: pa.RecordBatch) -> None:
        column = pages.column("own_scope")
        found = column.flatten()
        rows = self._world.rows(found.field("place").to_numpy())
        weight = found.field("weight").to_numpy()
        self._keep("target", self._world.likeliest(_owners(column), rows, weight, pages.num_rows))
        self._named[rows] = True
        known = rows[rows >= 0]
        first = known[: max(FIRST_NAMES - self._mentioned, 0)]
        self._first_named.update(first.tolist())
        self._mentioned += len(known)
        named = np.zeros(pages.num_rows, np.bool_)
        named[_owners(column)[rows >= 0]] = True
        self._keep("named", named)

    # --- result ---------------------------------------------------------------------------------

    def _column(self, name: str, kind: type[np.generic] = np.int64) -> NDArray[Any]:
        return np.concatenate([np.zeros(0, kind), *self._columns.get(name, ())])

    def crawl(self) -> tuple[CrawlColumns, "LinkPass"]:
        """The columns of the crawl, and the second pass."""
        page, sequence = self._column("page", np.bool_), self._column("sequence")
        mark = self._column("mark", np.uint64)
        urls = distinct(mark[page])
        pages = PageColumns(
            node=self._column("node"),
            vertex=places_in(urls, mark[page]),
            host=_codes(self._column("host", np.uint64)),
            domain=_codes(self._column("domain", np.uint64)),
            relevant=self._column("relevant", np.bool_),
            aware=self._column("aware", np.bool_),
            own=self._column("own", np.bool_),
            named=self._column("named", np.bool_),
            target=self._column("target"),
            hops=self._column("hops"),
            weight=self._weights(),
            parent=parents(sequence, self._column("found_by"), page),
            url_target=self._column("url target") if self._evidence.named else None,
            class_target=self._column("class target") if self._evidence.classify else None,
            true=self._column("true", np.bool_) if self._evidence.truth else None,
        )
        entities = AddressColumns(self._column("entity", np.uint64), self._column("entity page"))
        most = sorted(self._places.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_PLACES]
        places = self._world.counts([row for row, _ in most], [count for _, count in most])
        names = NameCounts(self._mentioned, int(self._named[:-1].sum()), len(self._first_named))
        crawl = CrawlColumns(self._nodes(), pages, entities, places, names, urls, len(sequence))
        redirects = mark[self._column("redirect", np.bool_)]
        return crawl, LinkPass(sequence, mark, Edges(urls, redirects), self._names)

    def _weights(self) -> Floats:
        """By the interests and their rarity in the whole crawl; without interests, the promises."""
        interests = self._evidence.interests
        if not interests:
            return self._column("promise", np.float64)
        counts = np.concatenate(
            [np.zeros((0, 3 + len(interests.terms)), np.int32), *self._columns.get("counts", ())]
        )
        having = (counts[:, 3:] > 0).sum(axis=0).tolist()
        pages = (
            Counts(tuple(tf), most, words, unique) for most, words, unique, *tf in counts.tolist()
        )
        return np.array([interests.weigh(page, len(counts), having) for page in pages], np.float64)

    def _nodes(self) -> tuple[NodeTraffic, ...]:
        fields = ("sent", "messages", "message_bytes", "size")
        return tuple(
            NodeTraffic(
                name,
                name not in self._world.geographic,
                *(self._traffic[field, number] for field in fields),
            )
            for name, number in self._names.items()
        )


class LinkPass:
    """The second pass over the same visits; visits that the first has not seen are skipped."""

    def __init__(self, sequence: Ints, mark: Marks, edges: Edges, nodes: Mapping[str, int]) -> None:
        order = np.argsort(sequence, kind="stable")  # several logs are not sorted
        self._sequence, self._mark, self._edges = sequence[order], mark[order], edges
        self._links = self._owners = self._first_away = 0
        self._nodes, self._again = nodes, MetAgain()

    def add(self, table: pa.RecordBatch) -> None:
        """Add the links of some visits."""
        at = places_in(self._sequence, _numbers(table, "sequence"))
        source = (
            np.where(at >= 0, self._edges.vertices(self._mark[at]), -1) if len(self._mark) else at
        )
        links, refused, known = (table.column(name) for name in ("links", "refused", "known"))
        for column in (links, refused):
            self._edges.add(source[_owners(column)], _fingerprints(column.flatten().field("url")))
        met = known.flatten().to_numpy()
        self._edges.add(source[_owners(known)], met)
        self._count_owners(table.column("node"), links)
        finder = self._numbers(table.column("node"))
        self._again.meet(met, finder[_owners(known)])

    def _count_owners(self, node: pa.StringArray, links: pa.ListArray) -> None:
        owners = links.flatten().field("owners")
        start = owners.offsets.to_numpy()
        some = np.flatnonzero(np.diff(start))
        first = owners.values.take(pa.array(start[:-1][some]))
        finder = node.take(pa.array(_owners(links)[some]))
        self._links += len(some)
        self._owners += int(start[-1] - start[0])
        self._first_away += pc.sum(pc.not_equal(first, finder)).as_py() or 0
        urls = links.flatten().field("url").take(pa.array(some))
        self._again.give(_fingerprints(urls), self._numbers(first))

    def _numbers(self, names: pa.StringArray) -> Ints:
        return np.array([self._nodes.get(name, -1) for name in names.to_pylist()], np.int64)

    def graph(self) -> Graph:
        return self._edges.graph()

    def owned(self) -> OwnerCounts:
        again = self._again.count(len(self._nodes))
        return OwnerCounts(self._links, self._owners, self._first_away, again)


# --- columns --------------------------------------------------------------------------------------


def parents(sequence: Ints, found: Ints, page: NDArray[np.bool_]) -> Ints:
    """The row of the page that each page was reached from, without redirects; -1: from a seed."""
    above = rows_with(sequence, found)
    above = np.where(above < np.arange(len(above)), above, -1)
    up = above[page]
    while len(on := np.flatnonzero((up >= 0) & ~page[up])):
        up[on] = above[up[on]]
    row = np.cumsum(page) - 1
    return np.where(up >= 0, row[up], -1) if len(up) else up


def _numbers(table: pa.RecordBatch, name: str) -> Ints:
    if name not in table.schema.names:
        return np.zeros(table.num_rows, np.int64)
    return table.column(name).to_numpy().astype(np.int64)  # type: ignore[no-any-return]


def _owners(column: pa.ListArray) -> Ints:
    """For every item of a column of lists its row."""
    return np.repeat(np.arange(len(column)), np.diff(column.offsets.to_numpy()))


def _fingerprints(column: pa.StringArray) -> Marks:
    return np.fromiter(map(fingerprint, column.to_pylist()), np.uint64, len(column))


def _marks(texts: list[str]) -> Marks:
    return np.fromiter(map(fingerprint, texts), np.uint64, len(texts))


def _codes(marks: Marks) -> Ints:
    return places_in(distinct(marks), marks)
