"""Lookahead: its formulas on examples worked by hand, and what teaches it."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategy.test_link_terms import links_of_any_kind

from toponaut.crawl.strategies import setting_of
from toponaut.errors import InputError
from toponaut.job import Job, OrderingSection, TargetsSection
from toponaut.places.gazetteer.cache import open_names
from toponaut.records import JudgedPage, Link, Outcome, Page, QueuedLink, Visit
from toponaut.strategy.ordering import Rating
from toponaut.strategy.ordering.link_bayes import LinkModels, depth_weights
from toponaut.strategy.ordering.lookahead import Lookahead
from toponaut.strategy.registry import ordering_of

TOKENISER = open_names().gazetteer.names.tokeniser
PAGE = "http://www.a.co.uk/index.html"


def exactly(fraction: Fraction | float) -> object:
    """Sums of logarithms are kept in 32 bits."""
    return pytest.approx(float(fraction), rel=1e-5)


# --- the probabilities ----------------------------------------------------------------------------

A, B, C, UNKNOWN = 5, 70_000, 1_000_000, 9


def chance(models: LinkModels, rows: Sequence[int], depth: int = 1) -> float:
    return float(models.judge(np.array(rows), np.array([0, len(rows)])).chances[depth - 1, 0])


def taught(*links: tuple[Sequence[int], bool], depth: int = 1) -> LinkModels:
    models = LinkModels(3)
    for rows, relevant in links:
        models.learn(np.array(rows), depth, relevant)
    return models


def test_before_anything_is_learned_one_link_in_25_counts_as_relevant() -> None:
    models = LinkModels(3)
    assert [chance(models, [A, B], depth) for depth in (1, 2, 3)] == [exactly(1 / 25)] * 3


def test_probabilities_worked_by_hand() -> None:
    """One relevant link with A and B, two others with B and with C: shares 1/3 and 2/3, M/2 + 2 =
    7/2, and the prior odds are (1 + 1) / (2 + 24) = 1/13.

        p(A | relevant) = (3/2 + 1) / (7/2)      p(A | other) = (0 + 1) / (7/2)         5 to 2
        p(B | relevant) = (3/2 + 1) / (7/2)      p(B | other) = (3/4 + 1) / (7/2)       10 to 7
        p(C | relevant) = (0 + 1) / (7/2)        p(C | other) = (3/4 + 1) / (7/2)       4 to 7
    """
    models = taught(([A, B], True), ([B], False), ([C], False))
    assert chance(models, [A, B]) == exactly(Fraction(25, 116))  # 1/13 * 5/2 * 10/7 = 25/91
    assert chance(models, [B]) == exactly(Fraction(10, 101))  # 1/13 * 10/7 = 10/91
    assert chance(models, [C]) == exactly(Fraction(4, 95))  # 1/13 * 4/7 = 4/91
    assert chance(models, [UNKNOWN]) == exactly(Fraction(1, 14))  # an unknown term says nothing
    assert chance(models, [A, UNKNOWN, B]) == exactly(Fraction(25, 116))


def test_of_equal_classes_the_smoothing_is_laplaces() -> None:
    """A is in 2 of 3 relevant links and in none of 3 others: (2 + 1) / (3 + 2) against (0 + 1) / (3
    + 2)."""
    models = taught(([A], True), ([A, B], True), ([C], True), *[([C], False)] * 3)
    assert chance(models, [A]) == exactly(Fraction(4, 13))  # 4/27 * 3 = 4/9
    assert chance(models, [C]) == exactly(Fraction(2, 29))  # 4/27 * 2/4 = 2/27


def test_what_all_links_have_says_nothing() -> None:
    models = taught(([A, B], True), ([A], False), ([A], False), ([A, C], False))
    assert chance(models, [A]) == chance(models, [UNKNOWN]) == exactly(Fraction(2, 29))


def test_terms_say_nothing_until_both_outcomes_were_seen() -> None:
    assert chance(taught(([A], True)), [A]) == exactly(Fraction(1, 13))
    assert chance(taught(([A], False)), [A]) == exactly(Fraction(1, 26))


def test_many_unknown_words_promise_nothing_however_few_links_are_relevant() -> None:
    models = taught(([B], True), *[([A], False)] * 974)
    assert chance(models, list(range(100, 140))) == exactly(Fraction(1, 500))


def test_each_depth_learns_on_its_own() -> None:
    """One of each: shares 1/2, p(A | relevant) : p(A | other) = 1 + 1 : 0 + 1, odds 2/25 * 2."""
    models = taught(([A], True), ([B], False), depth=2)
    assert chance(models, [A], 2) == exactly(Fraction(4, 29))
    assert [chance(models, [A], depth) for depth in (1, 3)] == [exactly(1 / 25)] * 2


def test_certainty_is_a_number_too() -> None:
    everything = list(range(50))
    models = taught(*[(everything, True)] * 3000, *[([1000], False)] * 3000)
    assert chance(models, everything) == 1.0
    assert chance(models, [1000] * 1) < 0.001
    for _ in range(3000):
        models.learn(np.arange(2000, 2050), 1, False)
    assert 0.0 <= chance(models, list(range(2000, 2050))) < 1e-100


def test_depths_weigh_as_the_paper_says() -> None:
    """decay^d / sum of decay^d: for 1/2 and three depths (1/2, 1/4, 1/8) / (7/8)."""
    assert depth_weights(0.5, 3).tolist() == [
        exactly(Fraction(4, 7)),
        exactly(Fraction(2, 7)),
        exactly(Fraction(1, 7)),
    ]
    assert depth_weights(0.5, 1).tolist() == [1.0]
    assert depth_weights(1.0, 2).tolist() == [0.5, 0.5]
    assert depth_weights(0.0, 2).tolist() == [1.0, 0.0]


# --- what teaches ---------------------------------------------------------------------------------


def memo(number: int) -> bytes:
    """Of a link with one term."""
    return bytes([number, 0, 0])


def prediction(ordering: Lookahead, number: int) -> float:
    """With a score of 0 the promise is the prediction."""
    return ordering.again(QueuedLink("http://b.test/", 0.5, score=0.0, ordering_memo=memo(number)))


def visit(
    sequence: int, found: int, link: int = 0, outcome: Outcome = Outcome.FETCHED, **more: bool | int
) -> Visit:
    """A visit by a link with one term; 0 for a seed, that has none."""
    came = memo(link) if link else b""
    return Visit(
        sequence,
        "Cn1",
        f"http://{sequence}.test/",
        200,
        outcome,
        found_by=found,
        ordering_memo=came,
        **more,  # type: ignore[arg-type]
    )


def learned(*heard: Visit, depth: int = 3, trail: int = 100) -> Lookahead:
    ordering = Lookahead(TOKENISER, 0.5, depth, trail)
    for one in heard:
        ordering.learn(one)
    return ordering


def mixed(*by_depth: Fraction) -> object:
    """sum of decay^d * P_d / sum of decay^d, for three depths and a decay of 1/2."""
    first, second, third = by_depth
    return exactly((4 * first + 2 * second + third) / 7)


CHAIN = (
    visit(0, -1, 0, Outcome.SEEDED),
    visit(1, 0),
    visit(2, 1, 1),
    visit(3, 2, 2),
    visit(4, 3, 3, relevant=True),
    visit(5, 4, 4),
)


def test_the_last_hops_to_a_page_learn_what_it_is() -> None:
    """seed --1--> page --2--> page --3--> relevant --4--> page.

    Depth 1: yes for link 3, no for 1, 2, 4; shares 1/4 and 3/4, prior odds 2/27; yes is 3 to 1, no
    3 to 5. Depth 2: yes for link 2, no for 1, 3; as in test_probabilities_worked_by_hand. Depth 3:
    yes for link 1, no for 2; shares 1/2, prior odds 2/25; yes is 2 to 1, no 1 to 2.
    """
    ordering = learned(*CHAIN)
    assert prediction(ordering, 1) == mixed(Fraction(2, 47), Fraction(4, 95), Fraction(4, 29))
    assert prediction(ordering, 2) == mixed(Fraction(2, 47), Fraction(5, 31), Fraction(1, 26))
    assert prediction(ordering, 3) == mixed(Fraction(2, 11), Fraction(4, 95), Fraction(2, 27))
    assert prediction(ordering, 4) == mixed(Fraction(2, 47), Fraction(1, 14), Fraction(2, 27))


def test_a_shallow_ordering_hears_of_the_last_hop_only() -> None:
    ordering = learned(*CHAIN, depth=1)
    assert [prediction(ordering, number) for number in (1, 3)] == [exactly(2 / 47), exactly(2 / 11)]


def test_what_was_visited_too_long_ago_is_forgotten() -> None:
    """With room for one visit the hop to the page before is known, the one before that is not."""
    ordering = learned(*CHAIN, trail=1)
    assert prediction(ordering, 1) == mixed(Fraction(2, 47), Fraction(4, 95), Fraction(1, 25))
    assert prediction(ordering, 2) == mixed(Fraction(2, 47), Fraction(5, 31), Fraction(1, 25))


def test_a_redirect_is_no_hop() -> None:
    """Link 1 leads to a page by two redirects, the page's link 2 to a relevant one."""
    straight = learned(visit(1, 0), visit(2, 1, 1), visit(3, 2, 2, relevant=True))
    by_redirect = learned(
        visit(1, 0),
        visit(2, 1, 1, Outcome.REDIRECT),
        visit(3, 2, 1, Outcome.REDIRECT, redirects=1),
        visit(4, 3, 1, redirects=2),
        visit(5, 4, 2, relevant=True),
    )
    for number in (1, 2):
        assert prediction(by_redirect, number) == prediction(straight, number) != exactly(1 / 25)


