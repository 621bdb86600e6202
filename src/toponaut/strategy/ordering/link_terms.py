"""What is written in and around a link, as numbers that a classifier counts by.

Ahlers and Boll 2009 (section 4) read five things of a link and keep them apart, for "contact" says something else in a
path than in a sentence beside the link:

    host      the words of the URL's host
    path      those of its path and query
    anchor    those of the link text and of the title
    around    those that stand beside the link, on either side
    domain    whether it stays in the registered domain of its page

A *term* is a word in one of these fields. It is kept as a row of a table of counts: 20 bits of the hash of both. The rows of
a link, each once, are all that is remembered of it (its memo, 3 bytes a term), so that it can teach when its page is judged.

All links of a page are read in one go, as one text, because a call into numpy costs nearly as much for one link as for 60.
"""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple
from urllib.parse import unquote

import numpy as np

from toponaut.page.parse.links import words_after, words_before
from toponaut.places.names.tokens import Hashes, Index, TextTokens, Tokeniser, mix
from toponaut.records import Link
from toponaut.urls import host_of, registered_domain

# A million rows. Terms that share a row blur each other; but where two million differ, most were seen once or twice, and
# that changes little for those that were seen often enough to say something.
ROW_BITS = 20
ROWS = 1 << ROW_BITS

# Words read of each field. Around a link 8 on each side: in a menu that reaches over two or three other links, in a sentence
# over most of it. On the pages of bench/lookahead.py a memo has 93 bytes so; with 5 words it has 78, with 10 103, and with 25
# 163, and reading takes half as long again. The other bounds are met by few links (of a host or path the first words say
# where in a site a link leads). No memo has more than 50 terms.
HOST, PATH, ANCHOR, AROUND = 6, 12, 15, 8
_SIGNS_AROUND = 12 * AROUND  # longer stretches are cut before they are read as words
# A page may repeat a URL of 2,000 signs 20,000 times: where links have more signs than this on average, each piece of them
# is cut to it, which the words that count hardly ever reach. Links of the news pages of bench/parse.py have 280.
_MANY_SIGNS = 400

# By piece of a link's text (see `_pieces`): its field, how many words of it count, and whether those are its last.
_FIELDS = np.array([0, 1, 2, 3, 3, 4])
_MOST = np.array([HOST, PATH, ANCHOR, AROUND, AROUND, 1])
_FROM_END = np.array([False, False, False, True, False, False])
_PIECES = len(_FIELDS)
_SPREAD = np.uint64(
    0x9E3779B97F4A7C15
)  # multiplying by it carries every bit of a hash upwards, where the row is read
_SALTS: Hashes = mix(np.arange(1, 6, dtype=np.uint64) * _SPREAD)[_FIELDS]
SAME, OTHER = "samedomain", "otherdomain"

_TERM_BYTES = 3  # of a memo
# A term of a link as one number: link, row, word. SortedLinks, the terms of a link stand together, and equal ones in a row.
# 24 bits are enough for the words of a sitemap's 50,000 links, or of a page's 20,000, when cut to _MANY_SIGNS.
_WORD_BITS = 24
_LINK_BITS = ROW_BITS + _WORD_BITS
_TO_ROW, _TO_WORDS = np.uint64(64 - ROW_BITS), np.uint64(_WORD_BITS)


class LinkTerms(NamedTuple):
    """The terms of some links. Those of the k-th are at `starts[k]:starts[k + 1]`; every link has some."""

    rows: Index  # in rising order for each link, no row twice
    starts: Index
    words: Index  # the token by which each term was found
    text: str
    tokens: TextTokens

    def said(self, terms: Index) -> list[str]:
        """Some terms as people read them."""
        at = self.words[terms]
        spans = zip(self.tokens.start[at].tolist(), self.tokens.end[at].tolist(), strict=True)
        return [self.text[start:end].lower() for start, end in spans]

    def memos(self) -> list[bytes]:
        """What is to be remembered of each link."""
        packed = self.rows.astype("<u4").view(np.uint8).reshape(-1, 4)[:, :_TERM_BYTES].tobytes()
        ends = (self.starts * _TERM_BYTES).tolist()
        return [packed[start:end] for start, end in pairwise(ends)]


