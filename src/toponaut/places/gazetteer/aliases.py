"""Names of places: which of the listed names to trust, and how else people spell them.

GeoNames' alternate names have no language. They mix real names with airport codes ("LAX"), machine
transliterations ("las aynjls") and former names ("Mason" for Glendale, California). Each name gets
a quality:

    PRIMARY  the gazetteer's own name and its spellings ("St. Paul", "Saint Paul")
    ALIAS    a name in use: other languages, nicknames, shortened official names
    WEAK     counts only with other evidence: short, or unlike the primary name
    JOINED   the name without spaces, found in URLs only ("losangeles")
    CODE     an abbreviation that counts only after a city ("AZ", "Calif.", "DE")
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from toponaut.places.gazetteer.gazetteer import ALIAS, WEAK

# In these countries an alias in use mostly resembles the name. Other aliases are foreign spellings
# ("Čikago"), former names ("Waterloo" for Austin) and nicknames; NICKNAMES has those in common use.
ENGLISH_SPEAKING = frozenset({"US", "CA", "GB", "IE", "AU", "NZ"})
# A city this large has different names in other languages ("Wien", "Vienne"); a small one rarely.
EXONYM_POPULATION = 100_000

NICKNAMES: dict[tuple[str, str], tuple[str, ...]] = {
    ("New York City", "NY"): ("New York", "NYC", "N.Y.C."),
    ("Los Angeles", "CA"): ("L.A.",),
    ("Washington", "DC"): ("Washington, D.C.", "Washington DC", "D.C."),
    ("Indianapolis", "IN"): ("Indy", "Indpls"),
    ("Philadelphia", "PA"): ("Philly",),
    ("Las Vegas", "NV"): ("Vegas",),
    ("San Francisco", "CA"): ("San Fran",),
    ("Saint Petersburg", "FL"): ("St. Pete", "Saint Pete"),
    ("Fort Lauderdale", "FL"): ("Ft. Lauderdale",),
    ("Boise", "ID"): ("Boise City",),
    ("Lexington-Fayette", "KY"): ("Lexington",),
    ("Louisville", "KY"): ("Louisville/Jefferson County",),
    ("Nashville", "TN"): ("Nashville-Davidson",),
    ("Augusta", "GA"): ("Augusta-Richmond County", "Augusta-Richmond"),
    ("Winston-Salem", "NC"): ("Winston Salem",),
    ("Oklahoma City", "OK"): ("OKC",),
    ("New Orleans", "LA"): ("NOLA",),
    ("Jacksonville", "FL"): ("Jax",),
    ("Kansas City", "KS"): ("KCK",),
    ("Honolulu", "HI"): ("Urban Honolulu",),
    ("Ventura", "CA"): ("San Buenaventura",),
}

# Common short names of countries that ISO and GeoNames do not list.
COUNTRY_ALIASES: dict[str, tuple[str, ...]] = {
    "US": (
        "United States of America", "USA", "U.S.", "U.S.A.", "America", "US", "Estados Unidos",
        "EE.UU.",
    ),
    "GB": (
        "UK", "U.K.", "Britain", "Great Britain", "Vereinigtes Königreich", "Grossbritannien",
        "Großbritannien",
    ),
    "AE": ("UAE", "U.A.E.", "Emirates"),
    "CZ": ("Czech Republic", "Tschechien"),
    "NL": ("Holland", "The Netherlands"),
    "KR": ("South Korea", "Korea", "Republic of Korea"),
    "KP": ("North Korea",),
    "RU": ("Russian Federation",),
    "CD": ("DR Congo", "DRC", "Congo-Kinshasa", "Democratic Republic of Congo"),
    "CG": ("Congo", "Congo-Brazzaville"),
    "CI": ("Ivory Coast", "Côte d'Ivoire"),
    "MM": ("Burma", "Myanmar"),
    "TR": ("Turkey", "Türkiye"),
    "SZ": ("Swaziland", "Eswatini"),
    "MK": ("Macedonia", "North Macedonia"),
    "CV": ("Cape Verde",),
    "TL": ("East Timor",),
    "VA": ("Vatican",),
    "BA": ("Bosnia", "Bosnia-Herzegovina"),
    "PS": ("Palestine", "Palestinian Territories"),
    "SY": ("Syria",),
    "IR": ("Iran",),
    "VN": ("Vietnam", "Viet Nam"),
    "LA": ("Laos",),
    "TW": ("Taiwan",),
    "TZ": ("Tanzania",),
    "BO": ("Bolivia",),
    "VE": ("Venezuela",),
    "MD": ("Moldova",),
    "BN": ("Brunei",),
}  # fmt: skip

# Words of names and their other spellings.
_SPELLINGS = {
    "saint": "St.", "st": "Saint", "sainte": "Ste.", "ste": "Sainte", "sankt": "St.",
    "santa": "Sta.", "fort": "Ft.", "ft": "Fort", "mount": "Mt.", "mt": "Mount",
}  # fmt: skip
_DIRECTIONS = {"north": "N.", "south": "S.", "east": "E.", "west": "W."}
_LIGATURES = str.maketrans(
    {
        "ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue",
        "æ": "ae", "ø": "oe", "å": "aa", "œ": "oe", "Æ": "Ae", "Ø": "Oe", "Å": "Aa", "Œ": "Oe",
    }
)  # fmt: skip
_WORDS = re.compile(r"[^\W_]+")
_BRACKETED = re.compile(r"^(.+?)\s*\(([^)]+)\)$")
_SLASHED = re.compile(r"\s*/\s*")
# Words that many names share: they make no two names similar.
_GENERIC = frozenset(
    "city of the town village township borough new old north south east west upper lower lake port "
    "fort mount saint st san santa los las el la le les de del do da der den am an bad center "
    "centre hills heights park beach springs county".split()
)


def plain(text: str) -> str:
    """Lower case without accents, to compare spellings."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.lower().replace("ß", "ss"))
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def words(name: str) -> list[str]:
    return _WORDS.findall(plain(name))


