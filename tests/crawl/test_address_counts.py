"""Found, distinct, in targets: the same counts in the log's columns, one by one, and on pages."""

from pathlib import Path

from msgspec.structs import replace
from tests.support.crawling import job
from tests.support.towns import address, visit

from toponaut.crawl.address_counts import AddressCounter, AddressCounts, count_addresses
from toponaut.crawl.directory import LOG
from toponaut.log import Logs, LogWriter

AUSTIN, LISBON = 4671654, 2267057  # the first is a target


def test_counts_by_hand(tmp_path: Path) -> None:
    """Two pages have one address in Austin, one of them a second one; another page is elsewhere."""
    here, other, away = (
        address(AUSTIN, "1 oak st"), address(AUSTIN, "2 oak st"), address(LISBON, "rua augusta")
    )  # fmt: skip
    log = [
        visit(0, "http://a.test/0", "", addresses=(here, other)),
        visit(1, "http://a.test/1", "", addresses=(here,)),
        visit(2, "http://a.test/2", "", addresses=(away,)),
        replace(visit(3, "http://a.test/0", "", addresses=(here,)), revisit=True),
    ]
    with LogWriter(tmp_path, LOG) as writer:
        for one in log[:2]:
            writer.append(one)
        writer.seal()
        for one in log[2:]:
            writer.append(one)
    counts = count_addresses(Logs(tmp_path), job([]))
    assert counts == AddressCounts(4, 3, 3, 2)
    assert str(counts) == "4 found, 3 distinct; in targets 3 found, 2 distinct"


def test_duplicates_are_removed_on_the_way() -> None:
    counter = AddressCounter(job([]))
    counter.add((f"{k % 7} oak st", AUSTIN if k % 7 else 0) for k in range(250_000))
    assert counter.counts() == AddressCounts(250_000, 7, 250_000 - 35_715, 6)
