"""What each piece of evidence says on whether a name is a place here, in log-odds.

The weights follow from one rule of thumb, that the bare capitalised name of a town stands at even odds, and were checked on
bench/toponyms, not fitted to it. All of them stand in this file; the words they speak of are in cues.py, and who adds them
up is doubts.py.
"""

from typing import NamedTuple

from toponaut.places.gazetteer.gazetteer import ALIAS, KINDS, PRIMARY
from toponaut.places.names.cues import BIT
from toponaut.records import Kind

HOPELESS = (
    -2.5
)  # at or below these odds nothing helps; above, lying near believed places may (names.py)

# --- what the name itself is ---
BARE = 0.2  # a town's name, alone, in running text
SEVERAL_WORDS = 1.6  # "Fort Worth", "San Antonio": rarely anything else
WITHOUT_CAPITALS = -0.7  # a script that has none: "南部" is a town, and the south
COUNTRY_OR_STATE, SMALL_STATE, COUNTY = (
    2.2,
    0.8,
    2.5,
)  # small: under half a million people, as Bay in Somalia
COMMON_STATE, RARE = (
    -2.6,
    1,
)  # "West", "Central": regions, but words of every page; not "Geneva", rare for gin
SIZE, SIZE_FROM, SIZE_LEAST, SIZE_MOST = (
    0.3,
    9.9,
    -0.7,
    1.6,
)  # per unit of ln(population) above 20,000 people
WEAKLY_NAMED = -2.2  # an alias that names.py does not trust by itself
FUNCTION_WORD = -6.0  # "Of", "Die", "Las"
COMMON_WORD, PER_CLASS = -0.9, -0.22  # and so much more per class of frequency in tables/words
GIVEN_NAME, SURNAME = -0.9, -0.25
PEOPLE = -4.0  # "German", a town in Maryland
DATE = -4.0  # "Nov", a town in Tajikistan
SHORT = -0.8  # three letters or fewer
ENDS_IN_LOWER_CASE = -8.0  # "West coast", "La ville": not the name but its words
# --- what stands beside it ---
EXPLICIT = 6.0  # its state or country follows: ", Texas"
AFTER_LOCATIVE, AFTER_OF, AFTER_AREA = 1.7, 0.5, 0.9
AFTER_PERSON_WORD, AFTER_GIVEN, AFTER_INITIAL, AFTER_CAPITAL = -6.0, -5.0, -3.0, -1.8
AFTER_NAMED_AFTER, AFTER_INSTITUTION = -6.0, -6.0
BEFORE_ROLE, BEFORE_STREET, BEFORE_ORGANISATION, BEFORE_WARE = 0.3, -10.0, -10.0, -8.0
BEFORE_CAPITAL, BEFORE_SURNAME, BEFORE_SPEECH = -3.2, -3.0, -1.1
IN_COMPOUND = -4.0  # "Nordwest-Zeitung", "Ouest-France"
THE_ALONE = -2.0  # "where the Ohio meets the Mississippi": rivers, ships, hotels
LISTED, BELIEVED = (
    1.5,
    0.8,
)  # "Corbin, Manchester and Somerset": for each name beside it that is believed
PLAIN_SHARE, TITLED_SHARE, IN_TITLE_CASE = 0.3, 0.6, 0.25  # see _case_counts
OPENS_SENTENCE = -1.0  # a common word there has its capital from the sentence
CAPITALS_EVERYWHERE = (
    -1.0
)  # a small town's name where most words have capitals (German: "Kosten" is costs, and a town)
# --- where the document is at home (tongues.py): against places abroad, up to so many people, and from how many on nothing ---
TOWN_ABROAD, STATE_ABROAD = (
    (-2.2, 11.5, 14.2),
    (-4.4, 14.5, 16.1),
)  # 100,000 to 1.5 million; 2 to 10 million
ALIAS_ABROAD = -1.0  # "Türen", doors, is a name of Turin
EXONYM = (
    -4.0
)  # on an English page: "Suede", "Indie", "Island" are Sweden, India and Iceland in other languages
# --- how the document uses it elsewhere; not held against a name after "in" or "from" ---
LOWER_CASE_ELSEWHERE, PERSON_ELSEWHERE = -1.6, -2.6

SMALL, HALF_A_MILLION = 10.8, 13.1  # ln(50,000), ln(500,000)
FUNCTION_CLASS = 9  # of tables/words: closed-class words

_LOCATIVE, _OF, _NOBLE, _AREA, _TITLE, _TRADE, _ROLE, _STREET, _NAMED_AFTER = (
    BIT[group]
    for group in (
        "locative",
        "of",
        "noble",
        "area",
        "title",
        "trade",
        "role",
        "street",
        "named_after",
    )
)
_INSTITUTION, _PEOPLE, _THE, AND, _ORGANISATION, _WARE, _SPEECH, _DATE = (
    BIT[group]
    for group in ("institution", "people", "the", "and", "organisation", "ware", "speech", "date")
)
_COUNTRY, _STATE, _COUNTY = (
    KINDS.index(Kind.COUNTRY),
    KINDS.index(Kind.STATE),
    KINDS.index(Kind.COUNTY),
)


class Word(NamedTuple):
    """A token beside a match, or its first one, and what is known of it as a word."""

    upper: bool = False
    cues: int = 0  # bits of cues.py
    common: int = 0  # classes of tables/words, 0 for never
    given: int = 0
    surname: int = 0
    length: int = 0


class Name(NamedTuple):
    """What a name is, the same in every text."""

    odds: float  # what it is worth by itself
    single: bool  # of one token
    level: int  # of the place that it most likely means
    small: bool  # that place is
    common: bool  # it is a common word, a given name, a surname, too
    given: bool
    surname: bool


