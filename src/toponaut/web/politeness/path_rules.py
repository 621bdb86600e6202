"""Which paths a robots.txt allows: matches the allow and disallow lines of RFC 9309.

The longest match counts (2.2.2). Plain paths are looked up in a dict, longest length first. Paths
with "*" are matched part by part from left to right without backtracking: no regular expression is
built from strangers' text, and the work per URL is bounded.
"""

import re

from msgspec import Struct

# Matching takes time by the length of patterns with "*"; this limits their total length (10 ms for
# the worst file and URL). Beyond it "/a*b" is obeyed as "/a", and exceptions are ignored: strictly.
MAX_WILD = 32_768
_STRONGEST = 1_000_000  # longer than any line


class Wild(Struct, frozen=True, gc=False):
    """A pattern with "*", or with "$" at its end."""

    strength: int  # its length as written: the longest wins
    allow: bool
    head: str  # before the first asterisk
    middle: tuple[str, ...]  # between asterisks
    tail: str | None  # after the last asterisk; None without one
    ends: bool  # it ends with "$"

    def matches(self, path: str) -> bool:
        """Matches each part at its leftmost position, so nothing is tried twice."""
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
    """The allow and disallow lines for one crawler."""

    plain: dict[str, bool] = {}  # prefixes, and whether they are allowed
    lengths: tuple[int, ...] = ()  # of the prefixes, longest first
    wild: tuple[Wild, ...] = ()  # strongest first, allow before disallow
    size: int = 0  # characters in the file

    def allow(self, path: str) -> bool:
        """The longest match decides; of two equal ones, allow; without a match, all is allowed."""
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
    """Compiles lines (allow or disallow, path) with one character per octet."""
    plain: dict[str, bool] = {}
    wild: set[Wild] = set()
    strict: set[str] = set()  # prefixes of patterns beyond the limit
    size = wild_size = 0
    for allow, pattern in lines:
        if not pattern.startswith(("/", "*")):
            continue  # an empty value allows everything; a value that is not a path matches nothing
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


# --- percent-encoding ---
# RFC 9309, 2.2.2: two spellings of an octet are equal. We decode printable ASCII and encode the
# rest. In a path "%2F" and "%3F" are not separators, and "%25" is never decoded: "%252F" must not
# become "%2F".

_ENCODABLE = re.compile(r"%[0-9A-Fa-f]{2}|[^ -~]")


def _comparable_forms(kept: str) -> dict[str, str]:
    """The comparable form of every match of _ENCODABLE."""
    table = {chr(octet): f"%{octet:02X}" for octet in range(256)}
    for high in "0123456789ABCDEFabcdef":
        for low in "0123456789ABCDEFabcdef":
            char = chr(int(high + low, 16))
            decoded = " " <= char <= "~" and char not in kept
            table[f"%{high}{low}"] = char if decoded else f"%{high}{low}".upper()
    return table


_IN_PATH = _comparable_forms("%/?")
_IN_QUERY = _comparable_forms("%")


def comparable(text: str, query: bool = False) -> str:
    """A path of a URL or rule in a form to compare; `query`: it starts after the "?"."""
    if "%" not in text and text.isascii():
        return text
    path, mark, rest = ("", "", text) if query else text.partition("?")
    path = _ENCODABLE.sub(lambda found: _IN_PATH[found[0]], path)
    return path + mark + _ENCODABLE.sub(lambda found: _IN_QUERY[found[0]], rest)
