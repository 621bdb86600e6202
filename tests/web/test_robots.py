"""robots.txt: what servers answer, what hostile files cost, and the book."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toponaut.records import Outcome, Response
from toponaut.web.politeness.robots import (
    FRESH_SECONDS,
    MAX_BYTES,
    MAX_DELAY,
    RobotsCache,
    RobotsRules,
    origin_of,
    read_rules,
    robots_url,
)

SITE = "https://example.com"


def rules(text: str | bytes, agent: str = "Toponaut") -> RobotsRules:
    body = text.encode() if isinstance(text, str) else text
    return read_rules(Response(f"{SITE}/robots.txt", 200, body), agent)


# --- what servers answer ---


def answered(
    status: int, outcome: Outcome = Outcome.FETCHED, body: bytes = b"", **more: float
) -> Response:
    return Response(
        f"{SITE}/robots.txt",
        status,
        body,
        outcome=outcome,
        retry_after=more.get("retry_after", 0.0),
    )


FORBIDDING = b"User-agent: *\nDisallow: /\n"


@pytest.mark.parametrize(
    ("fetched", "allowed", "unreachable"),
    [
        (answered(200, body=b""), True, False),
        (answered(200, body=FORBIDDING), False, False),
        (answered(206, body=FORBIDDING), False, False),
        (answered(301, Outcome.REDIRECT), True, False),  # one hop too many
        (answered(302, Outcome.BROKEN), True, False),  # leads nowhere
        (answered(304, Outcome.BROKEN), False, True),  # unchanged since when?
        (answered(401, Outcome.CLIENT_ERROR), True, False),
        (answered(403, Outcome.CLIENT_ERROR, FORBIDDING), True, False),
        (answered(404, Outcome.GONE, FORBIDDING), True, False),
        (answered(410, Outcome.GONE), True, False),
        (answered(429, Outcome.SERVER_ERROR), False, True),
        (answered(500, Outcome.SERVER_ERROR), False, True),
        (answered(503, Outcome.SERVER_ERROR, b"User-agent: *\nAllow: /"), False, True),
        (answered(0, Outcome.NO_HOST), False, True),
        (answered(0, Outcome.NO_CONNECTION), False, True),
        (answered(0, Outcome.TIMEOUT), False, True),
        (answered(200, Outcome.TIMEOUT, b"User-agent: *\nDisal"), False, True),  # cut short
        (answered(200, Outcome.BROKEN, b"User-agent: *\nDisal"), False, True),
        (answered(200, Outcome.TOO_LARGE, FORBIDDING), False, False),  # the beginning counts
        (answered(200, Outcome.TOO_LARGE), False, True),
    ],
)
def test_answers(fetched: Response, allowed: bool, unreachable: bool) -> None:
    found = read_rules(fetched, "Toponaut")
    assert (found.allows(f"{SITE}/a"), found.unreachable) == (allowed, unreachable)
    assert found.allows(f"{SITE}/robots.txt")


@pytest.mark.parametrize(
    ("body", "path", "allowed"),
    [
        (b"\xef\xbb\xbfUser-agent: *\nDisallow: /a", "/a", False),
        ("\ufeffUser-agent: *\nDisallow: /ü".encode("utf-16"), "/%C3%BC", False),
        (
            "User-agent: *\nDisallow: /ü".encode("latin-1"),
            "/%FC",
            False,
        ),  # as its pages are asked for
        ("User-agent: *\nDisallow: /ü".encode("latin-1"), "/%C3%BC", True),
        (b"<!DOCTYPE html>\n<html><body>\n<p>Disallow: /</p>\n</body></html>", "/a", True),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40, "/a", True),
    ],
)
def test_odd_files(body: bytes, path: str, allowed: bool) -> None:
    assert rules(body).allows(SITE + path) is allowed


@given(st.binary(max_size=300), st.text("abc%?*$/é", max_size=20))
def test_never_raises(body: bytes, path: str) -> None:
    rules(body).allows(f"{SITE}/{path}")
    rules(b"User-agent: *\nDisallow: /" + body).allows(f"{SITE}/{path}")


def test_reads_500_kib_and_no_torn_line() -> None:
    within = b"User-agent: *\n" + b"#" * 99 + b"\n"
    filler = b"# nothing\n" * ((MAX_BYTES - len(within) - 30) // 10)
    assert not rules(within + filler + b"Disallow: /late\n").allows(f"{SITE}/late")
    torn = (
        within
        + filler
        + b"\n" * (MAX_BYTES - len(within) - len(filler) - 11)
        + b"Disallow: /only/this\n"
    )
    assert torn[:MAX_BYTES].endswith(b"Disallow: /")
    assert rules(torn).allows(f"{SITE}/a")
    assert rules(within + filler * 2 + b"Disallow: /late\n").allows(f"{SITE}/late")


# --- delays and sitemaps ---


@pytest.mark.parametrize(
    ("text", "delay"),
    [
        ("User-agent: *\nCrawl-delay: 10", 10.0),
        ("User-agent: *\nCrawl-delay: 0.5", 0.5),
        ("User-agent: *\nCrawl-delay: .5", 0.5),
        ("User-agent: *\nCrawl-delay: 10 # seconds", 10.0),
        ("User-agent: *\nCrawl-delay: 86400", MAX_DELAY),
        ("User-agent: *\nCrawl-delay: 1e308", 1.0),
        ("User-agent: *\nCrawl-delay: -5", 0.0),
        ("User-agent: *\nCrawl-delay: soon", 0.0),
        ("User-agent: *\nCrawl-delay: inf", 0.0),
        ("User-agent: *\nRequest-rate: 1/10", 10.0),
        ("User-agent: *\nRequest-rate: 6/1m 0600-0845", 10.0),
        ("User-agent: *\nRequest-rate: 0/5", 0.0),
        ("User-agent: *\nRequest-rate: 1/2\nCrawl-delay: 3", 3.0),
        ("User-agent: other\nCrawl-delay: 9\nDisallow:\nUser-agent: *\nCrawl-delay: 2", 2.0),
        ("User-agent: *\nCrawl-delay: 9\nDisallow:\nUser-agent: toponaut\nDisallow: /a", 0.0),
    ],
)
def test_delay(text: str, delay: float) -> None:
    assert rules(text).delay == delay


def test_sitemaps_are_absolute_distinct_and_few() -> None:
    text = (
        "Sitemap: https://example.com/a.xml\nUser-agent: *\nSITEMAP: /b.xml # second\n"
        "Sitemap: HTTPS://EXAMPLE.com/a.xml\n"
    )
    text += "Sitemap: https://cdn.example.net/ü.xml\nSitemap:\nSitemap: ftp://example.com/c.xml\n"
    found = rules(text).sitemaps
    assert found[:2] == ("https://example.com/a.xml", "https://example.com/b.xml")
    assert "https://cdn.example.net/%C3%BC.xml" in found
    assert not any(url.startswith("ftp") for url in found)
    assert len(rules("".join(f"Sitemap: /{i}.xml\n" for i in range(5000))).sitemaps) == 100


# --- hostile files ---


def cpu(text: str, path: str) -> float:
    """The best of several: seconds to read a file and to ask it once."""
    times = []
    for _ in range(3):
        start = process_time()
        rules(text).allows(SITE + path)
        times.append(process_time() - start)
    return min(times)


@pytest.mark.parametrize(
    "make",
    [
        lambda n: "User-agent: *\n" + "".join(f"Disallow: *a*a*a*a*{i}b\n" for i in range(n)),
        lambda n: "User-agent: *\nDisallow: " + "*a" * (10 * n) + "b\n",
        lambda n: "".join(f"User-agent: a{i}\n" for i in range(n)) + "Disallow: /\n" * n,
        lambda n: "User-agent: *\n" + "User-agent: toponaut\n" * n + "Disallow: /b\n" * n,
        lambda n: "User-agent: *\n" + "".join(f"Disallow: /{i}\n" for i in range(n)),
        lambda n: " " * (20 * n) + "\n" + "Disallow" + " " * (20 * n),
    ],
)
def test_hostile_files_take_linear_time(make) -> None:  # type: ignore[no-untyped-def]
    """Eight times the file takes far less than eight times eight."""
    path = "/" + "a" * 2000
    small, large = make(1000), make(8000)
    assert cpu(large, path) < 32 * cpu(small, path) + 0.005


def test_wildcards_beyond_the_limit_are_obeyed_strictly() -> None:
    text = "User-agent: *\n" + "".join(f"Disallow: /x*{i:04}\n" for i in range(6000))
    late = rules(
        text + "Disallow: /y*secret\nAllow: /y*secret-no-more\nDisallow: /plain\nAllow: /z\n"
    )
    assert not late.allows(f"{SITE}/x/0007")
    assert not late.allows(f"{SITE}/y/secret")
    assert not late.allows(f"{SITE}/y/open")  # more than was asked for, never less
    assert not late.allows(f"{SITE}/plain")
    assert late.allows(f"{SITE}/z")
    assert late.allows(f"{SITE}/elsewhere")


# --- the book ---

GOOD = answered(200, body=b"User-agent: *\nDisallow: /a\n")
DOWN = answered(503, Outcome.SERVER_ERROR)


def test_origins() -> None:
    assert origin_of("https://example.com:8080/a/b?c") == "https://example.com:8080"
    assert origin_of("http://[::1]/a") == "http://[::1]"
    assert (
        robots_url("https://example.com/a/b")
        == robots_url("https://example.com")
        == "https://example.com/robots.txt"
    )


def test_the_book_keeps_rules_for_a_day() -> None:
    book = RobotsCache("Toponaut")
    assert book.get(SITE, 0.0) is None
    stored = book.store(SITE, GOOD, 100.0)
    assert book.get(SITE, 100.0 + FRESH_SECONDS - 1) == stored
    assert book.get(SITE, 100.0 + FRESH_SECONDS) is None
    assert book.get("http://example.com", 101.0) is None
    assert book.get("https://example.com:8443", 101.0) is None
    again = book.store(SITE, answered(304, Outcome.UNCHANGED), 200_000.0)
    assert not again.allows(f"{SITE}/a")
    assert again.allows(f"{SITE}/b")
    assert again.again_at == 200_000.0 + FRESH_SECONDS


def test_unreachable_rules_are_asked_for_with_growing_waits() -> None:
    book = RobotsCache("Toponaut")
    now, waits = 0.0, []
    for _ in range(14):
        found = book.store(SITE, DOWN, now)
        assert found.unreachable
        assert not found.allows(f"{SITE}/b")
        assert book.get(SITE, found.again_at - 1) == found
        assert book.get(SITE, found.again_at) is None
        waits.append(found.again_at - now)
        now = found.again_at
    assert waits[:4] == [10.0, 20.0, 40.0, 80.0]
    assert waits[-1] == 6 * 3600.0
    assert book.store(SITE, GOOD, now).allows(f"{SITE}/b")
    assert book.store(SITE, DOWN, now).failures == 1


def test_retry_after_of_robots_txt_is_honoured() -> None:
    book = RobotsCache("Toponaut")
    asked = answered(429, Outcome.SERVER_ERROR, retry_after=900.0)
    assert book.store(SITE, asked, 0.0).again_at == 900.0
    forever = answered(503, Outcome.SERVER_ERROR, retry_after=1e12)
    assert book.store(SITE, forever, 0.0).again_at == FRESH_SECONDS


def test_the_last_copy_counts_while_a_new_one_is_unreachable() -> None:
    book = RobotsCache("Toponaut")
    book.store(SITE, GOOD, 0.0)
    stale = book.store(SITE, DOWN, FRESH_SECONDS)
    assert not stale.unreachable
    assert not stale.allows(f"{SITE}/a")
    assert stale.allows(f"{SITE}/b")
    assert stale.again_at == FRESH_SECONDS + 10.0
    assert book.store(SITE, DOWN, stale.again_at).failures == 2
    assert book.store(SITE, answered(404, Outcome.GONE), stale.again_at).allows(f"{SITE}/a")


def test_the_book_is_bounded_and_forgets_the_least_used() -> None:
    book = RobotsCache("Toponaut", origins=100)
    book.store("https://used.org", GOOD, 0.0)
    for i in range(1000):
        book.store(f"https://host{i}.org", GOOD, 0.0)
        assert book.get("https://used.org", 1.0) is not None
        assert len(book) <= 101
    assert book.get("https://host999.org", 1.0) is not None
    assert book.get("https://host0.org", 1.0) is None


def test_huge_files_take_room_in_the_book() -> None:
    huge = answered(
        200, body=b"User-agent: *\n" + b"".join(b"Disallow: /%099d\n" % i for i in range(1000))
    )
    book = RobotsCache("Toponaut", characters=1_000_000)
    for i in range(100):
        book.store(f"https://host{i}.org", huge, 0.0)
    assert len(book) <= 12
