"""Whether a listed place is alive, moved, closed or unknown, with the proof.

The first of these that holds decides:

1. Its website, or a page that names it at its address, says that it is closed, or is parked.
2. The crawl has it at its address, or nobody knows better than a point nearby: alive.
3. The crawl has it at another address, with the same phone, or on its own website: moved. That may
   be the house next door. One more branch of a chain proves nothing.
4. Its website names it: alive, less surely, because nobody says where.
5. Its website is gone, twice a day apart, or leads to somebody's front page: closed.

Otherwise it is unknown; the reason says what was seen.
"""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from toponaut.export.rows import AddressRow, moment
from toponaut.records import Outcome, Record
from toponaut.urls import site_of
from toponaut.verify.listed_place import ListedPlace
from toponaut.verify.matching import MatchScore, logistic
from toponaut.verify.site_evidence import SiteEvidence, SitePage
from toponaut.watch.signs import leads_home

_NAMED, _GONE, _LED_HOME = 0.75, 0.8, 0.7
_PROVED = frozenset({Outcome.GONE, Outcome.NO_HOST})  # by an answer, not by silence


class PlaceStatus(StrEnum):
    """What became of a place."""

    ALIVE = "alive"
    MOVED = "moved"
    CLOSED = "closed"
    UNKNOWN = "unknown"


class VerifiedPlace(Record, frozen=True):
    """A row of the list with its verdict."""

    row: int  # its number in the file, from 1
    id: str
    name: str
    status: str  # a PlaceStatus
    confidence: float  # 0 if unknown
    reason: str
    url: str  # of the page that proves it
    date: datetime | None  # when that page was last seen
    quote: str  # from that page
    archive: str  # the WARC file with the page
    offset: int  # of its record there
    found: str  # id of the crawl's row for this organisation; "" if there is none
    found_name: str
    found_address: str
    km: float | None  # from the listed point to the found one
    lat: float | None  # of the list
    lon: float | None


class PlaceMatch(Struct, frozen=True):
    """An organisation of the crawl, compared with a listed place."""

    row: AddressRow
    score: MatchScore
    is_only: bool  # the crawl has this organisation's website, or phone, at no other address

    @property
    def is_known(self) -> bool:
        """Whether the name agrees, and something that only one organisation has."""
        agrees = self.score.agrees
        return "name" in agrees and ("phone" in agrees or ("website" in agrees and self.is_only))

    @property
    def is_there(self) -> bool:
        """Whether it is at the listed address, as far as one can see."""
        elsewhere = self.score.other_house and (self.is_known or not self.is_only)
        return self.score.is_there and not elsewhere


class Verdict(Struct, frozen=True):
    """A status with its proof."""

    status: PlaceStatus
    confidence: float
    reason: str
    page: SitePage | None = None
    quote: str = ""
    match: PlaceMatch | None = None


def decide(
    listed: ListedPlace, matches: Sequence[PlaceMatch], evidence: SiteEvidence
) -> VerifiedPlace:
    """The verdict on a place. `matches`: the best first."""
    best = next((match for match in matches if match.is_there), None)
    own = evidence.of_site(site_of(listed.website)) if listed.website else []
    verdict = (
        _says_closed(listed, own, best, evidence)
        or (best and _alive_at(best, evidence))
        or _moved(matches, evidence)
        or _named_by_its_site(listed, own)
        or _site_gone(listed, own)
        or Verdict(PlaceStatus.UNKNOWN, 0.0, _why_unknown(listed, own))
    )
    return _row(listed, verdict)


def _says_closed(
    listed: ListedPlace, own: list[SitePage], best: PlaceMatch | None, evidence: SiteEvidence
) -> Verdict | None:
    about = [page for page in own if page.named or page.url == listed.website]
    about += [
        evidence.pages[url] for url in (best.row.urls if best else ()) if url in evidence.pages
    ]
    for page in about:
        if page.is_page and page.sign:
            reason = "the domain is parked" if page.sign.kind == "parked" else "the page says so"
            closed = PlaceStatus.CLOSED
            return Verdict(closed, page.sign.confidence, reason, page, page.sign.quote, best)
    return None


