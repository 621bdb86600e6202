"""The synthetic web with a clock: facts change, shops open, move and close, hosts vanish.

Every change is computed from the seed, the site and the time, as everything else here: nothing is
stored, and the web at any moment can be asked for. At time 0 it has the facts of the web that it is
made from, and the opening hours of shops. Changes of a kind come at random, at a constant rate (a
Poisson process).

Sitemaps have dates on some sites: those of the last changes, or always that of today, as many real
ones.

Some shops have not opened yet: their hosts do not exist, and no list has them. A shop closes with
one of the signs that real ones leave: words on its pages, 404 or 410, a parked domain, a host that
is gone, a redirect to a chain's front page. Other sites are only sometimes out of order, or say
that they are closed on holidays: a watch must not report these.
"""

import math
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from toponaut.records import Outcome, Request
from toponaut.synthetic.chance import mix, name_key, unit
from toponaut.synthetic.paths import Role
from toponaut.synthetic.plan import PagePlan
from toponaut.synthetic.postal import SyntheticAddress, make_address
from toponaut.synthetic.serving import SyntheticFetcher
from toponaut.synthetic.sites import SiteKind, SyntheticSite
from toponaut.synthetic.web import SyntheticAnswer, SyntheticWeb
from toponaut.urls import host_of

_DAY_S = 86_400.0
_NEVER = math.inf
_MOST = 100_000  # changes of one page
(
    _TEXT, _PHONE, _MOVE, _NAME, _CLOSE, _SIGN, _OUT, _OPEN, _SPREAD, _HOURS, _START, _DATES,
) = range(9000, 9012)  # salts  # fmt: skip
_CLOSED = {
    "en": "We are permanently closed. Thank you for all the years.",
    "de": "Unser Geschäft ist dauerhaft geschlossen. Wir danken unseren Kunden.",
    "pt": "Estamos encerrados: loja fechada definitivamente. Obrigado a todos.",
}
_HOLIDAY = {
    "en": "We are closed on public holidays.",
    "de": "An Feiertagen geschlossen.",
    "pt": "Encerrado aos feriados.",
}
_HOURS_LINE = {
    "en": "Hours: Mon-Fri {0}:00 am - {1}:00 pm",
    "de": "Öffnungszeiten: Mo-Fr {0}:00-{2}:00 Uhr",
    "pt": "Horário: Seg-Sex {0}:00-{2}:00",
}
_LOCATION = re.compile(r"<loc>([^<]*)</loc>")
_PARKED = (
    "<html><head><title>{0}</title></head><body><h1>{0}</h1><p>This domain is for sale. "
    "Buy this domain today.</p></body></html>"
)


class Sign(StrEnum):
    """How a closed shop looks."""

    WORDS = "words"
    GONE = "gone"
    PARKED = "parked"
    VANISHED = "vanished"
    REDIRECT = "redirect"


class ChangeSettings(Struct, frozen=True, kw_only=True):
    """Changes a day. All set: shops close after ten years on average, move after fifteen.

    `unopened`: the share of shops that open later, at the rate of `opening`.
    """

    closing: float = 1 / 3650
    moving: float = 1 / 5500
    renaming: float = 1 / 7000
    phone: float = 1 / 2500
    hours: float = 1 / 700
    unopened: float = 0.0
    opening: float = 1 / 365
    # Changes of a page's main text, by the kind of its site.
    text: tuple[tuple[str, float], ...] = (
        ("news", 0.5), ("guide", 0.05), ("blog", 0.05), ("chamber", 0.03), ("directory", 0.03),
        ("university", 0.02), ("general", 0.02), ("national", 0.1), ("shop", 0.005),
        ("chain", 0.01),
    )  # fmt: skip
    # Shares of the signs, in the order of Sign; they add up to 1.
    signs: tuple[float, ...] = (0.35, 0.25, 0.15, 0.1, 0.15)
    outages: float = 0.01  # days of a site on which its pages are 404 or 503
    holidays: float = 0.05  # shops that say they are closed on holidays
    # Sites whose sitemaps have dates, of those with sitemaps; and those whose dates mean nothing.
    dated: float = 0.5
    misdated: float = 0.2


class SiteLife(Struct, frozen=True):
    """A site at one moment: how often its facts have changed, and whether it is closed."""

    moves: int = 0
    names: int = 0
    phones: int = 0
    hours: int = 0
    opened: bool = True
    closed: Sign | None = None

    @property
    def is_open(self) -> bool:
        return self.opened and self.closed is None


