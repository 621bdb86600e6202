"""The model and the IP database that some strategies need, made for the synthetic web.

The **classifier** is trained from the addresses in a crawl of another synthetic web. The **IP
database** has the places of the synthetic servers. The package that writes such files is optional;
without it the strategy "ip" is left out.
"""

from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from toponaut.compare.comparison import ALL, ComparisonRequest, job_of
from toponaut.compare.runs import Commands, ComparisonRun, Progress, RunError, crawl
from toponaut.crawl.webs import open_web
from toponaut.errors import InputError
from toponaut.job import Job
from toponaut.store.disk import make_directory

TRAINED, LOCATED = "classifier", "ip"


def provide(
    wanted: ComparisonRequest, training: int, processes: Commands, progress: Progress
) -> dict[str, dict[str, str]]:
    """Keys for the compared strategies that need some and that the job does not give."""
    keys: dict[str, dict[str, str]] = {}
    names = {name.partition(":")[0] for name in wanted.collaborations}
    if wanted.replay is not None:
        return keys
    if (
        names & {ALL, LOCATED}
        and not wanted.job.collaboration.mmdb
        and (path := ip_database(wanted.out))
    ):
        keys[LOCATED] = {"mmdb": str(path.absolute())}
    if names & {ALL, TRAINED} and not wanted.job.collaboration.model and training:
        model = train(
            wanted.job, wanted.out, wanted.first + wanted.seeds, training, processes, progress
        )
        keys[TRAINED] = {"model": str(model.absolute())}
    return keys


def train(
    job: Job, out: Path, number: int, pages: int, processes: Commands, progress: Progress
) -> Path:
    """A model for "classifier" from `pages` pages of the web of this number; made once."""
    model = out / f"classifier-{number}-{pages}.model"
    if model.is_file():
        return model
    found = replace(
        job_of(job, pages, job.random_seed),
        collaboration=replace(job.collaboration, strategy="combined"),
        ordering=replace(job.ordering, strategy="combined"),  # finds most addresses
    )
    run = ComparisonRun(
        "training",
        number,
        out / "training" / f"{number}-{pages}",
        found,
        ("--synthetic", str(number)),
    )
    try:
        crawl(run, processes, progress)
        processes.run("train", run.directory, "--output", model, "--quiet", "--json")
    except RunError as error:
        raise InputError(
            f"the classifier cannot be trained: {error}",
            "Train with more pages, or do not compare it",
        ) from error
    return model


def ip_database(out: Path) -> Path | None:
    """The places of the synthetic web's servers, the same for every number; None without writer."""
    path = out / "servers.mmdb"
    if path.is_file():
        return path
    hosting = open_web(0).servers
    return write_ip_database(
        path, ((network, city.place, city.name) for network, city in hosting.networks())
    )


def write_ip_database(path: Path, networks: Iterable[tuple[str, int, str]]) -> Path | None:
    """Write networks with the ids and names of their places; None if no MMDB can be written."""
    try:
        from mmdb_writer import MMDBWriter
        from netaddr import IPSet
    except ImportError:
        return None
    writer = MMDBWriter(6, "Toponaut-Synthetic-City", description="Servers of the synthetic web")
    for network, place, name in networks:
        writer.insert_network(
            IPSet([network]), {"city": {"geoname_id": place, "names": {"en": name}}}
        )
    make_directory(path.parent)
    draft = path.with_name(f"{path.name}.new")
    writer.to_db_file(str(draft))
    draft.replace(path)
    return path
