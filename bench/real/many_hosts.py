"""Many small generated hosts: most of a crawl over TLS is then handshakes."""

from pathlib import Path

PAGES = 3  # on each host
_LINKED = 4  # other hosts that a front page links to
_PARAGRAPH = (
    "<p>The library of the town is open on weekdays from nine to five, and on market days.</p>"
)
_PARAGRAPHS = 60  # a page of 5 KB


def names(count: int) -> list[str]:
    return [f"host{number}.bench.example" for number in range(count)]


def write(count: int, root: Path) -> None:
    """Writes the hosts below a web server's root. Every host can be reached from the first."""
    hosts = names(count)
    for number, host in enumerate(hosts):
        folder = root / host
        folder.mkdir(parents=True)
        own = [f"/{page}.html" for page in range(1, PAGES)]
        others = [f"https://{hosts[k]}/" for k in _linked(number, count)]
        (folder / "index.html").write_text(_page(f"Host {number}", own + others))
        for page in range(1, PAGES):
            (folder / f"{page}.html").write_text(_page(f"Page {page} of {number}", ["/", *own]))


def _linked(number: int, count: int) -> list[int]:
    """A tree: its depth is logarithmic, so that many hosts are crawled at once."""
    first = number * _LINKED + 1
    return list(range(first, min(first + _LINKED, count)))


def _page(title: str, links: list[str]) -> str:
    anchors = "".join(f'<li><a href="{link}">{link}</a></li>' for link in links)
    return f"<title>{title}</title><h1>{title}</h1><ul>{anchors}</ul>" + _PARAGRAPH * _PARAGRAPHS
