"""What and where: the query parser on typical queries, and on arbitrary text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toponaut.index.query.parser import QueryParser, QueryReading, Wording
from toponaut.index.query.prepositions import Manner
from toponaut.places.names.finder import NameFinder


@pytest.fixture(scope="module")
def parser(finder: NameFinder) -> QueryParser:
    return QueryParser(finder)


def path(finder: NameFinder, reading: QueryReading) -> str:
    path = reversed(finder.gazetteer.place_at(reading.rows[0]).path)
    return ", ".join(path).replace("United States", "USA")


@pytest.mark.parametrize(
    ("query", "what", "where", "place"),
    [
        ("pizza in lisbon", "pizza", "lisbon", "Lisbon, Lisbon, Portugal"),
        ("hotels las vegas nv", "hotels", "las vegas nv", "Las Vegas, Clark County, Nevada, USA"),
        ("lisbon ohio", "", "lisbon ohio", "Ohio, USA"),
        ("restaurants in paris texas", "restaurants", "paris texas",
         "Paris, Lamar County, Texas, USA"),
        ("pizzeria oldenburg", "pizzeria", "oldenburg", "Oldenburg, Lower Saxony, Germany"),
        ("Athens public schools", "public schools", "Athens", "Athens, Attica, Greece"),
        ("hotels in nice", "hotels", "nice",
         "Nice, Alpes-Maritimes, Provence-Alpes-Côte d'Azur, France"),
        ("mobile al dentist", "dentist", "mobile al", "Mobile, Mobile County, Alabama, USA"),
        ("dentist denver co", "dentist", "denver co", "Denver, Denver County, Colorado, USA"),
        ("portland or hotels", "hotels", "portland or", "Portland, Multnomah County, Oregon, USA"),
        ("hotels in portland or salem", "hotels or salem", "portland",
         "Portland, Multnomah County, Oregon, USA"),
        ("zahnarzt 26122 oldenburg", "zahnarzt", "26122 oldenburg",
         "Oldenburg, Lower Saxony, Germany"),
        ("dentist close to the city of austin, TX", "dentist", "austin, TX",
         "Austin, Travis County, Texas, USA"),
        ("restaurantes perto de lisboa", "restaurantes", "lisboa", "Lisbon, Lisbon, Portugal"),
        ("tours in lisbon", "tours", "lisbon", "Lisbon, Lisbon, Portugal"),
        ("tacos east austin", "tacos", "east austin", "Austin, Travis County, Texas, USA"),
        ("piscine a oldenburg", "piscine", "oldenburg", "Oldenburg, Lower Saxony, Germany"),
    ],
)  # fmt: skip
def test_what_and_where(
    parser: QueryParser, finder: NameFinder, query: str, what: str, where: str, place: str
) -> None:
    best = parser.readings(query)[0]
    assert (best.what, best.where) == (what, where)
    assert path(finder, best).endswith(place)
    assert best.wording > Wording.DOUBTFUL


@pytest.mark.parametrize(
    "query",
    [
        "reading glasses",
        "mobile phone repair",
        "nice hotels",
        "used cars",
        "guided tours",
        "houston street",
        "orange juice",
        "a nice restaurant",
    ],
)
def test_common_words_are_doubtful_places(parser: QueryParser, query: str) -> None:
    assert all(reading.wording is Wording.DOUBTFUL for reading in parser.readings(query))


@pytest.mark.parametrize(
    ("query", "what", "km"),
    [
        ("within 5 km of oldenburg", "", 5.0),
        ("pizza within 5 miles of downtown houston tx", "pizza", 8.04672),
        ("hotels im umkreis von 500 m um oldenburg", "hotels", 0.5),
        ("cafés 2,5 km from lisbon", "cafés", 2.5),
    ],
)
def test_a_distance(parser: QueryParser, query: str, what: str, km: float) -> None:
    best = parser.readings(query)[0]
    assert (best.manner, best.what) == (Manner.WITHIN, what)
    assert best.radius_km == pytest.approx(km)


@pytest.mark.parametrize(
    "query",
    ["coffee near me", "coffee nearby", "near me", "Kaffee in meiner Nähe", "café perto de mim"],
)
def test_near_the_user(parser: QueryParser, query: str) -> None:
    best = parser.readings(query)[0]
    assert best.here
    assert "near" not in best.what.lower()


def test_near_the_user_with_a_distance(parser: QueryParser) -> None:
    best = parser.readings("coffee within 2 km of me")[0]
    assert (best.here, best.what, best.radius_km) == (True, "coffee", 2.0)


@pytest.mark.parametrize(
    ("query", "spot", "town"),
    [
        ("plumbers near 100 milam street houston", "100 milam street", "Houston"),
        ("near 221b baker street london pubs", "221b baker street", "London"),
        ("pizza 100 milam st, houston, tx 77002", "100 milam st", "Houston"),
        ("pizzeria nahe lange straße 5 oldenburg", "lange straße 5", "Oldenburg"),
        ("barber peachtree street atlanta", "peachtree street", "Atlanta"),
        ("barber near n peachtree street atlanta", "n peachtree street", "Atlanta"),
        ("washington dc 14th street bars", "14th street", "Washington"),
        ("gottesdienst berlin bernauer strasse", "bernauer strasse", "Berlin"),
        ("friseur bahnhofstraße oldenburg", "bahnhofstraße", "Oldenburg"),
        ("coiffeur rue sommeiller annecy", "rue sommeiller", "Annecy"),
        ("friseur koeln ehrenfeld", "ehrenfeld", "Köln"),
        ("dentist near squirrel hill pittsburgh", "squirrel hill", "Pittsburgh"),
        ("coffee wicker park chicago", "wicker park", "Chicago"),
        ("sushi upper east side new york", "upper east side", "New York City"),
        ("car theft masterson station lexington", "masterson station", "Lexington"),
        ("apartments central west end st louis", "central west end", "St. Louis"),
        ("burglary tates creek lexington ky", "tates creek", "Lexington"),
        ("tacos east austin", "", "Austin"),
        ("dog park chicago il", "", "Chicago"),
        ("gas station houston tx", "", "Houston"),
        ("bäcker in der nähe vom bahnhof oldenburg", "bahnhof", "Oldenburg"),
        ("baecker in der naehe vom bahnhof oldenburg", "bahnhof", "Oldenburg"),
        ("bäcker am bahnhof oldenburg", "bahnhof", "Oldenburg"),
        ("boulangerie près de la gare annecy", "gare", "Annecy"),
        ("boulangerie pres de la gare annecy", "gare", "Annecy"),
    ],
)
def test_a_spot(parser: QueryParser, finder: NameFinder, query: str, spot: str, town: str) -> None:
    best = parser.readings(query)[0]
    assert best.spot.lower() == spot
    assert finder.gazetteer.place_at(best.rows[0]).name == town
    assert best.wording is Wording.EXPLICIT


@pytest.mark.parametrize(
    "query", ["pizza lisbon delivery", "degree in nursing chicago", "dog park houston"]
)
def test_words_beside_a_town_are_no_spot(parser: QueryParser, query: str) -> None:
    best = parser.readings(query)[0]
    assert not best.spot
    assert best.wording is not Wording.DOUBTFUL


@pytest.mark.parametrize(
    ("query", "what", "region"),
    [
        ("wineries hudson valley", "wineries", "Hudson Valley"),
        ("wineries in the hudson valley ny", "wineries", "Hudson Valley"),
        ("ferienwohnung allgau", "ferienwohnung", "Allgäu"),
        ("sf bay area tacos", "tacos", "Bay Area"),
    ],
)
def test_a_region(parser: QueryParser, query: str, what: str, region: str) -> None:
    best = parser.readings(query)[0]
    assert best.what == what
    assert (best.area.name if best.area else "") == region


def test_a_quarter_and_its_city(parser: QueryParser, finder: NameFinder) -> None:
    best = parser.readings("community board park slope brooklyn")[0]
    assert (best.what, best.where, best.settled) == ("community board", "park slope brooklyn", True)
    assert path(finder, best).startswith("Park Slope, Kings County")


def test_a_rare_word_at_the_end_is_a_name(parser: QueryParser) -> None:
    best = parser.readings("thrift store anchorage")[0]
    assert (best.what, best.where, best.wording) == ("thrift store", "anchorage", Wording.BARE)


_PIECES = st.sampled_from(
    "rue am straße bahnhofstr park hudson valley ny".split()
    + "pizza hotels in near within 5 km of lisbon ohio or me texas 100 milam street houston".split()
    + "; , the city new york oldenburg 26122 reading münchen 東京 são paulo d'or -- '".split()
    + ['"', *"()*:^ßİŉ", "AND", "\x00", "\u202e"]
)


@given(st.lists(_PIECES, max_size=12).map(" ".join) | st.text(max_size=60))
def test_every_word_of_a_query_is_somewhere(parser: QueryParser, query: str) -> None:
    """It never raises, and what, preposition and where hold exactly the words of the query."""
    wanted = sorted(letters(query))
    readings = parser.readings(query)
    assert not readings[-1].where
    for reading in readings:
        assert sorted(letters(f"{reading.what} {reading.preposition} {reading.where}")) == wanted


def letters(text: str) -> list[str]:
    """Letters and digits: words are not always separated by spaces ("1²" is two)."""
    return [char for char in text if char.isalnum()]
