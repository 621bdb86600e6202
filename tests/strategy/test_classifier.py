"""Links by a classifier: naive Bayes worked by hand, the model's file, and what becomes of a page's
links."""

import zlib
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from toponaut.crawl.strategies import setting_of
from toponaut.errors import InputError
from toponaut.job import CollaborationSection, Job, NodesSection
from toponaut.job.sections import TerritorySection
from toponaut.job.targets import find_place
from toponaut.page.judge import MOST_TEXT
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.names.finder import NameFinder
from toponaut.places.names.tokens import Tokeniser
from toponaut.records import JudgedPage, Link, Page
from toponaut.strategy.collaboration.by_classifier import ByClassifier, build
from toponaut.strategy.learning.text_bayes import (
    MAGIC,
    Lesson,
    TextBayes,
    WordCounts,
    dump,
    load,
)
from toponaut.strategy.registry import collaboration_of
from toponaut.strategy.setting import Setting
from toponaut.urls import fingerprint

SEATTLE, TACOMA, BOSTON, NONE = 5809844, 5812944, 4930956, 0
TEXTS = [
    (SEATTLE, "Rain, coffee: rain!"),
    (SEATTLE, "coffee FERRY"),
    (BOSTON, "Lobster ferry"),
]
LINKS = [Link(f"http://a.test/{number}", "http://a.test/") for number in range(6)]


@pytest.fixture
def tokeniser(gazetteer: Gazetteer) -> Tokeniser:
    return gazetteer.names.tokeniser


def lesson(tokeniser: Tokeniser, texts: Sequence[tuple[int, str]]) -> Lesson:
    learned = Lesson(tokeniser)
    for place, text in texts:
        assert learned.add(text, place)
    return learned


def chances(
    tokeniser: Tokeniser, model: WordCounts, class_of: Sequence[int], text: str
) -> list[float]:
    return [
        round(chance, 6)
        for chance in TextBayes(tokeniser, model, class_of, max(class_of) + 1).judge(text).chances
    ]


# --- the formula ----------------------------------------------------------------------------------


def test_the_places_of_the_examples(gazetteer: Gazetteer) -> None:
    places = [
        find_place(gazetteer, name).id for name in ("Seattle, WA", "Tacoma, WA", "Boston, MA")
    ]
    assert places == [SEATTLE, TACOMA, BOSTON]


def test_the_posterior_by_hand(tokeniser: Tokeniser) -> None:
    """Vocabulary rain, coffee, ferry, lobster: 4 words. Seattle: rain 2, coffee 2, ferry 1, so 5
    words in 2 of 3 texts; Boston: lobster 1, ferry 1, so 2 words in 1 of 3 texts. For "ferry rain",
    with Laplace smoothing:

    Seattle  2/3 * (1+1)/(5+4) * (2+1)/(5+4) = 2/3 * 2/9 * 3/9 = 4/81
    Boston   1/3 * (1+1)/(2+4) * (0+1)/(2+4) = 1/3 * 2/6 * 1/6 = 1/54
    P(Seattle) = (4/81) / (4/81 + 1/54) = 8/11
    """
    model = lesson(tokeniser, TEXTS).model()
    assert (model.places, model.texts) == ((BOSTON, SEATTLE), (1, 2))
    assert sorted(model.words) == ["coffee", "ferry", "lobster", "rain"]
    assert chances(tokeniser, model, [0, 1], "Ferry, rain") == [round(3 / 11, 6), round(8 / 11, 6)]


def test_counts_add_up_to_territories(tokeniser: Tokeniser) -> None:
    """With Tacoma ("rain rain") in Seattle's territory: rain 4, coffee 2, ferry 1, 7 words in 3 of
    4 texts.

    3/4 * 2/11 * 5/11 = 15/242 against 1/4 * 2/6 * 1/6 = 1/72: P = 1080/1322 = 0.816944
    """
    model = lesson(tokeniser, [*TEXTS, (TACOMA, "rain rain")]).model()
    assert model.places == (BOSTON, SEATTLE, TACOMA)
    assert chances(tokeniser, model, [0, 1, 1], "ferry rain") == [0.183056, 0.816944]
    together = lesson(tokeniser, [*TEXTS, (SEATTLE, "rain rain")]).model()
    assert chances(tokeniser, together, [0, 1], "ferry rain") == [0.183056, 0.816944]


