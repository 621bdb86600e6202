"""Addresses of Portugal: "Rua Castilho, 55 - 2.º Dto., 1250-068 Lisboa". The type comes first, the floor after the number."""

import re

from toponaut.places.addresses.candidate import Candidate
from toponaut.places.addresses.core import NUMBERLESS, STRONG, Rules, Street, postcode_before_town
from toponaut.places.gazetteer import Gazetteer

_TYPES = (
    r"(?i:rua|r\.|avenida|av\.?|rodovia|rod\.|praça|pç\.?|praceta|largo|lg\.?|travessa|tv\.?"
    r"|estrada|est\.|alameda|al\.|calçada|beco|rossio|quinta|campo|cais|lugar|urbanização|urb\."
    r"|bairro|zona industrial|parque|rotunda|escadas|escadinhas|caminho|azinhaga|via|ladeira|pátio"
    r"|jardim|terreiro|passeio|edifício|loteamento|esplanada|monte)"
)
_SIDE = r"(?:Esq(?:\.|uerdo)?|Dto?\.?|Dt[oº]\.?|Direito|Frente|Fte\.?|Fr\.?|[A-Z])"
_FLOOR = (
    rf"(?:\d{{1,2}}\s?\.?\s?[ºªo°](?:\s?(?:[Aa]ndar|[Pp]iso))?(?:[\s,]*{_SIDE}(?!\w))?|[Rr]/?[Cc]"
    rf"(?:\s{_SIDE})?|[Cc]ave|[Pp]iso\s-?\d{{1,2}}(?:\s?[A-Z])?)"
)
_PART = (
    r"(?:[Ll]oja|[Ee]scritório|[Ss]ala|[Aa]pt?\.?|[Ff]ração|[Ff]racção|[Bb]loco|[Ll]ote|[Ee]ntrada"
    r"|[Tt]orre|[Pp]orta|[Ee]dif?(?:ício|\.))\s[\w.º-]{1,12}(?:\s\w{1,12}){0,2}"
)
_UNIT = rf"(?:{_FLOOR}|{_PART})"
_NUMBER = r"\d{1,4}(?:\s?[-–/]\s?\d{1,4}(?!\s?\.?[ºªo°]))?(?:\s?-?[A-Z](?![\w.]))?"
_STREET = re.compile(
    rf"(?<![\w'’-])(?P<street>{_TYPES}\s[^\n\t;|]{{2,70}}?)(?:,\s?|\s)(?:[Nn]\.?\s?[º°o]\.?\s?"
    rf"|[Nn]r\.?\s|lote\s)?(?P<number>{_NUMBER})(?:\s?[,/–-]?\s?(?P<unit>{_UNIT}"
    rf"(?:,?\s{_UNIT})?))?\.?$"
)
_NUMBERLESS = re.compile(rf"{_TYPES}\s[^\W\d_][^\n\t;|\d]{{2,60}}(?:\ss/n\.?º?)?")
_BOX = re.compile(r"[Aa](?:partado|PARTADO)\s?(?:n\.?º\s?)?\d[\d ]{0,6}")


def portuguese_street(segment: str) -> Street | None:
    """A segment read as a street: "[...] Rua de Camões, 210, r/c"."""
    segment = re.sub(r"\s(?:em|in)$", "", segment)
    if _BOX.fullmatch(segment):
        return Street(0, len(segment), "", segment)
    found = _STREET.search(segment)
    if found:
        street = Street(
            found.start(),
            found.end(),
            found["number"],
            found["street"],
            found["unit"] or "",
            STRONG,
        )
        return street if len(found["street"].split()) <= 8 else None
    if _NUMBERLESS.fullmatch(segment) and len(segment.split()) <= 7:
        return Street(0, len(segment), "", segment, strength=NUMBERLESS)
    return None


RULES = Rules(
    country="PT",
    postcode=re.compile(r"[1-9]\d{3}\s?[-–]\s?\d{3}(?![\w-])"),
    prefix=re.compile(r"(?<!\w)PT?\s?[-–]\s?$"),
    street=portuguese_street,
    unit=re.compile(rf"{_UNIT}(?:,?\s{_UNIT})?\.?"),
    passed=re.compile(
        rf"(?i:Código[ -]postal|C\.?P\.?|Localidade|Morada|Portugal|em)|{_BOX.pattern}"
    ),
    label=re.compile(r"Localidade\s?:?\s{0,3}"),
)


def find(text: str, gazetteer: Gazetteer) -> list[Candidate]:
    """All Portuguese addresses in a text, in its order."""
    return postcode_before_town(text, gazetteer, RULES)
