"""The ordering `interest`: weights worked by hand, weights that drift, and the exact order of
fetches on tiny webs."""

import shutil
from math import log
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as some
from msgspec.structs import replace
from tests.support.crawling import FAST, crawl, job, urls, visits

from toponaut.crawl.directory import LOG
from toponaut.crawl.strategies import setting_of
from toponaut.errors import InputError
from toponaut.job import Job, LimitsSection, OrderingSection, RegionSection, TargetsSection
from toponaut.job.targets import job_targets
from toponaut.log import directory_of, read
from toponaut.places.names.finder import NameFinder
from toponaut.places.names.tokens import Tokeniser
from toponaut.records import JudgedPage, Link, Outcome, Page, QueuedLink, ScoredLink, Visit
from toponaut.strategy.ordering.interest import FEW, SEED, InterestOrdering, Interests, build
from toponaut.strategy.ordering.term_weights import (
    Counts,
    TermCounter,
    idf,
    lnu,
    lnu_share,
    nxx,
    revisit_days,
    term_of,
    tfidf,
    word_counts,
)
from toponaut.strategy.registry import ordering_of

LINKS = [Link("http://b.test/", "http://a.test/"), Link("http://c.test/", "http://a.test/")]
IRAN = {"Iran": 4.0, "Tehran": 2.0, "Khatami": 1.0, "middleeast": 1.0}  # the paper's region
# A page of 300 words, 200 of them different, the most frequent 20 times; "Iran" 5 times, "Tehran" 3
# times.
PAGE = Counts((5, 3, 0, 0), most=20, words=300, unique=200)
PRIORITIES = [4.0, 2.0, 1.0, 1.0]
HAVING = [10, 5, 1, 20]  # of 100 pages


@pytest.fixture(scope="session")
def tokeniser(finder: NameFinder) -> Tokeniser:
    return finder.gazetteer.names.tokeniser


# --- the three schemes ----------------------------------------------------------------------------


def test_idf() -> None:
    """ln 10, ln 20, ln 100, ln 5; an interest that no page has is as rare as one that one page
    has."""
    assert idf(100, HAVING) == pytest.approx([2.302585, 2.995732, 4.605170, 1.609438])
    assert idf(100, [0, 100]) == pytest.approx([4.605170, 0.0])


def test_nxx() -> None:
    """5 * 4 + 3 * 2 = 26, however long the page."""
    assert nxx(PAGE, PRIORITIES) == 26.0
    assert nxx(PAGE._replace(words=90_000, unique=9_000), PRIORITIES) == 26.0


def test_tfidf() -> None:
    """page:   5/20 * 2.302585 = 0.575646, 3/20 * 2.995732 = 0.449360, 0, 0
    region: 1 * 2.302585, 0.75 * 2.995732 = 2.246799, 0.625 * 4.605170 = 2.878231,
    0.625 * 1.609438 = 1.005899
    product 1.325474 + 1.009621 = 2.335095; lengths 0.730269 and 4.432387;
    cosine 2.335095 / 3.236833 = 0.721413"""
    assert tfidf(PAGE, PRIORITIES, idf(100, HAVING)) == pytest.approx(0.721413, abs=2e-6)


def test_tfidf_where_there_is_no_angle() -> None:
    assert tfidf(Counts((0, 0), 3, 9, 5), [1.0, 2.0], [1.0, 2.0]) == 0.0
    assert (
        tfidf(Counts((4, 2), 4, 9, 5), [1.0, 2.0], idf(7, [7, 7])) == 0.0
    )  # every page has both, so they say nothing


def test_lnu() -> None:
    """average tf 300/200 = 1.5; page (1 + ln 5) / (1 + ln 1.5) = 2.609438 / 1.405465 = 1.856637, (1
    + ln 3) / 1.405465 = 1.493180, over 0.8 * 107.89 + 0.2 * 200 = 126.312 region (1 + ln 4) *
    2.302585 = 5.494645, (1 + ln 2) * 2.995732 = 5.072214, over 0.8 * 107.89 + 0.2 * 4 = 87.112
    (1.856637 * 5.494645 + 1.493180 * 5.072214) / (126.312 * 87.112) = 17.775291 / 11003.291 =
    0.00161545"""
    assert lnu(PAGE, PRIORITIES, idf(100, HAVING)) == pytest.approx(0.00161545, rel=1e-5)


