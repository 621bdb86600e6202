"""Seeds from services, by local servers that speak their protocols, with their errors and pages."""

import json
import socket
from pathlib import Path

import pytest
from tests.support.service_server import ServiceReply, ServiceRequest, service

from toponaut.errors import InputError
from toponaut.places.gazetteer.cache import open_names
from toponaut.seeds import wikidata
from toponaut.seeds.find import SeedsFound, find_seeds
from toponaut.seeds.likely_hosts import find_hosts, likely_hosts
from toponaut.seeds.service import Services

NAMES = open_names()
OLDENBURG = NAMES.gazetteer.place(2857458)
NODE = {"type": "node", "id": 1, "lat": 53.14, "lon": 8.21, "tags": {"website": "roma.example"}}


def ask(source: str, cache: Path) -> SeedsFound:
    services = Services("crawler@archive.example", cache=cache, delay=0.0)
    return find_seeds(NAMES, OLDENBURG, [source], services=services)


def reply(value: object, status: int = 200, **headers: str) -> ServiceReply:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return ServiceReply(body, status, tuple(headers.items()))


def test_overpass(tmp_path: Path) -> None:
    with service(lambda _: reply({"elements": [NODE]})) as (url, requests):
        found = ask(f"osm={url}/api/interpreter", tmp_path)
        again = ask(f"osm={url}/api/interpreter", tmp_path)
    assert [seed.url for seed in found.seeds] == ["https://roma.example/"]
    assert again == found
    [request] = requests  # the second time from the cache
    assert (
        'area.here["boundary"="administrative"]["name"~"^Oldenburg$",i]' in request.fields["data"]
    )
    assert request.fields["data"].endswith("out center tags;")
    assert "crawler@archive.example" in request.agent


def test_overpass_is_asked_around_a_place_without_boundary(tmp_path: Path) -> None:
    def answer(request: ServiceRequest) -> ServiceReply:
        return reply({"elements": [NODE] if "around:10000" in request.fields["data"] else []})

    with service(answer) as (url, requests):
        assert len(ask(f"osm={url}/", tmp_path).seeds) == 1
    assert len(requests) == 2


@pytest.mark.parametrize(
    ("body", "status", "cause"),
    [
        (b"<html><body><p><strong>Error</strong>: runtime error: too busy</p>", 200, "too busy"),
        (b'{"elements": [], "remark": "runtime error: Query timed out"}', 200, "Query timed out"),
        (b"<html>Gateway Timeout</html>", 504, "is busy"),
        (b"slow down", 429, "is busy"),
        (b"bad query", 400, r"refused the question \(400\)"),
    ],
)
def test_errors_of_overpass(tmp_path: Path, body: bytes, status: int, cause: str) -> None:
    with (
        service(lambda _: reply(body, status)) as (url, requests),
        pytest.raises(InputError, match=cause),
    ):
        ask(f"osm={url}/", tmp_path)
    assert len(requests) == (3 if status in (504, 429) else 1)


def test_a_busy_service_is_asked_again(tmp_path: Path) -> None:
    replies = iter([reply(b"", 503, **{"Retry-After": "0"}), reply({"elements": [NODE]})])
    with service(lambda _: next(replies)) as (url, _):
        assert len(ask(f"osm={url}/", tmp_path).seeds) == 1


def test_a_service_that_rests_for_long_is_not_waited_for(tmp_path: Path) -> None:
    with (
        service(lambda _: reply(b"", 429, **{"Retry-After": "7200"})) as (url, requests),
        pytest.raises(InputError, match="Try again in 7200 s"),
    ):
        ask(f"osm={url}/", tmp_path)
    assert len(requests) == 1


def test_without_a_network_the_message_names_the_way_out(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(InputError, match=r"cannot reach 127.0.0.1.*--from FILE"):
        ask(f"osm=http://127.0.0.1:{port}/", tmp_path)


def test_wikidata_page_by_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wikidata, "PAGE", 2)
    rows = [
        {"item": {"value": f"http://www.wikidata.org/entity/Q{k}"},
         "itemLabel": {"value": f"Museum {k}"}, "website": {"value": f"https://m{k}.example/"},
         "point": {"value": "Point(8.21 53.14)"}}
        for k in range(3)
    ]  # fmt: skip

    def answer(request: ServiceRequest) -> ServiceReply:
        query = request.fields["query"]
        assert 'wdt:P1566 "2857458"' in query
        offset = int(query.rpartition("OFFSET ")[2])
        return reply({"head": {"vars": []}, "results": {"bindings": rows[offset : offset + 2]}})

    with service(answer) as (url, requests):
        found = ask(f"wikidata={url}/sparql", tmp_path)
    assert {(seed.url, seed.name, seed.lat, seed.id) for seed in found.seeds} == {
        (f"https://m{k}.example/", f"Museum {k}", 53.14, f"wikidata:Q{k}") for k in range(3)
    }
    assert len(requests) == 2


def test_an_error_page_of_wikidata(tmp_path: Path) -> None:
    with (
        service(lambda _: reply(b"<html>Upstream error")) as (url, _),
        pytest.raises(InputError, match="not an answer in SPARQL JSON"),
    ):
        ask(f"wikidata={url}/", tmp_path)


def test_common_crawl_asks_for_likely_hosts(tmp_path: Path) -> None:
    captures = ["https://www.stadt-oldenburg.de/kontakt", "https://www.stadt-oldenburg.de/x"]

    def answer(request: ServiceRequest) -> ServiceReply:
        if request.path == "/collinfo.json":
            return reply([{"id": "CC-1", "cdx-api": f"{address}/CC-1-index"}])
        if request.fields["url"] == "stadt-oldenburg.de" and request.fields["page"] == "0":
            lines = [json.dumps({"urlkey": "x", "url": one, "status": "200"}) for one in captures]
            return reply("\n".join(lines).encode())
        return reply({"message": "No Captures found"}, 404)

    with service(answer) as (address, _):
        found = ask(f"common-crawl={address}/", tmp_path)
    assert {seed.url for seed in found.seeds} == {"https://stadt-oldenburg.de/", captures[0]}


def test_hosts_that_exist_are_seeds() -> None:
    found = find_hosts(OLDENBURG, lambda hosts: [host == "www.oldenburg.de" for host in hosts])
    assert [seed.url for seed in found] == ["https://www.oldenburg.de/"]
    with pytest.raises(InputError, match=r"none of 12 likely hosts exists, such as oldenburg.de"):
        list(find_hosts(OLDENBURG, lambda hosts: [False] * len(hosts)))


@pytest.mark.parametrize(
    ("name", "some"),
    [
        ("Madison, WI", {"cityofmadison.com", "madisonwi.gov", "visitmadison.com"}),
        ("Köln, DE", {"koeln.de", "stadt-koeln.de"}),
        ("Bath, GB", {"bath.gov.uk", "visitbath.co.uk"}),
        ("Annecy, FR", {"annecy.fr", "mairie-annecy.fr"}),
        ("Bad Zwischenahn", {"bad-zwischenahn.de", "visitbadzwischenahn.com"}),
    ],
)
def test_likely_hosts(name: str, some: set[str]) -> None:
    assert some <= set(likely_hosts(NAMES.gazetteer.lookup(name)[0]))