@pytest.mark.parametrize(
    "outcome", [Outcome.GONE, Outcome.TIMEOUT, Outcome.WRONG_LANGUAGE, Outcome.ROBOTS_FILE]
)
def test_only_judged_pages_teach(outcome: Outcome) -> None:
    ordering = learned(visit(1, 0), visit(2, 1, 1, outcome), visit(3, 2, 2, outcome))
    assert prediction(ordering, 1) == prediction(ordering, 2) == exactly(1 / 25)


def test_a_page_not_to_be_indexed_is_a_hop_that_teaches_nothing() -> None:
    ordering = learned(visit(2, 1, 1, Outcome.NO_INDEX), visit(3, 2, 2, relevant=True))
    assert prediction(ordering, 1) == mixed(Fraction(1, 13), Fraction(1, 13), Fraction(1, 25))


# --- promises -------------------------------------------------------------------------------------


def rated(
    ordering: Lookahead, *links: Link, score: float = 0.5, relevant: bool = False
) -> list[Rating]:
    return ordering.rate(
        QueuedLink(PAGE, 0.5, score=score), JudgedPage(Page(PAGE), relevant=relevant), links
    )


CONTACT, NEWS = Link("http://b.test/", PAGE, "Contact"), Link("http://c.test/", PAGE, "News")


