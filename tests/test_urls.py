"""URL rules: hand-made tables, then properties that hold for any text."""

import string

import can_ada
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toponaut.urls import MAX_LENGTH, host, host_tokens, join, normalise, registered_domain, tokens

HEX32 = "0123456789abcdef0123456789abcdef"

NORMAL_FORMS = [
    # case, default ports, dot segments
    ("HTTP://WWW.Example.COM/Path", "http://www.example.com/Path"),
    ("http://example.com", "http://example.com/"),
    ("http://example.com:80/", "http://example.com/"),
    ("https://example.com:443/", "https://example.com/"),
    ("http://example.com:443/", "http://example.com:443/"),
    ("http://example.com:080/", "http://example.com/"),
    ("http://example.com:/", "http://example.com/"),
    ("http://example.com/a/./b/../c", "http://example.com/a/c"),
    ("http://example.com/%2e%2E/b", "http://example.com/b"),
    ("http://example.com/../../b", "http://example.com/b"),
    # kept as written: slashes, order of parameters, case of the path, empty values
    ("http://example.com/a//b/", "http://example.com/a//b/"),
    ("http://example.com/?b=2&a=1", "http://example.com/?b=2&a=1"),
    ("http://example.com/?a=&b", "http://example.com/?a=&b"),
    ("http://example.com/Index.HTML", "http://example.com/Index.HTML"),
    ("http://example.com/a;b=1/c", "http://example.com/a;b=1/c"),
    ("https://medium.com/@writer/story", "https://medium.com/@writer/story"),
    # percent-encoding
    ("http://example.com/%7Euser/%41", "http://example.com/~user/A"),
    ("http://example.com/caf%c3%a9", "http://example.com/caf%C3%A9"),
    ("http://example.com/café", "http://example.com/caf%C3%A9"),
    ("http://example.com/a%2fb", "http://example.com/a%2Fb"),
    ("http://example.com/100%", "http://example.com/100%25"),
    ("http://example.com/%zz%4", "http://example.com/%25zz%254"),
    ("http://example.com/%%37e", "http://example.com/%257e"),
    ("http://example.com/%2541", "http://example.com/%2541"),
    ("http://example.com/a|b^c[d]", "http://example.com/a%7Cb%5Ec%5Bd%5D"),
    ("http://example.com/?x[]={a}\\b`", "http://example.com/?x%5B%5D=%7Ba%7D%5Cb%60"),
    ("http://example.com/?q='a b'", "http://example.com/?q=%27a%20b%27"),
    ("http://example.com/%00", "http://example.com/%00"),
    ("http://example.com/a\x00b", "http://example.com/a%00b"),
    ("http://example.com/\ud800", "http://example.com/%EF%BF%BD"),
    ("http://example.com/\ud83d\ude00", "http://example.com/%F0%9F%98%80"),
    # dropped: fragment, credentials, empty query and parameters, the host's root dot
    ("http://example.com/a#b?c", "http://example.com/a"),
    ("http://example.com/#!/route", "http://example.com/"),
    ("http://user:secret@example.com/", "http://example.com/"),
    ("http://user:p@ss@example.com/", "http://example.com/"),
    ("http://example.com/?", "http://example.com/"),
    ("http://example.com/?&a=1&&b=2&", "http://example.com/?a=1&b=2"),
    ("http://example.com./", "http://example.com/"),
    ("http://example.com.:80/", "http://example.com/"),
    # tracking parameters
    ("http://example.com/?utm_source=x&UTM_Medium=y&id=3", "http://example.com/?id=3"),
    ("http://example.com/?gclid=x", "http://example.com/"),
    (
        "http://example.com/?a=1&fbclid=x&mc_cid=1&mc_eid=2&_ga=3&yclid=4&msclkid=5",
        "http://example.com/?a=1",
    ),
    ("http://example.com/?utm%5Fsource=x&hsa_cam=1&pk_campaign=2", "http://example.com/"),
    (
        "http://example.com/?ref=x&source=y&from=z&utmost=1",
        "http://example.com/?ref=x&source=y&from=z&utmost=1",
    ),
    # session ids
    ("http://example.com/a;jsessionid=1A2B.node1?b=1", "http://example.com/a?b=1"),
    ("http://example.com/a;JSESSIONID=1;v=2/b", "http://example.com/a;v=2/b"),
    ("http://example.com/a%3bjsessionid=1", "http://example.com/a"),
    ("http://example.com/a/..;jsessionid=1/b", "http://example.com/b"),
    ("http://example.com/?PHPSESSID=abc&id=1", "http://example.com/?id=1"),
    ("http://example.com/?ASPSESSIONIDQADSRQRT=x", "http://example.com/"),
    ("http://example.com/?CFID=12&CFTOKEN=34&osCsid=5", "http://example.com/"),
    (f"http://example.com/?sid={HEX32}", "http://example.com/"),
    (f"http://example.com/showthread.php?s={HEX32}&t=9", "http://example.com/showthread.php?t=9"),
    ("http://example.com/?sid=1234", "http://example.com/?sid=1234"),
    ("http://example.com/?s=pizza", "http://example.com/?s=pizza"),
    (
        "http://example.com/?session=internationalization",
        "http://example.com/?session=internationalization",
    ),
    (
        "http://example.com/app/(S(lit3py55t21z5v55vlm25s55))/a.aspx",
        "http://example.com/app/a.aspx",
    ),
    ("http://example.com/wiki/Foo_(S(hort))/x", "http://example.com/wiki/Foo_(S(hort))/x"),
    # WHATWG: sloppy URLs, read as browsers do
    ("http:\\\\example.com\\a\\b", "http://example.com/a/b"),
    ("  http://example.com/a \n", "http://example.com/a"),
    ("ht\ttp://exam\nple.com/a\rb", "http://example.com/ab"),
    ("http:example.com", "http://example.com/"),
    ("http:/example.com", "http://example.com/"),
    ("http:////example.com", "http://example.com/"),
    ("http://example.com/a b", "http://example.com/a%20b"),
    ("http://%65xample.com/", "http://example.com/"),
    ("http://ｅｘａｍｐｌｅ。com/", "http://example.com/"),
    ("http://MÜNCHEN.de/straße", "http://xn--mnchen-3ya.de/stra%C3%9Fe"),
    ("http://faß.de/", "http://xn--fa-hia.de/"),
    ("http://0x7f.1/", "http://127.0.0.1/"),
    ("http://2130706433/", "http://127.0.0.1/"),
    ("http://0177.0.0.1./", "http://127.0.0.1/"),
    ("http://[0:0::1]:80/", "http://[::1]/"),
    ("http://[::ffff:1.2.3.4]/", "http://[::ffff:102:304]/"),
    ("http://my_shop.example.com/", "http://my_shop.example.com/"),
    ("http://localhost:8000/", "http://localhost:8000/"),
    # blanks before a fragment belong to the path or the query
    ("http://example.com/? d #", "http://example.com/?%20d%20"),
    ("http://example.com/a #b", "http://example.com/a%20"),
    ("http://example.com/a# b ", "http://example.com/a"),
    # names that DNS cannot have are names nevertheless
    ("http://a..b/", "http://a..b/"),
    ("http://x.\u00ad.ß/", "http://x..xn--zca/"),
    (f"http://{'a' * 64}.com/", f"http://{'a' * 64}.com/"),
    (f"http://{'ü' * 60}.com/", f"http://xn--{'tda' + 'a' * 59}.com/"),
]

