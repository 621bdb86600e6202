"""Where payloads are archived, so that a copy can be written as a reference to its original.

Memory is bounded by two generations. When the young one is full it becomes the old one, and the old
one is dropped. A forgotten payload is archived again, which only costs disk. Most copies come soon
after their originals: error pages, mirrored paths, sorted lists.
"""

from xxhash import xxh3_64_intdigest

GENERATION = 1 << 18  # an entry takes 108 bytes, so both generations take 57 MB at most
_OFFSET_BITS = 44  # 17 TB; the file's number is in the bits above


class PayloadIndex:
    """Payload digests with the file number and offset of their records."""

    def __init__(self, generation: int = GENERATION) -> None:
        self._generation = generation
        self._young: dict[int, int] = {}
        self._old: dict[int, int] = {}

    def find(self, digest: str) -> tuple[int, int] | None:
        """File number and offset. Check the record: two digests may share their 64 bits."""
        key = xxh3_64_intdigest(digest.encode())
        packed = self._young.get(key) or self._old.get(key)
        if packed is None:
            return None
        return packed >> _OFFSET_BITS, packed & ((1 << _OFFSET_BITS) - 1)

    def add(self, digest: str, file: int, offset: int) -> None:
        """Notes an archived payload. File 0 with offset 0 cannot be stored: a warcinfo is there."""
        self._young[xxh3_64_intdigest(digest.encode())] = file << _OFFSET_BITS | offset
        if len(self._young) >= self._generation:
            self._old, self._young = self._young, {}
