"""The marks of a page: headings, bold words and addresses."""

import cython

from toponaut.page.parse.kinds import EVENT, MARK, MARK_END, MARKS
from toponaut.page.parse.stream import Event
from toponaut.records import Mark

_EVENT = cython.declare(cython.int, EVENT)
_MARK = cython.declare(cython.int, MARK)
_MARK_END = cython.declare(cython.int, MARK_END)
_COUNT = cython.declare(cython.int, len(MARKS))


def marks(text: str, events: list[Event]) -> tuple[Mark, ...]:
    """Headings, bold words and addresses, trimmed and not empty, in the order of their ends.

    Marks can be nested: trimming each separately would take quadratic time. Events are in text
    order, so the next word after a tag and the last before an end tag are searched only once.
    """
    found: list[Mark] = []
    opened: list[list[int]] = [[] for _ in MARKS]
    number: cython.int
    place: cython.Py_ssize_t
    word: cython.Py_ssize_t = 0  # start of the first word after the last start tag
    stop: cython.Py_ssize_t = 0  # end of the last word before the last end tag
    seen: cython.Py_ssize_t = 0  # position of the last end tag
    last: cython.Py_ssize_t
    for kind, _, at in events:
        number, place = kind, at
        if number < _MARK:
            continue
        waiting: list[int] = opened[number // _EVENT % _COUNT]
        if number < _MARK_END:
            if place >= word:
                word = place
                while word < len(text) and text[word].isspace():
                    word += 1
            waiting.append(word)
        elif waiting:
            last = place
            while last > seen and text[last - 1].isspace():
                last -= 1
            if last > seen:
                stop = last
            seen = place
            start = waiting.pop()
            if start < stop:
                found.append(Mark(MARKS[number // _EVENT % _COUNT], start, stop))
    return tuple(found)
