"""Addresses of France, Spain, Italy, Portugal and Brazil.

A street begins with its type. France puts the number before it ("12 bis, rue de la Paix"), the
others after it, with floor and door ("Calle Mayor, 12, 2º B", "Rua Castilho, 55 - 2.º Dto.").
"""

import re
from functools import partial

from msgspec.structs import replace

from toponaut.places.addresses.countries.postcode_walk import (
    postcode_before_town,
    town_before_postcode,
)
from toponaut.places.addresses.countries.rules import (
    NUMBERLESS,
    STRONG,
    WEAK,
    CountryRules,
    FindAddresses,
    StreetMatch,
)
from toponaut.places.addresses.countries.segments import NUMBER_BEFORE
from toponaut.places.addresses.countries.street_readers import type_first
from toponaut.places.addresses.lazy_pattern import lazy_pattern
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import Address

# --- France: CEDEX codes of large receivers are in no table; a known town is enough ---------------

FRENCH_TYPES = (
    r"(?i:rue|r\.|avenue|av\.?|ave\.?|boulevard|bd\.?|boul\.?|blvd\.?|bld\.?|place|pl\.|quai|cours"
    r"|chemin|ch\.|che\.|impasse|imp\.|all[ée]es?|route|rte\.?|passage|square|sq\.|promenade"
    r"|esplanade|faubourg|fbg\.?|fg\.?|ruelle|sente|sentier|mont[ée]e|c[ôo]te|traverse|villa"
    r"|cit[ée]|parvis|rond-point|hameau|lieu-dit|galerie|voie|venelle|mail|port|porte|pont|rampe"
    r"|descente|résidence|lotissement|chauss[ée]e|carrefour|clos|rang|montée|grande?[\s'’-]+(?:rue"
    r"|place)|(?:vieille|haute|basse|petite)\srue)"
)
_ZONE = (
    r"(?:ZA|ZI|ZAC|Z\.A\.|Z\.I\.|Zone (?:Industrielle|Artisanale|d['’][AaÀà]ctivités?)|Parc "
    r"d['’][Aa]ctivités?|Technopole|Lieu-dit|Le Bourg|Centre [Cc]ommercial)"
)
_NUMBER = r"\d{1,4}(?:\s?(?:bis|ter|quater|[A-D](?!\w)))?(?:\s?[-–/]\s?\d{1,4}(?:\s?(?:bis|ter))?)?"
_STREET = lazy_pattern(
    rf"(?:(?:n°\s?)?(?P<number>{_NUMBER})\s?,?\s)?(?<![\w'’-])(?P<street>{FRENCH_TYPES}"
    rf"(?:\s[^\n\t,;|]{{2,60}}|(?<=[Rr]ue|ace)))$"
)
_BY_FORM = lazy_pattern(
    rf"(?P<number>{_NUMBER})\s?,?\s(?P<street>[^\W\d_a-zà-ÿ][\w'’.-]*"
    rf"(?:\s[^\W\d_][\w'’.-]*){{0,4}})"
)
# Swiss and Belgian: "Rue Centrale 5".
_NUMBER_LAST = lazy_pattern(
    rf"(?<![\w'’-])(?P<street>{FRENCH_TYPES}\s[^\n\t;|]{{2,60}}?)[\s,]+(?P<number>\d{{1,4}}"
    rf"(?:\s?[a-zA-Z]|\s?(?:bis|ter))?(?:[-/]\d{{1,4}})?)$"
)
_BOX_WORD = r"(?:B\.?P\.?|C\.?S\.?|TSA|Boîte [Pp]ostale|Case [Pp]ostale)"
_BOX = lazy_pattern(rf"(?:{_BOX_WORD}|CP)\s?(?:n°\s?)?\d[\d ]{{0,8}}")
_BOX_AT_END = lazy_pattern(rf"(?<=\w)\s{_BOX.pattern}$")
_PLACE = lazy_pattern(
    rf"(?:(?P<number>{_NUMBER})\s?,?\s)?(?P<street>{_ZONE}(?:\s[\w'’.-]+){{0,6}})"
)
_UNIT = lazy_pattern(
    r"(?i)(?:bât(?:iment|\.)?|bat\.?|esc(?:alier|\.)?|appt?\.?|appartement|résidence|rés\.|tour"
    r"|immeuble|imm\.|hall|porte|étage|lot|bureau|b[âa]t)\s[\w' -]{1,30}|(?:\d{1,2}(?:er|e|ème|è"
    r"|nd|de)|rez-de-chaussée|rdc)\s?(?:étage)?(?:\s(?:droite|gauche|face))?|au fond de la cour"
)
_JOINT = lazy_pattern(r"\s(?:à|a|in|en)$")
_SENTENCE = lazy_pattern(
    r"\s(?:est|sont|a|ont|qui|pour|avec|dans|et|ou|où|se|ne|il|elle|nous|vous|ouvert|ouverte)\s"
)


