"""Quick tests of segments: as slow patterns say, on any text."""

import re

from hypothesis import given
from hypothesis import strategies as st

from toponaut.places.addresses.world.street import _LAST, is_bad, may_end_in_number, read_street

BAD = re.compile(
    r"\b0\d{3}|\s\s|[@:%€$£=§*<>!?;\"“”„…{}\[\]|+]|\d{6}|\.\.|\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}$"
)
PIECES = st.sampled_from(
    "0|1|12|12345|123456|0123|x0123|_0123|٣|²|渋谷|Oak|Street|EC2V 7RS|.|,|/|-|½|№|no.|@|€|…|\xa0"
    "| |, |\t".split("|")
)


@given(st.lists(PIECES, max_size=8).map("".join))
def test_as_the_patterns(segment: str) -> None:
    assert is_bad(segment) == (BAD.search(segment) is not None)
    assert may_end_in_number(segment) or _LAST.fullmatch(segment) is None


def test_examples() -> None:
    assert is_bad("London EC2V 7RS")
    assert is_bad("Tel. 0441 2350")
    assert not is_bad("8 Sorrel Street")
    assert not may_end_in_number("8 Sorrel Street")
    assert [one.number for one in read_street("14 Avenida 2-06")] == ["2-06", "14"]
