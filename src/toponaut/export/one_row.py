"""One organisation at one address is one row, however pages write both.

All sightings of a street line ("8 oak street, us") are compared, its words in any order. Addresses
are the same with the same line and postcode, or with the same town if one has no postcode; also
those of one organisation in one town or near it.
Names are the same if they differ in case, accents, legal form, an article or the town, if one
contains all words of the other ("Spirit", "Spirit Pizza"), or if they are nearly the same letters;
also if they have the same phone number.

Sightings without an organisation (a footer) belong to the only organisation at that address, and
add nothing if there are several. A name that a single page gives, where at least three others of
its site give another one, is a misreading.
"""

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from functools import lru_cache

from toponaut.export.address_fold import AddressFold
from toponaut.places.addresses.merge import street_line
from toponaut.places.addresses.normal import plain
from toponaut.places.addresses.owners.name_form import without_legal_form
from toponaut.places.gazetteer.gazetteer import great_circle_km
from toponaut.urls import host

_ALIKE = 0.86  # share of letters that two spellings of a name have in common
_NEAR_KM = 40.0  # from the centre of a city to that of a suburb that pages call by its name
_OUTVOTED = 3  # pages of a site against one
_ARTICLES = frozenset(
    "the and a of at in der die das und le la les l et de du of el los y il e".split()
)
_WORD = re.compile(r"[^\W_]+")


def one_row_each(folds: Iterable[AddressFold]) -> Iterator[AddressFold]:
    """Of the folds of a street line, each exact address and name, one for each row."""
    ordered = sorted(folds, key=_standing)
    for group in _same_address(ordered):
        yield from _organisations(group)


def _standing(fold: AddressFold) -> tuple[object, ...]:
    """The most trusted first: its spelling is the row's."""
    best = fold.best
    is_structured = bool(set(fold.evidence) - {"text", "address"})
    return (
        not best.organisation,
        not best.postcode,
        not is_structured,
        -fold.pages,
        -len(best.organisation),
        best.rank,
        best.normal,
        best.organisation,
    )


# --- addresses ---


def _same_address(folds: list[AddressFold]) -> list[list[AddressFold]]:
    """The folds of a street line by their address. Each is compared with the first of its area."""
    groups: list[list[AddressFold]] = []
    by_key: dict[tuple[str, ...], list[int]] = {}
    for fold in sorted(folds, key=lambda fold: not fold.best.postcode):
        keys = _keys(fold)
        near = (k for key in keys for k in by_key.get(key, ()))
        found = next((k for k in near if _fits(groups[k], fold)), None)
        if found is None:
            found = len(groups)
            groups.append([])
        groups[found].append(fold)
        for key in keys:
            known = by_key.setdefault(key, [])
            if found not in known:
                known.append(found)
    return [sorted(group, key=_standing) for group in groups]


def _keys(fold: AddressFold) -> list[tuple[str, ...]]:
    """Folds without a common key are not compared: a line may be in a thousand towns."""
    name = "".join(identifying_words(fold.text("organisation")))
    return [*_areas(fold), *([("name", name)] if name else [])]


def _areas(fold: AddressFold) -> list[tuple[str, ...]]:
    best = fold.best
    town = ("town", plain(best.city, best.country), best.state, best.country)
    code = ("code", _code(fold), best.country)
    found: list[tuple[str, ...]] = [area for area in (code, town) if area[1]]
    return found or [("normal", best.normal)]


def _code(fold: AddressFold) -> str:
    code = re.sub(r"[\s-]", "", fold.best.postcode.upper())
    return code[:5] if fold.best.country == "US" else code


def _fits(group: list[AddressFold], fold: AddressFold) -> bool:
    """Whether an address of the group is the same, or its organisation is and it is near."""
    for one in group:
        is_shared = not set(_areas(one)).isdisjoint(_areas(fold))
        same_line = street_line(one.best) == street_line(fold.best)
        if is_shared and same_line and _same_place(one, fold):
            return True
        if (is_shared or _is_near(one, fold)) and _same_owner(one, fold):
            return True
    return False


def _is_near(one: AddressFold, other: AddressFold) -> bool:
    a, b = one.best, other.best
    if a.lat is None or a.lon is None or b.lat is None or b.lon is None:
        return False
    return great_circle_km(a.lat, a.lon, b.lat, b.lon) < _NEAR_KM


def _same_place(one: AddressFold, other: AddressFold) -> bool:
    codes, units = {_code(one), _code(other)} - {""}, {_unit(one), _unit(other)}
    return len(codes) < 2 and len(units) < 2


def _unit(fold: AddressFold) -> str:
    return "".join(_WORD.findall(plain(fold.best.unit).removeprefix("suite").removeprefix("unit")))


# --- organisations ---


def _organisations(folds: list[AddressFold]) -> list[AddressFold]:
    """One fold for each organisation at an address."""
    kept: list[AddressFold] = []
    nameless: list[AddressFold] = []
    for fold in folds:
        if not fold.text("organisation"):
            nameless.append(fold)
            continue
        twin = next((one for one in kept if _same_owner(one, fold) or _outvotes(one, fold)), None)
        if twin is None:
            kept.append(fold)
        else:
            twin.join(fold)
    if len(kept) > 1:
        return kept
    kept = kept or nameless[:1]
    for fold in nameless:
        if fold is not kept[0]:
            kept[0].join(fold)
    return kept


def _same_owner(one: AddressFold, other: AddressFold) -> bool:
    left, right = one.text("organisation"), other.text("organisation")
    if not left or not right:
        return False
    phones = {one.text("phone"), other.text("phone")} - {""}
    if len(phones) == 1 and one.text("phone") == other.text("phone"):
        return True
    return same_name(left, right, one.best.city)


def _outvotes(one: AddressFold, other: AddressFold) -> bool:
    """Whether a name is against that of many pages of its site, and only read in text."""
    if other.pages > 1 or one.pages < _OUTVOTED or set(other.evidence) - {"text", "address"}:
        return False
    return {host(url) for url in other.urls} <= {host(url) for url in one.urls}


@lru_cache(maxsize=4096)
def same_name(one: str, other: str, city: str = "") -> bool:
    """Whether two names at one address are of one organisation."""
    left, right = identifying_words(one, city), identifying_words(other, city)
    if not left or not right:
        return plain(one) == plain(other)
    if set(left) <= set(right) or set(right) <= set(left):
        return True
    joined = "".join(left), "".join(right)
    if joined[0] in joined[1] or joined[1] in joined[0]:
        return min(map(len, joined)) > 2
    return SequenceMatcher(None, *joined, autojunk=False).ratio() >= _ALIKE


def identifying_words(name: str, city: str = "") -> list[str]:
    """The words of a name that identify it: without legal form, articles and the town."""
    town = frozenset(_WORD.findall(plain(city)))
    words = _WORD.findall(plain(without_legal_form(name)).replace("&", " "))
    own = [word for word in words if word not in _ARTICLES]
    return [word for word in own if word not in town] or own
