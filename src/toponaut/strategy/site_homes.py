"""The homes of sites, learned during the crawl, as a prior for the scopes of their pages.

Reading a page is stateless, so its scope there is that of the page alone. Here, where the record of
its site is known, the scope gets the home of the site as a prior (places/homes.py). The log has
both: `scope`, and `own_scope` from which sites are learned, so that a home never confirms itself.

A page counts once for its site; pages where a site says who it is (imprint, contact) count more. A
place in the host's name counts as a page. Relevance does not depend on the home: a page is not
relevant only because its site is in a target.
"""

import re
from typing import ClassVar

import msgspec
from msgspec.structs import replace

from toponaut.places.homes import scope_with_home, site_home
from toponaut.places.names.finder import NameFinder
from toponaut.records import PAGES, JudgedPage, Visit
from toponaut.strategy import Learner
from toponaut.urls import host_of, registered_domain

CONTACT_PAGE = 3.0  # pages that a page about the site itself counts for
LEAST_SURE = 0.05  # a home below it is not used
_CONTACT = re.compile(
    r"imprint|impressum|kontakt|contact|anfahrt|about|ueber-?uns|visit-us|find-us|location|"
    r"mentions-legales|aviso-legal|quienes-somos|chi-siamo|contatti|colofon|om-oss"
)
_SITES = 100_000  # kept; about 100 MB with 60 places each
_MOST_PLACES, _KEPT_PLACES = 120, 60  # of a site's record
_GROWTH = 1.2  # a home is found anew when the record has grown so much


class _SiteRecord(msgspec.Struct, array_like=True):
    weights: dict[int, float]  # by place
    pages: float = 0.0
    home: int = 0
    surety: float = 0.0
    weighed: float = 0.0  # pages when the home was found


class _SiteHomesState(msgspec.Struct, frozen=True, tag="site homes 1"):
    sites: dict[str, _SiteRecord]


class SiteHomes(Learner):
    """Knows the homes of sites."""

    learns_from: ClassVar[tuple[str, ...]] = ("url", "outcome", "own_scope")

    def __init__(self, names: NameFinder) -> None:
        self._names, self._gazetteer = names, names.gazetteer
        self._sites: dict[str, _SiteRecord] = {}

    def home(self, url: str) -> tuple[int, float]:
        """The home of a URL's site and how sure it is; (0, 0.0) if it is not known."""
        record = self._sites.get(_site(url))
        return (record.home, record.surety) if record else (0, 0.0)

    def with_home(self, url: str, judged: JudgedPage) -> JudgedPage:
        """A page that was judged alone, with the home of its site as a prior."""
        home, surety = self.home(url)
        own = judged.scope
        if surety < LEAST_SURE:
            return replace(judged, own_scope=own) if own else judged
        gazetteer = self._gazetteer
        areas = [int(gazetteer.ids[row]) for row in gazetteer.rows_above(gazetteer.row(home))]
        scope = scope_with_home(judged.scope, home, surety, areas)
        return replace(judged, scope=scope, own_scope=own, home=home)

    def learn(self, visit: Visit) -> None:
        if visit.outcome not in PAGES:
            return
        record = self._record(visit.url)
        if visit.own_scope:
            counts = CONTACT_PAGE if _CONTACT.search(visit.url.lower()) else 1.0
            record.pages += counts
            for place, weight in visit.own_scope:
                record.weights[place] = record.weights.get(place, 0.0) + counts * weight
        if record.pages > _GROWTH * record.weighed:
            self._weigh(record)

    def _record(self, url: str) -> _SiteRecord:
        """The record of a URL's site. A new one has the place that the host names."""
        site = _site(url)
        record = self._sites.get(site)
        if record is None:
            named = self._names.urls.find([f"https://{host_of(url)}/"])[0][:1]
            record = _SiteRecord({one.place: 1.0 for one in named}, float(len(named)))
            self._sites[site] = record
            if len(self._sites) > _SITES:
                del self._sites[next(iter(self._sites))]
        return record

    def _weigh(self, record: _SiteRecord) -> None:
        """Find the home of a site anew. Places that few pages name are dropped."""
        if len(record.weights) > _MOST_PLACES:
            ranked = sorted(record.weights.items(), key=lambda item: (-item[1], item[0]))
            record.weights = dict(ranked[:_KEPT_PLACES])
        record.home, record.surety = site_home(self._gazetteer, record.weights, record.pages)
        record.weighed = record.pages

    def dump(self) -> bytes:
        return msgspec.msgpack.encode(_SiteHomesState(self._sites))

    def load(self, model: bytes) -> None:
        self._sites = msgspec.msgpack.decode(model, type=_SiteHomesState).sites


def _site(url: str) -> str:
    return registered_domain(host_of(url))
