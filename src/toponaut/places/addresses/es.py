"""Addresses of Spain: "Calle Mayor, 12, 2º B, 28013 Madrid". The type comes first, floor and door follow the number."""

import re

from toponaut.places.addresses.candidate import Candidate
from toponaut.places.addresses.core import Rules, postcode_before_town
from toponaut.places.addresses.streets import type_first
from toponaut.places.gazetteer import Gazetteer

_TYPES = (
    r"calle|c/|c\.|cl\.|avenida|avda\.?|avd\.?|av\.?|plaza|pza\.?|plz\.?|pl\.?|plazuela|paseo"
    r"|pº\.?|ps\.|camino|cmno\.?|carretera|ctra\.?|cr\.|ronda|rda\.?|travesía|trav\.|rambla"
    r"|rbla\.?|gran\svía|vía|pasaje|callejón|cuesta|glorieta|gta\.|urbanización|urb\.|polígono"
    r"(?:\sindustrial)?|pol\.\s?ind\.|p\.\s?i\.|parque|barrio|alameda|muelle|carrer|passeig|plaça"
    r"|avinguda|rúa|kalea"
)
_FLOOR = (
    r"(?:\d{1,2}\s?\.?\s?[ºªo°]|[Bb]ajos?|[Ee]ntlo\.?|[Pp]ral\.?|[Áá]tico)(?:\s?(?:[Pp]lanta"
    r"|[Pp]iso|[Ii]zq(?:da)?\.?|[Dd](?:cha|to)\.?|[A-H](?!\w)|\d{1,2}\s?[ªº]))?"
)
_UNIT = (
    rf"{_FLOOR}|(?:[Pp]lanta|[Ll]ocal|[Nn]ave|[Oo]ficina|[Pp]uerta|[Pp]iso|[Bb]loque|[Ee]dif"
    rf"(?:icio|\.)|[Pp]ortal|[Pp]arcela)\s[\w.º-]{{1,12}}"
)
_BOX = re.compile(r"(?i)(?:apartado(?:\sde\scorreos)?|apdo\.?)\s?(?:n\.?º\s?)?\d[\d ]{0,6}")

RULES = Rules(
    country="ES",
    postcode=re.compile(r"\d{5}(?=[\s,.]{1,3}[^\W\d_]|\s?[-–]\s?[^\W\d_])"),
    prefix=re.compile(r"(?<!\w)(?:ES?\s?[-–]\s?|C\.?P\.?\s?:?\s?)$"),
    street=type_first(_TYPES, _UNIT, _BOX, "en|de"),
    unit=re.compile(rf"(?:{_UNIT})(?:,?\s(?:{_UNIT}))?"),
    passed=re.compile(
        rf"(?i:Código[ -]postal|C\.?P\.?|Localidad|Población|Dirección|España|Spain|en)"
        rf"|{_BOX.pattern.removeprefix('(?i)')}"
    ),
    label=re.compile(r"(?:[-–]\s?)?(?:(?:Localidad|Población)\s?:?\s{0,3})?"),
    strict=True,
)


def find(text: str, gazetteer: Gazetteer) -> list[Candidate]:
    """All Spanish addresses in a text, in its order."""
    return postcode_before_town(text, gazetteer, RULES)
