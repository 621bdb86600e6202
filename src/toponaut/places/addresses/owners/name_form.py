"""Whether a line reads like the name of an organisation, by its form alone, in log-odds.

0 is a line with capitals and no other signs. No other evidence outweighs NO_NAME.
"""

import re
from functools import lru_cache

from toponaut.places.addresses.contact.categories import category_of_name, is_category
from toponaut.places.addresses.digits import has_digit
from toponaut.places.addresses.owners.label_words import SMALL, ends_in_label, is_boilerplate
from toponaut.places.addresses.owners.persons import has_role, has_role_word
from toponaut.places.addresses.quick_pattern import QuickPattern
from toponaut.places.names.vocabulary import STREET

NO_NAME = -20.0
LEGAL_FORM = 3.0  # "Acme Tools, LLC"
BOILERPLATE, LABEL_LAST = -6.0, -3.0  # "Password Confirmation"; "Acme Contact Information"
SMALL_LETTERS = -2.5  # "join us today"; not on a page that writes its addresses in lower case
SMALL_WORD, ADJECTIVE = -3.0, -1.5  # "Photos by region"; "Amt für regionale Planung"
NUMBER_FIRST, NUMBER_LAST, YEAR_LAST = -2.0, -1.0, -3.0  # "10 Rue Haute"; "Unit 1"; "Since 1958"
SINGLE_WORD = -0.7  # "Size"
INCOMPLETE = -3.0  # "for International Peace": the end of a longer name
ADDRESS_PART = -6.0  # "2nd Floor", "Unit C"
ASKING = -3.0  # "Click Map For Directions", "Inside the Plaza Hotel", "A classic bistro"
ROLE = -3.0  # "Floodplain Manager"
CATEGORY = -2.5  # "Pawn Shop", "Italian / Steakhouse"
BUILDING = -1.6  # "Innsworth Technology Park": the name above it is the owner's
LISTED, LISTED_LAST = -4.0, -0.7  # "Brakes, Tires, Oil"; "Brakes, Tires & Oil": or partners
EVENT = -5.0  # "Poetry Night", "Sommerfest"
EXCLAIMED = -0.7  # "Et Voilà!"
EVERY = -1.0  # "All Star Lamps", "Best Coffee"
SLOGAN = -5.0  # "Troy's Top Rated Lamp Spa"
TITLE_WORD = -4.0  # "Acme Privacy Policy and Agreement": the title of a text
_LONGEST, _MOST_WORDS = 80, 9
_LONGEST_FORM = 24  # characters of a legal form
_BOXES = ("po box", "p.o. box", "p. o. box", "p.box", "p.o.box", "postfach", "boîte postale")

