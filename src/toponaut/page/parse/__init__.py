"""Bytes to page: its visible text, its links, and its metadata.

Any bytes give a page, in linear time:

    encoding.py  bytes -> characters
    markup.py    characters -> tags
    flow.py      tags -> text with events (kinds.py, elements.py: what tags do; text.py: spaces)
    links.py     events -> links, and the words around a link
    meta.py      title, language, robots, geo tags ...
    jsonld.py, items.py  structured data
    page.py      all of it; also headings, bold words and addresses
"""

from toponaut.page.parse.page import MAX_BYTES, parse, parse_text

__all__ = ["MAX_BYTES", "parse", "parse_text"]
