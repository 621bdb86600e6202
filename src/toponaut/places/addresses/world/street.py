"""A segment of text read as a street and a house number, in any language.

The number is at one end of the segment: "Kungsgatan 11", "8 Sorrel Street". If both ends have one
("14 Avenida 2-06"), both readings are given, and the country decides. A street type
(tables/street_types) shows the languages that the name may be in; a name without a type is only as
good as the town beside it.
"""

import re
from functools import lru_cache

import cython
from msgspec import Struct

from toponaut.places.addresses.world.no_street import NO_STREET
from toponaut.places.gazetteer.descriptions import StreetTypes, street_types

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

_LETTERS = r"(?:(?:(?!(?i:st|nd|rd|th)\b)[^\W\d_]{2}|\s?(?:[^\W\d_]|bis|ter|quater|hs))(?!\w)|½)"
_CORE = (
    rf"\d{{1,5}}{_LETTERS}?(?:\s?(?:,\s?(?=\d)|[-–/之]\s?)(?:\d{{1,5}}{_LETTERS}?|{_LETTERS}"
    r"|[IVX]{1,4}(?!\w))){0,3}"
)
_NUMBER = rf"(?:{_CORE}|[A-Za-z]{{1,2}}[-/]?{_CORE})(?:\s?[號号])?"
# Words before a house number.
MARKS = frozenset("no nr n số house д дом буд č km lot plot blok block kav".split())
_MARK = rf"(?:(?:{'|'.join(sorted(MARKS))}|[nN][º°])\b\.?\s?:?\s?|[№#]\s?)"
_LAST = re.compile(
    rf"(?P<name>\S.*?)(?:[\s,]+(?i:{_MARK})?|(?<=[\u1100-\u9fff\uac00-\ud7af])\s?)"
    rf"(?P<number>{_NUMBER})(?:\s\(\w\)|\.)?"
)
_FIRST = re.compile(rf"(?i:{_MARK})?(?P<number>{_NUMBER})(?:\s?,\s?|\s)(?P<name>[^\W\d_].*)")
_BRITISH = re.compile(r"\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}$")  # a postcode at the end
_LONGEST_NUMBER = cython.declare(cython.Py_ssize_t, 5)  # digits
_LONGEST_ZERO = cython.declare(cython.Py_ssize_t, 3)  # digits of a number that begins with 0
_SENTENCE = re.compile(r"[^\W\d_A-Z]{5}\.\s")
_CODE_WORD = re.compile(r"[\w/.#-]*\d[\w/.#-]*")  # "5/31", "51A/223", "N44D"
_WORDS = re.compile(r"\S+")
_MOST_WORDS = 8
_LONGEST_TAIL = 5  # words of a street's name in a sentence
_CODE_LETTERS = (2, 3)
# "Street 905" is a street that is called by its number: offices.py reads its house.
_CALLED = re.compile(
    r"(?:.*,\s)?(?:street|road|lane|شارع|طريق)(?P<own>\s(?:no\.?\s)?\d+\w?)?",
    re.IGNORECASE,
)
_BROAD = frozenset("feet foot ft ft. meter metre meters".split())  # "27, 100 Feet Road"
_LONGEST_PARTICLE = 4  # letters: "de", "van", "sur", "nach"


class WorldStreet(Struct, frozen=True):
    """`start` and `end` count from the segment's start."""

    start: int
    end: int
    number: str
    name: str
    languages: frozenset[str]  # of its street type; empty: it has none
    number_first: bool


@lru_cache(maxsize=8192)  # lines repeat on the pages of a site
def read_street(segment: str) -> tuple[WorldStreet, ...]:
    """The readings of a segment that the street fills, none if it cannot be one."""
    if is_bad(segment) or ("." in segment and _SENTENCE.search(segment)):
        return ()
    found = []
    for form in (_LAST, _FIRST) if may_end_in_number(segment) else (_FIRST,):
        match = form.fullmatch(segment)
        if match is None:
            continue
        number, name = match["number"], match["name"].strip(" ,")
        if form is _FIRST and name.partition(" ")[0].lower() in _BROAD:
            number, _, breadth = number.rpartition(", ")
            name = f"{breadth} {name}"
        if number and _is_name(name) and not _is_called(segment, match, name):
            languages = type_languages(name)
            found.append(WorldStreet(0, len(segment), number, name, languages, form is _FIRST))
    return tuple(found)


@lru_cache(maxsize=8192)
def typed_tail(segment: str) -> tuple[WorldStreet, ...]:
    """A typed street at the end of a sentence: "Vi finns på Kungsgatan 11"."""
    match = _LAST.fullmatch(segment) if may_end_in_number(segment) else None
    if match is None or is_bad(segment):
        return ()
    words = [(word.start(), word.group()) for word in _WORDS.finditer(match["name"])]
    for k in range(max(1, len(words) - _LONGEST_TAIL), len(words)):
        at, word = words[k]
        name = match["name"][at:].rstrip(" ,")
        if not _may_precede(words[k - 1][1]) or (is_small(word[0]) and not type_of(word)):
            continue
        if _SENTENCE.search(name):  # "på Norra torget. [Kungsgatan 11]"
            continue
        if _is_name(name) and (languages := type_languages(name)):
            return (WorldStreet(at, len(segment), match["number"], name, languages, False),)
    return ()


