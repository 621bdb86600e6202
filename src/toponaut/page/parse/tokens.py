"""The tokens of a page: where each begins and ends, which element it is, what it does to the text.

All tags are read in one pass over their bytes: the markup is UTF-8, which takes a quarter of the
memory of a string with an emoji. The pass packs a tag's name into a number, follows its quotes, and
looks for a few words in it with the shift-and algorithm: bit k of a number says whether the first
letters of a word, up to its k-th, end here.
"""

from array import array

import cython

from toponaut.page.parse.kinds import BROKEN, ELEMENTS, NAMES, NONE, UNSURE
from toponaut.page.parse.markup import MAX_TAGS, NOTHING, Token, tag_name, tokenise
from toponaut.page.parse.text import eights, from_utf8, to_utf8

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

# Words of tags that begin an item of structured data, or that refer to one.
MARKERS = ("itemscope", "itemref", "typeof", "vcard", "h-card", "adr", "geo")
# The words of tags that may hide their element, and the signs before them: the start of an
# attribute or of a value. "aria-hidden" is not one of them.
_HIDING = ("hidden", "none")
_BEFORE_HIDING = " \"'/=:;"

_ONES = cython.declare(cython.ulonglong, 0x0101010101010101)  # in each of eight bytes
_HIGH = cython.declare(cython.ulonglong, 0x8080808080808080)
_ALL_LESS = cython.declare(cython.ulonglong, 0x3C3C3C3C3C3C3C3C)
_SLASH = cython.declare(cython.uchar, ord("/"))
_LESS = cython.declare(cython.uchar, ord("<"))
_EQUALS = cython.declare(cython.uchar, ord("="))
_GREATER = cython.declare(cython.uchar, ord(">"))
_SPACE = cython.declare(cython.uchar, ord(" "))
_DOUBLE = cython.declare(cython.uchar, ord('"'))
_SINGLE = cython.declare(cython.uchar, ord("'"))
_BROKEN = cython.declare(cython.short, BROKEN)
_UNSURE = cython.declare(cython.short, UNSURE)

# --- tables -----------------------------------------------------------------------------------

_NAME_SIGNS = "abcdefghijklmnopqrstuvwxyz0123456789-_:"
_LETTERS = cython.declare(cython.int, 26)
_ODD = cython.declare(cython.int, 63)
_PACKED = cython.declare(cython.int, 10)  # letters of a name that fit into 64 bits; none has more
_SLOT_BITS = 9
_TO_SLOT = cython.declare(cython.int, 64 - _SLOT_BITS)
_SPREAD = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)


def _codes() -> bytes:
    """By byte: 0 if it ends a name, 1 to 26 for a letter, 63 for anything unusual in a name."""
    codes = bytearray([63]) * 256
    for number, sign in enumerate(_NAME_SIGNS, 1):
        codes[ord(sign)] = codes[ord(sign.upper())] = number
    for sign in " />":
        codes[ord(sign)] = 0
    return bytes(codes)


def _slots(codes: bytes) -> tuple[array[int], array[int]]:
    """A hash table from packed names to the numbers of elements."""
    keys, numbers = array("Q", bytes(8 << _SLOT_BITS)), array("h", bytes(2 << _SLOT_BITS))
    for number, name in enumerate(ELEMENTS[1:], 1):
        packed = 0
        for sign in name:
            packed = packed << 6 | codes[ord(sign)]
        slot = (packed * 0x9E3779B97F4A7C15 & (1 << 64) - 1) >> 64 - _SLOT_BITS
        while keys[slot]:
            slot = (slot + 1) % len(keys)
        keys[slot], numbers[slot] = packed, number
    return keys, numbers


def _masks() -> tuple[array[int], int, int, int]:
    """By byte the places in all words that have it; then the first places, and the last ones."""
    masks, place, first = array("Q", bytes(8 * 256)), 0, 0
    hiding = [(_BEFORE_HIDING, *word) for word in _HIDING]
    last = [0, 0]
    for number, words in enumerate((hiding, MARKERS)):
        for word in words:
            first |= 1 << place
            for signs in word:
                for sign in {*signs, *signs.upper()}:
                    masks[ord(sign)] |= 1 << place
                place += 1
            last[number] |= 1 << place - 1
    return masks, first, last[0], last[1]