NO_WEB_ADDRESS = [
    "",
    " ",
    "example.com",
    "//example.com/",
    "/path",
    "htp:/x",
    "ftp://example.com/",
    "file:///etc/passwd",
    "mailto:a@example.com",
    "javascript:void(0)",
    "data:text/html,x",
    "view-source:http://example.com/",
    "http://",
    "http:///",
    "http://?x",
    "http://:80/",
    "http://exa mple.com/",
    "http://%00/",
    "http://a%2fb.com/",
    "http://a../",
    "http://a!b.com/",
    "http://example.com:65536/",
    "http://1.2.3.256/",
    "http://1.2.3.4.5/",
    "http://[::1/",
    "http://[::1%25eth0]/",
    "http://xn--a/",
    "\ud800",
    "http://example.com/" + "a" * MAX_LENGTH,
    "http://example.com/?utm_source=" + "a" * 5 * MAX_LENGTH,
]

BASE = "http://a/b/c/d;p?q"
JOINS = [  # RFC 3986, 5.4.1 and 5.4.2, fragments dropped
    ("g:h", None),
    ("g", "http://a/b/c/g"),
    ("./g", "http://a/b/c/g"),
    ("g/", "http://a/b/c/g/"),
    ("/g", "http://a/g"),
    ("//g", "http://g/"),
    ("?y", "http://a/b/c/d;p?y"),
    ("g?y", "http://a/b/c/g?y"),
    ("#s", "http://a/b/c/d;p?q"),
    ("g#s", "http://a/b/c/g"),
    ("g?y#s", "http://a/b/c/g?y"),
    (";x", "http://a/b/c/;x"),
    ("g;x", "http://a/b/c/g;x"),
    ("g;x?y#s", "http://a/b/c/g;x?y"),
    ("", "http://a/b/c/d;p?q"),
    (".", "http://a/b/c/"),
    ("./", "http://a/b/c/"),
    ("..", "http://a/b/"),
    ("../", "http://a/b/"),
    ("../g", "http://a/b/g"),
    ("../..", "http://a/"),
    ("../../", "http://a/"),
    ("../../g", "http://a/g"),
    ("../../../g", "http://a/g"),
    ("../../../../g", "http://a/g"),
    ("/./g", "http://a/g"),
    ("/../g", "http://a/g"),
    ("g.", "http://a/b/c/g."),
    (".g", "http://a/b/c/.g"),
    ("g..", "http://a/b/c/g.."),
    ("..g", "http://a/b/c/..g"),
    ("./../g", "http://a/b/g"),
    ("./g/.", "http://a/b/c/g/"),
    ("g/./h", "http://a/b/c/g/h"),
    ("g/../h", "http://a/b/c/h"),
    ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
    ("g;x=1/../y", "http://a/b/c/y"),
    ("g?y/./x", "http://a/b/c/g?y/./x"),
    ("g?y/../x", "http://a/b/c/g?y/../x"),
    ("g#s/./x", "http://a/b/c/g"),
    ("g#s/../x", "http://a/b/c/g"),
    ("http:g", "http://a/b/c/g"),  # the backward-compatible reading, as in browsers
    # beyond the RFC
    ("https:g", "https://g/"),
    ("?", "http://a/b/c/d;p"),
    ("\\x\\y", "http://a/x/y"),
    ("\\\\g\\y", "http://g/y"),
    ("///g/y", "http://g/y"),
    (" g \n", "http://a/b/c/g"),
    ("g\nh", "http://a/b/c/gh"),
    ("g\ud800", "http://a/b/c/g%EF%BF%BD"),
    ("//", None),
    ("http://", None),
    ("//[::1", None),
    ("javascript:void(0)", None),
    ("tel:+4944112345", None),
    ("x" * 5 * MAX_LENGTH, None),
]


