"""The measures of whole logs: a small crawl worked out by hand, a real one, an empty one, and bad
input."""

import re
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import numpy as np
import pytest
from tests.support.crawling import crawl, job, run_here, visits
from tests.support.little_web import export, little_web

from toponaut.cli.measuring import measure as command
from toponaut.compare.measuring import MeasureOptions, ground, measure_directory
from toponaut.crawl.directory import LOG
from toponaut.errors import InputError
from toponaut.job import (
    CollaborationSection,
    Job,
    NodesSection,
    OrderingSection,
    TargetsSection,
    TerritorySection,
    render,
)
from toponaut.log import LogWriter
from toponaut.measures.coverage import lemma_2
from toponaut.measures.forwarding import MetAgain
from toponaut.measures.harvest import Bars
from toponaut.measures.measure import Measures
from toponaut.measures.report import page
from toponaut.measures.tables import MeasuredRuns, tables
from toponaut.measures.truth import WebTruth
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import Address, Outcome, Refusal, RefusedLink, ScoredLink, Visit
from toponaut.strategy.learning.text_bayes import WordCounts, dump
from toponaut.urls import fingerprint

SEATTLE, AUSTIN, BOSTON = "Seattle, WA", "Austin, TX", "Boston, MA"
WRITTEN = Job(
    seeds=("http://a.example/1",),
    partition="written",
    targets=TargetsSection(places=(SEATTLE, AUSTIN)),
    nodes=NodesSection(
        general=1,
        territories=(
            TerritorySection(name="west", targets=(SEATTLE,)),
            TerritorySection(name="south", targets=(AUSTIN,)),
        ),
    ),
)


def directory(
    root: Path, log: Iterable[Visit], *, seal_after: int = -1, wanted: Job = WRITTEN
) -> Path:
    """A crawl's directory with that log."""
    root.mkdir()
    (root / "job.toml").write_text(render(wanted), encoding="utf-8")
    with LogWriter(root / "log", LOG) as writer:
        for visit in log:
            writer.append(visit)
            if visit.sequence == seal_after:
                writer.seal()
    return root


def little_log(gazetteer: Gazetteer) -> list[Visit]:
    """Eight pages, and what else a log has. Letters are hosts; `found` shows who led where:

    seeds 0 -> a/1 (1, west, an address in Seattle)
               a/1 -> b/2 (2, west, Seattle and Boston) -> b/3 (5, west, nothing)
               a/1 -> r (3, a redirect) -> c/4 (4, south, the same Seattle address as a/1)
               c/4 -> c/5 (6, south, nothing) -> c/6 (7, south, Austin)
               c/4 -> d/7 (8, general1, Austin) ; b/3 -> b/2 again, by south (9: Seattle and Boston)
    and 10: a 404.
    """
    seattle, austin, boston = (gazetteer.lookup(name)[0].id for name in (SEATTLE, AUSTIN, BOSTON))

    def visit(
        sequence: int,
        node: str,
        url: str,
        found: int,
        hops: int,
        places: tuple[int, ...] = (),
        to: tuple[str, ...] = (),
        known: tuple[str, ...] = (),
        outcome: Outcome = Outcome.FETCHED,
        number: int = 1,
    ) -> Visit:
        addresses = tuple(
            Address("", -1, -1, normal=f"{number} main st {place}", place=place) for place in places
        )
        wanted = any(place in (seattle, austin) for place in places)
        return Visit(
            sequence,
            node,
            f"http://{url}",
            200,
            outcome,
            found_by=found,
            hops=hops,
            promise=1 / (1 + hops),
            size=1000,
            addresses=addresses,
            relevant=wanted,
            own_scope=tuple((place, 1 / len(places)) for place in places),
            links=tuple(ScoredLink(f"http://{link}", 0.5, (node,)) for link in to),
            known=tuple(fingerprint(f"http://{link}") for link in known),
            sent=2,
            messages=1,
            message_bytes=50,
        )

    a1, b2, b3, c4, c5, c6, d7 = (
        "a.example/1 b.example/2 b.example/3 c.example/4 c.example/5 c.example/6 "
        "d.example/7".split()
    )
    refused = (RefusedLink(f"http://{b2}", Refusal.NOFOLLOW),)
    return [
        Visit(
            0, "west", "", 0, Outcome.SEEDED, links=(ScoredLink(f"http://{a1}", 1.0, ("west",)),)
        ),
        visit(1, "west", a1, 0, 0, (seattle,), to=(b2, "r.example/", "x.example/")),
        visit(2, "west", b2, 1, 1, (boston, seattle), to=(b3,), known=(a1,), number=2),
        visit(3, "west", "r.example/", 1, 1, to=(c4,), outcome=Outcome.REDIRECT),
        visit(4, "south", c4, 3, 1, (seattle,), to=(c5, d7)),
        msgspec.structs.replace(visit(5, "west", b3, 2, 2), refused=refused),
        visit(6, "south", c5, 4, 2, to=(c6,)),
        visit(7, "south", c6, 6, 3, (austin,), known=(d7,)),
        visit(8, "general1", d7, 4, 2, (austin,)),
        visit(9, "south", b2, 5, 3, (boston, seattle), number=2),
        visit(10, "south", "y.example/", 5, 3, outcome=Outcome.GONE),
    ]


