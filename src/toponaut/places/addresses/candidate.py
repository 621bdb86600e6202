"""What a country's finder reports: a stretch of text that reads like an address, taken apart."""

from msgspec import Struct


class Candidate(Struct, frozen=True):
    """Parts as written; "" for what is absent. Offsets index the text that was searched."""

    start: int
    end: int
    country: str  # ISO 3166 alpha-2
    number: str = ""
    street: str = ""
    unit: str = ""
    city: str = ""
    state: str = ""  # as a code where the country writes one ("CA", "ON"), else ""
    postcode: str = ""
    place: int = 0  # id of the city's place where the finder has looked it up, else 0
    inferred: tuple[str, ...] = ()  # parts taken from elsewhere in the text
    confidence: float = 0.5
