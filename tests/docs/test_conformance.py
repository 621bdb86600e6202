"""The tables of docs/explanation/conformance.md: no case is lost, and the page shows it."""

import pytest
from bench.conformance import AREAS, PAGE, table


# warcio's writer leaves its temporary files to the collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("area", AREAS)
def test_every_case_comes_out_right_and_is_on_the_page(area: str) -> None:
    measure, rival = AREAS[area]
    scores = measure()
    assert [(one.kind, one.ours) for one in scores] == [(one.kind, one.cases) for one in scores]
    assert table(scores, rival) in PAGE.read_text(encoding="utf-8")
