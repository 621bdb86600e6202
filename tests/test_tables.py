"""The shipped tables: sizes, keys, and rows checked by hand against maps and post offices."""

import gzip
from functools import cache
from importlib.resources import files

import pytest

TABLES = files("toponaut") / "data" / "tables"
COLUMNS = {
    "admin1": ("country", "code", "id", "iso", "lat", "lon", "point", "names"),
    "cities": ("id", "feature", "county"),
    "counties": ("fips", "lat", "lon"),
    "countries": ("country", "id", "lat", "lon", "point"),
    "postcodes": ("country", "postcode", "lat", "lon", "city"),
    "wordnet": ("synset", "lemmas", "category", "part_of", "lat", "lon", "id"),
    "words": ("word", "common", "given", "surname"),
}
KEY_COLUMNS = {"admin1": 2, "postcodes": 2}  # the first column elsewhere
ROWS = {
    "admin1": 3800,
    "cities": 100_000,
    "counties": 3200,
    "countries": 249,
    "postcodes": 110_000,
    "wordnet": 2900,
    "words": 40_000,
}


@cache
def rows(table: str) -> list[list[str]]:
    text = gzip.decompress((TABLES / f"{table}.tsv.gz").read_bytes()).decode()
    return [line.split("\t") for line in text.splitlines()]


@cache
def by_key(table: str) -> dict[tuple[str, ...], dict[str, str]]:
    width = KEY_COLUMNS.get(table, 1)
    return {tuple(row[:width]): dict(zip(COLUMNS[table], row, strict=True)) for row in rows(table)[1:]}


def near(row: dict[str, str], lat: float, lon: float, degrees: float) -> bool:
    return abs(float(row["lat"]) - lat) < degrees and abs(float(row["lon"]) - lon) < degrees


@pytest.mark.parametrize("table", COLUMNS)
def test_a_table_is_small_whole_and_has_unique_keys(table: str) -> None:
    assert len((TABLES / f"{table}.tsv.gz").read_bytes()) < 1_000_000
    assert tuple(rows(table)[0]) == COLUMNS[table]
    assert len(rows(table)) > ROWS[table]
    assert len(by_key(table)) == len(rows(table)) - 1
    assert rows(table)[1:] == sorted(rows(table)[1:], key="\t".join)


@pytest.mark.parametrize("table", ["admin1", "counties", "countries", "postcodes", "wordnet"])
def test_points_lie_on_the_globe(table: str) -> None:
    located = [row for row in by_key(table).values() if row["lat"]]
    assert located
    assert all(-90 <= float(row["lat"]) <= 90 and -180 <= float(row["lon"]) <= 180 for row in located)


def test_the_notice_names_every_table() -> None:
    notice = (TABLES / "NOTICE.md").read_text("utf-8")
    assert all(f"`{table}`" in notice for table in COLUMNS)
    assert "GeoNames" in notice
    assert "CC BY 4.0" in notice


@pytest.mark.parametrize(
    ("country", "code", "iso", "name"),
    [
        ("DE", "06", "DE-NI", "Niedersachsen"),
        ("DE", "02", "DE-BY", "Bayern"),
        ("PT", "14", "PT-11", "Lisboa"),
        ("AT", "09", "AT-9", "Wien"),
        ("CH", "GE", "CH-GE", "Genève"),
        ("FR", "75", "FR-NAQ", "Nouvelle-Aquitaine"),  # to others 75 is the department of Paris
        ("FR", "11", "FR-IDF", "Île-de-France"),
        ("IT", "07", "IT-62", "Latium"),
        ("ES", "51", "ES-AN", "Andalucía"),
        ("NL", "07", "NL-NH", "Noord-Holland"),
        ("BE", "VLG", "BE-VLG", "Vlaanderen"),
        ("GB", "ENG", "GB-ENG", "England"),
        ("GB", "SCT", "GB-SCT", "Schottland"),
        ("GB", "WLS", "GB-WLS", "Cymru"),
        ("GB", "NIR", "GB-NIR", "Northern Ireland"),
        ("US", "CA", "US-CA", "California"),
        ("CA", "10", "CA-QC", "Québec"),
        ("MX", "09", "MX-CMX", "Ciudad de México"),
        ("MX", "15", "MX-MEX", "México"),
        ("BR", "27", "BR-SP", "São Paulo"),
        ("AU", "02", "AU-NSW", "New South Wales"),
        ("IN", "19", "IN-KA", "Karnataka"),
        ("JP", "12", "JP-01", "Hokkaido"),
    ],
)
def test_divisions_have_their_iso_code_and_native_name(country: str, code: str, iso: str, name: str) -> None:
    division = by_key("admin1")[country, code]
    assert division["iso"] == iso
    assert name in division["names"].split("|")


def test_an_alias_does_not_take_another_divisions_name() -> None:
    assert "Latium" not in by_key("admin1")["IT", "08"]["names"].split("|")


