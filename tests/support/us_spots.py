"""Where US addresses may begin, by regular expressions: slow, but easy to check.

The compiled modules of places/addresses/us must give the same.
"""

import re
from itertools import islice

from toponaut.places.addresses.us import hints
from toponaut.places.addresses.us.hints import KINDS, WordKind
from toponaut.places.addresses.us.spots import AUSTRALIAN_STATES, JOINT_LENGTH, Spots, has_zip
from toponaut.places.addresses.us.word import Gap, UsWord
from toponaut.places.addresses.us.words import LONGEST_STATE, NUMBER_WORDS, STATE_CODES, STATES

WORD = re.compile(r"[^\W_]+(?:['’.&/–-][^\W_]+)*\.?|[#&]")
GRID = re.compile(r"(?<![^\W_])[NSEWnsew]")
NOT_AFTER = re.compile(r"[\w$£€@=+~%]\Z|\w[-./–]\Z|\d[,:]\Z|©\s?\Z")
UNCLEAR = re.compile(
    r"\d|-?[A-Za-z](?![A-Za-z\d])|\s{0,3}[-–/&]\s?\d|\s{0,3}[½¼¾]|\s{1,3}\d++"
    r"(?:[\w/]|\s[MmNSEWnsew])"
)
PLAIN = re.compile(r"\s{1,3}(?!\d)[^\W_]")
ONES = "|".join(f"{word.capitalize()}|{word.upper()}" for word in NUMBER_WORDS)
SPELLED = re.compile(rf"(?<![^\W_])(?<!-)(?:{ONES})(?=[ -][A-Z])")
JOINT = re.compile(r" (?:and|at|&|@|AND|AT|And|At)(?= .)", re.DOTALL)
LAST_WORD = re.compile(r"([^\W_]\.)?([^\W_]+)[\W_]*\Z")
STATE_ENDS = tuple({state[-2:] for state in AUSTRALIAN_STATES})


def spots_of(text: str) -> Spots:
    runs = [match.span() for match in re.finditer("[0-9]+", text)]
    zips = [start for start, end in runs if end - start == 5]
    joints = [match.end() - 1 for match in re.finditer(JOINT, text)]
    return Spots(
        [start for start, end in runs if may_be_number(text, start, end, zips)],
        zips,
        [match.start() for match in SPELLED.finditer(text)],
        [at for at in joints if may_join(text, at + 2)],
        [match.start() for match in re.finditer("box|Box|BOX", text)],
        [match.start() for match in re.finditer("rawer|RAWER", text)],
        [run for run in runs if re.search("ox|ier ", text[max(0, run[0] - 9) : run[0]].lower())],
        [run for run in runs if may_be_code(text, *run)],
        bool(runs),
    )


def may_be_number(text: str, start: int, end: int, zips: list[int]) -> bool:
    if end - start > 6:
        return False
    if start and GRID.match(text, start - 1):
        return True
    if NOT_AFTER.search(text[max(0, start - 2) : start]):
        return False
    if UNCLEAR.match(text, end):
        return True
    if not PLAIN.match(text, end) or not (is_hinted(text, end) or has_zip(zips, end)):
        return False
    in_table = "\t" in text[max(0, start - hints.READ_BEFORE) : end + hints.READ_BEFORE]
    return in_table or is_promising(read_words(text, end, end + hints.WINDOW))


def is_hinted(text: str, at: int) -> bool:
    window = text[at : at + hints.HINT_WINDOW]
    if not hints.HINTS.isdisjoint(re.findall("[a-z]+", window.lower())):
        return True
    return not STATE_CODES.isdisjoint(re.findall(r"\b[A-Z]{2}\b", window))


def may_be_code(text: str, start: int, end: int) -> bool:
    after, count = text[end : end + 5], end - start
    if count > 5:
        return False
    if count == 1 or not after:
        return after[:1].isupper()
    if after[0] in "-–":
        return after[1:2].isdigit()
    if count < 4:
        return count == 3 and after[0] in " \xa0" and after[1:2].isdigit()
    if count == 4 and text[max(0, start - 8) : start].rstrip(" ,.\xa0\n").endswith(STATE_ENDS):
        return True
    stripped = after.lstrip(" \t\n\xa0,")
    rest = text[end : end + 6][len(after) - len(stripped) :]
    return not stripped or rest[0].isupper() or (rest[0].isalpha() and rest[1:2].isupper())


def may_join(text: str, end: int) -> bool:
    if not (text[end : end + 1].isupper() or text[end : end + 1].isdigit()):
        return False
    start = end - JOINT_LENGTH[text[end - 2]]
    if text[end].isdigit() or may_end_street(text[max(0, start - 16) : start]):
        return True
    before = text[max(0, start - 60) : start].lower()
    return "corner" in before or "intersection" in before


