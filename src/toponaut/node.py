"""The crawler: what happens to a link, step by step, in the order in which it happens.

    1 next            frontier.next          the best ready link, if it is worth the price
    2 fetch           web.take_turn          the response, by the host's rules and clock
    3 parse           read_page              text, links, structured data      } steps 3 to 5 run
    4 find places     read_page              place names and addresses         } in the pool of
    5 judge           read_page              scope and relevance of the page   } parser processes
    6 score links     ordering.rate          when each link will be fetched
    7 choose owners   collaboration.assign   which nodes will fetch it
    8 log             archive, log.append    the visit, with every decision about it
    9 exchange        exchange.deliver       links to their owners; strategies learn

Steps 2 to 5 (`fetch`, `read`) wait for the network and for other processes, many at once. Steps 6
to 9 (`settle`) run without a break: nothing happens between the log and its consequences. Every
decision about a link or a page is made here. crawl/parts.py builds the parts, drive.py calls them.
"""

import asyncio
import math
from collections.abc import Collection, Iterable, Sequence
from typing import Unpack

from msgspec.structs import replace

from toponaut.crawl.known_links import known_links, without_worse
from toponaut.crawl.page_reading import new_requisites, read_page
from toponaut.crawl.parts import CrawlParts
from toponaut.crawl.price import NO_PRICE
from toponaut.crawl.progress import Totals
from toponaut.frontier import Frontier
from toponaut.gate.domains import stays
from toponaut.gate.gate import MAX_REDIRECTS, SortedLinks
from toponaut.gate.language import unwanted_language
from toponaut.gate.twins import twin_named
from toponaut.log.visit import (
    EMPTY_PAGE,
    VisitDecisions,
    archive_metadata,
    archived_visit,
    asked_host,
    make_note,
    make_visit,
    scored_link,
    with_sunk,
)
from toponaut.page.parse.meta import NO_ARCHIVE, NO_FOLLOW, NO_INDEX
from toponaut.page.reading.reader import UnreadablePageError
from toponaut.records import (
    CONTENT,
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
)  # fmt: skip
from toponaut.strategy.collaboration import Assignment
from toponaut.strategy.ordering import Rating
from toponaut.urls import fingerprint, fingerprints, host_of, normalise
from toponaut.web.politeness.leases import LeaseOverError
from toponaut.web.politeness.polite_fetcher import ARRIVED, TEMPORARY, FetchedLink, TurnResult
from toponaut.web.politeness.robots import origin_of
from toponaut.web.sitemaps import read_sitemap

_NO_LINKS: tuple[tuple[ScoredLink, ...], SortedLinks] = ((), SortedLinks([], [], (), ()))
_REDIRECTED = "same as the link that redirected here"
_SITEMAP = "a sitemap of a host whose link had this promise"
_NEEDED = "a page with this promise needs it to be shown"


