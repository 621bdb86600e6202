"""The API over HTTP: answers, errors, compression, caching and descriptions."""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.serving import ask, get, serve
from tests.support.towns import PAGES, crawl_towns

from toponaut.app import parameters
from toponaut.app.about import AboutService
from toponaut.app.search_api import PinsResponse, SearchResponse
from toponaut.app.served_crawl import ServedCrawl
from toponaut.app.server import make_routes
from toponaut.errors import InputError
from toponaut.index import Box, Question, Search, index_folder
from toponaut.places.names.finder import NameFinder
from toponaut.records import Address

FORNO = "http://towns.test/pt/forno"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawl_towns(tmp_path_factory.mktemp("towns"))


@pytest.fixture(scope="module")
def base(root: Path) -> Iterator[str]:
    with serve(root) as url:
        yield url


# --- searching ------------------------------------------------------------------------------------


def test_a_search_answers_as_the_index_does(base: str, root: Path, finder: NameFinder) -> None:
    found = ask(base, "/api/search", q="pizza in lisbon")
    answer = Search(index_folder(root), finder).ask(Question("pizza in lisbon"))
    assert [hit["url"] for hit in found["hits"]] == [hit.url for hit in answer.hits]
    assert found["hits"][0]["url"] == FORNO
    assert found["where"]["place"]["path"] == ["Portugal", "Lisbon", "Lisbon"]
    assert any("Ohio" in other["path"] for other in found["others"])
    assert found["pages"] == len(PAGES)


def test_a_chosen_place_and_words_only(base: str) -> None:
    ohio = next(
        one["id"]
        for one in ask(base, "/api/search", q="pizza in lisbon")["others"]
        if "Ohio" in one["path"]
    )
    assert (
        ask(base, "/api/search", q="pizza in lisbon", place=ohio)["hits"][0]["url"]
        == "http://towns.test/oh/lisbon"
    )
    assert ask(base, "/api/search", q="pizza in lisbon", place=0)["where"] is None


def test_hits_are_paged(base: str) -> None:
    whole = [hit["url"] for hit in ask(base, "/api/search", q="pizza", place=0)["hits"]]
    parts = [
        ask(base, "/api/search", q="pizza", place=0, limit=1, offset=k)["hits"]
        for k in range(len(whole) + 1)
    ]
    assert len(whole) > 2
    assert [hit["url"] for part in parts for hit in part] == whole


def test_facets_of_a_place(base: str) -> None:
    """Without a query: countries and no hits. Then from a country to its states."""
    front = ask(base, "/api/search")
    assert front["hits"] == []
    assert [(facet["name"], facet["pages"]) for facet in front["facets"]][:1] == [
        ("United States", 8)
    ]
    states = ask(base, "/api/search", place=front["facets"][0]["id"])
    assert {facet["name"] for facet in states["facets"]} == {"Texas", "Georgia", "Ohio"}
    assert len(states["hits"]) == 8


def test_near_me_and_a_box(base: str) -> None:
    near = ask(base, "/api/search", q="plumbers near me", near="29.7633,-95.3628")["hits"]
    assert [hit["url"] for hit in near][:1] == ["http://towns.test/tx/plumber"]
    assert near[0]["distance_km"] < 1
    inside = ask(base, "/api/search", q="pizza", box="-9.5,38.5,-9.0,39.0", place=0)["hits"]
    assert [hit["url"] for hit in inside] == [FORNO]
    refused = get(base, "/api/search?q=plumbers+near+me")
    assert refused.status == 400
    cause, fix = '"near me" needs your location', "Give your coordinates: near=53.14,8.21"
    assert refused.json == {"error": cause, "fix": fix}


