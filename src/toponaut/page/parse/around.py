"""The words around a link, read from the text of its page when somebody asks for them.

They are not kept with the link: those of all links of a page are twice as much as its text, and only links that a crawl has
not met before are ever asked for them.
"""

from toponaut.records import Link

WINDOW_TOKENS = 25
# Text without spaces (Chinese, or a page's trick) is one token; 25 long words have fewer signs than this.
WINDOW_SIGNS = 500


def words_before(text: str, link: Link, words: int = WINDOW_TOKENS) -> str:
    """Up to so many tokens that stand before a link in its page's text; none for a link that is not in it."""
    stretch = text[max(link.start - WINDOW_SIGNS, 0) : max(link.start, 0)]
    parts = stretch.rsplit(maxsplit=words)
    return (stretch if len(parts) <= words else stretch[len(parts[0]) :]).strip()


def words_after(text: str, link: Link, words: int = WINDOW_TOKENS) -> str:
    """Up to so many tokens that stand after it."""
    stretch = text[link.end : link.end + WINDOW_SIGNS] if link.end >= 0 else ""
    parts = stretch.split(maxsplit=words)
    return (stretch if len(parts) <= words else stretch[: len(stretch) - len(parts[-1])]).strip()
