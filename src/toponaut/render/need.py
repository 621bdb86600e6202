"""Whether a page shows its text only after its scripts ran.

Such a page has scripts and hardly any text of its own. Menus do not count as text, nor does a note
in <noscript>. A page with few words that is complete (a picture, a login form) lacks the sign that
most frameworks leave: an empty element with an id, which they fill.
"""

import re

from toponaut.records import JudgedPage, Page

_SCRIPT = re.compile(
    rb"<script\b(?![^>]*\btype\s*=\s*[\"']?(?:application/|text/(?!javascript)))", re.IGNORECASE
)
_NOSCRIPT = re.compile(rb"<noscript\b[^>]*>(.*?)</noscript", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(rb"<[^>]*>")
_SPACE = re.compile(rb"\s+")
_TO_FILL = re.compile(
    rb"<(div|main|section|article|ul|ol|table|tbody|p|span)\b[^>]*\bid\s*=[^>]*>"
    rb"\s*(?:<!--.*?-->\s*)?</\1\s*>",
    re.IGNORECASE | re.DOTALL,
)
_NONE = 30  # characters: a word like "Loading ..." or a heading
_LITTLE = 250  # characters: a heading, a claim and a footer; a short paragraph has more


def needs_browser(body: bytes, judged: JudgedPage) -> bool:
    """Whether running the scripts of an HTML page is likely to bring its text."""
    if judged.addresses or not _SCRIPT.search(body):
        return False
    own = _own_characters(body, judged.page)
    return own < _NONE or (own < _LITTLE and _TO_FILL.search(body) is not None)


def _own_characters(body: bytes, page: Page) -> int:
    """The characters of a page outside links and <noscript>, without spaces."""
    if len(page.text) > 100 * _LITTLE:
        return len(page.text)
    written = len("".join(page.text.split()))
    linked = sum(
        len("".join(page.text[link.start : link.end].split()))
        for link in page.links
        if link.start >= 0
    )
    notes = sum(
        len(_SPACE.sub(b"", _TAG.sub(b"", note))) for note in _NOSCRIPT.findall(body[: 1 << 20])
    )
    return written - linked - notes
