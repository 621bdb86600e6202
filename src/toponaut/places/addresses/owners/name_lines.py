"""The possible names in one line or phrase, wherever it is.

`small` says that the page writes its addresses in lower case, so names need no capitals.
"""

import re
from functools import lru_cache
from typing import NamedTuple

import cython

from toponaut.places.addresses.digits import has_digit
from toponaut.places.addresses.owners.label_words import SMALL, is_label
from toponaut.places.addresses.owners.name_form import DATE, form_odds, has_legal_form
from toponaut.places.addresses.owners.persons import has_role, names_person
from toponaut.places.addresses.owners.site_names import copyright_holder

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

RIVAL = -3.0  # form odds above this may be a name's
HOLDER = 2.0  # in a copyright line: "(c) 2013 Acme"

_MOST_CELLS = 4
_CASELESS = 3  # words
_WORDS_BACK = 16  # of prose before an address
_SEPARATOR = re.compile(r"\t|\s[|•·●▪◆♦*~–—-]+\s|\s*[|•·◆♦]\s*|:\s+|;\s+")
DASH, _COLON = re.compile(r"\s[–—·•|-]+\s"), re.compile(r":\s+")
# A list number, a sign before a line, or a question: "3. Acme", "★ Acme", "Wo? Acme".
_INTRODUCED = re.compile(
    r"^(?:\d{1,3}[.)]\s+|[a-z]\)\s+|[\u2600-\u27bf\U0001f1e6-\U0001faff\ufe0f\u2022]+\s*"
    r"|(?:where|venue|wo|ort|où|lieu|plats|dove)\s*[?:]\s*|(?:address|adresse|anschrift):?\s+)+",
    re.IGNORECASE,
)
_PHONE_ENDS = " ()./-"  # or a digit
_PHONE_AFTER = re.compile(r"\s+(?:\+\d|\(\d{2,5}\)|\d{3,5}[-./ ])[\d ()./-]{5,}$")
_LEGAL_COMMA = re.compile(
    r", (?:Inc|LLC|P\.?C|Ltd|L\.?L\.?P|Co|P\.?A|M\.?D|D\.?D\.?S|Esq|Jr|GmbH|Lda)\b\.?$"
)
TRIMMED = ' ,;|•·*-–—:"“”'
_remembered = lru_cache(maxsize=8192)  # lines repeat on the pages of a site
_CLUB = re.compile(r"e\. ?[VG]\.?$|eV$|eG$")  # "Verein der Freunde e.V."
_SERVICE_OF = re.compile(
    r"^.* (?:der|des|dem|von|durch) (?=[A-ZÄÖÜ]\w* )"
)  # "Dienst der Acme Ltd."
_BEFORE_PLACE = frozenset(("at", "to", "from", "in"))
_LABEL_LAST = re.compile(  # "Acme Tools Address:"
    r"(?<=\w)[\s,–-]+(?:(?:street |postal |mailing )?address|adresse|anschrift|dirección|indirizzo"
    r"|adres|endereço)$",
    re.IGNORECASE,
)
_LABEL_ENDS = tuple("address adresse anschrift dirección indirizzo adres endereço".split())
# "Acme at", before its address; in German an article begins the sentence: "Das Amt im".
_AT_LAST = re.compile(
    r"(?:\s+(?:at|@|bei|beim|chez|à|at the|in|im|in der|am|an der|auf dem|dans|en|på|i|nel"
    r"|in the))+$"
)
_AT_ENDS = frozenset("at @ bei beim chez à the in im der am dem dans en på i nel".split())
_AT_FIRST = re.compile(r"^(?:im|in der|in the|at the|at|bei|beim|nel|nella) (?=[A-ZÄÖÜ])")
_FULL_STOP = re.compile(r"(?<=[^\W\d_]{4})\.$")
_ARTICLE = re.compile(r"^(?:Das|Der|Die) ")


class LineForm(NamedTuple):
    """What a line says by itself, wherever it is."""

    is_prose: bool  # running text, not a copyright line
    is_person: bool
    is_rival: bool  # it may be a name
    is_label: bool  # "Corporate Office:"
    cells: tuple[str, ...]


@_remembered
def name_in(said: str, small: bool) -> tuple[str, float]:
    """The name in a cell or phrase, and its odds by its form."""
    name = _clean(said)
    is_holder = bool(copyright_holder(said.strip(TRIMMED)))
    return name, form_odds(name, small) + HOLDER * is_holder


@_remembered
def line_form(line: str, small: bool) -> LineForm:
    return LineForm(
        is_prose(line, small) and not copyright_holder(line.strip()),
        names_person(line),
        form_odds(_clean(line), small) > RIVAL,
        line.rstrip().endswith(":"),
        tuple(_cells(line)),
    )


