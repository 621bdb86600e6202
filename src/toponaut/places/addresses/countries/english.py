"""Addresses of the United Kingdom, Australia and Canada: street, town, region, postcode.

A British house may have a name instead of a number ("Rose Cottage, Church Lane"): it is the unit.
Australia's "5/12" is unit 5 in number 12; its postcodes are any four digits, so a state must come
before them. Canada has English and French streets, and "203-1885 Marine Drive" is unit 203.
"""

import re
from functools import partial

from msgspec.structs import replace

from toponaut.places.addresses.countries.postcode_walk import town_before_postcode
from toponaut.places.addresses.countries.romance import FRENCH_TYPES
from toponaut.places.addresses.countries.rules import (
    NUMBERLESS,
    STRONG,
    WEAK,
    YEAR,
    CountryRules,
    FindAddresses,
    StreetMatch,
)
from toponaut.places.addresses.countries.segments import NUMBER_BEFORE
from toponaut.places.addresses.lazy_pattern import lazy_pattern

# --- United Kingdom -------------------------------------------------------------------------------

_TYPES = (
    r"(?i:Street|St\.?|Road|Rd\.?|Lane|Ln\.?|Avenue|Ave\.?|Drive|Dr\.?|Close|Cl\.?|Way|Place|Pl\.?"
    r"|Square|Sq\.?|Crescent|Cres\.?|Terrace|Gardens|Gdns|Grove|Court|Ct\.?|Hill|Park|Row|Walk"
    r"|Mews|Gate|Green|Parade|Quay|Wharf|Yard|Arcade|Rise|View|Vale|Mount|Broadway|Embankment"
    r"|Circus|Bridge|Market|Passage|Alley|Path|Estate|Centre|Precinct|Promenade|Esplanade|Causeway"
    r"|Wynd|Brae|Loan|Strand|Buildings|Villas|Fields|End|Side|Bank)"
)
_POINT = r"(?:\s(?i:North|South|East|West|N|S|E|W|NE|NW|SE|SW)\.?)?"
_NAME_WORD = (
    r"(?:[^\W\d_a-z][\w.'’&-]*|of|the|and|on|in|le|la|de|upon|under|&|\d{1,3}(?:st|nd|rd|th))"
)
_NUMBER = (
    r"(?:One|Two|Three|Four|Five|Six|Seven|Eight|Nine|Ten|\d{1,4}[a-zA-Z]?"
    r"(?:\s?[-–/&]\s?\d{1,4}[a-zA-Z]?)?)"
)
_NUMBERED = lazy_pattern(
    rf"(?<![\w.£-])(?P<number>{_NUMBER}),?\s(?P<street>{_NAME_WORD}(?:\s{_NAME_WORD}){{0,5}})$"
)
_TYPED = lazy_pattern(rf"(?:{_NAME_WORD}\s){{1,5}}{_TYPES}{_POINT}")
_SITE = lazy_pattern(
    rf"(?:{_NAME_WORD}\s){{1,4}}(?:Business|Industrial|Trading|Retail|Science|Enterprise"
    rf"|Technology|Office)\s(?:Park|Estate|Centre|Village|Campus)"
)
_BEFORE_SITE = lazy_pattern(rf"(?P<street>.+\s{_TYPES})\s(?P<site>{_SITE.pattern})")
_BOX = lazy_pattern(r"(?i)P\.?\s?O\.?\s?Box\s?\d{1,6}")
_INDOORS = (
    r"(?i:Suite|Unit|Units|Flat|Apartment|Apt\.?|Floor|Room|Block|Office|Studio|Level|Bay|Plot"
    r"|Shop|Stand|Stall)\s?(?:No\.?\s?)?[\w/&-]{1,6}(?:\s?[-–&]\s?[\w]{1,4})?|(?i:Ground|First"
    r"|Second|Third|Fourth|Fifth|Top|Upper|Lower|\d{1,2}(?:st|nd|rd|th))\s(?i:Floor)(?:\s(?i:Flat"
    r"|Office|Suite|Front|Rear))?"
)
_INDOORS_LAST = lazy_pattern(r"(?i)\b(units?|suite|flat|plot|bay|block)\s$")
_LONGEST_COUNTY = 4  # words
_BUILDING = (
    rf"(?:{_NAME_WORD}\s){{1,4}}(?i:House|Cottage|Building|Court|Tower|Mill|Hall|Lodge|Farm|Barn"
    rf"|Chambers|Works|Manor|Mansions|Point|Centre|Studios|Exchange"
    r"|Villa|Wharf|Studio|Hub|Rectory|Vicarage|Annexe|Wing)"
)
_UNIT = lazy_pattern(rf"(?:{_INDOORS})(?:\s(?:{_BUILDING}|{_SITE.pattern}))?|{_BUILDING}")
_COUNTIES = frozenset(
    "bedfordshire berkshire buckinghamshire cambridgeshire cheshire cornwall cumbria derbyshire "
    "devon dorset durham essex gloucestershire hampshire herefordshire hertfordshire kent "
    "lancashire leicestershire lincolnshire merseyside middlesex norfolk northamptonshire "
    "northumberland nottinghamshire oxfordshire rutland shropshire somerset staffordshire suffolk "
    "surrey warwickshire wiltshire worcestershire yorkshire avon cleveland humberside clwyd dyfed "
    "gwent gwynedd powys fife perthshire aberdeenshire ayrshire lanarkshire stirlingshire "
    "renfrewshire argyll midlothian angus banffshire caithness sutherland carmarthenshire "
    "pembrokeshire ceredigion monmouthshire flintshire denbighshire".split()
)
_COUNTIES |= frozenset(
    "glos|herts|bucks|berks|beds|cambs|hants|lancs|leics|lincs|northants|notts|oxon|staffs|"
    "wilts|worcs|yorks|middx|salop|n. yorks|w. yorks|s. yorks|n yorks|county durham|"
    "co. durham|co durham|east sussex|west sussex|west midlands|north yorkshire|"
    "west yorkshire|south yorkshire|east yorkshire|greater manchester|greater london|"
    "tyne and wear|isle of wight|mid glamorgan|south glamorgan|west glamorgan|co. antrim|"
    "county antrim|co. down|county down|county armagh|county tyrone|east lothian|west lothian|"
    "scottish borders|highland|north lincolnshire|east riding of yorkshire".split("|")
)