def test_pins_lead_to_hits(base: str) -> None:
    pinned = ask(base, "/api/pins", q="pizza", place=0)
    assert pinned["total"] == len(pinned["pins"]) == 4
    exact = {number: (lat, lon) for number, lat, lon, radius, _ in pinned["pins"] if radius == 0}
    assert (38.7107, -9.1372) in exact.values()
    areas = [pin for pin in pinned["pins"] if pin[3] > 0]
    assert [ask(base, "/api/hit", number=pin[0])["url"] for pin in areas] == [
        "http://towns.test/oh/lisbon"
    ]
    assert len(ask(base, "/api/pins", q="pizza", place=0, most=2)["pins"]) == 2
    assert ask(base, "/api/pins") == {"pins": [], "total": 0}
    gone = get(base, "/api/hit?number=99999")
    assert (gone.status, gone.json["error"]) == (404, "page 99999 is no longer in the index")


def test_geojson(base: str) -> None:
    answer = get(base, "/api/search.geojson?q=pizza+in+lisbon")
    assert answer.headers["content-type"] == "application/geo+json"
    assert answer.json["type"] == "FeatureCollection"
    (feature,) = answer.json["features"]
    assert feature["geometry"] == {"type": "Point", "coordinates": [-9.1372, 38.7107]}
    assert 0.5 < feature["properties"].pop("score") <= 1.0
    assert feature["properties"] == {
        "url": FORNO, "title": "Forno d'Ouro", "address": "Rua Augusta 100, 1100-053 Lisboa, PT",
        "organisation": "Forno d'Ouro",
        "phone": "", "precision": "given", "radius_km": 0.05,
        "captured": "2025-03-04T05:06:07Z",
    }  # fmt: skip


def test_towns_in_view(base: str) -> None:
    towns = ask(base, "/api/towns", box="-10,36,-6,42", most=3)["towns"]
    assert [(name, kind) for name, _, _, _, kind in towns] == [
        ("Portugal", "country"),
        ("Lisbon", "city"),
        ("Porto", "city"),
    ]
    across = ask(base, "/api/towns", box="170,-20,-170,-10", most=500)[
        "towns"
    ]  # across the 180th meridian
    assert {lon > 0 for _, _, lon, _, _ in across} == {True, False}
    assert (
        ask(base, "/api/towns", box="530,-20,550,-10", most=500)["towns"] == across
    )  # the map was dragged around the world


def test_about(base: str) -> None:
    about = ask(base, "/api/about")
    assert (about["name"], about["pages"], about["running"], about["tiles"]) == (
        "crawl",
        len(PAGES),
        False,
        None,
    )
    assert [target["name"] for target in about["targets"]] == [
        "Portugal",
        "Germany",
        "Greece",
        "United States",
    ]
    assert about["targets_total"] == 4
    west, south, east, north = about["bounds"]
    assert west < -122 < 23 < east
    assert south < 30 < 53 < north
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", about["indexed"])
    assert about["examples"]
    for query in about["examples"]:
        assert ask(base, "/api/search", q=query)["hits"], query


def test_pages_near_a_page(base: str) -> None:
    near = ask(base, "/api/page", url="http://towns.test/tx/plumber")["near"]
    assert near["in_space"][0]["url"] == "http://towns.test/tx/tower"
    assert "http://towns.test/tx/glasses" in {one["url"] for one in near["in_hierarchy"]}


# --- errors ---------------------------------------------------------------------------------------