def contact_is_fruitful() -> Lookahead:
    """Of a page's two links the one called "Contact" led to a relevant page, the other did not."""
    ordering = Lookahead(TOKENISER, 0.5, 3)
    first, second = rated(ordering, CONTACT, NEWS)
    ordering.learn(
        Visit(1, "Cn1", CONTACT.url, 200, Outcome.FETCHED, relevant=True, ordering_memo=first.memo)
    )
    ordering.learn(Visit(2, "Cn1", NEWS.url, 200, Outcome.FETCHED, ordering_memo=second.memo))
    return ordering


def test_priorities_before_anything_is_learned() -> None:
    """score 1/2 of the page's 1/2, prediction 1/25: 0.25 + 0.04 * 0.75 = 0.28."""
    [answer] = rated(Lookahead(TOKENISER, 0.5, 3), CONTACT)
    assert (answer.promise, answer.score) == (exactly(0.28), 0.25)
    assert answer.why == "0.28 = distance 0.25 + prediction 0.04 * (1 - 0.25)"
    assert rated(Lookahead(TOKENISER, 0.5, 3)) == []
    assert Lookahead(TOKENISER, 0.5, 3).seed()[:2] == (1.0, 1.0)


def test_priorities_of_a_link_whose_words_were_fruitful() -> None:
    """At depth 1 there is one of each: "contact" is 2 to 1, "test" and "otherdomain" are in both,
    and "z" is unknown. Odds 2/25 * 2, P = 4/29; the other depths say 1/25. prediction = (4 * 4/29 +
    3 * 1/25) / 7 = 0.09596; promise = 0.25 + 0.09596 * 0.75 = 0.32197.
    """
    [answer] = rated(contact_is_fruitful(), Link("http://z.test/", PAGE, "contact"))
    assert answer.promise == pytest.approx(0.32197, abs=5e-6)
    assert (
        answer.why
        == "0.322 = distance 0.25 + prediction 0.096 * (1 - 0.25); strongest terms: 'contact'"
    )


def test_behind_a_relevant_page_the_distance_is_that_of_link_distance() -> None:
    [answer] = rated(Lookahead(TOKENISER, 0.5, 3), NEWS, score=0.125, relevant=True)
    assert (answer.promise, answer.score) == (exactly(0.5 + 0.04 * 0.5), 0.5)


@given(links_of_any_kind, st.floats(0, 1), st.booleans())
@settings(max_examples=40)
def test_a_prediction_only_lifts(links: list[Link], score: float, relevant: bool) -> None:
    for answer in rated(FRUITFUL, *links, score=score, relevant=relevant):
        assert 0 <= answer.score <= answer.promise <= 1


FRUITFUL = contact_is_fruitful()


