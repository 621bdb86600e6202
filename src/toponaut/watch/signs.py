"""Signs that a place is closed for good: in words, by a parked domain, by a redirect.

Words count only near the top of the page or around an address, in a page about one place: a list
or a newspaper may report that another place is closed. "Closed on Mondays" and "temporarily closed"
are not for good.
"""

import re
from collections.abc import Sequence

from msgspec import Struct

from toponaut.places.addresses.lazy_pattern import lazy_pattern
from toponaut.records import Address
from toponaut.urls import host_of, registered_domain

_FOR_GOOD = lazy_pattern(
    r"""permanently\ closed(?!\ to\b) | closed\ permanently | out\ of\ business
    | (?:is|has|are|have|now)\ closed\ (?:for\ good|(?:its|our|their)\ doors|down|forever)
    | ceased\ (?:trading|operations)
    | (?:we|this\ (?:shop|store|restaurant|location|business|branch))\ (?:has|have|is|are)
      \ (?:now\ )?closed(?!\ (?:on|from|for\ the|today|until|between|during|every))
    | (?:dauerhaft|endgültig|für\ immer)\ geschlossen | geschäftsaufgabe
    | (?:laden|geschäft|restaurant|filiale|betrieb)\ (?:ist|wurde)\ (?:geschlossen|aufgegeben)
      (?!\ (?:am|an|bis|von|während))
    | (?:encerrad[oa]s?|fechad[oa]s?|encerrou|fechou)\ (?:definitiva|permanente)mente
    | (?:encerrou|fechou)\ as\ portas
    | (?:definitiva|permanente)mente\ (?:encerrad|fechad|cerrad|chius)[oa]
    | (?:cerrad|chius)[oa]\ (?:definitiva|permanente)mente
    | (?:cerró\ sus|cerrado\ (?:nuestr|su)[ao]s)\ puertas
    | cierre\ definitivo | chiusura\ definitiva | fermeture\ définitive
    | définitivement\ fermée? | fermée?\ définitivement
    | (?:definitief|permanent)\ gesloten | trwale\ zamknięt[aey] | zamknięt[aey]\ na\ stałe
    | lukket\ permanent | permanent\ (?:lukket|stäng[dt]) | stängt\ för\ gott
    | suljettu\ pysyvästi | pysyvästi\ suljettu | trvale\ uzavřen[aoy]?
    | навсегда\ закрыт[оа]? | закрыт[оа]?\ навсегда | kalıcı\ olarak\ kapa(?:ndı|lı|tıl)
    | 閉店いたしました | 永久停业 | 폐업(?:했|하였|함|되)""",
    re.IGNORECASE | re.VERBOSE,
)
_PARKED = lazy_pattern(
    r"""(?:this|the)\ domain\ (?:name\ )?(?:[\w.-]+\ )?(?:is|may\ be)
      \ (?:for\ sale|parked|available)
    | buy\ this\ domain | domain\ (?:is\ )?parked | parked\ (?:free|domain)
    | inquire\ about\ this\ domain
    | diese\ domain\ (?:ist\ geparkt|steht\ zum\ verkauf|kaufen)
    | este\ domínio\ está\ à\ venda | ce\ (?:nom\ de\ )?domaine\ est\ à\ vendre
    | este\ dominio\ está\ en\ venta | questo\ dominio\ è\ in\ vendita
    | deze\ domeinnaam\ is\ te\ koop | ta\ domena\ jest\ na\ sprzedaż""",
    re.IGNORECASE | re.VERBOSE,
)
# One of these is in each of the patterns: a search for them takes 2 us.
_STEMS = (
    "closed", "of business", "ceased", "geschlossen", "aufgabe", "aufgegeben", "encerr", "fechad",
    "cerr", "cierre", "fermeture", "fermé", "chius", "gesloten", "zamkni", "lukket", "stäng",
    "закрыт", "閉店", "永久", "fechou", "suljettu", "uzavřen", "kapa", "폐업",
)  # fmt: skip
_DOMAIN = ("domain", "domín", "dominio", "domein", "domen", "parked")
_TOP, _AROUND = 600, 200  # characters
_SHORT = 3000  # characters of a parked page, at most
_QUOTED = 60  # characters before and after the words
_MANY = 3  # addresses on a page that is not about one place
_HOMES = frozenset({"", "index.html", "index.htm", "index.php", "home"})


class ClosedSign(Struct, frozen=True):
    """A sign that a place is closed, with the words that say so."""

    kind: str  # "words", "parked", "redirect"
    quote: str
    confidence: float


def closed_sign(title: str, text: str, addresses: Sequence[Address]) -> ClosedSign | None:
    """The sign on a page; None if there is none."""
    if len(text) <= _SHORT and (found := _search(_PARKED, _DOMAIN, f"{title}\n{text}")):
        return ClosedSign("parked", found, 0.9)
    if len(addresses) >= _MANY:
        return None
    spots = [(0, _TOP)]
    spots += [(max(one.start - _AROUND, 0), one.end + _AROUND) for one in addresses if one.text]
    sources = [title, *[text[start:end] for start, end in spots]]
    if _has_any(_STEMS, "\n".join(sources)):
        for source in sources:
            if found := _search(_FOR_GOOD, _STEMS, source):
                return ClosedSign("words", found, 0.95)
    return None


def _search(pattern: re.Pattern[str], stems: Sequence[str], text: str) -> str:
    """The words around the first match, "" if there is none."""
    found = pattern.search(text) if _has_any(stems, text) else None
    return _quote(text, found) if found else ""


def _has_any(stems: Sequence[str], text: str) -> bool:
    lower = text.lower()
    for stem in stems:  # noqa: SIM110 (a generator takes three times as long)
        if stem in lower:
            return True
    return False


def leads_home(url: str, target: str) -> bool:
    """Whether a page redirects to a front page, of its own site or of another: a chain's, say."""
    if _path(url) in _HOMES:
        return registered_domain(host_of(url)) != registered_domain(host_of(target))
    return _path(target) in _HOMES


def _path(url: str) -> str:
    return url.split("/", 3)[-1].partition("?")[0].strip("/")


def _quote(text: str, found: re.Match[str]) -> str:
    start = max(found.start() - _QUOTED, 0)
    return " ".join(text[start : found.end() + _QUOTED].split())
