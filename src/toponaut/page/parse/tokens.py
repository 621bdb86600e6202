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
from toponaut.page.parse.text import from_utf8, to_utf8

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

# A token's kind has this bit if its tag contains one of these words. Structured data needs them.
MARKED = 256
MARKERS = ("itemscope", "itemref", "typeof", "vcard", "h-card", "adr")
# The words of tags that may hide their element, and the signs before them: the start of an
# attribute or of a value. "aria-hidden" is not one of them.
_HIDING = ("hidden", "none")
_BEFORE_HIDING = " \"'/=:;"

_SLASH = cython.declare(cython.uchar, ord("/"))
_LESS = cython.declare(cython.uchar, ord("<"))
_EQUALS = cython.declare(cython.uchar, ord("="))
_GREATER = cython.declare(cython.uchar, ord(">"))
_SPACE = cython.declare(cython.uchar, ord(" "))
_DOUBLE = cython.declare(cython.uchar, ord('"'))
_SINGLE = cython.declare(cython.uchar, ord("'"))
_BROKEN = cython.declare(cython.short, BROKEN)
_UNSURE = cython.declare(cython.short, UNSURE)
_MARKED = cython.declare(cython.short, MARKED)

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
_TABLES = (_CODES, *_masks())
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
    kinds = cython.declare(object, visibility="readonly")  # kinds.py, with MARKED; or UNSURE
    elements = cython.declare(object, visibility="readonly")  # numbers; those of end tags below 0
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
        self.repaired, self.names = {}, {}
        _TagReader(self).read()

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
    found = array("q", bytes(8 * (len(letters) // 16 + 2)))
    cuts: cython.longlong[::1] = found
    count: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t
    for at in range(markup.shape[0]):
        if markup[at] == _LESS:
            if count + 1 >= cuts.shape[0]:
                found = found + found
                cuts = found
            cuts[count] = at
            count += 1
    cuts[count] = markup.shape[0]
    return found[: count + 1]


# --- tags -------------------------------------------------------------------------------------


@cython.cclass
class _TagReader:
    """Reads all tags of a page. The fields without a comment are of the tag that it reads."""

    tokens: MarkupTokens
    _markup: cython.const[cython.uchar][::1]
    _codes: cython.const[cython.uchar][::1]  # tables
    _masks: cython.ulonglong[::1]
    _keys: cython.ulonglong[::1]
    _numbers: cython.short[::1]
    _starts: cython.short[::1]
    _ends: cython.short[::1]
    _known: cython.int  # elements in the tables
    _first: cython.ulonglong
    _hides: cython.ulonglong
    _marks: cython.ulonglong
    _is_odd: cython.bint  # its name is
    _number: cython.int
    _words: cython.ulonglong
    _quote: cython.uchar  # still open at its end

    def __init__(self, tokens: MarkupTokens) -> None:
        self.tokens, self._markup = tokens, tokens.markup
        self._codes, self._masks, self._first, self._hides, self._marks = _TABLES
        self._keys, self._numbers = _SLOTS
        self._starts, self._ends, self._known = _STARTS, _ENDS, len(ELEMENTS)

    def read(self) -> None:
        kinds: cython.short[::1] = self.tokens.kinds
        elements: cython.int[::1] = self.tokens.elements
        cuts: cython.longlong[::1] = self.tokens.cuts
        closes: cython.longlong[::1] = self.tokens.closes
        index: cython.Py_ssize_t
        start: cython.Py_ssize_t
        end: cython.Py_ssize_t
        is_end: cython.bint
        for index in range(closes.shape[0]):
            start, end = cuts[index] + 1, cuts[index + 1]
            is_end = start < end and self._markup[start] == _SLASH
            closes[index] = self._read_rest(self._read_name(start + is_end, end), end)
            kinds[index] = self._kind(is_end)
            elements[index] = -self._number if is_end else self._number

    @cython.cfunc
    def _read_name(self, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Reads the name at `start`; returns its end."""
        at: cython.Py_ssize_t = start
        code: cython.int
        packed: cython.ulonglong = 0
        is_odd: cython.bint = False
        while at < end:
            code = self._codes[self._markup[at]]
            if code == 0 or (at == start and code > _LETTERS):
                break
            is_odd |= code == _ODD
            packed = packed << 6 | code
            at += 1
        self._is_odd, self._number = is_odd, 0
        if at > start:
            if not is_odd and at - start <= _PACKED:
                self._number = self._known_number(packed)
            if self._number == 0:
                name = self.tokens.markup[start:at].decode("utf-8", "surrogatepass")
                self._number = self.tokens.element(tag_name(name))
        return at

    @cython.cfunc
    def _known_number(self, packed: cython.ulonglong) -> cython.int:
        """The number of an element in ELEMENTS; 0 if it is not there."""
        slot: cython.Py_ssize_t = (packed * _SPREAD) >> _TO_SLOT
        while self._keys[slot] != packed:
            if self._keys[slot] == 0:
                return 0
            slot = (slot + 1) & (self._keys.shape[0] - 1)
        return self._numbers[slot]

    @cython.cfunc
    def _read_rest(self, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Reads a tag from the end of its name on; returns the end of its head."""
        word: cython.ulonglong = 0
        words: cython.ulonglong = 0
        quote: cython.uchar = 0
        sign: cython.uchar
        is_value: cython.bint = False  # after "="
        while at < end:
            sign = self._markup[at]
            if sign == _GREATER:
                break
            word = (word << 1 | self._first) & self._masks[sign]
            words |= word
            if quote:
                if sign == quote:
                    quote = 0
            elif is_value and sign in (_DOUBLE, _SINGLE):
                quote, is_value = sign, False
            else:
                is_value = sign == _EQUALS or (is_value and sign == _SPACE)
            at += 1
        self._words, self._quote = words, quote
        return at

    @cython.cfunc
    def _kind(self, is_end: cython.bint) -> cython.short:
        kind: cython.short = 0
        if self._number == 0 or self._is_odd or (self._words & self._hides and not is_end):
            kind = _UNSURE
        elif self._quote:
            kind = _BROKEN
        elif self._number < self._known:
            kind = self._ends[self._number] if is_end else self._starts[self._number]
        return kind | _MARKED if self._words & self._marks else kind
