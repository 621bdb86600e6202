"""Place names in text, URL and anchor: which words are places, and which places they are."""

import pytest
from bench.toponyms import documents, measure
from hypothesis import given, settings
from hypothesis import strategies as st

from toponaut.places.names.finder import NameFinder, compose
from toponaut.records import Mention

# Slightly below the current figures of bench/toponyms: precision, recall, found and placed.
FLOORS = {"all": (0.91, 0.95, 0.93), "held out": (0.88, 0.94, 0.92)}


def read(finder: NameFinder, text: str, **region: float) -> list[str]:
    """Each mention as "text -> Name, admin1, country"."""
    near = {
        finder.gazetteer.lookup(name.replace("_", " "))[0].id: weight
        for name, weight in region.items()
    }
    return [show(finder, mention) for mention in finder.find(text, near)]


def show(finder: NameFinder, mention: Mention) -> str:
    place = finder.gazetteer.place(mention.place)
    where = ", ".join(part for part in (place.name, place.admin1, place.country) if part)
    return f"{mention.text} -> {where}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # the state, county or country next to a name
        ("He lives in Paris, Texas.", ["Paris -> Paris, TX, US", "Texas -> Texas, TX, US"]),
        ("Offices in Portland, OR 97201", ["Portland -> Portland, OR, US", "OR -> Oregon, OR, US"]),
        (
            "PORTLAND, Maine (AP) — A storm",
            ["PORTLAND -> Portland, ME, US", "Maine -> Maine, ME, US"],
        ),
        (
            "from Pasadena, Calif., to",
            ["Pasadena -> Pasadena, CA, US", "Calif. -> California, CA, US"],
        ),
        ("in London, Ont., on Friday", ["London -> London, 08, CA", "Ont. -> Ontario, 08, CA"]),
        (
            "near Paris, Lamar County, Texas",
            [
                "Paris -> Paris, TX, US",
                "Lamar County -> Lamar County, TX, US",
                "Texas -> Texas, TX, US",
            ],
        ),
        ("Escherweg 2, 26121 Oldenburg", ["Oldenburg -> Oldenburg, 06, DE"]),
        (
            "die Stadt Halle (Saale) in Sachsen-Anhalt",
            ["Halle (Saale) -> Halle (Saale), 14, DE", "Sachsen-Anhalt -> Saxony-Anhalt, 14, DE"],
        ),
        # spellings
        ("the mayor of St. Paul said", ["St. Paul -> Saint Paul, MN, US"]),
        ("a man from Ft. Worth", ["Ft. Worth -> Fort Worth, TX, US"]),
        ("in Winston Salem", ["Winston Salem -> Winston-Salem, NC, US"]),
        ("wohnt in KOELN", ["KOELN -> Köln, 07, DE"]),
        ("em São Paulo", ["São Paulo -> São Paulo, 27, BR"]),
        ("住在洛杉矶的人", ["洛杉矶 -> Los Angeles, CA, US"]),
        ("La casa está en España", ["España -> Spain, ES"]),  # not a town in the Philippines
        ("서울 회원 기술", ["서울 -> Seoul, 11, KR"]),  # "member", "technology": same consonants
        ("リマインダーとリマ", ["リマ -> Lima, LMA, PE"]),  # not inside "reminder"
        ("南部 合作", []),  # "the south", "cooperation": also towns
        ("в Иркутске и Москве", []),  # inflected: not in the gazetteer
        # lists of states: Ohio has a Delaware, Iowa a Nevada, New York State a Boston
        (
            "to Delaware, Ohio, Nevada and Iowa",
            [
                "Delaware -> Delaware, DE, US",
                "Ohio -> Ohio, OH, US",
                "Nevada -> Nevada, NV, US",
                "Iowa -> Iowa, IA, US",
            ],
        ),
        ("Nevada\nIowa", ["Nevada -> Nevada, NV, US", "Iowa -> Iowa, IA, US"]),
        ("Boston\nNew York", ["Boston -> Boston, MA, US", "New York -> New York City, NY, US"]),
        ("He lives in Delaware, Ohio.", ["Delaware -> Delaware, OH, US", "Ohio -> Ohio, OH, US"]),
        (
            "Florida | Florida Homes",
            ["Florida -> Florida, FL, US", "Florida -> Florida, FL, US"],
        ),  # not in Uruguay's
        # a city with the name of its state
        ("I love New York in June", ["New York -> New York City, NY, US"]),
        ("in Washington state", ["Washington -> Washington, WA, US"]),
        (
            "moved to New York, New York",
            ["New York -> New York City, NY, US", "New York -> New York, NY, US"],
        ),
        # common words
        ("Call us on your mobile. Mobile phones are sold here.", []),
        ("Reading is fun. Of course Orange juice is nice.", []),
        ("Shopping, Dining, Tours, Hotels. Best Dining options.", []),  # forms of words
        (
            "They drove from Tours to Orléans in France.",
            ["Tours -> Tours, 24, FR", "Orléans -> Orléans, 24, FR", "France -> France, FR"],
        ),
        (
            "He was born in Mobile, Alabama",
            ["Mobile -> Mobile, AL, US", "Alabama -> Alabama, AL, US"],
        ),
        ("Kitchen Islands & Carts. Call Us Toll-Free", []),  # "Islands" in Hong Kong, "Call"
        ("Police said on March 3 that many people saw it", []),
        ("Posted Nov 12, 2014 by West Central staff", []),  # "Nov" in Tajikistan, "West", "Central"
        # longer names
        ("New York Fries opened in Toronto", ["Toronto -> Toronto, 08, CA"]),
        ("The Washington Post reported", []),
        ("Paris Hilton and Mr. Houston met coach Austin", []),
        ("She studied at the University of Phoenix", []),
        ("at 400 Washington Ave. and Houston Street", []),
        ("The Dallas Cowboys lost to Manchester United", []),
        ("Bank of America in Boston", ["Boston -> Boston, MA, US"]),
        ("Philadelphia cream cheese", []),
        # acronyms of countries, not the pronoun, a sum or a road
        (
            "Trade between the US and the UK grew; the DRC joined",
            [
                "US -> United States, US",
                "UK -> United Kingdom, GB",
                "DRC -> Democratic Republic of the Congo, CD",
            ],
        ),
        ("US troops left", ["US -> United States, US"]),
        ("The US Mapping Bureau answered", ["US -> United States, US"]),
        ("Contact US\nAbout US\nCONTACT US TODAY", []),
        ("Please follow US on the web, and tell us more", []),
        ("It cost US$5 million to pave US 41", []),
        # public bodies, not universities and streets
        ("Ohio State Police closed it", ["Ohio -> Ohio, OH, US"]),
        ("the Toronto Water Commission", ["Toronto -> Toronto, 08, CA"]),
        ("the Manitoba Government said", ["Manitoba -> Manitoba, 03, CA"]),
        ("Ohio State won; Houston Street Board Games opened", []),
        # places that modify a noun stay places
        ("a Houston police officer", ["Houston -> Houston, TX, US"]),
        ("Boston Mayor Jane Roe", ["Boston -> Boston, MA, US"]),
        ("", []),
    ],
)
def test_mentions(finder: NameFinder, text: str, expected: list[str]) -> None:
    assert read(finder, text) == expected


