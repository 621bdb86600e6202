"""A page's text as Markdown: headings, links and table cells, as the parser found them."""

import re
from collections.abc import Iterator

from toponaut.records import Link, Mark, Page

_HEADING = re.compile(r"h[1-6]")
_SPECIAL = re.compile(r"[\\`*_\[\]]")
_TOO_MANY_LINES = re.compile(r"\n{3,}")


def to_markdown(page: Page) -> str:
    """The text with "#" before headings, and links as [text](URL)."""
    title = f"# {_line(page.title)}\n\n" if page.title else ""
    headings = {mark.start: int(mark.tag[1]) for mark in page.marks if _HEADING.match(mark.tag)}
    body = "".join(_pieces(page, headings))
    return title + _TOO_MANY_LINES.sub("\n\n", body.replace("\t", " | ")).strip() + "\n"


def _pieces(page: Page, headings: dict[int, int]) -> Iterator[str]:
    text, at = page.text, 0
    for start, end, link in _spans(page):
        if start < at:
            continue  # inside the one before
        yield _SPECIAL.sub(r"\\\g<0>", text[at:start])
        if start in headings:
            yield f"\n{'#' * headings[start]} "
        if link:
            yield f"[{_line(text[start:end])}]({link})"
            at = end
        else:
            at = start
    yield _SPECIAL.sub(r"\\\g<0>", text[at:])


def _spans(page: Page) -> list[tuple[int, int, str]]:
    """Where links and headings begin; a link that begins a heading comes with it."""
    links = [(one.start, one.end, one.url) for one in page.links if _has_text(one)]
    linked = {start for start, _, _ in links}
    headings = [
        (one.start, one.end, "")
        for one in page.marks
        if _is_heading(one) and one.start not in linked
    ]
    return sorted(links + headings)


def _has_text(link: Link) -> bool:
    return 0 <= link.start < link.end


def _is_heading(mark: Mark) -> bool:
    return bool(_HEADING.match(mark.tag))


def _line(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))
