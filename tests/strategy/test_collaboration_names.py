"""The collaborations that go by names: `url` and `anchor`, on links as the paper describes them."""

from collections.abc import Sequence

import pytest

from toponaut.crawl.strategies import setting_of
from toponaut.job import CollaborationSection, Job, NodesSection, TargetsSection, TerritorySection
from toponaut.job.owners import OwnerTable
from toponaut.page.parse import parse
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import JudgedPage, Link, Page, Response
from toponaut.strategy.collaboration import Assignment, Collaboration
from toponaut.strategy.collaboration.reasons import unclaimed
from toponaut.strategy.registry import collaboration_of

PACIFIC = ("Los Angeles, CA", "Portland, OR", "Glendale, CA")
CENTRAL = ("Houston, TX", "Chicago, IL", "Kansas City, MO")
EUROPE = ("Oldenburg, Lower Saxony, DE", "Lisbon, PT")
SOURCE = "http://www.example.com/"
NOTHING = JudgedPage(Page(""))


def built(strategy: str, *, policy: str = "A", general: int = 1, window: int = 10) -> Collaboration:
    section = CollaborationSection(strategy=strategy, policy=policy, anchor_window=window)  # type: ignore[arg-type]
    territories = (
        TerritorySection(name="pacific", targets=PACIFIC),
        TerritorySection(name="central", targets=CENTRAL),
        TerritorySection(name="europe", targets=EUROPE),
    )
    job = Job(
        targets=TargetsSection(),
        partition="written",
        nodes=NodesSection(general=general, territories=territories),
        collaboration=section,
    )
    return collaboration_of(setting_of(job))


@pytest.fixture(scope="module")
def by_url() -> Collaboration:
    return built("url")


@pytest.fixture(scope="module")
def by_anchor() -> Collaboration:
    return built("anchor")


def links_of(html: str) -> JudgedPage:
    return JudgedPage(parse(Response(SOURCE, 200, html.encode(), "text/html; charset=utf-8")))


def assigned(strategy: Collaboration, judged: JudgedPage) -> list[Assignment]:
    return strategy.assign(judged, judged.page.links)


def around(
    before: str, anchor: str, after: str = "", title: str = ""
) -> tuple[JudgedPage, list[Link]]:
    """A page of a link with these words around it."""
    text = f"{before} {anchor} {after}"
    link = Link(
        "http://x.com/",
        SOURCE,
        anchor,
        title,
        start=len(before) + 1,
        end=len(before) + 1 + len(anchor),
    )
    return JudgedPage(Page(SOURCE, text=text)), [link]


def one(strategy: Collaboration, link: Link) -> Assignment:
    (answer,) = strategy.assign(NOTHING, [link])
    return answer


# --- by URL ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "owners", "why"),
    [
        ("http://x.com/los-angeles/", ("pacific",), "the URL names Los Angeles (pop. 3,820,914)"),
        (
            "http://losangeles.com/",
            ("pacific",),
            "the URL names Los Angeles as 'losangeles' (pop. 3,820,914)",
        ),
        (
            "http://x.com/hollywood",
            ("pacific",),
            "the URL names Hollywood in Los Angeles (pop. 3,820,914)",
        ),
        ("http://x.com/lisboa", ("europe",), "the URL names Lisbon as 'lisboa' (pop. 517,802)"),
        ("http://oldenburg.de/", ("europe",), "the URL names Oldenburg (pop. 159,218)"),
        ("http://x.com/glendale", ("pacific",), "the URL names Glendale (pop. 201,020)"),
        ("http://x.com/la/", ("pacific",), "the URL names Los Angeles as 'la' (pop. 3,820,914)"),
        ("http://x.com/ca/glendale", ("pacific",), "the URL names Glendale (pop. 201,020)"),
        (
            "http://x.com/me/portland",
            ("general1",),
            "no target is named in the URL: the general node",
        ),
        ("http://x.com/", ("general1",), "no target is named in the URL: the general node"),
    ],
)
def test_by_url(by_url: Collaboration, url: str, owners: tuple[str, ...], why: str) -> None:
    answer = one(by_url, Link(url, SOURCE))
    assert (answer.owners, answer.why) == (owners, why)


