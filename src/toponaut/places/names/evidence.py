"""The weight of each piece of evidence on whether a name is a place here, in log-odds.

All weights are in this file. They follow one rule of thumb: the bare capitalised name of a town has
even odds. They were checked on bench/toponyms, not fitted to it. The words are in vocabulary.py;
weighing.py gathers the evidence.
"""

import cython

from toponaut.places.gazetteer.gazetteer import ALIAS, KINDS, PRIMARY
from toponaut.places.names.vocabulary import BIT, FUNCTION_CLASS, WordFacts
from toponaut.records import Kind

HOPELESS = -2.5  # at or below these odds nothing helps; above, nearby places may (finder.py)

# --- the name itself ---
BARE = 0.2  # a town's name, alone, in running text
SEVERAL_WORDS = 1.6  # "Fort Worth", "San Antonio": rarely anything else
WITHOUT_CAPITALS = -0.7  # a script that has no capitals: "南部" is a town, and the south
COUNTRY_OR_STATE, COUNTY = 2.2, 2.5
SMALL_STATE = 0.8  # under half a million people, as Bay in Somalia
COMMON_STATE, RARE = -2.6, 1  # "West", "Central" are common words; not "Geneva", rare for gin
# Per unit of ln(population) above 20,000 people.
SIZE, SIZE_FROM, SIZE_LEAST, SIZE_MOST = 0.3, 9.9, -0.7, 1.6
WEAKLY_NAMED = -2.2  # a weak alias
FUNCTION_WORD = -6.0  # "Of", "Die", "Las"
COMMON_WORD, PER_CLASS = -0.9, -0.22  # and per class of frequency in tables/words
GIVEN_NAME, SURNAME = -0.9, -0.25
PEOPLE = -4.0  # "German", a town in Maryland
DATE = -4.0  # "Nov", a town in Tajikistan
SHORT = cython.declare(cython.double, -0.8)  # three letters or fewer
ACRONYM = cython.declare(cython.double, 4.5)  # a country in capitals: "US", not "us"
# "West coast", "La ville": not the name but its words.
ENDS_IN_LOWER_CASE = cython.declare(cython.double, -8.0)
# --- the words next to it ---
EXPLICIT = 6.0  # its state or country follows: ", Texas"
AFTER_LOCATIVE = 1.7
_AFTER_LOCATIVE = cython.declare(cython.double, AFTER_LOCATIVE)
AFTER_OF = cython.declare(cython.double, 0.5)
AFTER_AREA = cython.declare(cython.double, 0.9)
AFTER_PERSON_WORD = cython.declare(cython.double, -6.0)
AFTER_GIVEN = cython.declare(cython.double, -5.0)
AFTER_INITIAL = cython.declare(cython.double, -3.0)
AFTER_CAPITAL = cython.declare(cython.double, -1.8)
AFTER_NAMED_AFTER = cython.declare(cython.double, -6.0)
AFTER_INSTITUTION = cython.declare(cython.double, -6.0)
BEFORE_ROLE = cython.declare(cython.double, 0.3)
BEFORE_STREET = cython.declare(cython.double, -10.0)
BEFORE_ORGANISATION = cython.declare(cython.double, -10.0)
BEFORE_WARE = cython.declare(cython.double, -8.0)
BEFORE_CAPITAL = cython.declare(cython.double, -3.2)
BEFORE_SURNAME = cython.declare(cython.double, -3.0)
BEFORE_SPEECH = cython.declare(cython.double, -1.1)
IN_COMPOUND = cython.declare(cython.double, -4.0)  # "Nordwest-Zeitung", "Ouest-France"
# "where the Ohio meets the Mississippi": rivers, ships, hotels.
THE_ALONE = cython.declare(cython.double, -2.0)
LISTED, BELIEVED = 1.5, 0.8  # for each neighbour in a list that is believed
PLAIN_SHARE, TITLED_SHARE, IN_TITLE_CASE = 0.3, 0.6, 0.25  # see weighing.py, capital_weight
OPENS_SENTENCE = cython.declare(cython.double, -1.0)  # a common word has a capital there anyway
# A small town's name where most words have capitals (German: "Kosten" is costs, and a town).
CAPITALS_EVERYWHERE = cython.declare(cython.double, -1.0)
# --- places outside of the document's home countries (home_countries.py) ---
# The weight, full up to the first ln(population), zero from the second on:
# 100,000 to 1.5 million people, 2 to 10 million people.
TOWN_ABROAD, STATE_ABROAD = (-2.2, 11.5, 14.2), (-4.4, 14.5, 16.1)
ALIAS_ABROAD = -1.0  # "Türen", doors, is a name of Turin
EXONYM = -4.0  # on an English page: "Suede", "Indie", "Island" are countries in other languages
# --- uses elsewhere in the document; they do not count after "in" or "from" ---
LOWER_CASE_ELSEWHERE = cython.declare(cython.double, -1.6)
PERSON_ELSEWHERE = -2.6

SMALL, HALF_A_MILLION = 10.8, 13.1  # ln(50,000), ln(500,000)