def rows_of(memo: bytes) -> Index:
    """The rows of the terms of a remembered link."""
    rows = np.zeros((len(memo) // _TERM_BYTES, 4), np.uint8)
    rows[:, :_TERM_BYTES] = np.frombuffer(memo, np.uint8).reshape(-1, _TERM_BYTES)
    return rows.view("<u4")[:, 0].astype(np.int64)


def all_rows_of(memos: Sequence[bytes]) -> tuple[Index, Index]:
    """The rows of the terms of remembered links, one after the other, and where those of each begin; where the last end, too."""
    ends = accumulate([len(memo) // _TERM_BYTES for memo in memos])
    return rows_of(b"".join(memos)), np.array([0, *ends])


def are_memos(memos: Sequence[bytes]) -> bool:
    """Whether these bytes are what is remembered of links."""
    return not any(len(memo) % _TERM_BYTES for memo in memos) and bool(
        (rows_of(b"".join(memos)) < ROWS).all()
    )


def read_links(tokeniser: Tokeniser, page: str, text: str, links: Sequence[Link]) -> LinkTerms:
    """The terms of links, one or more, of the page with this URL and text."""
    pieces = _pieces(page, text, links)
    text = " ".join(pieces)
    if len(text) > _MANY_SIGNS * len(links):
        pieces = [piece[:_MANY_SIGNS] for piece in pieces]
        text = " ".join(pieces)
    tokens = _tokens(tokeniser, text)
    begins = np.zeros(len(pieces) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, pieces), np.int64, len(pieces)) + 1, out=begins[1:])
    chosen, counts = _chosen(tokens.start.searchsorted(begins))
    # For each term the field, which goes into its hash, and the link, which goes above its row.
    fields = (_SALTS + np.zeros((len(links), 1), np.uint64)).ravel().repeat(counts)
    numbers = (np.arange(len(links)) << _LINK_BITS).repeat(_PIECES).repeat(counts)
    rows = ((tokens.hash_at(chosen) ^ fields) * _SPREAD) >> _TO_ROW
    keys = numbers | (rows << _TO_WORDS).view(np.int64) | chosen
    keys.sort()
    terms = keys >> _WORD_BITS
    keys = keys[np.concatenate(([True], terms[1:] != terms[:-1]))]
    starts = keys.searchsorted(np.arange(len(links) + 1) << _LINK_BITS)
    return LinkTerms(
        (keys >> _WORD_BITS) & (ROWS - 1), starts, keys & ((1 << _WORD_BITS) - 1), text, tokens
    )


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
        before, after = words_before(text, link), words_after(text, link)
        pieces += (host, path, anchor, before[-_SIGNS_AROUND:], after[:_SIGNS_AROUND], domain)
    return pieces


def _tokens(tokeniser: Tokeniser, text: str) -> TextTokens:
    """The tokens of a text of any length."""
    chunks = list(tokeniser.chunks(text))
    if len(chunks) == 1:
        return chunks[0]
    start, end, upper = zip(
        *((chunk.start, chunk.end, chunk.upper) for chunk in chunks), strict=True
    )
    whole, kernels = slice(0, len(text)), chunks[0].kernels
    return TextTokens(
        np.concatenate(start),
        np.concatenate(end),
        np.concatenate(upper),
        chunks[0].chars,
        whole,
        kernels,
    )


def _chosen(bounds: Index) -> tuple[Index, Index]:
    """The tokens that count, given where those of each piece begin, and how many they are in each piece."""
    first, last = bounds[:-1].reshape(-1, _PIECES), bounds[1:].reshape(-1, _PIECES)
    most = np.minimum(last - first, _MOST)
    begin, counts = np.where(_FROM_END, last - most, first).ravel(), most.ravel()
    ends = counts.cumsum()
    return np.arange(ends[-1]) + (begin - ends + counts).repeat(counts), counts
