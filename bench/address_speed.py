"""What finding names and addresses costs a page, with pyap beside it: CPU time, the best of some rounds."""

from rich.console import Console
from rich.table import Table

from bench.judge import Found, fragments
from bench.parse import URL, milliseconds
from bench.parse import page as news_page
from bench.rivals import by_pyap
from toponaut.data.cache import open_names
from toponaut.parse import parse
from toponaut.places.addresses.finder import AddressFinder
from toponaut.records import Fetched, Page

PAGES = 10
PLANTED = 5  # addresses a page, besides the one in its footer
ROUNDS = 5
LIMIT_MS = 1.5  # names and addresses, a page of 25 KB


def pages() -> list[bytes]:
    """The news pages of bench/parse.py with addresses between the teasers."""
    gold = [one for fragment in fragments("us") if not fragment.held_out for one in fragment.gold]
    whole = [one for one in gold if one.number and one.city and one.postcode]
    return [_planted(news_page(seed), whole[seed * PLANTED :][:PLANTED]) for seed in range(PAGES)]


def _planted(body: bytes, addresses: list[Found]) -> bytes:
    pieces = body.split(b"</article>")
    for k, one in enumerate(addresses):
        html = f"<p>{one.number} {one.street}<br>{one.city}, {one.state} {one.postcode}</p>"
        pieces[5 * k] += html.encode()
    return b"</article>".join(pieces)


def table(console: Console, finder: AddressFinder) -> None:
    names = open_names()
    bodies = pages()
    parsed = {body: parse(Fetched(URL, 200, body, "text/html")) for body in bodies}

    def page(body: bytes) -> Page:
        return parsed[body]

    works = {
        "parse (apart)": lambda body: parse(Fetched(URL, 200, body, "text/html")),
        "names": lambda body: names.find(page(body).text),
        "addresses": lambda body: finder.find(page(body)),
        "names + addresses": lambda body: (names.find(page(body).text), finder.find(page(body))),
        "pyap": lambda body: by_pyap(page(body).text, "US"),
    }
    times = {
        name: min(milliseconds(work, bodies) for _ in range(1 if name == "pyap" else ROUNDS))
        for name, work in works.items()
    }
    found = {
        "addresses": sum(len(finder.find(one)) for one in parsed.values()),
        "pyap": sum(len(by_pyap(one.text, "US")) for one in parsed.values()),
    }
    kilobytes = sum(map(len, bodies)) / len(bodies) / 1000
    rows = Table("work", "CPU ms a page", "found", title=f"Addresses: speed on pages of {kilobytes:.0f} KB")
    for name, time in times.items():
        rows.add_row(name, f"{time:.3f}", f"{found[name]} of {PAGES * (PLANTED + 1)}" if name in found else "")
    console.print(rows)
    both, rival = times["names + addresses"], times["pyap"]
    console.print(f"{both:.2f} ms a page (at most {LIMIT_MS}); pyap takes {rival / both:.1f} times as long.")
