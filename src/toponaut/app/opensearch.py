"""The description by which a browser can search here from its address line (OpenSearch 1.1)."""

from xml.sax.saxutils import escape, quoteattr

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toponaut.app.sending import respond
from toponaut.app.site import Site

PATH = "/opensearch.xml"
MEDIA = "application/opensearchdescription+xml"
_SHORTEST_NAME = 16  # characters; the standard wants no longer ones


def route(site: Site) -> Route:
    async def answer(request: Request) -> Response:
        base = f"{request.url.scheme}://{request.url.netloc}"  # the Guard has looked at it
        return respond(request, description(site.name, base).encode(), MEDIA)

    return Route(PATH, answer, methods=["GET"])


def description(name: str, base: str) -> str:
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
  <ShortName>{escape(name[:_SHORTEST_NAME])}</ShortName>
  <Description>Pages by what and where: {escape(name)}, a crawl by Toponaut</Description>
  <InputEncoding>UTF-8</InputEncoding>
  <Url type="text/html" template={quoteattr(base + "/?q={searchTerms}")}/>
  <Url type="application/json" template={quoteattr(base + "/api/search?q={searchTerms}&limit={count?}&offset={startIndex?}")} indexOffset="0"/>
  <Url type="application/geo+json" template={quoteattr(base + "/api/search.geojson?q={searchTerms}&limit={count?}&offset={startIndex?}")} indexOffset="0"/>
</OpenSearchDescription>
"""