def test_of_several_targets_in_a_url_the_most_populous_counts(by_url: Collaboration) -> None:
    answer = one(by_url, Link("http://houston.example.com/los-angeles/houston/", SOURCE))
    assert answer.owners == ("pacific",)
    assert answer.why == "the URL names Los Angeles (pop. 3,820,914), Houston (pop. 2,314,157)"


def test_policy_b_tells_every_node_that_a_url_names_a_target_of() -> None:
    answer = one(
        built("url", policy="B"), Link("http://x.com/houston-chicago-to-los-angeles", SOURCE)
    )
    assert answer.owners == ("pacific", "central")


def test_links_of_one_page_keep_their_order(by_url: Collaboration) -> None:
    urls = ["http://x.com/houston", "http://x.com/a", "http://x.com/portland", "http://x.com/b"]
    answers = by_url.assign(NOTHING, [Link(url, SOURCE) for url in urls])
    assert [answer.owners for answer in answers] == [
        ("central",),
        ("general1",),
        ("pacific",),
        ("general1",),
    ]


# --- by anchor ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "anchor", "after", "owners", "why"),
    [
        (
            "",
            "Hotels in Houston",
            "",
            "central",
            "Houston (pop. 2,314,157) is named in the link text",
        ),
        (
            "",
            "L.A. pizza",
            "",
            "pacific",
            "Los Angeles as 'L.A.' (pop. 3,820,914) is named in the link text",
        ),
        (
            "The best pizza in Houston is",
            "here",
            "",
            "central",
            "Houston (pop. 2,314,157) is named 2 words before the link text",
        ),
        (
            "",
            "menu",
            "of our place in Chicago",
            "central",
            "Chicago (pop. 2,664,452) is named 5 words after the link text",
        ),
        # the closest, although the other is larger
        (
            "Los Angeles is far away from",
            "here",
            "in Portland",
            "pacific",
            "Portland (pop. 652,503) is named 2 words after the link text",
        ),
        # in the link text the first
        (
            "In Chicago:",
            "from Portland to Houston",
            "",
            "pacific",
            "Portland (pop. 652,503) is named in the link text",
        ),
        (
            "A trip to",
            "Lisboa",
            "",
            "europe",
            "Lisbon as 'Lisboa' (pop. 517,802) is named in the link text",
        ),
        # no capitals at all
        (
            "",
            "pizza in lisboa",
            "",
            "europe",
            "Lisbon as 'Lisboa' (pop. 517,802) is named in the link text",
        ),
        (
            "",
            "houston street",
            "",
            "general1",
            "no target is named in the link text or within 10 words of it: the general node",
        ),
        (
            "",
            "Wohnen in Oldenburg",
            "",
            "europe",
            "Oldenburg (pop. 159,218) is named in the link text",
        ),
        ("", "Kansas City", "", "central", "Kansas City (pop. 475,378) is named in the link text"),
        (
            "our branch in",
            "Portland",
            ", Maine is open",
            "general1",
            "no target is named in the link text or within 10 words of it: the general node",
        ),
        (
            "",
            "Glendale",
            "",
            "pacific",
            "Glendale (pop. 201,020) is named in the link text",
        ),
        # Another target in the heading above it.
        (
            "Houston\n\n",
            "Glendale",
            "",
            "pacific",
            "Glendale (pop. 201,020) is named in the link text",
        ),
        (
            "",
            "New York Fries",
            "",
            "general1",
            "no target is named in the link text or within 10 words of it: the general node",
        ),
        # eleven words away
        (
            "Houston one two three four five six seven eight nine ten",
            "here",
            "",
            "general1",
            "no target is named in the link text or within 10 words of it: the general node",
        ),
        (
            "Houston one two three four five six seven eight nine",
            "here",
            "",
            "central",
            "Houston (pop. 2,314,157) is named 10 words before the link text",
        ),
        (
            "",
            "",
            "",
            "general1",
            "no target is named in the link text or within 10 words of it: the general node",
        ),
    ],
)
def test_by_anchor(
    by_anchor: Collaboration, before: str, anchor: str, after: str, owners: str, why: str
) -> None:
    [answer] = by_anchor.assign(*around(before, anchor, after))
    assert (answer.owners, answer.why) == ((owners,), why)


