"""Facts about words, the same in every text: how common each is, and its effect on a name next to
it.

How common a word is as a word, a given name and a surname comes from tables/words, compiled with
the gazetteer. The cue words below count for or against a name next to them, in the languages of
most pages.
"""

from typing import Any

import cython
import numpy as np
from numpy.typing import NDArray

from toponaut.places.names.alphabet import SOLO, WORD
from toponaut.places.names.token_hashes import token_hashes
from toponaut.places.names.tokens import Bools, Hashes, Index, TextTokens, Tokeniser

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

# Before a name, it is a place: "in Paris", "nahe Oldenburg", "près de Lyon".
LOCATIVE = """
    in near at from to around outside inside through across toward towards between throughout via
    beyond nahe bei aus nach à en près dans depuis vers desde hacia cerca em perto até vicino te
    uit naar bij
"""
# Before a name, it may be a place: "the city of Houston", but "the Duke of Wellington".
OF = "of de von des du di do da van and und et y e or sowie oder"
# Before a name, after a capital or a given name, it is a person: "Jan van Delft".
NOBLE = "van von de da di du do della dos des"
# Before a name, a part of a town or country: "Downtown Houston", "Upstate New York".
AREA = """
    downtown uptown midtown greater metro metropolitan central northern southern eastern western
    north south east west northeast northwest southeast southwest upstate inner suburban rural
    historic stadt gemeinde ville ciudad cidade
"""
# Before a name and with a capital, it is a person: "Mr. Houston", "Judge Austin".
TITLE = """
    mr mrs ms miss dr prof professor president sir lord lady king queen prince princess pope father
    sister brother rev reverend pastor bishop judge justice attorney senator sen rep representative
    congressman congresswoman gov governor mayor councilman councilwoman councilor councillor
    commissioner sheriff chief officer detective sgt sergeant lt lieutenant capt captain maj major
    col colonel gen general pvt cpl deputy coach chairman chairwoman ceo herr frau monsieur madame
    mme señor señora sr sra dom dona senhor senhora signor signora mevrouw meneer minister saint st
    san santa santo são principal superintendent
"""
# Before a name in any case, it is a person: "coach Austin", "actor Denzel Washington".
TRADE = """
    coach actor actress singer quarterback pitcher striker goalkeeper midfielder rapper guitarist
    novelist trainer schauspieler sänger née geb
"""
# Before a name in any case, a street or institution named after it: "Via Roma", "FC Porto".
NAMED_AFTER = """
    via viale corso piazza rue rua avenida calle plaza paseo praça praca largo quai route fc sc ac
    as vfl vfb sv tsv sg ssv amtsgericht landgericht universität université universidade
    universidad università universiteit hotel café cafe restaurant ristorante pizzeria pasticceria
    bar pub stadion stade estadio estádio haus schloss castello
"""
# Before "of" and a name, with a capital, an institution: "University of Phoenix".
INSTITUTION = """
    university bank port college school church museum society institute house diocese archdiocese
    bishop duke earl prince battle treaty universidade universidad université università banque
    banco rue rua avenue place via calle avenida
"""
# Peoples and languages that are also names of villages.
PEOPLE = """
    american british english scottish irish welsh french german italian spanish portuguese dutch
    belgian swiss austrian polish russian ukrainian greek turkish chinese japanese korean
    vietnamese indian pakistani mexican canadian australian brazilian african european asian arab
    jewish roman texan swedish danish norwegian finnish czech hungarian romanian bulgarian croatian
    serbian iranian iraqi israeli egyptian cuban colombian
"""
# After a name and with a capital, not a part of it: "Boston Mayor Jane Roe", "Dallas Area".
ROLE = """
    mayor governor gov senator sen rep police fire firefighters sheriff officials councilman
    councilwoman commissioner attorney judge coach native resident residents area metro region
    suburb suburbs downtown monday tuesday wednesday thursday friday saturday sunday january
    february march april may june july august september october november december mon tue wed thu
    fri sat sun montag dienstag mittwoch donnerstag freitag samstag sonntag phone tel fax telefon
    email open hours usa council legislature parliament government ministry department mla mp mps
"""
# After a name, a street: "Houston Street", "Berliner Platz".
STREET = """
    street st avenue ave av road rd drive dr boulevard blvd lane ln way court ct place pl plaza plz
    parkway pkwy highway hwy circle cir terrace ter trail trl turnpike tpke pike expressway expy
    freeway alley square sq crescent close row straße strasse str platz allee weg gasse ring damm
    ufer chaussee straat laan plein
"""
# After a name and with a capital, another name: "Washington Post", "Dallas Cowboys".
ORGANISATION = """
    post times tribune chronicle herald gazette journal globe sun news daily press courier examiner
    observer register review star bulletin dispatch enquirer inquirer telegraph mail weekly
    magazine guardian leader university college school schools academy institute polytechnic state
    tech seminary hospital clinic church cathedral temple synagogue museum gallery library theatre
    theater opera symphony orchestra philharmonic ballet zoo bank insurance mutual savings trust
    financial partners holdings group inc corp corporation company co llc ltd gmbh ag sa plc
    foundation association society club league fc sc united rovers wanderers athletic airlines
    airways air railway railroad lines motors records pictures studios entertainment fries pizza
    grill market foods brewing coffee roasters bagels cowboys giants jets bears lions tigers bulls
    eagles rams saints yankees mets cubs sox royals angels dodgers padres rangers astros mavericks
    rockets spurs suns lakers clippers warriors kings knicks nets celtics bruins flyers penguins
    capitals hurricanes panthers dolphins buccaneers falcons titans colts texans broncos raiders
    chargers seahawks cardinals vikings packers bengals browns steelers ravens patriots bills
    redskins commanders nationals marlins braves phillies pirates reds brewers twins guardians
    orioles diamondbacks rockies mariners athletics raptors bucks pacers hawks hornets heat magic
    wizards cavaliers pistons timberwolves nuggets jazz thunder pelicans grizzlies blazers sabres
    senators canadiens leafs islanders devils blues blackhawks predators stars avalanche coyotes
    ducks chiefs sharks canucks flames oilers wild kraken act treaty accord agreement declaration
    convention protocol conference summit marathon derby open classic championship hotel inn resort
    motel casino restaurant cafe tavern bar pub building tower mall stadium arena bridge airport
    station river lake creek bay mountain mountains valley canyon falls island ridge forest ranch
    cemetery high elementary middle regional medical
"""
# After a name in lower case, a thing named after the place: "Boston terrier".
WARE = """
    cream cheese terrier retriever terriers steak sauce bulldog lettuce sprouts sprout dressing
    fries
"""
# After a name, it is a person: "Houston said".
SPEECH = """
    said says told asked added noted wrote argued replied testified recalled explained sagte dit
    pitched scored
"""
# Abbreviated months and days: "12 Nov" does not mean a town in Tajikistan.
DATE = """
    jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun
    okt dez mai mrz mär janv févr avr juil août déc ene abr ago dic set out fev gen mag giu lug ott
"""
# After a name and one more capitalised word, a public body of the place: "Ohio State Police".
PUBLIC = """
    police patrol troopers department ministry council legislature parliament government senate
    district authority commission bureau board
"""
# Before "US" in capitals, a pronoun: "Call US today".
INVITATION = """
    contact call follow join visit email phone text reach write ask tell meet find like support
"""