def _french_street(segment: str) -> StreetMatch | None:
    """A segment of French text read as a street: "[...] 24, rue Gambetta"."""
    segment = _BOX_AT_END.sub("", _JOINT.sub("", segment))
    if _BOX.fullmatch(segment):
        return StreetMatch(0, len(segment), "", segment)
    found = _STREET.search(segment)
    if found and found["number"] and not _SENTENCE.search(found["street"]):
        return StreetMatch(found.start("number"), found.end(), found["number"], found["street"])
    place = _PLACE.fullmatch(segment) or (found if found and found.start() == 0 else None)
    if place and not _SENTENCE.search(place["street"]):
        number, street = place.group("number", "street")
        strength = STRONG if number else NUMBERLESS
        return StreetMatch(0, len(segment), number or "", street, strength=strength)
    if plain := _BY_FORM.fullmatch(segment):
        return StreetMatch(0, len(segment), plain["number"], plain["street"], strength=WEAK)
    return None


def swiss_french_street(segment: str) -> StreetMatch | None:
    """As in France, or with the number last: "Rue Centrale 5"."""
    last = _NUMBER_LAST.search(segment)
    if last and not _SENTENCE.search(last["street"]):
        before = re.search(rf"({_NUMBER})\s?,?\s$", segment[: last.start()])
        if before is None:
            street = last["street"].rstrip(" ,")
            return StreetMatch(last.start(), last.end(), last["number"], street)
    return _french_street(segment)


FRANCE = CountryRules(
    country="FR",
    postcode=lazy_pattern(r"\d{2}\s?\d{3}(?=[\s,]{1,3}[^\W\d_]|\))"),
    digits=(2, 5),
    prefix=lazy_pattern(r"(?<!\w)FR?\s?[-–]\s?$"),
    box=lazy_pattern(rf"(?<!\w){_BOX_WORD}\s?(?:n°\s?)?$"),
    street=_french_street,
    unit=_UNIT,
    passed=lazy_pattern(rf"(?i)Code postal|CP|Ville|Adresse|France|à|{_BOX.pattern}"),
    number=NUMBER_BEFORE,
    label=lazy_pattern(r"Ville\s?:?\s{0,3}"),
)


# --- Spain and Italy ------------------------------------------------------------------------------


def _spain() -> CountryRules:
    types = (
        r"calle|c/|c\.|cl\.|avenida|avda\.?|avd\.?|av\.?|plaza|pza\.?|plz\.?|pl\.?|plazuela|paseo"
        r"|pº\.?|ps\.|camino|cmno\.?|carretera|ctra\.?|cr\.|ronda|rda\.?|travesía|trav\.|rambla"
        r"|rbla\.?|gran\svía|vía|pasaje|callejón|cuesta|glorieta|gta\.|urbanización|urb\.|polígono"
        r"(?:\sindustrial)?|pol\.\s?ind\.|p\.\s?i\.|parque|barrio|alameda|muelle|carrer|passeig"
        r"|plaça|avinguda|rúa|kalea"
    )
    floor = (
        r"(?:\d{1,2}\s?\.?\s?[ºªo°]|[Bb]ajos?|[Ee]ntlo\.?|[Pp]ral\.?|[Áá]tico)(?:\s?(?:[Pp]lanta"
        r"|[Pp]iso|[Ii]zq(?:da)?\.?|[Dd](?:cha|to)\.?|[A-H](?!\w)|\d{1,2}\s?[ªº]))?"
    )
    unit = (
        rf"{floor}|(?:[Pp]lanta|[Ll]ocal|[Nn]ave|[Oo]ficina|[Pp]uerta|[Pp]iso|[Bb]loque|[Ee]dif"
        rf"(?:icio|\.)|[Pp]ortal|[Pp]arcela)\s[\w.º-]{{1,12}}"
    )
    box = lazy_pattern(r"(?i)(?:apartado(?:\sde\scorreos)?|apdo\.?)\s?(?:n\.?º\s?)?\d[\d ]{0,6}")
    return CountryRules(
        country="ES",
        postcode=lazy_pattern(r"\d{5}(?=[\s,.]{1,3}[^\W\d_]|\s?[-–]\s?[^\W\d_])"),
        prefix=lazy_pattern(r"(?<!\w)(?:ES?\s?[-–]\s?|C\.?P\.?\s?:?\s?)$"),
        street=type_first(types, unit, box, "en|de"),
        unit=lazy_pattern(rf"(?:{unit})(?:,?\s(?:{unit}))?"),
        passed=lazy_pattern(
            rf"(?i:Código[ -]postal|C\.?P\.?|Localidad|Población|Dirección|España|Spain|en)"
            rf"|{box.pattern.removeprefix('(?i)')}"
        ),
        label=lazy_pattern(r"(?:[-–]\s?)?(?:(?:Localidad|Población)\s?:?\s{0,3})?"),
        strict=True,
    )