_LOCATIVE = cython.declare(cython.int, BIT["locative"])
_OF = cython.declare(cython.int, BIT["of"])
_NOBLE = cython.declare(cython.int, BIT["noble"])
_AREA = cython.declare(cython.int, BIT["area"])
_TITLE = cython.declare(cython.int, BIT["title"])
_TRADE = cython.declare(cython.int, BIT["trade"])
_ROLE = cython.declare(cython.int, BIT["role"])
_STREET = cython.declare(cython.int, BIT["street"])
_NAMED_AFTER = cython.declare(cython.int, BIT["named_after"])
_INSTITUTION = cython.declare(cython.int, BIT["institution"])
_PEOPLE = cython.declare(cython.int, BIT["people"])
_THE = cython.declare(cython.int, BIT["the"])
_ORGANISATION = cython.declare(cython.int, BIT["organisation"])
_WARE = cython.declare(cython.int, BIT["ware"])
_SPEECH = cython.declare(cython.int, BIT["speech"])
_DATE = cython.declare(cython.int, BIT["date"])
_PUBLIC = cython.declare(cython.int, BIT["public"])
_INVITATION = cython.declare(cython.int, BIT["invitation"])
AND = BIT["and"]
_FUNCTION = cython.declare(cython.int, FUNCTION_CLASS)
_COUNTRY = cython.declare(cython.int, KINDS.index(Kind.COUNTRY))
_STATE = cython.declare(cython.int, KINDS.index(Kind.STATE))
_COUNTY = cython.declare(cython.int, KINDS.index(Kind.COUNTY))

# The compiled gazetteer packs what is known of a name, except its odds, into a byte
# (name_columns.py): five flags, and the level above them.
LEVEL_BIT = 5

NO_WORD = WordFacts(False, 0, 0, 0, 0, 0)


class NameFacts:
    """Facts about a name, the same in every text. `odds`: prior odds; `traits`: a byte."""

    def __init__(self, odds: float, traits: int) -> None:
        self.odds = odds
        self.single = traits & 1 != 0  # one token
        self.small = traits & 2 != 0  # its likeliest place is
        self.common = traits & 4 != 0  # also a common word, a given name, a surname
        self.given = traits & 8 != 0
        self.surname = traits & 16 != 0
        self.level = traits >> LEVEL_BIT  # of its likeliest place


class MatchEvidence:
    """A match, and everything that counts as evidence about it."""

    def __init__(
        self, name: NameFacts, before: WordFacts, further: WordFacts, after: WordFacts
    ) -> None:
        self.name = name
        self.before = before  # an empty one if no word is right before or after
        self.further = further  # before that one
        self.after = after
        self.length = 0
        self.ends_upper = False
        self.capitals = 1.0  # how much a capital means in its line, 0..1
        self.in_lower_case = False  # the document has its word in lower case, too
        self.opens = False  # the word before opens its line or sentence: its capital means nothing
        self.stopped = False  # a full stop separates it from the word before: "J. Houston"
        self.tied = False  # a hyphen ties it to a capitalised word: "Nordwest-Zeitung"
        self.acronym = False  # two or three capitals among words that are not: "the UK"
        self.beyond = NO_WORD  # the word after `after`, if that one has a capital
        self.explicit = False  # its state or country is next to it


def prior_odds(size: float, quality: int, level: int, own: WordFacts | None) -> float:
    """The odds of a name without context. `own`: its word, if it is a single one."""
    odds = BARE + min(max(SIZE * (size - SIZE_FROM), SIZE_LEAST), SIZE_MOST)
    if level <= _STATE:
        odds += SMALL_STATE if level == _STATE and size < HALF_A_MILLION else COUNTRY_OR_STATE
    elif level == _COUNTY:
        odds += COUNTY
    if quality < ALIAS:
        odds += WEAKLY_NAMED
    if own is None:
        return odds + SEVERAL_WORDS
    if own.common:
        is_function = own.common == FUNCTION_CLASS
        odds += FUNCTION_WORD if is_function else COMMON_WORD + PER_CLASS * own.common
        odds += COMMON_STATE * (own.common > RARE and level == _STATE)
    if own.cues & _PEOPLE:
        odds += PEOPLE
    if own.cues & _DATE:
        odds += DATE
    return odds + GIVEN_NAME * (own.given > 0) + SURNAME * (own.surname > 0)


def abroad_odds(size: float, level: int, quality: int) -> float:
    """Odds against a place outside of the document's home countries and of those it names.

    For a country: whether its name is English. On English pages, a foreign one is mostly a word.
    """
    if level <= _COUNTRY:
        return EXONYM * (quality < PRIMARY)
    most, obscure, famous = STATE_ABROAD if level == _STATE else TOWN_ABROAD
    share = min(max((famous - size) / (famous - obscure), 0.0), 1.0)
    return most * share + ALIAS_ABROAD * (quality < PRIMARY)


def match_odds(match: MatchEvidence) -> cython.double:
    """The odds of a match without the matches next to it."""
    return _name_odds(match) + _before_odds(match) + _after_odds(match) + _position_odds(match)