def test_the_title_belongs_to_the_link_text(by_anchor: Collaboration) -> None:
    [answer] = by_anchor.assign(*around("more from Los Angeles", "here", title="Hotels in Houston"))
    assert (answer.owners, answer.why) == (
        ("central",),
        "Houston (pop. 2,314,157) is named in the link's title",
    )


def test_a_window_of_nothing_leaves_the_link_text() -> None:
    strategy = built("anchor", window=0)
    answers = [
        *strategy.assign(*around("", "in Houston")),
        *strategy.assign(*around("in Houston", "here")),
    ]
    assert [answer.why for answer in answers] == [
        "Houston (pop. 2,314,157) is named in the link text",
        "no target is named in the link text: the general node",
    ]


def test_policy_b_tells_every_node_that_a_target_near_the_link_is_of() -> None:
    [answer] = built("anchor", policy="B").assign(
        *around("From Chicago via Houston,", "a tour", "to Los Angeles")
    )
    assert answer.owners == ("central", "pacific")
    assert answer.why == (
        "Houston (pop. 2,314,157) is named 1 word before the link text, "
        "Los Angeles (pop. 3,820,914) is named 2 words after the link text, "
        "Chicago (pop. 2,664,452) is named 3 words before the link text"
    )


LIST = """<ul><li><a href=/1>Portland</a><li><a href=/2>Maine</a></ul> <p>We have been <a
href=/4>baking</a> in Houston since 1950, and <a href=/5><img alt="Visit Chicago" src=i.png></a> we
like it. {filler} <a href=/6>Imprint</a>"""


@pytest.mark.parametrize("filler", ["word " * 20, "word " * 2000])
def test_links_of_a_page(by_anchor: Collaboration, filler: str) -> None:
    """Read from the page if links are close together, else from the links; with the same
    answers. The lines of a list do not explain each other: the first is not Portland, Maine."""
    judged = links_of(LIST.format(filler=filler))
    answers = assigned(by_anchor, judged)
    assert [answer.owners[0] for answer in answers] == [
        "pacific",
        "pacific",
        "central",
        "central",
        "general1",
    ]
    assert [answer.why for answer in answers][:4] == [
        "Portland (pop. 652,503) is named in the link text",
        "Portland (pop. 652,503) is named 1 word before the link text",
        "Houston (pop. 2,314,157) is named 2 words after the link text",
        "Chicago (pop. 2,664,452) is named in the link text",
    ]
    alone: Sequence[Assignment] = [
        by_anchor.assign(judged, [link])[0] for link in judged.page.links
    ]
    assert answers == alone


def test_links_without_a_space_between_them(by_anchor: Collaboration) -> None:
    """The page reads "HoustonMoreImprint"; each link is a word of its own all the same."""
    judged = links_of("<p><a href=/1>Houston</a><a href=/2>More</a><a href=/3>Imprint</a>")
    answers = assigned(by_anchor, judged)
    assert [answer.owners[0] for answer in answers] == ["central", "central", "general1"]
    assert answers == [by_anchor.assign(judged, [link])[0] for link in judged.page.links]


def test_no_links(by_url: Collaboration, by_anchor: Collaboration) -> None:
    assert by_url.assign(NOTHING, []) == by_anchor.assign(NOTHING, []) == []


# --- unclaimed links ------------------------------------------------------------------------------


def test_without_a_target_the_hash_chooses_a_general_node() -> None:
    links = [Link(f"http://x.com/{number}", SOURCE) for number in range(40)]
    for strategy in (built("url", general=2), built("anchor", general=2)):
        answers = strategy.assign(NOTHING, links)
        assert {answer.owners for answer in answers} == {("general1",), ("general2",)}
        assert answers == strategy.assign(NOTHING, links)
        assert all(answer.why.endswith(": a general node, by hash") for answer in answers)


def test_without_general_nodes_the_hash_chooses_any() -> None:
    links = [Link(f"http://x.com/{number}", SOURCE) for number in range(40)]
    answers = built("url", general=0).assign(NOTHING, links)
    assert {answer.owners for answer in answers} == {("pacific",), ("central",), ("europe",)}
    assert (
        answers[0].why
        == "no target is named in the URL, and there is no general node: any node, by hash"
    )


def test_the_only_node(gazetteer: Gazetteer) -> None:
    assert (
        unclaimed(OwnerTable(gazetteer, [], ["general1"]), "no place") == "no place: the only node"
    )