_PROVINCE = lazy_pattern(r"\s?[(,-]?\s?\(?([A-Z]{2})\b\)?")


def _italy() -> CountryRules:
    types = (
        r"via|viale|v\.le|vicolo|piazza|p\.?zza|p\.za|piazzale|p\.?le|piazzetta|corso|c\.so|largo"
        r"|l\.go|contrada|c\.da|strada|str\.|salita|riva|lungomare|lungotevere|lungarno"
        r"|lungo\s[\w']+|borgo|galleria|circonvallazione|località|loc\.|frazione|fraz\.|calle|campo"
        r"|fondamenta|traversa|rione|zona\sindustriale|z\.i\.|rotonda|bastioni|foro|ponte|molo"
    )
    unit = (
        r"(?:[Ii]nt(?:erno|\.)|[Ss]cala|[Pp]iano|[Pp]al(?:azzina|\.))\s\w{1,6}"
        r"|[\dIVX]{1,3}\s?°\s?[Pp]iano|[Pp]iano terra"
    )
    box = lazy_pattern(r"(?i)(?:casella postale|c\.p\.)\s?(?:n\.?\s?)?\d[\d ]{0,6}")
    return CountryRules(
        country="IT",
        postcode=lazy_pattern(r"\d{5}(?=[\s,]{1,3}[^\W\d_])"),
        prefix=lazy_pattern(r"(?<!\w)(?:IT?\s?[-–]\s?|CAP\s?:?\s?)$"),
        street=type_first(types, unit, box, "a|in"),
        unit=lazy_pattern(unit),
        passed=lazy_pattern(
            rf"(?i:CAP|Città|Comune|Indirizzo|Italia|Italy|a|in)|{box.pattern.removeprefix('(?i)')}"
        ),
        region=_province,
        strict=True,
    )


def _province(after: str) -> tuple[str, int]:
    found = _PROVINCE.match(after)
    return (found[1], found.end()) if found else ("", 0)


# --- Portugal -------------------------------------------------------------------------------------

_PT_TYPES = (
    r"(?i:rua|r\.|avenida|av\.?|rodovia|rod\.|praça|pç\.?|praceta|largo|lg\.?|travessa|tv\.?"
    r"|estrada|est\.|alameda|al\.|calçada|beco|rossio|quinta|campo|cais|lugar|urbanização|urb\."
    r"|bairro|zona industrial|parque|rotunda|escadas|escadinhas|caminho|azinhaga|via|ladeira|pátio"
    r"|jardim|terreiro|passeio|edifício|loteamento|esplanada|monte)"
)
_PT_SIDE = r"(?:Esq(?:\.|uerdo)?|Dto?\.?|Dt[oº]\.?|Direito|Frente|Fte\.?|Fr\.?|[A-Z])"
_PT_FLOOR = (
    rf"(?:\d{{1,2}}\s?\.?\s?[ºªo°](?:\s?(?:[Aa]ndar|[Pp]iso))?(?:[\s,]*{_PT_SIDE}(?!\w))?"
    rf"|[Rr]/?[Cc](?:\s{_PT_SIDE})?|[Cc]ave|[Pp]iso\s-?\d{{1,2}}(?:\s?[A-Z])?)"
)
_PT_PART = (
    r"(?:[Ll]oja|[Ee]scritório|[Ss]ala|[Aa]pt?\.?|[Ff]ração|[Ff]racção|[Bb]loco|[Ll]ote|[Ee]ntrada"
    r"|[Tt]orre|[Pp]orta|[Ee]dif?(?:ício|\.))\s[\w.º-]{1,12}(?:\s\w{1,12}){0,2}"
)
_PT_UNIT = rf"(?:{_PT_FLOOR}|{_PT_PART})"
_PT_NUMBER = r"\d{1,4}(?:\s?[-–/]\s?\d{1,4}(?!\s?\.?[ºªo°]))?(?:\s?-?[A-Z](?![\w.]))?"
_PT_STREET = lazy_pattern(
    rf"(?<![\w'’-])(?P<street>{_PT_TYPES}\s[^\n\t;|]{{2,70}}?)(?:,\s?|\s)(?:[Nn]\.?\s?[º°o]\.?\s?"
    rf"|[Nn]r\.?\s|lote\s)?(?P<number>{_PT_NUMBER})(?:\s?[,/–-]?\s?(?P<unit>{_PT_UNIT}"
    rf"(?:,?\s{_PT_UNIT})?))?\.?$"
)
_PT_NUMBERLESS = lazy_pattern(rf"{_PT_TYPES}\s[^\W\d_][^\n\t;|\d]{{2,60}}(?:\ss/n\.?º?)?")
_PT_BOX = lazy_pattern(r"[Aa](?:partado|PARTADO)\s?(?:n\.?º\s?)?\d[\d ]{0,6}")


