"""The strategies of the papers on a folder of recorded sites, for `make results SITES=folder`.

The targets are the places of all sites (sites.tsv), the seeds are those of all sites. Pages about
other places are few, so shares are higher than on the web; the order of the strategies counts.
Each run breaks ties by another seed.
"""

from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from bench.experiments import AS_IS, EXAMPLES, Experiment
from toponaut.compare.comparison import ComparisonRequest, plan, runs_of
from toponaut.compare.job_keys import changed_job
from toponaut.compare.real_sites import read_sites, targets_of
from toponaut.job import Job, NodesSection, TargetsSection, load
from toponaut.places.gazetteer.cache import open_gazetteer

PAGES = 500
NODES = 5
COLLABORATIONS = ("hash", "url", "anchor", "content", "combined")
ORDERINGS = ("breadth-first", "link-distance", "lookahead", "geo-rank", "page-score", "combined")


def real_experiments(
    sites: Path, folder: Path, runs: int, pages: int = PAGES
) -> Mapping[str, Experiment]:
    """Six nodes with a request at a time each, and one node with one."""
    job = _job(sites)
    nodes = NodesSection(geographic=min(NODES, len(job.targets.places)), general=1)
    requests = {
        "real-collaborations": ComparisonRequest(
            job=changed_job(replace(job, nodes=nodes), f"concurrent={NODES + 1}"),
            out=folder / "real-collaborations", collaborations=COLLABORATIONS,
            pages=pages, seeds=runs, replay=sites.resolve(),
        ),
        "real-orderings": ComparisonRequest(
            job=changed_job(replace(job, nodes=NodesSection()), "concurrent=1"),
            out=folder / "real-orderings", orderings=ORDERINGS,
            pages=pages, seeds=runs, replay=sites.resolve(),
        ),
    }  # fmt: skip
    return {name: _experiment(request) for name, request in requests.items()}


def _experiment(request: ComparisonRequest) -> Experiment:
    planned = plan(request, {})
    return Experiment(request, planned, tuple(runs_of(request, planned)), AS_IS)


def _job(sites: Path) -> Job:
    file = EXAMPLES / "us-top-100" / "job.toml"
    job = load(file.read_text("utf-8"), file.name, seedless=True)
    known = read_sites(sites)
    targets, _ = targets_of(open_gazetteer(), known)
    places = dict.fromkeys(place for target in targets for place in target.places)
    return replace(
        job,
        partition="nearest",
        targets=TargetsSection(places=tuple(places)),
        seeds=tuple(dict.fromkeys(site.seed for site in known)),
    )
