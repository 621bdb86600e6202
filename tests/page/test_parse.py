"""Visible text, links and metadata of a page: golden examples."""

import pytest

from toponaut.page.parse import MAX_BYTES, parse, parse_text
from toponaut.page.parse.links import words_after, words_before
from toponaut.records import Link, Page, Response

SITE = "https://www.example.com"
URL = f"{SITE}/dir/page.html"


def page(markup: str, content_type: str = "text/html; charset=utf-8", **headers: str) -> Page:
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return parse(Response(URL, 200, markup.encode(), content_type, named))


def text(markup: str) -> str:
    return page(markup).text


def only_link(markup: str) -> Link:
    (link,) = page(markup).links
    return link


def around(parsed: Page) -> list[tuple[str, str]]:
    """The words before and after each link."""
    return [
        (words_before(parsed.text, link), words_after(parsed.text, link)) for link in parsed.links
    ]


# --- text -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<p>one</p><p>two</p>", "one\n\ntwo"),
        ("<div>one</div><div>two</div>", "one\ntwo"),
        ("one<br>two<br/>three<BR />four", "one\ntwo\nthree\nfour"),
        ("one<br><br>two", "one\n\ntwo"),
        ("one<br></div><div>two", "one\ntwo"),
        ("<ul><li>one</li><li>two</li></ul>after", "one\ntwo\n\nafter"),
        ("<ul><li>one<li>two</ul>", "one\ntwo"),
        ("<h1>Title</h1>text<h2>Sub</h2>", "Title\n\ntext\n\nSub"),
        ("a <b>bold</b>, <i>it</i>alic", "a bold, italic"),
        ("Land\x92s End \x96 a\x81b", "Land’s End – ab"),
        ("  a\n\t b  <span> c</span> d ", "a b c d"),
        ("a<!-- <p>b</p> > --> c", "a c"),
        ("a<!-->b<!--->c", "abc"),
        ("1 < 2 and 3 > 2 &amp; x<y>z", "1 < 2 and 3 > 2 & xz"),
        ("&lt;b&gt; caf&eacute; &#8364;&#x20AC; &nbsp;&nbsp;x", "<b> café €€ x"),
        (
            "Straß&shy;burg zero&#8203;width \u200bsoft\u00adhyphen \ufeffx",
            "Straßburg zerowidth softhyphen x",
        ),
        ("a\u00a0b\u2003c\u3000d", "a b c d"),
        ("bell\x07 null\x00 escape\x1b[0m c1\x85x", "bell null escape[0m c1…x"),
        ("&#0; &#1;x&#128;", "\ufffd x€"),
        ("<title>T</title><style>s</style><script>if (a<b) '</p>'</script>x", "x"),
        ("<template><p>no</p></template><textarea><p>no</textarea>x", "x"),
        ("<noscript>without scripts</noscript>", "without scripts"),
        ("<select><option>Alabama<option>Alaska</select>x", "x"),
        ("to<select><option>Alabama</select>by mail", "to by mail"),
        ('<p title="a > b" data-x=\'<div class="y">\'>x</p>y', "x\n\ny"),
        ("<p title=it's>x</p><p title=5\">y</p>", "x\n\ny"),
        ("<svg><title>Icon</title><text>drawn</text></svg>x", "drawnx"),
        ("<dl><dt>Phone<dd>555<dt>Fax<dd>556</dl>", "Phone\n555\nFax\n556"),
        ("<custom-tag>a</custom-tag>b", "ab"),
        ("", ""),
    ],
)
def test_visible_text(markup: str, expected: str) -> None:
    assert text(markup) == expected


@pytest.mark.parametrize(
    "markup",
    [
        "a<div hidden>x</div>b",
        "a<div style='color:red; DISPLAY : NONE'>x<div>y</div>z</div>b",
        "a<span style=visibility:hidden>x</span>b",
        "a<p hidden>x<div>b</div>",
        "<ul><li>a<li hidden>x <b>y</b><li>b</ul>",
        "<div>a<span hidden>x</div>b",
        "a<div hidden><script>document.write('</div>')</script>x</div>b",
        "a<div hidden><!-- </div> -->x</div>b",
        "<table><tr><td>a<td hidden>x<td>b</table>",
        "a<div hidden><img><br><input>x</div>b",
    ],
)
def test_hidden_elements_are_not_text(markup: str) -> None:
    assert "".join(text(markup).split()) == "ab"


