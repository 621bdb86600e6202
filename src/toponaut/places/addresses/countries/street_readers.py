"""Street readers for countries that put the house number last, made from a language's words.

    type_first    "Via Verdi, 8", "Calle Mayor 12, 2º B": a type begins the name
    number_last   "Birger Jarlsgatan 61", "Priemyselná 45": a type is part of the name, if any

A reader gets a segment and matches at its end: in a sentence, words come before the street.
"""

import re

from toponaut.places.addresses.countries.rules import (
    NUMBERLESS,
    STRONG,
    WEAK,
    YEAR,
    ReadStreet,
    StreetMatch,
)
from toponaut.places.addresses.lazy_pattern import lazy_pattern

_MOST_WORDS = 8  # of a name that begins with a type: "Via dei Santi Quaranta Martiri di Sebaste"
_LONGEST_NAME = 5  # words of a name before its number
_NUMBER = (
    r"\d{1,5}(?:\s?[a-zA-Z](?![\w.]))?(?:\s?[-–/]\s?(?:\d{1,5}(?:\s?[a-zA-Z](?!\w))?|[a-zA-Z]{1,2}"
    r"(?!\w))){0,2}\.?"
)
_AT_END = lazy_pattern(
    rf"[\s,]+(?:(?:nr|no|n|č|čp)\.?\s?[º°]?\s?)?(?P<number>{_NUMBER})$", re.IGNORECASE
)
_NO_NAME = lazy_pattern(r"[@:%€$=§#*<>]|\d{5}|\b0\d")
_ORDINAL = lazy_pattern(r"\d{1,2}\.?")  # "ul. 3 Maja 5"
_DAY = lazy_pattern(r"\d{1,2}\. [^\W\d_]{3,}")  # "28. října 12"
_NOT_STREETS = lazy_pattern(
    r"(?i)(?:tel|telefon|telefono|fax|mob|mobil|gsm|ič|ičo|dič|nip|regon|cvr|org|nr|no|box|page"
    r"|strana|strona|side|sida|sivu|seite|oldal|copyright|since|ver|version|postboks|postbox|pl|pb"
    r"|cena|kč|ft|kr|eur|od|do|januar\w*|februar\w*|marts|april|maj|juni|juli|august|september"
    r"|okt\w*|nov\w*|dec\w*)\.?"
)
# These end a company's name before its street: "Kontor AB Birger Jarlsgatan 61".
_LEGAL_FORMS = frozenset(
    "ab oy oyj as a/s aps asa ans a.s. s.r.o. r.o. spol. kft. zrt. nyrt. bt. o.o. s.a. sp.k. nv "
    "bv sa sprl bvba srl s.r.l. spa s.p.a. sl s.l. gmbh ag ltd ltd. inc inc. d.o.o. d.d.".split()
)


def type_first(types: str, unit: str, box: re.Pattern[str], joint: str) -> ReadStreet:
    """Streets that begin with one of the `types`; `joint`: words between street and town."""
    numbered = lazy_pattern(
        rf"(?<![\w'’-])(?P<street>(?i:{types})\s?[^\n\t;|]{{2,70}}?)(?:,\s?|\s)"
        rf"(?:[Nn]\.?\s?[º°o]?\.?\s?|[Nn]r\.?\s|[Nn]úm\.?\s)?(?P<number>{_NUMBER}|[Ss]\.?/?[Nn]\.?"
        rf"(?:[Cc]\.?)?)(?:\s?[,/–-]?\s?(?P<unit>(?:{unit})(?:,?\s(?:{unit}))?))?\.?$"
    )
    plain = lazy_pattern(rf"(?i:{types})\s?[^\W\d_][^\n\t;|\d]{{2,60}}")
    end = lazy_pattern(rf"\s(?:{joint})$")

    def read(segment: str) -> StreetMatch | None:
        segment = end.sub("", segment)
        if box.fullmatch(segment):
            return StreetMatch(0, len(segment), "", segment)
        found = numbered.search(segment)
        if found and len(found["street"].split()) <= _MOST_WORDS:
            number, street, unit = found.group("number", "street", "unit")
            return StreetMatch(found.start(), found.end(), number, street, unit or "")
        if plain.fullmatch(segment) and len(segment.split()) < _MOST_WORDS:
            return StreetMatch(0, len(segment), "", segment, strength=NUMBERLESS)
        return None

    return read


def number_last(types: str, particles: str, unit: str, box: re.Pattern[str]) -> ReadStreet:
    """Streets of up to five words and a number; `particles`: lower-case words of a name.

    A name with one of the `types` is beyond doubt, any other must fill its segment.
    """
    typed = lazy_pattern(rf"(?i:.*(?:{types})(?!\w).*)")
    small = lazy_pattern(rf"(?:{particles}|{types})")
    box_at_end = lazy_pattern(rf"(?:^|(?<=[.:]\s))(?:{box.pattern})$")
    at_end = lazy_pattern(rf"(?P<rest>.*\d\s?[a-zA-Z]?\.?)[\s,]+(?P<unit>(?:{unit}))")

    def is_name(name: str) -> bool:
        words = name.split()
        if not 0 < len(words) <= _LONGEST_NAME or _NO_NAME.search(name):
            return False
        if _NOT_STREETS.fullmatch(words[-1]):
            return False
        if _DAY.fullmatch(name):
            return True
        if not any(word[0].isupper() and len(word) > 2 for word in words):
            return False
        lower = [word for word in words if not word[0].isupper()]
        return all(small.fullmatch(word) or _ORDINAL.fullmatch(word) for word in lower)

    def read(segment: str) -> StreetMatch | None:
        if boxed := box_at_end.search(segment):
            return StreetMatch(boxed.start(), len(segment), "", boxed[0])
        tail = at_end.fullmatch(segment)
        line, flat = (tail["rest"], tail["unit"]) if tail else (segment, "")
        number = _AT_END.search(line)
        if number is None:
            return None
        head = line[: number.start()]
        words = [match.span() for match in re.finditer(r"\S+", head)]
        legal = [k for k, (a, b) in enumerate(words) if head[a:b].lower() in _LEGAL_FORMS]
        owned = legal[-1] + 1 if legal else 0
        for first in range(max(owned, len(words) - _LONGEST_NAME), len(words)):
            name = head[words[first][0] :]
            begins = first == owned or small.match(name) or head[words[first - 1][0]].islower()
            if not begins or not is_name(name):
                continue
            is_typed = bool(typed.fullmatch(name))
            if is_typed or (first == 0 and not YEAR.fullmatch(number["number"])):
                strength = STRONG if is_typed else WEAK
                return StreetMatch(
                    words[first][0], len(segment), number["number"], name, flat, strength
                )
        last = head[words[-1][0] :] if words else ""
        if is_name(last) and typed.fullmatch(last):
            return StreetMatch(words[-1][0], len(segment), number["number"], last, flat)
        return None

    return read