@pytest.mark.parametrize(("url", "expected"), NORMAL_FORMS)
def test_normal_forms(url: str, expected: str) -> None:
    assert normalise(url) == expected


@pytest.mark.parametrize("url", NO_WEB_ADDRESS)
def test_other_urls_have_no_normal_form(url: str) -> None:
    assert normalise(url) is None


@pytest.mark.parametrize(("href", "expected"), JOINS)
def test_joins(href: str, expected: str | None) -> None:
    assert join(BASE, href) == expected


def test_joining_with_an_invalid_base_returns_none() -> None:
    assert join("no base", "http://example.com/") is None
    assert join("mailto:a@example.com", "x") is None


def test_the_length_limit_counts_the_normal_form() -> None:
    longest = "http://example.com/" + "a" * (MAX_LENGTH - 19)
    assert normalise(longest) == longest
    assert normalise(longest + "?utm_source=x#fragment") == longest
    assert normalise(longest + "b") is None


def test_host() -> None:
    assert host("http://User@WWW.Example.com.:8080/A?b#c") == "www.example.com"
    assert host("http://[::1]:80/") == "[::1]"
    assert host("mailto:a@example.com") == host("no url") == ""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("www.example.com", "example.com"),
        ("example.com", "example.com"),
        ("a.b.shop.co.uk", "shop.co.uk"),
        ("www.oldenburg.de", "oldenburg.de"),
        ("www.xn--mnchen-3ya.de", "xn--mnchen-3ya.de"),
        ("ci.houston.tx.us", "houston.tx.us"),
        ("anna.blogspot.com", "anna.blogspot.com"),
        ("www.anna.github.io", "anna.github.io"),
        ("blogspot.com", "blogspot.com"),
        ("co.uk", "co.uk"),
        ("www.unknown.zzzz", "unknown.zzzz"),
        ("localhost", "localhost"),
        ("127.0.0.1", "127.0.0.1"),
        ("[::1]", "[::1]"),
        ("", ""),
    ],
)
def test_registered_domain(name: str, expected: str) -> None:
    assert registered_domain(name) == expected