def test_shown_though_it_looks_hidden() -> None:
    assert text('<p aria-hidden="true">a</p>') == "a"
    assert text('<p class="hidden none" data-style="display:none">a</p>') == "a"
    assert text('<body style="display:none">a</body>') == "a"  # revealed by a script
    assert text('<input type="hidden" value="x">a') == "a"


def test_preformatted_text_is_kept() -> None:
    assert (
        text("a  b<pre>\n  x\n\n    y &lt; <b>z</b>\t!\r\n</pre>c   d")
        == "a b\n\n  x\n\n    y < z\t!\n\nc d"
    )
    hidden = page(
        "<pre>a \n<p hidden><a href=/x>b</a></pre>c  d"
    )  # a link after invisible white space
    assert (hidden.text, hidden.links[0].anchor, hidden.links[0].start) == ("a\n\nc d", "b", 1)


ADDRESS = ["Rose Cafe", "12 Main Street", "Springfield, IL 62701"]


@pytest.mark.parametrize(
    ("markup", "separator"),
    [
        ("<p>{}<br>{}<br>{}</p>", "\n"),
        ("<div>{}</div><div>{}</div>\n <div>{}</div>", "\n"),
        ("<div><span>{}</span><br/>\n<span>{}</span><br/><span>{}</span></div>", "\n"),
        ("<ul><li>{}</li>\n<li>{}</li><li>{}</li></ul>", "\n"),
        ("<dl><dd>{}</dd><dd>{}<dd>{}</dl>", "\n"),
        ("<table><tr><td>{}</td><td>{}</td>\n<td>{}</td></tr></table>", "\t"),
        ("<table><tr><td><p>{}</p></td><td><div>{}</div></td><td><p>{}</td></tr></table>", "\t"),
        ("<table><tr><td>{}<tr><td>{}<tr><td>{}</table>", "\n"),
        ("<address>{}<br>{}<br>{}</address>", "\n"),
        ("<table><tr><td><b>{}</b><br>{}<br>{}</td></tr></table>", "\n"),
    ],
)
def test_an_address_stays_together(markup: str, separator: str) -> None:
    assert text("<p>before</p>" + markup.format(*ADDRESS) + "<p>after</p>").split("\n\n")[
        -2
    ] == separator.join(ADDRESS)


def test_rows_and_cells() -> None:
    markup = (
        "<table><caption>Shops</caption><thead><tr><th>Town<th>Street<tbody><tr><td>A<td>"
        "B<tr><td><td>D</table>x"
    )
    assert text(markup) == "Shops\nTown\tStreet\nA\tB\nD\n\nx"


# --- links ----------------------------------------------------------------------------------------


def test_a_link_with_all_its_attributes() -> None:
    parsed = page(
        '<p>See our <a href="/a?x=1&amp;y=2" title=" the &quot;map&quot; " rel="NoFollow ugc">way '
        " in</a>!"
    )
    (link,) = parsed.links
    assert link == Link(
        url="https://www.example.com/a?x=1&y=2",
        source=URL,
        anchor="way in",
        title='the "map"',
        rel=("nofollow", "ugc"),
        start=8,
        end=14,
        path=link.path,  # see test_tag_path.py
    )
    assert parsed.text[8:14] == "way in"
    assert around(parsed) == [("See our", "!")]


@pytest.mark.parametrize(
    ("tag", "url"),
    [
        ('<a href="x.html">', "https://www.example.com/dir/x.html"),
        ("<a href=../up/>", "https://www.example.com/up/"),
        ("<A HREF='//other.org'>", "https://other.org/"),
        ('<a class="c" href="/b/../c" data-href="/no">', "https://www.example.com/c"),
        ('<a\nhref\n=\n"/x y">', "https://www.example.com/x%20y"),
        ('<a href=" /a\n\t b\u00a0c\n">', "https://www.example.com/a%20b%C2%A0c"),
        ('<a href="/\u200ba\x93b">', "https://www.example.com/%E2%80%8Ba%C2%93b"),
        ('<a href="?a=1&copy=2&amp;b=3">', "https://www.example.com/dir/page.html?a=1&copy=2&b=3"),
        ('<a href="/a>b" title="<c>">', "https://www.example.com/a%3Eb"),
        ('<a href="/first" href="/second" >', "https://www.example.com/first"),
        ("<a title='href=\"/no\"' href=/yes>", "https://www.example.com/yes"),
        ('<a href="http://EXAMPLE.com:80/#top">', "http://example.com/"),
        ('<a download href="/f">', "https://www.example.com/f"),
    ],
)
def test_urls_of_links(tag: str, url: str) -> None:
    link = only_link(f"{tag}text</a>")
    assert (link.url, link.anchor) == (url, "text")