def _portuguese_street(segment: str) -> StreetMatch | None:
    """A segment read as a street: "[...] Rua de Camões, 210, r/c"."""
    segment = re.sub(r"\s(?:em|in)$", "", segment)
    if _PT_BOX.fullmatch(segment):
        return StreetMatch(0, len(segment), "", segment)
    found = _PT_STREET.search(segment)
    if found:
        number, street, unit = found.group("number", "street", "unit")
        match = StreetMatch(found.start(), found.end(), number, street, unit or "")
        return match if len(street.split()) <= 8 else None
    if _PT_NUMBERLESS.fullmatch(segment) and len(segment.split()) <= 7:
        return StreetMatch(0, len(segment), "", segment, strength=NUMBERLESS)
    return None


PORTUGAL = CountryRules(
    country="PT",
    postcode=lazy_pattern(r"[1-9]\d{3}\s?[-–]\s?\d{3}(?![\w-])"),
    prefix=lazy_pattern(r"(?<!\w)PT?\s?[-–]\s?$"),
    street=_portuguese_street,
    unit=lazy_pattern(rf"{_PT_UNIT}(?:,?\s{_PT_UNIT})?\.?"),
    passed=lazy_pattern(
        rf"(?i:Código[ -]postal|C\.?P\.?|Localidade|Morada|Portugal|em)|{_PT_BOX.pattern}"
    ),
    label=lazy_pattern(r"Localidade\s?:?\s{0,3}"),
)


# --- Brazil: not in the postcode table, so the gazetteer must know the town -----------------------

_STATES = "AC|AL|AP|AM|BA|CE|DF|ES|GO|MA|MT|MS|MG|PA|PB|PR|PE|PI|RJ|RN|RS|RO|RR|SC|SP|SE|TO"
_BEFORE_CODE = lazy_pattern(rf"(?:^|(?<=[\s/(-]))(?P<state>{_STATES})\)?$")
_AFTER_TOWN = lazy_pattern(rf"\s?[-–/,(]\s?(?P<state>{_STATES})\b\)?")
_LABELS = (
    r"(?i)CEP|C\.E\.P\.|Brasil|Brazil|(?:Bairro|B\.|Jd\.?|Jardim|Vila|Centro|Distrito)"
    r"(?:\s.{2,30})?"
)
_CODE = lazy_pattern(r"\d{5}-\d{3}(?![\w-])|\d{2}\.\d{3}-\d{3}(?![\w-])")


def _state_before(segment: str) -> tuple[str, int]:
    found = _BEFORE_CODE.search(segment)
    if found is None:
        return "", 0
    return found["state"], len(segment) - len(segment[: found.start()].rstrip(" /(-"))


def _state_after(after: str) -> tuple[str, int]:
    found = _AFTER_TOWN.match(after)
    return (found["state"], found.end()) if found else ("", 0)


_TOWN_FIRST = CountryRules(
    country="BR",
    postcode=_CODE,
    street=_portuguese_street,
    unit=lazy_pattern(
        r"(?i)(?:sala|conj(?:unto|\.)?|cj\.?|andar|bloco|loja|apto?\.?)\s[\w-]{1,8}"
        r"|\d{1,2}\s?º\s?andar"
    ),
    passed=lazy_pattern(_LABELS),
    region=_state_before,
    stated=True,
    localities=True,
)
_CODE_FIRST = replace(
    _TOWN_FIRST,
    region=_state_after,
    label=lazy_pattern(r"[-–|/]\s?"),
    stated=False,
    localities=False,
)


def _find_brazilian(text: str, gazetteer: Gazetteer) -> list[Address]:
    found = town_before_postcode(text, gazetteer, _TOWN_FIRST)
    for one in postcode_before_town(text, gazetteer, _CODE_FIRST):
        if all(one.end <= other.start or other.end <= one.start for other in found):
            found.append(one)
    return sorted(found, key=lambda one: one.start)


FINDERS: dict[str, FindAddresses] = {
    "FR": partial(postcode_before_town, rules=FRANCE),
    "ES": partial(postcode_before_town, rules=_spain()),
    "IT": partial(postcode_before_town, rules=_italy()),
    "PT": partial(postcode_before_town, rules=PORTUGAL),
    "BR": _find_brazilian,
}
