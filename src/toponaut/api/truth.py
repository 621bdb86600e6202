"""The truth of a synthetic web, for the measures: its relevant pages, and its links."""

from random import Random
from urllib.parse import urljoin

from toponaut.crawl.webs import open_web
from toponaut.job import Job
from toponaut.job.targets import job_targets
from toponaut.measures.truth import WebTruth
from toponaut.places.containment import rows_inside
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.synthetic.truth import page_truth
from toponaut.urls import normalise


def truth_of(number: int, job: Job) -> WebTruth:
    """The truth of a web: a page is relevant if it was made from an address in a target."""
    web, gazetteer = open_web(number), open_gazetteer()
    inside = rows_inside(
        gazetteer, [gazetteer.row(place.id) for place in job_targets(gazetteer, job)]
    )

    def wanted(place: int) -> bool:
        return bool(place) and bool(inside[gazetteer.row(place)])

    def relevant(url: str) -> bool:
        known = page_truth(web, url)
        if job.targets.relevant == "scope":
            return wanted(known.about)
        found = [wanted(address.place) for address in known.addresses if address.place]
        return any(found) and sum(found) >= job.targets.least_share * len(found)

    def links(url: str) -> list[str]:
        plan = web.find(url)
        if plan is None:
            return []
        parts = web.linker.links(plan, Random(plan.key))
        found = (link.href for part in parts for link in part)
        return [to for href in found if (to := normalise(urljoin(url, href)))]

    return WebTruth(relevant, links)