@pytest.mark.parametrize(
    "href",
    [
        "#top",
        "javascript:void(0)",
        "mailto:a@b.c",
        "tel:+1",
        "data:text/html,x",
        "http://[bad",
        "",
        "ftp://x/",
    ],
)
def test_urls_that_are_not_pages_are_not_links(href: str) -> None:
    assert page(f'<a href="{href}">x</a><a name=y>z</a>').links == ()


def test_base_href() -> None:
    assert only_link("<base href='/sub/'><a href=x>x</a>").url == "https://www.example.com/sub/x"
    assert (
        only_link("<base target=_top><base href=//b.org/c/><a href=x>x</a>").url
        == "https://b.org/c/x"
    )
    assert only_link('<base href="//b.org/c/"><a href="/x">x</a>').url == "https://b.org/x"
    assert (
        only_link("<base href='javascript:1'><a href=x>x</a>").url
        == "https://www.example.com/dir/x"
    )


def test_links_without_text() -> None:
    parsed = page(
        'a <a href=/i><img src=s alt=" The  logo "></a> b <map><area href=/m alt=Map></map><a '
        "href=/e></a>"
    )
    assert [(link.anchor, link.start == link.end) for link in parsed.links] == [
        ("The logo", True),
        ("Map", True),
        ("", True),
    ]
    assert around(parsed)[0] == ("a", "b")


def test_frames_are_links() -> None:
    parsed = page(
        "<iframe src=/f><a href=/no>x</a></iframe><frameset><frame src=g><noframes><a href=/n>n</a>"
    )
    assert [(link.url[23:], link.rel) for link in parsed.links] == [
        ("/f", ("frame",)),
        ("/dir/g", ("frame",)),
        ("/n", ()),
    ]


@pytest.mark.parametrize(
    ("content", "url"),
    [
        ("0;url=/en/", f"{SITE}/en/"),
        ("2; URL='home.htm'", f"{SITE}/dir/home.htm"),
        ("5, http://other.org", "http://other.org/"),
        ("0", None),
        ("1800;url=/news", None),  # a reload
        ("0;url=?noscript=1", None),
        ("0;url=javascript:x", None),
        ("now;url=/en/", None),
    ],
)
def test_a_refresh_to_another_page_is_a_link(content: str, url: str | None) -> None:
    links = page(f'<meta http-equiv="Refresh" content="{content}"><p>x').links
    assert [(link.url, link.rel) for link in links] == ([(url, ("refresh",))] if url else [])


def test_a_refresh_in_noscript_is_ignored() -> None:
    assert (
        page('<noscript><meta http-equiv="refresh" content="0;url=/nojs"></noscript>').links == ()
    )


def test_hidden_links_count_but_have_no_span() -> None:
    parsed = page(
        "a<ul style=display:none><li><a href=/1>Sub &amp; menu</a><li><a href=/2><img "
        "alt=I></a></ul>b"
    )
    assert parsed.text == "a\n\nb"
    assert [(link.url[23:], link.anchor, link.start, link.end) for link in parsed.links] == [
        ("/1", "Sub & menu", 1, 1),
        ("/2", "I", 1, 1),
    ]
    assert only_link("<a hidden href=/x>y</a>").anchor == "y"


def test_nested_and_open_links_end_where_the_next_begins() -> None:
    parsed = page("<a href=/1>one <a href=/2>two</a> three</a> <a href=/3>four")
    assert [(link.url[23:], link.anchor) for link in parsed.links] == [
        ("/1", "one"),
        ("/2", "two"),
        ("/3", "four"),
    ]


def test_links_in_comments_are_ignored() -> None:
    assert [link.url for link in page('<!--<a href="/x">x</a>--><a href="/y">y</a>').links] == [
        f"{SITE}/y"
    ]
    assert (
        page('<!--<base href="http://other.org/">--><a href="y">').links[0].url == f"{SITE}/dir/y"
    )


