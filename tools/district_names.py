"""The common names of a district: GeoNames has one, in one of several languages and forms.

First the name in district_names.tsv, written by hand, if GeoNames uses an uncommon name; else the
bare name ("Kent"). If a town has that name, too, the full name ("Provincia di Cuneo") comes first.
"""

import csv
import re
from functools import cache
from pathlib import Path

from tools.common import fold

BY_HAND = Path(__file__).parent / "district_names.tsv"

# GeoNames' own forms: "Provincia dell' Aquila", "City and Borough of Leeds", "Sir Powys", "Dundee
# City".
_TITLES = re.compile(
    r"^Provinc(?:ia|ie|e)(?: autonoma)? (?:(?:di|de|da|du|del|of) |dell' ?)?|^Província de "
    r"|^Città metropolitana di |^Politischer Bezirk |^Département (?:du|de la) "
    r"|^(?:Royal |Metropolitan )?Borough of |^City(?: and (?:Borough|County))? of "
    r"|^(?:District|County) of "
    r"|^(?:County|The|Sir) |(?: City and County Council| County Borough| County| City)$",
    re.IGNORECASE,
)
_DUBLIN = frozenset({"33", "34", "35", "39"})  # parts of County Dublin
_METROPOLITAN_CITIES = frozenset(
    {"BA", "BO", "CA", "CT", "FI", "GE", "ME", "MI", "NA", "PA", "TO", "VE"}
)

# Articles of the departments: "du Calvados", "des Landes", "de Seine-et-Marne"; before a vowel "de
# l'", else "de la".
_MASCULINE = frozenset(
    "14 15 18 25 29 30 32 39 45 46 56 59 62 63 67 68 69 81 83 84 90 94 95".split()
)
_PLURAL = re.compile(
    r"Alpes|Ardennes|Bouches|Côtes|Deux|Hautes|Hauts|Landes|Pyrénées|Vosges|Yvelines"
)
_ELIDED = re.compile(r"[AEIOUY]|Hérault")


def names_of(country: str, code: str, listed: str, towns: set[tuple[str, str]]) -> list[str]:
    """All names. `listed`: from GeoNames; `towns`: country and folded name of every town."""
    by_hand, others = written_by_hand().get((country, code), ("", []))
    name = by_hand or listed
    bare = _TITLES.sub("", name)
    full = _full_names(country, code, name, bare)
    is_town = (country, fold(bare)) in towns
    if country in ("AT", "CA") or (country == "IE" and code in _DUBLIN):
        names = full  # "Bezirk Baden", "Kings County", "South Dublin"
    elif country == "IE" or (is_town and country != "FR"):
        names = [*full, bare]
    else:
        names = [bare, *full]
    first = [by_hand] if by_hand and country not in ("AT", "IE") else []
    return list(dict.fromkeys([*first, *names, *others]))


@cache
def written_by_hand() -> dict[tuple[str, str], tuple[str, list[str]]]:
    with BY_HAND.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return {
            (r["country"], r["code"]): (r["name"], [n for n in r["others"].split("|") if n])
            for r in rows
        }


def _full_names(country: str, code: str, name: str, bare: str) -> list[str]:
    """The forms that include the kind of district."""
    match country:
        case "AT":
            around = [bare] if "-" in bare else []  # "Graz-Umgebung", "Hartberg-Fürstenfeld"
            return [f"Bezirk {bare}", f"Politischer Bezirk {bare}", *around]
        case "CA":
            return [name, *_canadian(name)]
        case "ES":
            return [
                name if name.startswith("Prov") else f"Provincia de {bare}",
                f"Province of {bare}",
            ]
        case "FR":
            return [f"Département {_article(bare, code)}{bare}"]
        case "IE" if code not in _DUBLIN:
            return [f"County {bare}", f"Co. {bare}", f"Co {bare}"]
        case "IT":
            titles = ["Province of"] + ["Città metropolitana di"] * (code in _METROPOLITAN_CITIES)
            return [
                name if name.startswith("Provincia") else f"Provincia di {bare}",
                *(f"{title} {bare}" for title in titles),
            ]
        case _:
            return [name]


def _canadian(name: str) -> list[str]:
    if name.endswith(" County"):
        return [f"{name.removesuffix('County')}Co."]
    if name.startswith("Regional District of "):
        return [f"{name.removeprefix('Regional District of ')} Regional District"]
    return []


def _article(bare: str, code: str) -> str:
    if _PLURAL.match(bare):
        return "des "
    if code in _MASCULINE:
        return "du "
    if "-et-" in bare or bare == "Paris":
        return "d'" if _ELIDED.match(bare) else "de "
    return "de l'" if _ELIDED.match(bare) else "de la "
