"""The part of a page's text that shows why it was found."""

import unicodedata

import tantivy

from toponaut.index.query.answers import Extract

_LENGTH = 240  # characters
# Characters before the first searched word, and at least in all if it is near the end: a phone
# shows about 150, and the word should be visible.
_BEFORE, _LEAST = 60, 120


class ExtractBuilder:
    """Builds the extracts of one query."""

    def __init__(
        self, searcher: tantivy.Searcher, schema: tantivy.Schema, query: tantivy.Query | None
    ) -> None:
        self._generator = None
        if query is not None:
            self._generator = tantivy.SnippetGenerator.create(searcher, query, schema, "text")
            self._generator.set_max_num_chars(2 * _LENGTH)

    def build(self, document: tantivy.Document, description: str) -> Extract:
        """Text with the words in it; else the page's description, else its beginning."""
        if self._generator is not None:
            snippet = self._generator.snippet_from_doc(document)
            marks = [(mark.start, mark.end) for mark in snippet.highlighted()]
            if marks:
                return window(_clean(snippet.fragment(), marks))
        text = description or str(document.get_first("text") or "")[: 2 * _LENGTH]
        return Extract(one_line(text)[:_LENGTH])


def one_line(text: str) -> str:
    """Page text on one line, without control characters (terminal codes, text direction)."""
    plain = " ".join(text.split())
    if plain.isprintable():  # nearly always, and 30 times as fast
        return plain
    kept = (char if unicodedata.category(char)[0] != "C" else " " for char in plain)
    return " ".join("".join(kept).split())


def _clean(fragment: str, marks: list[tuple[int, int]]) -> Extract:
    """Convert tantivy's byte offsets, and reduce white space to single spaces."""
    raw = fragment.encode()
    text, kept, at = "", [], 0
    for start, end in [*marks, (len(raw), len(raw))]:
        if start < at:  # overlapping marks
            continue
        text += _spaced(raw[at:start].decode(errors="replace"), text)
        begin = len(text)
        text += one_line(raw[start:end].decode(errors="replace"))
        if len(text) > begin:
            kept.append((begin, len(text)))
        at = end
    return Extract(text.rstrip(), tuple(kept))


def window(extract: Extract) -> Extract:
    """The part with the most marks, starting shortly before the first of them."""
    text, marks = extract.text, extract.marks
    if len(text) <= _LENGTH or not marks:
        return extract

    def seen(first: int) -> int:
        return sum(first <= start and end <= first + _LENGTH - _BEFORE for start, end in marks)

    first = max((start for start, _ in marks), key=seen)  # the earliest of equals
    begin = max(min(first - _BEFORE, len(text) - _LEAST), 0)
    begin = text.rfind(" ", 0, begin + 1) + 1  # whole words
    end = begin + _LENGTH if len(text) - begin > _LENGTH else len(text)
    if end < len(text):
        last_mark = max(stop for start, stop in marks if start <= first)
        end = max(text.rfind(" ", begin, end + 1), last_mark)
    opening = "… " if begin else ""
    shift = len(opening) - begin
    kept = tuple(
        (start + shift, stop + shift) for start, stop in marks if begin <= start and stop <= end
    )
    return Extract(opening + text[begin:end] + (" …" if end < len(text) else ""), kept)


def _spaced(between: str, before: str) -> str:
    """The text between two marks, with single spaces at its ends where it had any."""
    inner = one_line(between)
    left = " " if before and between[:1].isspace() else ""
    right = " " if inner and between[-1:].isspace() else ""
    return f"{left}{inner}{right}" if inner else left
