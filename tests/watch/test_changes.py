"""Changes by hand: two visits to a page, and what they say."""

from itertools import count

import pytest
from msgspec.structs import replace

from toponaut.records import Address, Outcome, Visit
from toponaut.watch.changes import Change, ChangeFold, ChangeKind

SHOP = "http://corner-shop.example/contact"
LIST = "http://town-list.example/shops"
DAY_S = 86_400.0
HERE = Address(
    "12 Oak Street, Springfield, IL 62701", 10, 46, normal="12 oak st, springfield, il, us",
    organisation="Corner Shop", phone="+12175550100", hours="Mo-Fr 09:00-17:00",
    category="shop", confidence=1.0,
)  # fmt: skip
THERE = replace(HERE, normal="7 elm ave, springfield, il, us")
OTHER = replace(
    HERE, normal="1 ash rd, springfield, il, us", organisation="Ash Inn", phone="+12175550111"
)


class Story:
    """Visits on successive days."""

    def __init__(self) -> None:
        self.fold, self._numbers = ChangeFold(), count()
        self.day = 0.0

    def crawl(self, url: str, *addresses: Address) -> list[Change]:
        return self._add(url, Outcome.FETCHED, addresses, revisit=False)

    def watch(self) -> None:
        note = Visit(next(self._numbers), "a", "", 0, Outcome.CONTROL, "watch 100 requests a day")
        assert self.fold.add(note) == []

    def page(self, url: str, *addresses: Address, text: str = "We sell shoes.") -> list[Change]:
        return self._add(url, Outcome.REVISED, addresses, text=text)

    def same(self, url: str) -> list[Change]:
        return self._add(url, Outcome.CONFIRMED, ())

    def fails(self, url: str, outcome: Outcome, detail: str = "") -> list[Change]:
        return self._add(url, outcome, (), detail=detail)

    def _add(
        self, url: str, outcome: Outcome, addresses: tuple[Address, ...], text: str = "",
        detail: str = "", revisit: bool = True,
    ) -> list[Change]:  # fmt: skip
        self.day += 1.0
        number = next(self._numbers)
        visit = Visit(
            number, "a", url, 200, outcome, detail, time=self.day * DAY_S, text=text,
            addresses=addresses, archive="main-000000.warc.gz", offset=100 * number, length=90,
            revisit=revisit,
        )  # fmt: skip
        return self.fold.add(visit)


@pytest.fixture
def story() -> Story:
    story = Story()
    assert story.crawl(SHOP, HERE) == []
    assert story.crawl(LIST, HERE, OTHER, replace(OTHER, normal="2 ash rd", organisation="C")) == []
    story.watch()
    return story


def kinds(changes: list[Change]) -> list[ChangeKind]:
    return [one.kind for one in changes]


def test_places_found_before_the_first_watch_are_no_news(story: Story) -> None:
    assert len(story.fold.places) == 3
    new = story.crawl("http://new.example/", replace(HERE, normal="9 fir st", organisation="New"))
    assert kinds(new) == [ChangeKind.APPEARED]
    assert new[0].after == "New, 9 fir st"


def test_a_place_moves_and_keeps_its_id(story: Story) -> None:
    [change] = story.page(SHOP, THERE)
    assert (change.kind, change.before, change.after) == (
        ChangeKind.MOVED, HERE.normal, THERE.normal
    )  # fmt: skip
    assert story.page(LIST, THERE, OTHER) == []  # the list follows: no second report
    assert story.fold.places[change.place].address == THERE
    assert change.evidence.archive == "main-000000.warc.gz"
    assert change.evidence.url == SHOP


def test_a_place_gets_another_name(story: Story) -> None:
    [change] = story.page(SHOP, replace(HERE, organisation="Corner Deli"))
    assert (change.kind, change.before, change.after) == (
        ChangeKind.RENAMED, "Corner Shop", "Corner Deli"
    )  # fmt: skip


def test_phone_and_hours_change_once(story: Story) -> None:
    later = replace(HERE, phone="+12175550199", hours="Mo-Sa 09:00-17:00")
    assert kinds(story.page(SHOP, later)) == [ChangeKind.PHONE, ChangeKind.HOURS]
    assert story.page(LIST, later, OTHER) == []
    assert story.page(SHOP, later) == []


def test_a_value_that_is_missing_now_is_no_change(story: Story) -> None:
    assert story.page(SHOP, replace(HERE, phone="", hours="", organisation="")) == []


