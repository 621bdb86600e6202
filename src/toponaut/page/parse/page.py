"""The entry point: a fetched document becomes a page."""

import codecs
import re

import cython

from toponaut.page.parse.encoding import recode, wide_ascii
from toponaut.page.parse.flow import flow
from toponaut.page.parse.items import items
from toponaut.page.parse.jsonld import json_ld
from toponaut.page.parse.links import links
from toponaut.page.parse.marks import marks
from toponaut.page.parse.markup import MAX_TAGS, tag_name
from toponaut.page.parse.meta import header_robots, read_meta
from toponaut.page.parse.stream import Flow
from toponaut.page.parse.text import from_utf8
from toponaut.records import Link, Page, Response

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

# Bytes read of a document. A page of this size takes about 0.15 s, at worst 1.5 s.
MAX_BYTES = 4 * 1024 * 1024

# First bytes of PDF, images, archives, fonts, videos, programs.
_MAGIC = (
    b"%PDF-", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"RIFF", b"PK\x03\x04", b"\x1f\x8b", b"BZh",
    b"7z\xbc\xaf", b"Rar!", b"\xfd7zXZ", b"(\xb5/\xfd", b"wOFF", b"wOF2", b"OTTO",
    b"\x00\x01\x00\x00",
    b"ID3", b"OggS", b"fLaC", b"\x1aE\xdf\xa3", b"\x7fELF", b"MZ\x90", b"\xca\xfe\xba\xbe",
    b"\xd0\xcf\x11\xe0", b"SQLite format", b"{\\rtf",
)  # fmt: skip
_CONTROLS = bytes({*range(0x20)} - set(b"\t\n\v\f\r\x1b"))
_SNIFFED = 1024  # bytes
_BINARY_TYPES = (
    "image/", "audio/", "video/", "font/", "application/pdf", "application/zip", "application/gzip",
)  # fmt: skip
_TAG = re.compile(
    rb"<(?:!doctype|html|head|body|title|meta|script|div|p|a|table|br|h[1-6]|span|ul|!--|\?xml)"
    rb"[\s/>-]",
    re.IGNORECASE,
)


def parse(fetched: Response) -> Page:
    """The page in a fetched document; empty if it is not markup or plain text. Never raises."""
    body = fetched.body[:MAX_BYTES]
    cut = len(fetched.body) > MAX_BYTES
    kind = _kind(body, fetched.content_type)
    if not kind:
        return Page(url=fetched.url, robots=header_robots(fetched))
    letters, encoding = recode(body, fetched.content_type, markup=kind != "text")
    if kind == "text":
        text, robots = from_utf8(letters), header_robots(fetched)
        return Page(fetched.url, text=text, robots=robots, encoding=encoding, truncated=cut)
    return _page(fetched, flow(letters, xml=kind == "xml"), encoding, cut)


def parse_text(url: str, text: str) -> Page:
    """A page of plain text, with unchanged offsets."""
    return Page(url=url, text=text[:MAX_BYTES], truncated=len(text) > MAX_BYTES)


def _kind(body: bytes, content_type: str) -> str:
    """ "html", "xml", "text" or "" (not readable), by the content type or else the bytes."""
    declared = content_type.partition(";")[0].strip().lower()
    if body.startswith(_MAGIC) or declared.startswith(_BINARY_TYPES) or _is_binary(body):
        return ""
    if "xml" in declared or "html" in declared:
        return "xml" if "xml" in declared else "html"
    return "text" if declared.startswith("text/") or not _looks_like_markup(body) else "html"


def _looks_like_markup(body: bytes) -> bool:
    # UTF-16 has zeros between the letters.
    return _TAG.search(body[:_SNIFFED].replace(b"\0", b"")) is not None


def _is_binary(body: bytes) -> bool:
    """Over a tenth control characters, unless it is UTF-16 or has tags."""
    sample = body[:_SNIFFED]
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if controls * 10 <= len(sample) or sample.startswith(
        (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    ):
        return False
    return not wide_ascii(sample) and not _looks_like_markup(body)


def _page(fetched: Response, stream: Flow, encoding: str, cut: bool) -> Page:
    said = read_meta(stream, fetched)
    found, more = links(stream, fetched.url, said.base)
    if said.leads_to:
        found = (Link(said.leads_to, fetched.url, rel=("refresh",)), *found)
    scripts = [content for head, content in stream.raws if tag_name(head) == "script"]
    structured = json_ld(scripts) if scripts else ()
    return Page(
        url=fetched.url,
        title=said.title,
        language=said.language,
        text=stream.text,
        links=found,
        marks=marks(stream.text, stream.marks),
        structured=structured + items(stream),
        geo=said.geo,
        description=said.description,
        canonical=said.canonical,
        robots=said.robots,
        encoding=encoding,
        truncated=cut or more or len(stream.tokens) >= MAX_TAGS,
        site_name=said.site_name,
    )
