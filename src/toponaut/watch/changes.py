"""What has changed: a fold over the log that gives each change once, with its evidence.

Two visits to a page are compared. An address with another organisation is a new name, the same
organisation or phone at another address is a move; a place that no page showed before has appeared.
What the pages said before the first watch is not news.

A page is gone after two failed visits a day apart, if the server says so (404, 410), if its host
has no name any more, or if it leads to a front page; after four in a week if the server is silent.
The places of a page are closed if the page says so in words, if its domain is parked or has no
name, if it leads to the front page of another site, or if nothing on its host answers any more.

Ids depend on what has changed, not on when it was noticed: a watch that was killed and finds a
change again gives it the same id.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from enum import StrEnum

from msgspec import Struct, field
from xxhash import xxh3_64_hexdigest

from toponaut.log.visit import redirect_target
from toponaut.places.addresses.normal import plain
from toponaut.records import CONTENT, Address, Outcome, Record, Visit
from toponaut.urls import host_of, registered_domain
from toponaut.watch.history import WATCH, PlaceHistory, Proof, place_id, place_key
from toponaut.watch.signs import closed_sign, leads_home

FIELDS = (
    "sequence", "url", "outcome", "detail", "time", "stamp", "title", "text", "addresses",
    "archive", "offset", "length", "revisit",
)  # fmt: skip
_SAID = frozenset({Outcome.GONE, Outcome.NO_HOST, Outcome.REDIRECT})
_SILENT = frozenset({
    Outcome.SERVER_ERROR, Outcome.TIMEOUT, Outcome.NO_CONNECTION, Outcome.NO_TLS, Outcome.NO_RULES,
})  # fmt: skip
APART_S = 20 * 3600.0  # between two failures that count
_SAID_VISITS, _SILENT_VISITS = 2, 4
_SILENT_S = 7 * 86_400.0
_OWN = 2  # places on a page that is about them; more are a list


class ChangeKind(StrEnum):
    """Kinds of changes."""

    APPEARED = "appeared"
    MOVED = "moved"
    RENAMED = "renamed"
    PHONE = "phone changed"
    HOURS = "hours changed"
    CLOSED = "closed"
    PAGE_GONE = "page gone"
    PAGE_BACK = "page back"


class Change(Record, frozen=True):
    """A change, with its evidence."""

    id: str
    kind: ChangeKind
    time: float  # when it was noticed
    confidence: float
    before: str
    after: str
    why: str  # the evidence in words
    evidence: Proof  # the visit that shows it
    place: str = ""  # the id of the place; "" if it is about a page alone
    name: str = ""
    category: str = ""
    address: str = ""
    city: int = 0  # the gazetteer's place of the address
    lat: float | None = None
    lon: float | None = None


class PageState(Struct):
    """What a page showed last."""

    shown: dict[str, Address] = field(default_factory=dict)  # by place id
    failures: list[float] = field(default_factory=list)  # times, at least APART_S apart
    gone: bool = False  # several visits failed
    closed: bool = False  # it says that its places are closed, or its domain is parked


class ChangeFold:
    """Takes the visits of a log in order; gives the changes that each one shows."""

    def __init__(self) -> None:
        self.places: dict[str, PlaceHistory] = {}
        self.pages: dict[str, PageState] = {}
        self._ids: dict[tuple[str, str], str] = {}  # place_key -> id; several keys of moved places
        self._alive: dict[str, float] = defaultdict(float)  # host -> last page that came
        self._given: Counter[str] = Counter()  # how often a change was given
        self._watching = False

    def add(self, visit: Visit) -> list[Change]:
        """Take a visit."""
        if visit.outcome is Outcome.CONTROL and visit.detail.startswith(f"{WATCH} "):
            self._watching = True
        if not visit.url:
            return []
        if visit.outcome in CONTENT or visit.outcome is Outcome.CONFIRMED:
            return list(self._page_came(visit))
        if visit.revisit and (page := self.pages.get(visit.url)):
            return list(self._failed(page, visit))
        return []

    # --- a page came -----------------------------------------------------------------------------

    def _page_came(self, visit: Visit) -> Iterator[Change]:
        page = self.pages.get(visit.url)
        if visit.outcome is Outcome.CONFIRMED:
            self._alive[host_of(visit.url)] = visit.time
            if page:
                if not page.closed:
                    yield from self._came_back(page, visit)
                for key, address in page.shown.items():
                    self.places[key].confirm(address, visit)
            return
        sign = closed_sign(visit.title, visit.text, visit.addresses)
        if sign and sign.kind == "parked":
            if page:
                page.closed = True
                yield from self._close(page, visit, sign.quote, sign.confidence)
            return
        self._alive[host_of(visit.url)] = visit.time
        if page is None:
            if not visit.addresses:
                return
            page = self.pages[visit.url] = PageState()
        if not sign:
            yield from self._came_back(page, visit)
        yield from self._compare(page, visit)
        if sign and visit.revisit:
            page.closed = True
            yield from self._close(page, visit, sign.quote, sign.confidence)

    def _compare(self, page: PageState, visit: Visit) -> Iterator[Change]:
        """What the addresses of a page say that they did not say before."""
        left = dict(page.shown)
        shown: dict[str, Address] = {}
        unknown = []
        for address in visit.addresses:
            key = self._known(address, left)
            if key is None:
                unknown.append(address)
                continue
            place, before = self.places[key], left.pop(key, None)
            if before and _differ(before, address) and _differ(place.address, address):
                yield from self._moved(place, before, address, visit)
            else:
                yield from self._facts(place, before, address, visit)
            shown[key] = address
        for address in unknown:
            key = self._same_place(address, left)
            if key is None:
                key = self._new_place(address)
                place = self.places[key]
                if self._watching:
                    yield self._change(ChangeKind.APPEARED, place, visit, "", _shown(address), 1.0)
            else:
                place, before = self.places[key], left.pop(key)
                yield from self._moved(place, before, address, visit)
            self._ids[place_key(address)] = key
            place.see(address, visit)
            shown[key] = address
        page.shown = shown or page.shown

    def _known(self, address: Address, left: dict[str, Address]) -> str | None:
        """The id of a place that was seen before, by its address and its name."""
        key = self._ids.get(place_key(address))
        if key is not None:
            return key
        for one, before in left.items():  # a name that was missing, or is missing now
            if before.normal == address.normal and not (
                before.organisation and address.organisation
            ):
                return one
        return None

    def _same_place(self, address: Address, left: dict[str, Address]) -> str | None:
        """The place of this page that has moved, or has another name now."""
        for key, before in left.items():
            same_name = address.organisation and plain(before.organisation) == plain(
                address.organisation
            )
            same_phone = address.phone and before.phone == address.phone
            if before.normal == address.normal or same_name or same_phone:
                return key
        return next(iter(left)) if len(left) == 1 and not address.organisation else None

    def _new_place(self, address: Address) -> str:
        key = place_id(address)
        self.places[key] = PlaceHistory(key, address)
        return key

    def _moved(
        self, place: PlaceHistory, before: Address, address: Address, visit: Visit
    ) -> Iterator[Change]:
        if before.normal != address.normal:
            kind, pair = ChangeKind.MOVED, (before.normal, address.normal)
        else:
            kind, pair = ChangeKind.RENAMED, (before.organisation, address.organisation)
        place.address = address
        yield self._change(kind, place, visit, *pair, 0.9)
        yield from self._facts(place, before, address, visit)

    def _facts(
        self, place: PlaceHistory, before: Address | None, address: Address, visit: Visit
    ) -> Iterator[Change]:
        """Phone and hours, if this page said something else before and no page says so yet."""
        for kind, name in ((ChangeKind.PHONE, "phone"), (ChangeKind.HOURS, "hours")):
            old, new = getattr(before, name, ""), getattr(address, name)
            span = place.current(name)
            if old and new and old != new and span and span.value != new:
                yield self._change(kind, place, visit, old, new, 0.9)
        place.see(address, visit)

    def _came_back(self, page: PageState, visit: Visit) -> Iterator[Change]:
        page.failures = []
        if page.gone or page.closed:
            page.gone = page.closed = False
            for key in page.shown:
                self.places[key].closed = False
            yield self._change(ChangeKind.PAGE_BACK, None, visit, "gone", "back", 0.95)

    # --- a page did not come ---------------------------------------------------------------------

    def _failed(self, page: PageState, visit: Visit) -> Iterator[Change]:
        said = visit.outcome in _SAID
        target = redirect_target(visit)
        moved = visit.outcome is Outcome.REDIRECT
        if moved and not (target and leads_home(visit.url, target)):
            return
        if not said and visit.outcome not in _SILENT:
            return
        if not page.failures or visit.time - page.failures[-1] >= APART_S:
            page.failures.append(visit.time)
        enough = len(page.failures) >= (_SAID_VISITS if said else _SILENT_VISITS)
        if page.gone or not enough:
            return
        if not said and visit.time - page.failures[0] < _SILENT_S:
            return
        page.gone = True
        why = f"{visit.outcome}: {visit.detail}" if visit.detail else str(visit.outcome)
        why = f"{why}, on {len(page.failures)} visits"
        yield self._change(ChangeKind.PAGE_GONE, None, visit, "page", why, 0.9)
        if self._is_whole_site(page, visit, target):
            yield from self._close(page, visit, why, 0.8)

    def _is_whole_site(self, page: PageState, visit: Visit, target: str) -> bool:
        """Whether not only this page is gone, but all that is known of its site."""
        if visit.outcome is Outcome.REDIRECT:
            return registered_domain(host_of(target)) != registered_domain(host_of(visit.url))
        return self._alive[host_of(visit.url)] < page.failures[0]

    def _close(
        self, page: PageState, visit: Visit, why: str, confidence: float
    ) -> Iterator[Change]:
        """Close the places that a page was about."""
        if len(page.shown) > _OWN:
            return
        for key in page.shown:
            place = self.places[key]
            if not place.closed:
                place.closed = True
                yield self._change(ChangeKind.CLOSED, place, visit, "open", why, confidence)

    def _change(
        self,
        kind: ChangeKind,
        place: PlaceHistory | None,
        visit: Visit,
        before: str,
        after: str,
        confidence: float,
    ) -> Change:
        address = place.address if place else None
        if place is None:  # of a page: the place that it is about, if it is one
            shown = self.pages[visit.url].shown
            address = next(iter(shown.values())) if len(shown) == 1 else None
        about = place.id if place else visit.url
        said = "" if kind in (ChangeKind.CLOSED, ChangeKind.PAGE_GONE) else after
        name = "\0".join((kind, about, before, said))
        self._given[name] += 1
        sure = confidence * (address.confidence or 1.0) if address else confidence
        return Change(
            id=xxh3_64_hexdigest(f"{name}\0{self._given[name]}".encode()),
            kind=kind,
            time=visit.time,
            confidence=round(sure, 3),
            before=before,
            after="closed" if kind is ChangeKind.CLOSED else after,
            why=after if kind is ChangeKind.CLOSED else "",
            evidence=Proof.of_visit(visit),
            place=place.id if place else "",
            name=address.organisation if address else "",
            category=address.category if address else "",
            address=address.normal if address else "",
            city=address.place if address else 0,
            lat=address.lat if address else None,
            lon=address.lon if address else None,
        )


def _differ(before: Address, address: Address) -> bool:
    """Whether both have a name, and another one or another address."""
    named = before.organisation and address.organisation
    return bool(named) and place_key(before) != place_key(address)


def _shown(address: Address) -> str:
    return ", ".join(part for part in (address.organisation, address.normal) if part)


def histories_of(visits: Iterable[Visit]) -> tuple[PlaceHistory, ...]:
    """The places of a page over time, from its visits; () if it was visited once."""
    fold, revisits = ChangeFold(), 0
    for visit in visits:
        revisits += visit.revisit
        fold.add(visit)
    return tuple(fold.places.values()) if revisits else ()
