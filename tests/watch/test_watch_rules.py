"""A watch continues by the robots.txt that earlier runs fetched, however they came to it."""

from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.crawling import crawl, job, visits
from tests.support.web_answers import Page, Redirect, Robots, head

from toponaut.crawl.start import start_watch
from toponaut.job import LimitsSection, PolitenessSection
from toponaut.records import Outcome

_RULES = "User-agent: *\nDisallow: /no"
SITES = {
    "www.moved.test": {
        "/robots.txt": Redirect("http://moved.test/robots.txt"),
        "/": Page("<a href='/no'>no</a> <a href='/yes'>yes</a>"),
        "/yes": Page("yes"),
        "/no": Page("no"),
    },
    "moved.test": {"/robots.txt": Redirect("http://rules.test/mine")},
    "rules.test": {"/mine": Robots(_RULES)},
    "none.test": {"/robots.txt": Redirect("http://rules.test/gone"), "/": Page("none")},
    "plain.test": {"/robots.txt": Robots(_RULES), "/": Page("<a href='/no'>no</a>")},
}


def _recorded(folder: Path) -> Path:
    folder.mkdir()
    lines = []
    for number, (url, page) in enumerate(
        (f"http://{host}{path}", page)
        for host, site in SITES.items()
        for path, page in site.items()
    ):
        headers = (("Content-Type", page.content_type), *page.headers)
        (folder / str(number)).write_bytes(head(page.status, headers) + page.content)
        lines.append(f"{url}\t{number}\tmessage/http\n")
    (folder / "manifest.tsv").write_text("".join(lines))
    return folder


@pytest.mark.parametrize("per_domain", [1, 8])
def test_rules_behind_redirects_are_not_fetched_again(tmp_path: Path, per_domain: int) -> None:
    """Even if the redirect stays in a domain of which one host at a time is asked."""
    web, directory = _recorded(tmp_path / "web"), tmp_path / "c"
    seeds = [f"http://{host}/" for host in ("www.moved.test", "none.test", "plain.test")]
    limits, polite = LimitsSection(pages=0), PolitenessSection(per_domain=per_domain)
    wanted = replace(job(seeds, limits=limits), politeness=polite)
    crawl(directory, wanted, replay=web)
    crawled = [visit for visit in visits(directory) if visit.rules_of]
    assert Counter(visit.rules_of for visit in crawled) == {
        "http://www.moved.test": 3, "http://none.test": 2, "http://plain.test": 1,
    }  # fmt: skip
    for _ in range(2):
        start_watch(directory, requests_per_day=100, days=0.3, replay=[web])
    log = visits(directory)
    assert sum(visit.revisit for visit in log) > 5
    assert [visit for visit in log if visit.rules_of] == crawled
    refused = {visit.url for visit in log if visit.outcome is Outcome.FORBIDDEN}
    assert refused == {"http://www.moved.test/no", "http://plain.test/no"}
