"""One address said several times in a page becomes one, with every evidence."""

from msgspec.structs import replace

from toponaut.places.addresses.normal import normal_form, plain
from toponaut.records import Address

_FILLED = ("unit", "city", "state", "postcode", "organisation", "phone", "hours")
_COMPARED = 50  # addresses of one street line: more are in no page that means it


def merge(addresses: list[Address]) -> list[Address]:
    """Addresses in the order given; a later one that says the same as an earlier goes into it."""
    groups: dict[str, list[int]] = {}
    merged: list[Address] = []
    for address in addresses:
        group = groups.setdefault(_street_line(address), [])
        twin = next((k for k in group[:_COMPARED] if _same(merged[k], address)), None)
        if twin is None:
            group.append(len(merged))
            merged.append(address)
        else:
            merged[twin] = _union(merged[twin], address)
    return merged


def _street_line(address: Address) -> str:
    return normal_form(address.number, address.street, "", "", "", "", address.country)


def _same(one: Address, other: Address) -> bool:
    """Of one street line: no part that both give differs. Two texts differ also where only one has a unit."""
    if (
        one.postcode
        and other.postcode
        and one.postcode[:5] != other.postcode[:5]
        and one.country == "US"
    ):
        return False
    if not _compatible(one, other, "state") or not (
        _compatible(one, other, "city") or _same_postcode(one, other)
    ):
        return False
    units = [normal_form("", "", address.unit, "", "", "", "") for address in (one, other)]
    if units[0] == units[1]:
        return True
    return not all(units) and one.evidence != other.evidence


def _same_postcode(one: Address, other: Address) -> bool:
    return bool(one.postcode) and one.postcode[:5] == other.postcode[:5]


def _compatible(one: Address, other: Address, part: str) -> bool:
    """Equal, absent in one, or only inferred in one."""
    left, right = getattr(one, part), getattr(other, part)
    if part in one.inferred or part in other.inferred or not left or not right:
        return True
    return plain(left) == plain(right)


def _union(one: Address, other: Address) -> Address:
    """The first that stands in the text, with what it lacks from the other."""
    base, extra = (other, one) if one.start < 0 <= other.start else (one, other)
    parts: dict[str, object] = {}
    for part in _FILLED:
        sayer = (
            extra
            if not getattr(base, part) or (part in base.inferred and part not in extra.inferred)
            else base
        )
        parts[part] = getattr(sayer, part) or getattr(base, part)
    if "json-ld" in extra.evidence and extra.organisation:
        parts["organisation"] = extra.organisation
    if base.lat is None and extra.lat is not None:
        parts |= {"lat": extra.lat, "lon": extra.lon, "precision": extra.precision}
    inferred = tuple(
        part for part in base.inferred if part in extra.inferred or not getattr(extra, part)
    )
    return replace(
        base,
        **parts,
        place=base.place or extra.place,
        evidence=tuple(dict.fromkeys((*base.evidence, *extra.evidence))),
        inferred=inferred,
        confidence=_both(base, extra),
    )


def _both(one: Address, other: Address) -> float:
    """Two kinds of evidence support each other; the same kind twice says little more."""
    if one.evidence == other.evidence:
        return max(one.confidence, other.confidence)
    return round(1 - (1 - one.confidence) * (1 - other.confidence), 3)
