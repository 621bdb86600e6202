"""Streets in German, for every country that writes them.

The hard part is where a street's name begins: at "Oststr" in "Shop Düsseldorf Oststr 29", but at
"Schönhauser" in "Schönhauser Allee 120". `german_street` reads a segment backwards from its house
number. A compound ("Oststr", "Kaiser-Wilhelm-Ring") may have an adjective before it, a bare type
("Allee") needs the words before it, and a name without a type ("Brühl 16") must fill its segment.
"""

import re

from toponaut.places.addresses.countries.rules import NUMBERLESS, STRONG, WEAK, YEAR, StreetMatch
from toponaut.places.addresses.lazy_pattern import lazy_pattern

HOUSE_NUMBER = (
    r"[1-9]\d{0,3}(?:\s?[a-zA-Z](?![\w.]))?(?:\s?1/2)?"
    r"(?:\s?(?:[-–—/+&]|u\.|und)\s?(?:\d{1,4}(?:\s?[a-zA-Z](?![\w.]))?|[a-zA-Z](?!\w))){0,3}"
)
_FLOOR = (
    r"(?:\d{1,2}\.\s?|[IVX]+\.\s?)?(?:OG|EG|UG|DG|Obergeschoss|Erdgeschoss|Untergeschoss"
    r"|Dachgeschoss|Stock|Etage)(?:\s(?:links|rechts|Mitte))?"
)
_PART = (
    r"(?:Haus|Gebäude|Geb\.|Block|Aufgang|Eingang|Halle|Tor|Zimmer|Zi\.|Raum|Büro|Wohnung|Whg\."
    r"|App\.|Apartment|Stand|Stiege|Tür|Top|Trakt|Flügel|Bau|Hof|Box|Lager|Werk|Suite|Einheit"
    r"|Nr\.)\s?(?:\d+(?:[./-]\d+)*\s?[a-zA-Z]?|[A-Z]\d{0,3}|[IVX]+)"
)
_REAR = (
    r"(?:\d\.\s)?(?:Hinterhaus|Hinterhof|Hof|Vorderhaus|Seitenflügel|Quergebäude|Rückgebäude"
    r"|Rückseite|Remise|Nebengebäude|Anbau|Gartenhaus|HH|VH|RGB)(?:\s(?:\d|[A-Z]))?"
)
UNIT = rf"(?:{_FLOOR}|{_PART}|{_REAR}|(?:Hinter|Vorder|Seiten)(?:eingang|gebäude))"

