"""Writes a page as HTML, from its plan, links and sentences, in one of several themes.

The themes range from the tables of 1999 to the sections of today.
"""

from collections.abc import Iterator, Sequence
from random import Random

from msgspec import Struct

from toponaut.synthetic.links import PageLinks, SyntheticLink
from toponaut.synthetic.paths import Role
from toponaut.synthetic.plan import PagePlan
from toponaut.synthetic.postal import SHAPES, SyntheticAddress, in_html
from toponaut.synthetic.prose import Phrases

_FILLERS = 8  # repetitions of a theme's styles and scripts in the head, at most
_VISIBLE = (0, 1, 2, 3, 4, 8, 9, 10, 11)  # shapes of addresses without structured data
_ADDRESS_TITLE = {"en": "Address", "de": "Anschrift", "pt": "Morada"}


# --- themes -----------------------------------------------------------------------------------


class PageTheme(Struct, frozen=True):
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
    filler: str  # styles and scripts


def _styles(rules: int) -> str:
    lines = (
        f".c{k} .box-{k % 7}{{margin:{k % 9}px {k % 5}px;color:#{k * 137 % 4096:03x};float:left}}"
        for k in range(rules)
    )
    return '<style type="text/css">\n' + "\n".join(lines) + "\n</style>\n"


def _scripts(functions: int) -> str:
    lines = (
        f"function f{k}(a,b){{var c=document.getElementById('n{k}');"
        f"if(c&&a<{k})c.style.display=b;}}"
        for k in range(functions)
    )
    return '<script type="text/javascript">\n//<!--\n' + "\n".join(lines) + "\n//-->\n</script>\n"


TABLES = PageTheme(
    opening="<HTML>\n<HEAD>\n",
    heading='<FONT SIZE="+2" FACE="Arial"><H1>%s</H1></FONT>\n',
    menu=(
        '<TABLE WIDTH="760" CELLPADDING=0><TR BGCOLOR="#336699">\n',
        '<TD><A HREF="%s"><FONT COLOR=white>%s</FONT></A></TD>\n',
        "</TR></TABLE>\n",
    ),
    main=('<TABLE WIDTH=760 BORDER=0><TR><TD VALIGN="top" WIDTH=540>\n', "</TD>\n"),
    paragraph='<P><FONT SIZE=2 FACE="Verdana,Arial">%s</FONT></P>\n',
    items=("<UL>\n", '<LI><A HREF="%s">%s</A>', "</UL>\n"),
    item_note=" - <I>%s</I>",
    side=(
        '<TD VALIGN=top BGCOLOR="#eeeeee">\n<FONT SIZE=1>',
        '&raquo; <A HREF="%s">%s</A><BR>\n',
        "</FONT></TD></TR></TABLE>\n",
    ),
    foot=("<HR><CENTER><FONT SIZE=1>\n", "</FONT></CENTER>\n"),
    link='<A HREF="%s">%s</A>',
    closing="</BODY>\n</HTML>\n",
    filler=_scripts(12),
)
XHTML = PageTheme(
    opening='<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" '
    '"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">\n'
    '<html xmlns="http://www.w3.org/1999/xhtml">\n<head>\n',
    heading='<h1 class="page-title">%s</h1>\n',
    menu=(
        '<div id="nav"><ul>\n',
        '<li class="nav-item"><a href="%s">%s</a></li>\n',
        "</ul></div>\n",
    ),
    main=('<div id="wrap"><div id="content">\n', "</div>\n"),
    paragraph='<p class="body-text">%s</p>\n',
    items=('<dl class="listing">\n', '<dt><a href="%s">%s</a></dt>', "</dl>\n"),
    item_note="<dd>%s</dd>",
    side=(
        '<div id="sidebar"><h3>See also</h3><ul>\n',
        '<li class="cat-item"><a href="%s" class="side">%s</a></li>\n',
        "</ul></div></div>\n",
    ),
    foot=('<div id="footer"><p>\n', "</p></div>\n"),
    link='<a href="%s">%s</a>',
    closing="</body>\n</html>\n",
    filler=_styles(40),
)
HTML5 = PageTheme(
    opening="<!DOCTYPE html>\n<html>\n<head>\n",
    heading='<header class="entry-header"><h1 class="entry-title">%s</h1></header>\n',
    menu=(
        '<nav class="main-navigation" role="navigation"><ul>\n',
        '<li class="menu-item"><a href="%s">%s</a></li>\n',
        "</ul></nav>\n",
    ),
    main=('<main id="main" class="site-main"><article>\n', "</article></main>\n"),
    paragraph="<p>%s</p>\n",
    items=(
        '<section class="cards">\n',
        '<div class="card"><h3><a href="%s">%s</a></h3>',
        "</section>\n",
    ),
    item_note='<p class="card-text">%s</p></div>',
    side=(
        '<aside class="widget-area"><h2>Related</h2><ul>\n',
        '<li class="widget-item"><a href="%s" rel="bookmark">%s</a></li>\n',
        "</ul></aside>\n",
    ),
    foot=('<footer class="site-footer">\n', "</footer>\n"),
    link='<a href="%s">%s</a>',
    closing="</body>\n</html>\n",
    filler=_styles(60) + _scripts(20),
)
PLAIN = PageTheme(
    opening="<html><head>\n",
    heading="<h2>%s</h2>\n",
    menu=("<p>", '[<a href="%s">%s</a>] ', "</p>\n"),
    main=("<div>\n", "</div>\n"),
    paragraph="<p>%s</p>\n",
    items=("<ol>\n", '<li><a href="%s">%s</a>', "</ol>\n"),
    item_note=": %s</li>",
    side=("<hr><p>", '<a href="%s">%s</a> |\n', "</p>\n"),
    foot=("<hr><p><small>\n", "</small></p>\n"),
    link='<a href="%s">%s</a>',
    closing="</body></html>\n",
    filler="",
)
# Elements are not closed, attributes not quoted.
SLOPPY = PageTheme(
    opening="<html><head>\n",
    heading="<h1><b>%s</h1>\n",
    menu=("<table><tr>\n", "<td nowrap><a href=%s>%s</a>\n", "</table></td></div>\n"),
    main=("<div class=main><center>\n", "\n"),
    paragraph="<p>%s\n",
    items=("<ul>\n", "<li><a href=%s>%s</a>", "</ul>\n"),
    item_note="<br>%s",
    side=("<table width=100%><td>\n", "<tr><td><a href=%s>%s</a>\n", "</font></table>\n"),
    foot=("<div class=foot><p>\n", "</span>\n"),
    link="<a href=%s>%s</a>",
    closing="</body>\n",
    filler=_scripts(6),
)
THEMES = (TABLES, XHTML, HTML5, PLAIN, XHTML, HTML5)


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
