"""Steps 3 to 5 of a visit: the judged page in a response, rendered by a browser if it needs one,
and the requisites with which an archive can show it.
"""

from itertools import compress, islice

from msgspec.structs import replace

from toponaut.crawl.parts import CrawlParts
from toponaut.frontier import Frontier
from toponaut.job import StorageSection
from toponaut.page.parse.requisites import requisites_of
from toponaut.records import Response
from toponaut.render.renderer import RenderedPage
from toponaut.urls import host_of, registered_domain

_NESTED_CSS = 3  # style sheets that import each other


async def read_page(parts: CrawlParts, node: str, response: Response) -> RenderedPage:
    """Read and judge a page. Raises UnreadablePageError."""
    page = RenderedPage(response, await parts.readers.read(response))
    if parts.renderer and parts.renderer.wants(page):
        page = await parts.renderer.render(node, page, parts.readers)
    if parts.registrants:
        domain = registered_domain(host_of(response.url))
        place = await parts.registrants.place_of(domain)
        page = replace(page, judged=replace(page.judged, registrant=place))
    return page


def new_requisites(
    storage: StorageSection, frontier: Frontier, response: Response, depth: int
) -> list[str]:
    """The requisites of a page or style sheet that were not met before, as many as wanted."""
    if not storage.requisites or depth > _NESTED_CSS:
        return []
    urls = requisites_of(response)
    return list(islice(compress(urls, frontier.new(urls)), storage.requisites_per_page))