# Endings of street names; those up to "kai" are also words ("Lange Straße", "Alter Wall").
_ENDINGS = (
    "straße|strasse|straẞe|str.|str|allee|gasse|gässchen|gäßchen|weg|platz|ring|damm|ufer|chaussee"
    "|promenade|twiete|steig|stieg|pfad|kamp|deich|zeile|markt|wall|graben|kai|redder|brink|steg"
    "|höhe|hof|berg|stiege|winkel|garten|gärten|park|tor|brücke|feld|wiese|wiesen|kirchhof|schanze"
    "|freiheit|bogen|terrasse|rain|leite|siedlung|esch|grund|bruch|busch|horst|acker"
).split("|")
_BARE = frozenset(_ENDINGS[: _ENDINGS.index("kai") + 1])
_BARE |= frozenset("hof berg brücke park tor talweg steg höhe".split())
_NEVER_ALONE = ("straße", "strasse", "str.", "str", "platz", "weg")  # "Platz 3" is a rank
_COMPOUND = lazy_pattern(rf"(?i).+(?:{'|'.join(map(re.escape, _ENDINGS))})")
PREPOSITION = (
    r"(?i:Am|An\sde[rnm]|An|Im|In\sde[rnm]|Auf\sde[rnm]|Auf|Unter\sde[rnm]|Zum|Zur|Zu\sden"
    r"|Vor\sde[rnm]|Hinter\sde[rnm]|Bei\sde[rnm]|Beim|Über\sde[rnm]|Neben\sde[rnm]|Achter|Achtern"
    r"|Op\sde[rnm]?|Hinterm|Vorm|Überm|Aufm)"
)
_NAMED = lazy_pattern(rf"(?<![\w-])(?=[A-ZÄÖÜ]){PREPOSITION}(?:\s[^\W\d_][\w.'’-]*){{1,4}}")
_TYPE_FIRST = lazy_pattern(
    r"(?<![\w-])(?i:Stra(?:ß|ss)e|Platz|Allee|Weg|Ring|Ufer|Promenade|Brücke|Siedlung|Park)"
    r"\s(?:de[sr]|am|an\sde[rn]|zum|zur|von|vom|im|in\sde[rn]|beim|nach)(?:\s[\w.-]+){1,4}"
)
_ADJECTIVE = lazy_pattern(
    r"(?i)(?:alt|neu|ober|unter|groß|gross|klein|lang|kurz|hoh|inner|äußer|äusser|vorder|hinter"
    r"|mittler|breit|schmal|grün|rot|weiß|weiss|schwarz|erst|zweit|dritt|viert|link|recht|krumm"
    r"|tief|steinern|schön)e[rnsm]?|gr\.|kl\.|[1-9]\."
)
_SQUARE = lazy_pattern(
    r"(?P<street>[A-U] ?[1-7]),? (?P<number>\d{1,2}(?: ?[a-z])?(?: ?[-–] ?\d{1,2})?)"
)  # Mannheim: "Q7, 12"
_BOX = lazy_pattern(r"(?i:Postfach|Postf\.|Pf\.?)\s?(?:Nr\.\s?)?\d[\d ]{0,9}")
_TAIL = lazy_pattern(rf"(?P<rest>.*?\d\s?[a-zA-Z]?)\s+(?P<unit>{UNIT})")
_NUMBER_AT_END = lazy_pattern(
    rf"(?:[\s,]+|(?<=[a-zß]\.))(?:(?:Hausnummer|Haus-?[Nn]r|[Nn]r|No)\.?\s?:?\s?)?"
    rf"(?P<number>{HOUSE_NUMBER})\.?$"
)
_DIGIT = lazy_pattern(r"\d")
_WORDS = lazy_pattern(r"\S+")
# Words before a number that are not streets.
_NO_STREET = lazy_pattern(
    r"(?i)(?:.*(?:postfach|telefon|telefax|nummer|klasse|zimmer|raum|saal|ausfahrt|platz)|fax|tel"
    r"|fon|mobil|hr[ab]|nr|art|abs|seite|band|kapitel|gleis|linie|bus|tram|zone|haus|halle|ebene|stand"
    r"|tor|januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|uhr"
    r"|euro|um|ab|bis|seit|konto|blz|jahr|jahrgang|version|ust|anlage|teil|folge|ca|über|rund|vom"
    r"|am|den)\.?:?|(?:mo|di|mi|do|fr|sa|so)(?:[-–/].*)?\.?"
)


def german_street(segment: str) -> StreetMatch | None:
    """A segment of German text read as a street: "[...] Lange Straße 12 [Hinterhaus]"."""
    if box := _BOX.fullmatch(segment):
        return StreetMatch(0, len(segment), "", box.group().rstrip())
    if square := _SQUARE.fullmatch(segment):
        return StreetMatch(0, len(segment), square["number"], square["street"], strength=WEAK)
    if not _DIGIT.search(segment):
        return _numberless(segment)
    unit = ""
    if tail := _TAIL.fullmatch(segment):
        segment, unit = tail["rest"], tail["unit"]
    segment = re.sub(r"\s(?:in|Nähe)$", "", segment)
    number = _NUMBER_AT_END.search(segment)
    if number is None:
        return _numberless(segment)
    head = segment[: number.start()]
    found = _name_at_end(head)
    if found is None:
        return None
    start, strength = found
    if strength < STRONG and YEAR.fullmatch(number["number"]):
        return None
    return StreetMatch(start, number.end("number"), number["number"], head[start:], unit, strength)


