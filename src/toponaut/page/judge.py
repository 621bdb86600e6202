"""Judging a page: its addresses, the places it is about, and whether the job wants it.

A page is *relevant* if it has an address in a target (places/containment.py) or, if the job says
so, if its scope is in the targets. `least_share`: so many of its addresses must be in targets, for
a directory page of 300 towns is not about one of them (the "more differentiated treatment" that
Ahlers and Boll 2009 leave to the future).

**Two depths.** Resolving every place name takes longer than parsing a page, so it is done only
where the job needs it (`Whole`): for relevant pages; for all pages that name a target or a place in
one, if scopes decide about relevance or owners; or always. Other pages get a quick scope
(names/glance.py). Relevance never depends on the quick scope.

If links are assigned by the content of their page, the targets' weights by the content formula are
computed here, too, because the mentions are at hand.

A judge has tables and no state: the same page gets the same judgement in any process.
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

# A page's scope is in the targets if they have at least this share of its weight.
ENOUGH = 0.5
# Places kept of a scope: a page is not about more. Without a limit, lists of towns fill the log.
MOST_PLACES = 50
# Characters searched for names: enough to know what a page is about.
MOST_TEXT = 100_000


class Judge:
    """Judges pages for one job."""

    def __init__(
        self,
        names: NameFinder,
        addresses: AddressFinder,
        targets: Iterable[Place],
        relevant: Relevant = "address",
        whole: Whole = "named",
        formula: ContentFormula | None = None,
        least_share: float = 0.0,
    ) -> None:
        self._names, self._addresses, self._formula = names, addresses, formula
        self._least_share = least_share
        self._gazetteer = names.gazetteer
        rows = [self._gazetteer.row(place.id) for place in targets]
        self._inside = rows_inside(self._gazetteer, rows)
        self._around = rows_around(self._gazetteer, rows)
        # The targets' countries count as near as the page's own.
        self._home_countries = HomeCountries(
            self._gazetteer, frozenset(self._gazetteer.lineage[rows, _COUNTRY].tolist())
        )
        self._by_scope = relevant == "scope"
        self._wanted: Bools | None  # the names that require a complete scope
        if whole == "relevant" and not self._by_scope:
            self._wanted = None
        else:
            self._wanted = names_of_rows(self._gazetteer, self._inside) | (whole == "always")

    def judge(self, page: Page) -> JudgedPage:
        text = page.text[:MOST_TEXT]
        scan = self._names.scan(f"{page.title}\n\n{text}" if page.title else text)
        wanted = self._wanted is not None and scan.has(self._wanted)
        home = self._home_countries.home(page.language, page.url, text)
        mentions = self._names.resolve(scan, home=home) if wanted else None
        addresses = self._addresses.find(page, mentions)
        here = self._has_address(addresses)
        if here and mentions is None:
            mentions = self._names.resolve(scan, home=home)
        if mentions is None:
            scope = page_scope(self._gazetteer, addresses, (), self._names.glance(scan, home))
        else:
            scope = page_scope(self._gazetteer, addresses, mentions)
        relevant = self._is_inside(scope) if self._by_scope else here
        content: Scope = {}
        if self._formula is not None and mentions:
            content = self._formula.weigh(count_names(self._gazetteer, scan.text, mentions))
        kept = tuple(islice(scope.items(), MOST_PLACES))
        return JudgedPage(page, tuple(addresses), kept, relevant, content=tuple(content.items()))

    def _has_address(self, addresses: Sequence[Address]) -> bool:
        rows = [self._gazetteer.row(address.place) for address in addresses if address.place]
        inside = sum(bool(self._inside[row]) for row in rows)
        return inside > 0 and inside >= self._least_share * len(rows)

    def _is_inside(self, scope: Scope) -> bool:
        """Areas around a target count neither way: a page about Portland also names Oregon."""
        inside = elsewhere = 0.0
        for place, weight in scope.items():
            row = self._gazetteer.row(place)
            if self._inside[row]:
                inside += weight
            elif not self._around[row]:
                elsewhere += weight
        return inside > 0 and inside >= ENOUGH * (inside + elsewhere)


def judge_of(job: Job, names: NameFinder) -> Judge:
    """The judge of a job. Scopes are complete where they decide something."""
    targets = job_targets(names.gazetteer, job)
    finder = AddressFinder(names.gazetteer, names)
    who = job.collaboration
    formula = None
    if who.strategy == "content":
        target_of = OwnerTable(names.gazetteer, [Territory("all", tuple(targets))], ()).target_of
        formula = ContentFormula(names.gazetteer, target_of, who.content_a, who.content_b)
    whole: Whole = "named" if formula or job.targets.relevant == "scope" else "relevant"
    wanted = job.targets
    return Judge(names, finder, targets, wanted.relevant, whole, formula, wanted.least_share)