@pytest.fixture
def little(tmp_path: Path, gazetteer: Gazetteer) -> Measures:
    return measure_directory(directory(tmp_path / "c", little_log(gazetteer), seal_after=4))


def test_coverage_focus_and_uniqueness(little: Measures) -> None:
    west, south, general = little.nodes
    assert [(node.node, node.general, node.pages) for node in little.nodes] == [
        ("west", False, 3), ("south", False, 4), ("general1", True, 1),
    ]  # fmt: skip
    # Pages with an address in Seattle or Austin: a/1, b/2 of west; c/4, c/6, b/2 of south; d/7 of
    # the general node.
    assert [node.geo_coverage for node in little.nodes] == pytest.approx([2 / 3, 3 / 4, 1])
    assert little.whole.geo_coverage == 6 / 8
    assert little.whole.distinct_coverage == 5 / 8  # b/2 was fetched twice
    assert little.averages.geo_coverage == pytest.approx((2 / 3 + 3 / 4 + 1) / 3)
    assert little.averages.geo_coverage_geographic == pytest.approx((2 / 3 + 3 / 4) / 2)
    assert little.averages.pooled_geographic == pytest.approx(5 / 7)
    # Both of west's are in Seattle; of south's three only c/6 is in Austin.
    assert (west.geo_focus, south.geo_focus, general.geo_focus) == (1, 1 / 3, None)
    assert little.whole.geo_focus == pytest.approx(3 / 5)
    assert little.averages.geo_focus == pytest.approx(2 / 3)
    # Addresses in targets: two of west, both different; c/4's, c/6's and b/2's of south; d/7's is
    # the same as c/6's.
    assert [(node.entities, node.distinct_entities) for node in little.nodes] == [
        (2, 2),
        (3, 3),
        (1, 1),
    ]
    assert (
        little.whole.entities,
        little.whole.distinct_entities,
        little.whole.entity_uniqueness,
    ) == (6, 3, 0.5)


def test_overlap_diversity_and_communication(little: Measures) -> None:
    assert little.whole.overlap == 1 / 8  # b/2 was fetched twice
    # a.example to d.example are domains under the suffix "example".
    assert (little.whole.hosts, little.whole.host_diversity) == (4, 0.5)
    assert (little.whole.domains, little.whole.diversity) == (4, 0.5)
    assert (little.whole.sent, little.whole.messages, little.whole.message_bytes) == (20, 10, 500)
    assert little.whole.communication == 2.5
    assert [node.sent for node in little.nodes] == [8, 10, 2]
    # b/2 links to a/1, which west owns itself; c/6 to d/7, which is south's own: nothing more.
    assert little.whole.forwarded == 2.5
    assert little.costs.total == pytest.approx(8 + 0.2)
    assert little.costs.policy_a == little.costs.total  # it is one under A
    assert little.costs.owners_per_link == 1
    assert little.costs.per_relevant == pytest.approx(8.2 / 5)


