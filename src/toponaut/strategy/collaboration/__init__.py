"""Collaborations: *which node* fetches a link. One module each, with one `assign`; no I/O."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from toponaut.records import JudgedPage, Link
from toponaut.strategy import Learner

__all__ = ["Assignment", "Collaboration"]


class Assignment(NamedTuple):
    """A collaboration's answer for one link."""

    owners: tuple[str, ...]  # names of nodes
    why: str
    memo: bytes = b""  # returned in the `Visit` of the link's page; at most 900 bytes


class Collaboration(Learner, ABC):
    """Gives every link its owners."""

    by_url_alone: ClassVar[bool] = False
    """Whether a URL has the same owners wherever it is found. If not, the target of a redirect
    stays with the node that followed it."""

    one_owner: bool = False
    """Whether a URL stays with the node that was given it first, so that no page is fetched
    twice. On a cluster an actor knows this of its own URLs alone."""

    @abstractmethod
    def assign(self, judged: JudgedPage, links: Sequence[Link]) -> list[Assignment]:
        """The owners of links of a page."""
