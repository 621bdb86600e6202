"""Combined: all evidence for a territory on one scale, with weights learned during the crawl.

    log-odds(node g, link L) = w . evidence(g, L)     P_g(L): L's page belongs to g's territory

A page belongs to a territory if it has an address there, or if the target it is most about is
there. Addresses alone would mislead: a page that links to ten shops of a city has none itself.

The evidence is that of the single strategies: a target of g is named in the URL, in the link text
or near it; the page with the link is about g's targets by its scope, or has addresses there; its
server is there (with an IP database); its words indicate g (with a trained model). One more is not
in the papers: the share of pages of the link's site that belonged to g's territory so far.

Under policy A a link goes to the node with the highest P, under policy B to all nodes; in both
cases only if P >= CLAIM, so that nodes stay focused. Without general nodes the most probable node
takes it. Under policy A a link stays with its first node, wherever it is found again: no page is
fetched twice. See docs/explanation/strategies.md.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import ClassVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from toponaut.job.owners import OwnerTable
from toponaut.places.names.anchors import AnchorTargets, LinkReader
from toponaut.places.names.link_names import NamedTarget
from toponaut.records import PAGES, JudgedPage, Link, Visit
from toponaut.strategy.collaboration import Assignment, Collaboration
from toponaut.strategy.collaboration.by_classifier import LEAST, ByClassifier
from toponaut.strategy.collaboration.by_classifier import build as build_classifier
from toponaut.strategy.learning.log_odds import LogOdds, LogOddsState
from toponaut.strategy.setting import LocateIp, Setting
from toponaut.urls import host_of, registered_domain

CLAIM = 0.5  # a node claims links that are more likely than not its own
ABOUT = 0.2  # least weight in a page's scope for the page to be about a target

NAMES = (
    "bias",
    "the URL names its targets",
    "the link text names its targets",
    "its targets are named near the link",
    "the page is about its targets",
    "the page has addresses there",
    "the page's server is there",
    "the page's words indicate it",
    "record of the link's site",
)
# Prior weights: a name in the URL or the link text alone gives about even odds, a page entirely
# about the territory decides, and an IP address alone never does (Gao, Lee and Miao 2006, Table 4).
_PRIOR = (-4.0, 4.5, 4.0, 2.5, 2.5, 2.5, 0.7, 1.0, 4.0)
_URL, _TEXT, _NEAR, _SCOPE, _ADDRESS, _IP, _WORDS, _SITE = range(1, len(NAMES))

_CANDIDATES = 4  # territories of a link that its memo keeps
_STEPS = 100.0  # evidence is in 0..1 and is kept in one byte
_ROW = 2 + len(NAMES)  # bytes of a candidate in a memo: the number of its node, then its evidence
_SITES = 200_000  # sites with a page of some territory that are kept; about 60 MB
_PLACES = 50_000  # places whose nodes are cached
_SHOWN = 2  # evidence that a reason names

Rows = dict[int, list[float]]  # evidence by number of node


class _CombinedCollaborationState(msgspec.Struct, frozen=True, tag="combined collaboration 1"):
    odds: LogOddsState
    sites: dict[str, dict[int, int]]


class CombinedCollaboration(Collaboration):
    """Evidence in, calibrated probabilities out."""

    learns_from: ClassVar[tuple[str, ...]] = (
        "url", "outcome", "addresses.place", "scope", "owner_memo",
    )  # fmt: skip

    def __init__(
        self,
        owners: OwnerTable,
        reader: LinkReader,
        row: Callable[[int], int],
        policy: str,
        *,
        locate: LocateIp | None = None,
        classifier: ByClassifier | None = None,
    ) -> None:
        self._owners, self._row_of, self._policy = owners, row, policy
        self.one_owner = policy == "A"
        self._reader = reader
        self._locate, self._classifier = locate, classifier
        self._odds = LogOdds(_PRIOR)
        self._nodes: dict[int, int] = {}  # by place
        # By site: pages by number of node, and under -1 all pages since the first of them.
        self._sites: dict[str, dict[int, int]] = {}

    def assign(self, judged: JudgedPage, links: Sequence[Link]) -> list[Assignment]:
        if not links:
            return []
        page = self._page_evidence(judged)
        in_urls, anchored = self._reader.read(judged.page.text, links)
        found = [
            self._link_evidence(link.url, page, in_urls[k], anchored.get(k))
            for k, link in enumerate(links)
        ]
        flat = np.array([row for rows in found for row in rows.values()]).reshape(-1, len(NAMES))
        judged_rows = zip(self._odds.chances(flat).tolist(), _packed(flat), strict=True)
        return [
            self._decide(link.url, rows, islice(judged_rows, len(rows)))
            for link, rows in zip(links, found, strict=True)
        ]

    # --- evidence ---------------------------------------------------------------------------------

    def _page_evidence(self, judged: JudgedPage) -> Rows:
        """The evidence of a page, the same for all its links."""
        rows: Rows = {}
        self._share(rows, _SCOPE, judged.scope)
        addresses = ((address.place, 1.0) for address in judged.addresses if address.place)
        self._share(rows, _ADDRESS, addresses)
        if self._locate and judged.ip and (place := self._locate(judged.ip)):
            self._share(rows, _IP, [(place, 1.0)])
        if self._classifier:
            for node, chance in enumerate(self._classifier.chances(judged)):
                if chance >= LEAST:
                    _row(rows, node)[_WORDS] = chance
        return rows

    def _share(self, rows: Rows, which: int, weights: Iterable[tuple[int, float]]) -> None:
        """Each node's share in the weight of places."""
        weights = list(weights)
        total = sum(weight for _, weight in weights)
        for place, weight in weights:
            if (node := self._node(place)) >= 0 and total:
                _row(rows, node)[which] += weight / total

    def _link_evidence(
        self, url: str, page: Rows, in_url: Sequence[NamedTarget], anchored: AnchorTargets | None
    ) -> Rows:
        """The evidence of a link: that of its page, and its own."""
        rows = {node: row.copy() for node, row in page.items()}
        for named in in_url:
            if (node := self._node(named.place)) >= 0:
                _row(rows, node)[_URL] = 1.0
        for near in (*anchored.text, *anchored.title) if anchored else ():
            if (node := self._node(near.target.place)) >= 0:
                row, which = _row(rows, node), _NEAR if near.words else _TEXT
                row[which] = max(row[which], 1 / max(abs(near.words), 1))
        if site := self._sites.get(_site(url)):
            for node, pages in site.items():
                if node >= 0:
                    _row(rows, node)[_SITE] = pages / site[-1]
        return rows

    def _node(self, place: int) -> int:
        """The node for a place, -1 if there is none. Cached."""
        node = self._nodes.get(place)
        if node is None:
            if len(self._nodes) >= _PLACES:
                self._nodes.clear()
            node = self._nodes[place] = int(self._owners.node_of[self._row_of(place)])
        return node

    # --- decisions --------------------------------------------------------------------------------

    def _decide(
        self, url: str, rows: Rows, judged_rows: Iterable[tuple[float, bytes]]
    ) -> Assignment:
        """`judged_rows`: for each row of evidence its probability, and the row packed."""
        kept = [(-chance, node, row) for node, (chance, row) in zip(rows, judged_rows, strict=True)]
        kept.sort()
        memo = b"".join([node.to_bytes(2, "little") + row for _, node, row in kept[:_CANDIDATES]])
        ranked = [(-chance, node) for chance, node, _ in kept]
        claims = [one for one in ranked if one[0] >= CLAIM or not self._owners.general]
        if not claims:
            why = "no territory is more likely than not"
            if ranked:
                chance, node = ranked[0]
                why += f": the likeliest is {self._owners.geographic[node]} at {chance:.2g}"
            return Assignment((self._owners.unclaimed(url),), why, memo)
        taken = claims if self._policy == "B" else claims[:1]
        whys = [self._why(node, rows[node], chance) for chance, node in taken]
        owners = tuple(self._owners.geographic[node] for _, node in taken)
        return Assignment(owners, "; ".join(whys), memo)

    def _why(self, node: int, row: Sequence[float], chance: float) -> str:
        weights = self._odds.weights.tolist()
        adds = [value * weight for value, weight in zip(row, weights, strict=True)]
        strongest = sorted(range(1, len(row)), key=lambda k: -adds[k])[:_SHOWN]
        reasons = ", ".join(f"{NAMES[k]} {adds[k]:+.1f}" for k in strongest if adds[k] > 0)
        name = self._owners.geographic[node]
        return f"{name} at {chance:.2g}" + (f": {reasons}" if reasons else "")

    # --- learning ---------------------------------------------------------------------------------

    def learn(self, visit: Visit) -> None:
        if visit.outcome not in PAGES:
            return
        nodes = self._territories_of(visit)
        for node, evidence in _unpacked(visit.owner_memo):
            self._odds.learn(evidence, node in nodes)
        name = _site(visit.url)
        if nodes or name in self._sites:
            site = self._sites.setdefault(name, {-1: 0})
            for node in (-1, *sorted(nodes)):
                site[node] = site.get(node, 0) + 1
            if len(self._sites) > _SITES:
                del self._sites[next(iter(self._sites))]

    def _territories_of(self, visit: Visit) -> set[int]:
        """The nodes that a page belongs to: by its addresses, and by its heaviest target."""
        nodes = {self._node(address.place) for address in visit.addresses if address.place}
        about = (self._node(place) for place, weight in visit.scope if weight >= ABOUT)
        nodes.add(next((node for node in about if node >= 0), -1))
        return nodes - {-1}

    def dump(self) -> bytes:
        return msgspec.msgpack.encode(_CombinedCollaborationState(self._odds.saved(), self._sites))

    def load(self, model: bytes) -> None:
        state = msgspec.msgpack.decode(model, type=_CombinedCollaborationState)
        self._odds.restore(state.odds)
        self._sites = state.sites