_LEGAL_FORM = re.compile(
    r"(?:^|[\s,.&])(?:inc|l\.?l\.?c|ltd|limited|p\.?l\.?c|l\.?l\.?p|corp|corporation|(?:gg|g)?mbh"
    r"|gesmbh|ohg|gbr|mbb|e\. ?v|e\. ?k|e\. ?g|s\.?a\.?r\.?l|s\.?a\.?s|sasu|eurl"
    r"|(?-i:S\.?p\.?A)|s\.p\.a"
    r"|s\.?r\.?l|lda|ltda|sp\. ?z ?o\. ?o|s\. ?r\. ?o|a\. ?s|b\.v|n\.v|s\.a|s\.l|a/s|aps|kft|pty|"
    r"(?-i:Co|CO|P\.?C|P\.?A|AG|KG|KGaA|UG|eG|eV|SE|SA|BV|NV|VOF|AB|Oy|AS|SL|Lda|M\.?D|D\.?D\.?S"
    r"|Esq|Jr))\.?(?:\s*&\s*co\.?(?: kg)?)?$",
    re.IGNORECASE,
)
_CONTACT = re.compile(  # telephone numbers, hours, prices, postcodes
    r"\b\d{5}\b|\d{3}[-. )]\s?\d{3,4}|\d{1,2}:\d\d|[$€£]\s?\d|\d-\d{3}-\w"
    r"|\d\s?(?:am|pm|a\.m|p\.m|mi|miles|km|feet|uhr)\b",
    re.IGNORECASE,
)
_WEB = QuickPattern(re.compile(r"@|\bwww\.|https?:", re.IGNORECASE), "@ www. http")
_WEEKDAY = r"\b(?:mon|tues?|wed(?:nes)?|thu(?:r|rs)?|fri|sat(?:ur)?|sun)(?:day)?s?\b"
_WEEKDAYS = QuickPattern(  # "Mon - Fri", "Sunday: closed"; not "Sun Valley Lamps"
    re.compile(
        rf"{_WEEKDAY}\.?\s?(?:[:,&/–—-]|to\b|thru\b|through\b)\s?(?:{_WEEKDAY}|\d|closed)",
        re.IGNORECASE,
    ),
    "mon tue wed thu fri sat sun",
)
_MONTH = (
    r"(?:jan(?:uary|uari?|v|vier)?|feb(?:ruary|ruari?)?|févr?(?:ier)?|m[aä]r(?:ch|z|s)?|a[pv]r(?:il)?"
    r"|ma[ijy]|jun[ei]?|juin|jul[iy]?|juil(?:let)?|aug(?:usti?)?|août|sept?(?:ember|embre)?"
    r"|o[ck]t(?:ober|obre)?|nov(?:ember|embre)?|d[eé][cz](?:ember|embre)?)"
)
# A day: "June 27", "5 februari 2024", "08.06.2024", "2024-06-08".
DATE = re.compile(
    rf"\b{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?\b|\b\d{{1,2}}\.? ?{_MONTH}\b"
    r"|\b\d{1,2}[./]\d{1,2}[./](?:19|20)?\d\d\b|\b(?:19|20)\d\d-\d\d-\d\d\b",
    re.IGNORECASE,
)
_BUTTON = re.compile(r"[|→←»«›‹>×▸►▼▲✓©®™<=_{}\[\]]|-->")
_SENTENCE = QuickPattern(
    re.compile(r"[a-z]{2,}(?:[.?](?:\s|$)|!\s)|\w\?\s|[?؟。]$|(?:\S+\s+){3,}\S+!$"), ". ? ! ؟ 。"
)
_BUILDINGS = frozenset(
    "building tower towers courthouse mall gewerbegebiet gewerbepark einkaufszentrum "
    "bâtiment sanctuary auditorium ballroom gymnasium".split()
)
# "Innsworth Technology Park": both of its last words.
_PARKS = frozenset("park estate center centre village".split())
_OF_PARKS = frozenset(
    "technology business industrial office science retail trading enterprise shopping "
    "corporate".split()
)
_TITLE_WORDS = frozenset(
    "policy policies agreement guidelines disclaimer permalink newsletter accredited datenschutz "
    "datenschutzerklärung nutzungsbedingungen satzung sitzung workshop webinar seminar meeting "
    "hearing agenda minutes resolution motion ordinance proposal".split()
)
_EVENTS = frozenset(
    "celebration class classes night party concert fundraiser gala vortrag vernissage soirée kurs "
    "anfänger beginners retreat openhouse".split()
)
_EVENT_ENDINGS = (
    "fest konzert versammlung vortrag kurs treffen gottesdienst lesung flohmarkt führung abend "
    "stammtisch"
)
_EVENT = QuickPattern(
    re.compile(
        r"^(?:open house|grand opening|tag der offenen tür)\b"
        r"|(?:stammtisch|flohmarkt|gottesdienst|versammlung)s?\b"
        rf"|\w(?:{'|'.join(_EVENT_ENDINGS.split())})$",
        re.IGNORECASE,
    ),
    f"{_EVENT_ENDINGS} open offen",
)
_AND_LAST = QuickPattern(re.compile(r",[^,]* ?(?:&|and|und|et|y|e|en|och) [^,]*$"), ",")
_SLOGAN = QuickPattern(
    re.compile(
        r"\b(?:top|best|highest)[- ]rated\b"
        r"|['’]s (?:best|top|finest|premier|favou?rite|leading|#1)\b|^(?:proudly|serving)\b"
        r"|['’]s (?-i:[^A-Z\s]+ [^A-Z]+)$",
        re.IGNORECASE,
    ),
    "rated 's ’s proudly serving",
)
# Words of a script without capitals, then a Latin name: a sentence about it.
_MIXED_SCRIPTS = re.compile(r"^[\u0590-\u06ff\u0e00-\u0e7f\s]+[a-zA-Z]")
_EVERY = frozenset(("All", "Best", "ALL", "BEST"))
_YEAR_INSIDE = QuickPattern(re.compile(r"\b(?:20|19)\d\d\b.*\w"), "19 20")
_ROMAN = frozenset("i ii iii iv v".split())
_YEAR_LAST = re.compile(r"\b(?:1[89]|20)\d\d$")
_ADDRESS_PART = re.compile(
    r"(?:(?:building|bldg|unit|suite|ste|floor|room|rm|apt|apartment|flat|level|gate|block|lot"
    r"|etage|stock|bâtiment|bât|bureau|lokal|zimmer|postfach|bp|cs|po box|p\.? ?o\.? box|box|no|nr"
    r"|nº|precinct|district|item|page|step|day|store|group|row)\.? ?#?(?:\d+\w?|[a-z])|\w{1,8} "
    r"(?:floor|etage|stock|obergeschoss|étage|verdieping|andar)|.* (?:floor|étage)|(?:the "
    r")?corner of)",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"(?:click|send|sign|join|visit|download|view|follow|subscribe|enter|select|choose|get|see"
    r"|read|call|contact|please|try|find|submit|registered in|klicken|cliquez|jetzt|hier|we"
    r"|we['’]re|we['’]ve|our(?! (?:lady|sav|redeemer|father))|your|unsere?r?|ihre?|notre|nos"
    r"|votre|how|why|what|when|where|who|welcome|wann|wo|wer|wie|was|alle"
    r"|more|other|tous|toutes|mehr|diese[nrs]?|jeden?|heute|nächste[nrs]?|this|today|tonight"
    r"|(?:book|register|plan|schedule|reserve) (?:now|here|online|today|for|with|an?|your)"
    r"|(?:getting|finding) (?:here|there|to|us)|so (?:finden|erreichen|kommen)|besuchen|prendre"
    r"|nous|réserver|venir|cómo|come arrivare|prenota|back|comment|pourquoi"
    r"|top \d+|the best|by|an? (?-i:[a-z]))\b",
    re.IGNORECASE,
)
_WHERE = re.compile(  # "Inside the Plaza Hotel"
    r"(?:approx\w*\.?|at (?:the )?(?:intersection|corner)|inside|near|next|behind|opposite"
    r"|across|between|above|below|off|corner|gegenüber|neben|hinter|nähe|près|derrière|face)\b",
    re.IGNORECASE,
)
_JOB = QuickPattern(re.compile(r"\((?:[mfwdxhv]/)+[mfwdxhv]\)|\w/-?in\b"), "/")  # "Koch (m/w/d)"
_STREET_FIRST = (
    "rue avenue av boulevard bd place allée chemin route quai impasse via viale piazza calle "
    "avenida rua praça ul"
)
# "Route d'Oëx": a street, if no word says that it is a firm.
_STREET_NAME = re.compile(
    r"(?:rue|route|avenue|chemin|impasse|allée|quai|boulevard) (?:(?:de|du|des)\b|d['’])", re.I
)
_STREET_LINE = re.compile(
    rf"\d+\w?,? (?:(?:{'|'.join(_STREET_FIRST.split())})\b.*|.* (?:{'|'.join(STREET.split())})\.?)",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)\b", re.IGNORECASE)  # "1st Bank", "76th Precinct"
