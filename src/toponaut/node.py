"""THE RIVER: what happens to a link, in the order in which it happens. Read this and you have read the crawler.

    1 next            frontier.next          the best link whose host may be asked now
    2 fetch           web.take_turn          the bytes, by the host's rules and clock
    3 parse           readers.read           a page: text, links, structured data     } these three run
    4 find places     readers.read           place names and addresses                } in the pool of
    5 judge           readers.read           what it is about; is it wanted           } reading processes
    6 score links     ordering.rate          when each link is to be fetched
    7 choose owners   collaboration.assign   who is to fetch it
    8 log             archive, log.append    the visit, with every decision taken on it
    9 exchange        exchange.deliver       links to the frontiers of their owners, and the strategies learn

Steps 2 to 5 (`catch`) wait for the network and for other processes, many at once. Steps 6 to 9 (`settle`) run in one
go: nothing comes between the log and what follows from it.
"""

import asyncio
from collections.abc import Sequence
from typing import Unpack

from msgspec import Struct
from msgspec.structs import replace

from toponaut.archive import ArchiveWriter
from toponaut.exchange import Exchange
from toponaut.frontier import Frontier
from toponaut.gate.gate import MAX_REDIRECTS, Gate, SortedLinks
from toponaut.gate.language import unwanted_language
from toponaut.job import Job
from toponaut.log import LogWriter
from toponaut.log.visit import EMPTY_PAGE, VisitDecisions, archive_metadata, make_visit
from toponaut.page.reading.reader import UnreadableError
from toponaut.page.reading.readers import Readers
from toponaut.records import (
    PAGES,
    JudgedPage,
    Link,
    Outcome,
    Page,
    QueuedLink,
    Refusal,
    RefusedLink,
    Response,
    ScoredLink,
    Visit,
)
from toponaut.strategy.collaboration import Assignment, Collaboration
from toponaut.strategy.ordering import Ordering, Rating
from toponaut.timing import Time
from toponaut.urls import fingerprint, fingerprints, host_of, registered_domain
from toponaut.web.politeness.polite_fetcher import PoliteFetcher, TurnResult
from toponaut.web.registrant import Registrants
from toponaut.web.sitemaps import read_sitemap

_ARRIVED = (Outcome.FETCHED, Outcome.UNCHANGED)
# What may be different the next time.
_PASSING = frozenset(
    {Outcome.SERVER_ERROR, Outcome.TIMEOUT, Outcome.NO_CONNECTION, Outcome.NO_HOST, Outcome.BROKEN}
)
_NO_INDEX = frozenset({"noindex", "none"})
_NO_FOLLOW = frozenset({"nofollow", "none"})
_NO_ARCHIVE = frozenset({"noarchive", "none", "noindex"})


class Shared(Struct, frozen=True):
    """What all nodes of a process use together."""

    job: Job
    time: Time
    web: PoliteFetcher
    readers: Readers
    gate: Gate
    ordering: Ordering
    collaboration: Collaboration
    archive: ArchiveWriter | None
    log: LogWriter
    exchange: Exchange
    registrants: Registrants | None = (
        None  # where the owners of domains are, if the job asks for that
    )


class Catch(Struct, frozen=True):
    """A link with what its turn brought, and the page read."""

    queued: QueuedLink
    turn: TurnResult
    fetched: Response | None
    judged: JudgedPage | None = None


