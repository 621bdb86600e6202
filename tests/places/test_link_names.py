"""Targets that links name: the paper's ambiguities, other languages, many links at once."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toponaut.job.owners import OwnerTable
from toponaut.job.targets import Territory, find_place, label, us_top_100
from toponaut.places.names import link_names as link_names_module
from toponaut.places.names.finder import NameFinder, compose
from toponaut.places.names.link_names import LinkNames, NamedTarget, NearbyTarget
from toponaut.places.names.tokens import CHUNK
from toponaut.records import Kind

FOREIGN = (
    "Oldenburg, Lower Saxony, DE",
    "Lisbon, PT",
    "Munich, DE",
    "Cologne, DE",
    "Seoul, KR",
    "Tokyo, JP",
)
AREAS = ("Oregon, US", "New York, US", "Germany")


def link_names(finder: NameFinder, places: Sequence[int]) -> LinkNames:
    targets = tuple(finder.gazetteer.place(place) for place in places)
    return LinkNames(
        finder, OwnerTable(finder.gazetteer, [Territory("all", targets)], ()).target_of
    )


@pytest.fixture(scope="session")
def cities(finder: NameFinder) -> LinkNames:
    """The hundred cities of the paper, and some others."""
    abroad = [find_place(finder.gazetteer, name).id for name in FOREIGN]
    return link_names(finder, [*(place.id for place in us_top_100(finder.gazetteer)), *abroad])


@pytest.fixture(scope="session")
def areas(finder: NameFinder) -> LinkNames:
    """Two states and a country."""
    wanted = [finder.gazetteer.lookup(name) for name in AREAS]
    kinds = (Kind.STATE, Kind.STATE, Kind.COUNTRY)
    chosen = [
        next(one for one in places if one.kind is kind)
        for places, kind in zip(wanted, kinds, strict=True)
    ]
    return link_names(finder, [place.id for place in chosen])


def described(finder: NameFinder, named: Sequence[NamedTarget]) -> list[str]:
    return [f"{one.text} -> {label(finder.gazetteer.place(one.place))}" for one in named]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("glendale", ["glendale -> Glendale, AZ, US"]),  # both are targets: the most populous
        ("ca/glendale", ["glendale -> Glendale, CA, US"]),
        ("glendale-ca", ["glendale -> Glendale, CA, US"]),
        ("portland/", ["portland -> Portland, OR, US"]),
        ("portland-me", []),  # another Portland, which is not a target
        ("me/portland/", []),
        ("hotels-in-portland", ["portland -> Portland, OR, US"]),  # not Portland, Indiana
        ("albany", []),  # in four states, but not a target
        ("kansas-city", ["kansas city -> Kansas City, MO, US"]),
        ("ks/kansas-city", []),
        ("new-york", ["new york -> New York City, NY, US"]),  # the city, not the state
        ("NewYork.html", ["new york -> New York City, NY, US"]),
        ("new_york/albany", ["new york -> New York City, NY, US"]),
        (
            "new-york/london/lisbon",
            ["new york -> New York City, NY, US", "lisbon -> Lisbon, Lisbon, PT"],
        ),  # three cities
        ("new-york/buffalo", ["new york -> New York City, NY, US", "buffalo -> Buffalo, NY, US"]),
        ("nyc", ["nyc -> New York City, NY, US"]),
        ("washington", ["washington -> Washington, DC, US"]),
        ("new-york-fries", []),
        ("washington-post", []),
        ("madison-avenue", []),
        ("west-hollywood", []),
        ("hollywood", ["hollywood -> Hollywood, CA, US"]),  # a part of Los Angeles
        ("santa-ana", ["santa ana -> Santa Ana, CA, US"]),  # not Taguig, once called so
        ("mobile", ["mobile -> Mobile, AL, US"]),
        ("birmingham", ["birmingham -> Birmingham, AL, US"]),  # not the one in England
        ("birmingham-england", []),
        ("anchorage", ["anchorage -> Anchorage, AK, US"]),
        ("buffalo", ["buffalo -> Buffalo, NY, US"]),
        ("garland", ["garland -> Garland, TX, US"]),
        ("sanantonio", ["sanantonio -> San Antonio, TX, US"]),
        ("la/hotels", ["la -> Los Angeles, CA, US"]),
        ("la/monroe", []),  # Louisiana
        ("sur-la-table", []),
        ("mobile-al", ["mobile -> Mobile, AL, US"]),
        (
            "san%20jose/?q=san+diego",
            ["san jose -> San Jose, CA, US", "san diego -> San Diego, CA, US"],
        ),
        ("oldenburg/", ["oldenburg -> Oldenburg, Lower Saxony, DE"]),
        ("lisboa", ["lisboa -> Lisbon, Lisbon, PT"]),
        ("m%C3%BCnchen", ["münchen -> Munich, Bavaria, DE"]),
        ("M%FCnchen", ["münchen -> Munich, Bavaria, DE"]),
        ("muenchen", ["muenchen -> Munich, Bavaria, DE"]),
        ("koeln/", ["koeln -> Köln, North Rhine-Westphalia, DE"]),
        ("about/contact", []),
    ],
)
def test_urls(finder: NameFinder, cities: LinkNames, path: str, expected: list[str]) -> None:
    (found,) = cities.in_urls([f"http://www.example.com/{path}"])
    assert described(finder, found) == expected


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("www.losangeles-pizza.com", ["losangeles -> Los Angeles, CA, US"]),
        ("la.example.com", ["la -> Los Angeles, CA, US"]),
        ("example.la", []),
        ("visithouston.com", ["houston -> Houston, TX, US"]),
        ("www.houstonguide.com", ["houston -> Houston, TX, US"]),
        ("www.cityofboston.gov", ["boston -> Boston, MA, US"]),
        ("www.washingtonpost.com", []),
        ("newyorktimes.com", []),
        ("bathroom.com", []),
        ("pizza.koeln", ["koeln -> Köln, North Rhine-Westphalia, DE"]),
        ("www.xn--mnchen-3ya.de", ["münchen -> Munich, Bavaria, DE"]),
        ("127.0.0.1:8080", []),
    ],
)
def test_hosts(finder: NameFinder, cities: LinkNames, host: str, expected: list[str]) -> None:
    (found,) = cities.in_urls([f"http://{host}/"])
    assert described(finder, found) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hotels in Glendale", ["Glendale -> Glendale, AZ, US"]),
        ("Hotels in Glendale, California", ["Glendale -> Glendale, CA, US"]),
        ("Portland", ["Portland -> Portland, OR, US"]),
        ("Portland, ME", []),
        ("Portland, Maine. More on Portland", []),  # settled once, the same everywhere
        ("Albany", []),
        ("Kansas City", ["Kansas City -> Kansas City, MO, US"]),
        ("Kansas City, KS", []),
        ("New York", ["New York -> New York City, NY, US"]),
        ("New York state", []),
        ("New York Fries", []),
        ("The Washington Post", []),
        ("Washington", ["Washington -> Washington, DC, US"]),
        ("West Hollywood", []),
        ("NYC", ["NYC -> New York City, NY, US"]),
        ("the best of L.A.", ["L.A. -> Los Angeles, CA, US"]),
        ("Birmingham", ["Birmingham -> Birmingham, AL, US"]),
        ("Birmingham, England", []),
        ("Mobile", ["Mobile -> Mobile, AL, US"]),
        ("Mobile Phones", []),
        ("Mobile Hotels", ["Mobile -> Mobile, AL, US"]),
        ("Garland", ["Garland -> Garland, TX, US"]),
        ("Judy Garland", []),
        ("Buffalo", ["Buffalo -> Buffalo, NY, US"]),
        ("Buffalo Wings", []),
        ("Anchorage", ["Anchorage -> Anchorage, AK, US"]),
        ("LA", ["LA -> Los Angeles, CA, US"]),
        ("Restaurants in LA", ["LA -> Los Angeles, CA, US"]),
        ("LA Times", []),
        ("La Plata", []),
        ("Monroe LA", []),
        ("Metairie, LA", []),
        ("Call LA 70001", []),
        ("VISIT LA COSTA", []),
        ("Whitney Houston", []),
        ("Houston Street", []),
        (
            "Chicago, Detroit and Boston",
            [
                "Chicago -> Chicago, IL, US",
                "Detroit -> Detroit, MI, US",
                "Boston -> Boston, MA, US",
            ],
        ),
        ("Wir fahren nach Oldenburg", ["Oldenburg -> Oldenburg, Lower Saxony, DE"]),
        ("Restaurantes em Lisboa", ["Lisboa -> Lisbon, Lisbon, PT"]),
        ("Die Oper in München", ["München -> Munich, Bavaria, DE"]),
        ("about us", []),
        ("", []),
    ],
)
def test_texts(finder: NameFinder, cities: LinkNames, text: str, expected: list[str]) -> None:
    (found,) = cities.in_texts([text])
    assert described(finder, found) == expected
    assert all(text[one.start : one.end] == one.text for one in found)


def test_a_name_means_the_target(finder: NameFinder) -> None:
    """Gao, Lee and Miao 2006 know no other cities than their targets."""
    california = link_names(finder, [find_place(finder.gazetteer, "Glendale, CA").id])
    urls = [
        "http://x.com/glendale/",
        "http://x.com/ca/glendale/",
        "http://glendale.com/",
        "http://x.com/az/glendale/",
    ]
    assert [bool(found) for found in california.in_urls(urls)] == [True, True, True, False]
    texts = ["Glendale", "Glendale, CA", "Glendale, AZ"]
    assert [bool(found) for found in california.in_texts(texts)] == [True, True, False]


def test_a_dwarf_needs_its_state(finder: NameFinder) -> None:
    """Paris in Texas has 1 % of the people of Paris in France."""
    texas = link_names(finder, [find_place(finder.gazetteer, "Paris, TX").id])
    urls = ["http://x.com/paris/", "http://x.com/tx/paris/"]
    assert [bool(found) for found in texas.in_urls(urls)] == [False, True]
    assert [bool(found) for found in texas.in_texts(["Paris", "Paris, Texas"])] == [False, True]


def test_all_cities_of_the_paper_by_name_alone(finder: NameFinder) -> None:
    """Two are missed: of two Glendales and Arlingtons the more populous is meant."""
    places = us_top_100(finder.gazetteer)
    names = link_names(finder, [place.id for place in places])
    urls = [f"http://x.com/{place.name.lower().replace(' ', '-')}/" for place in places]
    read = (names.in_urls(urls), names.in_texts([place.name for place in places]))
    for found in read:
        missed = [
            label(place)
            for place, named in zip(places, found, strict=True)
            if place.id not in {one.place for one in named}
        ]
        assert missed == ["Glendale, CA, US", "Arlington, VA, US"]


# Typical link texts: most of the first name a target, most of the second mean something else.
NAMING = """
Houston|Houston Hotels|Phoenix|Mesa|Charlotte|Lincoln|Madison|Irving|Garland|Buffalo|
Aurora Restaurants|LOS ANGELES PIZZA|Best Pizza In Austin|Austin Apartments For Rent|
Denver Events|Jobs in Mobile|Mobile|Anchorage|Boise Weather|Cleveland|Columbus|
Columbus Attractions|Dallas Real Estate|Detroit Crime|Riverside|Stockton|Richmond|
Raleigh-Durham|Chesapeake|Norfolk|Arlington|Plano Dentists|Omaha Steaks in Omaha|Boston Guide|
Visit Boston|More Seattle stories|Read more about Seattle|Seattle's best coffee|
Tampa, Orlando, Austin and Denver|Home Boston New York Contact|Our Chicago Office|Chicago, IL|
Hotels Washington DC|Washington, D.C.|Minneapolis-St. Paul|Long Beach|Huntington Beach CA|Durham
"""
NOT_NAMING = """
New York Fries|Washington Post|The Washington Post|Austin Powers|Madison Avenue|Houston Street|
Paris Hilton|Irving Berlin|Mr. Lincoln|Lincoln Continental|Denver Post|Mobile Phones|Mobile App|
Mesa Verde|Buffalo Wings|Buffalo wings|Columbus Day|Jackson Pollock|Houston said|
Whitney Houston|George Washington|President Lincoln|Abraham Lincoln|Phoenix Rising|
Charlotte Brontë|Queen Charlotte|Aurora Borealis|Christopher Columbus|Grover Cleveland|
Stephen F. Austin|Jane Austin|James Madison|Oscar Madison|Judy Garland|Garland wreaths|
Walter Raleigh|Keith Richmond|Dallas Buyers Club|Boston Market|Chicago Bears|
Philadelphia Cream Cheese|Riverside Drive|Arlington National Cemetery|Norfolk Southern|
Boston Consulting Group|University of Phoenix|Jersey Shore|Joaquin Phoenix|River Phoenix|
Mobile Version|Desktop, Mobile|Long Beach Island|Lincoln Center
"""


def test_typical_link_texts(cities: LinkNames) -> None:
    """A floor for the quality of OF_TARGET."""
    naming, not_naming = (text.replace("\n", "").split("|") for text in (NAMING, NOT_NAMING))
    assert sum(map(bool, cities.in_texts(naming))) >= 44  # of 48
    assert sum(map(bool, cities.in_texts(not_naming))) <= 8  # of 53


def test_distance_from_the_core(cities: LinkNames) -> None:
    text = "Chicago is far. In Boston we like our menu, says Dallas"
    core = (text.index("we"), text.index(", says"))
    near = cities.near([text], [core], 10, [0])[0]
    assert [(one.target.text, one.words) for one in near] == [
        ("Boston", -1),
        ("Dallas", 2),
        ("Chicago", -5),
    ]
    assert [one.target.text for one in cities.near([text], [core], 2, [0])[0]] == [
        "Boston",
        "Dallas",
    ]
    assert cities.suspects([text, "menu"], [core, (0, 4)], 0) == []


def test_separate_accents(cities: LinkNames) -> None:
    text = "zu Hause in Ko\u0308ln und Mu\u0308nchen"
    (found,) = cities.in_texts([text])
    assert [text[one.start : one.end] for one in found] == ["Ko\u0308ln", "Mu\u0308nchen"]
    core = (text.index("und"), text.index("und") + 3)
    assert [one.words for one in cities.near([text], [core], 3, [0])[0]] == [-1, 1]


def test_decomposed_hangul(finder: NameFinder) -> None:
    text = "\u1109\u1165\u110b\u116e\u11af"  # Seoul
    assert compose(text) == ("\uc11c\uc6b8", [0, 2, 5])
    assert [(m.start, m.end) for m in finder.find(text)] in ([], [(0, 5)])


def test_empty_input(cities: LinkNames) -> None:
    assert (cities.in_urls([]), cities.in_texts([]), cities.in_texts([""])) == ([], [], [()])


def test_many_and_long_texts(cities: LinkNames) -> None:
    """More text than one chunk, and one text longer than a chunk."""
    found = cities.in_texts(
        ["in Houston " + "word " * 2000] * 10 + ["word " * CHUNK + " in Houston"]
    )
    assert [len(one) for one in found] == [1] * 10 + [0]
    assert [len(one) for one in cities.in_urls(["http://x.com/houston/" + "word-" * 300] * 40)] == [
        1
    ] * 40


def test_the_url_cache_is_bounded_and_changes_no_answer(
    finder: NameFinder, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = link_names(finder, [place.id for place in us_top_100(finder.gazetteer)])
    urls = [
        f"http://example.com/{path}"
        for path in ("houston", "news", "ca/glendale", "dallas", "tulsa", "me/portland")
    ]
    expected = [names.in_urls([url])[0] for url in urls]
    assert [len(one) for one in expected] == [1, 0, 1, 1, 1, 0]
    assert names.in_urls(urls + urls[::-1]) == expected + expected[::-1]  # all are cached now
    monkeypatch.setattr(link_names_module, "_URLS", 2)
    assert [names.in_urls(urls[k : k + 3]) for k in range(4)] == [
        expected[k : k + 3] for k in range(4)
    ]


# --- many at once as one by one ---------------------------------------------------------------

HOSTS = st.sampled_from(
    "www.example.com houston-guide.com visithouston.com newyorktimes.com "
    "losangelespizza.net in.gov me.example.org oregonstate.edu xn--mnchen-3ya.de "
    "pizza.koeln koelnmesse.de 127.0.0.1:80 portlandfood.com austin.craigslist.org".split()
)
PATH_WORDS = st.sampled_from(
    "new york NewYork newyork los angeles losangeles glendale portland me or in ca tx ny "
    "oregon texas kansas city fries post avenue mobile phoenix st paul saint west "
    "hollywood lisboa oldenburg m%C3%BCnchen M%FCnchen koln pizza2go houston3 a1b2c3d4 "
    "2024 01 html news about the of berlin hamburg %E6%9D%B1%E4%BA%AC McKinney nyc la "
    "buffalo salem".split()
)
SIGNS = st.sampled_from(["/", "-", "_", "-", "/", "--", "%20", "+", ".", "?q=", "&x=", "", "%2F"])
TEXT_PIECES = st.sampled_from(
    [
        "New", "York", "Houston", "Portland", "Glendale", "Kansas City", "Paris", "Boston",
        "Berlin", "Mobile", "Phoenix", "West Hollywood", "L.A.", "NYC", "München", "Mu\u0308nchen",
        "Köln", "Oldenburg", "26121", "Lisboa", "東京", "서울", "Москва", "ME", "OR", "TX", "N.Y.",
        "Oregon", "Texas", "Calif.", "State", "state of", "Mr.", "Whitney", "in", "and", "the",
        "houston", "portland", "x", "X", "Street", "Fries", "Post", "said", "hotels", "Hotels",
        "of",
    ]
)  # fmt: skip
GAPS = st.sampled_from([" ", " ", " ", ", ", ". ", "\n", "\n\n", " | ", "-", " (", ") ", "", "  "])


@st.composite
def urls(draw: st.DrawFn) -> str:
    words = draw(st.lists(st.tuples(PATH_WORDS, SIGNS), max_size=7))
    return f"http://{draw(HOSTS)}/" + "".join(word + sign for word, sign in words)


@st.composite
def texts(draw: st.DrawFn) -> str:
    return "".join(
        piece + gap for piece, gap in draw(st.lists(st.tuples(TEXT_PIECES, GAPS), max_size=12))
    )


@pytest.mark.parametrize("which", ["cities", "areas"])
@settings(max_examples=150)
@given(batch=st.lists(urls(), max_size=8))
def test_many_urls_are_read_as_one_by_one(
    finder: NameFinder, request: pytest.FixtureRequest, which: str, batch: list[str]
) -> None:
    names: LinkNames = request.getfixturevalue(which)
    slowly = [
        tuple(
            NamedTarget(one.place, one.text, one.start, one.end)
            for one in names.urls.find([url])[0]
            if names.inside[finder.gazetteer.row(one.place)]
        )
        for url in batch
    ]
    assert names.in_urls(batch) == slowly


@pytest.mark.parametrize("which", ["cities", "areas"])
@settings(max_examples=150)
@given(batch=st.lists(texts(), max_size=6), window=st.integers(0, 4), data=st.data())
def test_many_texts_are_read_as_one_by_one(
    request: pytest.FixtureRequest, which: str, batch: list[str], window: int, data: st.DataObject
) -> None:
    names: LinkNames = request.getfixturevalue(which)
    slowly: list[list[NearbyTarget]] = [
        names.near([text], [(0, len(text))], 0, [0]).get(0, []) for text in batch
    ]
    assert names.in_texts(batch) == [tuple(one.target for one in near) for near in slowly]
    starts = [data.draw(st.integers(0, len(text))) for text in batch]
    cores = [
        (start, data.draw(st.integers(start, len(text))))
        for start, text in zip(starts, batch, strict=True)
    ]
    alone = [
        names.near([text], [core], window, [0]).get(0, [])
        for text, core in zip(batch, cores, strict=True)
    ]
    found = names.near(batch, cores, window, names.suspects(batch, cores, window))
    assert [found.get(k, []) for k in range(len(batch))] == alone


@settings(max_examples=100)
@given(text=texts())
def test_targets_agree_with_the_mentions_of_a_text(
    finder: NameFinder, cities: LinkNames, text: str
) -> None:
    """A name that is settled or has one place means the same as in page text."""
    mentions = {(one.start, one.end): one for one in finder.find(text)}
    for named in cities.in_texts([text])[0]:
        mention = mentions.get((named.start, named.end))
        assert mention is None or named.place in mention.candidates


@settings(max_examples=150)
@given(
    paths=st.lists(st.text(alphabet="abHouston -/.%0123456789äß?&=_é東한", max_size=60), max_size=4)
)
def test_any_url(finder: NameFinder, cities: LinkNames, paths: list[str]) -> None:
    batch = [f"http://{path.split('/')[0].strip() or 'x'}.example.com/{path}" for path in paths]
    named = [
        {
            one.place
            for one in cities.urls.find([url])[0]
            if cities.inside[finder.gazetteer.row(one.place)]
        }
        for url in batch
    ]
    assert [{one.place for one in found} for found in cities.in_urls(batch)] == named


@settings(max_examples=150)
@given(batch=st.lists(st.text(max_size=100), max_size=4))
def test_any_text(cities: LinkNames, batch: list[str]) -> None:
    for text, found in zip(batch, cities.in_texts(batch), strict=True):
        assert all(text[one.start : one.end] == one.text for one in found)
        assert found == tuple(
            one.target for one in cities.near([text], [(0, len(text))], 0, [0]).get(0, [])
        )