def may_end_street(text: str) -> bool:
    last = LAST_WORD.search(text)
    if last is None:
        return False
    word = last[2]
    if word[0].isdecimal():
        return not word[-1].isdecimal()
    return last[1] is not None or word.lower() in hints.ENDINGS


# --- words ----------------------------------------------------------------------------------------


def read_words(text: str, start: int, stop: int, most: int = 45) -> list[UsWord]:
    found = []
    end = start
    for match in islice(WORD.finditer(text, start, stop), most):
        key = match[0].lower().replace(".", "")
        found.append(UsWord(match[0], key, *match.span(), gap_of(text[end : match.start()])))
        end = match.end()
    if 0 < len(found) < most and end == stop < len(text) and text[stop].isalnum():
        found.pop()
    return found


def gap_of(between: str) -> Gap:
    signs = between.strip()
    if "\n" in between:
        return Gap.BLOCK if between.count("\n") > 1 else Gap.LINE
    if "\t" in between:
        return Gap.CELL
    if not signs or signs == ",":
        return Gap.COMMA if signs else Gap.SPACE
    return Gap.OPEN if signs[-1] in "([" else Gap.SHUT if signs[0] in ")]" else Gap.BAR


def is_promising(words: list[UsWord]) -> bool:
    return bool(words) and (may_be_typed(words) or may_be_bare(words))


def kinds(word: UsWord) -> int:
    return KINDS.get(word.key, 0)


def may_be_typed(words: list[UsWord]) -> bool:
    directed = kinds(words[0]) & WordKind.DIRECTION
    small = any(not word.is_name for word in words[: 3 if directed else 1])
    leads = True
    for index, word in enumerate(words[:9]):
        kind, after = kinds(word), words[index + 1 : index + 2]
        joins = word.gap == Gap.SPACE or (word.gap == Gap.COMMA and kind & WordKind.JUNIOR)
        if index and not joins:
            return False
        if not small and not word.is_name and not kind & WordKind.INSIDE:
            return False
        if (index and kind & WordKind.TYPE) or (leads and kind & (WordKind.NAMED | WordKind.LEADS)):
            return True
        if kind & WordKind.ROUTE and after and may_number(after[0]):
            return True
        if has_digit(word) and (leads or "-" in word.text):
            return True
        before_mile = bool(after) and after[0].key == "mile"
        if word.text.isdigit() and not kinds(words[index - 1]) & WordKind.LEADS and not before_mile:
            return False
        leads = leads and bool(kind & (WordKind.DIRECTION | WordKind.THE))
    return False


def may_number(word: UsWord) -> bool:
    return len(word.text) <= 2 or "-" in word.text or word.text[0].isdigit()


def has_digit(word: UsWord) -> bool:
    return any(map(str.isdigit, word.text))


def may_be_bare(words: list[UsWord]) -> bool:
    if not words[0].is_name or words[0].text in "#&" or words[0].key in hints.NOT_BARE:
        return False
    odd = any(map(is_odd, words[1:12]))
    near = [k for k in range(1, 45 if odd else 14) if odd or count_gaps(words[1 : k + 1]) < 3]
    states = [k for k in near if is_state(words, k) and (odd or may_end_town(words, k - 1))]
    if any(words[k].text[0].isupper() and is_clear_state(words[k]) for k in states):
        return True
    return any(
        word.text[:5].isdecimal() for k in states for word in words[k + 1 :] if len(word.text) >= 5
    )


def count_gaps(words: list[UsWord]) -> int:
    """How many words do not continue a name."""
    kind = WordKind.JUNIOR | WordKind.DIRECTION
    continued = [word for word in words if word.gap == Gap.COMMA and kinds(word) & kind]
    return sum(word.gap > Gap.SPACE for word in words) - len(continued)


def is_state(words: list[UsWord], k: int) -> bool:
    names = (words[k:stop] for stop in range(k + 1, min(k + LONGEST_STATE, len(words)) + 1))
    return any(
        tuple(word.key for word in name) in STATES
        and all(word.gap == Gap.SPACE for word in name[1:])
        for name in names
    )


def is_clear_state(word: UsWord) -> bool:
    return hints.is_clear_state(word.text, word.key)


def may_end_town(words: list[UsWord], k: int) -> bool:
    return k > 0 and not words[k].text[0].isdigit() and words[k].text not in "#&"


def is_odd(word: UsWord) -> bool:
    is_penthouse = word.key.startswith("ph") and has_digit(word)
    return bool(kinds(word) & WordKind.BETWEEN) or word.gap == Gap.OPEN or is_penthouse