def test_links_centrality_and_locality(little: Measures) -> None:
    """Links: a/1 -> b/2, a/1 -> c/4 (over the redirect), b/2 -> a/1, b/2 -> b/3, b/3 -> b/2
    (refused, yet a link), c/4 -> c/5, c/4 -> d/7, c/5 -> c/6, c/6 -> d/7. With addresses: a/1, b/2,
    c/4, c/6, d/7.

    Geo-centrality, k = 2: a/1 1 + .1 (b/2) + .1 (c/4) + .01 (d/7) = 1.21; b/2 1 + .1 (a/1) + .01
    (c/4) = 1.11, twice; b/3 .1 (b/2) + .01 (a/1) = .11; c/4 1 + .1 (d/7) + .01 (c/6) = 1.11; c/5 .1
    (c/6) + .01 (d/7) = .11; c/6 1 + .1 (d/7) = 1.1; d/7 1.
    """
    assert little.links == 9
    assert little.whole.geo_centrality == pytest.approx(
        (1.21 + 2 * 1.11 + 0.11 + 1.11 + 0.11 + 1.1 + 1) / 8
    )
    assert little.nodes[0].geo_centrality == pytest.approx((1.21 + 1.11 + 0.11) / 3)
    # About Seattle: a/1, b/2, c/4; about Austin: c/6, d/7. Linked pairs: a/1-b/2, a/1-c/4, c/4-d/7,
    # c/6-d/7.
    where = little.locality[0]
    assert (where.pages, where.linked, where.linked_same, where.unlinked, where.unlinked_same) == (
        5,
        4,
        3,
        6,
        1,
    )


def test_harvest_bridges_and_distances(little: Measures) -> None:
    assert [point.relevant for point in little.harvest.curve] == [1, 2, 3, 3, 3, 4, 5, 6]
    # a/1 -> b/2: 0. a/1 -> c/4, over a redirect: 0. c/4 -> c/5 -> c/6: 1. c/4 -> d/7: 0. b/2 -> b/3
    # -> b/2: 1.
    assert little.bridges.bridges == Bars((3, 2))
    assert little.bridges.bridged_share == pytest.approx(2 / 5)
    assert (little.bridges.tails, little.bridges.unbridged) == (Bars(()), 1)
    assert little.distances.relevant == Bars((1, 2, 1, 2))
    assert little.distances.all == Bars((1, 2, 3, 2))
    last = little.weights[-1]
    assert (last.pages, last.relevant, last.max_weight, last.precision) == (8, 6, 1, 0.75)
    assert last.mean_weight == pytest.approx((1 + 2 / 2 + 3 / 3 + 2 / 4) / 8)


def test_accuracy_names_and_places(little: Measures) -> None:
    accuracy = little.accuracy
    assert (accuracy.seen, accuracy.retrieved, accuracy.accuracy) == (6, 6, 1)
    # Seattle on a/1, b/2, c/4, b/2; Boston on b/2 twice; Austin on c/6 and d/7.
    assert (accuracy.names, accuracy.distinct_names, accuracy.coverage) == (8, 3, 3 / 8)
    found = [(place.name, place.pages, place.wanted) for place in little.places]
    assert sorted(found) == [
        ("Austin, TX, US", 2, True),
        ("Boston, MA, US", 2, False),
        ("Seattle, WA, US", 4, True),
    ]
    assert found[0][0] == "Seattle, WA, US"


def test_completeness_by_pairs_of_nodes(little: Measures) -> None:
    """west found two addresses in targets, south three: two are the same. (2 + 1) (3 + 1) / (2 + 1)
    - 1 = 3."""
    pairs = {(one.first, one.second): one for one in little.completeness}
    found = pairs["south", "west"]
    assert (found.first_found, found.second_found, found.both_found, found.total) == (3, 2, 2, 3)
    assert pairs["south", "general1"].both_found == 1
    assert ("one half of the hosts", "the other half") in pairs