def test_lnu_on_a_scale() -> None:
    """A page of the four interests: (5.494645 + 5.072214 + 4.605170 + 1.609438) / (87.112 * 87.112)
    = 16.781467 / 7588.500 = 0.00221143; 0.00161545 / 0.00221143 = 0.730499"""
    rarity = idf(100, HAVING)
    assert lnu_share(PAGE, PRIORITIES, rarity, 107.89, 0.2) == pytest.approx(0.730499, rel=1e-5)
    assert lnu_share(PAGE, PRIORITIES, [0.0] * 4, 107.89, 0.2) == 0.0  # all pages have all


def test_lnu_with_another_pivot_and_slope() -> None:
    """One interest twice among 10 different words of 10: (1 + ln 2) / 1 / (0.5 * 10 + 0.5 * 10) =
    0.169315; the region (1 + ln 1) * ln 10 / (0.5 * 10 + 0.5 * 1) = 0.418652; product 0.0708840"""
    weight = lnu(Counts((2,), 2, 10, 10), [1.0], idf(10, [1]), pivot=10.0, slope=0.5)
    assert weight == pytest.approx(0.0708840, rel=1e-5)


def test_priorities_below_one_count_by_their_ratio() -> None:
    """ltu is made for counts: 1 + ln 0.2 would be negative, and the interest a reason to stay
    away."""
    rarity = idf(100, [10, 5])
    page = Counts((1, 1), 4, 50, 40)
    assert lnu(page, [0.4, 0.2], rarity) == pytest.approx(lnu(page, [2.0, 1.0], rarity))


def test_a_page_without_words_weighs_nothing() -> None:
    empty = Counts((0, 0))
    assert (nxx(empty, [1, 1]), tfidf(empty, [1, 1], [1, 1]), lnu(empty, [1, 1], [1, 1])) == (
        0,
        0,
        0,
    )


@given(
    some.lists(
        some.tuples(some.integers(0, 50), some.floats(0.01, 1000), some.integers(0, 500)),
        min_size=1,
        max_size=9,
    ),
    some.integers(0, 5000),
)
def test_weights_are_sane(interests: list[tuple[int, float, int]], rest: int) -> None:
    tf, priorities, having = zip(*interests, strict=True)
    page = Counts(tf, max(*tf, 1), sum(tf) + rest, sum(map(bool, tf)) + rest)
    rarity = idf(500, having)
    assert 0 <= tfidf(page, priorities, rarity) <= 1 + 1e-9
    assert lnu(page, priorities, rarity) >= 0
    assert nxx(page, priorities) >= 0


def test_heavier_pages_are_revisited_more_often() -> None:
    """The heaviest daily; half as heavy, every two days; a fortieth, at the latest; without
    interest, at the latest."""
    assert [revisit_days(weight, 8.0, 1.0, 30.0) for weight in (8.0, 4.0, 0.2, 0.0)] == [
        1.0,
        2.0,
        30.0,
        30.0,
    ]
    assert revisit_days(0.0, 0.0, 1.0, 30.0) == 30.0


# --- terms in texts -------------------------------------------------------------------------------


def counted(tokeniser: Tokeniser, text: str, *terms: str, title: str = "") -> Counts:
    return TermCounter(tokeniser, [term_of(tokeniser, term) for term in terms]).count(title, text)


def test_terms_are_words_without_regard_to_case_and_accents(tokeniser: Tokeniser) -> None:
    text = "TEHRAN: Tehran's mayor. Téhéran, Iranian news from Teheran."
    assert counted(tokeniser, text, "tehran", "iran", "Teheran").tf == (2, 0, 2)
    assert counted(tokeniser, "Cafe\u0301 Zu\u0308rich", "zürich", "café").tf == (
        1,
        1,
    )  # combining accents


def test_terms_of_several_words(tokeniser: Tokeniser) -> None:
    text = (
        "Middle East, the middle-east and the MIDDLE\nEAST; the East, the middle, the "
        "Middle Eastern middle"
    )
    assert counted(tokeniser, text, "middle east", "east").tf == (3, 4)
    assert counted(tokeniser, "new york", "york new", "new york city").tf == (0, 0)
    assert counted(tokeniser, "a a a", "a a").tf == (2,)


