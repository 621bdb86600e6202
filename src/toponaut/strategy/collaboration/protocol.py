"""What every collaboration is: links of a judged page in, the nodes that are to fetch each out."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from toponaut.records import JudgedPage, Link
from toponaut.strategy.learning.learner import Learner


class Assignment(NamedTuple):
    """A collaboration's answer for one link."""

    owners: tuple[str, ...]  # names of nodes
    why: str
    memo: bytes = b""  # comes back in the `Visit` of the page behind the link; at most 900 bytes


class Collaboration(Learner, ABC):
    """Gives every link its owners."""

    by_url_alone: ClassVar[bool] = False
    """Whether a URL has the same owners wherever it is found. Otherwise what a redirect leads to stays with its node."""

    @abstractmethod
    def assign(self, judged: JudgedPage, links: Sequence[Link]) -> list[Assignment]:
        """The answers for links of a page."""