def _clean(said: str) -> str:
    """Without list number, quotes and a phone number after it; of a copyright line, the holder."""
    name = " ".join(said.split())
    last = name[max(0, len(name) - 1) :]
    if last.isdecimal() or last in _PHONE_ENDS:
        name = _PHONE_AFTER.sub("", name)
    name = name.strip(TRIMMED)
    last = name.rpartition(" ")[2].lower()
    if last in _AT_ENDS and (at := _AT_LAST.search(name)):
        name = _ARTICLE.sub("", name[: at.start()])
        last = name.rpartition(" ")[2].lower()
    if last.endswith(_LABEL_ENDS):
        name = _LABEL_LAST.sub("", name)
    if name[:1].islower():
        name = _AT_FIRST.sub("", name)
    if name.endswith(".") and not has_legal_form(name):
        name = _FULL_STOP.sub("", name)
    if name.count('"') == 1:  # the other one ended the line: Hotel "Zur Lampe"
        name += '"'
    if holder := copyright_holder(name):
        return holder
    name = name.removeprefix(". ")
    introduced = _INTRODUCED.match(name)
    return name[introduced.end() :] if introduced else name


def phrases_in(prefix: str) -> list[str]:
    """Possible names before an address in its line: cells and phrases, or the text to a comma."""
    parts = [part for one in _SEPARATOR.split(prefix) if (part := one.strip(TRIMMED + "("))]
    role = next((k for k, part in enumerate(parts) if has_role(part)), len(parts))
    parts = parts[:role]  # "Floodplain Manager: John Miller"
    if copyright_holder(prefix.strip()):
        return [prefix.strip(), *parts[1:]]
    if len(parts) == 1 and "," in parts[0] and not _LEGAL_COMMA.search(parts[0]):
        return parts[0].split(",")[:1]
    return parts


def runs_in(prose: str) -> list[str]:
    """Capitalised words right before an address, or a little before it with a legal form."""
    words = prose.split()[-_WORDS_BACK:]
    legal = [k for k in range(len(words) - 1, 1, -1) if has_legal_form(words[k - 1].rstrip(","))]
    ends = [len(words), *legal] if len(words) > 1 else []
    return [run for end in ends if (run := _run(words[:end]))]


def _run(words: list[str]) -> str:
    """The longest run at the end that begins with a capital; small words only inside."""
    start = len(words)
    for k in range(len(words) - 1, -1, -1):
        if words[k][0].isupper():
            start = k
        elif words[k] not in SMALL or words[k] in _BEFORE_PLACE:
            break
        before = words[k - 1] if k else ""
        if before.endswith((".", ":", ";")):
            break
        if before.endswith(",") and not has_legal_form(words[k].rstrip(",")):
            break
    while start < len(words) - 1 and is_label(words[start]):
        start += 1  # "Anbieter Acme Inc."
    run = " ".join(words[start:]).rstrip(",")
    if has_legal_form(run) and not _CLUB.search(run):
        return _SERVICE_OF.sub("", run)
    return run


def _cells(line: str) -> list[str]:
    """The first and last cell or phrase of a line without labels; "Acme" of "Publisher: Acme"."""
    if copyright_holder(line.strip()):
        return [line]
    if has_digit(line) and DATE.search(line):  # of an event
        return []
    parts = [part.strip() for cell in line.split("\t") for part in DASH.split(cell)]
    if len(parts) > _MOST_CELLS:  # a menu
        return []
    parts = [part for part in parts if part and not is_label(part) and not has_role(part)]
    ends = dict.fromkeys((parts[0], parts[len(parts) - 1])) if parts else ()
    pieces = [piece for part in ends for piece in reversed(_COLON.split(part, maxsplit=1))]
    return [piece for piece in pieces if piece.strip() and not is_label(piece)]


def is_prose(line: str, small: bool) -> bool:
    """Whether a line has several lower-case words; more if everything is in lower case."""
    words = line.split()
    plain = [word for word in words if word.islower() and word not in SMALL]
    plain = [word for word in plain if word.rstrip(",.;)").isalpha()]
    if len(plain) >= (5 if small else 3):
        return True
    return bool(words) and words[len(words) - 1] in _BEFORE_PLACE


def is_caseless_prose(prefix: str) -> bool:
    """Whether several words are in a script without capitals, which cannot show names."""
    words = prefix.split() if not prefix.isascii() else ()
    return sum(word.isalpha() and word.lower() == word.upper() for word in words) >= _CASELESS
