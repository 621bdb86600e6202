"""The HTML of a page of the static web: head, menu, an article with links in it, teasers, footer;
three styles.
"""

import html
import json
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from bench.crawl.prose import Writer

# Characters of text without headings and anchors: with them 14 KB on the mean, and pages of 10 to
# 40 KB.
_SHORTEST, _LONGEST = 2_000, 21_000
_PLACES, _LOCAL_PLACES = (5, 13), (15, 31)  # names of places on a page
_INLINE = 12  # of the links to other hosts are in the article, the rest in lists

_CSS = (
    "body{{margin:0;font:16px/1.6 Georgia,serif;color:#{0:06x}}}.site-header{{padding:1rem "
    "{1}px;background:#{2:06x}}}"
    ".menu li{{display:inline-block;margin-right:{1}px}}.teaser{{border-top:1px solid "
    "#ddd;padding:.{3}rem 0}}"
    ".teaser h3{{font-size:1.1{3}rem;margin:0}}.footer{{font-size:.8rem;color:#{0:06x};clear:both}}"
    "@media(max-width:{4}px){{.menu li{{display:block}}.sidebar{{float:none;width:auto}}}}"
)
_SCRIPT = (
    "window.dataLayer=window.dataLayer||[];function "
    "gtag(){{dataLayer.push(arguments)}}gtag('js',new Date());"
    "gtag('config','G-{0:X}');(function(d,s){{var "
    "e=d.createElement(s);e.async=1;e.src='/static/js/app.{0:x}.js';"
    "var f=d.getElementsByTagName(s)[0];f.parentNode.insertBefore(e,f)}})(document,'script');"
    "document.addEventListener('DOMContentLoaded',function(){{if({1}<2){{return}}"
    "document.querySelectorAll('.menu a').forEach(function(a){{a.dataset.seen='{2}'}})}});"
)


class Link(NamedTuple):
    href: str
    anchor: str


@dataclass(frozen=True)
class Subject:
    """What a page is to be."""

    url: str
    title: str
    local: bool
    encoding: str
    style: int  # 0, 1 or 2: how its host writes HTML
    address: tuple[str, str] | None
    json_ld: bool