def _british_street(segment: str) -> StreetMatch | None:
    """A segment read as a street: "[...] 221b Baker Street", "Kingfisher Way", "PO Box 412"."""
    segment = re.sub(r"\s(?:in|at)$", "", segment)
    if _BOX.fullmatch(segment):
        return StreetMatch(0, len(segment), "", segment)
    for found in _NUMBERED.finditer(segment):
        number, street, units = found["number"], found["street"], []
        typed = re.search(rf"\s{_TYPES}{_POINT}$", " " + street)
        if site := _BEFORE_SITE.fullmatch(street):  # "Malt Road Kings Trading Estate"
            street, units = site["street"], [site["site"]]
        if indoors := _INDOORS_LAST.search(segment, 0, found.start()):
            unit = ", ".join([f"{indoors[1]} {number}", *units])
            return StreetMatch(indoors.start(), len(segment), "", street, unit)
        if typed or not YEAR.fullmatch(number):
            unit, strength = "".join(units), STRONG if typed else WEAK
            return StreetMatch(found.start(), len(segment), number, street, unit, strength)
    if (_TYPED.fullmatch(segment) or _SITE.fullmatch(segment)) and segment[0].isupper():
        return StreetMatch(0, len(segment), "", segment, strength=NUMBERLESS)
    return None


def _county(segment: str) -> tuple[str, int]:
    """A county at the end of a segment: "Kent", "Harlow Essex"."""
    words = segment.split()
    for count in range(min(len(words), _LONGEST_COUNTY), 0, -1):
        county = " ".join(words[-count:])
        if county.lower().rstrip(".") in _COUNTIES:
            return county, len(county)
    return "", 0


