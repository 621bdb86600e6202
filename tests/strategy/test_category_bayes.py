"""Category Bayes: trained on the links of seeds, then it judges links by their anchor texts."""

import pytest

from toponaut.places.gazetteer.cache import open_names
from toponaut.records import JudgedPage, Link, Outcome, Page, QueuedLink, ScoredLink, Visit
from toponaut.strategy.ordering import Rating
from toponaut.strategy.ordering.category_bayes import CategoryBayes

SEED = "http://directory.test/states/texas/"
GEOGRAPHIC = ("Hotels in Houston", "Hotels in Dallas, Texas", "Hotels in Seattle, Washington")
OTHER = ("Chess openings", "Chess clocks", "Terms of use", "Recipes for bread")


def links(*anchors: str) -> list[Link]:
    return [Link(f"http://h{k}.test/", SEED, anchor) for k, anchor in enumerate(anchors)]


def rate(ordering: CategoryBayes, hops: int, *anchors: str) -> list[Rating]:
    came = QueuedLink(SEED, 1.0, hops=hops)
    return ordering.rate(came, JudgedPage(Page(SEED)), links(*anchors))


@pytest.fixture(scope="module")
def trained() -> CategoryBayes:
    """From twenty seeds with the same links."""
    ordering = CategoryBayes(open_names())
    found = tuple(
        ScoredLink(f"http://h{k}.test/", one.promise, ("Cn1",), ordering_memo=one.memo)
        for k, one in enumerate(rate(ordering, 0, *GEOGRAPHIC, *OTHER))
    )
    for sequence in range(20):
        ordering.learn(Visit(sequence, "Cn1", SEED, 200, Outcome.FETCHED, links=found))
    return ordering


def test_links_of_seeds_are_labelled_by_the_places_they_name() -> None:
    rated = rate(CategoryBayes(open_names()), 0, *GEOGRAPHIC, *OTHER)
    assert [one.promise for one in rated] == [1.0] * 3 + [0.0] * 4
    assert all(one.enters for one in rated)  # the others are the counterexamples


def test_words_of_geographic_links_speak_for_a_link(trained: CategoryBayes) -> None:
    hotels, chess, unknown = rate(trained, 1, "Hotels in Oldtown", "Chess boards", "Gardens")
    assert hotels.promise > 0.5 > unknown.promise > chess.promise
    assert [one.enters for one in (hotels, chess, unknown)] == [True, False, False]
    assert hotels.why == "its words are geographic: 1"


def test_only_seeds_teach(trained: CategoryBayes) -> None:
    before = trained.dump()
    taught = ScoredLink("http://x.test/", 1.0, ("Cn1",), ordering_memo=b"gabc")
    trained.learn(Visit(9, "Cn1", SEED, 200, Outcome.FETCHED, hops=1, links=(taught,)))
    trained.learn(Visit(9, "Cn1", SEED, 404, Outcome.GONE, links=(taught,)))
    assert trained.dump() == before


def test_it_goes_on_where_it_stopped(trained: CategoryBayes) -> None:
    again = CategoryBayes(open_names())
    again.load(trained.dump())
    assert rate(again, 1, "Hotels", "Chess") == rate(trained, 1, "Hotels", "Chess")
    with pytest.raises(ValueError, match="Invalid"):
        again.load(b"\x81\xa4type\xa1x")
