"""The strategies that combine all evidence: what each evidence does, that outcomes teach, and the
order of fetches."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.strategy.test_ordering import WEBS, web
from tests.support.crawling import crawl, job, urls

from toponaut.crawl.strategies import setting_of
from toponaut.job import (
    CollaborationSection,
    Job,
    NodesSection,
    OrderingSection,
    PolitenessSection,
    TargetsSection,
    TerritorySection,
)
from toponaut.job.targets import find_place
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import Address, JudgedPage, Link, Outcome, Page, QueuedLink, Visit
from toponaut.strategy.collaboration import Collaboration
from toponaut.strategy.ordering.combined import CombinedOrdering
from toponaut.strategy.ordering.link_evidence import LinkEvidence, NameEvidence, says_contact
from toponaut.strategy.registry import collaboration_of, ordering_of

HERE = "http://www.list.example/"
DULL = JudgedPage(Page(HERE))
CAME = QueuedLink(HERE, 1.0, score=0.5)
PLAIN = Link("http://a.example/x", HERE, "something")
NEWS = "all that is new in Houston, Texas: "


@pytest.fixture
def ordering() -> CombinedOrdering:
    setting = setting_of(
        Job(
            targets=TargetsSection(places=("Houston, TX",)),
            ordering=OrderingSection(strategy="combined"),
        )
    )
    found = ordering_of(setting)
    assert isinstance(found, CombinedOrdering)
    return found


def promise(
    ordering: CombinedOrdering, link: Link, judged: JudgedPage = DULL, came: QueuedLink = CAME
) -> float:
    return ordering.rate(came, judged, [link])[0].promise


@pytest.mark.parametrize(
    "better",
    [
        Link("http://houston.example/x", HERE, "something"),
        Link("http://a.example/x", HERE, "something in Houston"),
        Link("http://a.example/x", HERE, "something", start=len(NEWS), end=len(NEWS)),
    ],
)
def test_a_name_of_a_target_lifts_a_link(ordering: CombinedOrdering, better: Link) -> None:
    judged = JudgedPage(Page(HERE, text=NEWS))
    assert promise(ordering, better, judged) > 1.4 * promise(ordering, PLAIN, judged)


@pytest.mark.parametrize(
    ("url", "text", "says"),
    [
        ("http://a.example/x", "Contact us", True),
        ("http://a.example/kontakt.html", "something", True),
        ("http://a.example/x", "Impressum", True),
        ("http://contact.example/x", "something", False),  # the name of a host says nothing
        ("http://contact.example/", "something", False),
        ("http://a.example/x", "Products", False),
    ],
)
def test_a_link_to_the_page_with_a_sites_address_comes_sooner(
    ordering: CombinedOrdering, url: str, text: str, says: bool
) -> None:
    link = Link(url, HERE, text)
    assert says_contact(link) is says
    assert (promise(ordering, link) > 3 * promise(ordering, PLAIN)) is says


def test_what_is_near_a_relevant_page_comes_sooner(ordering: CombinedOrdering) -> None:
    far = promise(ordering, PLAIN, came=replace(CAME, score=0.05))
    assert far < promise(ordering, PLAIN) < promise(ordering, PLAIN, replace(DULL, relevant=True))


NAMED = [
    Link("http://a.example/houston", HERE, "something"),
    Link("http://b.example/x", HERE, "something in Houston"),
    Link("http://c.example/x", HERE, "something", start=len(NEWS), end=len(NEWS)),
    PLAIN,
]


@pytest.mark.parametrize("learned", [0, 30])
def test_a_link_that_waits_is_rated_if_it_may_rise(
    ordering: CombinedOrdering, learned: int
) -> None:
    """Names are read only where they may matter, and the answer is the same as if all were."""
    judged = JudgedPage(Page(HERE, text=NEWS))
    for number in range(learned):  # names of targets mislead: their weights turn negative
        [rated] = ordering.rate(CAME, judged, [NAMED[number % 3]])
        url = f"http://{number}.example/"
        ordering.learn(visit(number, rated.memo, url, relevant=False))
    rated_all = ordering.rate(CAME, judged, NAMED)
    for change in (-1e-3, -1e-12, 0.0, 1e-12, 1e-3, 1.0):
        before = [one.promise * (1 + change) for one in rated_all]
        again = ordering.rate_better(CAME, judged, NAMED, before)
        expected = [
            one if one.promise > than else None for one, than in zip(rated_all, before, strict=True)
        ]
        assert again == expected


def test_names_of_a_link_that_cannot_rise_are_not_read(
    ordering: CombinedOrdering, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = JudgedPage(Page(HERE, text=NEWS))
    read: list[Link] = []
    names = LinkEvidence.names

    def counted(self: LinkEvidence, text: str, links: Sequence[Link]) -> list[NameEvidence]:
        read.extend(links)
        return names(self, text, links)

    monkeypatch.setattr(LinkEvidence, "names", counted)
    assert ordering.rate_better(CAME, judged, NAMED, [0.9] * len(NAMED)) == [None] * len(NAMED)
    assert read == []
    assert None not in ordering.rate_better(CAME, judged, NAMED, [0.0] * len(NAMED))
    assert read == NAMED


def test_a_page_about_targets_lifts_its_links(
    ordering: CombinedOrdering, gazetteer: Gazetteer
) -> None:
    houston, lisbon = (find_place(gazetteer, name).id for name in ("Houston, TX", "Lisbon, PT"))
    about = [
        promise(ordering, PLAIN, replace(DULL, scope=((place, 1.0),)))
        for place in (houston, lisbon)
    ]
    assert about[0] > about[1] == promise(ordering, PLAIN)


def visit(number: int, rated: bytes, url: str, *, relevant: bool, found: int = -1) -> Visit:
    return Visit(
        number,
        "Cn1",
        url,
        200,
        Outcome.FETCHED,
        simhash=1,
        relevant=relevant,
        found_by=found,
        ordering_memo=rated,
    )


def test_a_site_that_disappoints_sinks_also_with_links_that_wait(
    ordering: CombinedOrdering,
) -> None:
    waiting, [other] = (
        ordering.rate(CAME, DULL, [PLAIN])[0],
        ordering.rate(CAME, DULL, [Link("http://b.example/", HERE)]),
    )
    queued = [
        QueuedLink(url, 1.0, ordering_memo=rated.memo)
        for url, rated in (("http://a.example/x", waiting), ("http://b.example/", other))
    ]
    before = [ordering.again(one) for one in queued]
    assert before == pytest.approx(
        [waiting.promise, other.promise], rel=0.02
    )  # evidence is kept in steps of 1/16
    for number in range(12):
        ordering.learn(visit(number, b"", f"http://a.example/{number}", relevant=False))
        ordering.learn(visit(100 + number, b"", f"http://b.example/{number}", relevant=True))
    after = [ordering.again(one) for one in queued]
    assert after[0] < 0.7 * before[0]
    assert after[1] > 1.5 * before[1]


def test_links_are_judged_by_those_like_them_on_their_site(ordering: CombinedOrdering) -> None:
    """A chain's pages on shops are relevant if a target is named, those on jobs never."""
    shops = [Link(f"http://chain.example/shops/{k}", HERE, "Houston") for k in range(20)]
    others = [Link(f"http://chain.example/shops/n{k}", HERE, "Lisbon") for k in range(20)]
    jobs = [Link(f"http://chain.example/jobs/{k}", HERE, "Houston") for k in range(20)]
    groups = [ordering.rate(CAME, DULL, some) for some in (shops, others, jobs)]
    before = [ordering.again(QueuedLink("http://chain.example/", 1.0, ordering_memo=some[-1].memo))
              for some in groups]  # fmt: skip
    assert before[0] == before[2] > before[1]
    for number in range(10):
        for rated, good in zip(groups, (True, False, False), strict=True):
            url = f"http://chain.example/{number}"
            ordering.learn(visit(3 * number, rated[number].memo, url, relevant=good))
    after = [ordering.again(QueuedLink("http://chain.example/", 1.0, ordering_memo=some[-1].memo))
             for some in groups]  # fmt: skip
    assert after[0] > 5 * after[2] > 5 * after[1]