def test_a_page_that_only_names_a_target_is_seen_and_not_retrieved(
    tmp_path: Path, gazetteer: Gazetteer
) -> None:
    austin, boston = (gazetteer.lookup(name)[0].id for name in (AUSTIN, BOSTON))
    more = [
        Visit(number, "south", f"http://z.example/{place}", 200, Outcome.FETCHED,
              own_scope=((place, 1.0),), hops=1)
        for number, place in enumerate((austin, boston), 11)
    ]  # fmt: skip
    found = measure_directory(directory(tmp_path / "c", [*little_log(gazetteer), *more])).accuracy
    assert (found.seen, found.aimed, found.retrieved) == (8, 7, 6)
    assert (found.accuracy, found.first_coverage) == (6 / 8, None)
    assert found.aimed_accuracy == pytest.approx(6 / 7)


def test_coverage_of_the_first_names(tmp_path: Path, gazetteer: Gazetteer) -> None:
    """1,264 times Austin and once Boston; then Seattle, which is too late to count."""
    austin, boston, seattle = (gazetteer.lookup(name)[0].id for name in (AUSTIN, BOSTON, SEATTLE))
    places = [austin] * 1264 + [boston, seattle]
    log = [
        Visit(number, "south", f"http://z.example/{number}", 200, Outcome.FETCHED,
              own_scope=((place, 1.0),))
        for number, place in enumerate(places)
    ]  # fmt: skip
    found = measure_directory(directory(tmp_path / "c", log)).accuracy
    assert found.first_coverage == pytest.approx(2 / 1265)
    assert found.coverage == pytest.approx(3 / 1266)


def test_locality_by_a_classifier(tmp_path: Path, gazetteer: Gazetteer) -> None:
    """A model knows "alki" as Seattle and "zilker" as Austin. Linked: Seattle-Seattle and
    Seattle-Austin; the third page says nothing that it knows."""
    seattle, austin = (gazetteer.lookup(name)[0].id for name in (SEATTLE, AUSTIN))
    model = tmp_path / "model"
    counts = np.array([[9, 0], [0, 9]], np.uint32)
    model.write_bytes(dump(WordCounts((seattle, austin), (5, 5), ("alki", "zilker"), counts)))
    texts = ("alki beach", "more alki", "zilker park", "nothing")
    log = [
        Visit(number, "west", f"http://a.example/{number}", 200, Outcome.FETCHED, text=text,
              known=(fingerprint(f"http://a.example/{number + 1}"),))
        for number, text in enumerate(texts)
    ]  # fmt: skip
    section = CollaborationSection(strategy="classifier", model=str(model))
    wanted = msgspec.structs.replace(WRITTEN, collaboration=section)
    found = measure_directory(directory(tmp_path / "c", log, wanted=wanted)).locality[-1]
    assert (found.by, found.pages, found.linked, found.linked_same) == ("classifier", 3, 2, 1)


def test_the_cost_under_policy_a(tmp_path: Path) -> None:
    """Under policy B a page of west gives three links to two, one and three nodes; a page is
    fetched by both. Downloads cost 1, URLs sent 0.1: 3 pages and 5 sent are 3.5. Under A: 2 pages,
    and one link's first owner is another node: 2.1.
    """
    owners = (("west", "south"), ("south",), ("west", "south", "general1"))
    links = tuple(
        ScoredLink(f"http://b.example/{number}", 0.5, some) for number, some in enumerate(owners)
    )
    log = [
        Visit(0, "west", "http://a.example/", 200, Outcome.FETCHED, links=links, sent=5),
        Visit(1, "west", "http://b.example/0", 200, Outcome.FETCHED, found_by=0),
        Visit(2, "south", "http://b.example/0", 200, Outcome.FETCHED, found_by=0),
    ]
    under_b = msgspec.structs.replace(WRITTEN, collaboration=CollaborationSection(policy="B"))
    found = measure_directory(
        directory(tmp_path / "c", log, wanted=under_b), MeasureOptions(message_cost=0.1)
    ).costs
    assert (found.total, found.policy_a, found.owners_per_link) == (3.5, 2.1, 2)


