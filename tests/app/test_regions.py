"""Answers for the region of the client, and counts of what regions ask for (Chubak, Shokouhi)."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from mmdb_writer import MMDBWriter
from msgspec.structs import replace
from netaddr import IPSet
from tests.support.crawling import run_here
from tests.support.serving import ask, get, serve
from tests.support.towns import crawl_towns

from toponaut.app.query_counts import (
    FILE,
    QueryCounts,
    WordCount,
    query_interests,
    read_counts,
    shifts,
)
from toponaut.app.regions import ClientRegions, terms_of
from toponaut.errors import InputError
from toponaut.job import Job, RegionSection, load, render
from toponaut.places.gazetteer import Gazetteer

PORTUGAL = RegionSection(
    name="portugal",
    targets=("Porto, PT",),
    interests={"douro": 4.0, "river": 2.0},
    clients=("127.0.0.0/8", "2001:db8::/32"),
)
OHIO = RegionSection(name="ohio", targets=("Ohio, US",), interests={"subs": 4.0, "wings": 1.0},
                     clients=("192.0.2.0/24",))  # fmt: skip


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = crawl_towns(tmp_path_factory.mktemp("regions"))
    job = load((root / "job.toml").read_text(encoding="utf-8"), "job.toml")
    (root / "job.toml").write_text(render(replace(job, regions=(PORTUGAL, OHIO))), encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def base(root: Path) -> Iterator[str]:
    with serve(root, count_queries=True) as url:
        yield url


def test_an_answer_is_ranked_for_the_region_of_the_client(base: str) -> None:
    """The client is 127.0.0.1, in the range of Portugal."""
    found = ask(base, "/api/search", q="pizza", place=0)
    assert (found["region"], found["regions"]) == ("portugal", ["portugal", "ohio"])
    urls = [hit["url"] for hit in found["hits"]]
    nobody = ask(base, "/api/search", q="pizza", place=0, region="none")["hits"]
    porto = "http://towns.test/pt/porto"  # "by the river Douro"
    assert urls.index(porto) < [hit["url"] for hit in nobody].index(porto)


def test_the_user_chooses_another_region_or_none(base: str) -> None:
    ohio = ask(base, "/api/search", q="pizza", place=0, region="ohio")
    assert (ohio["region"], ohio["hits"][0]["url"]) == ("ohio", "http://towns.test/oh/lisbon")
    nobody = ask(base, "/api/search", q="pizza", place=0, region="none")
    assert nobody["region"] == ""
    assert {hit["url"] for hit in nobody["hits"]} == {hit["url"] for hit in ohio["hits"]}
    wrong = get(base, "/api/search?q=pizza&region=atlantis")
    assert (wrong.status, wrong.json["fix"]) == (400, "Choose one of: portugal, ohio, none")


def test_the_ranges_of_clients(gazetteer: Gazetteer) -> None:
    regions = ClientRegions(Job(regions=(PORTUGAL, OHIO)), gazetteer)
    names = {
        client: getattr(regions.region(client), "name", "")
        for client in ("127.0.0.1", "192.0.2.1", "198.51.100.1", "2001:db8::1", "", "x")
    }
    assert names == {"127.0.0.1": "portugal", "192.0.2.1": "ohio", "198.51.100.1": "",
                     "2001:db8::1": "portugal", "": "", "x": ""}  # fmt: skip
    assert terms_of(OHIO) == ("subs", "wings")
    assert terms_of(None) == ()


def _city(place: int, name: str) -> dict[str, dict[str, object]]:
    return {"city": {"geoname_id": place, "names": {"en": name}}, "country": {"iso_code": "US"}}


def test_a_client_in_a_city_of_a_region(tmp_path: Path, gazetteer: Gazetteer) -> None:
    """By a database: Cleveland is in Ohio, Boston in no region."""
    path = tmp_path / "cities.mmdb"
    writer = MMDBWriter(ip_version=4, database_type="Test-City")
    writer.insert_network(IPSet(["198.51.100.0/24"]), _city(5150529, "Cleveland"))
    writer.insert_network(IPSet(["203.0.113.0/24"]), _city(4930956, "Boston"))
    writer.to_db_file(str(path))
    regions = ClientRegions(Job(regions=(PORTUGAL, OHIO)), gazetteer, str(path))
    found = regions.region("198.51.100.7")
    assert found
    assert found.name == "ohio"
    assert regions.region("203.0.113.7") is None
    with pytest.raises(InputError, match="cannot be read"):
        ClientRegions(Job(regions=(OHIO,)), gazetteer, str(tmp_path / "none.mmdb"))


# --- queries --------------------------------------------------------------------------------------


def test_words_are_counted_without_identities(tmp_path: Path) -> None:
    day = datetime(2026, 11, 16, tzinfo=UTC)
    counts = QueryCounts(tmp_path, lambda: day)
    for _ in range(3):
        counts.add("iran", ["Tehran", "hotel", "1234"])
    counts.add("iran", ["secret"])
    counts.write()
    text = (tmp_path / FILE).read_text(encoding="utf-8")
    assert text == (
        "week\tregion\tword\tcount\n2026-W47\tiran\thotel\t3\n2026-W47\tiran\ttehran\t3\n"
    )
    again = QueryCounts(tmp_path, lambda: day + timedelta(days=1))
    again.add("iran", ["hotel"])
    again.write()
    assert WordCount("2026-W47", "iran", "hotel", 4) in read_counts(tmp_path / FILE)


def test_interests_and_shifts_of_queries() -> None:
    """Before: 8 of 10 words were "hotel"; now 3 of 12. "election" is new."""
    counts = [
        WordCount("2026-W45", "iran", "hotel", 8),
        WordCount("2026-W45", "iran", "bazaar", 2),
        WordCount("2026-W46", "iran", "hotel", 3),
        WordCount("2026-W46", "iran", "election", 6),
        WordCount("2026-W46", "iran", "bazaar", 3),
        WordCount("2026-W46", "", "pizza", 50),
    ]
    assert query_interests(counts, "iran") == {"hotel": 10.0, "election": 5.5, "bazaar": 4.5}
    assert [(one.word, one.before, one.now) for one in shifts(counts, "iran")] == [
        ("hotel", 0.8, 0.25),
        ("election", 0.0, 0.5),
    ]
    assert shifts(counts, "") == []


def test_the_server_counts_and_the_command_reads(base: str, root: Path) -> None:
    for _ in range(20):
        ask(base, "/api/search", q="museum in lisbon")
    assert ("portugal", "museum") in {
        (one.region, one.word) for one in read_counts(root / FILE) if one.count >= 3
    }
    done = run_here("interests", "queries", root, "--region", "portugal")
    assert done.returncode == 0, done.stderr
    assert "museum = 10.0" in done.stdout
    missing = run_here("interests", "queries", root, "--region", "nowhere")
    assert missing.returncode == 2
    assert 'has no words of the region "nowhere"' in missing.stderr


def test_a_damaged_table_of_queries(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("week\tregion\tword\tcount\n2026-W47\tiran\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 2: it is not week, region, word, count"):
        read_counts(tmp_path / FILE)