@pytest.mark.parametrize(
    "text",
    [
        "We are permanently closed. Thank you.",
        "Unser Geschäft ist dauerhaft geschlossen.",
        "Loja fechada definitivamente.",
        "Restaurant définitivement fermé depuis mars.",
    ],
)
def test_a_page_says_that_its_place_is_closed(story: Story, text: str) -> None:
    [change] = story.page(SHOP, HERE, text=text)
    assert change.kind is ChangeKind.CLOSED
    assert change.why in text
    assert story.same(SHOP) == []  # it still says so
    assert kinds(story.page(SHOP, HERE)) == [ChangeKind.PAGE_BACK]


@pytest.mark.parametrize(
    "text",
    [
        "We are closed on Mondays.",
        "Temporarily closed until May.",
        "An Feiertagen geschlossen.",
        "Our store is closed today for inventory.",
    ],
)
def test_closed_for_a_while_is_not_closed(story: Story, text: str) -> None:
    assert story.page(SHOP, HERE, text=text) == []


def test_a_list_that_reports_a_closed_place_closes_none_of_its_places(story: Story) -> None:
    others = [replace(OTHER, normal=f"{k} ash rd", organisation=f"Shop {k}") for k in range(4)]
    found = story.page(LIST, HERE, *others, text="The old mill is permanently closed.")
    assert ChangeKind.CLOSED not in kinds(found)


def test_a_parked_domain(story: Story) -> None:
    [change] = story.page(SHOP, text="corner-shop.example. This domain is for sale.")
    assert (change.kind, change.name) == (ChangeKind.CLOSED, "Corner Shop")


def test_a_page_is_gone_after_two_visits_a_day_apart(story: Story) -> None:
    assert story.fails(SHOP, Outcome.GONE, "status 404") == []
    gone, closed = story.fails(SHOP, Outcome.GONE, "status 404")
    assert (gone.kind, closed.kind) == (ChangeKind.PAGE_GONE, ChangeKind.CLOSED)
    assert story.fails(SHOP, Outcome.GONE, "status 404") == []  # reported
    assert kinds(story.page(SHOP, HERE)) == [ChangeKind.PAGE_BACK]


def test_one_failure_is_forgotten_when_the_page_comes_again(story: Story) -> None:
    for _ in range(3):
        assert story.fails(SHOP, Outcome.GONE, "status 404") == []
        assert story.same(SHOP) == []


def test_a_page_that_is_gone_from_a_living_site_closes_nothing(story: Story) -> None:
    story.crawl("http://corner-shop.example/about", HERE)
    story.fails(SHOP, Outcome.GONE, "status 404")
    story.same("http://corner-shop.example/about")
    assert kinds(story.fails(SHOP, Outcome.GONE, "status 404")) == [ChangeKind.PAGE_GONE]


def test_a_silent_server_gets_a_week(story: Story) -> None:
    found = [story.fails(SHOP, Outcome.TIMEOUT) for _ in range(8)]
    assert [kinds(one) for one in found[:7]] == [[]] * 7
    assert kinds(found[7]) == [ChangeKind.PAGE_GONE, ChangeKind.CLOSED]


def test_a_redirect_to_the_front_page_of_a_chain(story: Story) -> None:
    story.fails(SHOP, Outcome.REDIRECT, "to http://big-chain.example/")
    found = story.fails(SHOP, Outcome.REDIRECT, "to http://big-chain.example/")
    assert kinds(found) == [ChangeKind.PAGE_GONE, ChangeKind.CLOSED]


def test_a_redirect_to_another_page_is_no_sign(story: Story) -> None:
    for _ in range(4):
        assert story.fails(SHOP, Outcome.REDIRECT, "to http://corner-shop.example/visit") == []


def test_ids_do_not_depend_on_when_a_change_was_noticed() -> None:
    def moved(days: float) -> str:
        story = Story()
        story.crawl(SHOP, HERE)
        story.watch()
        story.day += days
        return story.page(SHOP, THERE)[0].id

    assert moved(1) == moved(5)


def test_a_change_that_comes_again_has_another_id(story: Story) -> None:
    first, *_ = story.page(SHOP, THERE)
    back, *_ = story.page(SHOP, HERE)
    again, *_ = story.page(SHOP, THERE)
    assert len({first.id, back.id, again.id}) == 3


def test_history_of_facts(story: Story) -> None:
    """The phone is seen on days 1 and 2, confirmed on day 3, and another one on day 4."""
    story.same(SHOP)
    [change] = story.page(SHOP, replace(HERE, phone="+12175550199"))
    phones = [one for one in story.fold.places[change.place].facts if one.name == "phone"]
    old, new = phones
    assert (old.first_seen, old.last_seen, old.last_confirmed) == (DAY_S, 2 * DAY_S, 3 * DAY_S)
    assert (new.value, new.first_seen) == ("+12175550199", 4 * DAY_S)
    assert (new.proof.url, new.proof.offset) == (SHOP, change.evidence.offset)
