"""A quick pattern finds what its pattern finds."""

import re

from hypothesis import given
from hypothesis import strategies as st

from toponaut.places.addresses.owners import name_form
from toponaut.places.addresses.quick_pattern import QuickPattern

QUICK = [one for one in vars(name_form).values() if isinstance(one, QuickPattern)]
# Words of which each pattern has a match, and others.
WORDS = (
    "Acme Lamps Mon - Fri Sunday: closed sat & Sunday www.acme.com info@acme.com HTTP://acme.com "
    "Top Rated 's Best Proudly Serving Sommerfest Grand Opening Tag der offenen Tür Koch (m/w/d) "
    "Leiter/-in Brakes, Tires, and Oil & Gas since 1958 2019 now? Join us! today. Read on. "
    "؟ Troy’s finest Et Voilà! Open House open house"
).split(" ")


def test_there_are_quick_patterns() -> None:
    assert len(QUICK) >= 8


@given(st.lists(st.sampled_from(WORDS), max_size=7))
def test_a_quick_pattern_misses_nothing(words: list[str]) -> None:
    text = " ".join(words)
    for one in QUICK:
        assert one.is_in(text, text.lower()) == (one.pattern.search(text) is not None)


def test_a_text_without_a_sign_is_not_searched() -> None:
    assert not QuickPattern(re.compile("rated"), "never").is_in("top rated", "top rated")
