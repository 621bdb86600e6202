"""The words in and around a link, as numbers for a classifier.

Ahlers and Boll 2009 (section 4) read five fields of a link and keep them apart, because "contact"
means something else in a path than in a sentence next to the link:

    host      words of the URL's host
    path      words of its path and query
    anchor    words of the link text and title
    around    words on either side of the link
    domain    whether it stays in the registered domain of its page

A *term* is a word in a field. It is a row in a table of counts: 20 bits of the hash of both. The
rows of a link, each once, are its memo (3 bytes a term), from which it learns when its page is
judged. All links of a page are read as one text: a numpy call costs about the same for 1 as for 60.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import unquote

import cython
import numpy as np

from toponaut.page.parse.links import WINDOW_CHARACTERS
from toponaut.places.names.tokens import Hashes, Index, TextTokens, Tokeniser, mix
from toponaut.records import Link
from toponaut.urls import host_of, registered_domain

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

# A million rows. Terms that share a row blur each other, but most of them are rare.
ROW_BITS = 20
ROWS = 1 << ROW_BITS

# Words read of each field. 8 on each side of a link: two or three other links of a menu, or most of
# a sentence. Swept 5, 8, 10, 25: memos of 78, 93, 103, 163 bytes. No memo has more than 50 terms.
HOST, PATH, ANCHOR, AROUND = 6, 12, 15, 8
_SIGNS_AROUND = 12 * AROUND  # characters; longer stretches are cut before they are split into words
# Each piece is cut to this: a page may repeat a URL of 2,000 characters 20,000 times.
_MANY_SIGNS = 400

# By piece of a link's text (see `_pieces`): its field, how many words count, whether from the end.
_FIELDS = np.array([0, 1, 2, 3, 3, 4])
_MOST = np.array([HOST, PATH, ANCHOR, AROUND, AROUND, 1])
_FROM_END = 3
_PIECES = len(_FIELDS)
# Carries every bit of a hash upwards, where the row is read.
_SPREAD = 0x9E3779B97F4A7C15
_SALTS: Hashes = mix(np.arange(1, 6, dtype=np.uint64) * np.uint64(_SPREAD))[_FIELDS]
SAME, OTHER = "samedomain", "otherdomain"

_TERM_BYTES = 3  # of a memo
# A term of a link as one number: link, row, word. Sorting groups the terms of a link and equal
# terms. 24 bits are enough for the words of a sitemap's 50,000 links, cut to _MANY_SIGNS.
_WORD_BITS = 24
_LINK_BITS = ROW_BITS + _WORD_BITS


class LinkTerms(NamedTuple):
    """The terms of links. The k-th has `starts[k]:starts[k + 1]`."""

    rows: Index  # ascending for each link, no row twice
    starts: Index
    words: Index  # the token of each term
    text: str
    tokens: TextTokens

    def as_text(self, terms: Index) -> list[str]:
        """Some terms as words."""
        at = self.words[terms]
        spans = zip(self.tokens.start[at].tolist(), self.tokens.end[at].tolist(), strict=True)
        return [self.text[start:end].lower() for start, end in spans]

    def memos(self) -> list[bytes]:
        """The memo of each link: its rows."""
        packed = self.rows.astype("<u4").view(np.uint8).reshape(-1, 4)[:, :_TERM_BYTES].tobytes()
        ends = (self.starts * _TERM_BYTES).tolist()
        return [packed[start:end] for start, end in pairwise(ends)]


def rows_of(memo: bytes) -> Index:
    """The rows of the terms in a memo."""
    rows = np.empty(len(memo) // _TERM_BYTES, np.int64)
    row: cython.longlong[::1] = rows
    byte: cython.const[cython.uchar][::1] = memo
    k: cython.Py_ssize_t
    for k in range(row.shape[0]):
        row[k] = byte[3 * k] | byte[3 * k + 1] << 8 | byte[3 * k + 2] << 16
    return rows


def are_memos(memos: Sequence[bytes]) -> bool:
    """Whether these bytes are memos of links."""
    if any(len(memo) % _TERM_BYTES for memo in memos):
        return False
    return bool((rows_of(b"".join(memos)) < ROWS).all())


def read_links(tokeniser: Tokeniser, page: str, text: str, links: Sequence[Link]) -> LinkTerms:
    """The terms of links, one or more, of the page with this URL and text."""
    pieces = [piece[:_MANY_SIGNS] for piece in _pieces(page, text, links)]
    text = " ".join(pieces)
    tokens = _tokens(tokeniser, text)
    keys = _keys(tokens.start, tokens.hash, pieces)
    keys.sort()
    terms = keys >> _WORD_BITS
    keys = keys[np.concatenate(([True], terms[1:] != terms[: len(terms) - 1]))]
    starts = keys.searchsorted(np.arange(len(links) + 1) << _LINK_BITS)
    words = keys & ((1 << _WORD_BITS) - 1)
    return LinkTerms((keys >> _WORD_BITS) & (ROWS - 1), starts, words, text, tokens)


def _keys(starts: Index, hashes: Hashes, pieces: list[str]) -> Index:
    """The terms of all links as numbers, in the order of the pieces."""
    keys = np.empty(len(starts), np.int64)
    key: cython.longlong[::1] = keys
    start: cython.const[cython.longlong][::1] = starts
    hashed: cython.const[cython.ulonglong][::1] = hashes
    salts: cython.const[cython.ulonglong][::1] = _SALTS
    most: cython.const[cython.longlong][::1] = _MOST
    spread: cython.ulonglong = _SPREAD
    piece: cython.Py_ssize_t
    kind: cython.Py_ssize_t
    word: cython.Py_ssize_t
    first: cython.Py_ssize_t = 0
    last: cython.Py_ssize_t = 0  # the words of a piece are first:last
    end: cython.Py_ssize_t = 0  # of the piece in the text
    count: cython.Py_ssize_t = 0
    link: cython.longlong
    for piece in range(len(pieces)):
        kind, link = piece % _PIECES, piece // _PIECES
        end += len(pieces[piece]) + 1
        first = last
        while last < start.shape[0] and start[last] < end:
            last += 1
        if kind == _FROM_END:
            first = max(first, last - most[kind])
        for word in range(first, min(last, first + most[kind])):
            key[count] = (
                (link << _LINK_BITS)
                | cython.cast(
                    cython.longlong, ((hashed[word] ^ salts[kind]) * spread) >> (64 - ROW_BITS)
                )
                << _WORD_BITS
                | word
            )
            count += 1
    return keys[:count]


def _pieces(page: str, text: str, links: Sequence[Link]) -> list[str]:
    """For each link the texts that its fields are read from."""
    own = registered_domain(host_of(page))
    domains = {page.split("/", 3)[2]: SAME}  # by host and port: most links of a page share few
    pieces: list[str] = []
    for link in links:
        _, _, host, path = link.url.split("/", 3)
        if "%" in path:
            path = unquote(path)
        anchor = f"{link.anchor} {link.title}" if link.title else link.anchor
        if (domain := domains.get(host)) is None:
            domain = domains[host] = SAME if registered_domain(host_of(link.url)) == own else OTHER
        before, after = around_link(text, link)
        pieces += (host, path, anchor, before, after, domain)
    return pieces


def around_link(text: str, link: Link) -> tuple[str, str]:
    """The texts on either side of a link that its terms are read from."""
    before = text[max(link.start - WINDOW_CHARACTERS, 0) : max(link.start, 0)]
    after = text[link.end : link.end + WINDOW_CHARACTERS] if link.end >= 0 else ""
    before, after = before.rstrip(), after.lstrip()[:_SIGNS_AROUND]
    return before[max(len(before) - _SIGNS_AROUND, 0) :], after


def _tokens(tokeniser: Tokeniser, text: str) -> TextTokens:
    """The tokens of a text of any length."""
    chunks = list(tokeniser.chunks(text))
    if len(chunks) == 1:
        return chunks[0]
    columns = zip(*((chunk.start, chunk.end, chunk.upper) for chunk in chunks), strict=True)
    start, end, upper = map(np.concatenate, columns)
    return TextTokens(start, end, upper, chunks[0].chars, slice(0, len(text)))
