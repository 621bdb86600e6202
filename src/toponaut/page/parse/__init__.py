"""Bytes to page: its visible text, its links, and its metadata.

Any bytes give a page, in linear time:

    encoding.py  bytes -> characters
    markup.py    characters -> tags, their names and attributes
    tokens.py    all tags of a page in one pass (kinds.py: what they do; repairs.py: wrong splits)
    flow.py      tags -> text with events, a stream (elements.py: which are open; text.py: spaces)
    links.py     events -> links, and the words around a link
    meta.py      title, language, robots, geo tags ...
    jsonld.py, items.py  structured data (item_syntax.py: how it is written in attributes)
    page.py      all of it; also headings, bold words and addresses
"""

from toponaut.page.parse.page import MAX_BYTES, parse, parse_text

__all__ = ["MAX_BYTES", "parse", "parse_text"]
