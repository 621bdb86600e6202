"""ISO 3166-2 subdivisions and their names: CLDR's English names, and ISO's own by pycountry.

ISO names carry apparatus that no page writes: "Catalunya (ca) [Cataluña]", "Madrid, Comunidad de",
"Trentino-Alto Adige, Trentino-Südtirol (de)". `iso_names` takes it apart.
"""

import re
from collections import defaultdict
from pathlib import Path

import pycountry
from tools.common import fold, is_latin, read_json

# Kinds of divisions. Names are compared without them: "Lezhë County" is "Lezhë".
GENERIC = frozenset(
    fold(
        "province provincia provincie provinz region regione régió regiao state estado county "
        "comitat județul distrito district department departamento departement governorate oblast "
        "kray krai raion rayon parish prefecture municipality municipio commune canton kanton "
        "autonomous republic territory capital special area division sheng shi land voivodeship "
        "wojewodztwo comunidad comunidade comunitat principado lan fylke maakunta apskritis "
        "viloyati okrug prafektur prefektura prefectura the of de del della la le do da du des al "
        "el and metropolitan emirate island islands"
    ).split()
)
# Words that are not a name without the kind: "Federal District", "Northern Region".
_BARE = GENERIC.union(
    fold(
        "federal federale federaal federalny central centre center capital north south east west "
        "northern southern eastern western upper lower city obsolete"
    ).split()
)
_ENGLISH_KIND = re.compile(
    r" (Province|Region|County|District|Department|Governorate|Oblast|Krai|Rayon|Raion|Parish|"
    r"Prefecture|Voivodeship|Canton|Municipality|Division|State)$"
)
_LANGUAGE_MARK = re.compile(r"\s*\([a-z]{2,3}\)|\b[A-Z]{2}-[A-Z]{3}\b")
_LEADING = re.compile(
    r"^(?:(?:Kanton|Canton|Präfektur|Prefektura|Préfecture d['’]) ?"
    r"|(?:[^\W\d_A-Z][\w]*(?: |['’])|d['’])+)(?=[^\W\d_a-z])"
)
_MOJIBAKE = re.compile(r"[^\w\s'’‘ʼʻ.–—()/-]")
_BRACKETED = re.compile(r"[\[(]([^\])]+)[\])]")
_INVERTED = re.compile(
    r"^([^,]+), ((?:Comunidad|Comunitat|Principado|Región|Foral)\b.*|Comunidad Foral de)$"
)


def core(name: str) -> str:
    """The folded name without generic words, unless it has only these."""
    words = fold(name).split()
    return " ".join(word for word in words if word not in GENERIC) or " ".join(words)


def tidy(name: str) -> list[str]:
    """The names in one source string."""
    name = _LANGUAGE_MARK.sub("", name).replace("*", "").strip()
    names = [*_BRACKETED.findall(name), *_BRACKETED.sub("", name).split("/")]
    result: list[str] = []
    for part in map(str.strip, names):
        if inverted := _INVERTED.match(part):
            result += [f"{inverted[2]} {inverted[1]}", inverted[1]]
        else:
            result += [piece.strip() for piece in part.split(",")]
    return [part for part in result if part]


def variants(name: str) -> list[str]:
    """The name with and without its kind: "Lezhë County", "Kanton Uri", "do Jura"."""
    whole = [name] if name[:1].isupper() else []
    return list(dict.fromkeys([*whole, _LEADING.sub("", _ENGLISH_KIND.sub("", name)).strip()]))


def is_name(name: str, country: str) -> bool:
    """Whether it is not just a code, a number or a generic word."""
    letters = fold(name).replace(" ", "")
    wordy = len(letters) > 2 and not any(char.isdigit() for char in name) and not _is_code(name)
    clean = not _MOJIBAKE.search(name) and not name[:1].islower()
    return wordy and clean and name != country and not set(fold(name).split()) <= _BARE


def _is_code(name: str) -> bool:
    """Whether it is a code: "NI", "DKI". Scripts without capitals have no codes."""
    return name.isupper() and name.isascii()


def iso_names(folder: Path) -> dict[str, dict[str, list[str]]]:
    """Country -> ISO 3166-2 code -> names, English first. First-level subdivisions come first."""
    cldr = folder / "node_modules" / "cldr-subdivisions-full" / "subdivisions" / "en" / "en.json"
    english = read_json(cldr)["subdivisions"]["localeDisplayNames"]["subdivisions"]
    names: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for division in sorted(
        pycountry.subdivisions, key=lambda one: (one.parent_code is not None, one.code)
    ):
        found = [english.get(division.code.replace("-", "").lower(), ""), *tidy(division.name)]
        names[division.country_code][division.code] = [name for name in found if name]
    return names


def latin_first(names: list[str]) -> list[str]:
    """Without repetitions (accents count), Latin scripts before others."""
    unique = list(dict.fromkeys(names))
    return sorted(unique, key=lambda name: not is_latin(name))