_CODES = _codes()
_SLOTS = _slots(_CODES)
_MASKS = _masks()
_NUMBER_OF = {name: number for number, name in enumerate(ELEMENTS)}
_STARTS = array("h", [NAMES.get(name, NONE) for name in ELEMENTS])
_ENDS = array("h", [NAMES.get("/" + name, NONE) for name in ELEMENTS])


# --- tokens -----------------------------------------------------------------------------------


@cython.cclass
class MarkupTokens:
    """The tokens of a page in order. Their text is cut out of the markup on access."""

    markup = cython.declare(bytes, visibility="readonly")  # empty, or starts with a tag
    # Arrays. The offset of each "<", and the end; of each ">", or the end of a token without one.
    cuts = cython.declare(object, visibility="readonly")
    closes = cython.declare(object, visibility="readonly")
    kinds = cython.declare(object, visibility="readonly")  # kinds.py; or UNSURE
    elements = cython.declare(object, visibility="readonly")  # numbers; those of end tags below 0
    marked = cython.declare(list, visibility="readonly")  # tokens with one of MARKERS
    repaired = cython.declare(dict, visibility="readonly")  # tokens that were split wrongly
    names = cython.declare(dict, visibility="readonly")  # numbers of elements not in ELEMENTS
    _cuts: cython.longlong[::1]
    _closes: cython.longlong[::1]

    def __init__(self, markup: bytes) -> None:
        """`markup`: unchanged, or the chunks of `tokenise`, each after a "<"."""
        self.markup = markup
        self.cuts = self._cuts = _cut(markup)
        self.closes = self._closes = array("q", bytes(8 * len(self)))
        self.kinds = array("h", bytes(2 * len(self)))
        self.elements = array("i", bytes(4 * len(self)))
        self.marked, self.repaired, self.names = [], {}, {}
        _read_tags(self)

    def __len__(self) -> int:
        return len(self._cuts) - 1

    def __getitem__(self, index: int) -> Token:
        token: tuple[str, str, str] | None = self.repaired.get(index) if self.repaired else None
        return token or self.chunk(index).partition(">")

    def __setitem__(self, index: int, token: Token) -> None:
        self.repaired[index] = token

    def chunk(self, index: int) -> str:
        """A token as it was split, repaired or not."""
        at: cython.Py_ssize_t = index
        return self.markup[self._cuts[at] + 1 : self._cuts[at + 1]].decode("utf-8", "surrogatepass")

    def head(self, index: int) -> str:
        """The head of a token."""
        at: cython.Py_ssize_t = index
        if self.repaired and index in self.repaired:
            token: tuple[str, str, str] = self.repaired[index]
            return token[0]
        return self.markup[self._cuts[at] + 1 : self._closes[at]].decode("utf-8", "surrogatepass")

    def text(self, index: int) -> str:
        """The text after a token's tag."""
        at: cython.Py_ssize_t = index
        if self.repaired and index in self.repaired:
            token: tuple[str, str, str] = self.repaired[index]
            return token[2]
        start: cython.Py_ssize_t = min(self._closes[at] + 1, self._cuts[at + 1])
        return self.markup[start : self._cuts[at + 1]].decode("utf-8", "surrogatepass")

    def between(self, start: int, stop: int) -> str:
        """The unchanged markup of some tokens that were not repaired."""
        first: cython.Py_ssize_t = start
        last: cython.Py_ssize_t = stop
        if first >= last:
            return ""
        return self.markup[self._cuts[first] : self._cuts[last]].decode("utf-8", "surrogatepass")

    def element(self, name: str) -> int:
        """The number of an element in this page, below 0 for an end tag ("/td"); 0 for ""."""
        bare = name[1:] if name[:1] == "/" else name
        number: int = _NUMBER_OF.get(bare) or self.names.get(bare) or 0
        if not number and bare:
            number = self.names[bare] = len(ELEMENTS) + len(self.names)
        return -number if name[:1] == "/" else number


def markup_tokens(markup: bytes) -> MarkupTokens:
    """The tokens of a page, those of `tokenise`."""
    if markup.rfind(b"<") > markup.rfind(b">"):
        return joined_tokens(tokenise(from_utf8(markup)))
    tokens = MarkupTokens(markup if markup[:1] in (b"<", b"") else b"<" + to_utf8(NOTHING) + markup)
    return tokens if len(tokens) < MAX_TAGS else joined_tokens(tokenise(from_utf8(markup)))


