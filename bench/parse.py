"""Parsing, compared with a plain selectolax link loop, on 25 KB pages with 60 links.

    python -m bench.parse

Both run in one process on one core, in CPU time, best of several rounds. The ratio counts: at most
2.5 (1.0 ms where the plain loop takes 0.4 ms).
"""

import random
import time
from collections.abc import Callable, Sequence
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from toponaut.page.parse import parse
from toponaut.records import Response

PAGES = 20
LINKS = 60
ROUNDS = 15
LIMIT = 2.5
URL = "https://www.example-times.com/local/news/index.html"

_WORDS = tuple(
    """
    the of and to in a is that for it was on with as by at from this have an they which one you
    were all her there been their has when who will more if no out do so can what up said about
    other into than its time only could new them man some these then two first may any like now my
    such make over our even most me state after also made many did must before back see through way
    where get much go well your know should down work year because come people just say each those
    take day good how long little very see own great Springfield Glendale Portland Main Street
    Avenue restaurant council opening Saturday residents downtown
    """.split()
)


def page(seed: int) -> bytes:
    """A local news page: script and style, navigation, teasers, a footer with an address."""
    rng = random.Random(seed)

    def words(count: int) -> str:
        return " ".join(rng.choices(_WORDS, k=count))

    def slug() -> str:
        return "-".join(rng.choices(_WORDS, k=3)).lower()

    menu = "".join(
        f'      <li class="menu-item n{number}"><a class="menu-link" '
        f'href="/{slug()}/">{words(2)}</a></li>\n'
        for number in range(15)
    )
    teasers = "".join(
        f'    <article class="teaser teaser-wide">\n      <h3 class="teaser-title">'
        f'<a href="/local/{slug()}-{rng.randrange(10**6)}.html" '
        f'title="{words(4)}">{words(7)}</a></h3>\n'
        f'      <p class="teaser-text">{words(62)} &amp; {words(8)}.</p>\n'
        f'      <span class="byline">By <b>{words(2)}</b> | {words(3)}</span>\n    </article>\n'
        for _ in range(30)
    )
    queries = ["?id=7", "", ""] * (LINKS // 12)
    footer = "".join(
        f'      <li><a rel="nofollow" '
        f'href="https://{slug()}.example.org/{slug()}{query}">{words(3)}</a></li>\n'
        for query in queries
    )
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{words(8)}</title>
<meta name="description" content="{words(20)}"><meta name="viewport" content="width=device-width">
<link rel="canonical" href="{URL}"><link rel="stylesheet" href="/static/main.css">
<style>.menu-link{{color:#333;text-decoration:none}}.teaser{{margin:0 0 1em}}</style>
<script>window.queue=window.queue||[];function note(){{queue.push(arguments)}}
if(1<2)note('js',new Date())</script>
</head><body class="home">
  <header class="site-header"><nav><ul class="menu">
{menu}  </ul></nav></header>
  <main id="content"><h1>{words(6)}</h1>
{teasers}  </main>
  <footer class="site-footer"><ul class="links">
{footer}  </ul><address>123 Main Street<br>Springfield, IL 62701</address>
  </footer></body></html>""".encode()


def plain(body: bytes) -> list[tuple[str | None, str]]:
    """The plain loop: URL and text of every link."""
    return [(node.attributes["href"], node.text()) for node in LexborHTMLParser(body).css("a")]


def milliseconds(work: Callable[[Any], object], pages: Sequence[object]) -> float:
    """CPU time per page."""
    start = time.process_time()
    for body in pages:
        work(body)
    return (time.process_time() - start) / len(pages) * 1000


def main() -> None:
    """Prints both times and their ratio."""
    pages = [page(seed) for seed in range(PAGES)]

    def ours(body: bytes) -> object:
        return parse(Response(URL, 200, body, "text/html"))

    # Alternating, so that both see the same disturbances.
    rounds = [(milliseconds(plain, pages), milliseconds(ours, pages)) for _ in range(ROUNDS)]
    plainly, fully = (min(times) for times in zip(*rounds, strict=True))
    parsed = [parse(Response(URL, 200, body, "text/html")) for body in pages]
    size = sum(map(len, pages)) / PAGES / 1000
    text = sum(len(one.text) for one in parsed) / PAGES / 1000
    links = sum(len(one.links) for one in parsed) / PAGES
    print(f"parse: {PAGES} pages of {size:.1f} KB, {text:.1f} KB of text, {links:.0f} links")
    print(f"  plain selectolax link loop {plainly:6.3f} ms a page")
    print(f"  toponaut.page.parse             {fully:6.3f} ms a page")
    print(f"  ratio                      {fully / plainly:6.2f}    (at most {LIMIT})")


if __name__ == "__main__":
    main()
