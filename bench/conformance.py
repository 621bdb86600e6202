"""How Toponaut reads robots.txt, URLs, HTML and WARC, case by case, beside other programs.

    python -m bench.conformance        fill the tables of docs/explanation/conformance.md

robots.txt: the cases of RFC 9309, also with protego. URLs: the WHATWG standard, also with urllib.
HTML: encodings by the standard; titles, links and words as lexbor finds them. WARC: warcio and
fastwarc read our files, and we read theirs.
"""

import asyncio
import tempfile
import warnings
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, urldefrag, urljoin, urlsplit

from protego import Protego
from selectolax.lexbor import LexborHTMLParser
from tests.web.test_robots_rfc9309 import CONFORMANCE, SITE, rules
from warcio.archiveiterator import ArchiveIterator as WarcioIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from bench.conformance_cases import ENCODINGS, HTML, URLS
from bench.figures import ROOT, fill
from toponaut.archive import ArchiveWriter
from toponaut.page.parse import parse
from toponaut.records import Outcome, Page, Request, Response
from toponaut.urls import join, normalise
from toponaut.web.replay import ReplayFetcher

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # fastwarc 1.1 warns of its own old names
    from fastwarc.warc import ArchiveIterator as FastwarcIterator

PAGE = ROOT / "docs" / "explanation" / "conformance.md"


class Score(NamedTuple):
    """A row of a table: how many cases of a kind come out right."""

    kind: str
    cases: int
    ours: int
    other: int | None = None  # of the program that we are compared with


# --- robots.txt and URLs --------------------------------------------------------------------------


def robots() -> list[Score]:
    ours = sum(
        rules(text, agent).allows(SITE + path) is ok for text, agent, path, ok in CONFORMANCE
    )
    theirs = sum(
        Protego.parse(text).can_fetch(SITE + path, agent) is ok
        for text, agent, path, ok in CONFORMANCE
    )
    return [Score("RFC 9309, sections 2.2 to 5.2", len(CONFORMANCE), ours, theirs)]


def urls() -> list[Score]:
    return [
        Score(
            kind,
            len(cases),
            sum(_ours(reference, base) == url for reference, base, url in cases),
            sum(_urllib(reference, base) == url for reference, base, url in cases),
        )
        for kind, cases in URLS.items()
    ]


def _ours(reference: str, base: str) -> str | None:
    return join(base, reference) if base else normalise(reference)


def _urllib(reference: str, base: str) -> str | None:
    """As crawlers without a WHATWG parser do it."""
    try:
        url = urldefrag(urljoin(base, reference))[0]
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            return None
        _ = parts.port
        return quote(url, safe="%/:=&?~#+!$,;'@()*[]")
    except (ValueError, UnicodeError):
        return None


# --- HTML -----------------------------------------------------------------------------------------


def html() -> list[Score]:
    scores = []
    for kind, pages in ENCODINGS.items():
        good = sum(_page(body, typed).text.strip() == text for body, typed, text in pages)
        scores.append(Score(f"encoding {kind}", len(pages), good))
    for kind, cases in HTML.items():
        same = sum(_read_by_us(markup) == _read_by_lexbor(markup) for markup in cases)
        scores.append(Score(kind, len(cases), same))
    return scores


def _page(body: bytes, content_type: str) -> Page:
    return parse(Response("http://example.com/", 200, body, content_type=content_type))


Reading = tuple[str, list[str], str]  # title, links, letters of the text


def _read_by_us(markup: str) -> Reading:
    page = _page(markup.encode(), "text/html; charset=utf-8")
    return page.title, sorted({link.url for link in page.links}), "".join(page.text.split())


def _read_by_lexbor(markup: str) -> Reading:
    """Without scripts and the content of forms, which are not text of a page."""
    tree = LexborHTMLParser(markup)
    title, root = tree.css_first("title"), tree.css_first("base[href]")
    name = " ".join(title.text().split()) if title else ""
    base = join("http://example.com/", root.attributes["href"] or "") if root else None
    links = {
        join(base or "http://example.com/", node.attributes["href"] or "")
        for node in tree.css("a[href], area[href]")
    }
    for node in tree.css("head, script, style, title, textarea, select"):
        node.decompose()
    text = tree.body.text(separator=" ") if tree.body else ""
    return name, sorted(url for url in links if url), "".join(text.split())


# --- WARC -----------------------------------------------------------------------------------------


