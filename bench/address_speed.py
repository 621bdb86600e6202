"""CPU time per page for names and addresses, compared with pyap: the best of several rounds.

Three kinds of pages of the same size: prose with one place name per forty words and no address; the
news pages of bench/parse.py, with one address in the footer; the same with five more addresses.
"""

from rich.console import Console
from rich.table import Table

from bench.judge import Found, fragments
from bench.names import prose, scan
from bench.parse import URL, milliseconds
from bench.parse import page as news_page
from bench.rivals import by_pyap
from toponaut.page.parse import parse, parse_text
from toponaut.places.addresses.finder import AddressFinder
from toponaut.places.gazetteer.cache import open_names
from toponaut.records import Page, Response

PAGES = 10
PLANTED = 5  # addresses per page, besides the one in its footer
ROUNDS = 5
LIMIT_MS = 1.5  # for names and addresses of a page of 25 KB


def planted_pages() -> list[bytes]:
    """The news pages of bench/parse.py with addresses between the teasers."""
    gold = [one for fragment in fragments("us") if not fragment.held_out for one in fragment.gold]
    whole = [one for one in gold if one.number and one.city and one.postcode]
    return [_plant(news_page(seed), whole[seed * PLANTED :][:PLANTED]) for seed in range(PAGES)]


def _plant(body: bytes, addresses: list[Found]) -> bytes:
    pieces = body.split(b"</article>")
    for k, one in enumerate(addresses):
        html = f"<p>{one.number} {one.street}<br>{one.city}, {one.state} {one.postcode}</p>"
        pieces[5 * k] += html.encode()
    return b"</article>".join(pieces)


def page_kinds() -> dict[str, list[Page]]:
    return {
        "no address": [parse_text(URL, text) for text in prose(PAGES)],
        "1 address": [_parse(news_page(seed)) for seed in range(PAGES)],
        f"{PLANTED + 1} addresses": [_parse(body) for body in planted_pages()],
    }


def _parse(body: bytes) -> Page:
    return parse(Response(URL, 200, body, "text/html"))


def table(console: Console, finder: AddressFinder) -> None:
    names = open_names()
    kinds = page_kinds()
    works = {
        "names, scanned": lambda page: scan(names, page.text),
        "names, resolved": lambda page: names.find(page.text),
        "addresses": lambda page: finder.find(page),
        "pyap": lambda page: by_pyap(page.text, "US"),
    }
    rows = Table(
        "CPU ms per page", *kinds, title="Addresses: speed on pages of 25 KB (13 KB of text)"
    )
    times = {
        work: [
            min(milliseconds(act, pages) for _ in range(1 if work == "pyap" else ROUNDS))
            for pages in kinds.values()
        ]
        for work, act in works.items()
    }
    rows.add_row(
        "place names on a page", *(str(len(names.find(pages[0].text))) for pages in kinds.values())
    )
    for work, figures in times.items():
        rows.add_row(work, *(f"{figure:.2f}" for figure in figures))
    for work in ("names, scanned", "names, resolved"):
        both = [
            name + address for name, address in zip(times[work], times["addresses"], strict=True)
        ]
        rows.add_row(
            f"addresses + {work} (at most {LIMIT_MS})", *(f"{figure:.2f}" for figure in both)
        )
    rivals = zip(times["pyap"], times["addresses"], strict=True)
    rows.add_row("pyap / toponaut", *(f"{pyap / own:.0f}" for pyap, own in rivals))
    found = [sum(len(finder.find(page)) for page in pages) for pages in kinds.values()]
    by_rival = [sum(len(by_pyap(page.text, "US")) for page in pages) for pages in kinds.values()]
    rows.add_row(
        f"addresses on {PAGES} pages, toponaut / pyap", *map("{} / {}".format, found, by_rival)
    )
    console.print(rows)