def test_locality_by_the_names_in_urls(tmp_path: Path) -> None:
    """Four pages whose URLs name Seattle, Seattle, Austin and nothing. Linked: Seattle-Seattle,
    Seattle-Austin."""
    urls = "http://seattle-pizza.example/ http://b.example/seattle/ http://austin-guide.example/ http://d.example/".split()
    log = [
        Visit(
            number,
            "west",
            url,
            200,
            Outcome.FETCHED,
            found_by=number - 1,
            known=tuple(map(fingerprint, urls[number + 1 :])),
        )
        for number, url in enumerate(urls)
    ]
    log[0] = msgspec.structs.replace(log[0], known=(fingerprint(urls[1]),))
    by_content, by_url = measure_directory(directory(tmp_path / "c", log)).locality
    assert (by_content.pages, by_url.pages) == (0, 3)
    assert (by_url.linked, by_url.linked_same, by_url.unlinked, by_url.unlinked_same) == (
        2,
        1,
        1,
        0,
    )


def test_pages_are_weighed_against_the_interests_whatever_the_ordering(tmp_path: Path) -> None:
    """nxx: Iran counts 4 and Tehran 2. The pages weigh 2 * 4 + 2 = 10, 2 and 0, whatever promise
    they were taken with."""
    interests = OrderingSection(
        strategy="breadth-first", interests={"iran": 4, "tehran": 2}, scheme="nxx"
    )
    texts = ("Iran news from Tehran. Iran today.", "Tehran", "Nothing of the kind")
    log = [
        Visit(
            number,
            "west",
            f"http://a.example/{number}",
            200,
            Outcome.FETCHED,
            text=text,
            promise=-5.0,
            found_by=-1,
        )
        for number, text in enumerate(texts)
    ]
    wanted = msgspec.structs.replace(WRITTEN, ordering=interests)
    [weights] = measure_directory(directory(tmp_path / "c", log, wanted=wanted)).weights
    assert (weights.pages, weights.mean_weight, weights.max_weight, weights.precision) == (
        3,
        4,
        10,
        0,
    )


def test_sealed_or_not_the_bytes_are_the_same(tmp_path: Path, gazetteer: Gazetteer) -> None:
    made = [
        directory(tmp_path / str(after), little_log(gazetteer), seal_after=after)
        for after in (-1, 0, 4, 10)
    ]
    assert len({msgspec.json.encode(measure_directory(one)) for one in made}) == 1


def test_the_truth_can_be_handed_in(tmp_path: Path, gazetteer: Gazetteer) -> None:
    truth = WebTruth(relevant=lambda url: url.startswith(("http://a", "http://d")))
    found = measure_directory(
        directory(tmp_path / "c", little_log(gazetteer)), MeasureOptions(truth=truth)
    ).truth
    assert found is not None
    assert (found.false_relevant, found.false_other) == (4, 0)
    assert any(
        table.title == "Compared with the truth"
        for table in tables([_entry(tmp_path / "c", MeasureOptions(truth=truth))])
    )


def test_two_crawls_of_the_same_targets(tmp_path: Path, gazetteer: Gazetteer) -> None:
    log = little_log(gazetteer)
    april, may = directory(tmp_path / "april", log[:5]), directory(tmp_path / "may", log)
    pages = measure_directory(may, MeasureOptions(against=april)).completeness[0]
    assert (pages.first, pages.second, pages.first_found, pages.second_found, pages.both_found) == (
        "may",
        "april",
        5,
        3,
        3,
    )
    elsewhere = msgspec.structs.replace(
        WRITTEN, partition="nearest", targets=TargetsSection(places=(BOSTON,)), nodes=NodesSection()
    )
    other = directory(tmp_path / "other", [], wanted=elsewhere)
    with pytest.raises(InputError, match="other targets"):
        measure_directory(may, MeasureOptions(against=other))


