"""RFC 9309 as a table, one row a case; and protego as a second opinion."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from protego import Protego

from toponaut.records import Response
from toponaut.web.politeness.robots import RobotsRules, read_rules

SITE = "https://example.com"


def rules(text: str, agent: str = "Toponaut") -> RobotsRules:
    return read_rules(Response(f"{SITE}/robots.txt", 200, text.encode()), agent)


SECTION_5_1 = """\
User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot

EOF
"""
SECTION_5_2 = """\
User-Agent: foobot
Allow: /example/page/
Disallow: /example/page/disallowed.gif
"""
ONLY_OTHERS = "User-agent: otherbot\nDisallow: /\n"

# text, agent, path, whether it is allowed
CONFORMANCE = [
    # 2.1, 2.2.1: groups and user agents
    ("", "Toponaut", "/a", True),
    (ONLY_OTHERS, "Toponaut", "/a", True),  # neither our group nor "*": no rules apply
    ("User-agent: *\nDisallow: /", "Toponaut", "/a", False),
    ("User-agent: TOPONAUT\nDisallow: /", "Toponaut", "/a", False),  # in any case
    ("USER-AGENT: toponaut\nDISALLOW: /a", "ToPoNaut", "/a", False),
    ("User-agent: *\nDisallow: /\nUser-agent: toponaut\nDisallow: /b", "Toponaut", "/a",
     True),  # only our group counts
    ("User-agent: toponaut\nDisallow: /b\nUser-agent: *\nDisallow: /", "Toponaut", "/a",
     True),  # in any order
    ("User-agent: toponaut\n\nUser-agent: *\nDisallow: /", "Toponaut", "/a",
     False),  # an empty line ends nothing
    ("User-agent: topo\nDisallow: /", "Toponaut", "/a", True),  # a token matches whole
    ("User-agent: toponaut-images\nDisallow: /", "Toponaut", "/a", True),
    ("User-agent: toponaut\nDisallow: /", "Toponaut-Images", "/a", True),
    ("User-agent: Toponaut/1.0\nDisallow: /", "Toponaut", "/a",
     False),  # a version is no part of the token
    ("User-agent: a\nUser-agent: toponaut\nUser-agent: b\nDisallow: /a", "Toponaut", "/a",
     False),  # several lines
    ("User-agent: toponaut\nDisallow: /a\nUser-agent: b\nDisallow: /b\nUser-agent: toponaut\n"
     "Disallow: /c", "Toponaut", "/a", False),
    ("User-agent: toponaut\nDisallow: /a\nUser-agent: b\nDisallow: /b\nUser-agent: toponaut\n"
     "Disallow: /c", "Toponaut", "/b", True),
    ("User-agent: toponaut\nDisallow: /a\nUser-agent: b\nDisallow: /b\nUser-agent: toponaut\n"
     "Disallow: /c", "Toponaut", "/c", False),
    ("User-agent: *\nDisallow: /a\nUser-agent: *\nDisallow: /b", "Toponaut", "/a",
     False),  # "*" groups merge too
    ("Disallow: /\nUser-agent: *\nDisallow: /b", "Toponaut", "/a", True),  # a rule before any group
    ("User-agent:\nDisallow: /", "Toponaut", "/a", True),  # a group without a name
    # 2.2.2: the longest match, and ties
    ("User-agent: *\nAllow: /a/b\nDisallow: /a", "Toponaut", "/a/b/c", True),
    ("User-agent: *\nDisallow: /a\nAllow: /a/b", "Toponaut", "/a/b/c", True),  # in any order
    ("User-agent: *\nAllow: /a\nDisallow: /a/b", "Toponaut", "/a/b/c", False),
    ("User-agent: *\nDisallow: /a\nAllow: /a", "Toponaut", "/a", True),  # allow wins a tie
    ("User-agent: *\nDisallow: /*/b\nAllow: /a/b", "Toponaut", "/a/b", True),
    ("User-agent: *\nAllow: /*/b\nDisallow: /a/b", "Toponaut", "/a/b", True),
    ("User-agent: *\nAllow: /a\nDisallow: /*.htm", "Toponaut", "/a.htm", False),
    ("User-agent: *\nDisallow: /a\nDisallow: /a/longer\nAllow: /*a", "Toponaut", "/a", True),
    ("User-agent: *\nDisallow:", "Toponaut", "/a", True),  # an empty path forbids nothing
    ("User-agent: *\nAllow:\nDisallow: /a", "Toponaut", "/a", False),
    ("User-agent: *\nDisallow: /A", "Toponaut", "/a", True),  # paths have a case
    ("User-agent: *\nDisallow: /fish", "Toponaut", "/fish.html", False),  # a path is a beginning
    ("User-agent: *\nDisallow: /fish/", "Toponaut", "/fish", True),
    ("User-agent: *\nDisallow: /a?b", "Toponaut", "/a?bc", False),  # the query belongs to it
    ("User-agent: *\nDisallow: /a?b", "Toponaut", "/a", True),
    ("User-agent: *\nDisallow: a", "Toponaut", "/a", True),  # no path
    ("User-agent: *\nDisallow: /", "Toponaut", "/robots.txt", True),  # always allowed
    ("User-agent: *\nDisallow: /", "Toponaut", "/robots.txt?a", False),
    # 2.2.2: percent-encoding (the table of the RFC, both ways)
    ("User-agent: *\nDisallow: /foo/bar?baz=quz", "Toponaut", "/foo/bar?baz=quz", False),
    ("User-agent: *\nDisallow: /foo/bar?baz=https://foo.bar", "Toponaut",
     "/foo/bar?baz=https%3A%2F%2Ffoo.bar", False),
    ("User-agent: *\nDisallow: /foo/bar?baz=https%3A%2F%2Ffoo.bar", "Toponaut",
     "/foo/bar?baz=https://foo.bar", False),
    ("User-agent: *\nDisallow: /foo/bar/ツ", "Toponaut", "/foo/bar/%E3%83%84", False),
    ("User-agent: *\nDisallow: /foo/bar/%e3%83%84", "Toponaut", "/foo/bar/%E3%83%84", False),
    ("User-agent: *\nDisallow: /foo/bar/%62%61%7A", "Toponaut", "/foo/bar/baz", False),
    ("User-agent: *\nDisallow: /foo/bar/baz", "Toponaut", "/foo/bar/%62%61%7A", False),
    ("User-agent: *\nDisallow: /a%2Fb", "Toponaut", "/a/b", True),  # in a path, "%2F" parts nothing
    ("User-agent: *\nDisallow: /a/b", "Toponaut", "/a%2Fb", True),
    ("User-agent: *\nDisallow: /a%3Fb", "Toponaut", "/a?b", True),
    ("User-agent: *\nDisallow: /x*a%2Fb", "Toponaut", "/x/a/b", True),
    ("User-agent: *\nDisallow: /x?*=a%2Fb", "Toponaut", "/x?c=a/b", False),
    ("User-agent: *\nDisallow: /a%252Fb", "Toponaut", "/a%2Fb", True),
    # 2.2.3: special characters
    ("User-agent: * # everybody\nDisallow: /a # this", "Toponaut", "/a", False),
    ("User-agent: *\n#Disallow: /a", "Toponaut", "/a", True),
    ("User-agent: *\nDisallow: /a$", "Toponaut", "/a", False),
    ("User-agent: *\nDisallow: /a$", "Toponaut", "/ab", True),
    ("User-agent: *\nDisallow: /a$", "Toponaut", "/a$b", True),
    ("User-agent: *\nDisallow: /a$b", "Toponaut", "/a$b",
     False),  # not at the end it is a dollar sign
    ("User-agent: *\nDisallow: /$", "Toponaut", "/", False),
    ("User-agent: *\nDisallow: /$", "Toponaut", "/a", True),
    ("User-agent: *\nDisallow: /*.php$", "Toponaut", "/a/index.php", False),
    ("User-agent: *\nDisallow: /*.php$", "Toponaut", "/a/index.php?a", True),
    ("User-agent: *\nDisallow: /this/*/exactly", "Toponaut", "/this/path/exactly", False),
    ("User-agent: *\nDisallow: /this/*/exactly", "Toponaut", "/this/exactly", True),
    ("User-agent: *\nDisallow: *", "Toponaut", "/a", False),
    ("User-agent: *\nDisallow: /a**b", "Toponaut", "/axb", False),
    ("User-agent: *\nDisallow: /a*", "Toponaut", "/a", False),
    ("User-agent: *\nDisallow: /a*$", "Toponaut", "/abc", False),
    ("User-agent: *\nDisallow: /*ab$", "Toponaut", "/abab", False),  # the end, not the first
    ("User-agent: *\nDisallow: /*ab*b$", "Toponaut", "/ab", True),  # a letter serves one part only
    ("User-agent: *\nDisallow: /path/file-with-a-%2A.html", "Toponaut", "/path/file-with-a-*.html",
     False),
    ("User-agent: *\nDisallow: /path/file-with-a-%2A.html", "Toponaut", "/path/file-with-a-b.html",
     True),
    ("User-agent: *\nDisallow: /path/foo-%24", "Toponaut", "/path/foo-$", False),
    ("User-agent: *\nDisallow: /path/foo-%24", "Toponaut", "/path/foo-$bar", False),
    # 2.2.4, 2.2: other lines, spaces and ends of lines
    ("User-agent: toponaut\nSitemap: /s.xml\nUser-agent: b\nDisallow: /a", "Toponaut", "/a", False),
    ("User-agent: toponaut\nCrawl-delay: 3\nUser-agent: b\nDisallow: /a", "Toponaut", "/a", False),
    ("User-agent: toponaut\nUnknown: 3\nUser-agent: b\nDisallow: /a", "Toponaut", "/a", False),
    ("User-agent: *\nDisallow: /a\nSitemap: /s.xml\nDisallow: /b", "Toponaut", "/b", False),
    ("User-agent: *\nNoindex: /a\nrubbish\n: :\nDisallow: /b", "Toponaut", "/a", True),
    ("User-agent: *\nNoindex: /a\nrubbish\n: :\nDisallow: /b", "Toponaut", "/b", False),
    (" \tUser-agent \t: * \n\t Disallow : /a \t\n", "Toponaut", "/a", False),
    ("User-agent: *\r\nDisallow: /a\r\nAllow: /a/b\r\n", "Toponaut", "/a", False),
    ("User-agent: *\rDisallow: /a\rAllow: /a/b", "Toponaut", "/a/b", True),
    ("User-agent: *\nDisallow /a", "Toponaut", "/a", False),  # the colon is often forgotten
    ("User-agent: *\nDissallow: /a", "Toponaut", "/a", False),  # as is the spelling
    # 5.1, 5.2: the examples
    (SECTION_5_1, "foobot", "/example/page.html", True),
    (SECTION_5_1, "foobot", "/example/allowed.gif", True),
    (SECTION_5_1, "foobot", "/", False),
    (SECTION_5_1, "foobot", "/publications/", False),
    (SECTION_5_1, "barbot", "/example/page.html", False),
    (SECTION_5_1, "bazbot", "/example/page.html", False),
    (SECTION_5_1, "bazbot", "/example/other.html", True),
    (SECTION_5_1, "quxbot", "/example/page.html", True),
    (SECTION_5_1, "otherbot", "/example/page.html", False),
    (SECTION_5_1, "otherbot", "/publications/a", True),
    (SECTION_5_1, "otherbot", "/publications/a.gif", True),
    (SECTION_5_1, "otherbot", "/elsewhere/a.gif", False),
    (SECTION_5_1, "otherbot", "/elsewhere/a.gift", True),
    (SECTION_5_2, "foobot", "/example/page/", True),
    (SECTION_5_2, "foobot", "/example/page/disallowed.gif", False),
]  # fmt: skip


@pytest.mark.parametrize(("text", "agent", "path", "allowed"), CONFORMANCE)
def test_conforms_to_rfc_9309(text: str, agent: str, path: str, allowed: bool) -> None:
    assert rules(text, agent).allows(SITE + path) is allowed


# --- where protego and we must agree ---

PATHS = st.text("ab/", max_size=6).map(lambda path: f"/{path}")
PATTERNS = st.text("ab/*", max_size=6).map(lambda path: f"/{path}")


@given(
    lines=st.lists(st.tuples(st.sampled_from(["Allow", "Disallow"]), PATTERNS), max_size=8),
    ends=st.booleans(),
    paths=st.lists(PATHS, min_size=1, max_size=8),
)
def test_agrees_with_protego_on_plain_files(
    lines: list[tuple[str, str]], ends: bool, paths: list[str]
) -> None:
    """Without dollar signs in paths, because protego reads "$" in two ways."""
    text = "User-agent: *\n" + "".join(
        f"{name}: {path}{'$' if ends else ''}\n" for name, path in lines
    )
    protego, own = Protego.parse(text), rules(text)
    for path in paths:
        assert own.allows(SITE + path) == protego.can_fetch(SITE + path, "Toponaut"), (text, path)
