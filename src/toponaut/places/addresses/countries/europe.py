"""Addresses of the other European countries: street and number, postcode and town.

Poland, Czechia, Slovakia, Hungary, Scandinavia, Finland and Belgium differ in words and in the form
of the postcode only, so each is a few patterns. Their towns must agree with the postcode: four
digits are often a year, and five or "113 56" any number. The Netherlands have a street reader of
their own; "1015 BK" is hard to mistake.
"""

import re
from functools import partial

from toponaut.places.addresses.countries.postcode_walk import postcode_before_town
from toponaut.places.addresses.countries.romance import swiss_french_street
from toponaut.places.addresses.countries.rules import (
    STRONG,
    WEAK,
    CountryRules,
    FindAddresses,
    ReadStreet,
    StreetMatch,
)
from toponaut.places.addresses.countries.street_readers import number_last
from toponaut.places.addresses.lazy_pattern import lazy_pattern

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
    also: ReadStreet | None = None,
) -> CountryRules:
    """`types`: words of streets; `labels`: segments to skip; `tail`: extends a town's name."""
    boxes = lazy_pattern(rf"(?i:{box})\s?\d[\d ]{{0,6}}(?:\s[^\W\d_a-z]\w+)?")
    reader = number_last(types, particles, unit, boxes)
    return CountryRules(
        country=country,
        postcode=lazy_pattern(postcode),
        prefix=lazy_pattern(rf"(?<!\w){country[0]}(?:{country[1]})?\s?[-–]\s?$"),
        street=_either(also, reader) if also else reader,
        unit=lazy_pattern(rf"(?:{unit})"),
        passed=lazy_pattern(rf"(?i:{labels})|{boxes.pattern}"),
        town_tail=lazy_pattern(rf"(?P<sure>{tail})"),
        strict=True,
    )


def _either(first: ReadStreet, second: ReadStreet) -> ReadStreet:
    """The first reader that is sure, else the second."""

    def read(segment: str) -> StreetMatch | None:
        found = first(segment)
        return found if found and found.strength > WEAK else second(segment) or found

    return read


_RULES = (
    _rules(
        "PL",
        rf"\d{{2}}[-–]\d{{3}}{_FOLLOWED}",
        "Polska|Poland|Kod pocztowy|Miejscowość|Adres",
        types=r"ul\.|ulica|al\.|aleja|aleje|pl\.|plac|os\.|osiedle|rynek|rondo|skwer|bulwar",
        particles="i|w|na|nad|pod|ku|św.|gen.|ks.|dr|płk",
        unit=r"(?:lok(?:al|\.)?|m\.?|pok\.?|p\.|piętro)\s?\w{1,5}",
        box=r"skr\.? ?poczt\.?|skrytka pocztowa",
    ),
    _rules(
        "CZ",
        _SPACED,
        "Česká republika|Česko|Czech Republic|PSČ|Adresa|Sídlo",
        types=r"ulice|ul\.|třída|tř\.|náměstí|nám\.|nábřeží|nábř\.|sady|alej",
        particles="u|na|nad|pod|v|ve|za|k|ke|a|[a-zř]+a|[a-zř]+na",
        tail=r"\s\d{1,2}(?!\d)(?:\s?[-–]\s?[^\W\d_a-z]\w+)?",
        box=r"P\.? ?O\.? ?Box|pošt\. ?přihr\.",
    ),
    _rules(
        "SK",
        _SPACED,
        "Slovensko|Slovenská republika|Slovakia|PSČ|Adresa|Sídlo",
        types=r"ulica|ul\.|trieda|tr\.|námestie|nám\.|nábrežie|cesta",
        particles="u|na|nad|pod|v|vo|za|k|ku|a",
        tail=r"\s\d{1,2}(?!\d)",
        box=r"P\.? ?O\.? ?Box",
    ),
    _rules(
        "HU",
        _FOUR,
        "Magyarország|Hungary|Cím|Székhely",
        types=r"utca|u\.|út|útja|tér|tere|krt\.|körút|körtér|sor|köz|sétány|rakpart|rkp\.|fasor"
        r"|dűlő|park|liget|sugárút",
        unit=r"[IVX\d]{1,4}\.\s?(?:em(?:elet|\.)?|ajtó)(?:[\s/]*\d{1,3}\.?(?:\s?ajtó)?)?"
        r"|fsz\.?\s?\w{0,3}",
        box=r"Pf\.|Postafiók",
    ),
    _rules(
        "SE",
        _SPACED,
        "Sverige|Sweden|Postadress|Besöksadress|Adress",
        types=r"\w*(?:gatan|vägen|väg|gata|gränd|torget|torg|plan|allén|backen|stigen|kajen|leden"
        r"|platsen)",
        unit=rf"{_DOOR}|lgh\s?\d{{1,4}}",
        box="Box",
    ),
    _rules(
        "DK",
        _FOUR,
        "Danmark|Denmark|Adresse|Postnr\\.?",
        types=r"\w*(?:vej|vejen|gade|gaden|allé|alle|stræde|torv|plads|pladsen|boulevard|vænget"
        r"|parken|bakken|kaj|havn|alléen|toften|haven|stien)",
        unit=_DOOR,
        tail=r"\s(?:K|V|N|Ø|S|SV|NV|C|M|NØ|SØ)(?!\w)",
        box="Postboks|P\\.?O\\.? ?Box|Boks",
    ),
    _rules(
        "NO",
        _FOUR,
        "Norge|Norway|Postadresse|Besøksadresse|Adresse",
        types=r"\w*(?:gate|gaten|gata|gt\.|vei|veien|veg|vegen|vn\.|plass|torg|torget|allé|alle"
        r"|kaia|brygge|bakken|stien|stredet|terrasse)",
        unit=_DOOR,
        box="Postboks|Pb\\.?|Boks",
    ),
    _rules(
        "FI",
        rf"\d{{5}}{_FOLLOWED}",
        "Suomi|Finland|Osoite|Käyntiosoite|Postiosoite",
        types=r"\w*(?:katu|tie|polku|kuja|tori|aukio|kaari|ranta|puisto|bulevardi|raitti|gatan"
        r"|vägen|rinne|mäki|penger)",
        unit=r"[A-Z]\s?\d{1,3}|\d{1,2}\.\s?(?:krs|kerros)\.?|as\.?\s?\d{1,3}",
        box="PL|P\\.?O\\.? ?Box|PB",
    ),
    _rules(
        "BE",
        _FOUR,
        "België|Belgique|Belgium|Belgien|Adres|Adresse",
        types=r"\w*(?:straat|laan|steenweg|stwg\.?|weg|plein|dreef|lei|kaai|baan|dijk|hof|markt"
        r"|berg|park|pad|vest|wal|veld|plaats)",
        particles="van|de|der|den|het|'t|ter|ten|te|op|aan|in",
        unit=r"(?:bus|bte|boîte|b)\.?\s?\w{1,5}",
        box="Postbus|B\\.?P\\.?",
        also=swiss_french_street,
    ),
)