class ChangingWeb:
    """A synthetic web that changes. Times are seconds from its beginning."""

    def __init__(self, web: SyntheticWeb, settings: ChangeSettings | None = None) -> None:
        self.web = web
        self.settings = settings or ChangeSettings()
        self._text = dict(self.settings.text)
        self._chain = web.sites.site(self._first_chain()).host

    def page(self, url: str, now: float) -> SyntheticAnswer:
        """The answer to a GET request at a moment."""
        site = self.web.sites.find_host(host_of(url))
        before = self.web.page(url)
        if site is None or before.fault is not None or before.status >= 500:
            return before
        life = self.life(site, now)
        if not life.opened:
            return _no_host("no such host yet")
        if life.closed not in (None, Sign.WORDS):
            return self._closed(life.closed, site, before)
        if before.status != 200:
            return before
        if (plan := self.web.find(url)) is None:
            is_sitemap = url.endswith("/sitemap.xml")
            return (
                replace(before, body=self._dated(site, before.body, now)) if is_sitemap else before
            )
        if self._is_out(site, now):
            status = 404 if site.style & 2 else 503
            headers = (("content-type", "text/html"),)
            return replace(before, status=status, headers=headers, body=b"<h1>Error</h1>")
        return self._page(plan, life, before, now)

    # --- what has happened -----------------------------------------------------------------------

    def life(self, site: SyntheticSite, now: float) -> SiteLife:
        """What has happened to a site."""
        if not site.is_local:
            return SiteLife()
        settings, twin = self.settings, self.web.sites.site(site.twin)
        closed = self.closes_at(site) <= now
        return SiteLife(
            moves=events(twin.key, _MOVE, settings.moving, now),
            names=events(twin.key, _NAME, settings.renaming, now),
            phones=events(twin.key, _PHONE, settings.phone, now),
            hours=events(twin.key, _HOURS, settings.hours, now),
            opened=self.opens_at(site) <= now,
            closed=self._sign(twin) if closed else None,
        )

    def closes_at(self, site: SyntheticSite) -> float:
        """When a shop closes, in seconds; infinity for other sites."""
        if site.kind is not SiteKind.SHOP or not self.settings.closing:
            return _NEVER
        key = self.web.sites.site(site.twin).key
        return self.opens_at(site) + _waits(key, _CLOSE, self.settings.closing)

    def opens_at(self, site: SyntheticSite) -> float:
        """When a shop opens, in seconds; 0 for those that are open from the beginning."""
        key = self.web.sites.site(site.twin).key
        late = site.kind is SiteKind.SHOP and unit(key, _START) < self.settings.unopened
        return _waits(mix(key, _START), _OPEN, self.settings.opening) if late else 0.0

    def modified(self, plan: PagePlan, now: float) -> float:
        """When a page's own text, or a fact about its own shop, has changed last; 0 if never."""
        settings, site = self.settings, plan.site
        found = [_last_event(plan.key, _TEXT, self._text_rate(plan), now)]
        if site.is_local:
            key = self.web.sites.site(site.twin).key
            rates = (settings.moving, settings.renaming, settings.phone, settings.hours)
            salts = (_MOVE, _NAME, _PHONE, _HOURS)
            found += [_last_event(key, *one, now) for one in zip(salts, rates, strict=True)]
            found += [
                moment for moment in (self.closes_at(site), self.opens_at(site)) if moment <= now
            ]
        return max(found)

    def _dated(self, site: SyntheticSite, sitemap: bytes, now: float) -> bytes:
        """A sitemap with the dates of its pages, if the site writes dates."""
        draw = unit(site.key, _DATES)
        if draw >= self.settings.dated + self.settings.misdated:
            return sitemap
        right = draw < self.settings.dated

        def with_date(found: re.Match[str]) -> str:
            plan = self.web.find(found[1])
            moment = self.modified(plan, now) if right and plan else now
            date = datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds")
            return f"<loc>{found[1]}</loc><lastmod>{date}</lastmod>"

        return _LOCATION.sub(with_date, sitemap.decode()).encode()

    def text_version(self, plan: PagePlan, now: float) -> int:
        """How often the main text of a page has changed."""
        return events(plan.key, _TEXT, self._text_rate(plan), now)

    def _text_rate(self, plan: PagePlan) -> float:
        return self._text.get(plan.site.kind.value, 0.0) * _spread(plan.key)

    def _sign(self, site: SyntheticSite) -> Sign:
        draw = unit(site.key, _SIGN)
        for sign, share in zip(Sign, self.settings.signs, strict=True):
            if draw < share:
                return sign
            draw -= share
        return Sign.WORDS

    def _is_out(self, site: SyntheticSite, now: float) -> bool:
        return unit(mix(site.key, _OUT), int(now / _DAY_S)) < self.settings.outages

    # --- answers ---------------------------------------------------------------------------------

    def _closed(
        self, sign: Sign | None, site: SyntheticSite, before: SyntheticAnswer
    ) -> SyntheticAnswer:
        html = (("content-type", "text/html"),)
        if sign is Sign.VANISHED:
            return _no_host("the name has expired")
        if sign is Sign.PARKED:
            return replace(
                before, status=200, headers=html, body=_PARKED.format(site.host).encode()
            )
        if sign is Sign.REDIRECT:
            moved = (*html, ("location", f"http://{self._chain}/"))
            return replace(before, status=301, headers=moved, body=b"moved")
        status = 410 if site.style & 1 else 404
        return replace(before, status=status, headers=html, body=b"<h1>Not here any more</h1>")

    def _page(
        self, plan: PagePlan, life: SiteLife, before: SyntheticAnswer, now: float
    ) -> SyntheticAnswer:
        version = self.text_version(plan, now)
        listed = (self.life(one, now) for one in plan.listed)
        made = replace(
            plan,
            key=mix(plan.key, version) if version else plan.key,
            listed=tuple(
                site for site, one in zip(plan.listed, listed, strict=True) if one.is_open
            ),
            addresses=self._addresses(plan, now),
        )
        body, kind = self.web.body(made)
        body = body.replace(b"<body>", b"<body>" + self._banner(plan, life), 1)
        state = f"{made.key}{[one.normal + one.phone + one.organisation for one in made.addresses]}"
        etag = f'"{name_key(f"{state}{life.closed}{life.hours}"):016x}"'
        headers = [("content-type", kind), ("content-length", str(len(body)))]
        if plan.site.style & 4:  # others send no validator, and other bytes each time
            headers.append(("etag", etag))
        else:
            body += f"<!-- made at {now:.3f} -->".encode()
        return replace(before, headers=tuple(headers), body=body)

    def _banner(self, plan: PagePlan, life: SiteLife) -> bytes:
        """Words at the top of the page."""
        language, site = plan.site.language, plan.site
        if life.closed is Sign.WORDS:
            return f"<p><b>{_CLOSED[language]}</b></p>\n".encode("latin-1")
        if site.kind is not SiteKind.SHOP or plan.spot.role not in (Role.HOME, Role.CONTACT):
            return b""
        first, last = 7 + mix(site.key, life.hours) % 4, 5 + mix(site.key, life.hours + 1) % 4
        lines = [_HOURS_LINE[language].format(first, last, last + 12)]
        if unit(site.key, _OPEN) < self.settings.holidays:
            lines.append(_HOLIDAY[language])
        return "".join(f"<p>{line}</p>\n" for line in lines).encode("latin-1")

    def _addresses(self, plan: PagePlan, now: float) -> tuple[SyntheticAddress, ...]:
        """The addresses of a page, as they are now; lists drop closed shops."""
        owners = {}
        for site in (plan.site, *plan.listed):
            own = self.web.planner.own_address(site)
            if own is not None and site.is_local:
                owners[own.normal] = site
        found = []
        for one in plan.addresses:
            owner = owners.get(one.normal)
            if owner is None:
                found.append(one)
            elif owner is plan.site or self.life(owner, now).is_open:
                found.append(self._address(one, owner, now))
        return tuple(found)

    def _address(self, one: SyntheticAddress, site: SyntheticSite, now: float) -> SyntheticAddress:
        life, city = self.life(site, now), self.web.sites.city(site)
        if life.moves and city:
            moved = make_address(mix(site.key, _MOVE + life.moves), city, one.organisation)
            one = replace(moved, phone=one.phone)
        if life.names:
            family = self.web.sites.surname(site.language, mix(site.key, _NAME + life.names))
            one = replace(one, organisation=f"{family} {site.subject.capitalize()}")
        if life.phones and city:
            other = make_address(mix(site.key, _PHONE + life.phones), city, "")
            one = replace(one, phone=other.phone)
        return one

    def _first_chain(self) -> int:
        number = self.web.world.local_sites
        while self.web.sites.site(number).kind is not SiteKind.CHAIN:
            number += 1
        return number