# --- the report -----------------------------------------------------------------------------------


def _entry(root: Path, asked: MeasureOptions | None = None, name: str = "a crawl") -> MeasuredRuns:
    return MeasuredRuns(name, (measure_directory(root, asked or MeasureOptions()),))


def _drawings(text: str) -> list[ElementTree.Element]:
    """The figures of a report, each well-formed."""
    return [
        ElementTree.fromstring(found) for found in re.findall(r"<svg.*?</svg>", text, re.DOTALL)
    ]


def test_the_report_is_one_file_without_requests(little: Measures) -> None:
    name = '<script>alert("1")</script>'
    text = page([MeasuredRuns(name, (little,))], name, name, ground())
    assert len(_drawings(text)) == 7
    assert not re.search(r"<script|<link|<img|src=|href=|url\(|@import|https?://", text)
    assert text.count("&lt;script&gt;") > 3
    assert "Seattle" in text
    assert all(table.title in text for table in tables([MeasuredRuns(name, (little,))]))


def test_a_report_on_several_crawls_shows_mean_and_spread(little: Measures) -> None:
    half = msgspec.structs.replace(
        little, whole=msgspec.structs.replace(little.whole, geo_coverage=0.25)
    )
    entries = [MeasuredRuns("hash", (little, half)), MeasuredRuns("url", (little,))]
    [coverage] = [table for table in tables(entries) if table.title == "Geo-coverage"]
    assert coverage.head[:4] == ("", "west", "south", "general1")
    assert coverage.rows[0][4] == "50.00 ± 35.36 %"  # of 75 % and 25 %: the spread is 50 / sqrt 2
    assert coverage.rows[1][4] == "75.00 %"
    text = page(entries, "both", "")
    assert "50.00 ± 35.36 %" in text
    assert len(_drawings(text)) == 6  # no map


# --- crawls that have little, and real ones -------------------------------------------------------


@pytest.mark.parametrize("log", ["empty", "only seeds", "nothing relevant"])
def test_a_crawl_that_found_nothing_is_measured_too(
    tmp_path: Path, gazetteer: Gazetteer, log: str
) -> None:
    seeds, *others = little_log(gazetteer)
    bare = [
        msgspec.structs.replace(visit, addresses=(), relevant=False, own_scope=())
        for visit in others
    ]
    made = {"empty": [], "only seeds": [seeds], "nothing relevant": [seeds, *bare]}[log]
    found = measure_directory(directory(tmp_path / "c", made))
    assert found.whole.relevant == 0
    assert found.whole.geo_coverage == (0 if log == "nothing relevant" else None)
    assert found.whole.geo_focus is None
    assert found.bridges.bridges == Bars(())
    assert [where.linked_share for where in found.locality] == [None, None]
    assert len(_drawings(page([MeasuredRuns("c", (found,))], "c", "", ground()))) == 7


def test_a_real_crawl(tmp_path: Path) -> None:
    """What a crawl of the test web says of itself, and what its measures say, agree; two runs give
    the same bytes."""
    little = little_web(seed=4, hosts=5, pages=60)
    export(little, tmp_path / "web")
    wanted = msgspec.structs.replace(
        job([little.seed]),
        nodes=NodesSection(geographic=2, general=1),
        collaboration=CollaborationSection(strategy="hash"),
    )
    for name in ("one", "other"):
        crawl(tmp_path / name, wanted, replay=tmp_path / "web")
    found, again = (measure_directory(tmp_path / name) for name in ("one", "other"))
    assert msgspec.json.encode(found) == msgspec.json.encode(again)
    log = visits(tmp_path / "one")
    fetched = [visit for visit in log if visit.outcome is Outcome.FETCHED]
    assert found.visits == len(log)
    assert (found.whole.pages, found.whole.relevant) == (
        len(fetched),
        sum(visit.relevant for visit in fetched),
    )
    assert {visit.url for visit in fetched} == little.pages
    assert found.whole.geo_coverage == len(little.relevant) / len(little.pages)
    assert found.whole.overlap == 0
    assert sum(node.pages for node in found.nodes) == found.whole.pages
    assert found.links > len(fetched)
    assert found.bridges.bridges.total + found.bridges.unbridged == len(little.relevant)
    assert found.distances.all.total == len(fetched)


