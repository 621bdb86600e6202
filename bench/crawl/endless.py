"""A web without end on the loopback network: each page has links that no other page has, over 500
hosts.

    python -m bench.crawl.endless PORT LINKS

A page is made when it is asked for, from its address alone: the same each time, and nothing is
stored.
"""

import sys
from random import Random

from aiohttp import web

from bench.crawl.prose import vocabulary
from bench.crawl.site import address

HOSTS = 500
_SUBJECT = "/{words}-{number:x}.html"
_WORDS = 300  # of text on a page
_NUMBERS = 1 << 60  # this many pages: among millions no two are alike


def page(path: str, port: int, links: int) -> str:
    chance, known = Random(path), vocabulary()

    def words(count: int) -> list[str]:
        return chance.choices(known.words, cum_weights=known.weights, k=count)

    items = []
    for _ in range(links):
        number, anchor = chance.randrange(_NUMBERS), words(4)
        url = f"http://{address(number % HOSTS)}:{port}" + _SUBJECT.format(
            words="-".join(anchor), number=number
        )
        items.append(f'<li><a href="{url}">{" ".join(anchor)}</a> {" ".join(words(3))}</li>')
    text = " ".join(words(_WORDS))
    head = f"<!DOCTYPE html><title>{path}</title>"
    return f"{head}<p>{text}.</p>\n<ul>{''.join(items)}</ul>"


def main(port: int, links: int) -> None:
    async def answer(request: web.Request) -> web.Response:
        if request.path == "/robots.txt":
            return web.Response(text="User-agent: *\nDisallow: /cgi-bin/\n")
        return web.Response(
            text=page(f"{request.host}{request.path}", port, links), content_type="text/html"
        )

    app = web.Application()
    app.router.add_get("/{path:.*}", answer)
    web.run_app(app, host="0.0.0.0", port=port, print=None, access_log=None)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