@pytest.mark.parametrize(
    ("country", "code", "lat", "lon"),
    [("DE", "06", 52.8, 9.1), ("US", "HI", 20.8, -156.4), ("JP", "47", 26.5, 128.0), ("FR", "94", 42.2, 9.1)],
)
def test_divisions_lie_where_they_are(country: str, code: str, lat: float, lon: float) -> None:
    assert near(by_key("admin1")[country, code], lat, lon, 0.5)


@pytest.mark.parametrize(
    ("country", "lat", "lon"),
    [
        ("US", 39.76, -98.5),
        ("RU", 60, 100),
        ("CA", 60.10867, -113.64258),
        ("DE", 51.5, 10.5),
        ("HK", 22.4, 114.2),
    ],
)
def test_countries_lie_where_geonames_puts_them(country: str, lat: float, lon: float) -> None:
    assert near(by_key("countries")[country,], lat, lon, 0.1)


@pytest.mark.parametrize(
    ("place", "feature", "county"),
    [
        ("5368361", "PPLA2", "06037"),  # Los Angeles, Los Angeles County
        ("4155966", "PPLA2", "12011"),  # Fort Lauderdale, Broward County
        ("2267057", "PPLC", ""),  # Lisbon
        ("2950159", "PPLC", ""),  # Berlin
    ],
)
def test_towns_have_feature_and_county(place: str, feature: str, county: str) -> None:
    assert by_key("cities")[place,] == {"id": place, "feature": feature, "county": county}


def test_every_county_of_a_town_has_a_point() -> None:
    counties = {town["county"] for town in by_key("cities").values()} - {""}
    assert len(counties) > 3000
    assert counties <= {fips for (fips,) in by_key("counties")}
    assert near(by_key("counties")["06037",], 34.2, -118.2, 0.3)


@pytest.mark.parametrize(
    ("country", "code", "city", "lat", "lon"),
    [
        ("DE", "26121", "Oldenburg", 53.15, 8.21),
        ("AT", "1010", "Wien", 48.21, 16.37),
        ("CH", "8001", "Zürich", 47.37, 8.55),
        ("FR", "75001", "Paris", 48.86, 2.34),
        ("NL", "1012", "Amsterdam", 52.37, 4.89),
        ("GB", "SW1A", "London", 51.50, -0.13),
        ("GB", "LS1", "Leeds", 53.80, -1.55),
        ("CA", "M5V", "Toronto", 43.65, -79.38),
        ("PT", "1100", "Lisboa", 38.72, -9.14),
        ("IT", "00184", "Roma", 41.89, 12.49),
        ("AU", "0800", "Darwin", -12.46, 130.84),  # not 800
    ],
)
def test_postcodes_lie_in_their_town(country: str, code: str, city: str, lat: float, lon: float) -> None:
    row = by_key("postcodes")[country, code]
    assert row["city"] == city
    assert near(row, lat, lon, 0.06)


def test_us_zip_codes_are_left_to_their_package() -> None:
    assert "US" not in {country for country, _ in by_key("postcodes")}


def synset(lemma: str, category: str) -> dict[str, str]:
    found = [row for row in by_key("wordnet").values() if lemma in row["lemmas"].split("|")]
    return next(row for row in found if row["category"] == category)


def test_wordnet_leads_from_lisbon_to_portugal() -> None:
    lisbon, portugal = synset("Lisbon", "capital"), synset("Portugal", "country")
    assert lisbon["part_of"].split() == [portugal["synset"]]
    assert lisbon["id"] == "2267057"
    assert near(lisbon, 38.72, -9.14, 0.05)


def test_wordnet_tells_the_two_georgias_apart() -> None:
    assert synset("Georgia", "state")["id"] == "4197000"
    assert synset("Georgia", "country")["id"] == "614540"


@pytest.mark.parametrize(
    ("categories", "share"), [({"city", "capital"}, 0.948), ({"country"}, 0.92), ({"state"}, 0.75)]
)
def test_most_of_wordnets_places_are_joined(categories: set[str], share: float) -> None:
    places = [row for row in by_key("wordnet").values() if row["category"] in categories]
    assert sum(bool(row["id"]) for row in places) / len(places) >= share


@pytest.mark.parametrize(
    ("word", "common"), [("of", 9), ("und", 9), ("reading", 7), ("mobile", 3), ("turkey", 3), ("phoenix", 1)]
)
def test_common_words(word: str, common: int) -> None:
    assert by_key("words")[word,]["common"] == str(common)


def test_names_of_people() -> None:
    assert by_key("words")["james",] == {"word": "james", "common": "0", "given": "13", "surname": "8"}
    assert by_key("words")["washington",]["surname"] == "8"
    assert by_key("words")["paris",]["common"] == "0"  # capital letters only: no common word