def test_a_link_over_blocks() -> None:
    parsed = page("x<a href=/1><h3>Head</h3><p>Body</p></a>y")
    (link,) = parsed.links
    assert link.anchor == parsed.text[link.start : link.end] == "Head\n\nBody"
    assert around(parsed) == [("x", "y")]


def test_windows_hold_25_tokens() -> None:
    words = [f"w{number}" for number in range(100)]
    before, after = words[:50], words[50:]
    [beside] = around(page(f"<p>{' '.join(before)} <a href=/>here</a>, {' '.join(after)}"))
    assert [words.split() for words in beside] == [before[-25:], [",", *after[:24]]]
    long = page(f"{'x' * 10_000} <a href=/>here</a> {'y' * 10_000}")
    assert around(long) == [("x" * 499, "y" * 499)]


def test_a_link_without_a_span_has_no_words_around_it() -> None:
    parsed = page(
        '<meta http-equiv="refresh" content="0; url=/next">Please <a href="/next">go on</a>'
    )
    assert [(link.rel, link.start) for link in parsed.links] == [(("refresh",), -1), ((), 7)]
    assert around(parsed) == [("", ""), ("Please", "")]


# --- marks ----------------------------------------------------------------------------------------


def test_marks() -> None:
    parsed = page(
        "<h1> Big <b>bold</b></h1><p><strong>x</strong></p><address>a<br>b</address><h2></h2><b>"
        "open"
    )
    assert [(mark.tag, parsed.text[mark.start : mark.end]) for mark in parsed.marks] == [
        ("b", "bold"),
        ("h1", "Big bold"),
        ("b", "x"),
        ("address", "a\nb"),
    ]


# --- metadata -----------------------------------------------------------------------------------


def test_title_language_description_canonical() -> None:
    parsed = page(
        '<html lang="de-AT"><head><title> A &amp;\n B</title><meta name=Description content=" '
        'About\nus ">'
        '<link rel="Canonical" href="../c"><title>no</title></head>'
    )
    assert (parsed.title, parsed.language, parsed.description) == ("A & B", "de", "About us")
    assert parsed.canonical == "https://www.example.com/c"


def test_language_by_other_means() -> None:
    assert page("<meta http-equiv=Content-Language content='fr, en'>").language == "fr"
    assert page("x", Content_Language="pt-BR").language == "pt"
    assert page("<html xml:lang=es>").language == "es"
    assert page("<html lang='{{lang}}'>").language == ""
    assert page("<p lang=it>x").language == ""


def test_robots() -> None:
    assert page("<meta name=ROBOTS content='NoIndex,follow'>").robots == {"noindex", "follow"}
    assert page("<meta name=toponaut content=none>").robots == {"none", "noindex", "nofollow"}
    assert page("<meta name=otherbot content=noindex>").robots == frozenset()
    assert page("x", X_Robots_Tag="noarchive, nofollow").robots == {"noarchive", "nofollow"}
    assert page("x", X_Robots_Tag="otherbot: noindex").robots == frozenset()
    assert page("x", X_Robots_Tag="Toponaut: noindex").robots == {"noindex"}


@pytest.mark.parametrize(
    ("line", "ours"),
    [
        ("googlebot: noindex, toponaut: nofollow", {"nofollow"}),
        ("noindex, googlebot: nofollow", {"noindex"}),
        ("Toponaut: noindex, nofollow, otherbot: noarchive", {"noindex", "nofollow"}),
        ("otherbot: noindex, nofollow", set()),
        ("otherbot : none, *: noarchive", {"noarchive"}),
        ("otherbot: noindex, max-snippet: 20, nofollow", set()),
        ("max-snippet: 20, nofollow", {"max-snippet:20", "nofollow"}),
        ("max-image-preview: none", {"max-image-preview:none"}),
        ("toponaut: max-image-preview : none, NoFollow", {"max-image-preview:none", "nofollow"}),
        ("360spider: noindex", set()),
        (": noindex", {":noindex"}),
        ("", set()),
    ],
)
def test_robots_of_several_agents(line: str, ours: set[str]) -> None:
    assert page("x", X_Robots_Tag=line).robots == ours


