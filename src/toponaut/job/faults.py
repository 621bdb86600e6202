"""A fault in a job file."""

from typing import NamedTuple

from toponaut.job.lines import Path


class JobFault(NamedTuple):
    """A fault in a job file. `keys` are the keys it concerns, if they differ from `path`."""

    path: Path
    cause: str
    fix: str
    keys: tuple[Path, ...] = ()

    def concerns(self, other: "JobFault") -> bool:
        """Whether both are about the same key, or one about a part of the other."""
        pairs = ((a, b) for a in self.keys or (self.path,) for b in other.keys or (other.path,))
        return any(a[: len(b)] == b[: len(a)] for a, b in pairs)
