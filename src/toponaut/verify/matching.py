"""How likely a listed place is an organisation that the crawl has found.

Each comparison adds log-odds, for or against. Names, phones and websites say who it is
(`identity`); addresses and distances say where (`location`). A place that has moved has the
identity, but not the location. The odds are estimates, checked on the labelled pairs in
tests/verify/pairs.tsv.
"""

import re
from math import exp

from msgspec import Struct

from toponaut.export.one_row import identifying_words, same_name
from toponaut.export.rows import AddressRow
from toponaut.places.addresses.normal import house_line, plain
from toponaut.places.gazetteer.gazetteer import great_circle_km
from toponaut.seeds.seed import page_key
from toponaut.urls import site_of
from toponaut.verify.listed_place import ListedPlace

SAME = 0.5  # the probability from which two places are one
_ELSEWHERE = -1.0  # odds of a location that is another one
_PRIOR = -3.0  # two places that happen to be compared
_SAME_PHONE, _OTHER_PHONE = 4.5, -1.0
_SAME_SITE, _OTHER_SITE = 2.5, -0.5
_EQUAL_NAME, _LIKE_NAME, _OTHER_NAME = 3.5, 2.0, -4.0
_SAME_HOUSE, _OTHER_HOUSE, _OTHER_STREET = 3.0, -0.7, -2.0
_SAME_CODE, _SAME_TOWN, _OTHER_TOWN = 0.7, 0.4, -2.0
_SAME_CATEGORY, _OTHER_CATEGORY = 0.3, -0.5
# Kilometres beyond the radius within which the point is known, and the odds up to there.
_DISTANCES = ((0.15, 1.5), (0.5, 0.5), (3.0, -0.5), (30.0, -2.5))
_FAR = -5.0
_VAGUE_KM = 0.3  # of a larger area nearness says little
# Sites on which many organisations have a page: there only the same page is the same website.
_SHARED_SITES = re.compile(
    r"(?:^|\.)(?:facebook|instagram|yelp|tripadvisor|linktr|google|business\.site|wixsite)\."
)
_NUMBER = re.compile(r"\d+")


class MatchScore(Struct, frozen=True):
    """How well a listed place and a found one agree."""

    identity: float  # log-odds of name, phone and website
    location: float  # log-odds of address and distance
    km: float | None  # between their points; None if one has none
    agrees: tuple[str, ...]  # "name", "phone", "website", "address"
    differs: tuple[str, ...]
    other_house: bool  # both have a street and a number, and not the same

    @property
    def probability(self) -> float:
        """That both are the same place."""
        return logistic(_PRIOR + self.identity + self.location)

    @property
    def is_there(self) -> bool:
        """Whether it is the same organisation, and not at another address."""
        return self.probability >= SAME and self.location > _ELSEWHERE


def match_score(listed: ListedPlace, found: AddressRow) -> MatchScore:
    """Compares all that both say."""
    km = _distance(listed, found)
    parts = {
        "name": _name(listed, found),
        "phone": _same(listed.phone, found.phone, _SAME_PHONE, _OTHER_PHONE),
        "website": _website(listed.website, found),
        "category": _same(listed.category, found.category, _SAME_CATEGORY, _OTHER_CATEGORY),
        "address": _address(listed, found),
    }
    identity = parts["name"] + parts["phone"] + parts["website"] + parts["category"]
    location = parts["address"] + (_nearness(km, found.radius_km or 0.0) if km is not None else 0.0)
    agrees = tuple(name for name, odds in parts.items() if odds >= 0.3)
    differs = tuple(name for name, odds in parts.items() if odds <= -0.5)
    return MatchScore(identity, location, km, agrees, differs, _other_house(listed, found))


def logistic(odds: float) -> float:
    return 1.0 / (1.0 + exp(-odds))


def _same(one: str, other: str, same: float, different: float) -> float:
    if not one or not other:
        return 0.0
    return same if one == other else different


def _name(listed: ListedPlace, found: AddressRow) -> float:
    if not listed.name or not found.organisation:
        return 0.0
    town = found.city or listed.city
    ours, theirs = (identifying_words(one, town) for one in (listed.name, found.organisation))
    if ours == theirs or plain(listed.name) == plain(found.organisation):
        return _EQUAL_NAME
    if same_name(listed.name, found.organisation, town):
        return _LIKE_NAME
    shared = len(set(ours) & set(theirs)) / max(min(len(set(ours)), len(set(theirs))), 1)
    return _OTHER_NAME * (1.0 - shared)


def _website(website: str, found: AddressRow) -> float:
    """The listed website is that of the row, or a page that names the organisation is on it."""
    if not website:
        return 0.0
    own, host = page_key(website), site_of(website)
    pages = [found.website, *found.urls] if found.website else list(found.urls)
    if _SHARED_SITES.search(host):
        return _SAME_SITE if own in map(page_key, pages) else 0.0
    if host in map(site_of, pages):
        return _SAME_SITE
    return _OTHER_SITE if found.website else 0.0


def _address(listed: ListedPlace, found: AddressRow) -> float:
    odds = _area(listed, found)
    if not listed.street or not found.street:
        return odds
    ours, theirs = (house_line(one.number, one.street) for one in (listed, found))
    if ours == theirs and listed.number:
        return odds + _SAME_HOUSE if odds >= 0.0 else odds
    streets = (house_line("", one.street) for one in (listed, found))
    is_same_street = len(set(streets)) == 1
    return odds + (_OTHER_HOUSE if is_same_street else _OTHER_STREET)


def _other_house(listed: ListedPlace, found: AddressRow) -> bool:
    """Whether the houses differ: "12" and "14", but not "12-14" and "12a"."""
    if not (listed.street and listed.number and found.street and found.number):
        return False
    if house_line("", listed.street) != house_line("", found.street):
        return True
    ours, theirs = (_NUMBER.findall(one.number) for one in (listed, found))
    return bool(ours and theirs) and set(ours).isdisjoint(theirs)


def _area(listed: ListedPlace, found: AddressRow) -> float:
    codes = [re.sub(r"[\s-]", "", one.postcode.upper()) for one in (listed, found)]
    if all(codes) and codes[0][:5] == codes[1][:5]:
        return _SAME_CODE
    towns = [plain(one.city, found.country) for one in (listed, found)]
    if not all(towns):
        return 0.0
    return _SAME_TOWN if towns[0] == towns[1] else _OTHER_TOWN


def _distance(listed: ListedPlace, found: AddressRow) -> float | None:
    if listed.lat is None or listed.lon is None or found.lat is None or found.lon is None:
        return None
    return great_circle_km(listed.lat, listed.lon, found.lat, found.lon)


def _nearness(km: float, radius: float) -> float:
    beyond = max(km - radius, 0.0)
    odds = next((odds for most, odds in _DISTANCES if beyond <= most), _FAR)
    return min(odds, 0.3) if radius > _VAGUE_KM else odds