@pytest.mark.parametrize(
    "date", ["25 Jun 2026 15:00:00 PST", "Wednesday, 25-Jun-26 15:00:00 PST", "2026-06-25, 15:00"]
)
def test_a_date_in_robots_is_not_an_agent(date: str) -> None:
    line = f"nofollow, unavailable_after: {date}, noindex"
    assert page("x", X_Robots_Tag=line).robots >= {"noindex", "nofollow"}
    assert page("x", X_Robots_Tag=f"otherbot: {line}").robots == frozenset()


def test_each_robots_header_line_is_independent() -> None:
    headers = (("x-robots-tag", "otherbot: noindex"), ("X-Robots-Tag", "nofollow"))
    assert parse(Response(URL, 200, b"x", "text/html", headers)).robots == {"nofollow"}


def test_a_value_in_robots_is_not_a_directive() -> None:
    assert page("<meta name=robots content='max-image-preview: none, noarchive'>").robots == {
        "max-image-preview:none",
        "noarchive",
    }


def test_geo_tags() -> None:
    parsed = page(
        "<meta name=geo.position content='53.1;8.2'><meta name=ICBM content='53.1, 8.2'>"
        "<meta property=place:location:latitude content=53.1><meta property=og:street-address "
        "content='Weg 1'>"
        "<meta property='business:contact_data:locality' content=Oldenburg><meta name=generator "
        "content=x>"
    )
    assert parsed.geo == (
        ("geo.position", "53.1;8.2"),
        ("icbm", "53.1, 8.2"),
        ("place:location:latitude", "53.1"),
        ("og:street-address", "Weg 1"),
        ("business:contact_data:locality", "Oldenburg"),
    )


# --- other than HTML ------------------------------------------------------------------------------


def test_plain_text_keeps_every_position() -> None:
    content = "Line  one\r\n\r\n\tLine two <b>&amp;\u00a0\u200b\x0c end \n"
    parsed = page(content, "text/plain; charset=utf-8")
    assert parsed.text == content
    assert parsed.links == ()
    assert parse_text(URL, content) == Page(url=URL, text=content)
    assert page("just words", "").text == "just words"
    assert parse_text(URL, "x" * (MAX_BYTES + 1)).truncated


def test_xhtml() -> None:
    markup = (
        '<?xml version="1.0" encoding="UTF-8"?><html xmlns="http://www.w3.org/1999/xhtml" '
        'xml:lang="en"><body>'
        '<script src="x"/><a name="here"/><div/>a<br/>b <![CDATA[1 < 2 & <c>]]> <a '
        'href="/x">y</a></body></html>'
    )
    parsed = page(markup, "application/xhtml+xml")
    assert parsed.text == "a\nb 1 < 2 & <c> y"
    assert [link.anchor for link in parsed.links] == ["y"]
    assert parsed.language == "en"


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"%PDF-1.7\n<p>text</p>", "text/html"),
        (b"\x89PNG\r\n\x1a\n" + bytes(200), ""),
        (b"PK\x03\x04" + b"a" * 100, "text/html"),
        (b"<p>x</p>", "image/png"),
        (bytes(range(32)) * 20, "text/plain"),
        (b"", ""),
    ],
)
def test_other_documents_give_an_empty_page(body: bytes, content_type: str) -> None:
    assert parse(Response(URL, 200, body, content_type)) == Page(url=URL)


def test_markup_without_a_type() -> None:
    assert page("<!doctype html><p>a</p><p>b</p>", "").text == "a\n\nb"
    assert page("<html><p>a", "application/octet-stream").text == "a"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<pre>a <!-- x > y --> b</pre>c", "a  b\n\nc"),
        ("<pre>  k\n <b>z</b> <!-- q>r --> w</pre>", "  k\n z  w"),
        ("<pre>code <!-- hidden --> more</pre>", "code  more"),
        ("<p>a <!-- x > y --> b", "a b"),
        ("<p>a <!--<b>x</b>--> b", "a b"),
        ("<p>a <!--<p>x<!--y</p>--> b", "a b"),
        ("<p>a <!--> b", "a b"),
        ("<p>a <!---> b", "a b"),
        ("<p>a <!----> b", "a b"),
        ("<p hidden><!--></p>--></p>a", "-->\n\na"),
        ("<p>a <!--[if !IE]><!--> b <!--<![endif]--> c", "a b c"),
        ("<p>a <!--[if IE]> b <![endif]--> c", "a c"),
    ],
)
def test_comments_are_not_text(markup: str, text: str) -> None:
    assert parse(Response("http://example.org/", 200, markup.encode(), "text/html")).text == text
