"""Closed shops of several cities, none of which the rules were made on.

pytest -s -m slow tests/watch/test_closings.py     prints the figures of each city
"""

from pathlib import Path
from statistics import median
from typing import NamedTuple

import pytest
from tests.support.crawling import urls
from tests.support.watching import DAY_S, SPRINGFIELD, ChangingCity, closed_hosts

from toponaut.log import Logs
from toponaut.records import Outcome
from toponaut.watch.feeds import ChangeReader

BERLIN, LISBON = 2950159, 2267057
DAYS, LATE = 35, 21  # those that close later may be noticed after the end
CITIES = [(11, SPRINGFIELD), (12, SPRINGFIELD), (13, SPRINGFIELD), (14, BERLIN), (15, LISBON),
          (16, BERLIN)]  # fmt: skip


class Closings(NamedTuple):
    """What a watch has noticed of the shops of a city."""

    closed: int  # shops that closed in time
    found: int  # of these
    reported: int
    right: int  # of the reported
    days: list[float]  # from closing to notice


def watch_city(directory: Path, seed: int, place: int, shops: int) -> Closings:
    """One request a page a week."""
    city = ChangingCity(seed, shops, city=place)
    city.crawl(directory, "lambda")
    city.watch(directory, len(urls(directory, Outcome.FETCHED)) // 7, DAYS)
    reader = ChangeReader(Logs(directory / "log"))
    noticed = closed_hosts(list(reader.read()))
    closings = city.closings(reader)
    closed = [host for host, moment in closings.items() if 1000 < moment < LATE * DAY_S]
    found = [host for host in closed if host in noticed]
    right = [host for host, moment in noticed.items() if closings.get(host, moment) <= moment]
    days = [(noticed[host] - closings[host]) / DAY_S for host in found]
    return Closings(len(closed), len(found), len(noticed), len(right), days)


@pytest.mark.slow
def test_closed_shops_of_several_cities_are_noticed(tmp_path: Path) -> None:
    """Within 7 days in the median; precision at least .95, recall at least .85."""
    all_found = []
    for seed, place in CITIES:
        one = watch_city(tmp_path / str(seed), seed, place, shops=30)
        all_found.append(one)
        print(
            f"seed {seed}, place {place}: {one.found} of {one.closed} closed shops noticed, "
            f"{one.right} of {one.reported} reports right, median {median(one.days):.1f} days"
        )
    closed, found, reported, right = (
        sum(column) for column in list(zip(*all_found, strict=True))[:4]
    )
    assert closed >= 30
    assert found >= 0.85 * closed
    assert right >= 0.95 * reported
    assert median(day for one in all_found for day in one.days) <= 7
