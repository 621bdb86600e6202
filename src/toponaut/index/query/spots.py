"""Spots in a town: streets and quarters that a query names next to it, by their form alone.

    "barber peachtree street atlanta"     "washington dc 14th street bars"
    "gottesdienst berlin bernauer straße" "boulangerie rue sommeiller annecy"
    "coffee wicker park chicago"          "friseur köln ehrenfeld"

No gazetteer has all of them, so the words around the type decide. The type of an English street is
its last word, that of a French one its first; a German one has its type as the end of a word. How
many words an English street has is not known here: at least one, more if the index has such a
street (place_choice.py). Words like "east" and "downtown" are a part of the town after them.
"""

from collections.abc import Sequence

from toponaut.index.query.prepositions import PARTS

_LAST = frozenset(
    """street st avenue ave av road rd boulevard blvd lane ln drive dr parkway pkwy highway hwy
    terrace strasse straße str gasse allee platz weg ring damm ufer""".split()
)
_FIRST = frozenset("rue avenue av boulevard bd quai chemin impasse allee place route".split())
_COMPOUND = (
    "strasse", "straße", "str", "gasse", "allee", "platz", "weg", "damm", "ufer",
    "feld", "stadt", "viertel", "dorf", "hausen", "vorstadt",
)  # fmt: skip
_SHORTEST = 3  # letters before the type in a compound: "weg" alone is not a street
# The last word of a quarter's name: "wicker park", but not "dog park".
_QUARTER = frozenset(
    """park hill hills heights village slope quarter square beach common green gardens side end
    bridge row hook yard flats station creek grove point ridge landing crossing junction corner
    heath quay wharf""".split()
)
_KINDS = frozenset(
    """dog skate theme water amusement car cars trailer rv caravan state national city public county
    community business industrial office retail ball bike holiday retirement shopping outlet nude
    scrap junk ship bowling botanical beer sea fire police gas petrol train railway bus radio tv
    power weather charging polling transfer subway metro tube space dump free access""".split()
)
_DIRECTIONS = frozenset("n s e w ne nw se sw north south east west".split())
_WIDER = _DIRECTIONS | frozenset("upper lower mid central old new".split())
_SMALL = frozenset("de la le les du des d l von der dem am an".split())
_MOST = 4  # words of a spot after the town


def spot_before(words: Sequence[str], rare: Sequence[bool], end: int) -> int:
    """The first word of a spot that ends before `end`; `end` if there is none."""
    if end and words[end - 1] in PARTS:
        return next((k + 1 for k in reversed(range(end)) if words[k] not in PARTS), 0)
    last = end - 1
    if last > 1 and words[last][0].isdigit():  # "lange straße 5"
        last -= 1
    if last < 1:
        return end
    if words[last] in _LAST or _is_quarter(words, rare, last, wordy=last > 1):
        first = last - 1
        wider = _WIDER if words[last] in _QUARTER else _DIRECTIONS
        while first and (words[first - 1] in wider or words[first - 1][0].isdigit()):
            first -= 1
        return first
    for first in range(last - 1, max(last - _MOST, -1), -1):
        if words[first] in _FIRST and first + 1 < end:
            return first
    return last if _is_compound(words[last]) and rare[last] else end


def spot_after(words: Sequence[str], rare: Sequence[bool], first: int) -> int:
    """The end of a spot that starts at `first`; `first` if there is none."""
    rest = words[first : first + _MOST]
    if not rest:
        return first
    if _is_compound(rest[0]) and rare[first]:
        return first + 1
    if rest[0] in _FIRST and len(rest) > 1:
        taken = next((k for k, word in enumerate(rest) if k and word not in _SMALL), len(rest) - 1)
        return first + taken + 1
    for k, word in enumerate(rest):
        if k and (word in _LAST or _is_quarter(words, rare, first + k, wordy=False)):
            return first + k + 1
    return first


def _is_quarter(words: Sequence[str], rare: Sequence[bool], last: int, wordy: bool) -> bool:
    """Whether a quarter's name ends here. `wordy`: also one of common words: "west side"."""
    if words[last] not in _QUARTER or words[last - 1] in _KINDS:
        return False
    return rare[last - 1] or (wordy and words[last] != "station")


def _is_compound(word: str) -> bool:
    return any(word.endswith(end) and len(word) >= len(end) + _SHORTEST for end in _COMPOUND)
