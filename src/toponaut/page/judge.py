"""Judges a page: its addresses, the places it is about, and whether the job wants it.

A page is *relevant* if it has an address in a target (places/containment.py) or, where the job says so, if its scope lies
there.

**Two depths.** To doubt and to place every name takes longer than to parse a page, so it is done where the job needs it
(`Whole`): for relevant pages; for all that name a target or a place in one, where scopes decide on relevance or on who
fetches a link; or always. The scope of other pages is made at a glance (names/glance.py): whether a page is relevant never
depends on it.

Where links are given to nodes by the content of their page, the targets' weights by the content formula are made here,
too: the mentions that it counts are at hand.

A judge holds tables and no state: it works in any process, and the same page gets the same judgement.
"""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Literal

from toponaut.job import Job
from toponaut.job.owners import OwnerTable
from toponaut.job.targets import Territory, job_targets
from toponaut.places.addresses.finder import AddressFinder
from toponaut.places.containment import names_of_rows, rows_around, rows_inside
from toponaut.places.gazetteer.gazetteer import KINDS
from toponaut.places.names.finder import NameFinder
from toponaut.places.names.home_countries import HomeCountries
from toponaut.places.names.tokens import Bools
from toponaut.places.scope import ContentFormula, Scope, count_names, page_scope
from toponaut.records import Address, JudgedPage, Kind, Page, Place

_COUNTRY = KINDS.index(Kind.COUNTRY)
Relevant = Literal["address", "scope"]
Whole = Literal["relevant", "named", "always"]

# A page's scope lies in the targets if they have at least this share of its weight.
ENOUGH = 0.5
# So many places of a scope are kept: what a page names beyond them it is not about. A list of all towns of a state would
# make the log twice as long as the page.
MOST_PLACES = 50
# Characters that are read for names; a page that is longer has said by then what it is about.
MOST_TEXT = 100_000


class Judge:
    def __init__(
        self,
        names: NameFinder,
        addresses: AddressFinder,
        targets: Iterable[Place],
        relevant: Relevant = "address",
        whole: Whole = "named",
        formula: ContentFormula | None = None,
    ) -> None:
        self._names, self._addresses, self._formula = names, addresses, formula
        self._gazetteer = names.gazetteer
        rows = [self._gazetteer.row(place.id) for place in targets]
        self._inside = rows_inside(self._gazetteer, rows)
        self._around = rows_around(self._gazetteer, rows)
        # What the job wants is no farther than what the page speaks of anyway.
        self._tongues = HomeCountries(
            self._gazetteer, frozenset(self._gazetteer.lineage[rows, _COUNTRY].tolist())
        )
        self._by_scope = relevant == "scope"
        self._wanted: Bools | None  # the names that ask for a whole scope
        if whole == "relevant" and not self._by_scope:
            self._wanted = None
        else:
            self._wanted = names_of_rows(self._gazetteer, self._inside) | (whole == "always")

    def judge(self, page: Page) -> JudgedPage:
        text = page.text[:MOST_TEXT]
        scan = self._names.scan(f"{page.title}\n\n{text}" if page.title else text)
        wanted = self._wanted is not None and scan.has(self._wanted)
        home = self._tongues.home(page.language, page.url, text)
        mentions = self._names.resolve(scan, home=home) if wanted else None
        addresses = self._addresses.find(page, mentions)
        here = self._has_address(addresses)
        if here and mentions is None:
            mentions = self._names.resolve(scan, home=home)
        if mentions is None:
            scope = page_scope(addresses, (), self._names.glance(scan, home))
        else:
            scope = page_scope(addresses, mentions)
        relevant = self._lies_inside(scope) if self._by_scope else here
        content: Scope = {}
        if self._formula is not None and mentions:
            content = self._formula.weigh(count_names(self._gazetteer, scan.text, mentions))
        kept = tuple(islice(scope.items(), MOST_PLACES))
        return JudgedPage(page, tuple(addresses), kept, relevant, content=tuple(content.items()))

    def _has_address(self, addresses: Sequence[Address]) -> bool:
        return any(
            address.place and self._inside[self._gazetteer.row(address.place)]
            for address in addresses
        )

    def _lies_inside(self, scope: Scope) -> bool:
        """Areas around a target speak neither for it nor against: a page about Portland names Oregon, too."""
        inside = elsewhere = 0.0
        for place, weight in scope.items():
            row = self._gazetteer.row(place)
            if self._inside[row]:
                inside += weight
            elif not self._around[row]:
                elsewhere += weight
        return inside > 0 and inside >= ENOUGH * (inside + elsewhere)


def judge_of(job: Job, names: NameFinder) -> Judge:
    """The judge of a job. Scopes are whole where they decide something."""
    targets = job_targets(names.gazetteer, job)
    finder = AddressFinder(names.gazetteer, names)
    who = job.collaboration
    formula = None
    if who.strategy == "content":
        target_of = OwnerTable(names.gazetteer, [Territory("all", tuple(targets))], ()).target_of
        formula = ContentFormula(names.gazetteer, target_of, who.content_a, who.content_b)
    whole: Whole = "named" if formula or job.targets.relevant == "scope" else "relevant"
    return Judge(names, finder, targets, job.targets.relevant, whole, formula)
