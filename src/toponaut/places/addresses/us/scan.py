"""Text -> words, each with the gap before it. All readers in this folder work on these words."""

import cython

from toponaut.places.addresses.us.word import Gap, UsWord

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")


MOST_WORDS = 45  # an address with all its lines has 25
_GAPS = cython.declare(tuple, tuple(Gap))


def read_words(
    text: str,
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    most: cython.Py_ssize_t = MOST_WORDS,
) -> list[UsWord]:
    """The first `most` words of text[start:stop]. A word cut off by `stop` is left out.

    A word has letters and digits joined by single signs (O'Hare, N.W., 100-104, B&O), with a final
    point; or it is one of # and &.
    """
    at: cython.Py_ssize_t = max(0, start)
    last: cython.Py_ssize_t = min(len(text), stop)
    first: cython.Py_ssize_t
    end: cython.Py_ssize_t
    count: cython.Py_ssize_t = 0
    found: list[UsWord] = []
    while count < most:
        first = word_start(text, at, last)
        if first >= last:
            break
        end = word_end(text, first, last)
        found.append(_word(text, at, first, end))
        count += 1
        at = end
    if 0 < count < most and is_cut(text, at, last):
        found.pop()
    return found


def gap_of(between: str) -> Gap:
    gap: Gap = _GAPS[gap_between(between, 0, len(between))]
    return gap


# --- one word -------------------------------------------------------------------------------------


@cython.cfunc
@cython.inline
def _is_alnum(sign: cython.Py_UCS4) -> cython.bint:
    """As str.isalnum, which is slow: it looks the character up four times."""
    if sign < 128:
        return "a" <= sign <= "z" or "A" <= sign <= "Z" or "0" <= sign <= "9"
    return sign.isalnum()


def word_start(text: str, at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Where the next word begins; `stop` if there is none."""
    sign: cython.Py_UCS4
    while at < stop:
        sign = text[at]
        if _is_alnum(sign) or sign in "#&":
            break
        at += 1
    return at


def word_end(text: str, at: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Where the word that begins at `at` ends."""
    sign: cython.Py_UCS4 = text[at]
    at += 1
    if not _is_alnum(sign):
        return at
    while at < stop:
        sign = text[at]
        if not _is_alnum(sign):
            if sign not in "'’.&/–-" or at + 1 >= stop or not _is_alnum(text[at + 1]):
                return at + (sign == ".")
            at += 1
        at += 1
    return at


@cython.cfunc
def _word(
    text: str, at: cython.Py_ssize_t, start: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> UsWord:
    """The word text[start:end], after a gap from `at`; as UsWord(...), in a third of the time."""
    word: UsWord = UsWord.__new__(UsWord)
    word.text = text[start:end]
    word.key = key_of(word.text)
    word.start, word.end = start, end
    word.gap = gap_between(text, at, start)
    word.is_name = not text[start].islower()
    return word


def is_cut(text: str, end: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.bint:
    """Whether `stop` cuts off a word that ends at `end`."""
    return end == stop and stop < len(text) and _is_alnum(text[stop])


def key_of(word: str) -> str:
    key: str = word.lower()
    return key.replace(".", "") if "." in key else key


def gap_between(text: str, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.int:
    """The gap that text[at:end] is, as a number."""
    sign: cython.Py_UCS4
    first: cython.Py_UCS4 = 0  # that is not white space
    last: cython.Py_UCS4 = 0
    signs: cython.Py_ssize_t = 0  # from the first to the last
    blanks: cython.Py_ssize_t = 0
    lines: cython.Py_ssize_t = 0
    cells: cython.Py_ssize_t = 0
    while at < end:
        sign = text[at]
        at += 1
        if sign == "\n":
            lines += 1
        elif sign == "\t":
            cells += 1
        if sign == " " or sign.isspace():
            blanks += 1
            continue
        if not signs:
            first, blanks = sign, 0
        last, signs, blanks = sign, signs + blanks + 1, 0
    if lines:
        return 7 if lines > 1 else 6
    if cells:
        return 5
    if not signs:
        return 0
    if signs == 1 and first == ",":
        return 1
    return 3 if last in "([" else 4 if first in ")]" else 2