BAD = [
    ("search", "limit", ["0", "101", "-1", "x", "nan", "1.5", "1e9", "9" * 400, "١", "\0",
                         "1 OR 1=1"]),
    ("search", "offset", ["-1", "4901", "inf", "x"]),
    ("search", "place", ["-5", "x", "nan", "9" * 40, "123456789", str(2**63), str(2**53)]),
    ("search", "near", ["1", "1,2,3", "nan,nan", "inf,0", "91,0", "0,181", "a,b", "1e5,0",
                        ",", "1;2", "0x1,0x2", "１,２"]),
    ("search", "box", ["1", "1,2,3", "0,50,1,40", "nan,nan,nan,nan", "0,-91,1,0", "0,0,1,inf",
                       "a,b,c,d", "0,0,0,0,0"]),
    ("pins", "most", ["0", "5001", "x"]),
    ("pins", "box", ["1,2"]),
    ("search.geojson", "near", ["nan,0"]),
    ("hit", "number", ["-1", "x", "1.5", "9" * 30]),
    ("towns", "most", ["0", "501"]),
    ("towns", "box", ["", "x", "0,0,0"]),
    ("page", "url", ["", "x" * 5000, "javascript:alert(1)", "mailto:a@b.example", "http://",
                     "file:///etc/passwd"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "name", "value"), [(p, n, v) for p, n, many in BAD for v in many], ids=repr
)
def test_a_wrong_parameter_is_reported_with_its_fix(
    base: str, path: str, name: str, value: str
) -> None:
    said = {"q": "pizza", "box": "0,0,1,1", name: value} if path != "hit" else {name: value}
    answer = get(base, f"/api/{path}?{urlencode(said)}")
    assert answer.status == 400, answer.body
    fault = answer.json
    assert set(fault) == {"error", "fix"}
    assert fault["error"]
    assert fault["fix"]
    assert "\n" not in fault["error"] + fault["fix"]
    assert len(answer.body) < 500


@pytest.mark.parametrize("path", ["/api/hit", "/api/page", "/api/towns", "/archived"])
def test_a_missing_parameter_is_named(base: str, path: str) -> None:
    answer = get(base, path)
    assert answer.status == 400
    assert answer.json["error"].endswith("is missing")


@settings(max_examples=60)
@given(
    path=st.sampled_from(["search", "pins", "search.geojson", "towns", "hit"]),
    said=st.dictionaries(
        st.sampled_from(["q", "place", "near", "box", "limit", "offset", "most", "number"]),
        st.one_of(
            st.text(max_size=30),
            st.integers().map(str),
            st.floats().map(str),
            st.just("38.7,-9.1"),
            st.just("-9,38,-8,39"),
        ),
    ),
)
def test_no_parameters_break_it(base: str, path: str, said: dict[str, str]) -> None:
    answer = get(base, f"/api/{path}?{urlencode(said, errors='surrogatepass')}")
    assert answer.status in (200, 400, 404), answer.body
    assert answer.status == 200 or set(answer.json) == {"error", "fix"}


def test_reading_parameters() -> None:
    """Golden examples."""
    assert parameters.read_parameters(
        {"q": "pizza", "limit": "", "place": "0"}, parameters.SearchParameters
    ) == parameters.SearchParameters("pizza", 0)
    assert parameters.parse_point("38.71,-9.14") == (38.71, -9.14)
    assert parameters.parse_point("1e-7,0") == (1e-7, 0.0)
    assert parameters.parse_box("-9.3,38.6,-9,38.8") == Box(38.6, -9.3, 38.8, -9.0)
    assert parameters.parse_box("170,-10,190,10") == Box(-10.0, 170.0, 10.0, -170.0)
    assert parameters.parse_box("-400,-90,400,90") == Box(-90.0, -180.0, 90.0, 180.0)
    with pytest.raises(
        InputError, match=r'^limit is "1{40}\.\.\."\. Give limit: a whole number from 1 to 100$'
    ):
        parameters.read_parameters({"limit": "1" * 50}, parameters.SearchParameters)


# --- responses ------------------------------------------------------------------------------------


def test_long_responses_are_compressed(base: str) -> None:
    packed = get(base, "/api/search?q=pizza", accept_encoding="br, gzip")
    assert packed.headers["content-encoding"] == "gzip"
    assert json.loads(gzip.decompress(packed.body)) == get(base, "/api/search?q=pizza").json
    assert int(packed.headers["content-length"]) == len(packed.body)
    for accepted in ("gzip;q=0", "identity", "br"):
        assert (
            "content-encoding"
            not in get(base, "/api/search?q=pizza", accept_encoding=accepted).headers
        )
    assert "content-encoding" not in get(base, "/health", accept_encoding="gzip").headers
    assert (
        get(base, f"/api/page?url={quote(FORNO)}", accept_encoding="gzip").headers[
            "content-encoding"
        ]
        == "gzip"
    )


@pytest.mark.parametrize(
    "path",
    ["/", "/api/search?q=pizza", "/static/maplibre/maplibre-gl.js", f"/archived?url={FORNO}"],
)
def test_unchanged_responses_are_not_sent_again(base: str, path: str) -> None:
    first = get(base, path)
    again = get(base, path, if_none_match=f'"other", {first.headers["etag"]}')
    assert (again.status, again.body) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert get(base, path, if_none_match='W/"other"').body == first.body


def test_static_files(base: str) -> None:
    script = get(base, "/static/maplibre/maplibre-gl.js", accept_encoding="gzip")
    assert script.headers["content-type"] == "text/javascript; charset=utf-8"
    assert b"MapLibre GL JS" in gzip.decompress(script.body)[:300]
    assert len(script.body) < 280_000
    plain = get(base, "/static/maplibre/maplibre-gl.js")
    assert plain.body == gzip.decompress(script.body)
    assert get(base, "/static/nothing.js").status == 404


def test_head_and_other_methods(base: str) -> None:
    head = get(base, "/api/search?q=pizza", method="HEAD")
    assert (head.status, head.body) == (200, b"")
    assert head.headers["etag"] == get(base, "/api/search?q=pizza").headers["etag"]
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"):
        answer = get(base, "/api/search?q=pizza", method=method)
        assert answer.status == 405, method
        assert answer.headers["allow"] == "GET, HEAD"
        assert answer.json["fix"] == "Use GET"


def test_health(base: str) -> None:
    assert ask(base, "/health") == {"status": "ok"}


# --- descriptions ---------------------------------------------------------------------------------


def test_the_description_matches_the_api(base: str) -> None:
    """Every described path answers, and every described parameter is checked."""
    described = ask(base, "/openapi.json")
    assert described["openapi"] == "3.1.0"
    for path in ("search", "search.geojson", "pins", "hit", "page", "towns", "about", "crawl"):
        assert f"/api/{path}" in described["paths"]
    for path, operations in described["paths"].items():
        required = {one["name"]: "1" for one in operations["get"]["parameters"] if one["required"]}
        required |= {
            name: value for name, value in (("url", FORNO), ("box", "0,0,1,1")) if name in required
        }
        answer = get(base, f"{path}?{urlencode(required)}")
        media = answer.headers["content-type"].partition(";")[0]
        assert answer.status == 200, path
        assert media in operations["get"]["responses"]["200"]["content"], path
    limits = {
        one["name"]: one["schema"] for one in described["paths"]["/api/search"]["get"]["parameters"]
    }
    assert (limits["limit"]["minimum"], limits["limit"]["maximum"], limits["limit"]["default"]) == (
        1,
        100,
        10,
    )


def test_every_route_is_described(base: str, root: Path, finder: NameFinder) -> None:
    crawl = ServedCrawl(root, finder)
    paths = {route.path for route in make_routes(crawl, AboutService(crawl), token=False)}
    pages = {"/", "/dashboard", "/changes", "/feed.atom", "/favicon.ico", "/static/{name:path}"}
    pages |= {"/tiles/outlines/{zoom:int}/{x:int}/{y:int}"}
    assert paths - pages == ask(base, "/openapi.json")["paths"].keys()


def test_every_reference_of_the_description_exists(base: str) -> None:
    text = get(base, "/openapi.json").body.decode()
    schemas = json.loads(text)["components"]["schemas"]
    references = set(re.findall(r'"#/components/schemas/([^"]+)"', text))
    assert (
        {SearchResponse.__name__, PinsResponse.__name__, Address.__name__}
        <= references
        <= set(schemas)
    )


def test_a_browser_can_search_from_its_address_bar(base: str) -> None:
    text = get(base, "/opensearch.xml").body.decode()
    template = re.search(r'type="application/json" template="([^"]+)"', text)
    assert template
    url = template[1].replace("&amp;", "&").replace("{searchTerms}", "pizza+in+lisbon")
    url = url.replace("{count?}", "").replace("{startIndex?}", "")
    parts = urlsplit(url)
    assert get(base, f"{parts.path}?{parts.query}").json["hits"][0]["url"] == FORNO
