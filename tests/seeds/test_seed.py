"""The normal form of seeds: addresses, tables, merging."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toponaut.errors import InputError
from toponaut.seeds.seed import Seed, from_tsv, make_seed, merge, to_tsv


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("https://www.example.org", "https://www.example.org/"),
        (" HTTP://Example.org/Kontakt ", "http://example.org/Kontakt"),
        ("www.example.org/a", "https://www.example.org/a"),
        ("example.org", "https://example.org/"),
        ("mailto:a@example.org", None),
        ("see example.org", None),
        ("yes", None),
        ("", None),
        (None, None),
        (7, None),
    ],
)
def test_addresses_are_read_as_people_write_them(written: object, normal: str | None) -> None:
    seed = make_seed(written, "osm")
    assert (seed.url if seed else None) == normal


def test_impossible_coordinates_are_left_out() -> None:
    assert make_seed("a.example", "osm", lat="53.1", lon="8.2") == Seed(
        "https://a.example/", "osm", lat=53.1, lon=8.2
    )
    for lat, lon in (("91", "0"), ("x", "0"), ("1", ""), (None, 3), ("nan", "1")):
        seed = make_seed("a.example", "osm", lat=lat, lon=lon)
        assert seed is not None
        assert (seed.lat, seed.lon) == (None, None), (lat, lon)


texts = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=20).map(
    lambda text: " ".join(text.split())
)
seeds = st.builds(
    Seed,
    url=st.sampled_from(["https://a.example/", "http://b.example/x?y=1", "https://c.example/%C3"]),
    source=st.sampled_from(["osm", "osm,list"]),
    name=texts,
    category=texts,
    lat=st.one_of(st.none(), st.floats(-90, 90)),
    lon=st.just(1.5),
    id=st.sampled_from(["", "osm:node/1"]),
).map(lambda seed: seed if seed.lat is not None else Seed(seed.url, seed.source, seed.name))


@given(st.lists(seeds))
def test_a_table_gives_back_the_seeds(written: list[Seed]) -> None:
    assert list(from_tsv(to_tsv(written), "seeds.tsv")) == written


def test_a_table_without_addresses_is_refused() -> None:
    with pytest.raises(InputError, match='no column "url"'):
        list(from_tsv("name\tcity\nRoma\tOldenburg\n", "seeds.tsv"))


def test_a_page_under_several_addresses_is_one_seed() -> None:
    merged = merge(
        [
            Seed("http://www.roma.example/", "osm", "", "restaurant", 53.1, 8.2, "osm:node/1"),
            Seed(
                "https://roma.example",
                "overture",
                "Pizzeria Roma",
                "pizza",
                53.2,
                8.3,
                "overture:x",
            ),
            Seed("https://roma.example/karte", "list"),
        ]
    )
    assert merged == [
        Seed(
            "https://roma.example", "osm,overture", "Pizzeria Roma", "restaurant",
            53.1, 8.2, "osm:node/1,overture:x",
        ),
        Seed("https://roma.example/karte", "list"),
    ]  # fmt: skip
