"""What lies where in an index."""

from pathlib import Path

from msgspec import Struct


class Paths(Struct, frozen=True):
    """What lies where."""

    root: Path

    @property
    def words(self) -> Path:
        return self.root / "words"

    @property
    def pages(self) -> Path:
        return self.root / "pages"

    @property
    def parts(self) -> Path:
        return self.root / "parts"

    @property
    def marker(self) -> Path:
        return self.root / "marker.json"

    @property
    def lock(self) -> Path:
        return self.root / "lock"
