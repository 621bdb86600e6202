"""The captured copy of a page, as it was fetched: shown in a sandbox where nothing of it can run, load or leave.

The answer says so itself, in its Content-Security-Policy, so that it holds in a tab of its own as well: no scripts, no forms, an origin
that is nobody's, nothing from any server. Only HTML and plain text are shown, each under the one type that we name; all else is
something to save, bytes as they came.

HTML leaves as UTF-8, with the characters that the crawl has read in it: no browser has to guess, and guess otherwise. Frames,
<link>s and <meta>s are taken out. The policy allows nothing that they load; but Chromium opens a connection to the server of a frame before
it refuses the frame (seen with version 156), and of <link rel=preconnect> no policy speaks. Whose page it is would know that it is
looked at; and by <meta name=referrer> it would learn where, from whoever follows its links. Each is made a <basefont>, which is empty,
may stand in a head as well, and does nothing in any browser of today.
"""

import re

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toponaut.app import asked
from toponaut.app.page_view import copy_at, last_page
from toponaut.app.sending import NotFoundError, respond
from toponaut.app.site import Site
from toponaut.archive import read_answer
from toponaut.archive.http_answers import NoHttpError, parse_head, value_of, without_chunks
from toponaut.errors import InputError
from toponaut.page.parse.encoding import decode
from toponaut.records import Visit
from toponaut.store.mirror import present
from toponaut.urls import normalise
from toponaut.web.http.body_decoder import BodyDecoder, BodyTooLargeError, DamagedBodyError

PATH = "/archived"
_FIELDS = ("sequence", "url", "outcome", "content_type", "archive", "offset", "length")
POLICY = (
    "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'self'"
)
_MOST = (
    64 * 1024 * 1024
)  # bytes that a copy may unpack to; a crawl takes 8 MB unless told otherwise
_HTML = ("text/html", "application/xhtml+xml")
_ACTING = re.compile(r"<(?:link|meta|i?frame)(?=[\s/>])", re.IGNORECASE)
_NAME = re.compile(r"[^A-Za-z0-9._-]+")


def route(site: Site) -> Route:
    def answer(request: Request) -> Response:
        said = asked.read(request.query_params, asked.Page)
        visit = _visit(site, said.url)
        return _shown(request, visit, _body(site, visit))

    return Route(PATH, answer, methods=["GET"])


def _visit(site: Site, url: str) -> Visit:
    normal = normalise(url)
    visit = last_page(site.directory.logs.find(normal, _FIELDS)) if normal else None
    if visit is None:
        raise NotFoundError("this crawl has no such page", "Give the URL of a hit, as it is shown")
    if not visit.archive:
        cause = f"{visit.url} was not archived"
        raise NotFoundError(
            cause, "Its text is in the log; crawl with storage.warc = true to keep copies"
        )
    return visit


def _body(site: Site, visit: Visit) -> bytes:
    try:
        stored = read_answer(copy_at(site, visit), visit.offset, visit.length, present)
        _, headers = parse_head(stored.response_head)
        if stored.kind == "revisit" and not stored.payload:
            cause = f"{visit.url} was unchanged since an earlier crawl, whose archive has the copy"
            raise NotFoundError(cause, "Serve that crawl")
        unpacker = BodyDecoder(value_of(headers, "content-encoding"), _MOST)
        unpacker.feed(without_chunks(stored.payload, headers))
        return unpacker.finish()
    except (NoHttpError, DamagedBodyError, BodyTooLargeError) as error:
        raise NotFoundError(
            f"the copy of {visit.url} cannot be unpacked ({error})", "Its text is in the log"
        ) from error
    except InputError as error:
        raise NotFoundError(error.cause, error.cure) from error


def _shown(request: Request, visit: Visit, body: bytes) -> Response:
    declared = visit.content_type.partition(";")[0].strip().lower()
    headers = {"Content-Security-Policy": POLICY}
    if declared in _HTML:
        text = _ACTING.sub("<basefont", decode(body, visit.content_type, markup=True)[0])
        return respond(request, text.encode(), "text/html; charset=utf-8", headers)
    if declared == "text/plain":
        text = decode(body, visit.content_type, markup=False)[0]
        return respond(request, text.encode(), "text/plain; charset=utf-8", headers)
    name = _NAME.sub("-", visit.url.rpartition("/")[2])[:80].strip("-.") or "copy"
    headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return respond(request, body, "application/octet-stream", headers)
