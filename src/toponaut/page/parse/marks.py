"""The marks of a page: headings, bold words and addresses, each from its tag to its end tag.

Marks can be nested, and to strip each by itself would read the text once for each of thousands of open <b> (0.24 s for 5,000
around 0.5 MB). Events stand in the order of the text, so the next word after a tag and the last one before an end tag are
each looked for only where nobody has looked before.
"""

import re

from toponaut.kernels import COMPILED, Kernels
from toponaut.page.parse.flow import Event
from toponaut.page.parse.kinds import EVENT, MARK, MARK_END, MARKS
from toponaut.records import Mark

_WORD = re.compile(r"\S")


def marks(text: str, events: list[Event], kernels: Kernels | None = COMPILED) -> tuple[Mark, ...]:
    """Those that hold a word, in the order of their ends and without white space around them."""
    if kernels:
        return kernels.marks(text, events, Mark, MARKS)
    found: list[Mark] = []
    opened: list[list[int]] = [[] for _ in MARKS]
    word = 0  # where the first word begins, or goes on, after the last tag
    stop = seen = 0  # where the last word ends before the last end tag, and where that stands
    for kind, _, at in events:
        number = kind // EVENT % len(MARKS)
        if MARK <= kind < MARK_END:
            if at >= word:
                there = _WORD.search(text, at)
                word = there.start() if there else len(text)
            opened[number].append(word)
        elif kind >= MARK_END and opened[number]:
            more = text[seen:at].rstrip()
            stop, seen = seen + len(more) if more else stop, at
            start = opened[number].pop()
            if start < stop:
                found.append(Mark(MARKS[number], start, stop))
    return tuple(found)
