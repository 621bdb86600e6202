"""What a crawl has done so far, counted visit by visit: a fold over the log like all else."""

from collections import Counter

from msgspec import Struct, field

from toponaut.records import PAGES, Outcome, Visit

# Requests that brought no page and no list of pages.
FAULTS = frozenset(
    {
        Outcome.GONE,
        Outcome.CLIENT_ERROR,
        Outcome.SERVER_ERROR,
        Outcome.NO_HOST,
        Outcome.NO_CONNECTION,
        Outcome.NO_TLS,
        Outcome.TIMEOUT,
        Outcome.BROKEN,
        Outcome.UNREADABLE,
        Outcome.TOO_LARGE,
    }
)


class Totals(Struct):
    """Counts of one node or of a whole crawl."""

    visits: int = 0
    pages: int = 0
    relevant: int = 0
    addresses: int = 0
    links: int = 0  # found and taken into a frontier
    size: int = 0  # bytes received
    sent: int = 0  # links to other nodes
    messages: int = 0  # that carried them
    message_bytes: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)

    def add(self, visit: Visit) -> None:
        self.visits += 1
        self.pages += visit.outcome in PAGES
        self.relevant += visit.relevant
        self.addresses += len(visit.addresses)
        self.links += len(visit.links)
        self.size += visit.size
        self.sent += visit.sent
        self.messages += visit.messages
        self.message_bytes += visit.message_bytes
        self.outcomes[str(visit.outcome)] += 1  # a tenth of the time that .value takes
        for one in visit.refused:
            self.refused[one.why.value] += 1

    @property
    def faults(self) -> int:
        return sum(self.outcomes[outcome] for outcome in FAULTS)

    @property
    def harvest(self) -> float:
        """Relevant pages / downloaded pages (SPEC 2)."""
        return self.relevant / self.pages if self.pages else 0.0