# The compiled gazetteer has all of a Name but its odds in a byte (data/worth.py): five flags, and above them the level.
LEVEL_BIT = 5
TRAITS = [
    (
        bool(byte & 1),
        byte >> LEVEL_BIT,
        bool(byte & 2),
        bool(byte & 4),
        bool(byte & 8),
        bool(byte & 16),
    )
    for byte in range(256)
]


class Site(NamedTuple):
    """A match and all that its evidence is read from."""

    key: int  # of its name in the table
    name: Name
    length: int
    ends_upper: bool
    capitals: float  # how much a capital says in its line, 0..1
    in_lower_case: bool  # its word stands in the document in lower case, too
    before: Word  # an empty one where no word stands right before or after
    further: Word  # the one before that
    after: Word
    opens: bool  # the word before opens its line or sentence, so that its capital says nothing
    stopped: bool  # a full stop parts it from the word before: "J. Houston"
    tied: bool  # a hyphen ties it to a capitalised word: "Nordwest-Zeitung"
    explicit: bool  # its state or country stands beside it


def worth(size: float, quality: int, level: int, own: Word | None) -> float:
    """What a name is worth by itself. `own`: its word, if it is a single one."""
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
        odds += (
            FUNCTION_WORD if own.common == FUNCTION_CLASS else COMMON_WORD + PER_CLASS * own.common
        )
        odds += COMMON_STATE * (own.common > RARE and level == _STATE)
    if own.cues & _PEOPLE:
        odds += PEOPLE
    if own.cues & _DATE:
        odds += DATE
    return odds + GIVEN_NAME * (own.given > 0) + SURNAME * (own.surname > 0)


def abroad(size: float, level: int, quality: int) -> float:
    """What is held against a place that lies in no country where the document is at home, nor in one that it names. Of a country
    whether its name is English: on English pages another one is mostly a word."""
    if level <= _COUNTRY:
        return EXONYM * (quality < PRIMARY)
    most, obscure, famous = STATE_ABROAD if level == _STATE else TOWN_ABROAD
    return most * min(max((famous - size) / (famous - obscure), 0.0), 1.0) + ALIAS_ABROAD * (
        quality < PRIMARY
    )


def of_name(site: Site) -> float:
    return site.name.odds + SHORT * (site.length <= 3) + ENDS_IN_LOWER_CASE * (not site.ends_upper)


def of_word_before(site: Site) -> float:
    word, further = site.before, site.further
    if not word.length:
        return OPENS_SENTENCE * (site.name.single and site.name.common)
    cues, odds = word.cues, 0.0
    if cues & _LOCATIVE:
        odds += AFTER_LOCATIVE
    if cues & _AREA:
        odds += AFTER_AREA
    if cues & _OF:
        named = further.cues & _NAMED_AFTER or (further.cues & _INSTITUTION and further.upper)
        odds += AFTER_INSTITUTION if named else AFTER_OF
    named_after = cues & _NAMED_AFTER and (
        word.upper or not cues & _LOCATIVE
    )  # "Via Roma", but "via Verona"
    if named_after:
        odds += AFTER_NAMED_AFTER
    born = (word.upper and not site.opens) or (further.upper and _is_given(further))
    person = is_person(word) or (cues & _NOBLE and born)  # "Jan van Delft"
    initial = word.upper and word.length == 1 and site.stopped
    if person:
        odds += AFTER_GIVEN if word.given else AFTER_PERSON_WORD
    elif initial:
        odds += AFTER_INITIAL
    elif word.upper and not named_after and not _is_neutral(site):
        odds += AFTER_CAPITAL * site.capitals
    return odds


def _is_neutral(site: Site) -> bool:
    """Whether the capital of the word before a name says nothing: "The Houston man", "Visit Houston"."""
    word = site.before
    return bool(
        word.cues & (_LOCATIVE | _OF | _AREA | _THE)
        or word.common == FUNCTION_CLASS
        or (site.opens and word.common)
    )


def of_word_after(site: Site) -> float:
    word, name = site.after, site.name
    if site.explicit or not word.length:
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
        odds = BEFORE_CAPITAL * site.capitals
        if (
            name.single and name.given
        ):  # "Paris Hilton"; "Jordan Pickford" has a surname too rare for the table
            odds += BEFORE_SURNAME * (1.0 if word.surname else 0.5)
    else:
        odds = 0.0
    if word.cues & _SPEECH and name.single and name.surname:
        odds += BEFORE_SPEECH
    return odds


def of_place(site: Site) -> float:
    """Where it stands in line and document, and whether its state stands beside it."""
    if site.explicit:
        return EXPLICIT
    odds = IN_COMPOUND if site.tied else 0.0
    if site.before.cues & _THE and not site.after.length and site.name.level > _COUNTRY:
        odds += THE_ALONE
    if site.name.single and not is_sure(site):
        if site.name.small:
            odds += CAPITALS_EVERYWHERE * (1 - site.capitals)
        if site.in_lower_case:
            odds += LOWER_CASE_ELSEWHERE
    return odds


def is_sure(site: Site) -> bool:
    """ "in Surprise": how the document uses the word elsewhere is not held against it."""
    return site.explicit or bool(site.before.cues & (_LOCATIVE | _AREA))


def is_person(word: Word) -> bool:
    """Whether a word before a name makes it a person's: a title, a trade, a given name."""
    if word.cues & _TRADE or (word.upper and word.cues & _TITLE):
        return True
    return word.upper and _is_given(word) and not word.cues & (_AREA | _LOCATIVE)


def _is_given(word: Word) -> bool:
    return word.given > 0 and word.common < FUNCTION_CLASS