GROUPS: dict[str, str] = {
    "locative": LOCATIVE, "of": OF, "noble": NOBLE, "area": AREA, "title": TITLE, "trade": TRADE,
    "role": ROLE, "street": STREET, "named_after": NAMED_AFTER, "institution": INSTITUTION,
    "people": PEOPLE, "the": "the", "and": "and or und oder et ou y e i en sowie",
    "organisation": ORGANISATION, "ware": WARE, "speech": SPEECH, "date": DATE,
    "public": PUBLIC, "invitation": INVITATION,
}  # fmt: skip
BIT = {name: 1 << k for k, name in enumerate(GROUPS)}
FUNCTION_CLASS = 9  # of tables/words: closed-class words


class WordFacts:
    """A token next to a match, or its first token, and what is known of it as a word."""

    def __init__(
        self, upper: bool, cues: int, common: int, given: int, surname: int, length: int
    ) -> None:
        self.upper = upper
        self.cues = cues  # bits of GROUPS
        self.common = common  # classes of tables/words; 0: never
        self.given = given
        self.surname = surname
        self.length = length


class Vocabulary:
    """Built once for a gazetteer; immutable."""

    def __init__(self, tokeniser: Tokeniser, words: dict[str, NDArray[Any]]) -> None:
        self._words = words["word_hash"]
        self._classes = words["word_class"]  # columns: common, given, surname
        self._cues: dict[int, int] = {}
        for group, members in GROUPS.items():
            for value in tokeniser.words(members).hash.tolist():
                self._cues[value] = self._cues.get(value, 0) | BIT[group]

    def classes(self, hashes: Hashes) -> NDArray[np.int8]:
        """Rows of three classes: how common as a word, a given name, a surname; 0: never."""
        known = np.zeros((len(hashes), 3), np.int8)
        rows: cython.schar[:, ::1] = known
        wanted: cython.const[cython.ulonglong][:] = hashes
        k: cython.Py_ssize_t
        word: cython.Py_ssize_t
        for k in range(wanted.shape[0]):
            word = sorted_index(self._words, wanted[k])
            if word >= 0:
                rows[k, 0], rows[k, 1] = self._classes[word, 0], self._classes[word, 1]
                rows[k, 2] = self._classes[word, 2]
        return known

    def word(
        self, hash_: cython.ulonglong, upper: cython.bint, length: cython.Py_ssize_t
    ) -> WordFacts:
        """The facts about a word, by its hash. `upper`: it begins with a capital."""
        cues: cython.int = self._cues.get(hash_, 0)
        index: cython.Py_ssize_t = sorted_index(self._words, hash_)
        if index < 0:
            return WordFacts(upper, cues, 0, 0, 0, length)
        common: cython.int = self._classes[index, 0]
        return WordFacts(
            upper, cues, common, self._classes[index, 1], self._classes[index, 2], length
        )

    def stems(self, tokens: TextTokens, at: Index) -> NDArray[np.int8]:
        """Of plurals ("Islands", a district of Hong Kong) the class of the singular, less one.

        0 for other tokens, and if the singular is rare ("Wales") or closed-class ("Mons").
        """
        start, last = tokens.start[at], tokens.end[at] - 1
        stem = self.classes(token_hashes(tokens.chars.planes, start, last))[:, 0]
        plural = tokens.chars.planes[0][last] == ord("s")
        counts = plural & (stem > 1) & (stem < FUNCTION_CLASS)
        return np.asarray(np.where(counts, stem - 1, 0), np.int8)


def sorted_index(
    keys: cython.const[cython.ulonglong][::1], key: cython.ulonglong
) -> cython.Py_ssize_t:
    """The index of a key among sorted ones, or -1."""
    low: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t = keys.shape[0]
    middle: cython.Py_ssize_t
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < keys.shape[0] and keys[low] == key else -1


def is_unspaced(tokens: TextTokens, at: Index) -> Bools:
    """Whether tokens are characters of a script without spaces: a word has several."""
    return np.asarray(tokens.chars.kind[tokens.start[at]] & (WORD | SOLO) == WORD | SOLO)


def is_caseless(tokens: TextTokens, at: Index) -> Bools:
    """Whether tokens are in a script without capitals: Hebrew and nearly all later ones."""
    first, *others = tokens.chars.planes
    if not others:
        return np.zeros(len(at), np.bool_)
    start = tokens.start[at]
    return np.asarray(
        (others[0][start] > 5)
        | ((others[0][start] == 5) & (first[start] >= 0x90))
        | (others[1][start] > 0)
    )