# --- Netherlands ----------------------------------------------------------------------------------

_NUMBER = (
    r"\d{1,5}(?:\s?(?:hs|bis|huis|[a-zA-Z])(?![\w.]))?(?:\s?[-–/]\s?(?:\d{1,4}\s?[a-zA-Z]?"
    r"|[IVX]+|[a-zA-Z]{1,2}|hs|huis|bis)(?!\w))?"
)
_AT_END = lazy_pattern(rf"[\s,]+(?:(?:nr|no)\.?\s?)?(?P<number>{_NUMBER})$")
_TYPES = (
    "straat|str.|weg|laan|plein|gracht|kade|singel|dijk|dreef|hof|markt|pad|plantsoen|steeg|wal"
    "|baan|park|haven|burgwal|boulevard|allee|poort|brug|veld|eiland|ring|oord|berg|werf|ln.|pln."
)
_TYPED = lazy_pattern(rf"(?i).*(?:{_TYPES.replace('.', '[.]')})")
_PARTICLE = lazy_pattern(
    r"(?i:van|de|der|den|het|'t|’t|ten|ter|te|op|aan|in|la|le|du)|['’]s-?\w*|\d+e|[A-Z]\.|\(.*\)"
)
_LED = lazy_pattern(r"\b(?:aan|op|in|bij|naar)\s(?:de|het|den)\s|\b(?:aan|op|in|bij)\s")
_BOX = lazy_pattern(r"(?i)Postbus\s?\d{1,6}")


def _dutch_street(segment: str) -> StreetMatch | None:
    """A segment read as a street: "[... aan de] Oudegracht 25"."""
    if _BOX.fullmatch(segment):
        return StreetMatch(0, len(segment), "", segment)
    segment = re.sub(r"\s(?:in|te)$", "", segment)
    number = _AT_END.search(segment)
    if number is None:
        return None
    head = segment[: number.start()]
    for led in _LED.finditer(head):  # in a sentence the name follows "aan de", "op het", "in de"
        if _is_name(head[led.end() :]):
            return StreetMatch(led.end(), len(segment), number["number"], head[led.end() :])
    words = [match.span() for match in re.finditer(r"\S+", head)]
    for first in range(max(0, len(words) - 5), len(words)):
        name = head[words[first][0] :]
        filled = first == 0 or not head[words[first - 1][0]].isupper()
        if _is_name(name) and filled:
            typed = _TYPED.fullmatch(name)
            if typed or first == 0:
                start, strength = words[first][0], STRONG if typed else WEAK
                return StreetMatch(start, len(segment), number["number"], name, "", strength)
    last = head[words[-1][0] :] if words else ""
    if _is_name(last) and _TYPED.fullmatch(last):
        return StreetMatch(words[-1][0], len(segment), number["number"], last)
    return None


def _is_name(name: str) -> bool:
    """Up to five words, capitals except particles: "Prins Hendrikkade", "Laan van Meerdervoort"."""
    words = name.split()
    if not 0 < len(words) <= 5 or re.search(r"[@:%€]|\d{5}|\b0\d", name):
        return False
    if not (name[0].isupper() or name[0] in "'’" or name[0].isdigit()):
        return False
    lower = [word for word in words if not word[0].isupper()]
    return all(_PARTICLE.fullmatch(word) or word.isdigit() for word in lower)


_NETHERLANDS = CountryRules(
    country="NL",
    postcode=lazy_pattern(r"[1-9]\d{3}\s?(?!SA|SD|SS)[A-Z]{2}(?![\w-])"),
    prefix=lazy_pattern(r"(?<!\w)NL\s?[-–]?\s?$"),
    street=_dutch_street,
    unit=lazy_pattern(
        r"(?i)(?:unit|gebouw|kamer|etage|verdieping|toren|hal|ingang|appartement|suite"
        r"|bg)\s?[\w.]{1,6}|\d{1,2}(?:e|de|ste)\s(?:verdieping|etage)|begane grond"
    ),
    passed=lazy_pattern(r"(?i)Postcode|Plaats|Woonplaats|Adres|Nederland|The Netherlands|in|te"),
    label=lazy_pattern(r"(?:Plaats|Woonplaats)\s?:?\s{0,3}"),
)

FINDERS: dict[str, FindAddresses] = {
    rules.country: partial(postcode_before_town, rules=rules) for rules in (_NETHERLANDS, *_RULES)
}
