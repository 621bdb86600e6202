"""Which paths a robots.txt allows: the allow and disallow lines of RFC 9309, matched.

The longest match counts (2.2.2). Plain paths are looked up in a dict by their length, the longest first. Those with
"*" are matched part by part from left to right, which never goes back; no regular expression is made of a stranger's
text, and the work for one URL is bounded whatever the file says.
"""

import re

from msgspec import Struct

# Matching a path with "*" takes time by its length; all of them together may take this many characters. The worst
# file and URL that we could make take 10 ms then. Beyond it "/a*b" is obeyed as "/a" and exceptions are not: strictly,
# so that nothing is fetched that is forbidden.
MAX_WILD = 32_768
_STRONGEST = 1_000_000  # longer than any line


class Wild(Struct, frozen=True, gc=False):
    """A path with "*", or with "$" at its end."""

    strength: int  # its length as written: the most octets win
    allow: bool
    head: str  # what stands before the first asterisk
    middle: tuple[str, ...]  # between two
    tail: str | None  # after the last; None if there is no asterisk
    ends: bool  # it ends with "$"

    def matches(self, path: str) -> bool:
        """The leftmost place for each part is as good as any, so that nothing is tried twice."""
        if not path.startswith(self.head):
            return False
        at = len(self.head)
        if self.tail is None:
            return at == len(path)
        for part in self.middle:
            at = path.find(part, at) + len(part)
            if at < len(part):
                return False
        return path.endswith(self.tail, at) if self.ends else path.find(self.tail, at) >= 0


class PathRules(Struct, frozen=True):
    """The allow and disallow lines that are meant for us."""

    plain: dict[str, bool] = {}  # beginnings of paths, with whether they are allowed
    lengths: tuple[int, ...] = ()  # of those, longest first
    wild: tuple[Wild, ...] = ()  # strongest first, allow before disallow
    size: int = 0  # characters in the file

    def allow(self, path: str) -> bool:
        """The longest match counts; of two as long, the one that allows; without a match all is allowed."""
        strength, allowed = -1, True
        for length in self.lengths:
            found = self.plain.get(path[:length])
            if found is not None and length <= len(path):
                strength, allowed = length, found
                break
        for wild in self.wild:
            if wild.strength < strength or (wild.strength == strength and allowed):
                break
            if wild.matches(path):
                return wild.allow
        return allowed


def path_rules(lines: list[tuple[bool, str]]) -> PathRules:
    """Of lines (allow or disallow, path) with a character for each octet."""
    plain: dict[str, bool] = {}
    wild: set[Wild] = set()
    strict: set[str] = set()  # beginnings of what is too much to match
    size = wild_size = 0
    for allow, pattern in lines:
        if not pattern.startswith(("/", "*")):
            continue  # an empty line allows everything, and what is no path matches nothing
        size += len(pattern)
        if "*" not in pattern and pattern[-1] != "$":
            path = comparable(pattern)
            plain[path] = allow or plain.get(path, False)
        elif (wild_size := wild_size + len(pattern)) <= MAX_WILD:
            wild.add(_wild(pattern, allow))
        elif not allow:
            strict.add(comparable(pattern.partition("*")[0].removesuffix("$")))
    wild |= {Wild(_STRONGEST, False, head, (), "", False) for head in strict}
    return PathRules(
        plain,
        tuple(sorted({len(path) for path in plain}, reverse=True)),
        tuple(sorted(wild, key=lambda one: (one.strength, one.allow), reverse=True)),
        size,
    )


def _wild(pattern: str, allow: bool) -> Wild:
    ends = pattern[-1] == "$"
    parts = []
    query = False
    for part in pattern.removesuffix("$").split("*"):
        parts.append(comparable(part, query))
        query = query or "?" in part
    tail = parts.pop() if len(parts) > 1 else None
    strength = sum(map(len, parts)) + len(tail or "") + pattern.count("*") + ends
    return Wild(strength, allow, parts[0], tuple(filter(None, parts[1:])), tail, ends)


# --- percent-encoding -------------------------------------------------------------------------------------
# RFC 9309, 2.2.2: two spellings of one octet are equal. We compare with printable ASCII decoded and all else
# encoded; but in a path "%2F" and "%3F" are no separators, and "%25" is decoded nowhere, lest "%252F" became "%2F".

_TO_MEND = re.compile(r"%[0-9A-Fa-f]{2}|[^ -~]")


def _mending(kept: str) -> dict[str, str]:
    """Every match of _TO_MEND in its comparable form."""
    table = {chr(octet): f"%{octet:02X}" for octet in range(256)}
    for high in "0123456789ABCDEFabcdef":
        for low in "0123456789ABCDEFabcdef":
            char = chr(int(high + low, 16))
            decoded = " " <= char <= "~" and char not in kept
            table[f"%{high}{low}"] = char if decoded else f"%{high}{low}".upper()
    return table


_IN_PATH = _mending("%/?")
_IN_QUERY = _mending("%")


def comparable(text: str, query: bool = False) -> str:
    """A path of a URL or of a rule for comparison; `query`: it begins behind the "?"."""
    if "%" not in text and text.isascii():
        return text
    path, mark, rest = ("", "", text) if query else text.partition("?")
    path = _TO_MEND.sub(lambda found: _IN_PATH[found[0]], path)
    return path + mark + _TO_MEND.sub(lambda found: _IN_QUERY[found[0]], rest)
