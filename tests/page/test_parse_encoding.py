"""Encodings: declared, with a byte order mark, guessed, wrong."""

import codecs

import pytest

from toponaut.page.parse import parse
from toponaut.page.parse.encoding import encoding_of
from toponaut.records import Page, Response

URL = "https://www.example.com/"
GERMAN = "<p>Straße in Köln: Grüße aus München – 5 €</p>" * 3


def page(body: bytes, content_type: str = "text/html") -> Page:
    return parse(Response(URL, 200, body, content_type))


@pytest.mark.parametrize(
    ("label", "codec", "name", "words"),
    [
        ("utf-8", "utf-8", "utf-8", "Zürich 東京"),
        ("iso-8859-1", "cp1252", "windows-1252", "Köln – “5 €”"),
        ("ISO-8859-15", "iso8859-15", "iso-8859-15", "5 € à Nîmes"),
        ("latin5", "cp1254", "windows-1254", "İstanbul Beyoğlu"),
        ("windows-1251", "cp1251", "windows-1251", "Москва"),
        ("koi8-r", "koi8-r", "koi8-r", "Санкт-Петербург"),
        ("Shift_JIS", "cp932", "shift_jis", "東京都千代田区①"),
        ("x-sjis", "cp932", "shift_jis", "大阪"),
        ("euc-jp", "euc_jp", "euc-jp", "京都"),
        ("iso-2022-jp", "iso2022_jp", "iso-2022-jp", "札幌"),
        ("gb2312", "gb18030", "gbk", "北京市镕"),
        ("GB18030", "gb18030", "gb18030", "上海㐀"),
        ("big5", "big5hkscs", "big5", "台北"),
        ("ks_c_5601-1987", "cp949", "euc-kr", "서울"),
    ],
)
def test_declared_in_header_and_meta(label: str, codec: str, name: str, words: str) -> None:
    body = words.encode(codec)
    by_header = page(b"<p>" + body, f'text/html; charset="{label}"')
    assert (by_header.text, by_header.encoding) == (words, name)
    by_meta = page(f"<head><meta charset={label}><p>".encode() + body)
    assert (by_meta.text, by_meta.encoding) == (words, name)
    old = f'<META http-equiv="Content-Type" content="text/html; charset={label}"><p>'
    assert page(old.encode() + body).text == words
    plain = page(body, f"text/plain;charset={label}")
    assert plain.text == words


def test_the_header_outranks_the_page() -> None:
    parsed = page(
        "<meta charset=windows-1251><p>Köln".encode("cp1252"), "text/html; charset=iso-8859-1"
    )
    assert (parsed.text, parsed.encoding) == ("Köln", "windows-1252")


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "declared", ["text/html", "text/html; charset=iso-8859-1", "text/html; charset=utf-16"]
)
def test_byte_order_marks_and_utf16(codec: str, declared: str) -> None:
    if codec == "utf-16-be" and declared.endswith("utf-16"):
        return  # without a mark "utf-16" means little-endian: a wrong declaration like any other
    if codec in ("utf-16-le", "utf-16-be"):
        declared = declared.replace("iso-8859-1", codec.replace("16-", "16"))
    assert page(GERMAN.encode(codec), declared).text.startswith("Straße in Köln")


def test_a_mark_outranks_everything() -> None:
    body = codecs.BOM_UTF16_BE + "<meta charset=utf-8><p>Köln".encode("utf-16-be")
    assert (page(body, "text/html; charset=utf-8").text, page(body).encoding) == (
        "Köln",
        "utf-16be",
    )


@pytest.mark.parametrize("codec", ["utf-8", "cp1252", "shift_jis", "gb18030", "cp1251", "euc_kr"])
def test_undeclared(codec: str) -> None:
    words = {
        "cp1251": (
            "Москва столица России, крупнейший по численности населения город страны и её субъект. "
        ),
        "shift_jis": "東京都は日本の首都であり、最大の都市です。"
        "郵便番号は百です。これはテストです。",
        "gb18030": "北京市是中华人民共和国的首都，也是全国的政治、文化和国际交往中心。",
        "euc_kr": "서울특별시는 대한민국의 수도이자 최대 도시이다. 한강을 끼고 있다.",
    }.get(codec, "Grüße aus Köln und München, schöne Straßen für Fußgänger. ")
    assert page(f"<p>{words * 5}</p>".encode(codec)).text.startswith(words.strip()[:20])


def test_wrong_declarations_are_corrected() -> None:
    assert page(GERMAN.encode(), "text/html; charset=iso-8859-1").text.startswith("Straße in Köln")
    assert page(GERMAN.encode("cp1252"), "text/html; charset=utf-8").text.startswith(
        "Straße in Köln"
    )
    assert page(b"<meta charset=utf-16><p>K\xc3\xb6ln").text == "Köln"
    for declared in ("euc-kr", "gb2312", "big5", "shift_jis", "euc-jp"):
        assert (
            page(f"<meta charset={declared}><p>서울특별시 종로구".encode()).text
            == "서울특별시 종로구"
        )
    assert page("<meta charset=gbk><p>木模".encode("gbk")).text == "木模"  # valid UTF-8 by chance


def test_mixed_encodings_stay_mostly_readable() -> None:
    parsed = page(GERMAN.encode() + b"<p>caf\xe9</p>", "text/html; charset=utf-8")
    assert parsed.encoding == "utf-8"
    assert "Köln" in parsed.text
    assert parsed.text.endswith("caf\ufffd")


def test_declarations_that_mean_nothing() -> None:
    for label in (
        "base64",
        "rot13",
        "utf-7",
        "unicode_escape",
        "idna",
        "no-such",
        "",
        "\0",
        "ü",
        "x" * 10_000,
    ):
        assert encoding_of(label) == ""
        assert (
            page(f"<meta charset='{label}'><p>Köln".encode(), f"text/html; charset={label}").text
            == "Köln"
        )
    assert page("<!-- <meta charset=koi8-r> --><p>Köln".encode()).text == "Köln"


@pytest.mark.parametrize(
    ("label", "name"),
    [
        (" Latin1 ", "windows-1252"),
        ("us-ascii", "windows-1252"),
        ("iso8859-1", "windows-1252"),
        ("csisolatin9", "iso-8859-15"),
        ("tis-620", "windows-874"),
        ("x-cp1250", "windows-1250"),
        ("chinese", "gbk"),
        ("big5-hkscs", "big5"),
        ("windows-31j", "shift_jis"),
        ("korean", "euc-kr"),
        ("unicode-1-1-utf-8", "utf-8"),
        ("logical", "iso-8859-8"),
        ("x-mac-roman", "macintosh"),
    ],
)
def test_labels(label: str, name: str) -> None:
    assert encoding_of(label) == name