def warc() -> list[Score]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        answers = [_answer(number) for number in range(20)]
        with ArchiveWriter(folder, "main", max_bytes=10**9, info={"software": "t"}) as writer:
            for answer in answers:
                writer.write(answer, {"outcome": "fetched"})
        file = next(folder.glob("*.warc.gz"))
        bodies = [answer.payload for answer in answers]
        by_warcio, by_fastwarc = list(_bodies_by_warcio(file)), list(_bodies_by_fastwarc(file))
        scores = [
            Score("our responses as warcio reads them", 20, _same(bodies, by_warcio)),
            Score("our responses as fastwarc reads them", 20,
                  _same(bodies, by_fastwarc)),
        ]  # fmt: skip
        for kind, write in WRITERS.items():
            file = folder / f"{len(scores)}.warc{'.gz' if 'gzip' in kind else ''}"
            file.write_bytes(write())
            theirs, ours = list(_bodies_by_warcio(file)), _bodies_by_us(file)
            scores.append(Score(f"read as by warcio: {kind}", len(theirs), _same(theirs, ours)))
    return scores


def _answer(number: int) -> Response:
    """Answers of all sizes: empty, text, bytes that look like a record, large."""
    body = [b"", b"<p>text</p>", b"WARC/1.0\r\n\r\n\r\n", bytes(range(256)) * 400][number % 4]
    url, head = (
        f"http://example.com/{number}",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n",
    )
    body += b"" if number < 4 else f" {number}".encode()
    return Response(
        url, 200, body, "text/html", outcome=Outcome.FETCHED, started=1.8e9 + number,
        ip="192.0.2.1", request_head=b"GET / HTTP/1.1\r\n\r\n", response_head=head, payload=body,
    )  # fmt: skip


def _same(one: list[bytes], other: list[bytes]) -> int:
    return sum(a == b for a, b in zip(one, other, strict=False)) if len(one) == len(other) else 0


def _bodies_by_warcio(file: Path) -> Iterator[bytes]:
    with file.open("rb") as stream:
        for record in WarcioIterator(stream):
            if record.rec_type == "response":
                yield record.content_stream().read()


def _bodies_by_fastwarc(file: Path) -> Iterator[bytes]:
    with file.open("rb") as stream:
        for record in FastwarcIterator(stream, parse_http=False):
            if record.headers.get("WARC-Type") == "response":
                record.freeze()
                record.parse_http()
                yield record.reader.read()


def _bodies_by_us(file: Path) -> list[bytes]:
    async def read() -> list[bytes]:
        web = ReplayFetcher(file)
        found = [await web.fetch(Request(_answer(number).url)) for number in range(8)]
        await web.close()
        return [one.body for one in found]

    return asyncio.run(read())


def _written(packed: bool, version: str) -> bytes:
    stream = BytesIO()
    writer = WARCWriter(stream, gzip=packed, warc_version=version)
    for number in range(8):
        answer = _answer(number)
        headers = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
        for url, kind in (
            (answer.url, "response"),
            (answer.url, "metadata"),
            ("urn:a", "resource"),
        ):
            http = headers if kind == "response" else None
            payload = BytesIO(answer.payload if http else b"other")
            writer.write_record(
                writer.create_warc_record(url, kind, payload=payload, http_headers=http)
            )
    return stream.getvalue()


WRITERS: dict[str, Callable[[], bytes]] = {
    "gzip, WARC/1.0": lambda: _written(True, "WARC/1.0"),
    "gzip, WARC/1.1": lambda: _written(True, "WARC/1.1"),
    "plain, WARC/1.1": lambda: _written(False, "WARC/1.1"),
}

# --- the page -------------------------------------------------------------------------------------

AREAS: dict[str, tuple[Callable[[], list[Score]], str]] = {
    "robots": (robots, "protego"),
    "urls": (urls, "urllib"),
    "html": (html, ""),
    "warc": (warc, ""),
}


def table(scores: list[Score], rival: str) -> str:
    """A table in Markdown."""
    head = ["cases", "number", "Toponaut", *([rival] if rival else [])]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for score in scores:
        cells = [score.kind, str(score.cases), str(score.ours)]
        cells += [str(score.other)] if rival else []
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    for area, (measure, rival) in AREAS.items():
        text = table(measure(), rival)
        fill(PAGE, f"conformance {area}", text)
        print(f"{area}\n{text}\n")