def is_bad(segment: str) -> bool:
    """Whether a segment has what no street has: a long number, "0123", two spaces, a currency."""
    sign: cython.Py_UCS4
    before: cython.Py_UCS4 = " "
    digits: cython.Py_ssize_t = 0  # in a row
    longest: cython.Py_ssize_t = _LONGEST_NUMBER
    is_first: cython.bint = True
    for sign in segment:
        if "0" <= sign <= "9" or (sign > "\x7f" and sign.isdecimal()):
            if not digits:
                is_zero: cython.bint = sign == "0" and not (before == "_" or before.isalnum())
                longest = _LONGEST_ZERO if is_zero else _LONGEST_NUMBER
            digits += 1
            if digits > longest:
                return True
        else:
            digits = 0
            if sign in '@:%€$£=§*<>!?;"“”„…{}[]|+' or (sign == "." and before == "."):
                return True
            if sign.isspace() and before.isspace() and not is_first:
                return True
        before, is_first = sign, False
    return segment[-1:].isupper() and " " in segment and _BRITISH.search(segment) is not None


def may_end_in_number(segment: str) -> bool:
    """Whether a digit follows a separator, which a number at the end does; or a script has none."""
    sign: cython.Py_UCS4
    is_parted: cython.bint = False
    for sign in segment:
        if sign == " " or sign == "," or sign.isspace():
            is_parted = True
        elif "0" <= sign <= "9" or (sign > "\x7f" and sign.isdecimal()):
            if is_parted:
                return True
        elif "\u1100" <= sign <= "\ud7af":
            return True
    return False


def _is_called(segment: str, match: re.Match[str], name: str) -> bool:
    """Whether a street is called by its number, and is no house: "Street 905", "Road 7, F-8/3"."""
    called = _CALLED.fullmatch(name)
    if called is None:
        return False
    if not called["own"]:
        return match.re is _LAST
    return (match.re is _LAST and name + "," in segment) or segment[:5].lower() == "block"


def _may_precede(word: str) -> bool:
    """Whether a street may begin after a word: "på [Kungsgatan]", "huset. [Kungsgatan]"."""
    return is_small(word[0]) or _SENTENCE.search(f"{word} ") is not None


def _is_name(name: str) -> bool:
    """Up to eight words, each with a capital, of a script without case, short, or a number."""
    words = name.split()
    if not 0 < len(words) <= _MOST_WORDS or len(name) < 2:
        return False
    if any(_is_label(word) for word in (words[0], words[len(words) - 1])):
        return False
    letters = False
    for word in words:
        sign = word.lstrip("'’\"(«#")[:1]
        if sign.isalpha():
            small = is_small(sign)
            long = len(word) > _LONGEST_PARTICLE or word is words[0]
            if small and long and not type_of(word):
                return False
            letters = letters or not small
        elif sign and not _CODE_WORD.fullmatch(word.strip("(),.")) and word not in "-–&/":
            return False
    return letters


def is_small(sign: str) -> bool:
    """Whether a letter is a small one; Georgian's are, but no page writes its capitals."""
    return sign.islower() and not "\N{GEORGIAN LETTER AN}" <= sign <= "\N{GEORGIAN LETTER HOE}"


def _is_label(word: str) -> bool:
    word = word.lower()
    return word.strip(".,") in NO_STREET and not type_of(word)


@lru_cache(maxsize=8192)
def type_languages(name: str) -> frozenset[str]:
    """The languages of the street types in a name."""
    languages: frozenset[str] = frozenset()
    words = name.lower().split()
    leading = street_types().leading.get(words[0])
    if leading and name[0].isupper() and len(words) > 1:
        languages |= leading
    shouted = name.isupper()
    for word, written in zip(words, name.split(), strict=True):
        if written.isalpha() and written.isupper() and len(word) in _CODE_LETTERS and not shouted:
            continue  # a club or a code, not a type: "SK Essen 2"
        if len(words) > 1 or word not in street_types().endings:  # "Ring 5" may be anything
            languages |= type_of(word.strip("(),"))
    return languages


@lru_cache(maxsize=8192)
def type_of(word: str) -> frozenset[str]:
    """The languages in which a word in lower case is a street type, or ends with one."""
    types: StreetTypes = street_types()
    languages = types.words.get(word) or types.words.get(word.rstrip("."))
    if languages:
        return languages
    for length in range(min(len(word), 12), 0, -1):
        if languages := types.endings.get(word[-length:]):
            return languages
    return frozenset()