_COUNTED = re.compile(
    r"\d+ (?:years?|reviews?|stars?|results?|locations?|miles?|items?)\b", re.IGNORECASE
)


@lru_cache(maxsize=8192)  # lines repeat on the pages of a site
def has_legal_form(name: str) -> bool:
    return _LEGAL_FORM.search(name, max(0, len(name) - _LONGEST_FORM)) is not None


def names_text(name: str) -> bool:
    """Whether it is the title of a text: "Landmarks Resolution"."""
    return not _TITLE_WORDS.isdisjoint(name.lower().split())


def without_legal_form(name: str) -> str:
    """ "Acme Tools, LLC" -> "Acme Tools"; a name that is only a legal form stays."""
    found = _LEGAL_FORM.search(name)
    return name[: found.start()].rstrip(" ,.&") or name if found else name


def form_odds(name: str, small: bool = False) -> float:
    """How much a line reads like a name; `small`: on a page that is in lower case."""
    odds, case = _form_odds(name)
    return odds if small else odds + case


@lru_cache(maxsize=8192)  # lines repeat on the pages of a site
def _form_odds(name: str) -> tuple[float, float]:
    """The odds without those of the case of its letters, and the latter."""
    words = name.split()
    if not words or len(name) > _LONGEST or len(words) > _MOST_WORDS:
        return NO_NAME, 0.0
    if not any(map(str.isalpha, name)):
        return NO_NAME, 0.0
    legal, numbered = has_legal_form(name), has_digit(name)
    lower = name.lower()
    if (legal and len(words) == 1) or _is_no_name(name, lower, legal, numbered):
        return NO_NAME, 0.0
    odds = LEGAL_FORM if legal else _kind_odds(name, lower, words)
    odds += BOILERPLATE * is_boilerplate(name)
    odds += SINGLE_WORD * (len(words) == 1) + EXCLAIMED * (name[-1] == "!")
    odds += LABEL_LAST * ends_in_label(name)
    odds += ADDRESS_PART * _is_address_part(name, lower)
    odds += ASKING * bool(_ASKING.match(name) or _WHERE.match(name) or _JOB.is_in(name, lower))
    odds += SLOGAN * _SLOGAN.is_in(name, lower) + _every_odds(words)
    odds += _number_odds(name) if numbered else 0.0
    return odds, _case_odds(name, lower, words)


