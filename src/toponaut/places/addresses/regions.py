"""Countries and states of structured addresses as codes, and the likely country if none is named.

Names are looked up in the gazetteer, in all its languages: "Deutschland", "Allemagne", "Calif."
"""

import re
import unicodedata
from functools import lru_cache

import numpy as np

from toponaut.places.gazetteer.gazetteer import KINDS, Gazetteer, great_circle_km
from toponaut.records import Kind

_COUNTRY, _STATE = KINDS.index(Kind.COUNTRY), KINDS.index(Kind.STATE)
# GeoNames numbers these states; addresses use letters. "-": there is no state of that number.
_POSTAL_STATES = {
    country: {f"{k:02}": code for k, code in enumerate(codes.split(), 1) if code != "-"}
    for country, codes in (
        ("CA", "AB BC MB NB NL - NS ON PE QC SK YT NT NU"),
        ("AU", "ACT NSW NT QLD SA TAS VIC WA"),
    )
}
# Their letters that no other country has: not "WA" (Washington), nor "NL" (the Netherlands).
_STATE_CODES = dict.fromkeys("AB BC MB NB NS ON PE QC SK YT NU".split(), "CA") | dict.fromkeys(
    "ACT NSW QLD TAS VIC".split(), "AU"
)
_LETTERED = frozenset({"US", "CH"})  # GeoNames' code is the one in addresses

# Postcodes whose form shows their country.
_FORMS = (
    ("CA", re.compile(r"[ABCEGHJ-NPRSTVXY]\d[A-Z] ?\d[A-Z]\d")),
    ("GB", re.compile(r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}")),
    ("NL", re.compile(r"[1-9]\d{3} ?[A-Z]{2}")),
    ("PT", re.compile(r"\d{4}-\d{3}")),
    ("US", re.compile(r"\d{5}-\d{4}")),
)
# Countries whose postcodes are tried with the town, the more frequent on the web first.
_TRIED = {5: ("US", "DE", "FR", "ES", "IT"), 4: ("AT", "CH", "AU", "BE", "DK", "NL", "PT")}
_NAMESAKES = 3  # largest places of the town's name whose countries are tried
_NEAR_KM = 40.0  # from a town to the centre of its postcode's area
# Top-level domains that show a country; others (.co, .io, .tv) are used everywhere.
_TLD_COUNTRIES = "de at ch fr nl pt ca uk us au es it be dk ie nz lu se no fi pl cz".split()
_SIGNS = bytes(code for code in range(128) if not chr(code).isalnum())


@lru_cache(maxsize=16384)  # lines repeat on the pages of a site
def fold(text: str) -> str:
    """Letters and digits only, without case and accents: for comparing."""
    if text.isascii():  # nearly always; ten times as fast
        return text.lower().encode().translate(None, _SIGNS).decode()
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(filter(str.isalnum, plain))


def country_code(name: str, gazetteer: Gazetteer) -> str:
    """ISO alpha-2 of a country by name or code; GB for "England"; "" if unknown."""
    return gazetteer.remembered(_country_code, name)


def _country_code(name: str, gazetteer: Gazetteer) -> str:
    rows = _rows(name, _COUNTRY, gazetteer)
    if not rows and fold(name).startswith("unitedstates"):
        return "US"
    rows = rows or [row for row in _rows(name, _STATE, gazetteer) if gazetteer.country(row) == "GB"]
    return gazetteer.country(rows[0]) if rows else ""


def country_of_state(name: str, gazetteer: Gazetteer) -> str:
    """The only country that has a state of that name ("Ontario"), or ""."""
    return _STATE_CODES.get(name) or gazetteer.remembered(_country_of_state, name)


def _country_of_state(name: str, gazetteer: Gazetteer) -> str:
    found = {gazetteer.country(row) for row in _rows(name, _STATE, gazetteer)}
    return found.pop() if len(found) == 1 else ""


def is_country(name: str, gazetteer: Gazetteer) -> bool:
    """Whether it names a country and no state: not "CA" (California), nor "Georgia"."""
    return gazetteer.remembered(_is_country, name)


def _is_country(name: str, gazetteer: Gazetteer) -> bool:
    return bool(_rows(name, _COUNTRY, gazetteer)) and not _rows(name, _STATE, gazetteer)


def state_code(name: str, country: str, gazetteer: Gazetteer) -> str:
    """A state as its country writes it in addresses ("CA" for California); otherwise `name`."""
    return gazetteer.remembered(_state_code, name, country)


def _state_code(name: str, country: str, gazetteer: Gazetteer) -> str:
    name = name.strip()
    if country and name.upper().startswith(f"{country}-"):  # ISO 3166-2: "US-CA"
        name = name[len(country) + 1 :]
    for row in _rows(name, _STATE, gazetteer):
        if gazetteer.country(row) == country:
            code = gazetteer.place_at(row).admin1
            if country in _LETTERED:
                return code
            return _POSTAL_STATES.get(country, {}).get(code, name)
    return name


def likely_country(city: str, region: str, postcode: str, url: str, gazetteer: Gazetteer) -> str:
    """The country of an address without one: by postcode, postcode and town, state or host."""
    return gazetteer.remembered(_likely_country, city, region, postcode, country_of_host(url))


def _likely_country(city: str, region: str, postcode: str, host: str, gazetteer: Gazetteer) -> str:
    for country, form in _FORMS:
        if form.fullmatch(postcode.upper()):
            return country
    states = {gazetteer.country(row) for row in _rows(region, _STATE, gazetteer)}
    frequent = _TRIED.get(len(postcode), ())
    rows = gazetteer.rows_named(city)[:_NAMESAKES].tolist() if city else []
    namesakes = map(gazetteer.country, rows)
    for country in dict.fromkeys((host, *sorted(states), *frequent, *namesakes)):
        if country and postcode and city and _agree(country, postcode, city, gazetteer):
            return country
    if "US" in states and (len(postcode) == 5 or not postcode):
        return "US"
    return host or (states.pop() if len(states) == 1 else "")


def _agree(country: str, postcode: str, city: str, gazetteer: Gazetteer) -> bool:
    """Whether a country's postcode is that of the town."""
    area = gazetteer.postcode(country, postcode)
    if area is None or len(area.code) < min(len(postcode), 3):
        return False
    if fold(area.city) == fold(city):
        return True
    index = gazetteer.names.lookup(city)
    rows = gazetteer.names.postings(index)[0] if index >= 0 else np.zeros(0, np.int32)
    return any(
        gazetteer.country(int(row)) == country
        and great_circle_km(area.lat, area.lon, *gazetteer.latlon[row]) < _NEAR_KM
        for row in rows[:50]
    )


def country_of_host(url: str) -> str:
    """The country of a host's top-level domain; "" if it may be any."""
    host = url.partition("://")[2].partition("/")[0].partition(":")[0]
    ending = host.rpartition(".")[2].lower()
    return {"uk": "GB"}.get(ending, ending.upper()) if ending in _TLD_COUNTRIES else ""


def _rows(name: str, level: int, gazetteer: Gazetteer) -> list[int]:
    """Places of a level with that name, the best matches first."""
    index = gazetteer.names.lookup(name) if name else -1
    if index < 0:
        return []
    rows, quality = gazetteer.names.postings(index)
    chosen = np.flatnonzero(gazetteer.levels[rows] == level)
    return [int(rows[k]) for k in chosen[np.argsort(-quality[chosen].astype(int), kind="stable")]]
