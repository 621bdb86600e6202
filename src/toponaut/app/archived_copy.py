"""The captured copy of a page, in a sandbox where it can run, load and send nothing.

The response says so itself in its Content-Security-Policy, so that it also holds in a separate tab:
no scripts, no forms, an opaque origin, nothing from any server. Only HTML and plain text are shown;
everything else is a download.

HTML is sent as UTF-8, decoded as the crawl decoded it, so that browsers need not guess. Frames,
<link> and <meta> elements are disabled. The policy already forbids what they load, but Chromium
(version 156) connects to a frame's server before it refuses the frame, no policy covers <link
rel=preconnect>, and <meta name=referrer> could reveal this server to sites whose links are
followed. Each becomes a <basefont>, an empty element that is allowed in a head and has no effect in
current browsers.
"""

import re

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toponaut.app.page_view import copy_path, last_page
from toponaut.app.parameters import PageParameters, read_parameters
from toponaut.app.responses import NotFoundError, respond
from toponaut.app.served_crawl import ServedCrawl
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
    "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
)
_MAX_BYTES = 64 * 1024 * 1024  # decompressed; a crawl fetches 8 MB by default
_HTML = ("text/html", "application/xhtml+xml")
_ACTIVE = re.compile(r"<(?:link|meta|i?frame)(?=[\s/>])", re.IGNORECASE)
_UNSAFE_NAME = re.compile(r"[^A-Za-z0-9._-]+")


def route(crawl: ServedCrawl) -> Route:
    def answer(request: Request) -> Response:
        parameters = read_parameters(request.query_params, PageParameters)
        visit = _visit(crawl, parameters.url)
        return _show(request, visit, _body(crawl, visit))

    return Route(PATH, answer, methods=["GET"])


def _visit(crawl: ServedCrawl, url: str) -> Visit:
    normal = normalise(url)
    visit = last_page(crawl.directory.logs.find(normal, _FIELDS)) if normal else None
    if visit is None:
        raise NotFoundError("this crawl has no such page", "Use the URL of a search hit")
    if not visit.archive:
        fix = "Its text is in the log; crawl with storage.warc = true to keep copies"
        raise NotFoundError(f"{visit.url} was not archived", fix)
    return visit


def _body(crawl: ServedCrawl, visit: Visit) -> bytes:
    try:
        stored = read_answer(copy_path(crawl, visit), visit.offset, visit.length, present)
        _, headers = parse_head(stored.response_head)
        if stored.kind == "revisit" and not stored.payload:
            cause = f"{visit.url} was unchanged since an earlier crawl, whose archive has the copy"
            raise NotFoundError(cause, "Serve that crawl")
        decoder = BodyDecoder(value_of(headers, "content-encoding"), _MAX_BYTES)
        decoder.feed(without_chunks(stored.payload, headers))
        return decoder.finish()
    except (NoHttpError, DamagedBodyError, BodyTooLargeError) as error:
        cause = f"the copy of {visit.url} cannot be decoded ({error})"
        raise NotFoundError(cause, "Its text is in the log") from error
    except InputError as error:
        raise NotFoundError(error.cause, error.fix) from error


def _show(request: Request, visit: Visit, body: bytes) -> Response:
    declared = visit.content_type.partition(";")[0].strip().lower()
    headers = {"Content-Security-Policy": POLICY}
    if declared in _HTML:
        text = _ACTIVE.sub("<basefont", decode(body, visit.content_type, markup=True)[0])
        return respond(request, text.encode(), "text/html; charset=utf-8", headers)
    if declared == "text/plain":
        text = decode(body, visit.content_type, markup=False)[0]
        return respond(request, text.encode(), "text/plain; charset=utf-8", headers)
    name = _UNSAFE_NAME.sub("-", visit.url.rpartition("/")[2])[:80].strip("-.") or "copy"
    headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return respond(request, body, "application/octet-stream", headers)