def page_html(writer: Writer, subject: Subject, inside: list[Link], outside: list[Link]) -> str:
    chance = writer.chance
    length = chance.randrange(_SHORTEST, _LONGEST)
    places = chance.randrange(*(_LOCAL_PLACES if subject.local else _PLACES))
    sentences = [
        html.escape(one, quote=False) for one in writer.sentences(length, places, subject.local)
    ]
    teasers, article = sentences[: len(sentences) // 3], sentences[len(sentences) // 3 :]
    menu, more = inside[:8], inside[8:]
    body = (
        '<header class="site-header"><a class="logo" href="/"><img src="/static/logo.svg" '
        f'alt="{_text(writer.home.name)}"'
        ' width="120" height="40"></a>\n<nav class="menu" '
        f'aria-label="Main"><ul>\n{_menu(menu[1:])}</ul></nav></header>\n'
        f'<main id="content">\n<h1>{_text(subject.title)}</h1>\n<p class="byline">By '
        f"<b>{writer.person()}</b>, "
        f'<time datetime="2024-05-{chance.randrange(10, 29)}">{writer.figure()}</time></p>\n'
        f"{_article(writer, article, outside[:_INLINE])}</main>\n"
        "<aside "
        'class="sidebar">\n'
        f"{_teasers(teasers, more[:-4] + outside[_INLINE:], subject.style)}</aside>\n"
        f'<footer class="footer">{_address(subject)}<ul>\n{_menu(more[-4:])}</ul>\n'
        f"<p>&copy; 2024 {_text(writer.home.name)} {writer.subject[0].title()}. All rights "
        "reserved.</p></footer>\n"
    )
    head = _head(chance, subject, teasers)
    return f"<!DOCTYPE html>\n<html lang=en>\n{head}<body>\n{body}</body>\n</html>\n"


def _text(text: str) -> str:
    return html.escape(text)


def _head(chance: Random, subject: Subject, teasers: list[str]) -> str:
    title, summary = _text(subject.title), " ".join(teasers[:2])[:160].replace('"', "")
    numbers = [chance.randrange(1 << 24) for _ in range(5)]
    css = _CSS.format(
        numbers[0], numbers[1] % 40, numbers[2], numbers[3] % 9, 600 + numbers[4] % 200
    )
    return (
        f'<head>\n<meta charset="{subject.encoding}">\n<title>{title}</title>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="description" content="{summary}">\n<meta property="og:title" '
        f'content="{title}">\n'
        f'<meta property="og:description" content="{summary}">\n<meta property="og:type" '
        'content="article">\n'
        f'<link rel="canonical" href="{subject.url}">\n<link rel="stylesheet" '
        f'href="/static/css/main.{numbers[0]:x}.css">\n'
        f"<style>{css}</style>\n<script>{_SCRIPT.format(*numbers)}</script>\n{_json_ld(subject)}</head>\n"
    )


def _json_ld(subject: Subject) -> str:
    if not subject.json_ld:
        return ""
    data: dict[str, object] = {
        "@context": "https://schema.org",
        "@type": "Article",
        "headline": subject.title,
        "url": subject.url,
    }
    if subject.address:
        street, (town, _, rest) = subject.address[0], subject.address[1].partition(", ")
        data["@type"], data["name"] = "LocalBusiness", data.pop("headline")
        data["address"] = {
            "@type": "PostalAddress",
            "streetAddress": street,
            "addressLocality": town,
            "addressRegion": rest[:2],
            "postalCode": rest[3:],
        }
    return f'<script type="application/ld+json">{json.dumps(data)}</script>\n'


def _menu(links: list[Link]) -> str:
    return "".join(
        f'<li class="menu-item"><a href="{link.href}">{_text(link.anchor)}</a></li>\n'
        for link in links
    )


def _article(writer: Writer, sentences: list[str], links: list[Link]) -> str:
    """Paragraphs of four sentences, a heading before every third, the links spread over them."""
    chance = writer.chance
    paragraphs = [sentences[start : start + 4] for start in range(0, len(sentences), 4)]
    for link in links:
        paragraph = chance.choice(paragraphs)
        paragraph.insert(
            chance.randrange(len(paragraph) + 1),
            f'See <a href="{link.href}">{_text(link.anchor)}</a>.',
        )
    blocks = []
    for number, paragraph in enumerate(paragraphs):
        if number % 3 == 2:
            blocks.append(f"<h2>{_text(writer.heading(4))}</h2>\n")
        blocks.append(f"<p>{' '.join(paragraph)}</p>\n")
    return "".join(blocks)


def _teasers(sentences: list[str], links: list[Link], style: int) -> str:
    """Links with a little text each."""
    blocks = []
    for number, link in enumerate(links):
        anchor, text = _text(link.anchor), sentences[number] if number < len(sentences) else ""
        if style == 0:
            blocks.append(
                '<article class="teaser teaser-wide"><h3 class="teaser-title"><a '
                f'href="{link.href}" title="{anchor}">{anchor}</a>'
                f'</h3>\n<p class="teaser-text">{text}</p></article>\n'
            )
        elif style == 1:
            blocks.append(
                '<div class="card"><div class="card-body"><a class="card-link" '
                f'href="{link.href}">{anchor}</a>\n'
                f'<span class="card-text">{text}</span></div></div>\n'
            )
        else:
            blocks.append(f'<tr><td><a href="{link.href}">{anchor}</a></td><td>{text}</td></tr>\n')
    spare = f"<p>{' '.join(sentences[len(links) :])}</p>\n"
    return (f"<table>\n{''.join(blocks)}</table>\n" if style == 2 else "".join(blocks)) + spare


def _address(subject: Subject) -> str:
    if not subject.address:
        return ""
    street, town = map(_text, subject.address)
    if subject.style == 0:
        return f"<address>{street}<br>{town}</address>"
    if subject.style == 1:
        return f'<div class="contact"><p>{street}</p><p>{town}</p></div>'
    return f"<p>Visit us: {street}, {town}</p>"
