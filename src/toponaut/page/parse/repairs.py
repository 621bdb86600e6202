"""Repairs of tokens that were split wrongly; each returns the token to continue with."""

import re

import cython

from toponaut.page.parse.markup import scan_tag, tag_name
from toponaut.page.parse.tokens import MarkupTokens

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

_COMMENT_END = re.compile("--!?>")
_EMPTY_COMMENT = re.compile("-?>")  # "<!-->" and "<!--->"


def close_quotes(tokens: MarkupTokens, index: int) -> int:
    """Joins a tag that was split inside a quoted attribute (title="a > b")."""
    head, sign, text = tokens[index]
    whole, rest, at = [head], sign + text, index
    quote = scan_tag(head, 0)[1]
    while quote:
        close = rest.find(quote)
        if close >= 0:
            end, quote = scan_tag(rest, close + 1)
            whole.append(rest[:end])
            rest = rest[end:]
        elif at + 1 < len(tokens):
            whole.append(rest)
            at += 1
            rest = "<" + "".join(tokens[at])
        else:  # never closed: a browser drops the rest of the page, we drop the attributes
            tokens[index] = (tag_name(head), sign, text)
            return index
    tokens[at] = ("".join(whole), rest[:1], rest[1:])
    return at


def comment_end(tokens: MarkupTokens, index: int) -> int:
    """Skips a comment; the text after it stays."""
    rest = "".join(tokens[index])[3:]  # after "!--"
    found = _EMPTY_COMMENT.match(rest)
    for at in range(index, len(tokens)):
        found = found or _COMMENT_END.search(rest)
        if found:
            tokens[at] = ("/", ">", rest[found.end() :])
            return at
        rest = "".join(tokens[at + 1]) if at + 1 < len(tokens) else ""
    return len(tokens)