def test_a_link_that_waits_is_rated_anew_when_its_turn_has_come() -> None:
    ordering = contact_is_fruitful()
    [answer] = rated(ordering, CONTACT)
    waiting = QueuedLink(CONTACT.url, answer.promise, score=answer.score, ordering_memo=answer.memo)
    assert ordering.again(waiting) == pytest.approx(answer.promise, abs=1e-12)
    for sequence in range(3, 20):  # and from then on "Contact" disappoints
        ordering.learn(
            Visit(
                sequence, "Cn1", "http://d.test/", 200, Outcome.FETCHED, ordering_memo=answer.memo
            )
        )
    assert 0.25 < ordering.again(waiting) < answer.promise - 0.05
    seed = QueuedLink("http://b.test/", 1.0, score=1.0)
    assert ordering.again(seed) == 1.0


# --- the fold over the log ------------------------------------------------------------------------

histories = st.lists(
    st.tuples(
        st.integers(1, 40),  # how far back the visit is that found the link
        st.lists(st.integers(0, 2000), min_size=0, max_size=5, unique=True),
        st.sampled_from(
            [Outcome.FETCHED, Outcome.FETCHED, Outcome.NEAR_COPY, Outcome.REDIRECT, Outcome.TIMEOUT]
        ),
        st.booleans(),
    ),
    max_size=40,
)


def as_visits(history: Iterable[tuple[int, list[int], Outcome, bool]]) -> list[Visit]:
    return [
        Visit(
            number,
            "Cn1",
            "http://b.test/",
            200,
            outcome,
            relevant=relevant and outcome is not Outcome.TIMEOUT,
            found_by=number - back,
            redirects=int(outcome is Outcome.REDIRECT),
            ordering_memo=b"".join(row.to_bytes(3, "little") for row in sorted(rows)),
        )
        for number, (back, rows, outcome, relevant) in enumerate(history)
    ]


@given(histories, st.integers(0, 40))
@settings(max_examples=10)
def test_a_dump_goes_on_where_it_was_taken(
    history: list[tuple[int, list[int], Outcome, bool]], at: int
) -> None:
    """The same visits give the same models, bit by bit, and so does a snapshot taken anywhere in
    between."""
    heard = as_visits(history)
    whole = learned(*heard, trail=8)
    resumed = Lookahead(TOKENISER, 0.5, 3, 8)
    resumed.load(learned(*heard[:at], trail=8).dump())
    for one in heard[at:]:
        resumed.learn(one)
    assert resumed.dump() == whole.dump() == learned(*heard, trail=8).dump()
    words = [Link(f"http://b.test/{number}", PAGE, "contact") for number in range(3)]
    assert rated(resumed, *words) == rated(whole, *words)


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_a_model_of_another_depth_gives_what_both_have(depth: int) -> None:
    ordering = Lookahead(TOKENISER, 0.5, depth)
    ordering.load(learned(*CHAIN).dump())
    same = learned(*CHAIN)._models
    for at in range(1, min(depth, 3) + 1):
        assert chance(ordering._models, [1], at) == chance(same, [1], at)
    if depth == 5:
        assert chance(ordering._models, [1], 4) == exactly(1 / 25)


def foreign() -> list[bytes]:
    good = learned(*CHAIN).dump()
    swapped = good.replace(b"lookahead 1", b"lookahead 9")
    return [
        b"",
        b"no model at all",
        good[:-1],
        good + b"x",
        swapped,
        good.replace(memo(1), memo(1)[:2] + b"\xff"),
    ]


@pytest.mark.parametrize("model", foreign())
def test_what_is_no_model_of_ours_is_refused_and_changes_nothing(model: bytes) -> None:
    ordering = learned(*CHAIN)
    before = ordering.dump()
    with pytest.raises(ValueError, match=r"."):
        ordering.load(model)
    assert ordering.dump() == before


def built(model: Path) -> Lookahead:
    wanted = OrderingSection(strategy="lookahead", model=str(model))
    ordering = ordering_of(
        setting_of(Job(targets=TargetsSection(places=("Oldenburg, DE",)), ordering=wanted))
    )
    assert isinstance(ordering, Lookahead)
    return ordering


def test_a_job_may_begin_with_the_models_of_another_crawl(tmp_path: Path) -> None:
    model = tmp_path / "ordering.model"
    model.write_bytes(learned(*CHAIN).dump())
    ordering = built(model)
    assert prediction(ordering, 3) == prediction(learned(*CHAIN), 3)
    ordering.learn(
        visit(5, 4, 7, relevant=True)
    )  # visit 4 of *this* crawl was not reached by link 3
    assert chance(ordering._models, [3], 2) == exactly(Fraction(4, 95))


def test_a_model_that_is_none_or_not_there_is_named_with_a_cure(tmp_path: Path) -> None:
    model = tmp_path / "holiday.jpg"
    with pytest.raises(InputError, match=r"holiday\.jpg"):
        built(model)
    model.write_bytes(b"\xff\xd8\xff")
    with pytest.raises(
        InputError,
        match=r"holiday\.jpg is not a model of lookahead.*Set it to state/ordering\.model",
    ):
        built(model)
