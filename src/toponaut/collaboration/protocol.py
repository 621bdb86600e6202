"""What every collaboration is: links of a judged page in, the nodes that are to fetch each out."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from toponaut.records import Judged, Link


class Assigned(NamedTuple):
    """A collaboration's answer for one link."""

    owners: tuple[str, ...]  # names of nodes
    why: str


class Collaboration(Protocol):
    """Gives every link its owners."""

    def assign(self, judged: Judged, links: Sequence[Link]) -> list[Assigned]:
        """The answers for links of a page."""
        ...
