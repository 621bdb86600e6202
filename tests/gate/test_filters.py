"""The filters on URLs and pages as sites have them: what must pass, what must not, and what a
host's flood comes to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toponaut.gate.flood import MANY, WINDOW, FloodGuard
from toponaut.gate.language import guess, unwanted_language
from toponaut.gate.links import LinkFilter
from toponaut.job.sections import LimitsSection
from toponaut.records import Refusal
from toponaut.urls import normalise

YEAR = 2026
SITE = "https://www.example.com"


def refuse(
    url: str,
    depth: int = 1,
    rel: tuple[str, ...] = (),
    limits: LimitsSection | None = None,
    seeds: tuple[str, ...] = (),
) -> Refusal | None:
    assert normalise(url) == url, "filters get URLs in normal form"
    rules = LinkFilter(limits or LimitsSection(), obey_nofollow=True, this_year=YEAR, seeds=seeds)
    return rules.refuse(url, depth, rel)


PASS = [
    "/",
    "/index.html",
    "/impressum",
    "/news/2026/11/15/city-council-votes/",
    "/news/2011/11/11/veterans-day-parade/",  # twice the same number is a date
    "/1912/04/16/archives/titanic-sinks.html",  # an old paper's archive
    "/2003/05/some-old-post/",
    "/events/2026/12/",
    "/calendar/2027-05/",
    "/veranstaltungen/2019-05-04/stadtfest",  # seven years ago
    "/agenda-2030/",
    "/vision/2050/",
    "/agenda/2030/ziele",  # a year alone is a name
    "/item/2999/12/",  # an id
    "/product/20481024",
    "/cars?make=ford&year=2005",
    "/2012/05/events-of-the-month/",  # an article
    "/mothers-day/2012/05/",
    "/en/about/en/team",
    "/a/b/a/c/d",
    "/docs/api/v1/docs/guide/",
    "/wiki/File:Rathaus_Oldenburg.jpg",
    "/wiki/Datei:Schloss.JPG",
    "/wiki/Node.js",
    "/w/index.php?title=File:Rathaus.jpg&action=history",
    "/download.php?file=plan.pdf",
    "/store.aspx?city=Springfield&state=IL&zip=62701",
    "/index.php?option=com_content&view=article&id=12&catid=3&Itemid=44&lang=de",
    "/?id=12&tx_ttnews%5Btt_news%5D=34&tx_ttnews%5BbackPid%5D=5&tx_ttnews%5Bday%5D=3&cHash=1a2b&L=0",
    "/shop?colour=red&colour=blue&size=m",
    "/search?f%5B0%5D=type%3Ashop&f%5B1%5D=city%3ABonn&page=2",
    "/members?next=%2Fsession%2Fnew",
    "/legislature?session=2023-regular",
    "/paper/session=overview",
    "/1/2/3/4/5/6/7/8/9/10/",
    "/robots.txt",
    "/v2.0/guide",
    "/file.com",
]
REFUSED = [
    ("/a/a/a/", Refusal.REPEATING),
    ("/x/x/x", Refusal.REPEATING),
    ("/shop/en/shop/en/shop/en/", Refusal.REPEATING),
    ("/about/contact/about/team/about/jobs", Refusal.REPEATING),  # Nutch's rule
    ("/a/b/c/a/b/c/a/b/c/index.html", Refusal.REPEATING),
    ("/css/x/y/css/z/css/v/w/css/q", Refusal.REPEATING),  # four times, at no even step
    ("/" + "/".join(map(str, range(25))), Refusal.TOO_DEEP),
    ("/events/2031/05/", Refusal.CALENDAR),
    ("/events/month/2029-03", Refusal.CALENDAR),
    ("/events/2009-03/", Refusal.CALENDAR),
    ("/kalender?monat=5&jahr=2041", Refusal.CALENDAR),
    ("/cal.php?year=2005&month=1", Refusal.CALENDAR),
    ("/tage?month=1&year=2031", Refusal.CALENDAR),
    ("/?tribe-bar-date=2031-05-01", Refusal.CALENDAR),
    ("/index.php?tx_cal_controller%5Bgetdate%5D=20310517", Refusal.CALENDAR),
    ("/blog/2044/01/", Refusal.CALENDAR),  # nothing is published in the future
    ("/list?a=1&b=2&c=3&d=4&e=5&f=6&g=7&h=8&i=9&j=10&k=11", Refusal.MANY_PARAMETERS),
    ("/shop?f%5B0%5D=a&f%5B1%5D=b&f%5B2%5D=c&f%5B3%5D=d", Refusal.MANY_PARAMETERS),
    ("/shop?brand=a&brand=b&brand=c&brand=d", Refusal.MANY_PARAMETERS),
    ("/page?usersession=a8f5f167f44f4964e6c998dee827110c", Refusal.MANY_PARAMETERS),
    ("/page?id=4&visitorid=3f9a77c2b1e84d60", Refusal.MANY_PARAMETERS),
    ("/photo.jpg", Refusal.FILE_TYPE),
    ("/photo.JPG", Refusal.FILE_TYPE),
    ("/photo.jpg?width=200", Refusal.FILE_TYPE),
    ("/menu.pdf", Refusal.FILE_TYPE),
    ("/app.js", Refusal.FILE_TYPE),
    ("/archive.tar.gz", Refusal.FILE_TYPE),
]


@pytest.mark.parametrize("path", PASS)
def test_what_sound_sites_link_to_passes(path: str) -> None:
    assert refuse(SITE + path) is None


@pytest.mark.parametrize(("path", "why"), REFUSED)
def test_traps_are_refused(path: str, why: Refusal) -> None:
    assert refuse(SITE + path) is why


def test_a_calendar_is_left_where_the_announcements_end() -> None:
    months = [
        f"{SITE}/events/{year}/{month:02}/" for year in range(2000, 2060) for month in range(1, 13)
    ]
    taken = [url for url in months if refuse(url) is None]
    assert (taken[0], taken[-1]) == (f"{SITE}/events/2016/01/", f"{SITE}/events/2028/12/")


def test_a_spiral_of_relative_links_ends() -> None:
    """A page that links to "about/team/" on every path below it."""
    url, steps = f"{SITE}/", 0
    while refuse(url) is None:
        url, steps = f"{url}about/team/", steps + 1
    assert steps == 3
    assert refuse(url) is Refusal.REPEATING


@pytest.mark.parametrize(
    "rel", [("nofollow",), ("external", "ugc"), ("sponsored",), ("ugc,nofollow",)]
)
def test_unfollowed_links(rel: tuple[str, ...]) -> None:
    assert refuse(f"{SITE}/", rel=rel) is Refusal.NOFOLLOW
    free = LinkFilter(LimitsSection(), obey_nofollow=False, this_year=YEAR)
    assert free.refuse(f"{SITE}/", 1, rel) is None


def test_other_rels_are_followed() -> None:
    assert refuse(f"{SITE}/", rel=("noopener", "noreferrer", "next", "tag,author")) is None


def test_depth_counts_links_and_0_is_no_limit() -> None:
    assert refuse(f"{SITE}/", depth=5) is None
    assert refuse(f"{SITE}/", depth=6) is Refusal.TOO_DEEP
    assert refuse(f"{SITE}/", depth=10_000, limits=LimitsSection(depth=0)) is None


def test_length() -> None:
    limits = LimitsSection(url_length=30)
    assert refuse(f"{SITE}/{'a' * 6}", limits=limits) is None
    assert refuse(f"{SITE}/{'a' * 7}", limits=limits) is Refusal.TOO_LONG


def test_top_level_domains() -> None:
    limits = LimitsSection(tlds=("de", "at"))
    assert refuse("https://oldenburg.de/", limits=limits) is None
    assert refuse("https://www.wien.gv.at:8443/x", limits=limits) is None
    assert refuse("https://example.de.com/", limits=limits) is Refusal.WRONG_DOMAIN
    assert refuse("http://192.168.0.1/", limits=limits) is Refusal.WRONG_DOMAIN


def test_top_level_domains_to_leave_out() -> None:
    """Ahlers and Boll 2009: those that cannot have addresses of the region."""
    limits = LimitsSection(without_tlds=("ru", "jp"))
    assert refuse("https://oldenburg.de/", limits=limits) is None
    assert refuse("https://example.ru/", limits=limits) is Refusal.WRONG_DOMAIN
    assert refuse("https://ru.example.com/", limits=limits) is None


def test_exclusions_are_searched_for_and_keep_their_own_flags() -> None:
    limits = LimitsSection(exclude=(r"/print/", r"(?i)PRIVATE", r"\?sort="))
    assert refuse(f"{SITE}/print/1", limits=limits) is Refusal.EXCLUDED
    assert refuse(f"{SITE}/my-private-page", limits=limits) is Refusal.EXCLUDED
    assert refuse(f"{SITE}/list?sort=up", limits=limits) is Refusal.EXCLUDED
    assert refuse(f"{SITE}/PRINT/house", limits=limits) is None


def test_inclusions_come_before_exclusions() -> None:
    limits = LimitsSection(include=(r"/events/", r"^https://b\."), exclude=(r"/old/",))
    assert refuse(f"{SITE}/events/fair", limits=limits) is None
    assert refuse("https://b.example/", limits=limits) is None
    assert refuse(f"{SITE}/news", limits=limits) is Refusal.NOT_INCLUDED
    assert refuse(f"{SITE}/events/old/fair", limits=limits) is Refusal.EXCLUDED


def test_hosts_include_their_subdomains() -> None:
    limits = LimitsSection(hosts=("Example.com", "münchen.example"))
    for url in ("https://example.com/", SITE + "/", "https://a.b.example.com:8443/"):
        assert refuse(url, limits=limits) is None
    assert refuse("https://www.xn--mnchen-3ya.example/", limits=limits) is None
    assert refuse("https://notexample.com/", limits=limits) is Refusal.WRONG_HOST
    assert refuse("https://example.com.evil.example/", limits=limits) is Refusal.WRONG_HOST


@pytest.mark.parametrize(
    ("url", "by_host", "by_domain"),
    [
        ("https://shop.example.com/", True, True),
        ("http://www.shop.example.com/a", True, True),  # www is the same site
        ("https://blog.example.com/", False, True),
        ("https://example.com/", False, True),
        ("https://city.example.org/", True, True),
        ("https://www.example.net/", False, False),
        ("https://shop.example.com.net/", False, False),
    ],
)
def test_scope_keeps_to_the_sites_of_the_seeds(url: str, by_host: bool, by_domain: bool) -> None:
    seeds = ("https://shop.example.com/start", "https://www.city.example.org/")
    assert refuse(url, limits=LimitsSection(scope="any"), seeds=seeds) is None
    outside = Refusal.OUT_OF_BOUNDS
    kept = refuse(url, limits=LimitsSection(scope="seeds"), seeds=seeds)
    assert kept is (None if by_host else outside)
    kept = refuse(url, limits=LimitsSection(scope="domain"), seeds=seeds)
    assert kept is (None if by_domain else outside)


def test_files_that_the_job_asks_for_pass() -> None:
    assert (
        refuse(
            f"{SITE}/menu.pdf", limits=LimitsSection(content_types=("text/html", "application/pdf"))
        )
        is None
    )
    assert (
        refuse(f"{SITE}/photo.png", limits=LimitsSection(content_types=("text/html", "image/png")))
        is None
    )
    assert (
        refuse(f"{SITE}/menu.pdf", limits=LimitsSection(content_types=("text/html", "image/png")))
        is Refusal.FILE_TYPE
    )
    assert refuse(f"{SITE}/photo.png", limits=LimitsSection(content_types=())) is None


@given(st.text(alphabet="ab2/.?&=-01", max_size=60))
def test_no_url_breaks_the_filter(tail: str) -> None:
    url = normalise(f"{SITE}/{tail}")
    if url is not None:
        assert refuse(url) in {None, *Refusal}


# --- floods ---------------------------------------------------------------------------------------


def variant(seed: int) -> int:
    """A hash far from those of other seeds; bit 63 and few others may be changed by a test."""
    return (seed + 1) * 0x9E3779B97F4A7C15 & (1 << 62) - 1


def test_a_flood_is_stopped_and_a_sound_host_beside_it_is_not() -> None:
    guard = FloodGuard()
    verdicts = []
    for page in range(40):
        verdicts.append(guard.seen("trap.example", variant(0) ^ (1 << page % 3)))
        assert not guard.seen("sound.example", variant(page))
    assert verdicts[: MANY + 1] == [False] * (
        MANY + 1
    )  # the first is no copy, the next twelve are tolerated
    assert all(verdicts[MANY + 1 :])
    assert guard.floods("trap.example")
    assert not guard.floods("sound.example")
    assert not guard.floods("unknown.example")


def test_the_door_closes_when_all_pages_are_copies_and_one_that_differs_opens_it() -> None:
    guard = FloodGuard()
    for page in range(WINDOW + 1):
        assert not guard.floods("trap.example"), page
        guard.seen("trap.example", variant(0))
    assert guard.floods("trap.example")
    assert not guard.seen("trap.example", variant(1)), (
        "a page of its own is followed even in a flood"
    )
    assert not guard.floods("trap.example")


def test_copies_are_found_among_several_templates() -> None:
    guard = FloodGuard()
    verdicts = [guard.seen("trap.example", variant(page % 4)) for page in range(40)]
    assert all(verdicts[-20:])


def test_some_copies_among_sound_pages_are_no_flood() -> None:
    """Every page has a print version: half of all pages are copies."""
    guard = FloodGuard()
    assert not any(guard.seen("news.example", variant(page // 2)) for page in range(200))


def test_pages_without_words_do_not_count() -> None:
    guard = FloodGuard()
    assert not any(guard.seen("frames.example", 0) for _ in range(50))


def test_hosts_are_forgotten_by_age_so_that_memory_is_bounded() -> None:
    guard = FloodGuard(hosts=2)
    for _ in range(WINDOW + 1):
        guard.seen("trap.example", variant(0))
    guard.seen("one.example", variant(1))
    assert guard.floods("trap.example")
    guard.seen("two.example", variant(2))
    assert not guard.floods("trap.example")


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 3)), max_size=60))
def test_the_guard_is_a_fold(visits: list[tuple[str, int]]) -> None:
    one, other = FloodGuard(), FloodGuard()
    first = [one.seen(host, variant(seed)) for host, seed in visits]
    assert first == [other.seen(host, variant(seed)) for host, seed in visits]
    assert [one.floods(host) for host in "ab"] == [other.floods(host) for host in "ab"]


# --- languages ------------------------------------------------------------------------------------

TEXTS = {
    "de": "Das Rathaus ist von Montag bis Freitag für Sie geöffnet. Die Öffnungszeiten sind "
    "nach Vereinbarung auch am "
    "Samstag möglich, wir sind mit dem Bus und der Bahn zu erreichen und freuen uns auf einen "
    "Besuch bei uns.",
    "en": "The town hall is open from Monday to Friday. You can also visit us on Saturday by "
    "appointment, and we are "
    "easy to reach by bus and by train. This is the best place to start for all of your questions.",
    "fr": "La mairie est ouverte du lundi au vendredi pour vous accueillir. Vous pouvez aussi "
    "nous rendre visite le "
    "samedi sur rendez-vous, et nous sommes dans le centre avec des bus qui passent par la gare.",
    "nl": "Het stadhuis is van maandag tot vrijdag open voor uw vragen. Op zaterdag is een "
    "bezoek ook mogelijk, en wij "
    "zijn met de bus te bereiken. Dat is niet ver van het station, bij de brug aan het water.",
    "es": "El ayuntamiento está abierto de lunes a viernes para los vecinos. También es "
    "posible una visita el sábado "
    "con cita previa, y se puede llegar en autobús por la calle que va del centro a las afueras.",
    "it": "Il municipio è aperto dal lunedì al venerdì per i cittadini. Sono possibili anche "
    "visite il sabato, e non è "
    "lontano dalla stazione: con gli autobus del centro, che passano per la piazza, una "
    "fermata alla volta.",
    "pt": "A prefeitura está aberta de segunda a sexta para os cidadãos. Uma visita no sábado "
    "não é possível sem hora "
    "marcada, mas o ônibus do centro e as linhas da estação passam por aqui com mais "
    "frequência para você.",
    "ru": "Ратуша открыта с понедельника по пятницу. Мы ждём вас также в субботу по "
    "предварительной записи.",
    "ja": "市役所は月曜日から金曜日まで開いています。土曜日は予約制です。",
    "zh": "市政厅周一至周五开放，周六需提前预约，欢迎各位市民前来咨询。",
}


@pytest.mark.parametrize("language", TEXTS)
def test_guess(language: str) -> None:
    assert guess(TEXTS[language]) == language


@pytest.mark.parametrize("language", TEXTS)
def test_pages_that_do_not_say_are_read(language: str) -> None:
    assert not unwanted_language("", TEXTS[language], (language, "xx"))
    assert unwanted_language("", TEXTS[language], ("fi",))


def test_no_wanted_languages_are_all() -> None:
    assert not unwanted_language("de", TEXTS["de"], ())


def test_what_a_page_says_counts() -> None:
    names = "Oldenburg Bremen Hamburg"
    assert not unwanted_language("de", names, ("de",))
    assert unwanted_language("en", names, ("de",))
    assert not unwanted_language("de", TEXTS["en"], ("de",)), (
        "a page that calls itself wanted is believed"
    )
    assert not unwanted_language("nb", names, ("no",)), "one language, two codes"
    assert not unwanted_language("deu", names, ("de",))


def test_a_template_that_lies_does_not_cost_the_page() -> None:
    assert not unwanted_language("en", TEXTS["de"], ("de",))


def test_where_nothing_tells_the_page_stays() -> None:
    assert not unwanted_language("", "Oldenburg Bremen Hamburg", ("de",))
    assert not unwanted_language("", "", ("de",))


def test_languages_of_one_script_are_not_told_apart() -> None:
    assert not unwanted_language("", TEXTS["ru"], ("uk",))


def test_what_an_operator_changes_holds_for_links_met_before() -> None:
    rules = LinkFilter(
        LimitsSection(scope="seeds"), obey_nofollow=True, this_year=YEAR, seeds=("http://a.test/",)
    )
    assert rules.refuse("http://a.test/x", 1) is None
    assert rules.refuse("http://b.test/x", 1) is Refusal.OUT_OF_BOUNDS
    rules.admit(["http://b.test/"])
    assert rules.refuse("http://b.test/x", 1) is None
    rules.exclude(lambda url: url.endswith("/x"))
    assert rules.refuse("http://a.test/x", 1) is Refusal.EXCLUDED
