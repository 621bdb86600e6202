"""Writes a page: from its plan, its links and its sentences to HTML."""

from collections.abc import Iterator, Sequence
from random import Random

from toponaut.synthetic.links import Anchor, PageLinks
from toponaut.synthetic.paths import CONTACT
from toponaut.synthetic.plan import Plan
from toponaut.synthetic.postal import SHAPES, Postal, in_html
from toponaut.synthetic.prose import Phrases
from toponaut.synthetic.themes import SLOPPY, THEMES, Theme

_FILLERS = 8  # times that a theme's styles and scripts may stand in the head
_VISIBLE = (0, 1, 2, 3, 4, 8, 9, 10, 11)  # shapes that show an address without data for machines
_ADDRESS_TITLE = {"en": "Address", "de": "Anschrift", "pt": "Morada"}


def page_html(
    plan: Plan,
    links: PageLinks,
    sentences: Sequence[str],
    phrases: Phrases,
    chance: Random,
    *,
    charset: str,
    sloppy: bool,
    at_foot: bool,
) -> str:
    """A whole page. `charset` is declared in the head unless it is ""; `at_foot`: its site's address stands in the footer."""
    theme = SLOPPY if sloppy else THEMES[(plan.site.style >> 20) % len(THEMES)]
    addresses = list(plan.addresses)
    foot = [addresses.pop(0)] if at_foot and addresses else []
    parts = [*_head(plan, theme, charset)]
    parts += _linked(theme.menu, links.menu, sloppy)
    parts.append(theme.main[0])
    parts.append(theme.heading % _escaped(plan.title, sloppy))
    if addresses and not plan.listed:
        parts += _addresses(plan, addresses)
    half = len(links.outside) // 2
    parts += _paragraphs(theme, sentences, links.outside[:half], chance, sloppy)
    parts += _items(
        plan, theme, links.items, addresses if plan.listed else [], phrases, chance, sloppy
    )
    parts.append(theme.main[1])
    parts += _linked(theme.side, links.inside + links.outside[half:], sloppy)
    parts.append(theme.foot[0])
    parts += [theme.link % (one.href, _escaped(one.text, sloppy)) + "\n" for one in links.foot]
    parts += [in_html(one, _VISIBLE[plan.site.style % len(_VISIBLE)], named=False) for one in foot]
    parts.append(f"&copy; {2003 + plan.site.style % 20} {_escaped(plan.site.name, sloppy)}\n")
    parts += [theme.foot[1], theme.closing]
    return "".join(parts)


def _head(plan: Plan, theme: Theme, charset: str) -> Iterator[str]:
    style = plan.site.style
    opening = theme.opening
    if style & 64:
        opening = opening.replace("<html", f'<html lang="{plan.site.language}"', 1)
    yield opening
    if charset:
        yield f'<meta http-equiv="Content-Type" content="text/html; charset={charset}">\n'
    title = _escaped(plan.title, sloppy=False)
    name = _escaped(plan.site.name, sloppy=False)
    yield (
        f"<title>{name} - {title}</title>\n"
        if style & 128
        else f"<title>{title} | {name}</title>\n"
    )
    if style & 256:
        yield f'<meta name="keywords" content="{", ".join(plan.title.lower().split())}">\n'
    yield '<link rel="stylesheet" href="/style.css" type="text/css">\n'
    yield theme.filler * ((style >> 30) % _FILLERS)
    yield "</head>\n<body>\n"


def _linked(pieces: tuple[str, str, str], links: Sequence[Anchor], sloppy: bool) -> list[str]:
    before, each, after = pieces
    if sloppy:
        return [before, *(each % one for one in links), after]
    return [
        before,
        *(
            each % (one if "&" not in one.text else (one.href, one.text.replace("&", "&amp;")))
            for one in links
        ),
        after,
    ]


def _addresses(plan: Plan, addresses: Sequence[Postal]) -> Iterator[str]:
    """Each of a site's addresses is written in the site's way."""
    shape = (plan.site.style >> 40) % SHAPES
    if plan.spot.role == CONTACT:
        yield f"<h3>{_ADDRESS_TITLE[plan.site.language]}</h3>"
    for one in addresses:
        yield in_html(one, shape, named=plan.spot.role != CONTACT or shape > 4) + "\n"


def _paragraphs(
    theme: Theme, sentences: Sequence[str], links: Sequence[Anchor], chance: Random, sloppy: bool
) -> list[str]:
    """Paragraphs of a few sentences, with links among the words."""
    made = list(sentences)
    for one in links:
        at = int(len(made) * chance.random())
        made[at] += " " + theme.link % (one.href, _escaped(one.text, sloppy))
    paragraphs, at = [], 0
    while at < len(made):
        size = 2 + int(6 * chance.random())
        paragraphs.append(theme.paragraph % " ".join(made[at : at + size]))
        at += size
    return paragraphs


def _items(
    plan: Plan,
    theme: Theme,
    items: Sequence[Anchor],
    addresses: Sequence[Postal],
    phrases: Phrases,
    chance: Random,
    sloppy: bool,
) -> Iterator[str]:
    """What the page lists; where it lists others' addresses, each with its own."""
    if not items and not addresses:
        return
    by_name: dict[str, list[Postal]] = {}
    for postal in addresses:
        by_name.setdefault(postal.organisation, []).append(postal)
    shape = _VISIBLE[(plan.site.style >> 40) % len(_VISIBLE)]
    begins, _, ends = phrases
    before, each, after = theme.items
    yield before
    for one in items:
        yield each % (one.href, _escaped(one.text, sloppy))
        if by_name.get(one.text):
            yield in_html(by_name[one.text].pop(0), shape, named=False)
        draw = int(chance.random() * 4_000_000)
        note = f"{begins[draw & 2047]} {ends[draw >> 11 & 2047]}" if draw % 3 else ""
        yield theme.item_note % note + "\n"
    yield after
    for postal in (
        one for several in by_name.values() for one in several
    ):  # of those without a link
        yield in_html(postal, shape)


def _escaped(text: str, sloppy: bool) -> str:
    return text if sloppy or "&" not in text else text.replace("&", "&amp;")
