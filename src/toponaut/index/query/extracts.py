"""The stretch of a page's text that shows why it was found."""

import unicodedata

import tantivy

from toponaut.index.query.answers import Extract

_LETTERS = 240
# Letters before the first word that was searched, and of the whole where that stands at the end: a phone shows some 150, and
# the word is to be seen.
_BEFORE, _LEAST = 60, 120


class Extracts:
    """Extracts for one query."""

    def __init__(
        self, searcher: tantivy.Searcher, schema: tantivy.Schema, query: tantivy.Query | None
    ) -> None:
        self._generator = None
        if query is not None:
            self._generator = tantivy.SnippetGenerator.create(searcher, query, schema, "text")
            self._generator.set_max_num_chars(2 * _LETTERS)

    def of(self, document: tantivy.Document, description: str) -> Extract:
        """With the words in it; else what the page says of itself, else its beginning."""
        if self._generator is not None:
            snippet = self._generator.snippet_from_doc(document)
            marks = [(mark.start, mark.end) for mark in snippet.highlighted()]
            if marks:
                return window(_cleaned(snippet.fragment(), marks))
        return Extract(
            shown(description or str(document.get_first("text") or "")[: 2 * _LETTERS])[:_LETTERS]
        )


def shown(text: str) -> str:
    """Text from a page on one line, without characters that act on a terminal or turn the direction of writing."""
    plain = " ".join(text.split())
    if plain.isprintable():  # nearly always; character by character takes 30 times as long
        return plain
    kept = (char if unicodedata.category(char)[0] != "C" else " " for char in plain)
    return " ".join("".join(kept).split())


def _cleaned(fragment: str, marks: list[tuple[int, int]]) -> Extract:
    """tantivy counts bytes; and white space, which pages have much of, is one space each."""
    raw = fragment.encode()
    text, found, at = "", [], 0
    for start, end in [*marks, (len(raw), len(raw))]:
        if start < at:  # marks that overlap
            continue
        between = raw[at:start].decode(errors="replace")
        text += _spaced(between, text)
        begin = len(text)
        text += shown(raw[start:end].decode(errors="replace"))
        if len(text) > begin:
            found.append((begin, len(text)))
        at = end
    return Extract(text.rstrip(), tuple(found))


def window(extract: Extract) -> Extract:
    """The part with the most marks, which begins shortly before the first of them."""
    text, marks = extract.text, extract.marks
    if len(text) <= _LETTERS or not marks:
        return extract

    def seen(first: int) -> int:
        return sum(first <= start and end <= first + _LETTERS - _BEFORE for start, end in marks)

    first = max((start for start, _ in marks), key=seen)  # of equals the earliest
    begin = max(min(first - _BEFORE, len(text) - _LEAST), 0)
    begin = text.rfind(" ", 0, begin + 1) + 1  # whole words
    end = begin + _LETTERS if len(text) - begin > _LETTERS else len(text)
    if end < len(text):
        end = max(
            text.rfind(" ", begin, end + 1), max(stop for start, stop in marks if start <= first)
        )
    opening = "… " if begin else ""
    shift = len(opening) - begin
    kept = tuple(
        (start + shift, stop + shift) for start, stop in marks if begin <= start and stop <= end
    )
    return Extract(opening + text[begin:end] + (" …" if end < len(text) else ""), kept)


def _spaced(between: str, before: str) -> str:
    """What stands between two marks, its outer spaces kept as one."""
    inner = shown(between)
    left = " " if before and between[:1].isspace() else ""
    right = " " if inner and between[-1:].isspace() else ""
    return f"{left}{inner}{right}" if inner else left