def events(key: int, salt: int, rate: float, now: float) -> int:
    """How many events of a Poisson process have happened by now. `rate`: a day."""
    return sum(1 for _ in _event_days(key, salt, rate, now))


def _last_event(key: int, salt: int, rate: float, now: float) -> float:
    """When the last event has happened, in seconds; 0 if there is none."""
    return max(_event_days(key, salt, rate, now), default=0.0) * _DAY_S


def _event_days(key: int, salt: int, rate: float, now: float) -> Iterator[float]:
    if rate <= 0.0:
        return
    days, count = now / _DAY_S, 0
    key = mix(key, salt)
    at = -math.log(1.0 - unit(key, 0)) / rate
    while at <= days and count < _MOST:
        yield at
        count += 1
        at += -math.log(1.0 - unit(key, count)) / rate


def _spread(key: int) -> float:
    """Pages of a kind differ: 0.5 to 1.5 of its rate."""
    return 0.5 + unit(key, _SPREAD)


def _waits(key: int, salt: int, rate: float) -> float:
    """The seconds before an event that comes at this rate a day."""
    return -math.log(1.0 - unit(key, salt)) / rate * _DAY_S if rate else _NEVER


def _no_host(why: str) -> SyntheticAnswer:
    return SyntheticAnswer(0, (), b"", fault=Outcome.NO_HOST, detail=why)


class ChangingFetcher(SyntheticFetcher):
    """Fetches from a ChangingWeb, at the moment of the request."""

    def __init__(self, changing: ChangingWeb, limit: int = 10_000_000) -> None:
        super().__init__(changing.web, limit)
        self._changing = changing

    def _answer(self, request: Request) -> SyntheticAnswer:
        return self._changing.page(request.url, request.now)