def test_unknown_words_say_nothing(tokeniser: Tokeniser) -> None:
    model = lesson(tokeniser, TEXTS).model()
    assert chances(tokeniser, model, [0, 1], "ferry zebra rain 98101") == [
        round(3 / 11, 6),
        round(8 / 11, 6),
    ]
    assert chances(tokeniser, model, [0, 1], "") == [
        round(1 / 3, 6),
        round(2 / 3, 6),
    ]  # what is left is the prior


def test_a_class_without_texts_gets_nothing(tokeniser: Tokeniser) -> None:
    model = lesson(tokeniser, TEXTS).model()
    opened = TextBayes(tokeniser, model, [0, 2], 3)
    assert opened.judge("ferry rain").chances[1] == 0
    assert opened.judge("ferry rain").chances.sum() == pytest.approx(1)


def test_the_longest_page_does_not_overflow(tokeniser: Tokeniser) -> None:
    model = lesson(tokeniser, TEXTS).model()
    page = "rain " * (MOST_TEXT // 5) + "lobster " * MOST_TEXT  # what is beyond is not read
    assert chances(tokeniser, model, [0, 1], page) == [0.0, 1.0]
    counted = lesson(tokeniser, [(SEATTLE, "東" * MOST_TEXT), (BOSTON, "京")]).model()
    assert counted.counts.max() == 65_535


def test_case_and_accents_do_not_count(tokeniser: Tokeniser) -> None:
    model = lesson(tokeniser, [(SEATTLE, "Café"), (BOSTON, "Straße")]).model()
    assert chances(tokeniser, model, [0, 1], "CAFE") == chances(
        tokeniser, model, [0, 1], "cafe\u0301"
    )
    assert chances(tokeniser, model, [0, 1], "CAFE")[1] > 0.5


def test_the_words_that_tell_most_come_first(
    tokeniser: Tokeniser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Information gain over 4 texts, 2 of each place: "alki" in both of Seattle log 2 = 0.693,
    "puget" in one of them 1/4 log 2 + 1/4 log 2/3 + 1/2 log 4/3 = 0.216, "the" in one of each 0."""
    texts = [(SEATTLE, "the alki"), (SEATTLE, "alki puget"), (BOSTON, "the"), (BOSTON, "alewife")]
    learned = lesson(tokeniser, texts)
    model = learned.model()
    assert model.words[0] == "alki"
    assert set(model.words[1:3]) == {"puget", "alewife"}
    assert model.words[3] == "the"
    monkeypatch.setattr("toponaut.strategy.learning.text_bayes.MOST_WORDS", 2)
    assert len(learned.model().words) == 2


def test_accuracy_is_of_texts_put_aside(tokeniser: Tokeniser) -> None:
    """The last text misleads: a model of the first two gives it 4/27 for Seattle and 2/27 for
    Boston. The others are right: the third by 2/3 against 1/3, the first, by a model of the last
    two, by 2/3 against 3/5, the second by 1/3 against 2/5."""
    texts = [(SEATTLE, "alki"), (BOSTON, "fenway"), (SEATTLE, "alki"), (BOSTON, "fenway alki alki")]
    assert lesson(tokeniser, texts).accuracy([0, 0, 1, 1]) == 0.75


@given(
    st.lists(
        st.tuples(st.sampled_from([SEATTLE, BOSTON, NONE]), st.text("ab é東", min_size=1)),
        min_size=1,
    )
)
def test_any_texts_give_a_model_that_survives_its_file(
    gazetteer: Gazetteer, texts: list[tuple[int, str]]
) -> None:
    tokeniser = gazetteer.names.tokeniser
    learned = Lesson(tokeniser)
    heard = [learned.add(text, place) for place, text in texts]
    if not any(heard):
        return
    model = learned.model()
    again = load(dump(model))
    assert (again.places, again.texts, again.words) == (model.places, model.texts, model.words)
    assert np.array_equal(again.counts, model.counts)
    everything = range(len(model.places))
    for _, text in texts:
        opinion = TextBayes(tokeniser, again, everything, len(model.places)).judge(text)
        assert opinion.chances.sum() == pytest.approx(1)
        # every token of the training texts is in so small a vocabulary
        assert opinion.times.sum() == sum(len(tokens.start) for tokens in tokeniser.chunks(text))


# --- the file -------------------------------------------------------------------------------------


def test_a_damaged_file_is_no_model(tokeniser: Tokeniser) -> None:
    data = dump(lesson(tokeniser, TEXTS).model())
    assert load(data).words
    for length in range(len(data)):
        with pytest.raises(ValueError, match=r"not a trained model|empty|damaged"):
            load(data[:length])
    for at in range(len(MAGIC) + 1, len(data)):
        hurt = bytearray(data)
        hurt[at] ^= 0x10
        with pytest.raises(ValueError, match="damaged"):
            load(bytes(hurt))


def test_a_model_of_another_version_says_so(tokeniser: Tokeniser) -> None:
    data = dump(lesson(tokeniser, TEXTS).model())
    with pytest.raises(ValueError, match="it has version 2, and this Toponaut reads version 1"):
        load(MAGIC + b"\x02" + data[len(MAGIC) + 1 :])


def test_sound_bytes_that_make_no_sense(tokeniser: Tokeniser) -> None:
    data = dump(lesson(tokeniser, TEXTS).model())
    inside = zlib.decompress(data[len(MAGIC) + 1 :])
    for wrong in (
        b"",
        b"\x93",
        inside.replace(b"rain", b"r in"),
        inside.replace(b"rain", b"ra\nn"),
        inside[:-4],
    ):
        with pytest.raises(ValueError, match="damaged"):
            TextBayes(tokeniser, load(MAGIC + b"\x01" + zlib.compress(wrong)), [0, 1], 2)


# --- owners ---------------------------------------------------------------------------------------


NODES = (("Boston, MA",), ("Seattle, WA", "Tacoma, WA"))
LOCAL = [
    *[(SEATTLE, "Alki and Puget, the Seahawks")] * 3,
    *[(BOSTON, "Fenway, the harbor and the Celtics")] * 3,
    *[(NONE, "the weather of the world")] * 3,
]


def setting(
    data: bytes, *, policy: str = "A", general: int = 2, nodes: tuple[tuple[str, ...], ...] = NODES
) -> Setting:
    """A job that names a model, and the model instead of the file."""
    wanted = Job(
        partition="written",
        nodes=NodesSection(
            general=general,
            territories=tuple(TerritorySection(targets=targets) for targets in nodes),
        ),
        collaboration=CollaborationSection(
            strategy="classifier", model="my.model", policy="B" if policy == "B" else "A"
        ),
    )
    around = setting_of(wanted)
    return replace(around, read=lambda _: data)


def page(title: str, text: str) -> JudgedPage:
    return JudgedPage(Page("http://a.test/", title=title, text=text))


@pytest.fixture
def model(tokeniser: Tokeniser) -> bytes:
    return dump(lesson(tokeniser, LOCAL).model())


def test_links_go_to_the_territory_that_the_words_speak_for(model: bytes) -> None:
    """Vocabulary 11; Seattle 15 words, the four of the page 3 times each; Boston 18, "the" 6 times;
    none 15, "the" 6 times. 1/3 * (4/26)^4 against 1/3 * 7/29 * (1/29)^3 and 1/3 * 7/26 * (1/26)^3:
    0.957"""
    strategy = collaboration_of(setting(model))
    assert isinstance(strategy, ByClassifier)
    answers = strategy.assign(page("Seahawks", "The Seahawks won at Alki."), LINKS)
    assert [answer.owners for answer in answers] == [("Cn2",)] * len(LINKS)
    assert answers[0].why == "the page's words indicate Cn2 (0.96): 'seahawks', 'alki'"


def test_with_blocks_a_links_own_line_counts_ten_times(model: bytes) -> None:
    """The DOM features of the paper's future work: a directory's page about Boston, with a list
    item about Seattle. "alki" counts 1 + 10 times, "harbor" and "celtics" once or 11 times."""
    text = "Fenway, the harbor and the Celtics\nharbor tours\nAlki beach\nmore"
    at = [text.index("tours"), text.index("beach"), -1]
    links = [
        replace(link, start=start, end=start + 5 if start >= 0 else -1)
        for link, start in zip(LINKS, at, strict=False)
    ]
    judged = JudgedPage(Page("http://a.test/", text=text))
    around = setting(model)
    job = replace(around.job, collaboration=replace(around.job.collaboration, blocks=True))
    answers = build(replace(around, job=job)).assign(judged, links)
    assert [answer.owners for answer in answers] == [("Cn1",), ("Cn2",), ("Cn1",)]
    assert "'alki'" in answers[1].why
    whole = build(around).assign(judged, links)
    assert {answer.owners for answer in whole} == {("Cn1",)}


def test_words_for_none_go_to_a_general_node_by_hash(model: bytes) -> None:
    answers = build(setting(model)).assign(page("", "The weather of the world"), LINKS)
    assert [answer.owners for answer in answers] == [
        (f"general{fingerprint(link.url) % 2 + 1}",) for link in LINKS
    ]
    assert answers[0].why.startswith("the page's words indicate no territory (0.9")


def test_without_a_known_word_the_prior_does_not_decide(tokeniser: Tokeniser) -> None:
    much = dump(lesson(tokeniser, [*LOCAL, *[(SEATTLE, "Alki")] * 50]).model())
    (answer, *_) = build(setting(much)).assign(page("", "Zebras"), LINKS)
    assert answer.owners[0].startswith("general")
    assert answer.why == "the model knows none of the page's words"
    assert (
        build(setting(much))
        .assign(JudgedPage(Page("")), LINKS[:1])[0]
        .owners[0]
        .startswith("general")
    )  # a seed


def test_under_policy_b_all_likely_territories_get_them(model: bytes) -> None:
    """Under A one of them, and what is all but impossible gets nothing under B either."""
    both = page("", "Fenway, Alki")
    (answer, *_) = build(setting(model, policy="B")).assign(both, LINKS)
    assert set(answer.owners) == {"Cn1", "Cn2"}
    assert len(build(setting(model)).assign(both, LINKS)[0].owners) == 1
    sure = page("", "Fenway harbor Celtics " * 9)
    assert build(setting(model, policy="B")).assign(sure, LINKS)[0].owners == ("Cn1",)


def test_one_model_serves_any_partition(model: bytes) -> None:
    words = page("", "Alki, Puget, Seahawks")
    for nodes, owner in [
        ((("King County, WA",), ("Massachusetts",)), "Cn1"),  # Seattle is in the county
        ((("Boston, MA", "Seattle, WA"),), "Cn1"),
        ((("Boston, MA",),), "general1"),  # Seattle is no target: as good as none
    ]:
        assert build(setting(model, nodes=nodes, general=1)).assign(words, LINKS)[0].owners == (
            owner,
        )


def test_no_links_no_answers(model: bytes) -> None:
    assert build(setting(model)).assign(page("", "Alki"), []) == []


@pytest.mark.parametrize(
    ("data", "cause"),
    [
        (b"", "my.model is not a usable model: it is empty"),
        (b"<html>", "my.model is not a usable model: it is not a trained model"),
        (MAGIC + b"\x01junk", "my.model is not a usable model: it is damaged"),
    ],
)
def test_a_file_that_is_no_model(data: bytes, cause: str) -> None:
    with pytest.raises(InputError) as error:
        build(setting(data))
    assert error.value.cause == cause
    assert "toponaut train" in error.value.fix


def test_a_model_of_other_places(finder: NameFinder, tokeniser: Tokeniser) -> None:
    oldenburg = find_place(finder.gazetteer, "Oldenburg, DE").id
    foreign = dump(
        lesson(
            tokeniser, [(oldenburg, "Hunte"), (0, "Rain"), (999_999_999_999, "Atlantis")]
        ).model()
    )
    with pytest.raises(InputError, match=r"it knows no place in the job's targets.*toponaut train"):
        build(setting(foreign))


def test_a_model_that_is_not_there() -> None:
    for model, cause in [
        ("", "collaboration.model is empty"),
        ("no/such.model", "no/such.model cannot be read"),
    ]:
        wanted = Job(
            partition="written",
            nodes=NodesSection(territories=(TerritorySection(targets=("Boston, MA",)),)),
            collaboration=CollaborationSection(strategy="classifier", model=model),
        )
        with pytest.raises(InputError, match=f"{cause}.*toponaut train"):
            collaboration_of(setting_of(wanted))
