"""Queries on a log: find, trace and summary."""

from pathlib import Path

import msgspec
import pytest
from tests.support.log_visits import visit, visits, write

from toponaut.log import LogSummary, find, summary, trace
from toponaut.records import Outcome, Visit
from toponaut.urls import fingerprint

SEALS = [(), (2,), (2, 5), (7,)]


def again(sequence: int, url: str) -> Visit:
    return msgspec.structs.replace(visit(sequence), url=url)


@pytest.mark.parametrize("sealed", SEALS)
def test_all_visits_of_a_url_are_found(tmp_path: Path, sealed: tuple[int, ...]) -> None:
    url = visit(1).url
    written = [*visits(6), again(6, url), visit(7)]
    log = write(tmp_path, written, sealed)
    assert list(find(log, url)) == [written[1], written[6]]
    assert list(find(log, visit(7).url)) == [written[7]]
    assert list(find(log, url + "/a")) == []  # a link only
    assert list(find(log, url[:-1])) == []


@pytest.mark.parametrize("sealed", SEALS)
def test_visits_that_link_to_a_url_are_found(tmp_path: Path, sealed: tuple[int, ...]) -> None:
    secret = "https://secret.example.org/"
    written = visits(8)
    written[4] = msgspec.structs.replace(written[4], known=(1, 2, fingerprint(secret)), links=())
    written[6] = msgspec.structs.replace(written[6], known=(fingerprint(secret),), refused=())
    log = write(tmp_path, written, sealed)
    assert trace(log, secret)[1] == [written[4], written[6]]
    assert trace(log, visit(3).url + "/b")[1] == [written[3]]
    assert trace(log, visit(5).url + "/no")[1] == [written[5]]
    everywhere = [one.sequence for one in trace(log, "https://town.example.org/")[1]]
    assert everywhere == [0, 1, 2, 3, 5, 7]
    assert trace(log, visit(3).url)[1] == []  # visited, but not linked
    assert trace(log, "https://nowhere.example.org/") == ([], [])


@pytest.mark.parametrize("sealed", SEALS)
def test_trace_returns_visits_and_linking_visits(tmp_path: Path, sealed: tuple[int, ...]) -> None:
    url = visit(1).url
    written = [*visits(6), again(6, url), visit(7)]
    for number in (3, 6):  # another page, and the page itself
        written[number] = msgspec.structs.replace(written[number], known=(fingerprint(url),))
    log = write(tmp_path, written, sealed)
    assert trace(log, url) == ([written[1], written[6]], [written[3], written[6]])


def test_find_returns_only_the_wanted_fields(tmp_path: Path) -> None:
    log = write(tmp_path, visits(3), seal_after=(2,))
    (found,) = find(log, visit(1).url, fields=("title",))
    assert (found.sequence, found.text) == (1, "")


@pytest.mark.parametrize("sealed", SEALS)
def test_a_summary_counts_all_visits(tmp_path: Path, sealed: tuple[int, ...]) -> None:
    written = visits(8)
    written[0] = msgspec.structs.replace(
        written[0], outcome=Outcome.SEEDED, time=0.0, relevant=False, size=0
    )
    written[3] = msgspec.structs.replace(written[3], outcome=Outcome.TIMEOUT)
    log = write(tmp_path, written, sealed)
    assert summary(log) == LogSummary(
        visits=8,
        outcomes={Outcome.FETCHED: 6, Outcome.SEEDED: 1, Outcome.TIMEOUT: 1},
        relevant=3,
        received=sum(100 + number for number in range(1, 8)),
        first=1.8e9 + 1,
        last=1.8e9 + 7,
        stored=sum(path.stat().st_size for path in log.iterdir()),
    )


def test_a_replay_lasts_as_long_as_its_own_clock(tmp_path: Path) -> None:
    """Its pages have the time of their capture, its refusals that of the crawl."""
    captured, refused = visits(2)
    captured = msgspec.structs.replace(captured, stamp=1.0)
    refused = msgspec.structs.replace(refused, time=5.0, stamp=5.0)
    found = summary(write(tmp_path, [captured, refused]))
    assert (found.first, found.last) == (1.0, 5.0)


def test_an_empty_log_has_an_empty_summary(tmp_path: Path) -> None:
    empty = LogSummary(visits=0, outcomes={}, relevant=0, received=0, first=0.0, last=0.0, stored=0)
    assert summary(tmp_path / "none") == empty
    assert summary(write(tmp_path, [])) == msgspec.structs.replace(
        empty, stored=16
    )  # the header of a tail
