"""Bytes to page: what a reader sees, where it leads, and what it says about itself.

Any bytes give a page, and none takes more than linear time:

    encoding.py  bytes -> characters
    markup.py    characters -> tags
    flow.py      tags -> text with events (kinds.py: what each tag does; signs.py: white space; elements.py)
    links.py     events -> links (around.py: the words around them, when somebody asks)
    marks.py     events -> headings, bold words, addresses
    meta.py      title, language, robots, geo tags ...
    jsonld.py, items.py  structured data
"""

from toponaut.page.parse.page import MAX_BYTES, parse, parse_text

__all__ = ["MAX_BYTES", "parse", "parse_text"]
