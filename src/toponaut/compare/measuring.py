"""Measure a crawl directory, also while the crawl runs. The log's columns are streamed twice."""

from pathlib import Path

from msgspec import Struct

from toponaut.crawl.directory import Directory
from toponaut.crawl.strategies import setting_of
from toponaut.errors import InputError
from toponaut.job import Job
from toponaut.measures.columns import CrawlColumns, TargetTable
from toponaut.measures.completeness import Estimate, between, found_by
from toponaut.measures.gathering import NO_EVIDENCE, SECOND, LinkPass, PageEvidence, PagePass
from toponaut.measures.measure import Measures, MeasureSetup, measure
from toponaut.measures.truth import AgainstTruth, WebTruth, against_truth, oracle_harvest
from toponaut.measures.world_map import Ground
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.places.names.link_names import LinkNames
from toponaut.strategy.collaboration.by_classifier import classify_places
from toponaut.strategy.ordering.interest import interests_of
from toponaut.strategy.setting import Setting


class MeasureOptions(Struct, frozen=True):
    """The parameters of the measures."""

    k: int = 2
    m: float = 10.0
    download_cost: float = 1.0
    message_cost: float = 0.01
    against: Path | None = None  # another crawl of the same targets, to estimate completeness
    truth: WebTruth | None = None  # of the crawled web, if known


DEFAULTS = MeasureOptions()


def measure_directory(root: Path, options: MeasureOptions = DEFAULTS) -> Measures:
    """All measures of a crawl."""
    directory = Directory(root)
    job = directory.read_job()
    setting = setting_of(job)
    targets = TargetTable(setting.names.gazetteer, setting.owners)
    crawl, linking = gather(directory, targets, _evidence(setting, options.truth))
    setup = MeasureSetup(
        collaboration=job.collaboration.strategy,
        policy=job.collaboration.policy,
        ordering=job.ordering.strategy,
        targets=targets.wanted,
        seeds=len(job.seeds),
        k=options.k,
        m=options.m,
        download_cost=options.download_cost,
        message_cost=options.message_cost,
    )
    others = _estimates(root, crawl, job, targets, options.against) if options.against else ()
    truth = _against_truth(crawl, job, options.truth) if options.truth else None
    return measure(crawl, linking.graph(), linking.owned(), setup, others, truth)


def _evidence(setting: Setting, truth: WebTruth | None) -> PageEvidence:
    """What is known of pages besides the log."""
    names = LinkNames(setting.names, setting.owners.target_of)
    who = setting.job.collaboration
    return PageEvidence(
        truth=truth.relevant if truth else None,
        named=lambda urls: [[name.place for name in named] for named in names.in_urls(urls)],
        interests=interests_of(setting.job, setting.names.gazetteer.names.tokeniser),
        classify=classify_places(setting) if who.strategy == "classifier" else None,
    )


def _estimates(
    root: Path, crawl: CrawlColumns, job: Job, targets: TargetTable, against: Path
) -> tuple[Estimate, ...]:
    other = Directory(against)
    if other.read_job().targets != job.targets:
        raise InputError(
            f"{against} has other targets than {root}", "Name a crawl with the same targets"
        )
    found, _ = gather(other, targets, links=False)
    return between(found_by(root.name, crawl), found_by(against.name, found))


def _against_truth(crawl: CrawlColumns, job: Job, truth: WebTruth) -> AgainstTruth:
    pages = crawl.pages
    assert pages.true is not None
    oracle = oracle_harvest(truth, job.seeds, len(pages.true))
    return against_truth(pages.relevant, pages.vertex, pages.true, oracle)


def gather(
    directory: Directory,
    targets: TargetTable,
    evidence: PageEvidence = NO_EVIDENCE,
    links: bool = True,
) -> tuple[CrawlColumns, LinkPass]:
    """The data for the measures. Without `links`, the second part is empty."""
    gathering = PagePass(targets, evidence)
    for table in directory.logs.tables(evidence.fields):
        gathering.add(table)
    crawl, linking = gathering.crawl()
    for table in directory.logs.tables(SECOND) if links else ():
        linking.add(table)
    return crawl, linking


def ground() -> Ground:
    """The places of the world, for the map."""
    gazetteer = open_gazetteer()
    return Ground(gazetteer.latlon, gazetteer.population)