def trusted_aliases(
    name: str, listed: Iterable[str], country: str, population: int
) -> Iterator[tuple[str, int]]:
    """The alternate names of a city to keep, each with its quality."""
    own = set(words(name)) - _GENERIC or set(words(name))
    own_pairs = _pairs(plain(name))
    for alias in listed:
        if not alias or alias == name or len(alias) > 60:
            continue
        if is_transliteration(alias) or is_code(alias):
            continue
        if not is_latin(alias):
            yield alias, ALIAS if len(alias) > 1 else WEAK
            continue
        shared = own & set(words(alias))
        similar = bool(shared) or _similarity(own_pairs, _pairs(plain(alias))) >= 0.5
        if country in ENGLISH_SPEAKING:
            if similar:
                yield alias, ALIAS if own <= set(words(alias)) else WEAK
        else:
            large = population >= EXONYM_POPULATION and len(alias) >= 4
            yield alias, ALIAS if large or (similar and len(alias) >= 5) else WEAK


def is_transliteration(alias: str) -> bool:
    """GeoNames' machine romanisations are in lower case ("las aynjls"); real names are not."""
    return alias[0].isascii() and alias[0].islower()


def is_code(alias: str) -> bool:
    """Airport and licence-plate codes: "LAX", "KCK". Those in real use are in NICKNAMES."""
    return len(alias) <= 4 and alias.isascii() and alias.isupper()


def is_latin(text: str) -> bool:
    return all(
        char < "\u0250" or "\u1e00" <= char < "\u1f00" or "\u2000" <= char < "\u2070"
        for char in text
    )


def spellings(name: str, *, own: bool = False) -> set[str]:
    """The name and other ways to spell it. Matching ignores hyphens, case and accents anyway.

    "Saint Paul" -> "St. Paul" · "Köln" -> "Koeln" · "Halle (Saale)" -> "Halle Saale", "Halle"

    Only for a place's `own` name, because an alias may be "Halle / Sachsen-Anhalt":
    "Biel/Bienne" -> "Biel", "Bienne" · "North Charleston" -> "N. Charleston"
    """
    forms = {name}
    if bracketed := _BRACKETED.match(name):
        forms |= {bracketed[1], f"{bracketed[1]} {bracketed[2]}"}
    if own and "/" in name:
        forms |= {part for part in _SLASHED.split(name) if len(part) > 3}
    for form in list(forms):
        forms |= set(_respelled(form, own))
    return forms if name.isascii() else forms | {form.translate(_LIGATURES) for form in forms}


def _respelled(name: str, own: bool) -> Iterator[str]:
    parts = re.split(r"[\s-]+", name)
    if len(parts) < 2:
        return
    for k, part in enumerate(parts):
        if other := _SPELLINGS.get(part.lower().rstrip(".")):
            yield " ".join([*parts[:k], other, *parts[k + 1 :]])
    if own and (short := _DIRECTIONS.get(parts[0].lower())):
        yield " ".join([short, *parts[1:]])


def joined(name: str) -> str | None:
    """The name without spaces, as in URLs ("losangeles"); None for a single or a short word."""
    parts = words(name)
    together = "".join(parts)
    return together if len(parts) > 1 and len(together) >= 6 else None


def _pairs(text: str) -> set[str]:
    return {text[k : k + 2] for k in range(len(text) - 1)}


def _similarity(left: set[str], right: set[str]) -> float:
    """Dice's coefficient of letter pairs."""
    return 2 * len(left & right) / (len(left) + len(right)) if left and right else 0.0