def joined_tokens(chunks: list[str]) -> MarkupTokens:
    """The tokens of a page that has been split."""
    return MarkupTokens(to_utf8("".join(["<" + chunk for chunk in chunks])))


@cython.cfunc
def _cut(letters: bytes) -> object:
    """The offset of each "<", and the end."""
    markup: cython.const[cython.uchar][::1] = letters
    words: cython.const[cython.ulonglong][::1] = eights(letters)
    found = array("q", bytes(8 * (len(letters) // 16 + 9)))
    cuts: cython.longlong[::1] = found
    count: cython.Py_ssize_t = 0
    word: cython.Py_ssize_t
    bits: cython.ulonglong
    at: cython.Py_ssize_t
    for word in range(words.shape[0] + 1):
        if word < words.shape[0]:
            bits = words[word] ^ _ALL_LESS
            if not (bits - _ONES) & ~bits & _HIGH:  # no byte is "<"
                continue
        if count + 9 > cuts.shape[0]:
            found = found + found
            cuts = found
        for at in range(word << 3, min((word << 3) + 8, markup.shape[0])):
            if markup[at] == _LESS:
                cuts[count] = at
                count += 1
    cuts[count] = markup.shape[0]
    return found[: count + 1]


# --- tags -------------------------------------------------------------------------------------


@cython.cfunc
def _read_tags(tokens: MarkupTokens) -> None:
    """Reads all tags of a page. One function: its views are local, so the loops are tight."""
    markup: cython.const[cython.uchar][::1] = tokens.markup
    cuts: cython.longlong[::1] = tokens.cuts
    closes: cython.longlong[::1] = tokens.closes
    kinds: cython.short[::1] = tokens.kinds
    elements: cython.int[::1] = tokens.elements
    codes: cython.const[cython.uchar][::1] = _CODES
    keys: cython.ulonglong[::1] = _SLOTS[0]
    numbers: cython.short[::1] = _SLOTS[1]
    masks: cython.ulonglong[::1] = _MASKS[0]
    first: cython.ulonglong = _MASKS[1]
    hides: cython.ulonglong = _MASKS[2]
    marks: cython.ulonglong = _MASKS[3]
    of_starts: cython.short[::1] = _STARTS
    of_ends: cython.short[::1] = _ENDS
    index: cython.Py_ssize_t
    start: cython.Py_ssize_t
    end: cython.Py_ssize_t
    at: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    number: cython.int
    code: cython.int
    packed: cython.ulonglong
    word: cython.ulonglong
    words: cython.ulonglong
    sign: cython.uchar
    quote: cython.uchar  # still open
    is_end: cython.bint
    is_odd: cython.bint  # the name is
    is_value: cython.bint  # after "="
    for index in range(closes.shape[0]):
        start, end = cuts[index] + 1, cuts[index + 1]
        is_end = start < end and markup[start] == _SLASH
        start += is_end
        # Its name, packed into a number.
        at, packed, is_odd, number = start, 0, False, 0
        while at < end:
            code = codes[markup[at]]
            if code == 0 or (at == start and code > _LETTERS):
                break
            is_odd |= code == _ODD
            packed = packed << 6 | code
            at += 1
        if at > start:
            if not is_odd and at - start <= _PACKED:
                slot = (packed * _SPREAD) >> _TO_SLOT
                while keys[slot] != packed and keys[slot] != 0:
                    slot = (slot + 1) & (keys.shape[0] - 1)
                number = numbers[slot]
            if number == 0:
                number = tokens.element(tag_name(from_utf8(tokens.markup[start:at])))
        # The rest: its end, its quotes, and the words in it.
        word, words, quote, is_value = 0, 0, 0, False
        while at < end:
            sign = markup[at]
            if sign == _GREATER:
                break
            word = (word << 1 | first) & masks[sign]
            words |= word
            if quote:
                if sign == quote:
                    quote = 0
            elif is_value and sign in (_DOUBLE, _SINGLE):
                quote, is_value = sign, False
            else:
                is_value = sign == _EQUALS or (is_value and sign == _SPACE)
            at += 1
        closes[index] = at
        elements[index] = -number if is_end else number
        if number == 0 or is_odd or (words & hides and not is_end):
            kinds[index] = _UNSURE
        elif quote:
            kinds[index] = _BROKEN
        elif number < of_starts.shape[0]:
            kinds[index] = of_ends[number] if is_end else of_starts[number]
        if words & marks:
            tokens.marked.append(index)
