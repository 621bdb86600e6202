"""`toponaut compare`: the plan, resuming after a kill, failed runs, and reproducible tables."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.crawling import command, crawl, job, run
from tests.support.little_web import LittleWeb

from toponaut.api.truth import truth_of
from toponaut.compare.comparison import ComparisonRequest, StrategyPair, plan, runs_of
from toponaut.compare.prerequisites import write_ip_database
from toponaut.crawl.start import start
from toponaut.crawl.webs import open_web, seeds_of
from toponaut.errors import InputError
from toponaut.job import (
    CollaborationSection,
    Job,
    LimitsSection,
    NodesSection,
    OrderingSection,
    TargetsSection,
    load,
    render,
)
from toponaut.job.targets import find_place
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.places.gazetteer.ip_database import open_ip_places
from toponaut.synthetic.truth import page_truth

PAPERS = Path(__file__).parents[2] / "examples" / "us-top-100" / "job.toml"


@pytest.fixture(scope="module")
def file(little: LittleWeb, tmp_path_factory: pytest.TempPathFactory) -> Path:
    wanted = replace(
        job([little.seed], limits=LimitsSection(private_networks=True, pages=80)),
        nodes=NodesSection(geographic=2, general=1),
        collaboration=CollaborationSection(strategy="hash"),
    )
    path = tmp_path_factory.mktemp("job") / "job.toml"
    path.write_text(render(wanted), encoding="utf-8")
    return path


def wanted(**chosen: object) -> ComparisonRequest:
    loaded = load(PAPERS.read_text(encoding="utf-8"), seedless=True)
    return ComparisonRequest(job=loaded, out=Path("out"), pages=300, **chosen)  # type: ignore[arg-type]


def tried(pairs: dict[str, StrategyPair]) -> dict[str, tuple[str, str]]:
    return {
        name: (pair.job.collaboration.strategy, pair.job.ordering.strategy)
        for name, pair in pairs.items()
    }


# --- what is tried --------------------------------------------------------------------------------


def test_one_thing_differs_at_a_time() -> None:
    planned = plan(
        wanted(collaborations=("url", "hash"), orderings=("lookahead", "breadth-first")), {}
    )
    who, when = planned.groups
    assert tried(who.pairs) == {"url": ("url", "breadth-first"), "hash": ("hash", "breadth-first")}
    assert tried(when.pairs) == {
        "lookahead": ("hash", "lookahead"),
        "breadth-first": ("hash", "breadth-first"),
    }
    assert len(planned.pairs) == 3  # the job's own pair is in both groups, and runs once


def test_the_product_is_every_pair() -> None:
    planned = plan(
        wanted(collaborations=("url", "hash"), orderings=("lookahead", "geo-rank"), product=True),
        {},
    )
    (group,) = planned.groups
    assert list(group.pairs) == [
        "url + lookahead",
        "url + geo-rank",
        "hash + lookahead",
        "hash + geo-rank",
    ]


def test_a_strategy_is_compared_with_itself_by_its_keys() -> None:
    names = ("lookahead:depth=1", "lookahead:depth=3:decay=0.25")
    planned = plan(wanted(orderings=names), {})
    jobs = [planned.groups[0].pairs[name].job.ordering for name in names]
    assert [(one.depth, one.decay) for one in jobs] == [(1, 0.5), (3, 0.25)]
    assert [pair.name for pair in planned.pairs.values()] == [
        "hash+lookahead:depth=1", "hash+lookahead:depth=3:decay=0.25",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        (
            "lookahead:deep=1",
            "lookahead:deep=1 is not a key of [ordering]. Write lookahead:KEY=VALUE; keys: "
            "decay, cutoff, depth",
        ),
        ("lookahead:depth", "lookahead:depth is not a key"),
        ("lookahead:depth=0", "lookahead:depth=0 is not valid"),
        ("lookahead:depth=x", "lookahead:depth=x is not valid"),
        ("sideways", 'there is no ordering "sideways"'),
        ("interest", 'the ordering "interest" has no interests'),
    ],
)
def test_what_was_named_and_cannot_be_tried_is_told(name: str, cause: str) -> None:
    with pytest.raises(InputError) as caught:
        plan(wanted(orderings=(name,)), {})
    assert str(caught.value).startswith(cause)


def test_all_leaves_out_what_lacks_something_and_says_what() -> None:
    planned = plan(wanted(collaborations=("all",), orderings=("all",)), {})
    assert {"hash", "url", "anchor", "content", "combined"} <= set(planned.groups[0].pairs)
    assert {"breadth-first", "link-distance", "lookahead", "geo-rank", "combined"} <= set(
        planned.groups[1].pairs
    )
    assert planned.left_out == {
        "classifier": "the classifier needs a trained model, but collaboration.model is empty",
        "ip": "the collaboration ip needs an IP-to-city database",
        "interest": 'the ordering "interest" has no interests',
    }


def test_runs_of_a_synthetic_web_differ_by_web_and_those_of_a_replay_by_ties() -> None:
    asked = wanted(collaborations=("url", "hash"), seeds=2, first=7)
    runs = runs_of(asked, plan(asked, {}))
    assert [(run.name.split("+")[0], run.web) for run in runs] == [
        ("url", ("--synthetic", "7")), ("hash", ("--synthetic", "7")),
        ("url", ("--synthetic", "8")), ("hash", ("--synthetic", "8")),
    ]  # fmt: skip
    assert {
        (run.job.random_seed, run.job.limits.pages, run.job.politeness.delay) for run in runs
    } == {(0, 300, 0.0)}
    asked = replace(asked, replay=Path("web.warc.gz"))
    runs = runs_of(asked, plan(asked, {}))
    assert [(run.web, run.job.random_seed) for run in runs[1:3]] == [
        (("--replay", "web.warc.gz"), 0), (("--replay", "web.warc.gz"), 1),
    ]  # fmt: skip
    assert not any(run.job.storage.warc for run in runs)


# --- on a recorded web ----------------------------------------------------------------------------


def test_a_comparison_goes_on_where_it_was_killed(tmp_path: Path, file: Path, folder: Path) -> None:
    """Killed outright; the run under way lives on as an orphan, and is waited for."""
    given = (
        "compare",
        file,
        tmp_path / "out",
        "--ordering",
        "breadth-first",
        "--seeds",
        "2",
        "--workers",
        "1",
    )
    line, environment = command(*given, "--replay", folder, "--json")
    killed = subprocess.Popen(
        line, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    first = tmp_path / "out" / "hash+breadth-first" / "1.json"
    while not first.exists() and killed.poll() is None:
        time.sleep(0.02)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    made = first.stat().st_mtime_ns
    again = run(*given, "--replay", folder, "--json")
    assert again.returncode == 0, again.stderr
    assert first.stat().st_mtime_ns == made  # it was not repeated
    (group,) = json.loads(again.stdout)["groups"]
    assert [(entry["name"], len(entry["runs"])) for entry in group["entries"]] == [
        ("breadth-first", 2)
    ]
    assert all(one["whole"]["pages"] == 80 for entry in group["entries"] for one in entry["runs"])


def test_two_comparisons_give_the_same_bytes(tmp_path: Path, file: Path, folder: Path) -> None:
    """The other takes one of the two runs of the first over, and repeats one, which had been cut
    short."""
    given = ("--collaboration", "hash", "--seeds", "2", "--replay", folder, "--json")
    outputs = [run("compare", file, tmp_path / "one", *given)]
    done = Path("hash+link-distance", "1.json")
    (tmp_path / "other" / done).parent.mkdir(parents=True)
    (tmp_path / "one" / done).rename(tmp_path / "other" / done)
    short = load(file.read_text(encoding="utf-8"))
    crawl(
        tmp_path / "other" / "hash+link-distance" / "2",
        replace(short, limits=LimitsSection(pages=20)),
        replay=folder,
    )
    outputs.append(run("compare", file, tmp_path / "other", *given))
    assert [done.returncode for done in outputs] == [0, 0]
    assert outputs[0].stdout == outputs[1].stdout
    (group,) = json.loads(outputs[0].stdout)["groups"]
    assert [table["rows"][0][0] for table in group["tables"]] == ["hash"] * len(group["tables"])
    for entry in group["entries"]:
        first, second = entry["runs"]
        assert first["whole"]["pages"] == second["whole"]["pages"] == 80
        assert first != second  # ties were broken differently


def test_a_run_that_fails_is_told_and_stops_no_other(
    tmp_path: Path, file: Path, folder: Path
) -> None:
    blocked = tmp_path / "out" / "hash+breadth-first" / "1"
    blocked.mkdir(parents=True)
    (blocked / "notes.txt").write_text("mine")
    page = tmp_path / "report.html"
    given = (
        "--collaboration",
        "url",
        "--ordering",
        "breadth-first",
        "--seeds",
        "1",
        "--pages",
        "30",
        "--html",
        page,
    )
    done = run("compare", file, tmp_path / "out", *given, "--replay", folder)
    assert done.returncode == 1
    failed = (
        f"hash+breadth-first, seed 1 failed: {blocked} holds other things (notes.txt). "
        f"Name a new or empty directory"
    )
    assert failed in done.stderr
    assert "Collaborations, ordering link-distance" in done.stdout
    assert "Orderings" not in done.stdout  # nothing came of its only run
    assert "<h1>Collaborations, ordering link-distance</h1>" in page.read_text(encoding="utf-8")
    fewer = run(
        "compare",
        file,
        tmp_path / "out",
        "--collaboration",
        "url",
        "--pages",
        "20",
        "--replay",
        folder,
    )
    assert (fewer.returncode, fewer.stdout) == (2, "")
    other = (
        f"{tmp_path / 'out' / 'url+link-distance' / '1'} belongs to another comparison "
        f"(other pages, job or web)"
    )
    assert f"{other}. Name another directory, or delete this one" in fewer.stderr


# --- on the synthetic web -------------------------------------------------------------------------


def test_the_synthetic_web_gives_the_same_bytes_in_every_process(tmp_path: Path) -> None:
    given = (
        "--collaboration",
        "url",
        "--pages",
        "60",
        "--seeds",
        "1",
        "--synthetic",
        "3",
        "--json",
    )
    outputs = [run("compare", PAPERS, tmp_path / name, *given) for name in ("one", "other")]
    assert [done.returncode for done in outputs] == [0, 0]
    assert outputs[0].stdout == outputs[1].stdout
    (group,) = json.loads(outputs[0].stdout)["groups"]
    (found,) = group["entries"][0]["runs"]
    assert found["whole"]["geo_coverage"] > 0.02  # the paper: 7.25 %, and 0.86 for a blind crawl
    done = run(
        "measure", tmp_path / "one" / "url+breadth-first" / "3", "--synthetic", "3", "--json"
    )
    known = json.loads(done.stdout)["truth"]
    assert known["judged_right"] > 0.97
    assert 0 < known["curve"][-1]["of_oracle"] < 1


def test_one_web_at_a_time(tmp_path: Path, file: Path, folder: Path) -> None:
    with pytest.raises(InputError, match="--replay and --synthetic name two webs"):
        start(
            file.read_text(encoding="utf-8"), str(file), tmp_path / "c", replay=folder, synthetic=1
        )
    with pytest.raises(InputError, match="the job has no seeds"):
        start(PAPERS.read_text(encoding="utf-8"), str(PAPERS), tmp_path / "c", replay=folder)
    assert not (tmp_path / "c").exists()


def test_a_job_without_seeds_gets_the_webs_own() -> None:
    web = open_web(3)
    regional = seeds_of(web, load(PAPERS.read_text(encoding="utf-8"), seedless=True))
    assert len(regional) == 50
    assert sum("california" in url for url in regional) == 1
    few = seeds_of(web, Job(targets=TargetsSection(places=("Oldenburg, DE", "Lisbon, PT"))))
    places = {page_truth(web, url).about for url in few}
    gazetteer = open_gazetteer()
    assert places == {
        find_place(gazetteer, "Oldenburg, DE").id,
        find_place(gazetteer, "Lisbon, PT").id,
    }
    assert seeds_of(web, Job(targets=TargetsSection(places=("Tokyo",)))) == tuple(
        web.seeds("directory", 50)
    )
    country = seeds_of(web, Job(targets=TargetsSection(places=("United States",))))
    assert len(country) == 10  # as Kozanidis, Stamou and Spyros 2009
    assert set(country) <= set(regional)
    interested = Job(
        targets=TargetsSection(places=("Oldenburg, DE",)),
        ordering=OrderingSection(interests={"oldenburg": 1.0}),
    )
    assert seeds_of(web, interested) == tuple(web.seeds("directory", 1))


def test_the_truth_that_is_handed_to_the_measures() -> None:
    web = open_web(3)
    job = Job(
        targets=TargetsSection(places=("Lisbon, PT",)),
        ordering=OrderingSection(strategy="breadth-first"),
    )
    known = truth_of(3, job)
    lisbon = find_place(open_gazetteer(), "Lisbon, PT").id
    start = seeds_of(web, job)[0]
    reached = {url for near in (start, *known.links(start)) for url in known.links(near)}
    relevant = [url for url in reached if known.relevant(url)]
    assert relevant
    assert all(
        lisbon in {address.place for address in page_truth(web, url).addresses}
        for url in relevant[:20]
    )
    assert not known.relevant("http://nowhere.example/")
    assert known.links("http://nowhere.example/") == []


def test_the_ip_database_knows_where_the_servers_stand(tmp_path: Path) -> None:
    """Of a part of the servers: all of them take ten seconds."""
    web = open_web(3)
    urls = seeds_of(web, Job(targets=TargetsSection(places=("Oldenburg, DE", "Lisbon, PT"))))[:20]
    servers = {web.page(url).ip: page_truth(web, url).server for url in urls}
    there = set(servers.values())
    standing = [
        (network, city.place, city.name)
        for network, city in web.servers.networks()
        if city.place in there
    ]
    assert len(standing) > 2
    path = write_ip_database(tmp_path / "servers.mmdb", standing)
    assert path is not None
    locate = open_ip_places(open_gazetteer(), str(path))
    assert {ip: locate(ip) for ip in servers if ip} == {
        ip: place for ip, place in servers.items() if ip
    }
