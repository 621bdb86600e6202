"""Writes a page as HTML, from its plan, links and sentences, in one of several themes.

Themes (themes.toml) range from the tables of 1999 to the sections of today.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib import resources
from random import Random

import msgspec
from msgspec import Struct

from toponaut.synthetic.links import PageLinks, SyntheticLink
from toponaut.synthetic.paths import Role
from toponaut.synthetic.plan import PagePlan
from toponaut.synthetic.postal import SHAPES, SyntheticAddress, in_html
from toponaut.synthetic.prose import Phrases

_FILLERS = 8  # repetitions of a theme's styles and scripts in the head, at most
_VISIBLE = (0, 1, 2, 3, 4, 8, 9, 10, 11)  # shapes of addresses without structured data
_ADDRESS_TITLE = {"en": "Address", "de": "Anschrift", "pt": "Morada"}


class PageTheme(Struct, frozen=True, dict=True):
    """Pieces of markup. Those with "%s" take a URL and a text, or a text alone."""

    opening: str  # up to the title
    heading: str
    menu: tuple[str, str, str]  # before, each link, after
    main: tuple[str, str]
    paragraph: str
    items: tuple[str, str, str]
    item_note: str  # text about a listed item
    side: tuple[str, str, str]
    foot: tuple[str, str]
    link: str
    closing: str
    styles: int  # rules in the head
    scripts: int  # functions in the head

    @cached_property
    def filler(self) -> str:
        """Styles and scripts."""
        return _styles(self.styles) + _scripts(self.scripts)


def _styles(rules: int) -> str:
    if not rules:
        return ""
    lines = (
        f".c{k} .box-{k % 7}{{margin:{k % 9}px {k % 5}px;color:#{k * 137 % 4096:03x};float:left}}"
        for k in range(rules)
    )
    return '<style type="text/css">\n' + "\n".join(lines) + "\n</style>\n"


def _scripts(functions: int) -> str:
    if not functions:
        return ""
    lines = (
        f"function f{k}(a,b){{var c=document.getElementById('n{k}');"
        f"if(c&&a<{k})c.style.display=b;}}"
        for k in range(functions)
    )
    return '<script type="text/javascript">\n//<!--\n' + "\n".join(lines) + "\n//-->\n</script>\n"


_FILE = resources.files("toponaut.synthetic").joinpath("themes.toml")
_THEMES = msgspec.toml.decode(_FILE.read_bytes(), type=dict[str, PageTheme])
SLOPPY = _THEMES["sloppy"]
THEMES = tuple(_THEMES[name] for name in "tables xhtml html5 plain xhtml html5".split())


# --- pages ------------------------------------------------------------------------------------


def page_html(
    plan: PagePlan, links: PageLinks, sentences: Sequence[str], phrases: Phrases, chance: Random,
    *, charset: str, sloppy: bool, at_foot: bool,
) -> str:  # fmt: skip
    """A page. `charset` is declared in the head unless ""; `at_foot`: address in the footer."""
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
    listed = addresses if plan.listed else []
    parts += _items(plan, theme, links.items, listed, phrases, chance, sloppy)
    parts.append(theme.main[1])
    parts += _linked(theme.side, links.inside + links.outside[half:], sloppy)
    parts.append(theme.foot[0])
    parts += [theme.link % (one.href, _escaped(one.text, sloppy)) + "\n" for one in links.foot]
    parts += [in_html(one, _VISIBLE[plan.site.style % len(_VISIBLE)], named=False) for one in foot]
    parts.append(f"&copy; {2003 + plan.site.style % 20} {_escaped(plan.site.name, sloppy)}\n")
    parts += [theme.foot[1], theme.closing]
    return "".join(parts)


def _head(plan: PagePlan, theme: PageTheme, charset: str) -> Iterator[str]:
    style = plan.site.style
    opening = theme.opening
    if style & 64:
        opening = opening.replace("<html", f'<html lang="{plan.site.language}"', 1)
    yield opening
    if charset:
        yield f'<meta http-equiv="Content-Type" content="text/html; charset={charset}">\n'
    title = _escaped(plan.title, sloppy=False)
    name = _escaped(plan.site.name, sloppy=False)
    shown = f"{name} - {title}" if style & 128 else f"{title} | {name}"
    yield f"<title>{shown}</title>\n"
    if style & 256:
        yield f'<meta name="keywords" content="{", ".join(plan.title.lower().split())}">\n'
    yield '<link rel="stylesheet" href="/style.css" type="text/css">\n'
    yield theme.filler * ((style >> 30) % _FILLERS)
    yield "</head>\n<body>\n"


def _linked(
    pieces: tuple[str, str, str], links: Sequence[SyntheticLink], sloppy: bool
) -> list[str]:
    before, each, after = pieces
    if sloppy:
        return [before, *(each % one for one in links), after]
    return [before, *(each % (one.href, one.text.replace("&", "&amp;")) for one in links), after]


def _addresses(plan: PagePlan, addresses: Sequence[SyntheticAddress]) -> Iterator[str]:
    """Addresses in the shape of the site."""
    shape = (plan.site.style >> 40) % SHAPES
    if plan.spot.role == Role.CONTACT:
        yield f"<h3>{_ADDRESS_TITLE[plan.site.language]}</h3>"
    for one in addresses:
        yield in_html(one, shape, named=plan.spot.role != Role.CONTACT or shape > 4) + "\n"


def _paragraphs(
    theme: PageTheme,
    sentences: Sequence[str],
    links: Sequence[SyntheticLink],
    chance: Random,
    sloppy: bool,
) -> list[str]:
    """Paragraphs of a few sentences with links between them."""
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
    plan: PagePlan, theme: PageTheme, items: Sequence[SyntheticLink],
    addresses: Sequence[SyntheticAddress], phrases: Phrases, chance: Random, sloppy: bool,
) -> Iterator[str]:  # fmt: skip
    """The listed items, each with its address if the page shows addresses."""
    if not items and not addresses:
        return
    by_name: dict[str, list[SyntheticAddress]] = {}
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
    for unlinked in by_name.values():
        yield from (in_html(postal, shape) for postal in unlinked)


def _escaped(text: str, sloppy: bool) -> str:
    return text if sloppy or "&" not in text else text.replace("&", "&amp;")