def _alive_at(match: PlaceMatch, evidence: SiteEvidence) -> Verdict:
    page, quote = _shown_on(match.row, evidence)
    agrees = [part for part in match.score.agrees if part != "category"]
    near = f", {match.score.km:.1f} km apart" if match.score.km is not None else ""
    reason = f"{_listed_words(agrees)} agree{near}"
    return Verdict(PlaceStatus.ALIVE, match.score.probability, reason, page, quote, match)


def _moved(matches: Sequence[PlaceMatch], evidence: SiteEvidence) -> Verdict | None:
    """The same organisation elsewhere."""
    for match in sorted(matches, key=lambda one: -one.score.identity):
        score = match.score
        if match.is_known and (score.other_house or "address" in score.differs):
            page, quote = _shown_on(match.row, evidence)
            how = "phone" if "phone" in score.agrees else "website"
            reason = f"name and {how} agree, the address is another"
            confidence = logistic(score.identity - 3.0)
            return Verdict(PlaceStatus.MOVED, confidence, reason, page, quote, match)
    return None


def _named_by_its_site(listed: ListedPlace, own: list[SitePage]) -> Verdict | None:
    page = next((one for one in own if one.is_page and listed.name in one.named), None)
    if page is None:
        return None
    return Verdict(PlaceStatus.ALIVE, _NAMED, "its website names it", page, page.title)


def _site_gone(listed: ListedPlace, own: list[SitePage]) -> Verdict | None:
    page = next((one for one in own if one.url == listed.website), None)
    if page is None or any(one.is_page for one in own):
        return None
    if page.outcome is Outcome.REDIRECT and page.target and leads_home(page.url, page.target):
        if site_of(page.target) == site_of(page.url):
            return None
        reason = f"its website leads to {page.target}"
        return Verdict(PlaceStatus.CLOSED, _LED_HOME, reason, page)
    if page.outcome in _PROVED and len(page.failures) > 1:
        return Verdict(PlaceStatus.CLOSED, _GONE, f"its website failed twice: {page.outcome}", page)
    return None


def _why_unknown(listed: ListedPlace, own: list[SitePage]) -> str:
    if not listed.website:
        return "the list gives no website, and no page names it there"
    if not own:
        return "its website was not visited"
    if any(page.is_page for page in own):
        return "its website does not name it"
    return f"its website failed once: {own[0].outcome}"


def _shown_on(row: AddressRow, evidence: SiteEvidence) -> tuple[SitePage | None, str]:
    """The page that shows an address, with its words."""
    pages = (evidence.pages[url] for url in row.urls if url in evidence.pages)
    for page in pages:
        if row.normal in page.addresses:
            words = " ".join(page.addresses[row.normal].split())
            return page, f"{row.organisation}: {words}" if words else row.organisation
    return next((evidence.pages[url] for url in row.urls if url in evidence.pages), None), ""


def _listed_words(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _row(listed: ListedPlace, verdict: Verdict) -> VerifiedPlace:
    page, match = verdict.page, verdict.match
    row = match.row if match else None
    address = (
        ", ".join(filter(None, (f"{row.number} {row.street}".strip(), row.city))) if row else ""
    )
    return VerifiedPlace(
        row=listed.row,
        id=listed.id,
        name=listed.name,
        status=verdict.status,
        confidence=round(verdict.confidence, 3),
        reason=verdict.reason,
        url=page.url if page else (row.url if row else ""),
        date=moment(page.time) if page and page.time else (row.last_seen if row else None),
        quote=verdict.quote,
        archive=page.archive if page else "",
        offset=page.offset if page else 0,
        found=row.id if row else "",
        found_name=row.organisation if row else "",
        found_address=address,
        km=round(match.score.km, 3) if match and match.score.km is not None else None,
        lat=listed.lat,
        lon=listed.lon,
    )
