"""The recorded town of the demo: its archive, and what a crawl of it finds."""

from pathlib import Path

import pytest
from tests.support.crawling import visits
from tools.town import MOVED, answers, sites
from warcio.archiveiterator import ArchiveIterator

from toponaut.api.cities import CityData, CityOptions, city
from toponaut.records import PAGES, Outcome, Refusal

TOWN = Path(__file__).parents[2] / "examples" / "town"


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> CityData:
    folder = tmp_path_factory.mktemp("town") / "oldenburg"
    return city("Oldenburg, DE", folder, CityOptions(replay=TOWN))


def test_the_archive_is_made_of_the_texts() -> None:
    """If this fails: python -m tools.town"""
    with (TOWN / "town.warc.gz").open("rb") as stream:
        recorded = {
            record.rec_headers.get_header("WARC-Target-URI"): record.content_stream().read()
            for record in ArchiveIterator(stream)
            if record.rec_type == "response"
        }
    assert recorded == {answer.url: answer.body for answer in answers(TOWN)}
    assert len(recorded) > 220


def test_a_crawl_finds_the_town_and_not_its_neighbours(crawled: CityData) -> None:
    """All addresses of the town, and more relevant pages in the first half of the crawl.

    Not many more: of 206 pages 75 are relevant, and the crawl fetches all of them.
    """
    rows = crawled.crawl.addresses(in_targets=True)
    found = {f"{row.street} {row.number}, {row.postcode} {row.city}" for row in rows}
    own = {
        f"{site['street']}, {site['town']}" for site in sites(TOWN) if "Oldenburg" in site["town"]
    }
    assert own - found == set()
    assert not any("Bremen" in one or "Wilhelmshaven" in one for one in found)
    relevant = [visit.relevant for visit in visits(crawled.crawl.directory)]
    half = len(relevant) // 2
    assert sum(relevant[:half]) > sum(relevant[half:])


def test_it_has_what_real_towns_have(crawled: CityData) -> None:
    """A moved page, a broken link, a PDF, opening hours."""
    log = visits(crawled.crawl.directory)
    outcomes = {visit.url: visit.outcome for visit in log}
    assert sum(outcome in PAGES for outcome in outcomes.values()) > 200
    assert Outcome.GONE in outcomes.values()
    assert Refusal.FILE_TYPE in {link.why for visit in log for link in visit.refused}  # the PDF
    assert all(outcomes[url] is Outcome.REDIRECT for url in MOVED)
    hours = {row.organisation: row.hours for row in crawled.crawl.addresses(in_targets=True)}
    assert hours["Backhaus Brinkmann"] == "Mo-Fr 06:00-18:30; Sa 06:00-16:00; Su 08:00-11:00"
