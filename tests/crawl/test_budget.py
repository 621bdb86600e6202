"""The bar towards the budget of a crawl."""

from msgspec.structs import replace

from toponaut.crawl.progress import Progress
from toponaut.crawl.view import CrawlBudget

AT_START = Progress(
    **{
        field: {} if field in ("outcomes", "refused") else () if field == "nodes" else 0
        for field in Progress.__struct_fields__
    }  # type: ignore[arg-type]
)
LATER = replace(AT_START, pages=250, seconds=100.0)


def test_pages() -> None:
    budget = CrawlBudget(pages=1000)
    assert budget.share(LATER) == 0.25
    assert budget.left_s(LATER, 2.5) == 300.0
    assert budget.left_s(LATER, 0.0) is None


def test_the_nearer_limit_counts() -> None:
    budget = CrawlBudget(pages=1000, seconds=120.0)
    assert budget.share(LATER) == 100 / 120
    assert budget.left_s(LATER, 2.5) == 20.0


def test_no_limit() -> None:
    budget = CrawlBudget()
    assert budget.share(LATER) is None
    assert budget.left_s(LATER, 2.5) is None
    assert budget.bar(LATER, 2.5) is None
