"""Tokens and names of a text, slowly: what the compiled code must find."""

from typing import Any, NamedTuple

from numpy.typing import NDArray

from toponaut.places.names.alphabet import BRACKET, DOT, JOINER, SOLO, SPACE, UPPER, WORD
from toponaut.places.names.name_table import IS_NAME, IS_PREFIX, LONGEST

_BITS = (1 << 64) - 1


class SlowToken(NamedTuple):
    start: int
    end: int
    upper: bool
    hash: int
    joined: bool  # the next token may continue a name


class SlowNames:
    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        self._fold: list[int] = arrays["fold"].tolist()
        self._kind: list[int] = arrays["kind"].tolist()
        self._flags: list[int] = arrays["name_flags"].tolist()
        self._index = {key: k for k, key in enumerate(arrays["name_hash"].tolist())}

    def kind(self, char: str) -> int:
        return self._kind[min(ord(char), len(self._kind) - 1)]

    def fold(self, char: str) -> int:
        return self._fold[min(ord(char), len(self._fold) - 1)]

    def tokens(self, text: str) -> list[SlowToken]:
        spans: list[tuple[int, int]] = []
        for at, char in enumerate(text):
            if not self.kind(char) & WORD:
                continue
            continues = bool(spans) and spans[-1][1] == at
            if continues and not (self.kind(char) | self.kind(text[at - 1])) & SOLO:
                spans[-1] = spans[-1][0], at + 1
            else:
                spans.append((at, at + 1))
        return [
            SlowToken(
                start, end, bool(self.kind(text[start]) & UPPER), self.hash(text[start:end]),
                k + 1 < len(spans) and self._joins(end - start, text[end : spans[k + 1][0]]),
            )
            for k, (start, end) in enumerate(spans)
        ]  # fmt: skip

    def _joins(self, length: int, gap: str) -> bool:
        kinds = [self.kind(char) for char in gap]
        links = [bool(kind & (SPACE | JOINER)) for kind in kinds]
        if len(gap) == 1:
            return links[0] or (kinds[0] == DOT and length <= 2)
        if len(gap) == 2:
            if links[1]:
                return links[0] or (kinds[0] == DOT and length <= 4)
            return bool(kinds[0] & SPACE) and kinds[1] == BRACKET
        return not gap

    def hash(self, word: str) -> int:
        codes = [self.fold(char) for char in word][:64]
        result = 0
        for shift, factor in ((0, 1), (8, 0xD1342543DE82EF95), (16, 0xAF251AF3B0F025B5)):
            letters = bytes(code >> shift & 0xFF for code in codes)
            for block in range(0, len(letters), 16):
                low = int.from_bytes(letters[block : block + 8], "little")
                high = int.from_bytes(letters[block + 8 : block + 16], "little")
                low = low * 0x9E3779B97F4A7C15 & _BITS
                low = ((low ^ low >> 32) + high) * 0xD6E8FEB86659FD93 & _BITS
                result += (low ^ low >> 32) * factor
                factor = factor * 0x94D049BB133111EB & _BITS
        return result & _BITS

    def run(self, hashes: list[int]) -> int:
        """The index of a run of tokens in the table, or -1."""
        run = hashes[0]
        for following in hashes[1:]:
            run = run * 0x2545F4914F6CDD1D + following & _BITS
            run = (run ^ run >> 32) * 0xD6E8FEB86659FD93 & _BITS
            run ^= run >> 32
        return self._index.get(run, -1)

    def scan(self, text: str, caseless: bool, apart: bool) -> list[tuple[int, int, int]]:
        """First token, last token and index of names."""
        tokens = self.tokens(text)
        found: list[tuple[int, int, int]] = []
        for first, token in enumerate(tokens):
            if not caseless and not token.upper:
                continue
            if apart and found and first <= found[-1][1]:
                continue
            best = None
            for last in range(first, min(first + LONGEST, len(tokens))):
                if last > first and not tokens[last - 1].joined:
                    break
                index = self.run([one.hash for one in tokens[first : last + 1]])
                if index >= 0 and self._flags[index] & IS_NAME:
                    best = first, last, index
                if index < 0 or not self._flags[index] & IS_PREFIX:
                    break
            if best and not (apart and self._cuts(text, token.start, tokens[best[1]].end)):
                found.append(best)
        return found

    def _cuts(self, text: str, start: int, end: int) -> bool:
        """Whether a name begins or ends inside a word of Katakana."""
        kana = [0x30A1 <= self.fold(char) <= 0x30FF for char in text]
        return (start > 0 and kana[start - 1] and kana[start]) or (
            end < len(text) and kana[end - 1] and kana[end]
        )