BRITAIN = CountryRules(
    country="GB",
    postcode=lazy_pattern(
        r"[A-PR-UWYZ](?:[A-HK-Y]\d[\dABEHMNPRVWXY]?|\d[\dA-HJKPSTUW]?)\s?\d[ABD-HJLNP-UW-Z]{2}"
        r"(?![\w-])"
    ),
    digits=(),
    street=_british_street,
    unit=_UNIT,
    passed=lazy_pattern(
        r"(?i)UK|United Kingdom|England|Scotland|Wales|Northern Ireland|Great Britain|Postcode"
        r"|Post code|Town|City|County"
    ),
    number=NUMBER_BEFORE,
    region=_county,
    localities=True,
)


# --- Australia ------------------------------------------------------------------------------------

_STATES = (
    r"NSW=n\.s\.w\.|new south wales;VIC=victoria;QLD=queensland;SA=south australia;"
    r"WA=western australia;TAS=tasmania;NT=northern territory;"
    r"ACT=a\.c\.t\.|australian capital territory"
)
_STATE_GROUPS = "|".join(
    rf"(?P<{code}>{code}|(?i:{names}))"
    for code, names in (entry.split("=") for entry in _STATES.split(";"))
)
_STATE = lazy_pattern(
    rf"(?<![\w.])(?:{_STATE_GROUPS})\.?$|(?<![\w.])(?:(?P<vic>Vic)|(?P<qld>Qld)|(?P<tas>Tas))\.?$"
)
_AU_BOX = lazy_pattern(r"(?i)(?:(?:G?P\.?\s?O\.?\s?)Box|Locked Bag)\s?\d{1,6}")
_FLAT = lazy_pattern(r"(?P<unit>\d{1,4}[A-Za-z]?)/(?P<number>\d.*)")


def _australian_street(segment: str) -> StreetMatch | None:
    """A segment read as a street: "[...] 5/12 George Street", "GPO Box 1234"."""
    if _AU_BOX.fullmatch(segment):
        return StreetMatch(0, len(segment), "", segment)
    street = _british_street(segment)
    if street and (flat := _FLAT.fullmatch(street.number)):
        return replace(street, number=flat["number"], unit=flat["unit"])
    return street


def _state(segment: str) -> tuple[str, int]:
    found = _STATE.search(segment)
    return ((found.lastgroup or "").upper(), len(segment) - found.start()) if found else ("", 0)


AUSTRALIA = replace(
    BRITAIN,
    country="AU",
    postcode=lazy_pattern(r"\d{4}(?![\w-]|[.,]\d)"),
    street=_australian_street,
    passed=lazy_pattern(r"(?i)Australia|Postcode|Suburb|State|Town|City"),
    region=_state,
    stated=True,
)


# --- Canada ---------------------------------------------------------------------------------------

