"""What is read of a link: words in five fields, the same alone and among others."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toponaut.places.gazetteer.cache import open_names
from toponaut.places.names.tokens import CHUNK
from toponaut.records import Link
from toponaut.strategy.ordering.link_terms import read_links, rows_of

TOKENISER = open_names().gazetteer.names.tokeniser
PAGE = "http://www.a.co.uk/index.html"


def terms(*links: Link, text: str = "") -> list[dict[str, set[int]]]:
    """For each link of a page with this text its words, with the rows of each."""
    found = read_links(TOKENISER, PAGE, text, links)
    said = list(zip(found.as_text(np.arange(len(found.rows))), found.rows.tolist(), strict=True))
    return [
        {
            word: {row for other, row in said[start:end] if other == word}
            for word, _ in said[start:end]
        }
        for start, end in pairwise(found.starts.tolist())
    ]


def test_the_words_of_a_link() -> None:
    link = Link(
        "http://Shop.a.co.uk/Imprint/caf%C3%A9.html?id=7",
        PAGE,
        "Contact us",
        "Our address",
        start=5,
        end=15,
    )
    [words] = terms(link, text="call contact us today")
    assert set(words) == set(
        "shop a co uk imprint café html id 7 contact us our address call today samedomain".split()
    )


def test_a_word_is_another_term_in_another_field_and_counts_once_in_each() -> None:
    link = Link(
        "http://contact.test/contact/contact", PAGE, "contact CONTACT", "Contact", start=8, end=23
    )
    [words] = terms(link, text="contact contact CONTACT contact")
    assert len(words["contact"]) == 4  # host, path, anchor with title, around on either side
    [path] = terms(Link("http://b.test/contact", PAGE))
    [anchor] = terms(Link("http://b.test/", PAGE, "contact"))
    [after] = terms(Link("http://b.test/", PAGE, start=0, end=0), text="contact")
    assert words["contact"] >= path["contact"] | anchor["contact"] | after["contact"]
    assert len(path["contact"] | anchor["contact"] | after["contact"]) == 3


def test_the_eight_words_nearest_to_a_link_count() -> None:
    before = " ".join(f"b{number}" for number in range(25))
    after = " ".join(f"a{number}" for number in range(25))
    [words] = terms(
        Link("http://b.test/", PAGE, start=len(before), end=len(before)), text=f"{before} {after}"
    )
    assert {f"b{number}" for number in range(25)} & set(words) == {
        f"b{number}" for number in range(17, 25)
    }
    assert {f"a{number}" for number in range(25)} & set(words) == {
        f"a{number}" for number in range(8)
    }


@pytest.mark.parametrize(
    ("url", "word"),
    [
        ("http://www.a.co.uk/b", "samedomain"),
        ("https://shop.a.co.uk/", "samedomain"),
        ("http://a.co.uk:8080/", "samedomain"),
        ("http://www.b.co.uk/", "otherdomain"),
        ("http://[::1]/", "otherdomain"),
    ],
)
def test_the_domain_is_the_registered_one(url: str, word: str) -> None:
    [words] = terms(Link(url, PAGE))
    assert {"samedomain", "otherdomain"} & set(words) == {word}


def test_a_link_of_many_words_has_a_short_memo() -> None:
    long = Link(
        "http://b.test/" + "/".join(f"p{n}" for n in range(400)),
        PAGE,
        " ".join(map(str, range(9999))),
    )
    [alone] = read_links(TOKENISER, PAGE, "", [long]).memos()
    assert len(alone) <= 150
    many = read_links(
        TOKENISER, PAGE, "", [long] * 1000
    )  # far more text than the tokeniser takes at once
    assert len(many.text) > 3 * CHUNK
    assert set(many.memos()) == {alone}


links_of_any_kind = st.lists(
    st.builds(
        Link,
        st.sampled_from(
            [
                "http://www.a.co.uk/x",
                "http://b.test/%FF%20ü?q=1",
                "https://[::1]:80/",
                "http://1.2.3.4/a/b",
            ]
        ),
        st.just(PAGE),
        *[st.text(max_size=30)] * 2,
        st.just(()),
        *[st.integers(-1, 80)] * 2,
    ),
    min_size=1,
    max_size=6,
)


@given(st.text(max_size=160), links_of_any_kind)
def test_a_link_reads_alike_alone_and_among_others(text: str, links: list[Link]) -> None:
    found = read_links(TOKENISER, PAGE, text, links)
    memos = found.memos()
    assert memos == [
        memo for link in links for memo in read_links(TOKENISER, PAGE, text, [link]).memos()
    ]
    assert np.concatenate([rows_of(memo) for memo in memos]).tolist() == found.rows.tolist()
    assert all(len(set(rows_of(memo).tolist())) == len(memo) // 3 > 0 for memo in memos)
