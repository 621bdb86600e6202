"""Several mentions of one address in a page become one address, with all their evidence.

`add_or_merge` merges addresses of structured data while they are read, by equal parts; `merge`
merges those of text and data, by their normal form.
"""

from msgspec.structs import replace

from toponaut.places.addresses.normal import normal_form, plain
from toponaut.places.addresses.regions import fold
from toponaut.records import OWNER_PARTS, Address

_FILLED = ("unit", "city", "state", "postcode", *OWNER_PARTS)
_COMPARED = 50  # addresses with one street line: more are on no honest page
_DISTINGUISHING = ("unit", "city", "postcode")


def add_or_merge(known: list[Address], new: Address) -> None:
    """Adds an address to those with the same street line, or merges it into an equal one."""
    for k, old in enumerate(known[:_COMPARED]):
        pairs = ((getattr(old, part), getattr(new, part)) for part in _DISTINGUISHING)
        if all(not one or not other or fold(one) == fold(other) for one, other in pairs):
            known[k] = _filled(old, new)
            return
    known.append(new)


def _filled(old: Address, new: Address) -> Address:
    """The older one, with its missing parts from the newer, and all evidence."""
    parts = (*_FILLED, "country")
    fields: dict[str, object] = {part: getattr(old, part) or getattr(new, part) for part in parts}
    if old.start < 0 <= new.start:
        fields |= {"text": new.text, "start": new.start, "end": new.end}
    confidence = max(old.confidence, new.confidence)
    return replace(_with_common(old, new), **fields, confidence=confidence)


def merge(addresses: list[Address]) -> list[Address]:
    """The addresses in order; a later one that equals an earlier one is merged into it."""
    groups: dict[str, list[int]] = {}
    merged: list[Address] = []
    for address in addresses:
        group = groups.setdefault(street_line(address), [])
        twin = next((k for k in group[:_COMPARED] if is_same(merged[k], address)), None)
        if twin is None:
            group.append(len(merged))
            merged.append(address)
        else:
            merged[twin] = _union(merged[twin], address)
    return merged


def street_line(address: Address) -> str:
    """Its number, street and country in normal form."""
    return normal_form(address.number, address.street, "", "", "", "", address.country)


def is_same(one: Address, other: Address) -> bool:
    """Whether no part that both give differs. In two texts, a unit in only one differs too."""
    same_postcode = bool(one.postcode) and one.postcode[:5] == other.postcode[:5]
    if one.country == "US" and one.postcode and other.postcode and not same_postcode:
        return False
    is_there = same_postcode or (
        _compatible(one, other, "city") and _compatible(one, other, "state")
    )
    if not is_there:  # a postcode's town and county have many names: "Herts", "Hertfordshire"
        return False
    units = [normal_form("", "", address.unit, "", "", "", "") for address in (one, other)]
    return units[0] == units[1] or (not all(units) and one.evidence != other.evidence)


def _compatible(one: Address, other: Address, part: str) -> bool:
    """Whether a part is equal in both, or missing or only inferred in one."""
    left, right = getattr(one, part), getattr(other, part)
    if part in one.inferred or part in other.inferred or not left or not right:
        return True
    return plain(left) == plain(right)


def _union(one: Address, other: Address) -> Address:
    """The first that is in the text, with its missing parts from the other."""
    base, extra = (other, one) if one.start < 0 <= other.start else (one, other)
    parts: dict[str, object] = {}
    for part in _FILLED:
        own, other_part = getattr(base, part), getattr(extra, part)
        guessed = part in base.inferred and part not in extra.inferred
        parts[part] = (other_part or own) if guessed or not own else own
    if "json-ld" in extra.evidence and extra.organisation:
        given = (part for part in OWNER_PARTS if getattr(extra, part))
        parts |= {part: getattr(extra, part) for part in given}
    confidence = max(base.confidence, extra.confidence)
    if base.evidence != extra.evidence:  # different kinds of evidence support each other
        confidence = round(1 - (1 - base.confidence) * (1 - extra.confidence), 3)
    known = {part for part in base.inferred if part not in extra.inferred and getattr(extra, part)}
    return replace(
        _with_common(base, extra),
        **parts,
        place=base.place or extra.place,
        inferred=tuple(part for part in base.inferred if part not in known),
        confidence=confidence,
    )


def _with_common(base: Address, extra: Address) -> Address:
    """With the evidence of both, and the other's point if it has none."""
    if base.lat is None and extra.lat is not None:
        base = replace(base, lat=extra.lat, lon=extra.lon, precision=extra.precision)
    return replace(base, evidence=tuple(dict.fromkeys((*base.evidence, *extra.evidence))))