def _name_at_end(head: str) -> tuple[int, float] | None:
    """The start of the street's name at the end of `head`, and its strength."""
    words = [match.span() for match in _WORDS.finditer(head)]
    if not words or not head[words[-1][0]].isalpha():
        return None
    for pattern in (_TYPE_FIRST, _NAMED):
        for match in pattern.finditer(head):
            if match.end() == len(head):
                return match.start(), STRONG
    last = head[words[-1][0] :]
    if last.lower() in _BARE:
        return _before_bare_type(head, words)
    if not last[0].isupper():
        return None
    if _COMPOUND.fullmatch(last) and len(last) > 5:
        return words[_with_adjectives(head, words)][0], STRONG
    return _by_form(head, words)


def _with_adjectives(head: str, words: list[tuple[int, int]]) -> int:
    """The first word of a compound's name: "Obere" in "Obere Königsstraße", "Bonner Talweg"."""
    first = len(words) - 1
    while first:
        word = head[words[first - 1][0] : words[first - 1][1]]
        inhabitant = word.lower().endswith(("er", "sche")) and word[0].isupper()
        leading = first == 1 or head[words[first - 2][0]].islower()
        if not ((_ADJECTIVE.fullmatch(word) and word[0].isupper()) or (inhabitant and leading)):
            break
        first -= 1
    return first


def _before_bare_type(head: str, words: list[tuple[int, int]]) -> tuple[int, float] | None:
    """The start of a name that a bare type ends: "Lange Straße", "Willy Brandt Platz", "Markt"."""
    last = head[words[-1][0] :]
    alone = (words[-1][0], WEAK) if last[0].isupper() and last.lower() not in _NEVER_ALONE else None
    if len(words) == 1:
        return alone
    if len(words) <= 3 and all(head[start].isupper() for start, _ in words):
        return 0, STRONG
    first = len(words) - 2
    word = head[words[first][0] : words[first][1]]
    if not word[0].isupper():
        return alone
    if not re.search(r"(?i)(?:er|en|e|es|sche)$", word):
        while first > max(0, len(words) - 4) and head[words[first - 1][0]].isupper():
            first -= 1
    elif first and head[words[first - 1][0]].isupper():
        first -= bool(_ADJECTIVE.fullmatch(head, *words[first - 1]))
    return words[first][0], STRONG


def _by_form(head: str, words: list[tuple[int, int]]) -> tuple[int, float] | None:
    """A name without a type ("Hohe Bleichen"): up to four words alone, or two after "im", "am"."""
    if any(_NO_STREET.fullmatch(head, *span) for span in words):
        return None
    readable = all(len(head[a:b]) > 1 and head[a:b].isprintable() for a, b in words)
    if len(words) <= 4 and head[0].isupper() and readable:
        return (0, WEAK) if re.fullmatch(r"[^\d/@%§€=]+", head) else None
    before = re.search(
        r"\s(?:am|im|an der|in der|auf dem|auf der|unter den)\s((?:[A-ZÄÖÜ][\w-]+\s?){1,2})$", head
    )
    return (before.start(1), WEAK) if before else None


def _numberless(segment: str) -> StreetMatch | None:
    """A street without a number that fills its segment and ends with a clear type."""
    words = segment.split()
    if not 0 < len(words) <= 4 or not segment[0].isupper() or any(map(str.isdigit, segment)):
        return None
    typed = re.fullmatch(
        r"(?i).+(?:straße|strasse|str\.|weg|platz|allee|gasse|chaussee|damm|ufer)", segment
    )
    led = _NAMED.fullmatch(segment) or _TYPE_FIRST.fullmatch(segment)
    if not typed or not (led or all(word[0].isupper() for word in words)):
        return None
    return StreetMatch(0, len(segment), "", segment, strength=NUMBERLESS)