def _row(rows: Rows, node: int) -> list[float]:
    """The evidence for a node; a new row has only the bias."""
    return rows.setdefault(node, [1.0] + [0.0] * (len(NAMES) - 1))


def _packed(rows: NDArray[np.float64]) -> list[bytes]:
    """Rows of evidence as the memo keeps them."""
    packed = np.minimum(np.rint(rows * _STEPS), 255).astype(np.uint8).tobytes()
    return [packed[at : at + len(NAMES)] for at in range(0, len(packed), len(NAMES))]


def _unpacked(memo: bytes) -> list[tuple[int, NDArray[np.float64]]]:
    rows = (memo[at : at + _ROW] for at in range(0, len(memo), _ROW))
    return [
        (int.from_bytes(row[:2], "little"), np.frombuffer(row, np.uint8, offset=2) / _STEPS)
        for row in rows
    ]


def _site(url: str) -> str:
    return registered_domain(host_of(url))


def build(setting: Setting) -> CombinedCollaboration:
    section = setting.job.collaboration
    return CombinedCollaboration(
        setting.owners,
        setting.link_reader(),
        setting.names.gazetteer.row,
        section.policy,
        locate=setting.ip_places(section.mmdb) if section.mmdb else None,
        classifier=build_classifier(setting) if section.model else None,
    )