@pytest.mark.parametrize(
    ("url", "in_host", "in_path"),
    [
        ("http://www.losangeles-pizza.com/tx/fort_worth/", "losangeles pizza", "tx fort worth"),
        ("http://www2.example.com/FortWorth/index.html", "example", "fort worth index"),
        (
            "http://example.com/McKinney/StLouis/PDFFile.PDF",
            "example",
            "mckinney st louis pdf file",
        ),
        ("http://pizza2go.com/zip77002/a1b2c3d4", "pizza 2 go", "zip 77002 a1b2c3d4"),
        (
            "http://example.com/s?city=Fort+Worth&state=TX&lodging",
            "example",
            "s fort worth tx lodging",
        ),
        ("http://xn--mnchen-3ya.de/stra%C3%9Fe", "münchen", "straße"),
        ("http://example.com/M%FCnchen", "example", "münchen"),
        ("http://example.com/Mu%CC%88nchen", "example", "münchen"),
        ("http://example.com/%E0%A4%AE%E0%A5%81%E0%A4%82%E0%A4%AC%E0%A4%88/", "example", "मुंबई"),
        (
            "http://example.com/%E6%9D%B1%E4%BA%AC%E3%80%81%E5%A4%A7%E9%98%AA",
            "example",
            "東京 大阪",
        ),
        ("http://anna.blogspot.com/2015/05/lisbon.html", "anna", "2015 05 lisbon"),
        ("http://pizza.berlin/", "pizza berlin", ""),
        ("http://pizza.nyc/", "pizza nyc", ""),
        ("http://city.kobe.jp/", "city kobe", ""),
        ("http://www.oslo.no/", "oslo", ""),
        ("http://ci.houston.tx.us/", "ci houston tx", ""),
        ("http://shop.info/", "shop", ""),
        ("http://xn--e1aybc.xn--p1ai/", "тест", ""),
        ("http://127.0.0.1:8000/lisbon", "", "lisbon"),
        ("http://[::1]:8000/lisbon", "", "lisbon"),
        ("http://localhost:8000/", "", ""),
    ],
)
def test_tokens(url: str, in_host: str, in_path: str) -> None:
    assert normalise(url) == url, "the rows are in normal form"
    assert tokens(url) == (tuple(in_host.split()), tuple(in_path.split()))


def test_broken_punycode_is_unchanged() -> None:
    assert host_tokens("xn--é.com") == ("xn", "é")


# --- properties ---------------------------------------------------------------------------------

SIGNS = "/\\.?&=#@:;%[]|^'\"<>{}+~_ \t\nüß。\ud800"
HOSTS = ("www.", ".com", "a.b", "xn--", "0x7f", "127.0.0.1", "[::1]")
ENCODED = ("%2e", "%3B", "%7", "%7e", "%c3", "%00", "\ud83d\ude00")
TRAPS = ("//", "..", "http://", ";jsessionid=", "(S(", "))/", "utm_a=", "sid=", HEX32)
PIECES = st.sampled_from((*SIGNS, *HOSTS, *ENCODED, *TRAPS))
SLOPPY_URLS = st.builds(
    lambda start, middle, end: start + "".join(middle) + end,
    st.sampled_from(["", "http://", "http://example.com/", "https://example.com/a/b?"]),
    st.lists(PIECES | st.text(string.hexdigits, min_size=1, max_size=3), max_size=12),
    st.text(max_size=4),
)
ANY_TEXT = SLOPPY_URLS | st.text(st.characters())


@given(ANY_TEXT)
def test_a_normal_form_is_clean_and_its_own_normal_form(text: str) -> None:
    url = normalise(text)
    if url is None:
        return
    assert normalise(url) == url
    assert url.isascii()
    assert url.isprintable()
    assert " " not in url
    assert "#" not in url
    assert len(url) <= MAX_LENGTH
    parsed = can_ada.parse(url)
    assert parsed.href == url
    assert parsed.protocol in ("http:", "https:")
    assert not parsed.has_credentials()
    assert host(url) == parsed.hostname == parsed.hostname.lower() != ""


@given(ANY_TEXT, ANY_TEXT)
def test_joins_give_normal_forms_and_keep_absolute_ones(base: str, href: str) -> None:
    joined = join(base, href)
    assert joined is None or normalise(joined) == joined
    absolute = normalise(href)
    if absolute is not None and normalise(base) is not None:
        assert join(base, absolute) == absolute


@given(ANY_TEXT)
def test_tokens_are_clean_words_for_any_url(text: str) -> None:
    for url in (text, normalise(text) or ""):
        for word in (*tokens(url).host, *tokens(url).path):
            assert word
            assert word == word.lower()
            assert not set(word) & set(string.punctuation + string.whitespace)


@given(ANY_TEXT)
def test_registered_domain_is_a_suffix_and_a_fixed_point(text: str) -> None:
    name = host(text)
    domain = registered_domain(name)
    assert name == domain or name.endswith("." + domain)
    assert registered_domain(domain) == domain