def test_a_link_is_rated_alike_alone_and_among_others(ordering: CombinedOrdering) -> None:
    links = [
        Link(f"http://{host}.example/{word}", HERE, word)
        for host in "abc"
        for word in ("houston", "menu", "")
    ]
    memos = [rated.memo for rated in ordering.rate(CAME, DULL, links)]
    for number, (link, memo) in enumerate(zip(links * 9, memos * 9, strict=True)):
        ordering.learn(visit(number, memo, link.url, relevant=number % 5 == 0))
    together = ordering.rate(CAME, DULL, links)
    assert together == [ordering.rate(CAME, DULL, [link])[0] for link in links]
    assert len({rating.promise for rating in together}) > 5


def test_links_from_a_list_that_proved_good_are_followed(ordering: CombinedOrdering) -> None:
    before = promise(ordering, PLAIN)
    for number in range(12):
        [rated] = ordering.rate(CAME, DULL, [Link(f"http://site{number}.example/", HERE)])
        ordering.learn(visit(number, rated.memo, f"http://site{number}.example/", relevant=True))
    elsewhere = QueuedLink("http://other.example/", 1.0, score=0.5)
    assert promise(ordering, PLAIN) > 1.5 * before
    assert promise(ordering, PLAIN) > 1.2 * promise(ordering, PLAIN, came=elsewhere)


