"""Several nodes in one process: owners, messages between nodes, and a resumed crawl."""

from collections import Counter
from pathlib import Path
from shutil import rmtree

import pytest
from msgspec.structs import replace
from tests.support.crawling import crawl, edges, job, urls, visits
from tests.support.little_web import LittleWeb

from toponaut.job import CollaborationSection, Job, LimitsSection, NodesSection
from toponaut.records import Outcome


def many(
    little: LittleWeb, strategy: str = "hash", *, exclusive: bool = False, policy: str = "A"
) -> Job:
    return replace(
        job([little.seed]),
        nodes=NodesSection(geographic=3, general=2),
        collaboration=CollaborationSection(
            strategy=strategy, exclusive=exclusive, policy="B" if policy == "B" else "A"
        ),
    )


def test_by_hash_nodes_share_the_pages_without_overlap(
    tmp_path: Path, little: LittleWeb, folder: Path
) -> None:
    ended = crawl(tmp_path / "many", many(little), replay=folder)
    crawl(tmp_path / "one", job([little.seed]), replay=folder)
    fetched = urls(tmp_path / "many", Outcome.FETCHED)
    assert set(fetched) == little.pages
    assert len(fetched) == len(little.pages)
    assert edges(tmp_path / "many") == edges(tmp_path / "one")
    by_node = Counter(
        visit.node for visit in visits(tmp_path / "many") if visit.outcome is Outcome.FETCHED
    )
    assert set(by_node) == {"Cn1", "Cn2", "Cn3", "general1", "general2"}
    assert min(by_node.values()) > len(little.pages) / 10
    assert (
        sum(node.pages for node in ended.progress.nodes)
        == ended.progress.pages
        == len(little.pages)
    )


def test_sent_links_are_counted(tmp_path: Path, little: LittleWeb, folder: Path) -> None:
    ended = crawl(tmp_path / "c", many(little), replay=folder)
    sent = messages = 0
    for visit in visits(tmp_path / "c"):
        away = [owner for link in visit.links for owner in link.owners if owner != visit.node]
        assert (visit.sent, visit.messages) == (len(away), len(set(away)))
        assert (visit.message_bytes > 20 * len(away)) == bool(away)
        sent, messages = sent + visit.sent, messages + visit.messages
    assert (ended.progress.sent, ended.progress.messages) == (sent, messages)
    assert sent > messages > 0
    assert ended.progress.message_bytes == sum(
        visit.message_bytes for visit in visits(tmp_path / "c")
    )


def test_a_link_for_another_node_is_sent_once_however_often_it_is_met(
    tmp_path: Path, little: LittleWeb, folder: Path
) -> None:
    """Unless a relevant page holds it, which may rate it higher."""
    crawl(tmp_path / "c", many(little), replay=folder)
    sent = Counter(
        (visit.node, link.url)
        for visit in visits(tmp_path / "c")
        if not visit.relevant
        for link in visit.links
        if visit.node not in link.owners
    )
    assert set(sent.values()) == {1}
    assert sum(len(visit.known) for visit in visits(tmp_path / "c")) > len(sent)


@pytest.mark.parametrize("lost", ["", "state", "half"])
def test_a_resumed_crawl_equals_an_uninterrupted_one(
    tmp_path: Path, little: LittleWeb, folder: Path, lost: str
) -> None:
    wanted = many(little)
    crawl(tmp_path / "whole", wanted, replay=folder)
    half = replace(wanted, limits=LimitsSection(private_networks=True, pages=40))
    crawl(tmp_path / "c", half, replay=folder)
    if lost == "state":
        rmtree(tmp_path / "c" / "state")
    elif lost == "half":  # the files of one node only
        rmtree(tmp_path / "c" / "state" / "frontier-Cn2")
    crawl(tmp_path / "c", wanted, replay=folder)
    assert Counter(urls(tmp_path / "c", Outcome.FETCHED)) == Counter(
        urls(tmp_path / "whole", Outcome.FETCHED)
    )
    assert edges(tmp_path / "c") == edges(tmp_path / "whole")
    sent = Counter(
        (visit.node, link.url)
        for visit in visits(tmp_path / "c")
        if not visit.relevant
        for link in visit.links
        if visit.node not in link.owners
        and not link.sitemap  # robots.txt is read again, and names the sitemaps again
    )
    assert set(sent.values()) == {1}