_PROVINCES = (
    "AB=alberta|alta;BC=british columbia|colombie-britannique;MB=manitoba|man;"
    "NB=new brunswick|nouveau-brunswick;"
    "NL=newfoundland and labrador|newfoundland|terre-neuve|nfld;NS=nova scotia|nouvelle-écosse;"
    "NT=northwest territories|nwt;NU=nunavut;ON=ontario|ont;"
    "PE=prince edward island|île-du-prince-édouard|pei;QC=québec|quebec|qué|que|pq;"
    "SK=saskatchewan|sask;YT=yukon territory|yukon"
)
_PROVINCE_GROUPS = "|".join(
    rf"(?P<{code}>{code[0]}\.?{code[1]}|{names})"
    for code, names in (entry.split("=") for entry in _PROVINCES.split(";"))
)
_PROVINCE = lazy_pattern(rf"(?<![\w.])\(?(?i:{_PROVINCE_GROUPS})\.?\)?(?:[\s,]+Canada)?$")
_CA_TYPES = (
    r"(?i:Street|St\.?|Road|Rd\.?|Avenue|Ave\.?|Av\.?|Drive|Dr\.?|Lane|Ln\.?|Boulevard|Blvd\.?|Way"
    r"|Place|Pl\.?|Square|Sq\.?|Crescent|Cres\.?|Court|Ct\.?|Terrace|Highway|Hwy\.?|Line|Trail"
    r"|Parkway|Pkwy\.?|Circle|Gate|Grove|Heights|Hill|Mall|Row|Walk|Quay|Sideroad|Concession|Mews"
    r"|Close|Bay|Broadway)"
)
_CA_POINT = r"(?:\s(?i:North|South|East|West|N|S|E|W|NE|NW|SE|SW|Nord|Sud|Est|Ouest|O)\.?)?"
_CA_WORD = (
    r"(?:[^\W\d_a-z][\w.'’&-]*|\d{1,4}(?:st|nd|rd|th|e|ième)?|of|the|and|de|du|des|la|le|les"
    r"|d['’]\w+|l['’]\w+)"
)
_CA_NUMBERED = lazy_pattern(
    rf"(?<![\w.$-])(?:(?P<unit>(?:(?i:Suite|Ste\.?|Unit|Apt\.?"
    rf"|#)\s?)?\d{{1,5}}[A-Za-z]?)\s?[-–]\s?)?(?P<number>(?:One|Two|Three|Four|Five|Ten"
    rf"|\d{{1,6}})[A-Za-z]?(?:\s1/2)?)\s?,?\s(?P<street>(?:{FRENCH_TYPES}\s)?{_CA_WORD}"
    rf"(?:\s{_CA_WORD}){{0,6}})(?:[\s]+(?P<inside>(?:#|(?i:Suite|Unit|Apt\.?"
    rf"|bureau)\s)\s?\w{{1,6}}))?$"
)
_CA_TYPED = lazy_pattern(
    rf".*\s{_CA_TYPES}(?:\s\d{{1,4}})?{_CA_POINT}|{_CA_TYPES}\s.*|{FRENCH_TYPES}\s.*"
)
_CA_BOX = lazy_pattern(
    r"(?i)(?:P\.?\s?O\.?\s?Box|C\.?P\.?|Case postale|R\.?R\.?|Station)\s?#?\s?\d{1,6}"
)
_CA_UNIT = lazy_pattern(
    r"#\s?\w{1,6}|(?i:Suite|Ste\.?|Unit|Apt\.?|Apartment|Room|Floor|Bureau|Local|App\.?"
    r"|Appartement|Étage|Building|Bay)\s?#?[\w-]{1,6}|(?i:\d{1,2}(?:st|nd|rd|th|e)|Ground|Main"
    r"|Second|Third)\s(?i:Floor|étage)"
)


def _canadian_street(segment: str) -> StreetMatch | None:
    """A segment read as a street: "[...] 100 Queen Street West", "203-1885 Marine Drive"."""
    if _CA_BOX.fullmatch(segment):
        return StreetMatch(0, len(segment), "", segment)
    found = _CA_NUMBERED.search(segment)
    if found:
        typed = _CA_TYPED.fullmatch(found["street"]) or re.fullmatch(_CA_TYPES, found["street"])
        if typed or found.start() == 0:
            number, street, unit = (
                found["number"],
                found["street"],
                found["unit"] or found["inside"],
            )
            strength = STRONG if typed else WEAK
            return StreetMatch(found.start(), len(segment), number, street, unit or "", strength)
    if re.fullmatch(rf"(?:[^\W\d_a-z][\w.'’-]*\s){{1,4}}{_CA_TYPES}{_CA_POINT}", segment):
        return StreetMatch(0, len(segment), "", segment, strength=NUMBERLESS)
    return None


def _province(segment: str) -> tuple[str, int]:
    found = _PROVINCE.search(segment)
    return (found.lastgroup or "", len(segment) - found.start()) if found else ("", 0)


CANADA = CountryRules(
    country="CA",
    postcode=lazy_pattern(
        r"[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z][\s-]?\d[ABCEGHJ-NPRSTV-Z]\d(?![\w-])"
    ),
    digits=(),
    street=_canadian_street,
    unit=_CA_UNIT,
    passed=lazy_pattern(r"(?i)Canada|Postal Code|Code postal|City|Ville|Province"),
    number=NUMBER_BEFORE,
    region=_province,
    localities=True,
)


FINDERS: dict[str, FindAddresses] = {
    rules.country: partial(town_before_postcode, rules=rules)
    for rules in (BRITAIN, AUSTRALIA, CANADA)
}