def test_words_that_led_on_teach_all_links_of_the_trail(ordering: CombinedOrdering) -> None:
    """a -"directory"-> b -"contact"-> c: when c is judged, "contact" learns at depth 1, "directory"
    at depth 2."""
    to_b, to_c = (
        Link("http://b.example/", HERE, "directory"),
        Link("http://c.example/", "http://b.example/", "contact"),
    )
    untaught = {
        word: promise(ordering, Link("http://z.example/", HERE, word))
        for word in ("directory", "contact", "prose")
    }
    for number in range(0, 40, 2):
        good = number % 4 == 0
        [first] = ordering.rate(CAME, DULL, [to_b if good else replace(to_b, anchor="prose")])
        ordering.learn(visit(number, first.memo, "http://b.example/", relevant=False))
        [second] = ordering.rate(
            QueuedLink("http://b.example/", 1.0),
            DULL,
            [to_c if good else replace(to_c, anchor="prose")],
        )
        ordering.learn(
            visit(number + 1, second.memo, "http://c.example/", relevant=good, found=number)
        )
    taught = {
        word: promise(ordering, Link("http://z.example/", HERE, word)) / old
        for word, old in untaught.items()
    }
    assert min(taught["contact"], taught["directory"]) > 2 * taught["prose"]


def test_reasons_name_the_evidence(ordering: CombinedOrdering) -> None:
    [rated] = ordering.rate(CAME, DULL, [Link("http://houston.example/x", HERE, "Houston hotels")])
    # A new site: hope 0.04 + sqrt(0.04 * 0.96 / 4) = 0.138, log-odds 1.35 above the usual.
    assert rated.why == (
        f"promises {rated.promise:.3g}; evidence: the URL names a target +2.0, the link text names "
        "a target +2.0, hope for its site +1.3"
    )


@pytest.mark.parametrize("name", WEBS)
def test_the_order_of_fetches(tmp_path: Path, name: str) -> None:
    """The links of a relevant page come before those of another page at the same distance."""
    one = PolitenessSection(delay=0.0, concurrent=1, robots=False, contact="https://bot.example/")
    wanted = job(["http://a.test/"], ordering="combined", politeness=one)
    crawl(tmp_path / "c", wanted, replay=web(tmp_path / "web", WEBS[name]))
    order = "".join(url.removeprefix("http://")[0] for url in urls(tmp_path / "c", Outcome.FETCHED))
    if name == "lifted":
        assert set(order) == set("abcdefg")
        assert order.index("e") < order.index("d")
        assert order.index("e") == order.index("b") + 1
    else:
        assert order[order.index("r") :][:3] == "rst"


# --- who ------------------------------------------------------------------------------------------


