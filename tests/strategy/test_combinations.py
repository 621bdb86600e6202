"""Every collaboration with every ordering crawls the test web to its end; and what is learned is a
fold over the log."""

from pathlib import Path
from shutil import rmtree

import pytest
from mmdb_writer import MMDBWriter
from msgspec.structs import replace
from netaddr import IPSet
from tests.support.crawling import crawl, edges, job, urls, visits
from tests.support.little_web import LittleWeb, little_web

from toponaut.errors import InputError
from toponaut.job import CollaborationSection, Job, LimitsSection, NodesSection, OrderingSection
from toponaut.records import PAGES, Outcome
from toponaut.strategy.learning.training import train

COLLABORATIONS = ("hash", "url", "anchor", "content", "classifier", "ip", "combined")
ORDERINGS = (
    "breadth-first", "link-distance", "lookahead", "interest", "geo-rank", "combined",
    "page-score", "tag-path-bandit", "tree-frontier",
)  # fmt: skip
EVERYTHING = LimitsSection(private_networks=True, pages=0, pages_per_host=0)


@pytest.fixture(scope="module")
def little() -> LittleWeb:
    return little_web(seed=7, hosts=4, pages=16)


@pytest.fixture(scope="module")
def files(
    little: LittleWeb, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """What some strategies need: a model trained on a crawl, and a database of IP addresses."""
    made = tmp_path_factory.mktemp("files")
    crawl(made / "crawl", job([little.seed]), replay=folder)
    train(made / "crawl", made / "words.model", None, lambda _line, _error: None, lambda *_: None)
    writer = MMDBWriter(ip_version=4, database_type="Test-City")
    seattle = {
        "city": {"geoname_id": 5809844, "names": {"en": "Seattle"}},
        "country": {"iso_code": "US"},
    }
    writer.insert_network(IPSet(["192.0.2.0/24"]), seattle)
    writer.to_db_file(str(made / "cities.mmdb"))
    return {"model": str(made / "words.model"), "mmdb": str(made / "cities.mmdb")}


def wanted(little: LittleWeb, collaboration: str, ordering: str, files: dict[str, str]) -> Job:
    return replace(
        job([little.seed], limits=EVERYTHING),
        nodes=NodesSection(geographic=3, general=1),
        collaboration=CollaborationSection(
            strategy=collaboration, model=files["model"], mmdb=files["mmdb"]
        ),
        ordering=OrderingSection(strategy=ordering, interests={"harbour": 2, "museum": 1}),
    )


@pytest.mark.parametrize("ordering", ORDERINGS)
@pytest.mark.parametrize("collaboration", COLLABORATIONS)
def test_every_combination_crawls_all_there_is(
    tmp_path: Path,
    little: LittleWeb,
    folder: Path,
    files: dict[str, str],
    collaboration: str,
    ordering: str,
) -> None:
    ended = crawl(tmp_path / "c", wanted(little, collaboration, ordering, files), replay=folder)
    assert ended.why == "nothing is left to fetch"
    fetched = set(urls(tmp_path / "c", Outcome.FETCHED))
    if ordering == "geo-rank":  # it refuses links without places, and most links here are near one
        assert len(little.pages) / 2 < len(fetched & little.pages) == len(fetched)
    else:
        assert fetched == little.pages
    links = [link for visit in visits(tmp_path / "c") for link in visit.links]
    assert all(link.ordering_reason and link.owner_reason and link.owners for link in links)
    assert {owner for link in links for owner in link.owners} <= {"Cn1", "Cn2", "Cn3", "general1"}
    overlapping = len(urls(tmp_path / "c", *PAGES)) - len(fetched)
    # There a URL has one owner, wherever it is found.
    assert overlapping == 0 or collaboration not in ("hash", "url", "combined")


def test_exclusive_leaves_no_overlap(
    tmp_path: Path, little: LittleWeb, folder: Path, files: dict[str, str]
) -> None:
    base = wanted(little, "content", "breadth-first", files)
    for exclusive in (False, True):
        one = replace(
            base, collaboration=replace(base.collaboration, exclusive=exclusive, policy="B")
        )
        crawl(tmp_path / str(exclusive), one, replay=folder)
    overlapping, sole = urls(tmp_path / "False", *PAGES), urls(tmp_path / "True", *PAGES)
    assert len(overlapping) > len(set(overlapping)) == len(little.pages)
    assert len(sole) == len(set(sole)) == len(little.pages)
    assert all(len(link.owners) == 1 for visit in visits(tmp_path / "True") for link in visit.links)


@pytest.mark.parametrize(
    ("ordering", "collaboration"),
    [
        ("lookahead", "anchor"),
        ("interest", "combined"),
        ("combined", "combined"),
        ("tag-path-bandit", "hash"),
        ("tree-frontier", "hash"),
    ],
)
def test_models_are_what_they_were_when_all_but_the_log_is_lost(
    tmp_path: Path,
    little: LittleWeb,
    folder: Path,
    files: dict[str, str],
    ordering: str,
    collaboration: str,
) -> None:
    whole = wanted(little, collaboration, ordering, files)
    half = replace(whole, limits=replace(EVERYTHING, pages=8))
    crawl(tmp_path / "c", half, replay=folder)
    models = {path.name: path.read_bytes() for path in (tmp_path / "c" / "state").glob("*.model")}
    assert "ordering.model" in models
    assert ("collaboration.model" in models) == (collaboration == "combined")
    rmtree(tmp_path / "c" / "state")
    crawl(tmp_path / "c", half, replay=folder)  # it has enough pages: it opens, folds and closes
    assert {
        path.name: path.read_bytes() for path in (tmp_path / "c" / "state").glob("*.model")
    } == models
    crawl(tmp_path / "c", whole, replay=folder)
    crawl(tmp_path / "twin", half, replay=folder)
    crawl(tmp_path / "twin", whole, replay=folder)
    assert set(urls(tmp_path / "c", *PAGES)) == set(urls(tmp_path / "twin", *PAGES)) == little.pages
    assert edges(tmp_path / "c") == edges(tmp_path / "twin")


@pytest.mark.parametrize("ordering", ["lookahead", "combined", "tag-path-bandit", "tree-frontier"])
def test_a_crawl_may_begin_with_what_another_has_learned(
    tmp_path: Path, little: LittleWeb, folder: Path, files: dict[str, str], ordering: str
) -> None:
    first = wanted(little, "hash", ordering, files)
    crawl(tmp_path / "first", first, replay=folder)
    model = tmp_path / "first" / "state" / "ordering.model"
    second = replace(first, ordering=replace(first.ordering, model=str(model)))
    crawl(tmp_path / "second", second, replay=folder)
    before, after = (
        {
            link.url: link.promise
            for visit in visits(tmp_path / name)
            if visit.hops == 0
            for link in visit.links
        }
        for name in ("first", "second")
    )
    assert before != after
    rmtree(tmp_path / "first")  # the crawl has a copy
    rmtree(tmp_path / "second" / "state")
    crawl(tmp_path / "second", second, replay=folder)
    with pytest.raises(InputError, match="cannot be read"):
        crawl(tmp_path / "third", second, replay=folder)


@pytest.mark.parametrize(
    ("ordering", "collaboration", "cause"),
    [
        (
            OrderingSection(strategy="lookahead", model="{here}/no.model"),
            CollaborationSection(),
            r"no\.model cannot be read",
        ),
        (
            OrderingSection(strategy="lookahead", model="{here}/job.toml"),
            CollaborationSection(),
            "is not a model of lookahead",
        ),
        (
            OrderingSection(strategy="combined", model="{here}/job.toml"),
            CollaborationSection(),
            "is not a model of combined",
        ),
        (OrderingSection(strategy="interest"), CollaborationSection(), "interest"),
        (OrderingSection(), CollaborationSection(strategy="classifier"), "needs a trained model"),
        (
            OrderingSection(),
            CollaborationSection(strategy="classifier", model="{here}/job.toml"),
            "is not a usable model",
        ),
        (OrderingSection(), CollaborationSection(strategy="ip"), "needs an IP-to-city database"),
        (
            OrderingSection(),
            CollaborationSection(strategy="ip", mmdb="{here}/no.mmdb"),
            r"no\.mmdb",
        ),
    ],
)
def test_what_a_strategy_lacks_is_said_before_anything_is_written(
    tmp_path: Path, ordering: OrderingSection, collaboration: CollaborationSection, cause: str
) -> None:
    (tmp_path / "job.toml").write_text("seeds = []")
    ordering = replace(ordering, model=ordering.model.format(here=tmp_path))
    collaboration = replace(
        collaboration,
        model=collaboration.model.format(here=tmp_path),
        mmdb=collaboration.mmdb.format(here=tmp_path),
    )
    poor = replace(job(["http://a.test/"]), ordering=ordering, collaboration=collaboration)
    with pytest.raises(InputError, match=cause) as raised:
        crawl(tmp_path / "c", poor)
    assert "\n" not in str(raised.value)
    assert not (tmp_path / "c").exists()