@cython.cfunc
def _name_odds(match: MatchEvidence) -> cython.double:
    if is_country_code(match):
        return ACRONYM
    short: cython.bint = match.length <= 3
    return match.name.odds + SHORT * short + ENDS_IN_LOWER_CASE * (not match.ends_upper)


@cython.cfunc
def _before_odds(match: MatchEvidence) -> cython.double:
    word: WordFacts = match.before
    further: WordFacts = match.further
    cues: cython.int = word.cues
    odds: cython.double = 0.0
    if not word.length:
        wordy: cython.bint = match.name.single and match.name.common
        return OPENS_SENTENCE if wordy and not is_country_code(match) else 0.0
    if cues & _LOCATIVE:
        odds += _AFTER_LOCATIVE
    if cues & _AREA:
        odds += AFTER_AREA
    if cues & _OF:
        if further.cues & _NAMED_AFTER or (further.cues & _INSTITUTION and further.upper):
            odds += AFTER_INSTITUTION
        else:
            odds += AFTER_OF
    # "Via Roma", but "via Verona".
    named_after: cython.bint = cues & _NAMED_AFTER and (word.upper or not cues & _LOCATIVE)
    if named_after:
        odds += AFTER_NAMED_AFTER
    born: cython.bint = (word.upper and not match.opens) or (further.upper and _is_given(further))
    if is_person(word) or (cues & _NOBLE and born):  # "Jan van Delft"
        odds += AFTER_GIVEN if word.given else AFTER_PERSON_WORD
    elif word.upper and word.length == 1 and match.stopped:
        odds += AFTER_INITIAL
    elif word.upper and not named_after and not _is_neutral(match):
        odds += AFTER_CAPITAL * match.capitals
    return odds


@cython.cfunc
def _is_neutral(match: MatchEvidence) -> cython.bint:
    """Whether the capital of the word before means nothing: "The Houston man", "Visit Houston"."""
    word: WordFacts = match.before
    if word.cues & (_LOCATIVE | _OF | _AREA | _THE):
        return True
    return word.common == _FUNCTION or (match.opens and word.common > 0)


@cython.cfunc
def _after_odds(match: MatchEvidence) -> cython.double:
    word: WordFacts = match.after
    name: NameFacts = match.name
    odds: cython.double = 0.0
    role: cython.double = BEFORE_ROLE if word.cues & _ROLE else 0.0
    if match.explicit or not word.length:
        return 0.0
    if not word.upper:
        odds = BEFORE_WARE if word.cues & _WARE else 0.0
    elif word.cues & _STREET:
        odds = BEFORE_STREET + role
    elif _names_public_body(match):
        odds = role
    elif word.cues & _ORGANISATION:
        odds = BEFORE_ORGANISATION + role
    elif word.cues & _ROLE:
        odds = role
    elif word.common < _FUNCTION:
        odds = BEFORE_CAPITAL * match.capitals
        if name.single and name.given:  # "Paris Hilton"; "Jordan Pickford" has a rare surname
            odds += BEFORE_SURNAME * (1.0 if word.surname else 0.5)
    if word.cues & _SPEECH and name.single and name.surname:
        odds += BEFORE_SPEECH
    return odds


@cython.cfunc
def _names_public_body(match: MatchEvidence) -> cython.bint:
    """Whether a public body is named by its place: "Ohio State Police", not "Dale City Council"."""
    name: NameFacts = match.name
    if not match.beyond.cues & _PUBLIC or not match.beyond.upper:
        return False
    return not (name.small or name.common or name.given or name.surname)


@cython.cfunc
def _position_odds(match: MatchEvidence) -> cython.double:
    """By the position in the line and the document, and by a state next to the name."""
    if match.explicit:
        return EXPLICIT
    odds: cython.double = IN_COMPOUND if match.tied else 0.0
    if match.before.cues & _THE and not match.after.length and match.name.level > _COUNTRY:
        odds += THE_ALONE
    if match.name.single and not is_sure(match) and not is_country_code(match):
        if match.name.small:
            odds += CAPITALS_EVERYWHERE * (1 - match.capitals)
        if match.in_lower_case:
            odds += LOWER_CASE_ELSEWHERE
    return odds


def is_country_code(match: MatchEvidence) -> cython.bint:
    """Whether a match is the acronym of a country: "the US", but not "Call US"."""
    if not match.acronym or match.name.level > _COUNTRY:
        return False
    return not match.before.cues & _INVITATION


def is_sure(match: MatchEvidence) -> cython.bint:
    """Whether uses elsewhere in the document do not count: "in Surprise"."""
    return match.explicit or match.before.cues & (_LOCATIVE | _AREA) != 0


def is_person(word: WordFacts) -> cython.bint:
    """Whether the word before a name makes it a person: a title, a trade, a given name."""
    if word.cues & _TRADE or (word.upper and word.cues & _TITLE):
        return True
    return word.upper and _is_given(word) and not word.cues & (_AREA | _LOCATIVE)


@cython.cfunc
def _is_given(word: WordFacts) -> cython.bint:
    return word.given > 0 and word.common < _FUNCTION
