"""Addresses of Poland, Czechia, Slovakia, Hungary, Scandinavia, Finland and Belgium: street and number, postcode and town.

These countries differ in words and in the postcode's form, not in anything that would need code of its own, so each is a
few patterns here. A postcode must agree with its town: four digits are as often a year, and five or "113 56" any number.
"""

import re
from collections.abc import Callable
from functools import partial

from toponaut.places.addresses.candidate import Candidate
from toponaut.places.addresses.core import WEAK, Rules, Street, postcode_before_town
from toponaut.places.addresses.fr import swiss_french_street
from toponaut.places.addresses.streets import Reader, number_last
from toponaut.places.gazetteer import Gazetteer

Find = Callable[[str, Gazetteer], list[Candidate]]

_FOLLOWED = r"(?=[\s,]{1,3}[^\W\d_])"
_FOUR = rf"\d{{4}}{_FOLLOWED}"
_SPACED = rf"\d{{3}}\s?\d{{2}}{_FOLLOWED}"
_DOOR = (
    r"(?:\d{1,2}\.?|st|kl|stuen)\.?\s?(?:sal|etg?\.?|etasje|tv|th|mf|v|h|trp?p?|tr)\.?(?:\s?(?:tv"
    r"|th|mf)\.?)?"
)


def _rules(
    country: str,
    postcode: str,
    labels: str,
    *,
    types: str,
    box: str,
    particles: str = r"(?!)",
    unit: str = r"(?!)",
    tail: str = r"(?!)",
    also: Reader | None = None,
) -> Rules:
    """`types`: what a street's name has; `labels`: segments without meaning; `tail`: what lengthens a town's name."""
    boxes = re.compile(rf"(?i:{box})\s?\d[\d ]{{0,6}}(?:\s[^\W\d_a-z]\w+)?")
    reader = number_last(types, particles, unit, boxes)
    return Rules(
        country=country,
        postcode=re.compile(postcode),
        prefix=re.compile(rf"(?<!\w){country[0]}(?:{country[1]})?\s?[-–]\s?$"),
        street=_either(also, reader) if also else reader,
        unit=re.compile(rf"(?:{unit})"),
        passed=re.compile(rf"(?i:{labels})|{boxes.pattern}"),
        town_tail=re.compile(rf"(?P<sure>{tail})"),
        strict=True,
    )


def _either(first: Reader, second: Reader) -> Reader:
    """The first reader that is sure, else the second."""

    def read(segment: str) -> Street | None:
        found = first(segment)
        return found if found and found.strength > WEAK else second(segment) or found

    return read


RULES = (
    _rules(
        "PL", rf"\d{{2}}[-–]\d{{3}}{_FOLLOWED}", "Polska|Poland|Kod pocztowy|Miejscowość|Adres",
        types=r"ul\.|ulica|al\.|aleja|aleje|pl\.|plac|os\.|osiedle|rynek|rondo|skwer|bulwar",
        particles="i|w|na|nad|pod|ku|św.|gen.|ks.|dr|płk",
        unit=r"(?:lok(?:al|\.)?|m\.?|pok\.?|p\.|piętro)\s?\w{1,5}", box=r"skr\.? ?poczt\.?|skrytka pocztowa",
    ),
    _rules(
        "CZ", _SPACED, "Česká republika|Česko|Czech Republic|PSČ|Adresa|Sídlo",
        types=r"ulice|ul\.|třída|tř\.|náměstí|nám\.|nábřeží|nábř\.|sady|alej", particles="u|na|nad|pod|v|ve|za|k|ke|a|[a-zř]+a|[a-zř]+na",
        tail=r"\s\d{1,2}(?!\d)(?:\s?[-–]\s?[^\W\d_a-z]\w+)?", box=r"P\.? ?O\.? ?Box|pošt\. ?přihr\.",
    ),
    _rules(
        "SK", _SPACED, "Slovensko|Slovenská republika|Slovakia|PSČ|Adresa|Sídlo",
        types=r"ulica|ul\.|trieda|tr\.|námestie|nám\.|nábrežie|cesta", particles="u|na|nad|pod|v|vo|za|k|ku|a",
        tail=r"\s\d{1,2}(?!\d)", box=r"P\.? ?O\.? ?Box",
    ),
    _rules(
        "HU", _FOUR, "Magyarország|Hungary|Cím|Székhely",
        types=
            r"utca|u\.|út|útja|tér|tere|krt\.|körút|körtér|sor|köz|sétány|rakpart|rkp\.|fasor|dűlő"
            r"|park|liget|sugárút",
        unit=
            r"[IVX\d]{1,4}\.\s?(?:em(?:elet|\.)?|ajtó)(?:[\s/]*\d{1,3}\.?(?:\s?ajtó)?)?"
            r"|fsz\.?\s?\w{0,3}", box=r"Pf\.|Postafiók",
    ),
    _rules(
        "SE", _SPACED, "Sverige|Sweden|Postadress|Besöksadress|Adress",
        types=
            r"\w*(?:gatan|vägen|väg|gata|gränd|torget|torg|plan|allén|backen|stigen|kajen|leden"
            r"|platsen)",
        unit=rf"{_DOOR}|lgh\s?\d{{1,4}}", box="Box",
    ),
    _rules(
        "DK", _FOUR, "Danmark|Denmark|Adresse|Postnr\\.?",
        types=
            r"\w*(?:vej|vejen|gade|gaden|allé|alle|stræde|torv|plads|pladsen|boulevard|vænget"
            r"|parken|bakken|kaj|havn|alléen|toften|haven|stien)",
        unit=_DOOR, tail=r"\s(?:K|V|N|Ø|S|SV|NV|C|M|NØ|SØ)(?!\w)", box="Postboks|P\\.?O\\.? ?Box|Boks",
    ),
    _rules(
        "NO", _FOUR, "Norge|Norway|Postadresse|Besøksadresse|Adresse",
        types=
            r"\w*(?:gate|gaten|gata|gt\.|vei|veien|veg|vegen|vn\.|plass|torg|torget|allé|alle|kaia"
            r"|brygge|bakken|stien|stredet|terrasse)",
        unit=_DOOR, box="Postboks|Pb\\.?|Boks",
    ),
    _rules(
        "FI", rf"\d{{5}}{_FOLLOWED}", "Suomi|Finland|Osoite|Käyntiosoite|Postiosoite",
        types=
            r"\w*(?:katu|tie|polku|kuja|tori|aukio|kaari|ranta|puisto|bulevardi|raitti|gatan|vägen"
            r"|rinne|mäki|penger)",
        unit=r"[A-Z]\s?\d{1,3}|\d{1,2}\.\s?(?:krs|kerros)\.?|as\.?\s?\d{1,3}", box="PL|P\\.?O\\.? ?Box|PB",
    ),
    _rules(
        "BE", _FOUR, "België|Belgique|Belgium|Belgien|Adres|Adresse",
        types=
            r"\w*(?:straat|laan|steenweg|stwg\.?|weg|plein|dreef|lei|kaai|baan|dijk|hof|markt|berg"
            r"|park|pad|vest|wal|veld|plaats)",
        particles="van|de|der|den|het|'t|ter|ten|te|op|aan|in", unit=r"(?:bus|bte|boîte|b)\.?\s?\w{1,5}", box="Postbus|B\\.?P\\.?",
        also=swiss_french_street,
    ),
)  # fmt: skip


def _find(rules: Rules, text: str, gazetteer: Gazetteer) -> list[Candidate]:
    return postcode_before_town(text, gazetteer, rules)


FINDERS: dict[str, Find] = {rules.country: partial(_find, rules) for rules in RULES}