def test_terms_of_scripts_without_spaces(tokeniser: Tokeniser) -> None:
    assert counted(tokeniser, "我在北京，北京很大。", "北京").tf == (2,)


def test_the_title_counts_and_words_are_told(tokeniser: Tokeniser) -> None:
    """iran x3 (title and text), the x2, news: 6 words, 3 different, the most frequent 3 times."""
    found = counted(tokeniser, "the Iran, the iran", "iran", "khatami", title="Iran News")
    assert found == Counts((3, 0), most=3, words=6, unique=3)
    assert counted(tokeniser, "", "iran") == Counts((0,))


def test_a_phrase_across_chunks_of_a_long_text(tokeniser: Tokeniser) -> None:
    for before in range(32_740, 32_770):
        assert counted(tokeniser, "x " * (before // 2) + "Middle East", "middle east").tf == (1,)


def test_word_counts_keep_the_spelling(tokeniser: Tokeniser) -> None:
    assert word_counts(tokeniser, "Größe größe GROSSE 12") == {"größe": 2, "grosse": 1, "12": 1}


# --- the ordering ---------------------------------------------------------------------------------


def ordering(interests: dict[str, float], **keys: object) -> InterestOrdering:
    section = OrderingSection(strategy="interest", interests=interests, **keys)  # type: ignore[arg-type]
    made = ordering_of(
        setting_of(Job(targets=TargetsSection(places=("Tehran, IR",)), ordering=section))
    )
    assert isinstance(made, InterestOrdering)
    return made


def page(text: str, url: str = "http://a.test/") -> JudgedPage:
    return JudgedPage(Page(url, text=text))


def visit(text: str, outcome: Outcome = Outcome.FETCHED) -> Visit:
    return Visit(0, "n", "http://a.test/", 200, outcome, text=text)


CAME = QueuedLink("http://a.test/", 1.0)


def test_links_inherit_the_weight_of_their_page() -> None:
    by_terms = ordering(IRAN, scheme="nxx")
    rated = by_terms.rate(CAME, page("Iran, Iran and Tehran: Iranian news of Khatami"), LINKS)
    assert [one.promise for one in rated] == [11.0, 11.0]  # 2 * 4 + 2 + 1
    assert rated[0].why == "weight 11 (nxx) of its page: 'Iran' 2x, 'Tehran' 1x, 'Khatami' 1x"
    assert (
        by_terms.rate(CAME, page("about us"), LINKS)[0].why
        == "weight 0 (nxx) of its page: none of the interests"
    )
    assert by_terms.rate(CAME, page("Iran"), []) == []


def test_the_page_itself_counts_as_downloaded() -> None:
    """After 99 other pages, 4 of them with it: idf = ln(100 / 5) = 2.995732; the page has 2 words,
    2 different ones: (1 + 0) / (1 + 0) / (86.312 + 0.4) * 2.995732 / (86.312 + 0.2) =
    0.000399344; of a page of "Tehran" alone, (86.312 + 0.2) / (86.312 + 0.4) = 0.997694"""
    by_terms = ordering({"tehran": 1.0}, scheme="lnu")
    for number in range(99):
        by_terms.learn(visit("Tehran" if number < 4 else "elsewhere"))
    rated = by_terms.rate(CAME, page("Tehran today"), LINKS)[0]
    assert rated.promise == pytest.approx(0.997694, rel=1e-5)
    by_terms.learn(visit("Tehran today"))
    assert (
        by_terms.again(QueuedLink("http://b.test/", rated.promise, ordering_memo=rated.memo))
        == rated.promise
    )


def test_weights_drift_and_again_tells() -> None:
    """With 'tehran' on 1 of 100 pages, and 'iran' on none, the weight is in proportion to ln 100 /
    (ln 100 + ln 100); with it on 10 of 200 to ln 20 / (ln 20 + ln 200)."""
    by_terms = ordering({"tehran": 1.0, "iran": 1.0})
    rated = by_terms.rate(CAME, page("Tehran today"), LINKS)[0]
    by_terms.learn(visit("Tehran today"))
    waiting = QueuedLink("http://b.test/", rated.promise, ordering_memo=rated.memo)
    for number in range(199):
        by_terms.learn(visit("Tehran" if number < 9 else "elsewhere"))
    expected = log(20) / (log(20) + log(200)) / 0.5
    assert by_terms.again(waiting) / rated.promise == pytest.approx(expected)
    assert len(rated.memo) < 12


def test_a_crawl_of_few_pages_counts_as_one_of_more() -> None:
    """Else all that the first page links to would weigh log(1/1) = 0."""
    by_terms = ordering({"tehran": 1.0}, scheme="tfidf")
    assert by_terms.rate(CAME, page("Tehran"), LINKS)[0].promise == pytest.approx(1.0)
    assert FEW == 100


def test_only_pages_of_the_crawl_count() -> None:
    one, other = ordering(IRAN), ordering(IRAN)
    one.learn(visit("Iran"))
    for outcome in (
        Outcome.GONE,
        Outcome.REDIRECT,
        Outcome.SEEDED,
        Outcome.SITEMAP,
        Outcome.NO_INDEX,
    ):
        one.learn(visit("", outcome))
    other.learn(visit("Iran", Outcome.NEAR_COPY))
    assert one.dump() == other.dump()


def test_seeds_come_first_and_keep_their_priority() -> None:
    by_terms = ordering(IRAN)
    assert by_terms.seed().promise == SEED
    assert by_terms.again(QueuedLink("http://a.test/", SEED)) == SEED


def test_what_is_learned_survives_a_snapshot() -> None:
    learned = ordering(IRAN)
    for text in ("Iran and Tehran", "elsewhere", "Tehran"):
        learned.learn(visit(text))
    restored = ordering(dict(reversed(IRAN.items())))  # the order in the file does not matter
    restored.load(learned.dump())
    assert restored.dump() == learned.dump()
    judged = page("Iran of Khatami")
    assert restored.rate(CAME, judged, LINKS) == learned.rate(CAME, judged, LINKS)
    for model in (b"", b"nonsense", ordering({"oldenburg": 1.0}).dump()):
        with pytest.raises(ValueError, match="interests"):
            restored.load(model)


def test_one_term_written_twice_is_one_interest() -> None:
    by_terms = ordering({"Iran": 4.0, "iran": 2.0, "Tehran": 0.0}, scheme="nxx")
    assert (
        by_terms.rate(CAME, page("Iran, Tehran"), LINKS)[0].why
        == "weight 6 (nxx) of its page: 'Iran' 1x"
    )


def test_a_reason_names_the_strongest_interests() -> None:
    many = {f"term{letter}": 1.0 for letter in "abcdefg"} | {"gold": 9.0}
    why = (
        ordering(many, scheme="nxx").rate(CAME, page(" ".join(many) + " terma terma"), LINKS)[0].why
    )
    assert (
        why == "weight 18 (nxx) of its page: 'gold' 1x, 'terma' 3x, 'termb' 1x, 'termc' 1x, "
        "'termd' 1x and 3 more"
    )


@pytest.mark.parametrize(
    ("section", "cause"),
    [
        (
            OrderingSection(strategy="interest"),
            'the ordering "interest" has no interests. Add interests = ',
        ),
        (
            OrderingSection(strategy="interest", interests={"iran": 0.0}),
            'the ordering "interest" has no interests',
        ),
        (
            OrderingSection(strategy="interest", interests={"!?": 1.0}),
            'the interest "!?" has no word in it. Write words',
        ),
        (
            OrderingSection(strategy="interest", interests={"a": 1.0}, pivot=0.0, slope=0.0),
            "pivot and ordering.slope are both 0",
        ),
    ],
)
def test_mistakes_name_their_cure(section: OrderingSection, cause: str) -> None:
    setting = setting_of(Job(targets=TargetsSection(places=("Tehran, IR",))))
    with pytest.raises(InputError) as refused:
        build(replace(setting, job=Job(ordering=section)))
    assert cause in str(refused.value)


# --- the order of fetches -------------------------------------------------------------------------

FILLER = " ".join(f"word{number}" for number in range(100))


def web(folder: Path, pages: dict[str, tuple[str, str]]) -> Path:
    """One page a host: names are hosts; each has the hosts that it links to, and a text."""
    folder.mkdir()
    lines = []
    for name, (links, text) in pages.items():
        anchors = "".join(f'<a href="http://{word}.test/">x</a> ' for word in links.split())
        (folder / f"{name}.html").write_text(f"<p>{anchors}<p>{text}", encoding="utf-8")
        lines.append(f"http://{name}.test/\t{name}.html\ttext/html\n")
    (folder / "manifest.tsv").write_text("".join(lines), encoding="utf-8")
    return folder


def fetched(
    tmp_path: Path, seeds: str, section: OrderingSection, pages: dict[str, tuple[str, str]]
) -> list[str]:
    one = replace(FAST, concurrent=1, robots=False)
    wanted = replace(
        job([f"http://{seed}.test/" for seed in seeds.split()], politeness=one), ordering=section
    )
    crawl(tmp_path / "c", wanted, replay=web(tmp_path / "web", pages))
    return [
        url.removeprefix("http://").removesuffix(".test/")
        for url in urls(tmp_path / "c", Outcome.FETCHED)
    ]


def test_the_heaviest_page_is_followed_first(tmp_path: Path) -> None:
    """nxx with Iran 4, Tehran 2: b and c (100) tie; then f (12) from c, d (4) from b, h (2)
    from d, g (0) from f."""
    order = fetched(
        tmp_path,
        "a",
        OrderingSection(strategy="interest", interests={"Iran": 4.0, "Tehran": 2.0}, scheme="nxx"),
        {
            "a": ("b c", "Iran " * 25),
            "b": ("d", "Iran"),
            "c": ("f", "Iran Iran, Iran"),
            "d": ("h", "Tehran"),
            "f": ("g", "elsewhere"),
            "g": ("", "nothing"),
            "h": ("", "nothing"),
        },
    )
    assert order[0] == "a"
    assert set(order[1:3]) == {"b", "c"}
    assert order[3:] == ["f", "d", "h", "g"]
    whys = {link.url: link.ordering_reason for one in visits(tmp_path / "c") for link in one.links}
    assert whys["http://f.test/"] == "weight 12 (nxx) of its page: 'Iran' 3x"


def test_a_link_whose_weight_has_fallen_waits_on(tmp_path: Path) -> None:
    """lnu. Among the seeds s holds x and says Tehran 3 times, i holds y and says Iran twice, t1
    begins a chain of pages that say Tehran 9 times. When found, x goes before y: (1 + ln 3) *
    ln(100/1 or 100/2) = 9.7 or 8.2, against (1 + ln 2) * ln(100/1) = 7.8. The chain, over 3.2 *
    ln(100/6) = 9.0, goes first; after it 7 pages say Tehran: x is worth 2.1 * ln(100/7) = 5.6, and
    y goes before it. (All pages have some 103 different words, so the rest is the same for all but
    5 %.)"""
    pages = {
        "s": ("x", f"{FILLER} Tehran Tehran Tehran"),
        "i": ("y", f"{FILLER} Iran Iran"),
        "x": ("", f"{FILLER} one"),
        "y": ("", f"{FILLER} other"),
        "t6": ("", f"{FILLER} {'Tehran ' * 9}"),
    }
    pages |= {f"t{k}": (f"t{k + 1}", f"{FILLER} {'Tehran ' * 9}") for k in range(1, 6)}
    section = OrderingSection(strategy="interest", interests={"Iran": 1.0, "Tehran": 1.0})
    order = fetched(tmp_path, "s i t1", section, pages)
    assert set(order[:3]) == {"s", "i", "t1"}
    assert order[3:] == ["t2", "t3", "t4", "t5", "t6", "y", "x"]
    found = {link.url: link.promise for one in visits(tmp_path / "c") for link in one.links}
    assert found["http://x.test/"] > found["http://y.test/"]  # in the order of discovery


def test_what_is_learned_is_a_fold_over_the_log(tmp_path: Path) -> None:
    """A crawl that stops after every three pages and resumes fetches in the same order as one that
    never stops, and the log alone has what was learned."""
    pages = {
        f"p{k}": (
            f"p{2 * k + 1} p{2 * k + 2}",
            f"{FILLER[: 40 * k]} {'Iran ' * (k % 4)}{'Tehran ' * (k % 3)}",
        )
        for k in range(20)
    }
    section = OrderingSection(strategy="interest", interests={"Iran": 2.0, "Tehran": 1.0})
    whole = fetched(tmp_path, "p0", section, pages)
    one = replace(FAST, concurrent=1, robots=False)
    for stop in (*range(3, 20, 3), 20):
        limits = LimitsSection(pages=stop, private_networks=True)
        wanted = replace(job(["http://p0.test/"], politeness=one, limits=limits), ordering=section)
        crawl(tmp_path / "parts", wanted, replay=tmp_path / "web")
        shutil.rmtree(tmp_path / "parts" / "state")  # as after a crash: all is folded again
    parts = [
        url.removeprefix("http://").removesuffix(".test/")
        for url in urls(tmp_path / "parts", Outcome.FETCHED)
    ]
    assert len(whole) == 20
    assert parts == whole
    live, folded = ordering(section.interests), ordering(section.interests)
    for seen in visits(tmp_path / "c"):
        live.learn(seen)
    for seen in read(
        directory_of(tmp_path / "c" / "log", LOG), fields=InterestOrdering.learns_from
    ):
        folded.learn(seen)
    assert folded.dump() == live.dump()
    assert msgspec.msgpack.decode(folded.dump())[1:] == [
        20,
        [15, 13],
    ]  # k % 4 > 0 of 0..19: 15; k % 3 > 0: 13


def test_a_page_is_known_by_the_memos_of_its_links_or_by_its_text() -> None:
    """Both ways lead to the same counts; live, a page with links is not read a second time."""
    by_memo, by_text = ordering(IRAN), ordering(IRAN)
    judged = page("Iran and Tehran, Tehran")
    [rated, _] = by_memo.rate(CAME, judged, LINKS)
    link = ScoredLink("http://b.test/", rated.promise, ("n",), ordering_memo=rated.memo)
    by_memo.learn(replace(visit(""), links=(link,)))
    by_text.learn(visit(judged.page.text))
    assert by_memo.dump() == by_text.dump()


# --- regions --------------------------------------------------------------------------------------


def test_several_regions(tokeniser: Tokeniser) -> None:
    """A page counts for the region that it interests most; nxx: 3 * 4 = 12 for Iran, 2 * 5 + 3 * 1
    = 13 for the region of football, which shares the term Iran."""
    regions = (
        RegionSection(name="iran", interests={"Iran": 4.0}),
        RegionSection(name="football", interests={"soccer": 5.0, "iran": 1.0}),
    )
    interests = Interests(OrderingSection(scheme="nxx"), tokeniser, regions)
    assert interests.terms == ("Iran", "soccer")
    page = interests.count("Iran", "soccer in Iran, soccer, Iran")
    assert page.tf == (3, 2)
    assert interests.weigh_region(page, 100, [1, 1]) == (13, "football")
    assert "(nxx, region football)" in interests.in_words(page, 13, "football")
    only = interests.count("Iran", "")
    assert interests.weigh_region(only, 100, [1, 1]) == (4, "iran")


def test_the_weight_of_one_region_does_not_depend_on_the_others(tokeniser: Tokeniser) -> None:
    alone = Interests(OrderingSection(interests=IRAN), tokeniser)
    other = RegionSection(name="other", interests={"zither": 1.0})
    both = Interests(OrderingSection(interests=IRAN), tokeniser, (other,))
    text = "Iran and Tehran, Iran again"
    counts = alone.count("", text), both.count("", text)
    assert alone.weigh(counts[0], 200, [9, 4, 1, 7]) == pytest.approx(
        both.weigh(counts[1], 200, [9, 4, 1, 7, 3])
    )


def test_links_of_two_regions_in_one_crawl(finder: NameFinder) -> None:
    job = Job(
        seeds=("http://a.test/",),
        regions=(
            RegionSection(name="iran", targets=("Tehran, IR",), interests={"tehran": 2.0}),
            RegionSection(name="portugal", targets=("Lisbon, PT",), interests={"lisboa": 2.0}),
        ),
        ordering=OrderingSection(strategy="interest", scheme="nxx"),
    )
    ordering = ordering_of(setting_of(job))
    came = QueuedLink("http://a.test/", 1.0)
    promises = [
        ordering.rate(came, JudgedPage(Page("http://a.test/", text=text)), LINKS)[0].promise
        for text in ("Lisboa, Lisboa", "Tehran", "Hamburg")
    ]
    assert promises == [4, 2, 0]
    names = {place.name for place in job_targets(finder.gazetteer, job)}
    assert names == {"Tehran", "Lisbon"}
