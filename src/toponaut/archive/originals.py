"""Which payloads are archived already, and where: so that a copy is written as a reference to its original.

The memory is bounded by forgetting: two generations, the younger one taking in what is new; when it is full it
becomes the elder, and the elder is forgotten. A forgotten payload is archived once more, which costs disk and
nothing else. Copies mostly come soon after their originals: error pages, mirrored paths, sorted lists.
"""

from xxhash import xxh3_64_intdigest

# An entry takes 108 bytes (measured with 2^18 of them), so both generations 57 MB at most.
GENERATION = 1 << 18
_OFFSET_BITS = 44  # 17 TB of offset; the file's number stands above it


class Originals:
    """Payload digests with the places of their records, a file's number and an offset."""

    def __init__(self, generation: int = GENERATION) -> None:
        self._generation = generation
        self._young: dict[int, int] = {}
        self._old: dict[int, int] = {}

    def find(self, digest: str) -> tuple[int, int] | None:
        """Where a payload may lie. Two digests may share their 64 bits: look at the record before you rely on it."""
        key = xxh3_64_intdigest(digest.encode())
        place = self._young.get(key) or self._old.get(key)
        return None if place is None else (place >> _OFFSET_BITS, place & ((1 << _OFFSET_BITS) - 1))

    def add(self, digest: str, file: int, offset: int) -> None:
        """A payload is archived here. No record begins a file (a warcinfo does), so no place is 0."""
        self._young[xxh3_64_intdigest(digest.encode())] = file << _OFFSET_BITS | offset
        if len(self._young) >= self._generation:
            self._old, self._young = self._young, {}
