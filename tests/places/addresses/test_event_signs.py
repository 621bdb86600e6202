"""Signs of events: the quick look must not miss what the patterns find."""

from hypothesis import given
from hypothesis import strategies as st

from toponaut.places.addresses.owners.event_signs import VENUE_LABEL, has_event_sign, is_venue_label
from toponaut.places.addresses.owners.name_form import DATE

PIECES = (
    "June 27", "27. Juni", "5 februari 2024", "08.06.2024", "8/6/24", "2024-06-08", "12 août",
    "Déc. 3", "3rd", "Sept 4th", "\u017feptember 9", "O\u212aT 1", "Venue:", "where?", "Ort", "wo",
    "Miejsce?", "Oak St", "10 am", "555-0100", "1204", "\u0663 May", "\n", "\n", " ", ".", "-", "x",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=8), st.integers(0, 12), st.integers(0, 12))
def test_as_the_patterns(pieces: list[str], start: int, less: int) -> None:
    text = "".join(pieces)
    stop = len(text) - less
    found = DATE.search(text, start, stop) or VENUE_LABEL.search(text, start, stop)
    assert has_event_sign(text, start, stop) == bool(start < stop and found)


def test_examples() -> None:
    assert has_event_sign("Concert\nJune 27\n8 Oak St", 8, 15)
    assert has_event_sign("Concert\nWhere:\n8 Oak St", 7, 14)
    assert not has_event_sign("Concert June 27", 0, 14 - 2)
    assert not has_event_sign("Acme Tools\nCall 555-0100, open 10 am - 5 pm\n", 0, 43)
    assert is_venue_label("Where?")
    assert not is_venue_label("Whereabouts")