def test_the_command(
    tmp_path: Path, gazetteer: Gazetteer, capsys: pytest.CaptureFixture[str]
) -> None:
    made = directory(tmp_path / "c", little_log(gazetteer))
    shown = run_here("measure", made, "--html", tmp_path / "report.html")
    assert shown.returncode == 0, shown.stderr
    assert "Geo-coverage   Gao 2006, Table 3" in shown.stdout
    assert "66.67 %" in shown.stdout
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    command(made, json=True, k=1)
    output = capsys.readouterr().out
    assert output.count("\n") == 1
    assert msgspec.json.decode(output, type=Measures) == measure_directory(
        made, MeasureOptions(k=1)
    )


def test_bad_input_is_one_line(tmp_path: Path, gazetteer: Gazetteer) -> None:
    none = run_here("measure", tmp_path)
    assert (none.returncode, none.stderr.count("\n")) == (2, 1)
    assert "holds no crawl" in none.stderr
    made = directory(tmp_path / "c", little_log(gazetteer))
    with pytest.raises(InputError, match="cannot write"):
        command(made, html=tmp_path / "no" / "report.html")
    with pytest.raises(InputError, match="holds no crawl"):
        command(made, against=tmp_path / "nothing")
    [segment] = directory(tmp_path / "torn", little_log(gazetteer), seal_after=10).glob(
        "log/main/*.parquet"
    )
    segment.write_bytes(segment.read_bytes()[:-100])
    with pytest.raises(InputError, match="damaged"):
        command(tmp_path / "torn")


def test_a_url_is_forwarded_each_time_it_is_met(tmp_path: Path) -> None:
    """South owns b/0. West sends it once and meets it twice more; south meets it once. With three
    pages of west and one of south: west 1 + 2 URLs / 3 pages, ours 1 / 3."""
    known = (fingerprint("http://b.example/0"),)
    links = (ScoredLink("http://b.example/0", 0.5, ("south",)),)
    log = [
        Visit(0, "west", "http://www.a.example/", 200, Outcome.FETCHED, links=links, sent=1),
        Visit(1, "west", "http://shop.a.example/1", 200, Outcome.FETCHED, known=known),
        Visit(2, "west", "http://a.example/2", 200, Outcome.FETCHED, known=known),
        Visit(3, "south", "http://b.example/1", 200, Outcome.FETCHED, known=known),
    ]
    found = measure_directory(directory(tmp_path / "c", log))
    west, south, _ = found.nodes
    assert west.forwarded == 1
    assert west.communication == pytest.approx(1 / 3)
    assert (south.forwarded, found.whole.forwarded) == (0, 3 / 4)
    assert (west.domains, west.hosts) == (1, 3)
    assert west.diversity == pytest.approx(1 / 3)


def test_lemma_2() -> None:
    """Gao, Lee and Miao 2006: with m = 2 nodes, l = 10 links, b = 1 and c = 0.1, policy A costs at
    most 1 + 10 * 1.1 = 12, B at least 2 + 10 * 2 = 22. If b = c, A may cost as much as B."""
    assert lemma_2(1, 0.1, 2, 10) == pytest.approx((12, 22))
    a, b = lemma_2(1, 1, 2, 10)
    assert a == pytest.approx(21)
    assert b == pytest.approx(22)


def test_met_again_by_a_sample() -> None:
    """20,000 URLs of node 1, all met by node 0: with room for 5,000 the estimate is near."""
    marks = np.random.default_rng(1).integers(0, 2**63, 20_000).astype(np.uint64)
    for most, error in ((100_000, 0), (5_000, 1_500)):
        again = MetAgain(most)
        again.give(marks, np.ones(len(marks), np.int64))
        again.meet(marks, np.zeros(len(marks), np.int64))
        assert abs(again.count(2)[0] - 20_000) <= error
