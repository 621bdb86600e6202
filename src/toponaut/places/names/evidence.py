"""The weight of each piece of evidence on whether a name is a place here, in log-odds.

All weights are in this file. They follow one rule of thumb: the bare capitalised name of a town has
even odds. They were checked on bench/toponyms, not fitted to it. The words are in vocabulary.py;
weighing.py adds the evidence up.
"""

from typing import NamedTuple

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
SHORT = -0.8  # three letters or fewer
ENDS_IN_LOWER_CASE = -8.0  # "West coast", "La ville": not the name but its words
# --- the words next to it ---
EXPLICIT = 6.0  # its state or country follows: ", Texas"
AFTER_LOCATIVE, AFTER_OF, AFTER_AREA = 1.7, 0.5, 0.9
AFTER_PERSON_WORD, AFTER_GIVEN, AFTER_INITIAL, AFTER_CAPITAL = -6.0, -5.0, -3.0, -1.8
AFTER_NAMED_AFTER, AFTER_INSTITUTION = -6.0, -6.0
BEFORE_ROLE, BEFORE_STREET, BEFORE_ORGANISATION, BEFORE_WARE = 0.3, -10.0, -10.0, -8.0
BEFORE_CAPITAL, BEFORE_SURNAME, BEFORE_SPEECH = -3.2, -3.0, -1.1
IN_COMPOUND = -4.0  # "Nordwest-Zeitung", "Ouest-France"
THE_ALONE = -2.0  # "where the Ohio meets the Mississippi": rivers, ships, hotels
LISTED, BELIEVED = 1.5, 0.8  # for each neighbour in a list that is believed
PLAIN_SHARE, TITLED_SHARE, IN_TITLE_CASE = 0.3, 0.6, 0.25  # see _capital_weights
OPENS_SENTENCE = -1.0  # a common word has a capital there anyway
# A small town's name where most words have capitals (German: "Kosten" is costs, and a town).
CAPITALS_EVERYWHERE = -1.0
# --- places outside of the document's home countries (home_countries.py) ---
# The weight, full up to the first ln(population), zero from the second on:
# 100,000 to 1.5 million people, 2 to 10 million people.
TOWN_ABROAD, STATE_ABROAD = (-2.2, 11.5, 14.2), (-4.4, 14.5, 16.1)
ALIAS_ABROAD = -1.0  # "Türen", doors, is a name of Turin
EXONYM = -4.0  # on an English page: "Suede", "Indie", "Island" are countries in other languages
# --- uses elsewhere in the document; they do not count after "in" or "from" ---
LOWER_CASE_ELSEWHERE, PERSON_ELSEWHERE = -1.6, -2.6

SMALL, HALF_A_MILLION = 10.8, 13.1  # ln(50,000), ln(500,000)

_LOCATIVE, _OF, _NOBLE, _AREA, _TITLE, _TRADE, _ROLE, _STREET, _NAMED_AFTER = (
    BIT[group] for group in "locative of noble area title trade role street named_after".split()
)
_INSTITUTION, _PEOPLE, _THE, AND, _ORGANISATION, _WARE, _SPEECH, _DATE = (
    BIT[group] for group in "institution people the and organisation ware speech date".split()
)
_COUNTRY, _STATE = KINDS.index(Kind.COUNTRY), KINDS.index(Kind.STATE)
_COUNTY = KINDS.index(Kind.COUNTY)


class NameFacts(NamedTuple):
    """Facts about a name, the same in every text."""

    odds: float  # prior odds
    single: bool  # one token
    level: int  # of its likeliest place
    small: bool  # that place is small
    common: bool  # also a common word, a given name, a surname
    given: bool
    surname: bool


# The compiled gazetteer packs the other fields of NameFacts into a byte (name_columns.py): five
# flags, and the level above them.
LEVEL_BIT = 5
TRAITS = [
    (bool(byte & 1), byte >> LEVEL_BIT, *(bool(byte & bit) for bit in (2, 4, 8, 16)))
    for byte in range(256)
]


class MatchEvidence(NamedTuple):
    """A match, and everything that counts as evidence about it."""

    key: int  # of its name in the table
    name: NameFacts
    length: int
    ends_upper: bool
    capitals: float  # how much a capital means in its line, 0..1
    in_lower_case: bool  # the document has its word in lower case, too
    before: WordFacts  # an empty one if no word is right before or after
    further: WordFacts  # before that one
    after: WordFacts
    opens: bool  # the word before opens its line or sentence: its capital means nothing
    stopped: bool  # a full stop separates it from the word before: "J. Houston"
    tied: bool  # a hyphen ties it to a capitalised word: "Nordwest-Zeitung"
    explicit: bool  # its state or country is next to it


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