class Node:
    """One crawling node: a frontier, and the steps that start there."""

    def __init__(self, name: str, frontier: Frontier, parts: CrawlParts) -> None:
        self.name = name
        self.frontier = frontier
        self.totals = Totals()
        self.parts = parts

    def seed(self, seeds: Iterable[str], known: Collection[str] = (), detail: str = "") -> None:
        """Enter seeds that are not yet known, as links of a visit without a request."""
        normal = dict.fromkeys(map(normalise, seeds))
        links = [Link(url, "") for url in normal if url and url not in known]
        if not links:
            return
        rating = self.parts.ordering.seed()
        pairs = zip(links, self._assign(JudgedPage(Page("")), links), strict=True)
        scored = tuple(scored_link(one.url, rating, owner, 0, 0, "") for one, owner in pairs)
        self.note(Outcome.SEEDED, detail, scored)

    def note(self, outcome: Outcome, detail: str, links: tuple[ScoredLink, ...] = ()) -> None:
        """Log something that is not a request."""
        log, now = self.parts.log, self.parts.time.now()
        note = make_note(log.written, self.name, now, log.stamp(now), outcome, detail, links)
        self._commit(note)

    def next(self, price: float = NO_PRICE) -> QueuedLink | None:
        """Claim the best link whose host may be asked now, if it is worth the price."""
        parts = self.parts
        now, again = parts.time.now(), parts.ordering.again
        queued = self.frontier.next(now, parts.web.claim, again, price)
        current = parts.price.level
        return replace(queued, price=current) if queued and current > 0.0 else queued

    async def fetch(self, queued: QueuedLink) -> TurnResult:
        """Ask the web for a link, by the host's rules; not if its page came under another URL."""
        gate, agenda = self.parts.gate, self.parts.agenda if queued.revisit else None
        if not agenda and not gate.domains.has_room(queued):
            return self.parts.web.forgo(queued, Outcome.NO_ROOM)
        is_page = not (queued.sitemap or queued.requisite or agenda)
        if is_page and gate.is_twin(self.name, queued.url):
            return self.parts.web.forgo(queued, Outcome.TWIN)
        known = agenda.validators(queued.url) if agenda else ()
        try:
            return await self.parts.web.take_turn(self.name, queued, *known)
        except LeaseOverError:  # on a cluster: another actor has the host's clock now
            return TurnResult(None, self.parts.time.now())

    async def read(self, queued: QueuedLink, turn: TurnResult) -> FetchedLink:
        """Read the page that came, if one did."""
        response, plain = turn.fetched, FetchedLink(queued, turn, turn.fetched)
        if response is None or queued.sitemap or not turn.arrived or plain.is_confirmed:
            return plain
        if queued.requisite:
            return FetchedLink(queued, turn, replace(response, outcome=Outcome.REQUISITE))
        try:
            page = await read_page(self.parts, self.name, response)
        except UnreadablePageError as error:
            failed = replace(response, outcome=Outcome.UNREADABLE, detail=str(error))
            return FetchedLink(queued, turn, failed)
        return FetchedLink(queued, turn, page.response, page.judged, page.requests)

    async def fetch_and_read(self, queued: QueuedLink) -> FetchedLink:
        """Fetch and read a link. It yields between steps, so that visits share warm CPU caches."""
        turn = await self.fetch(queued)
        await asyncio.sleep(0)
        fetched = await self.read(queued, turn)
        await asyncio.sleep(0)
        return fetched

    def settle(self, fetched: FetchedLink) -> list[Visit]:
        """Decide about everything that a link brought, and log it."""
        queued, turn, response = fetched.queued, fetched.turn, fetched.response
        visits = [self._robots_file(queued, answer, turn) for answer in turn.rules]
        visits += [visit for needed in fetched.needed for visit in self._needed(queued, *needed)]
        if response is None and turn.dead and queued.revisit:
            response = replace(turn.rules[-1], url=queued.url)
        if response is None:
            if not turn.dead:
                self.frontier.put_back(queued)
        elif fetched.judged is not None:
            visits.append(self._page(queued, response, fetched.judged))
        elif fetched.is_confirmed:
            visits.append(self._commit(self._visit(queued, response, Outcome.CONFIRMED), response))
        elif response.outcome is Outcome.REQUISITE:
            visits.append(self._requisite(queued, response))
        elif response.outcome in ARRIVED:
            visits.append(self._sitemap(queued, response))
        elif response.outcome is Outcome.REDIRECT:
            visits.append(self._redirect(queued, response))
        else:
            visits.append(self._failure(queued, response, turn.dead))
        self.frontier.release(host_of(queued.url), turn.ready_at)
        return visits

    def give_up_if_closed(self, host: str) -> None:
        """Drop the waiting links of a host that has given enough pages, or only failures."""
        if why := self.parts.gate.closed(host):
            self.parts.give_up(host, whole_domain=why is Refusal.DOMAIN_FULL)

    # --- what a link may turn out to be ----------------------------------------------------------

    def _page(self, queued: QueuedLink, response: Response, judged: JudgedPage) -> Visit:
        judged = self.parts.homes.with_home(queued.url, judged)
        page = judged.page
        robots = page.robots if self.parts.job.politeness.robots else frozenset()
        outcome = self._outcome_of_page(queued, response, judged, robots)
        scored, links = _NO_LINKS
        if outcome in (*ARRIVED, Outcome.NO_INDEX, Outcome.REVISED, Outcome.CONFIRMED):
            prints, nofollow = judged.link_fingerprints, bool(robots & NO_FOLLOW)
            scored, links = self._decide(queued, judged, page.links, prints, nofollow)
        kept = judged if outcome in CONTENT else EMPTY_PAGE
        needed = self._requisites(queued, response) if outcome in ARRIVED else ()
        decided = VisitDecisions(links=scored + needed, known=links.known, refused=links.refused)
        decided["canonical"] = twin_named(queued.url, page.canonical)
        visit = self._visit(queued, response, outcome, kept, **decided)
        keep = outcome is not Outcome.WRONG_LANGUAGE and not robots & NO_ARCHIVE
        return self._commit(visit, response if keep else None)

    def _outcome_of_page(
        self, queued: QueuedLink, response: Response, judged: JudgedPage, robots: frozenset[str]
    ) -> Outcome:
        page, parts = judged.page, self.parts
        if unwanted_language(page.language, page.text, parts.job.limits.languages):
            return Outcome.WRONG_LANGUAGE
        if queued.revisit and parts.agenda and not robots & NO_INDEX:
            return parts.agenda.outcome_of_page(queued.url, judged)
        if parts.gate.is_near_copy(self.name, queued.url, judged.simhash, judged.relevant):
            return Outcome.NEAR_COPY
        return Outcome.NO_INDEX if robots & NO_INDEX else response.outcome

    def _sitemap(self, queued: QueuedLink, response: Response) -> Visit:
        domains = self.parts.gate.domains
        found = read_sitemap(response.body, queued.url, domains.sitemap_links(queued.url))
        nested = found.sitemaps[: domains.nested_sitemaps(queued)]
        pages, prints = [Link(url, queued.url) for url in found.pages], fingerprints(found.pages)
        scored, links = self._decide(queued, JudgedPage(Page(queued.url)), pages, prints)
        scored += tuple(self._sitemap_link(queued, url) for url in nested)
        decided = VisitDecisions(links=scored, known=links.known, refused=links.refused)
        self.parts.read_dates(queued.url, found.modified)  # before: a kill must not lose them
        return self._commit(self._visit(queued, response, Outcome.SITEMAP, **decided), response)

    def _requisite(self, queued: QueuedLink, response: Response) -> Visit:
        """CSS, a picture or a font: archived, so that pages can be shown, but not read."""
        needed = self._requisites(queued, response)
        visit = self._visit(queued, response, Outcome.REQUISITE, links=needed)
        return self._commit(visit, response)

    def _needed(self, queued: QueuedLink, url: str, turn: TurnResult) -> list[Visit]:
        """A request that a page's scripts made while a browser rendered it."""
        asked = replace(queued, url=url, requisite=True, revisit=False, tries=0, redirects=0)
        visits = [self._robots_file(asked, answer, turn) for answer in turn.rules]
        if response := turn.fetched:
            self.frontier.mark_taken([url])
            outcome = Outcome.REQUISITE if response.outcome in ARRIVED else response.outcome
            visits.append(self._commit(self._visit(asked, response, outcome), response))
        return visits

    def _requisites(self, queued: QueuedLink, response: Response) -> tuple[ScoredLink, ...]:
        """New requisites of a page or style sheet, as urgent as itself."""
        depth = queued.depth + 1 if queued.requisite else 0
        urls = new_requisites(self.parts.job.storage, self.frontier, response, depth)
        asides = (self._aside(queued, url, _NEEDED) for url in urls)
        return tuple(replace(link, depth=depth, requisite=True) for link in asides)

    def _robots_file(self, queued: QueuedLink, response: Response, turn: TurnResult) -> Visit:
        """A host's robots.txt with the sitemaps that it names. A missing one (404) is an answer."""
        answered = (*ARRIVED, Outcome.GONE, Outcome.CLIENT_ERROR)
        outcome = Outcome.ROBOTS_FILE if response.outcome in answered else response.outcome
        sitemaps = turn.sitemaps if response is turn.rules[-1] else ()
        links = tuple(self._sitemap_link(queued, url) for url in sitemaps)
        asked = QueuedLink(response.url, queued.promise, queued.depth, queued.hops, queued.found_by)
        dropped = 1 + self.parts.exchange.give_up(host_of(queued.url)) if turn.dead else 0
        decided = VisitDecisions(links=links, dropped=dropped, rules_of=origin_of(queued.url))
        return self._commit(self._visit(asked, response, outcome, **decided), response)

    def _redirect(self, queued: QueuedLink, response: Response) -> Visit:
        """The target becomes a link of its own: host rules, clock and filters apply to it."""
        target = response.location
        decided = self._decide_redirect(queued, target) if target else VisitDecisions()
        decided["canonical"] = twin_named(queued.url, target)
        return self._commit(self._visit(queued, response, Outcome.REDIRECT, **decided), response)

    def _decide_redirect(self, queued: QueuedLink, target: str) -> VisitDecisions:
        if not self.frontier.new([target])[0]:
            return VisitDecisions(known=(fingerprint(target),))
        host = host_of(target)
        depth = queued.depth if stays(host_of(queued.url), host) else 0
        why = None if queued.requisite else self.parts.gate.refuse(self.name, target, host, depth)
        if queued.redirects >= MAX_REDIRECTS:
            why = Refusal.TOO_MANY_REDIRECTS
        if why:
            return VisitDecisions(refused=(RefusedLink(target, why),))
        rating = Rating(queued.promise, queued.score, _REDIRECTED, queued.ordering_memo)
        owner = self._owner_of_redirect(queued, target)
        link = scored_link(target, rating, owner, depth, queued.hops, "")
        kind = {"sitemap": queued.sitemap, "requisite": queued.requisite}
        return VisitDecisions(links=(replace(link, redirects=queued.redirects + 1, **kind),))

    def _owner_of_redirect(self, queued: QueuedLink, target: str) -> Assignment:
        link = Link(target, queued.url)
        if self.parts.collaboration.by_url_alone:
            return self._assign(JudgedPage(Page(queued.url)), [link])[0]
        same = Assignment((self.name,), _REDIRECTED, queued.owner_memo)
        return (
            self.parts.exchange.single_owners([link], [same])[0] if self.parts.one_owner else same
        )

    def _failure(self, queued: QueuedLink, response: Response, dead: bool) -> Visit:
        """No page came. Temporary failures are retried, unless the host counts as dead."""
        tries_left = queued.tries < self.parts.job.politeness.retries
        retry = response.outcome in TEMPORARY and tries_left and not dead and not queued.revisit
        dropped = self.parts.exchange.give_up(host_of(queued.url)) if dead else 0
        visit = self._visit(queued, response, response.outcome, retry=retry, dropped=dropped)
        visit = self._commit(visit, response)
        if retry:
            self.frontier.put_back(replace(queued, tries=queued.tries + 1))
        return visit

    # --- steps 6 to 9 ----------------------------------------------------------------------------

    def _decide(
        self,
        queued: QueuedLink,
        judged: JudgedPage,
        links: Sequence[Link],
        prints: Sequence[int],
        nofollow: bool = False,
    ) -> tuple[tuple[ScoredLink, ...], SortedLinks]:
        """Decide when and by whom each link is fetched. Known links may deserve more promise:
        relevant pages rate them again, and by some orderings every page.
        """
        links, prints, twins = self.parts.gate.usual_forms(links, prints)
        # The position of the first link to each URL.
        at = dict(zip(reversed(prints), range(len(prints) - 1, -1, -1), strict=True))
        if nofollow:
            refused = (RefusedLink(links[one].url, Refusal.NOFOLLOW) for one in at.values())
            return (), SortedLinks([], [], (), tuple(refused))
        urls = [links[one].url for one in at.values()]
        prints = self.frontier.keyed(urls)
        met = self.frontier.knows(prints)
        skipped, waiting = known_links(
            self.parts, self.frontier, judged.relevant, urls, prints, list(at), met
        )
        parted = self.parts.gate.sort(self.name, queued, links, at, met, skipped, twins)
        least = [waiting.get(link.url, -math.inf) for link in parted.wanted]
        better = self.parts.ordering.rate_better(queued, judged, parted.wanted, least)
        parted, rated = without_worse(parted, better, waiting)
        owners = self._assign(judged, parted.wanted, waiting)
        hops = queued.hops + 1
        decided = zip(parted.wanted, parted.depths, rated, owners, strict=True)
        scored = tuple(
            scored_link(link.url, rating, owner, depth, hops, link.anchor)
            for link, depth, rating, owner in decided
        )
        return scored, parted

    def _assign(
        self, judged: JudgedPage, links: Sequence[Link], waiting: Collection[str] = ()
    ) -> list[Assignment]:
        """The owners of links; those that wait stay where they are."""
        assigned = self.parts.collaboration.assign(judged, links)
        if self.parts.one_owner:
            return self.parts.exchange.single_owners(links, assigned)
        for k, link in enumerate(links if waiting else ()):
            if link.url in waiting:
                assigned[k] = assigned[k]._replace(owners=(self.name,))
        return assigned

    def _sitemap_link(self, queued: QueuedLink, url: str) -> ScoredLink:
        nesting = queued.depth + 1 if queued.sitemap else 0
        return replace(self._aside(queued, url, _SITEMAP), depth=nesting, sitemap=True)

    def _aside(self, queued: QueuedLink, url: str, why: str) -> ScoredLink:
        """A link to something that is not a page, as urgent as the link that led to it."""
        owner = Assignment((self.name,), why)
        if self.parts.collaboration.by_url_alone:
            owner = self._assign(JudgedPage(Page(queued.url)), [Link(url, queued.url)])[0]
        rating = Rating(queued.promise, queued.score, why)
        return replace(scored_link(url, rating, owner, 0, queued.hops + 1, ""), owner_memo=b"")

    def _visit(
        self,
        queued: QueuedLink,
        response: Response,
        outcome: Outcome,
        judged: JudgedPage = EMPTY_PAGE,
        **decided: Unpack[VisitDecisions],
    ) -> Visit:
        log, now = self.parts.log, self.parts.time.now()
        number, at = log.written, log.stamp(now)
        return make_visit(number, self.name, now, queued, response, outcome, at, judged, **decided)

    def _commit(self, visit: Visit, response: Response | None = None) -> Visit:
        """Write the archive, then the log; only then update frontiers, models and counts."""
        parts, archive = self.parts, self.parts.archive
        visit = with_sunk(visit, self.frontier.sunk.take())
        if archive and response and (stored := archive.write(response, archive_metadata(visit))):
            visit = archived_visit(visit, stored)
        post = parts.exchange.pack(self.name, visit.links, visit.sequence)
        if post.messages:
            visit = replace(visit, sent=post.links, messages=post.messages, message_bytes=post.size)
        parts.log.append(visit)
        parts.exchange.deliver(self.name, post, visit)
        for totals in (parts.totals, self.totals):
            totals.add(visit)
        self.learn(visit)
        return visit

    def learn(self, visit: Visit, here: bool = True) -> None:
        """Let strategies and gate learn from a visit; on a cluster also from those of others."""
        if self.parts.agenda:
            self.parts.agenda.learn(visit)
        if visit.revisit:  # its page and its host taught the others before
            return
        self.parts.ordering.learn(visit)
        self.parts.collaboration.learn(visit)
        self.parts.homes.learn(visit)
        if visit.url:
            self.parts.gate.learn(visit, here)
            self.give_up_if_closed(host_of(visit.url))
            if visit.dropped and not here:
                self.parts.exchange.give_up(asked_host(visit))