def _is_no_name(name: str, lower: str, legal: bool, numbered: bool) -> bool:
    """Whether it is contact data, a button, a date or a sentence."""
    if name[0] in "(*)" or name[-1] in "*/" or _BUTTON.search(name):
        return True
    if numbered and (_CONTACT.search(name) or DATE.search(name)):
        return True
    if _WEB.is_in(name, lower) or _WEEKDAYS.is_in(name, lower):
        return True
    return not legal and _SENTENCE.is_in(name.rstrip("."), lower)


def _kind_odds(name: str, lower: str, words: list[str]) -> float:
    """For what a line without a legal form names: a category, a role, a building, a text."""
    said = [word.strip(".,;:()").lower() for word in words]
    if len(said) > 1 and (len(said[-1]) == 1 or said[-1] in _ROMAN):
        said.pop()  # "Tower C"
    last, before = said[-1], said[-2] if len(said) > 1 else ""
    is_building = last in _BUILDINGS or (last in _PARKS and before in _OF_PARKS)
    is_title = not _TITLE_WORDS.isdisjoint(said) or _YEAR_INSIDE.is_in(name, lower)
    is_role = has_role(name) or ("for" in said and has_role_word(said))
    is_event = last in _EVENTS or _EVENT.is_in(name, lower)
    odds = CATEGORY * is_category(name) + ROLE * is_role + EVENT * is_event
    return odds + BUILDING * is_building + TITLE_WORD * is_title + _list_odds(name, lower)


def _list_odds(name: str, lower: str) -> float:
    """For a list of services: "Implants, Crowns, Whitening"; partners have an "&" at its end."""
    return LISTED_LAST if _AND_LAST.is_in(name, lower) else LISTED * (name.count(",") > 1)


def _every_odds(words: list[str]) -> float:
    """For "All Star Lamps", unlike "All dispensaries"."""
    if words[0] not in _EVERY:
        return 0.0
    small = any(word.islower() and word not in SMALL for word in words)
    return ASKING if small else EVERY


def _is_address_part(name: str, lower: str) -> bool:
    if _ADDRESS_PART.fullmatch(name) or (name[0].isdigit() and _STREET_LINE.fullmatch(name)):
        return True
    if _STREET_NAME.match(name) and not category_of_name(name):
        return True
    return any(box in lower for box in _BOXES)


def _number_odds(name: str) -> float:
    odds = NUMBER_FIRST * bool(_COUNTED.match(name))
    if name[0].isdigit() and not _ORDINAL.match(name):
        odds += NUMBER_FIRST
    if _YEAR_LAST.search(name):
        return odds + YEAR_LAST
    return odds + NUMBER_LAST * name[-1].isdigit()


def _case_odds(name: str, lower: str, words: list[str]) -> float:
    if name == lower or (not name.isascii() and _MIXED_SCRIPTS.search(name)):
        return SMALL_LETTERS
    odds = INCOMPLETE if words[0].islower() and words[0] in SMALL else 0.0
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word.islower() and word[0].isalpha() and not _may_be_small(word, following):
            odds += ADJECTIVE if following[:1].isupper() else SMALL_WORD
    return odds


def _may_be_small(word: str, following: str) -> bool:
    """Whether names have a word in lower case: "Museum of Art", "Råå bibliotek"."""
    if word in SMALL or has_legal_form(word):
        return True
    return not following and is_category(word)