class Node:
    """One crawling node: a frontier and the river that starts there."""

    def __init__(self, name: str, frontier: Frontier, shared: Shared) -> None:
        self.name = name
        self.frontier = frontier
        self._all = shared

    def seed(self, urls: Sequence[str]) -> Visit:
        """Seeds enter the crawl as links of a visit that made no request."""
        links = [Link(url, "") for url in urls]
        rated = self._all.ordering.seed()
        scored = [
            ScoredLink(
                link.url,
                rated.promise,
                to.owners,
                score=rated.score,
                ordering_reason=rated.why,
                owner_reason=to.why,
                ordering_memo=rated.memo,
                owner_memo=to.memo,
            )
            for link, to in zip(links, self._assign(JudgedPage(Page("")), links), strict=True)
        ]
        log, now = self._all.log, self._all.time.now()
        visit = Visit(
            log.written,
            self.name,
            "",
            0,
            Outcome.SEEDED,
            time=now,
            links=tuple(scored),
            stamp=log.stamp(now),
        )
        return self._commit(visit)

    def next(self) -> QueuedLink | None:
        """The best link of this node whose host may be asked now; the host is claimed."""
        return self.frontier.next(
            self._all.time.now(), self._all.web.claim, self._all.ordering.again
        )

    async def catch(self, queued: QueuedLink) -> Catch:
        """Fetches a link and reads the page behind it.

        It lets others go first before each step, so that visits take the same step one after the other: what that needs is
        still in the processor's caches then. A page of bench.crawl took 1.47 ms so, and 1.63 without.
        """
        turn = await self.fetch(queued)
        await asyncio.sleep(0)
        catch = await self.read(queued, turn)
        await asyncio.sleep(0)
        return catch

    async def fetch(self, queued: QueuedLink) -> TurnResult:
        """Asks the web for a link, by the rules."""
        return await self._all.web.take_turn(self.name, queued)

    async def read(self, queued: QueuedLink, turn: TurnResult) -> Catch:
        """Reads the page that came, if one did."""
        fetched = turn.fetched
        if fetched is None or fetched.outcome not in _ARRIVED or queued.sitemap:
            return Catch(queued, turn, fetched)
        try:
            judged = await self._all.readers.read(fetched)
        except UnreadableError as error:
            return Catch(
                queued, turn, replace(fetched, outcome=Outcome.UNREADABLE, detail=str(error))
            )
        if self._all.registrants:
            domain = registered_domain(host_of(queued.url))
            judged = replace(judged, registrant=await self._all.registrants.place_of(domain))
        return Catch(queued, turn, fetched, judged)

    def settle(self, catch: Catch) -> list[Visit]:
        """Decides on everything that a catch brought, and writes it down."""
        queued, fetched, judged = catch.queued, catch.fetched, catch.judged
        visits = [self._rules(queued, answer, catch.turn) for answer in catch.turn.rules]
        if fetched is None:
            if not catch.turn.dead:
                self.frontier.put_back(queued)
        elif judged is not None:
            visits.append(self._page(queued, fetched, judged))
        elif fetched.outcome in _ARRIVED:
            visits.append(self._sitemap(queued, fetched))
        elif fetched.outcome is Outcome.REDIRECT:
            visits.append(self._redirect(queued, fetched))
        else:
            visits.append(self._fault(queued, fetched, catch.turn.dead))
        self.frontier.release(host_of(queued.url), catch.turn.ready_at)
        return visits

    # --- what a link may turn out to be ------------------------------------------------------------------------------

    def _page(self, queued: QueuedLink, fetched: Response, judged: JudgedPage) -> Visit:
        page = judged.page
        said = page.robots if self._all.job.politeness.robots else frozenset()
        outcome = self._verdict(queued, fetched, judged, said)
        follow = outcome in (*_ARRIVED, Outcome.NO_INDEX)
        scored, links = (
            self._decide(
                queued,
                judged,
                page.links,
                judged.link_fingerprints,
                nofollow=bool(said & _NO_FOLLOW),
            )
            if follow
            else _NOTHING
        )
        kept = judged if outcome in PAGES else EMPTY_PAGE
        visit = self._visit(
            queued, fetched, outcome, kept, links=scored, known=links.known, refused=links.refused
        )
        keep = outcome is not Outcome.WRONG_LANGUAGE and not said & _NO_ARCHIVE
        return self._commit(visit, fetched if keep else None)

    def _verdict(
        self, queued: QueuedLink, fetched: Response, judged: JudgedPage, said: frozenset[str]
    ) -> Outcome:
        """What a page is to the crawl."""
        if unwanted_language(
            judged.page.language, judged.page.text, self._all.job.limits.languages
        ):
            return Outcome.WRONG_LANGUAGE
        if self._all.gate.is_near_copy(self.name, queued.url, judged.simhash):
            return Outcome.NEAR_COPY
        return Outcome.NO_INDEX if said & _NO_INDEX else fetched.outcome

    def _sitemap(self, queued: QueuedLink, fetched: Response) -> Visit:
        found = read_sitemap(fetched.body, queued.url)
        pages = [Link(entry.url, queued.url) for entry in found.pages]
        prints = fingerprints([link.url for link in pages])
        scored, links = self._decide(queued, JudgedPage(Page(queued.url)), pages, prints)
        more = tuple(self._as_sitemap(queued, url) for url in found.sitemaps)
        visit = self._visit(
            queued,
            fetched,
            Outcome.SITEMAP,
            links=scored + more,
            known=links.known,
            refused=links.refused,
        )
        return self._commit(visit, fetched)

    def _rules(self, queued: QueuedLink, fetched: Response, turn: TurnResult) -> Visit:
        """A host's robots.txt, with the sitemaps that it names, or what came instead of it. None (404) is an answer, too."""
        outcome = (
            Outcome.ROBOTS_FILE
            if fetched.outcome in (*_ARRIVED, Outcome.GONE, Outcome.CLIENT_ERROR)
            else fetched.outcome
        )
        sitemaps = (
            tuple(self._as_sitemap(queued, url) for url in turn.sitemaps)
            if fetched is turn.rules[-1]
            else ()
        )
        asked = QueuedLink(fetched.url, queued.promise, queued.depth, queued.hops, queued.found_by)
        dropped = 1 + self._all.exchange.give_up(host_of(queued.url)) if turn.dead else 0
        return self._commit(
            self._visit(asked, fetched, outcome, links=sitemaps, dropped=dropped), fetched
        )

    def _redirect(self, queued: QueuedLink, fetched: Response) -> Visit:
        """The target is a link of its own: the host's rules, its clock and the filters apply to it."""
        target = fetched.location
        fetched = replace(fetched, detail=f"to {target}" if target else "to what is no web address")
        if not target or not self.frontier.new([target])[0]:
            known = (fingerprint(target),) if target else ()
            return self._commit(
                self._visit(queued, fetched, Outcome.REDIRECT, known=known), fetched
            )
        host = host_of(target)
        depth = queued.depth if host == host_of(queued.url) else 0
        why = self._all.gate.refuse(self.name, target, host, depth)
        if queued.redirects >= MAX_REDIRECTS:
            why = Refusal.TOO_MANY_REDIRECTS
        if why:
            return self._commit(
                self._visit(queued, fetched, Outcome.REDIRECT, refused=(RefusedLink(target, why),)),
                fetched,
            )
        who = self._owner_of_redirect(queued, target)
        link = ScoredLink(
            target,
            queued.promise,
            who.owners,
            depth=depth,
            hops=queued.hops,
            score=queued.score,
            redirects=queued.redirects + 1,
            sitemap=queued.sitemap,
            ordering_reason="as the link that led here by a redirect",
            owner_reason=who.why,
            ordering_memo=queued.ordering_memo,
            owner_memo=who.memo,
        )
        return self._commit(self._visit(queued, fetched, Outcome.REDIRECT, links=(link,)), fetched)

    def _owner_of_redirect(self, queued: QueuedLink, target: str) -> Assignment:
        link = Link(target, queued.url)
        if self._all.collaboration.by_url_alone:
            return self._assign(JudgedPage(Page(queued.url)), [link])[0]
        stays = Assignment(
            (self.name,), "as the link that led here by a redirect", queued.owner_memo
        )
        return self._sole([link], [stays])[0]

    def _fault(self, queued: QueuedLink, fetched: Response, dead: bool) -> Visit:
        """No page came. What may pass is tried again when the host's turn comes, unless the host counts as dead."""
        retry = (
            fetched.outcome in _PASSING
            and queued.tries < self._all.job.politeness.retries
            and not dead
        )
        dropped = self._all.exchange.give_up(host_of(queued.url)) if dead else 0
        visit = self._commit(
            self._visit(queued, fetched, fetched.outcome, retry=retry, dropped=dropped), fetched
        )
        if retry:
            self.frontier.put_back(replace(queued, tries=queued.tries + 1))
        return visit

    # --- steps 6 to 9 ------------------------------------------------------------------------------------------------

    def _decide(
        self,
        queued: QueuedLink,
        judged: JudgedPage,
        links: Sequence[Link],
        prints: Sequence[int],
        nofollow: bool = False,
    ) -> tuple[tuple[ScoredLink, ...], SortedLinks]:
        """When and by whom each link is to be fetched. Only links not met before cost anything, unless the page is
        relevant: then the others may deserve a higher promise than they were given where they were found first.
        """
        at = dict(
            zip(reversed(prints), range(len(prints) - 1, -1, -1), strict=True)
        )  # where each URL stands first
        if nofollow:
            return (), SortedLinks(
                [],
                [],
                (),
                tuple(RefusedLink(links[one].url, Refusal.NOFOLLOW) for one in at.values()),
            )
        met = self.frontier.knows(list(at))
        parted = self._all.gate.sort(self.name, queued, links, at, met, again=judged.relevant)
        rated = self._all.ordering.rate(queued, judged, parted.wanted)
        if not all(when.enters for when in rated):
            parted, rated = _without_unwanted(parted, rated)
        owned = self._assign(judged, parted.wanted)
        hops = queued.hops + 1
        scored = [
            ScoredLink(
                link.url, when.promise, who.owners, depth, hops, when.score, 0, False, link.anchor, when.why, who.why,
                when.memo, who.memo,
            )
            for link, depth, when, who in zip(parted.wanted, parted.depths, rated, owned, strict=True)
        ]  # fmt: skip
        return tuple(scored), parted

    def _assign(self, judged: JudgedPage, links: Sequence[Link]) -> list[Assignment]:
        return self._sole(links, self._all.collaboration.assign(judged, links))

    def _sole(self, links: Sequence[Link], owned: list[Assignment]) -> list[Assignment]:
        """The owners of links; where a URL may have one only, the node that was given it first stays that."""
        if not self._all.job.collaboration.exclusive:
            return owned
        holders = self._all.exchange.holders([link.url for link in links])
        return [
            Assignment((holder,), f"{holder} was given it before", who.memo)
            if holder and who.owners != (holder,)
            else who._replace(owners=who.owners[:1])
            for who, holder in zip(owned, holders, strict=True)
        ]

    def _as_sitemap(self, queued: QueuedLink, url: str) -> ScoredLink:
        """A sitemap is as urgent as the link of its host that led to it. Where the URL alone decides on owners, all nodes that read
        the host's rules name the same one, and the sitemap is fetched once."""
        why = "a sitemap of a host whose link had this promise"
        hops, score = queued.hops + 1, queued.score
        who = Assignment((self.name,), why)
        if self._all.collaboration.by_url_alone:
            who = self._assign(JudgedPage(Page(queued.url)), [Link(url, queued.url)])[0]
        return ScoredLink(
            url,
            queued.promise,
            who.owners,
            0,
            hops,
            score,
            sitemap=True,
            ordering_reason=why,
            owner_reason=who.why,
        )

    def _visit(
        self,
        queued: QueuedLink,
        fetched: Response,
        outcome: Outcome,
        judged: JudgedPage = EMPTY_PAGE,
        **decided: Unpack[VisitDecisions],
    ) -> Visit:
        log, now = self._all.log, self._all.time.now()
        return make_visit(
            log.written, self.name, now, queued, fetched, outcome, log.stamp(now), judged, **decided
        )

    def _commit(self, visit: Visit, fetched: Response | None = None) -> Visit:
        """Archive, log, and only then the frontiers and what is learned."""
        archive = self._all.archive
        if archive and fetched and (stored := archive.write(fetched, archive_metadata(visit))):
            visit = replace(
                visit,
                digest=stored.digest,
                archive=stored.file,
                offset=stored.offset,
                length=stored.length,
            )
        post = self._all.exchange.pack(self.name, visit.links, visit.sequence)
        if post.messages:
            visit = replace(visit, sent=post.links, messages=post.messages, message_bytes=post.size)
        self._all.log.append(visit)
        self._all.exchange.deliver(self.name, post)
        self._all.ordering.learn(visit)
        self._all.collaboration.learn(visit)
        return visit


def _without_unwanted(parted: SortedLinks, rated: list[Rating]) -> tuple[SortedLinks, list[Rating]]:
    """The links that the ordering lets in; the others join those refused."""
    both = list(zip(parted.wanted, parted.depths, rated, strict=True))
    entering = [one for one in both if one[2].enters]
    unwanted = tuple(
        RefusedLink(link.url, Refusal.NO_PLACE) for link, _, when in both if not when.enters
    )
    wanted, depths, rated = (
        [link for link, _, _ in entering],
        [depth for _, depth, _ in entering],
        [r for _, _, r in entering],
    )
    return SortedLinks(wanted, depths, parted.known, parted.refused + unwanted), rated


_NOTHING: tuple[tuple[ScoredLink, ...], SortedLinks] = ((), SortedLinks([], [], (), ()))
