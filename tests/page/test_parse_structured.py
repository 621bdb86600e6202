"""Structured data: JSON-LD, microdata, RDFa Lite, hCard."""

import pytest

from toponaut.page.parse import parse
from toponaut.records import Response, StructuredItem

URL = "https://www.example.com/"


def structured(markup: str) -> tuple[StructuredItem, ...]:
    return parse(Response(URL, 200, markup.encode(), "text/html")).structured


def json_ld(content: str) -> list[dict[str, object]]:
    found = structured(f'<script type="application/ld+json">{content}</script>')
    assert all(item.syntax == "json-ld" and item.start == item.end == -1 for item in found)
    return [item.data for item in found]


SHOP = {
    "@type": ["Restaurant"],
    "name": ["Rosa's"],
    "address": [
        {"@type": ["PostalAddress"], "streetAddress": ["Main St 1"], "postalCode": ["97477"]}
    ],
}
SHOP_JSON = (
    '{"@context": "https://schema.org", "@type": "Restaurant", "name": "Rosa\'s", "address": '
    '{"@type": "http://schema.org/PostalAddress", "streetAddress": "Main St 1", "postalCode": '
    "97477}}"
)


@pytest.mark.parametrize(
    "content",
    [
        SHOP_JSON,
        f"[{SHOP_JSON}]",
        f'{{"@graph": [{SHOP_JSON}]}}',
        f"<!-- {SHOP_JSON} -->",
        f"//<![CDATA[\n{SHOP_JSON}\n//]]>",
        f"/*<![CDATA[*/ {SHOP_JSON} /*]]>*/",
        SHOP_JSON.replace("}}", ",}\n,}"),
        SHOP_JSON.replace("Main St", "Main\n\tSt") + ";",
    ],
)
def test_json_ld(content: str) -> None:
    assert json_ld(content) == [SHOP]


def test_json_ld_values() -> None:
    content = (
        '{"@type": ["A", "schema:B"], "n": [1, 2.5, true, null, ""], "v": {"@value": "x"}, '
        '"s:p": "q"}'
    )
    assert json_ld(content) == [
        {"@type": ["A", "B"], "n": ["1", "2.5", "true"], "v": ["x"], "p": ["q"]}
    ]


def test_json_ld_references() -> None:
    content = (
        '{"@graph": [{"@id": "#s", "address": {"@id": "#a"}}, {"@id": "#a", "city": "X", '
        '"of": {"@id": "#s"}}]}'
    )
    shop = json_ld(content)[0]
    assert shop["@id"] == ["#s"]
    assert "'city': ['X']" in str(shop["address"])


@pytest.mark.parametrize(
    "content", ["", "{", "null", "3", '"x"', "[[[]]]", "{}", "[" * 100_000, '{"a":' * 50_000]
)
def test_json_ld_without_content(content: str) -> None:
    assert json_ld(content) == []


def test_several_scripts() -> None:
    markup = f"<script type='application/ld+json'>{SHOP_JSON}</script><script>{{}}</script>" * 2
    assert [item.data for item in structured(markup)] == [SHOP, SHOP]


def test_microdata() -> None:
    markup = """<p>Before</p><div itemscope itemtype="https://schema.org/Restaurant">
      <h1 itemprop="name">Rosa's</h1><a itemprop="url" href="/r">site</a>
      <meta itemprop="priceRange" content="$$">
      <div itemprop="address" itemscope itemtype="https://schema.org/PostalAddress">
        <span itemprop="streetAddress">Main St 1<br>Floor 2</span><script>x("</div>")</script>
        <span itemprop="addressLocality" style="display:none">Spring&shy;field</span></div>
      <time itemprop="opens" datetime="08:00">eight</time></div><p>After</p>"""
    parsed = parse(Response(URL, 200, markup.encode(), "text/html"))
    (item,) = parsed.structured
    assert item.syntax == "microdata"
    assert item.data == {
        "@type": ["Restaurant"],
        "name": ["Rosa's"],
        "url": ["/r"],
        "priceRange": ["$$"],
        "address": [
            {
                "@type": ["PostalAddress"],
                "streetAddress": ["Main St 1 Floor 2"],
                "addressLocality": ["Springfield"],
            }
        ],
        "opens": ["08:00"],
    }
    assert parsed.text[item.start : item.end] == "Rosa's\n\nsite\nMain St 1\nFloor 2\neight"


def test_microdata_by_reference() -> None:
    markup = (
        '<div itemscope itemref="a loop" id="loop"><b itemprop=name>N</b></div><p id="a"><i '
        "itemprop=tel>5</i></p>"
    )
    (item,) = structured(markup)
    assert item.data["tel"] == ["5"]


def test_microdata_with_open_elements() -> None:
    markup = "<ul><li itemscope><b itemprop=name>A</b><li itemscope><b itemprop=name>B</b></ul>"
    assert [item.data["name"] for item in structured(markup)] == [["A"], ["B"]]


def test_rdfa() -> None:
    markup = """<div vocab="https://schema.org/" typeof="LocalBusiness">
      <span property="name">Rosa's</span>
      <div property="address" typeof="PostalAddress">
      <span property="schema:postalCode" content="97477">zip</span></div>
      <a property="url" href="https://r.example/">x</a></div>
      <meta property="og:title" content="no">"""
    (item,) = structured(markup)
    assert (item.syntax, item.data) == (
        "rdfa",
        {
            "@type": ["LocalBusiness"],
            "name": ["Rosa's"],
            "address": [{"@type": ["PostalAddress"], "postalCode": ["97477"]}],
            "url": ["https://r.example/"],
        },
    )


def test_hcard_old_and_new() -> None:
    old = """<div class="vcard big"><a class="fn org url" href="/x">Rosa's</a><div class="adr">
      <span class="street-address">Main St 1</span>,
      <abbr class="region" title="Illinois">IL</abbr></div></div>"""
    assert structured(old)[0].data == {
        "@type": ["vcard"],
        "fn": ["Rosa's"],
        "org": ["Rosa's"],
        "url": ["/x"],
        "adr": [{"@type": ["adr"], "street-address": ["Main St 1"], "region": ["Illinois"]}],
    }
    new = '<p class="h-card"><b class="p-name">Rosa</b> <i class="p-locality">Springfield</i></p>'
    assert structured(new)[0].data == {
        "@type": ["vcard"],
        "name": ["Rosa"],
        "locality": ["Springfield"],
    }
    bare = parse(Response(URL, 200, b'<p>x</p><p class="adr">1 Main St</p>', "text/html"))
    assert bare.structured == (
        StructuredItem("hcard", {"@type": ["adr"], "name": ["1 Main St"]}, 3, 12),
    )


def test_madrid_is_not_an_adr_class() -> None:
    assert (
        structured(
            '<p class="madrid">Madrid</p><div class="adrift"><span class="region">x</span></div>'
        )
        == ()
    )