def test_company_decides(finder: NameFinder) -> None:
    """Each name alone is larger elsewhere; together they are in the west of Tennessee."""
    text = (
        "Visitors came to Paris from Camden, Huntingdon and McKenzie, "
        "and from Murray, over the state line in Kentucky."
    )
    assert read(finder, text)[:4] == [
        "Paris -> Paris, TN, US",
        "Camden -> Camden, TN, US",
        "Huntingdon -> Huntingdon, TN, US",
        "McKenzie -> McKenzie, TN, US",
    ]


def test_a_region_decides(finder: NameFinder) -> None:
    assert read(finder, "The council of Paris met.") == ["Paris -> Paris, 11, FR"]
    assert read(finder, "The council of Paris met.", Dallas=3.0, Texas=3.0) == [
        "Paris -> Paris, TX, US"
    ]


def test_one_meaning_in_a_document(finder: NameFinder) -> None:
    text = "GLENDALE, Calif. — A fire. People in Glendale were told to leave."
    assert read(finder, text)[-1] == "Glendale -> Glendale, CA, US"


def test_the_most_populous_without_context(finder: NameFinder) -> None:
    assert read(finder, "It happened in Glendale.") == ["Glendale -> Glendale, AZ, US"]


def test_a_mention_knows_its_candidates(finder: NameFinder) -> None:
    (mention,) = finder.find("It happened in Springfield.")
    assert mention.candidates[0] == mention.place
    assert len(mention.candidates) > 3
    assert mention.confidence < 0.5  # no context


