"""Addresses of France: the number first ("12 bis, rue de la Paix"), the street's type at its beginning.

CEDEX codes belong to large receivers and are in no table; a town of the country is then enough.
"""

import re

from toponaut.places.addresses.candidate import Candidate
from toponaut.places.addresses.core import (
    NUMBERLESS,
    STRONG,
    WEAK,
    Rules,
    Street,
    postcode_before_town,
)
from toponaut.places.addresses.segments import NUMBER_BEFORE
from toponaut.places.gazetteer import Gazetteer

TYPES = (
    r"(?i:rue|r\.|avenue|av\.?|ave\.?|boulevard|bd\.?|boul\.?|blvd\.?|bld\.?|place|pl\.|quai|cours"
    r"|chemin|ch\.|che\.|impasse|imp\.|all[ée]es?|route|rte\.?|passage|square|sq\.|promenade"
    r"|esplanade|faubourg|fbg\.?|fg\.?|ruelle|sentier|mont[ée]e|c[ôo]te|traverse|villa"
    r"|cit[ée]|parvis|rond-point|hameau|lieu-dit|galerie|voie|venelle|mail|port|porte|pont|rampe"
    r"|descente|résidence|lotissement|chauss[ée]e|carrefour|clos|rang|montée|grande?[\s'’-]+(?:rue"
    r"|place)|(?:vieille|haute|basse|petite)\srue)"
)
_ZONE = (
    r"(?:ZA|ZI|ZAC|Z\.A\.|Z\.I\.|Zone (?:Industrielle|Artisanale|d['’][AaÀà]ctivités?)|Parc "
    r"d['’][Aa]ctivités?|Technopole|Lieu-dit|Le Bourg|Centre [Cc]ommercial)"
)
NUMBER = r"\d{1,4}(?:\s?(?:bis|ter|quater|[A-D](?!\w)))?(?:\s?[-–/]\s?\d{1,4}(?:\s?(?:bis|ter))?)?"
_STREET = re.compile(
    rf"(?:(?:n°\s?)?(?P<number>{NUMBER})\s?,?\s)?(?<![\w'’-])(?P<street>{TYPES}"
    rf"(?:\s[^\n\t,;|]{{2,60}}|(?<=[Rr]ue|ace)))$"
)
_BY_FORM = re.compile(
    rf"(?P<number>{NUMBER})\s?,?\s(?P<street>[^\W\d_a-zà-ÿ][\w'’.-]*(?:\s[^\W\d_][\w'’.-]*){{0,4}})"
)
# Swiss and Belgian: "Rue Centrale 5".
_NUMBER_LAST = re.compile(
    rf"(?<![\w'’-])(?P<street>{TYPES}\s[^\n\t;|]{{2,60}}?)[\s,]+(?P<number>\d{{1,4}}"
    rf"(?:\s?[a-zA-Z]|\s?(?:bis|ter))?(?:[-/]\d{{1,4}})?)$"
)
_BOX_WORD = r"(?:B\.?P\.?|C\.?S\.?|TSA|Boîte [Pp]ostale|Case [Pp]ostale)"
_BOX = re.compile(rf"(?:{_BOX_WORD}|CP)\s?(?:n°\s?)?\d[\d ]{{0,8}}")
_BOX_AT_END = re.compile(rf"(?<=\w)\s{_BOX.pattern}$")
_PLACE = re.compile(rf"(?:(?P<number>{NUMBER})\s?,?\s)?(?P<street>{_ZONE}(?:\s[\w'’.-]+){{0,6}})")
UNIT = re.compile(
    r"(?i)(?:bât(?:iment|\.)?|bat\.?|esc(?:alier|\.)?|appt?\.?|appartement|résidence|rés\.|tour"
    r"|immeuble|imm\.|hall|porte|étage|lot|bureau|b[âa]t)\s[\w' -]{1,30}|(?:\d{1,2}(?:er|e|ème|è"
    r"|nd|de)|rez-de-chaussée|rdc)\s?(?:étage)?(?:\s(?:droite|gauche|face))?|au fond de la cour"
)
_JOINT = re.compile(r"\s(?:à|a|in|en)$")
_SENTENCE = re.compile(
    r"\s(?:est|sont|a|ont|qui|pour|avec|dans|et|ou|où|se|ne|il|elle|nous|vous|ouvert|ouverte)\s"
)


def french_street(segment: str) -> Street | None:
    """A segment of French text read as a street: "[...] 24, rue Gambetta"."""
    segment = _JOINT.sub("", segment)
    segment = _BOX_AT_END.sub("", segment)
    if _BOX.fullmatch(segment):
        return Street(0, len(segment), "", segment)
    found = _STREET.search(segment)
    if found and found["number"] and not _SENTENCE.search(found["street"]):
        return Street(found.start("number"), found.end(), found["number"], found["street"])
    place = _PLACE.fullmatch(segment) or (found if found and found.start() == 0 else None)
    if place and not _SENTENCE.search(place["street"]):
        strength = STRONG if place["number"] else NUMBERLESS
        return Street(0, len(segment), place["number"] or "", place["street"], strength=strength)
    if plain := _BY_FORM.fullmatch(segment):
        return Street(0, len(segment), plain["number"], plain["street"], strength=WEAK)
    return None


def swiss_french_street(segment: str) -> Street | None:
    """As `french_street`, or with the number last: "Rue Centrale 5"."""
    last = _NUMBER_LAST.search(segment)
    if last and not _SENTENCE.search(last["street"]):
        before = re.search(rf"({NUMBER})\s?,?\s$", segment[: last.start()])
        if before is None:
            return Street(last.start(), last.end(), last["number"], last["street"].rstrip(" ,"))
    return french_street(segment)


RULES = Rules(
    country="FR",
    postcode=re.compile(r"\d{2}\s?\d{3}(?=[\s,]{1,3}[^\W\d_]|\))"),
    prefix=re.compile(r"(?<!\w)FR?\s?[-–]\s?$"),
    box=re.compile(rf"(?<!\w){_BOX_WORD}\s?(?:n°\s?)?$"),
    street=french_street,
    unit=UNIT,
    passed=re.compile(rf"(?i)Code postal|CP|Ville|Adresse|France|à|{_BOX.pattern}"),
    number=NUMBER_BEFORE,
    label=re.compile(r"Ville\s?:?\s{0,3}"),
)


def find(text: str, gazetteer: Gazetteer) -> list[Candidate]:
    """All French addresses in a text, in its order."""
    return postcode_before_town(text, gazetteer, RULES)
