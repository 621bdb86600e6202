"""What the log says about a place over time: each fact with its first and last sight, and proof.

A place here is an organisation at an address, as in an export: it keeps its id when it moves or
changes its name. A fact is *seen* when a visit shows it, and *confirmed* when a later visit finds
its page unchanged.
"""

from msgspec import Struct, field
from xxhash import xxh3_64_hexdigest

from toponaut.places.addresses.normal import plain
from toponaut.records import Address, Visit

WATCH = "watch"  # starts the note in the log that a watch begins
FACTS = ("address", "organisation", "phone", "hours")


class Proof(Struct, frozen=True):
    """Where a proof is: the page, when it was fetched, and its record in the archive."""

    url: str
    time: float
    archive: str = ""
    offset: int = 0
    length: int = 0
    sequence: int = -1  # of the visit in the log

    @classmethod
    def of_visit(cls, visit: Visit) -> "Proof":
        where = visit.archive, visit.offset, visit.length
        return cls(visit.url, visit.time, *where, visit.sequence)


class FactSpan(Struct):
    """A value of a fact, and how long it was seen."""

    name: str  # one of FACTS
    value: str
    first_seen: float
    last_seen: float
    last_confirmed: float
    proof: Proof  # the last one that shows it


class PlaceHistory(Struct):
    """A place with all values that its facts ever had, in order."""

    id: str
    address: Address  # the newest
    facts: list[FactSpan] = field(default_factory=list)
    closed: bool = False

    @property
    def name(self) -> str:
        return self.address.organisation

    def current(self, name: str) -> FactSpan | None:
        """The newest value of a fact."""
        return next((one for one in reversed(self.facts) if one.name == name), None)

    def see(self, address: Address, visit: Visit) -> None:
        """Take what a visit shows. Empty values say nothing.

        A page that still shows an earlier address or name does not bring it back.
        """
        if place_key(address) == place_key(self.address):
            self.address = address
        for name, value in fact_values(address).items():
            if not value:
                continue
            span = self._span(name, value)
            if span is None:
                capture = Proof.of_visit(visit)
                self.facts.append(FactSpan(name, value, *(visit.time,) * 3, capture))
            else:
                span.last_seen = span.last_confirmed = max(span.last_seen, visit.time)
                span.proof = Proof.of_visit(visit)

    def confirm(self, address: Address, visit: Visit) -> None:
        """A visit found the page with this address unchanged."""
        for name, value in fact_values(address).items():
            if span := self._span(name, value):
                span.last_confirmed = max(span.last_confirmed, visit.time)

    def _span(self, name: str, value: str) -> FactSpan | None:
        same = (one for one in reversed(self.facts) if one.name == name)
        return next((one for one in same if plain(one.value) == plain(value)), None)


def fact_values(address: Address) -> dict[str, str]:
    """The facts of an address by their names."""
    values = (address.normal, address.organisation, address.phone, address.hours)
    return dict(zip(FACTS, values, strict=True))


def place_key(address: Address) -> tuple[str, str]:
    """An organisation at an address, the same for all spellings."""
    return address.normal, plain(address.organisation)


def place_id(address: Address) -> str:
    """The id of a place, as in an export."""
    return xxh3_64_hexdigest("\0".join(place_key(address)).encode())