def collaboration(policy: str = "A", general: int = 1) -> Collaboration:
    territories = (
        TerritorySection(name="texas", targets=("Houston, TX",)),
        TerritorySection(name="oregon", targets=("Portland, OR",)),
    )
    return collaboration_of(
        setting_of(
            Job(
                partition="written",
                nodes=NodesSection(general=general, territories=territories),
                collaboration=CollaborationSection(
                    strategy="combined", policy="B" if policy == "B" else "A"
                ),
            )
        )
    )


def owners(strategy: Collaboration, link: Link, judged: JudgedPage = DULL) -> tuple[str, ...]:
    return strategy.assign(judged, [link])[0].owners


def test_a_name_alone_claims_a_link_and_its_page_only_with_several_reasons(
    gazetteer: Gazetteer,
) -> None:
    strategy = collaboration()
    houston = find_place(gazetteer, "Houston, TX").id
    here, about = (Address("", -1, -1, place=houston),), ((houston, 1.0),)
    assert owners(strategy, PLAIN) == ("general1",)
    assert owners(strategy, replace(PLAIN, url="http://houston.example/")) == ("texas",)
    assert owners(strategy, replace(PLAIN, anchor="Portland, Oregon")) == ("oregon",)
    assert owners(strategy, PLAIN, replace(DULL, scope=about)) == ("general1",)
    assert owners(strategy, PLAIN, replace(DULL, addresses=here)) == ("general1",)
    assert owners(strategy, PLAIN, replace(DULL, scope=about, addresses=here)) == ("texas",)


def test_evidence_adds_up(gazetteer: Gazetteer) -> None:
    """A page about Houston with a link that names Portland in URL and text: the link's own words
    count for more."""
    strategy, both = collaboration(), collaboration("B")
    houston = find_place(gazetteer, "Houston, TX").id
    about = replace(DULL, scope=((houston, 1.0),), addresses=(Address("", -1, -1, place=houston),))
    link = Link("http://portland.example/", HERE, "Hotels in Portland, Oregon")
    assert owners(strategy, link, about) == ("oregon",)
    assert owners(both, link, about) == ("oregon", "texas")
    assert "oregon at" in strategy.assign(about, [link])[0].why


def test_without_general_nodes_the_likeliest_takes_it(gazetteer: Gazetteer) -> None:
    strategy = collaboration(general=0)
    faint = replace(
        DULL,
        scope=(
            (find_place(gazetteer, "Houston, TX").id, 0.1),
            (find_place(gazetteer, "Lisbon, PT").id, 0.9),
        ),
    )
    assert owners(strategy, PLAIN, faint) == ("texas",)


def test_a_page_that_is_about_a_territory_belongs_to_it_without_an_address(
    gazetteer: Gazetteer,
) -> None:
    """What leads to the addresses of a city has none itself: its site is known by what its pages
    are about."""
    strategy = collaboration()
    about = (
        (find_place(gazetteer, "Portland, OR").id, 0.6),
        (find_place(gazetteer, "Houston, TX").id, 0.4),
    )
    link = Link("http://guide.example/2", HERE, "more")
    assert owners(strategy, link) == ("general1",)
    for number in range(5):
        strategy.learn(
            Visit(
                number,
                "oregon",
                f"http://guide.example/{number}",
                200,
                Outcome.FETCHED,
                scope=about,
            )
        )
    assert owners(strategy, link) == ("oregon",)


def test_outcomes_teach(gazetteer: Gazetteer) -> None:
    """On a web where names in URLs mislead and sites keep to their territory, the site's record
    takes over."""
    strategy = collaboration()
    portland = (Address("", -1, -1, place=find_place(gazetteer, "Portland, OR").id),)
    link = Link("http://houston.example/rooms", HERE, "rooms")
    for number in range(30):
        [assigned] = strategy.assign(DULL, [link])
        strategy.learn(
            Visit(
                number,
                "texas",
                "http://houston.example/",
                200,
                Outcome.FETCHED,
                addresses=portland,
                owner_memo=assigned.memo,
            )
        )
    assert owners(strategy, link) == ("oregon",)
    twin = collaboration()
    twin.load(strategy.dump())
    assert twin.assign(DULL, [link]) == strategy.assign(DULL, [link])