def test_separate_accents(finder: NameFinder) -> None:
    text = "Er wohnt in Ko\u0308ln und Du\u0308sseldorf."
    mentions = finder.find(text)
    assert [text[m.start : m.end] for m in mentions] == ["Ko\u0308ln", "Du\u0308sseldorf"]
    assert compose("Ko\u0308ln") == ("Köln", [0, 1, 3, 4, 5])


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (
            "http://www.losangeles-pizza.com/tx/fort_worth/",
            ["losangeles -> Los Angeles, CA, US", "fort worth -> Fort Worth, TX, US"],
        ),
        ("https://example.com/new-york/hotels", ["new york -> New York City, NY, US"]),
        ("https://example.com/NewYork.html", ["new york -> New York City, NY, US"]),
        ("http://glendale.com/", ["glendale -> Glendale, AZ, US"]),
        ("http://www.visithouston.com/", ["houston -> Houston, TX, US"]),
        ("https://example.com/al/mobile/", ["mobile -> Mobile, AL, US"]),
        ("https://example.com/mobile/", []),
        ("http://portland-me.example.com/", ["portland -> Portland, ME, US"]),
        ("http://www.xn--mnchen-3ya.de/", ["münchen -> Munich, 02, DE"]),
        ("http://bathroom.com/nice/of/the", []),
        ("http://127.0.0.1/", []),
    ],
)
def test_mentions_in_urls(finder: NameFinder, url: str, expected: list[str]) -> None:
    mentions = finder.urls.find([url])[0]
    assert [show(finder, mention) for mention in mentions] == expected
    for mention in mentions:
        if mention.start >= 0:
            first = mention.text.split()[0]
            assert url.lower()[mention.start : mention.start + len(first)] == first


@given(st.text(max_size=400))
def test_any_text(finder: NameFinder, text: str) -> None:
    """Never raises. Mentions are in order, do not overlap, and quote the text."""
    at = 0
    for mention in finder.find(text):
        assert at <= mention.start < mention.end <= len(text)
        assert text[mention.start : mention.end] == mention.text
        assert 0 <= mention.confidence <= 1
        assert mention.candidates[0] == mention.place
        at = mention.end


@given(
    st.lists(
        st.sampled_from(
            [
                "Paris",
                "Texas",
                ", ",
                " ",
                "New",
                "York",
                "St.",
                "(",
                ")",
                ".",
                "\n",
                "TX",
                "Of",
                "in ",
            ]
        ),
        max_size=40,
    )
)
@settings(max_examples=200)
def test_any_run_of_names(finder: NameFinder, parts: list[str]) -> None:
    text = "".join(parts)
    first, again = finder.find(text), finder.find(text)
    assert first == again
    ends = [0] + [mention.end for mention in first]
    assert all(mention.start >= end for mention, end in zip(first, ends, strict=False))


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz -/.%0123456789äß", max_size=60))
def test_any_url(finder: NameFinder, path: str) -> None:
    finder.urls.find([f"http://{path.split('/')[0].strip() or 'x'}.example.com/{path}"])


def test_long_texts(finder: NameFinder) -> None:
    """Offsets are right across chunks: 200 KB of text, a name at each end."""
    text = "Oldenburg " + "x y z, " * 30_000 + "wir fahren nach Oldenburg"
    mentions = [mention for mention in finder.find(text) if mention.text == "Oldenburg"]
    assert [text[m.start : m.end] for m in mentions] == ["Oldenburg"] * 2


def test_a_page_that_lists_every_town(finder: NameFinder) -> None:
    """5,000 names on one page: placed block by block, not in one matrix of 15,000 squared."""
    gazetteer = finder.gazetteer
    germany = gazetteer.row(gazetteer.lookup("Germany")[0].id)
    towns = [
        gazetteer.name(row) for rows in gazetteer.rows_below(germany) for row in rows.tolist()
    ][-5000:]
    mentions = finder.find("\n".join(dict.fromkeys(towns)))
    german = sum(gazetteer.place(mention.place).country == "DE" for mention in mentions)
    assert len(mentions) > 3000
    assert german > 0.95 * len(mentions)


def test_quality_on_the_labelled_texts(finder: NameFinder) -> None:
    rows, _ = measure(finder)
    for name, (precision, recall, placed) in FLOORS.items():
        counts = rows[name]
        assert counts["right"] / counts["found"] >= precision
        assert counts["right"] / counts["gold"] >= recall
        assert counts["placed"] / counts["gold"] >= placed


def test_the_labelled_texts_are_as_hard_as_promised() -> None:
    marks = [document.hard for document in documents() for _ in document.gold]
    assert len(marks) >= 200
    assert sum(marks) >= len(marks) / 2
