"""Log-odds that learn: steps worked out by hand, calibration, and what combines them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toponaut.strategy.learning.log_odds import (
    LogOdds,
    LogOddsState,
    highest_chance,
    weighted_chance,
)
from toponaut.strategy.ordering.link_evidence import CELLS, SiteRecords, cell_of, group_cell


def test_before_anything_is_learned_the_priors_speak() -> None:
    odds = LogOdds([-2.0, 1.0, 3.0])
    # -2 + 1*1 + 0*3 = -1: 1 / (1 + e) = 0.2689; -2 + 0.5 + 3 = 1.5: 0.8176
    rows = [[1.0, 1.0, 0.0], [1.0, 0.5, 1.0]]
    assert odds.chances(np.array(rows)).tolist() == pytest.approx([0.2689, 0.8176], abs=1e-4)
    assert [odds.chance(row) for row in rows] == pytest.approx([0.2689, 0.8176], abs=1e-4)
    assert odds.parts(rows[1]) == [-2.0, 0.5, 3.0]


def test_one_step_by_hand() -> None:
    """At even odds a "yes" is wrong by 1/2: slope -0.5 * x, square 0.25, step 0.3 * 0.5 /
    sqrt(1.25) = 0.1342."""
    odds = LogOdds([0.0, 0.0, 7.0])
    odds.learn(np.array([1.0, 1.0, 0.0]), True)
    assert odds.weights.tolist() == pytest.approx([0.1342, 0.1342, 7.0], abs=1e-4)
    # now 0.2683: P = 0.5667; a "no" is wrong by it: squares 0.25 + 0.3211 = 0.5711, step 0.3 *
    # 0.5667 / sqrt(1.5711) = 0.1356
    odds.learn(np.array([1.0, 1.0, 0.0]), False)
    assert odds.weights.tolist() == pytest.approx([-0.0015, -0.0015, 7.0], abs=1e-4)


def test_the_bound_takes_the_better_end_of_what_is_unknown() -> None:
    """One model gains by the last evidence, the other loses: no single value reaches the bound."""
    models = [LogOdds([-1.0, 0.0, 1.0]), LogOdds([-1.0, 0.0, -1.0])]
    evidence, words, weights = [1.0, 0.0, 0.5], [0.0, 0.0], [0.5, 0.5]
    bound = highest_chance(models, weights, [*evidence], 1, words, 2)
    # (1 / (1 + e^0) + 1 / (1 + e^1)) / 2 = (0.5 + 0.2689) / 2
    assert bound == pytest.approx(0.3845, abs=1e-4)
    for unknown in (0.0, 0.3, 1.0):
        row = [*evidence[:2], unknown]
        assert weighted_chance(models, weights, row, 1, words) <= bound


def test_what_comes_out_is_calibrated() -> None:
    """Two evidences that are the same thing, with P = 0.8 where they are seen and 0.05 elsewhere:
    counted once."""
    odds = LogOdds([0.0, 2.0, 2.0])
    rng = np.random.default_rng(0)
    for _ in range(4000):
        seen = rng.random() < 0.5
        odds.learn(np.array([1.0, seen, seen]), bool(rng.random() < (0.8 if seen else 0.05)))
    assert odds.chances(np.array([[1, 1, 1], [1, 0, 0]])).tolist() == pytest.approx(
        [0.8, 0.05], abs=0.06
    )


@given(
    st.lists(
        st.tuples(st.lists(st.floats(-8, 8), min_size=3, max_size=3), st.booleans()), max_size=30
    )
)
def test_a_saved_model_is_the_model(heard: list[tuple[list[float], bool]]) -> None:
    odds, other = LogOdds([-4.0, 1.0, 1.0]), LogOdds([0.0, 0.0, 0.0])
    for evidence, yes in heard:
        odds.learn(np.array(evidence), yes)
    other.restore(odds.saved())
    assert np.isfinite(odds.weights).all()
    assert other.saved() == odds.saved()
    other.learn(np.ones(3), True)
    odds.learn(np.ones(3), True)
    assert other.saved() == odds.saved()


@pytest.mark.parametrize("size", [2, 4])
def test_other_evidence_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match="other evidence"):
        LogOdds([0.0, 0.0, 0.0]).restore(LogOdds([0.0] * size).saved())
    with pytest.raises(ValueError, match="other evidence"):
        LogOdds([0.0, 0.0, 0.0]).restore(LogOddsState(b"\xff" * 24, b"\xff" * 24))


def test_a_site_is_measured_by_the_whole_crawl() -> None:
    records = SiteRecords()
    good, poor, unknown = 1, 2, 3
    for _ in range(3):
        records.add(good, True)
        records.add(poor, False)
    # The crawl: (3 + 1) / (6 + 25) = 0.1290. Good: (3 + 3 * 0.1290) / (3 + 3) = 0.5645; poor:
    # 0.3871 / 6 = 0.0645.
    usual, best, worst = (math.log(p / (1 - p)) for p in (4 / 31, 0.564516, 0.064516))
    assert [records.odds(cell) for cell in (good, poor, unknown)] == pytest.approx(
        [best - usual, worst - usual, 0.0], abs=1e-4
    )


def test_a_new_site_may_be_good_and_a_site_with_many_bad_pages_is_not() -> None:
    records = SiteRecords()
    new, tried, rich = 1, 2, 3
    for _ in range(9):
        records.add(tried, False)
    for _ in range(12):
        records.add(rich, True)
    # Means 0.1, 0.3 / 12 and 12.3 / 15; standard deviations sqrt(0.1 * 0.9 / 4) = 0.15,
    # sqrt(0.025 * 0.975 / 13) = 0.0433, sqrt(0.82 * 0.18 / 16) = 0.0960.
    hopes = [records.hope(cell, 0.1) for cell in (new, tried, rich)]
    assert hopes == pytest.approx([0.25, 0.0683, 0.916], abs=1e-4)


def test_a_group_of_links_starts_with_the_record_of_its_site() -> None:
    groups = SiteRecords()
    groups.add(1, True)
    # One of one, and three links with the site's share: (1 + 3 * 0.2) / (1 + 3) = 0.4.
    assert [groups.share(cell, 0.2) for cell in (1, 2)] == pytest.approx([0.4, 0.2])


def test_links_are_alike_by_folder_and_names() -> None:
    plain, named = [0.0] * 10, [0.0] * 4 + [1.0] + [0.0] * 5
    cells = [
        group_cell(5, url, row)
        for url, row in (
            ("http://a.example/shops/1.html", plain),
            ("https://www.a.example/shops/x/2.html?q=1", plain),
            ("http://a.example/shops/1.html", named),
            ("http://a.example/jobs/1.html", plain),
            ("http://a.example/shops", plain),
            ("http://a.example/", plain),
        )
    ]
    assert cells[0] == cells[1]
    assert cells[4] == cells[5]
    assert len(set(cells)) == 4


@given(st.lists(st.tuples(st.integers(0, 2**64 - 1), st.booleans()), max_size=50))
def test_saved_records_are_the_records(heard: list[tuple[int, bool]]) -> None:
    records, other = SiteRecords(), SiteRecords()
    for mark, relevant in heard:
        records.add(cell_of(mark), relevant)
    other.add(7, True)
    other.restore(records.saved())
    assert other.saved() == records.saved()
    cells = [cell_of(mark) for mark, _ in heard] + [7]
    assert all(cell < CELLS for cell in cells)
    assert [*map(other.odds, cells)] == [*map(records.odds, cells)]


def test_damaged_records_are_refused() -> None:
    for saved in ((b"\x01\x00\x00\x00", b""), (b"\xff\xff\xff\xff", bytes(8))):
        with pytest.raises(ValueError, match="do not fit"):
            SiteRecords().restore(saved)
