"""The classifier's training pages as Gao, Lee and Miao 2006 took them (section 3.4.4).

"We download all pages under the corresponding city-state category", 500 to 2,000 for each city, and
"2000 randomly chosen pages which are not part of any city-state category". Here a city's category
lists the front pages of its own sites, on a web that no run sees.
"""

from collections.abc import Iterator
from pathlib import Path

from toponaut.job import Job
from toponaut.job.targets import job_targets
from toponaut.page.parse import parse
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.records import Response
from toponaut.store.disk import make_directory, write_whole
from toponaut.strategy.learning.text_bayes import Lesson, dump
from toponaut.synthetic import SyntheticSettings, SyntheticWeb

NO_PLACE = 4  # times as many pages of no city as of one, as theirs: 2,000 beside 500
WEB = 400


def train_from_directory(job: Job, out: Path, pages: int) -> Path:
    """A model from the front pages of `pages` sites of each target; made once."""
    model = out / f"directory-{pages}.model"
    if not model.is_file():
        gazetteer = open_gazetteer()
        web = SyntheticWeb(gazetteer, SyntheticSettings(seed=WEB))
        lesson = Lesson(gazetteer.names.tokeniser)
        targets = [place.id for place in job_targets(gazetteer, job)]
        for place, url in _category_pages(web, targets, pages):
            if text := _text(web, url):
                lesson.add(text, place)
        make_directory(out)
        write_whole(model, dump(lesson.model()))
    return model


def _category_pages(web: SyntheticWeb, targets: list[int], pages: int) -> Iterator[tuple[int, str]]:
    for place in targets:
        if city := web.world.city_at(place):
            for k in range(min(pages, city.sites)):
                yield place, f"http://{web.sites.site(city.first_site + k).host}/"
    for k in range(NO_PLACE * pages):
        yield 0, f"http://{web.sites.site(web.world.local_sites + k).host}/"


def _text(web: SyntheticWeb, url: str) -> str:
    """Title and text of a page, "" if it cannot be fetched."""
    answer = web.page(url)
    if answer.status != 200:
        return ""
    page = parse(Response(url, 200, answer.body, dict(answer.headers)["content-type"]))
    return f"{page.title}\n\n{page.text}"
