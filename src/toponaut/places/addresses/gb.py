"""Addresses of the United Kingdom: street, locality, post town, county, postcode, in that order and by any separator.

A house may have a name instead of a number ("Rose Cottage, Church Lane"); it stands in `unit`.
"""

import re

from toponaut.places.addresses.candidate import Candidate
from toponaut.places.addresses.core import (
    NUMBERLESS,
    STRONG,
    WEAK,
    YEAR,
    Rules,
    Street,
    town_before_postcode,
)
from toponaut.places.addresses.segments import NUMBER_BEFORE
from toponaut.places.gazetteer import Gazetteer

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
_NUMBERED = re.compile(
    rf"(?<![\w.£-])(?P<number>{_NUMBER}),?\s(?P<street>{_NAME_WORD}(?:\s{_NAME_WORD}){{0,5}})$"
)
_TYPED = re.compile(rf"(?:{_NAME_WORD}\s){{1,5}}{_TYPES}{_POINT}")
_SITE = re.compile(
    rf"(?:{_NAME_WORD}\s){{1,4}}(?:Business|Industrial|Trading|Retail|Science|Enterprise"
    rf"|Technology|Office)\s(?:Park|Estate|Centre|Village|Campus)"
)
_BOX = re.compile(r"(?i)P\.?\s?O\.?\s?Box\s?\d{1,6}")
_INDOORS = (
    r"(?i:Suite|Unit|Units|Flat|Apartment|Apt\.?|Floor|Room|Block|Office|Studio|Level|Bay|Plot"
    r"|Shop|Stand|Stall)\s?(?:No\.?\s?)?[\w/&-]{1,6}(?:\s?[-–&]\s?[\w]{1,4})?|(?i:Ground|First"
    r"|Second|Third|Fourth|Fifth|Top|Upper|Lower|\d{1,2}(?:st|nd|rd|th))\s(?i:Floor)(?:\s(?i:Flat"
    r"|Office|Suite|Front|Rear))?"
)
_BUILDING = (
    rf"(?:{_NAME_WORD}\s){{1,4}}(?i:House|Cottage|Building|Court|Tower|Mill|Hall|Lodge|Farm|Barn"
    rf"|Chambers|Works|Manor|Mansions|Point|Centre|Studios|Exchange"
    r"|Villa|Wharf|Studio|Hub|Rectory|Vicarage|Annexe|Wing)"
)
UNIT = re.compile(rf"(?:{_INDOORS})(?:\s(?:{_BUILDING}|{_SITE.pattern}))?|{_BUILDING}")
_COUNTIES = frozenset(
    "bedfordshire berkshire buckinghamshire cambridgeshire cheshire cornwall cumbria derbyshire "
    "devon dorset durham essex gloucestershire hampshire herefordshire hertfordshire kent "
    "lancashire leicestershire lincolnshire merseyside middlesex norfolk northamptonshire "
    "northumberland nottinghamshire oxfordshire rutland shropshire somerset staffordshire suffolk "
    "surrey warwickshire wiltshire worcestershire yorkshire avon cleveland humberside clwyd dyfed "
    "gwent gwynedd powys fife perthshire aberdeenshire ayrshire lanarkshire stirlingshire "
    "renfrewshire argyll midlothian angus banffshire caithness sutherland carmarthenshire "
    "pembrokeshire ceredigion monmouthshire flintshire denbighshire".split()
) | frozenset(
    {
        "glos", "herts", "bucks", "berks", "beds", "cambs", "hants", "lancs", "leics", "lincs", "northants", "notts", "oxon", "staffs",
        "wilts", "worcs", "yorks", "middx", "salop", "n. yorks", "w. yorks", "s. yorks", "n yorks", "county durham", "co. durham", "co durham", "east sussex", "west sussex", "west midlands", "north yorkshire", "west yorkshire",
        "south yorkshire", "east yorkshire", "greater manchester", "greater london", "tyne and wear", "isle of wight", "mid glamorgan",
        "south glamorgan", "west glamorgan", "co. antrim", "county antrim", "co. down", "county down", "county armagh", "county tyrone",
        "east lothian", "west lothian", "scottish borders", "highland", "north lincolnshire", "east riding of yorkshire",
    }
)  # fmt: skip


def british_street(segment: str) -> Street | None:
    """A segment read as a street: "[...] 221b Baker Street", "Kingfisher Way", "PO Box 412"."""
    segment = re.sub(r"\s(?:in|at)$", "", segment)
    if _BOX.fullmatch(segment):
        return Street(0, len(segment), "", segment)
    for found in _NUMBERED.finditer(segment):
        typed = re.search(rf"\s{_TYPES}{_POINT}$", " " + found["street"])
        if typed or not YEAR.fullmatch(found["number"]):
            return Street(
                found.start(),
                len(segment),
                found["number"],
                found["street"],
                strength=STRONG if typed else WEAK,
            )
    if (_TYPED.fullmatch(segment) or _SITE.fullmatch(segment)) and segment[0].isupper():
        return Street(0, len(segment), "", segment, strength=NUMBERLESS)
    return None


def _county(segment: str) -> tuple[str, int]:
    return (segment, len(segment)) if segment.lower().rstrip(".") in _COUNTIES else ("", 0)


RULES = Rules(
    country="GB",
    postcode=re.compile(
        r"[A-PR-UWYZ](?:[A-HK-Y]\d[\dABEHMNPRVWXY]?|\d[\dA-HJKPSTUW]?)\s?\d[ABD-HJLNP-UW-Z]{2}"
        r"(?![\w-])"
    ),
    street=british_street,
    unit=UNIT,
    passed=re.compile(
        r"(?i)UK|United Kingdom|England|Scotland|Wales|Northern Ireland|Great Britain|Postcode"
        r"|Post code|Town|City|County"
    ),
    number=NUMBER_BEFORE,
    region=_county,
    localities=True,
)


def find(text: str, gazetteer: Gazetteer) -> list[Candidate]:
    """All British addresses in a text, in its order."""
    return town_before_postcode(text, gazetteer, RULES)