def name_odds(match: MatchEvidence) -> float:
    return (
        match.name.odds + SHORT * (match.length <= 3) + ENDS_IN_LOWER_CASE * (not match.ends_upper)
    )


def word_before_odds(match: MatchEvidence) -> float:
    word, further = match.before, match.further
    if not word.length:
        return OPENS_SENTENCE * (match.name.single and match.name.common)
    cues, odds = word.cues, 0.0
    if cues & _LOCATIVE:
        odds += AFTER_LOCATIVE
    if cues & _AREA:
        odds += AFTER_AREA
    if cues & _OF:
        named = further.cues & _NAMED_AFTER or (further.cues & _INSTITUTION and further.upper)
        odds += AFTER_INSTITUTION if named else AFTER_OF
    # "Via Roma", but "via Verona".
    named_after = cues & _NAMED_AFTER and (word.upper or not cues & _LOCATIVE)
    if named_after:
        odds += AFTER_NAMED_AFTER
    born = (word.upper and not match.opens) or (further.upper and _is_given(further))
    person = is_person(word) or (cues & _NOBLE and born)  # "Jan van Delft"
    initial = word.upper and word.length == 1 and match.stopped
    if person:
        odds += AFTER_GIVEN if word.given else AFTER_PERSON_WORD
    elif initial:
        odds += AFTER_INITIAL
    elif word.upper and not named_after and not _is_neutral(match):
        odds += AFTER_CAPITAL * match.capitals
    return odds


def _is_neutral(match: MatchEvidence) -> bool:
    """Whether the capital of the word before means nothing: "The Houston man", "Visit Houston"."""
    word = match.before
    return bool(
        word.cues & (_LOCATIVE | _OF | _AREA | _THE)
        or word.common == FUNCTION_CLASS
        or (match.opens and word.common)
    )


def word_after_odds(match: MatchEvidence) -> float:
    word, name = match.after, match.name
    if match.explicit or not word.length:
        return 0.0
    if not word.upper:
        odds = BEFORE_WARE if word.cues & _WARE else 0.0
    elif word.cues & _STREET:
        odds = BEFORE_STREET + BEFORE_ROLE * (word.cues & _ROLE > 0)
    elif word.cues & _ORGANISATION:
        odds = BEFORE_ORGANISATION + BEFORE_ROLE * (word.cues & _ROLE > 0)
    elif word.cues & _ROLE:
        odds = BEFORE_ROLE
    elif word.common < FUNCTION_CLASS:
        odds = BEFORE_CAPITAL * match.capitals
        if name.single and name.given:  # "Paris Hilton"; "Jordan Pickford" has a rare surname
            odds += BEFORE_SURNAME * (1.0 if word.surname else 0.5)
    else:
        odds = 0.0
    if word.cues & _SPEECH and name.single and name.surname:
        odds += BEFORE_SPEECH
    return odds


def position_odds(match: MatchEvidence) -> float:
    """By the position in the line and the document, and by a state next to the name."""
    if match.explicit:
        return EXPLICIT
    odds = IN_COMPOUND if match.tied else 0.0
    if match.before.cues & _THE and not match.after.length and match.name.level > _COUNTRY:
        odds += THE_ALONE
    if match.name.single and not is_sure(match):
        if match.name.small:
            odds += CAPITALS_EVERYWHERE * (1 - match.capitals)
        if match.in_lower_case:
            odds += LOWER_CASE_ELSEWHERE
    return odds


def is_sure(match: MatchEvidence) -> bool:
    """Whether uses elsewhere in the document do not count: "in Surprise"."""
    return match.explicit or bool(match.before.cues & (_LOCATIVE | _AREA))


def is_person(word: WordFacts) -> bool:
    """Whether the word before a name makes it a person: a title, a trade, a given name."""
    if word.cues & _TRADE or (word.upper and word.cues & _TITLE):
        return True
    return word.upper and _is_given(word) and not word.cues & (_AREA | _LOCATIVE)


def _is_given(word: WordFacts) -> bool:
    return word.given > 0 and word.common < FUNCTION_CLASS
