"""The places of domain owners: RDAP answers, and a service that is slow, broken or down."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.web_answers import (
    Answer,
    Bomb,
    Drop,
    Garbage,
    Page,
    Redirect,
    RedirectLoop,
    Slow,
    Status,
    TooMany,
    WrongEncoding,
)
from tests.support.webserver import Site, TestWeb

from toponaut.errors import InputError
from toponaut.job import LimitsSection, PolitenessSection
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.registrant import contacts_of, place_of_owner
from toponaut.web import registrant
from toponaut.web.registrant import Registrants

QUEBEC, VANCOUVER, OLDENBURG, LISBON = 6325494, 6173331, 2857458, 2267057
RDAP = "127.0.0.21"
PATIENT = PolitenessSection(contact="https://bot.example/")
IMPATIENT = PolitenessSection(read_timeout=1.0, contact="https://bot.example/")


def card(*parts: str | list[str], name: str = "Joe User", **parameters: str) -> list[object]:
    """A jCard with an address: post box, more, street, city, state, postcode, country."""
    return [
        "vcard",
        [
            ["version", {}, "text", "4.0"],
            ["fn", {}, "text", name],
            ["adr", parameters, "text", list(parts)],
        ],
    ]


def answer(vcard: object, role: str = "registrant") -> dict[str, object]:
    registrar = {
        "objectClassName": "entity",
        "roles": ["registrar"],
        "vcardArray": card(*[""] * 3, "Tempe", "AZ", "", "US"),
    }
    owner = {"objectClassName": "entity", "handle": "XXXX", "roles": [role], "vcardArray": vcard}
    return {"objectClassName": "domain", "ldhName": "example.com", "entities": [registrar, owner]}


# RFC 9083, 5.1: the two addresses of its example of an entity.
RFC_PARTS = card(
    "", "Suite 1234", "4321 Rue Somewhere", "Quebec", "QC", "G1V 2M2", "Canada", type="work"
)
REGISTRANT = {
    "objectClassName": "entity",
    "handle": "XXXX",
    "roles": ["registrant"],
    "vcardArray": RFC_PARTS,
}
RFC_LABEL = "123 Maple Ave\nSuite 90001\nVancouver\nBC\n1239\n"


# --- answers -> places ---


@pytest.mark.parametrize(
    ("said", "place"),
    [
        (answer(RFC_PARTS), QUEBEC),
        (
            answer(card(*[""] * 7, label=RFC_LABEL, cc="CA")),
            VANCOUVER,
        ),  # RFC 8605 adds the country's code
        (
            answer(card(*[""] * 7, label=RFC_LABEL)),
            0,
        ),  # the country of this Vancouver is not given
        (answer(card(*[""] * 7, label="Am Markt 1\n26122 Oldenburg\nGermany")), OLDENBURG),
        (
            answer(
                card("", "", ["Am Markt 1", "Hinterhaus"], ["Oldenburg"], "", "26122", "", cc="DE")
            ),
            OLDENBURG,
        ),
        (answer(card("", "", "", "OLDENBURG", "", "", "DE"), role="administrative"), OLDENBURG),
        (
            answer(card("", "", "", "Kleinkleckersdorf", "", "26122", "DE")),
            OLDENBURG,
        ),  # by its postcode
        (answer(card("", "", "", "", "", "", "DE")), 0),  # a country alone is no place of a page
        (answer(card("", "", "", "Oldenburg", "", "", "")), 0),
        (answer(card(*["REDACTED FOR PRIVACY"] * 7, name="REDACTED FOR PRIVACY")), 0),
        (answer(card("", "", "", "Reykjavik", "", "", "IS", name="Withheld for Privacy ehf")), 0),
        (answer(card("", "", "", "Lisbon", "", "", "PT"), role="technical"), 0),
        ({"entities": [{"roles": ["registrar"], "entities": [REGISTRANT]}]}, QUEBEC),
        ({"errorCode": 404, "title": "Not found"}, 0),
        ({"entities": [{"roles": "registrant", "vcardArray": ["vcard"]}, 7, None]}, 0),
        (
            answer(
                [
                    "vcard",
                    [
                        ["adr"],
                        "adr",
                        ["adr", [], "text", "a text"],
                        ["adr", None, "text", [1, None, {}]],
                    ],
                ]
            ),
            0,
        ),
        (None, 0),
        ([], 0),
    ],
)
def test_the_owners_city_is_read_from_an_answer(
    gazetteer: Gazetteer, said: object, place: int
) -> None:
    assert place_of_owner(gazetteer, said) == place


def test_the_registrant_goes_before_the_administrator(gazetteer: Gazetteer) -> None:
    both = answer(card("", "", "", "Lisbon", "", "", "PT"), role="administrative")
    both["entities"] += answer(RFC_PARTS)["entities"]  # type: ignore[operator]
    assert place_of_owner(gazetteer, both) == QUEBEC


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["entities", "roles", "vcardArray", "label", "cc"]), inner, max_size=3
        )
    ),
    max_leaves=20,
)


@given(JSON)
def test_any_json_is_survived(said: object) -> None:
    wrapped = {
        "entities": [
            {"roles": ["registrant"], "vcardArray": ["vcard", [["adr", said, "text", said], said]]},
            said,
        ]
    }
    assert all(isinstance(contact.city, str) for contact in contacts_of(wrapped, "registrant"))
    assert list(contacts_of(said, "nobody")) == []


# --- the service ---


class Asker:
    """A service with some answers, and Registrants that ask it."""

    def __init__(self, gazetteer: Gazetteer, folder: Path) -> None:
        self._gazetteer = gazetteer
        self.file = folder / "registrants.jsonl"
        self.asked: list[str] = []
        self.times: list[float] = []

    def run(
        self,
        site: Site,
        use: Callable[[Registrants], Awaitable[list[int]]],
        *,
        delay: float = 0.0,
        patience: float = 60.0,
        politeness: PolitenessSection = PATIENT,
        private: bool = True,
    ) -> list[int]:
        with TestWeb({RDAP: site}) as web:

            async def ask() -> list[int]:
                limits = LimitsSection(private_networks=private)
                service = web.url(RDAP, "/rdap")  # without its slash
                asking = Registrants(
                    service,
                    self.file,
                    self._gazetteer,
                    politeness,
                    limits,
                    delay=delay,
                    patience=patience,
                )
                try:
                    return await use(asking)
                finally:
                    await asking.close()

            found = asyncio.run(ask())
            self.asked = [access.path.removeprefix("/rdap/domain/") for access in web.accesses]
            self.times = [access.time for access in web.accesses]
            self.headers = [access.headers for access in web.accesses]
        return found

    def known(self) -> dict[str, int]:
        lines = self.file.read_text().splitlines() if self.file.exists() else []
        return {line["domain"]: line["place"] for line in map(json.loads, lines)}


@pytest.fixture
def asker(gazetteer: Gazetteer, tmp_path: Path) -> Asker:
    return Asker(gazetteer, tmp_path)


def said(parts: list[object], **how: str) -> Page:
    return Page(json.dumps(answer(parts)), "application/rdap+json", **how)  # type: ignore[arg-type]


LISBOETA = card("", "", "", "Lisbon", "", "", "PT")


def one_by_one(*domains: str) -> Callable[[Registrants], Awaitable[list[int]]]:
    async def use(asking: Registrants) -> list[int]:
        return [await asking.place_of(domain) for domain in domains]

    return use


def test_the_service_is_asked_once_a_domain_and_never_again_in_the_next_run(asker: Asker) -> None:
    site: Site = {
        "/rdap/domain/a.test": said(RFC_PARTS),
        "/rdap/domain/b.test": Redirect("/registry/b.test", 302),
        "/registry/b.test": said(LISBOETA, packing="gzip"),
    }
    domains = ("a.test", "b.test", "none.test", "a.test", "none.test")
    places = [QUEBEC, LISBON, 0, QUEBEC, 0]
    assert asker.run(site, one_by_one(*domains)) == places
    assert asker.asked == ["a.test", "b.test", "/registry/b.test", "none.test"]
    assert asker.headers[0]["accept"].startswith("application/rdap+json")
    assert "https://bot.example/" in asker.headers[0]["user-agent"]
    assert asker.known() == {
        "a.test": QUEBEC,
        "b.test": LISBON,
        "none.test": 0,
    }  # 404 is an answer, too
    assert asker.run(site, one_by_one(*domains)) == places
    assert asker.asked == []


def test_pages_that_wait_for_one_domain_share_one_request(asker: Asker) -> None:
    async def use(asking: Registrants) -> list[int]:
        return await asyncio.gather(*(asking.place_of("a.test") for _ in range(10)))

    assert asker.run({"/rdap/*": said(RFC_PARTS)}, use) == [QUEBEC] * 10
    assert asker.asked == ["a.test"]


def test_requests_keep_their_distance(asker: Asker) -> None:
    async def use(asking: Registrants) -> list[int]:
        return await asyncio.gather(*(asking.place_of(f"{name}.test") for name in "abcd"))

    began = time()
    asker.run({"/rdap/*": said(RFC_PARTS)}, use, delay=0.2)
    assert [count for count, moment in enumerate(asker.times) if moment - began < 0.2 * count] == []


@pytest.mark.parametrize(
    "broken",
    [
        Page("<html>Welcome to the registry</html>"),
        Page(b"\xff\xfe{", "application/rdap+json"),
        Page("[" * 100_000, "application/rdap+json"),
        Page("null", "application/rdap+json"),
        Page(json.dumps(answer(card(*["REDACTED"] * 7)))),
        Status(400),
        WrongEncoding(),
        Bomb(),
        RedirectLoop(),
        Redirect("gopher://elsewhere.test/"),
        Redirect("ftp:"),
    ],
)
def test_an_answer_that_says_nothing_is_kept_as_none(asker: Asker, broken: Answer) -> None:
    site: Site = {"/rdap/domain/odd.test*": broken, "/rdap/domain/a.test": said(RFC_PARTS)}
    assert asker.run(site, one_by_one("odd.test", "a.test", "odd.test")) == [0, QUEBEC, 0]
    assert asker.known() == {"odd.test": 0, "a.test": QUEBEC}


@pytest.mark.parametrize(
    "broken", [Status(500), Drop(), Drop("body"), Garbage(), TooMany(times=9), Slow(delay=3)]
)
def test_a_failure_of_the_service_is_asked_again_in_the_next_run_only(
    asker: Asker, broken: Answer
) -> None:
    given = IMPATIENT if isinstance(broken, Slow) else PATIENT
    assert asker.run({"/rdap/*": broken}, one_by_one("a.test", "a.test"), politeness=given) == [
        0,
        0,
    ]
    assert asker.asked == ["a.test"]
    assert asker.known() == {}
    assert asker.run({"/rdap/*": said(RFC_PARTS)}, one_by_one("a.test")) == [QUEBEC]


def test_a_page_waits_so_long_and_those_after_it_find_the_answer(asker: Asker) -> None:
    async def use(asking: Registrants) -> list[int]:
        found = [await asking.place_of("a.test")]
        while not found[-1]:
            found.append(await asking.place_of("a.test"))
        return found

    body = json.dumps(answer(RFC_PARTS)).encode()
    first, *_, last = asker.run({"/rdap/*": Slow(body, delay=1.0)}, use, patience=0.05)
    assert (first, last) == (0, QUEBEC)
    assert asker.asked == ["a.test"]


def test_a_service_that_wants_to_be_left_alone_is(asker: Asker) -> None:
    site: Site = {"/rdap/domain/a.test": TooMany("1"), "/rdap/domain/b.test": said(RFC_PARTS)}
    assert asker.run(site, one_by_one("a.test", "b.test")) == [0, QUEBEC]
    assert asker.times[1] - asker.times[0] > 0.9


def test_a_dead_service_is_left_alone_after_some_failures(asker: Asker) -> None:
    domains = [f"d{number}.test" for number in range(30)]
    assert asker.run({"/rdap/*": Status(503)}, one_by_one(*domains)) == [0] * 30
    assert len(asker.asked) == 20


def test_what_nobody_registered_is_not_asked_for(asker: Asker) -> None:
    assert (
        asker.run(
            {"/rdap/*": said(RFC_PARTS)}, one_by_one("192.0.2.7", "[2001:db8::1]", "localhost", "")
        )
        == [0] * 4
    )
    assert asker.asked == []


def test_private_networks_are_not_asked(asker: Asker) -> None:
    assert asker.run({"/rdap/*": said(RFC_PARTS)}, one_by_one("a.test"), private=False) == [0]
    assert asker.asked == []


def test_closing_gives_up_what_is_under_way(asker: Asker) -> None:
    async def use(asking: Registrants) -> list[int]:
        waiting = asyncio.create_task(asking.place_of("a.test"))
        await asyncio.sleep(0.05)
        await asking.close()
        return [await waiting]

    assert asker.run({"/rdap/*": Slow(delay=3)}, use) == [0]
    assert asker.known() == {}


# --- the file ---


def test_a_file_cut_short_by_a_crash_goes_on_behind_the_cut(asker: Asker) -> None:
    asker.file.write_bytes(b'{"domain":"a.test","place":1,"time":0.0}\nno json\n{"domain":"b.te')
    site: Site = {"/rdap/*": said(RFC_PARTS)}
    assert asker.run(site, one_by_one("a.test", "b.test", "c.test")) == [1, QUEBEC, QUEBEC]
    assert asker.asked == ["b.test", "c.test"]
    assert asker.run(site, one_by_one("a.test", "b.test", "c.test")) == [1, QUEBEC, QUEBEC]
    assert asker.asked == []


def test_memory_is_bounded(asker: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registrant, "REMEMBERED", 2)
    asker.run(
        {"/rdap/*": said(RFC_PARTS)},
        one_by_one("a.test", "b.test", "c.test", "b.test", "c.test", "a.test"),
    )
    assert asker.asked == ["a.test", "b.test", "c.test", "a.test"]


@pytest.mark.parametrize(
    "service", ["", "rdap.org", "ftp://rdap.org/", "https://rdap.org/?domain="]
)
def test_a_service_that_is_no_address_is_an_error(
    gazetteer: Gazetteer, tmp_path: Path, service: str
) -> None:
    with pytest.raises(
        InputError, match=r"ordering\.rdap is not a web address.*https://rdap\.org/"
    ):
        Registrants(service, tmp_path / "x", gazetteer, PATIENT, LimitsSection())
