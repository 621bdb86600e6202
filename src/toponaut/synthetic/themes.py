"""What pages look like: a handful of manners of writing HTML, from the tables of 1999 to the sections of today."""

from msgspec import Struct


class Theme(Struct, frozen=True):
    """Pieces of markup. Those with "%s" take a URL and a text, or a text alone."""

    opening: str  # up to the title
    heading: str
    menu: tuple[str, str, str]  # before, each link, after
    main: tuple[str, str]
    paragraph: str
    items: tuple[str, str, str]
    item_note: str  # what is said of a listed thing
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
        f"function f{k}(a,b){{var c=document.getElementById('n{k}');if(c&&a<{k})c.style.display=b;}}"
        for k in range(functions)
    )
    return '<script type="text/javascript">\n//<!--\n' + "\n".join(lines) + "\n//-->\n</script>\n"


TABLES = Theme(
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
XHTML = Theme(
    opening='<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">\n'
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
HTML5 = Theme(
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
PLAIN = Theme(
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
# Nothing that is opened is closed, and no attribute quoted.
SLOPPY = Theme(
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
