"""What some strategies cannot do without, made for a comparison on the synthetic web: a model and an IP database.

The **classifier** is trained as its user would: from the addresses in a crawl of another web, which none of the compared runs
sees. The **IP database** says where the servers of the synthetic web stand, as a vendor's does for the real one; the package
that writes such files is not among Toponaut's own dependencies, so without it the strategy is left out.
"""

from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from toponaut.compare.comparing import ALL, ComparisonRequest, job_of
from toponaut.compare.runs import Commands, ComparisonRun, RunError, Tell, crawl
from toponaut.crawl.webs import open_web
from toponaut.errors import InputError
from toponaut.job import Job
from toponaut.store.disk import make_directory

TRAINED, LOCATED = "classifier", "ip"


def provide(
    wanted: ComparisonRequest, training: int, processes: Commands, tell: Tell
) -> dict[str, dict[str, str]]:
    """Keys for the strategies that need some and are to be compared; none where the job has them, or they cannot be had."""
    given: dict[str, dict[str, str]] = {}
    asked = {name.partition(":")[0] for name in wanted.collaborations}
    if wanted.replay is not None:
        return given
    if (
        asked & {ALL, LOCATED}
        and not wanted.job.collaboration.mmdb
        and (path := ip_database(wanted.out))
    ):
        given[LOCATED] = {"mmdb": str(path.absolute())}
    if asked & {ALL, TRAINED} and not wanted.job.collaboration.model and training:
        model = train(
            wanted.job, wanted.out, wanted.first + wanted.seeds, training, processes, tell
        )
        given[TRAINED] = {"model": str(model.absolute())}
    return given


def train(job: Job, out: Path, number: int, pages: int, processes: Commands, tell: Tell) -> Path:
    """A model for the collaboration "classifier", from so many pages of the web of this number. It is made once."""
    model = out / f"classifier-{number}-{pages}.model"
    if model.is_file():
        return model
    found = replace(
        job_of(job, pages, job.random_seed),
        collaboration=replace(job.collaboration, strategy="combined"),
        ordering=replace(
            job.ordering, strategy="combined"
        ),  # it finds the most pages with addresses
    )
    run = ComparisonRun(
        "training",
        number,
        out / "training" / f"{number}-{pages}",
        found,
        ("--synthetic", str(number)),
    )
    try:
        crawl(run, processes, tell)
        processes.run("train", run.directory, "--output", model, "--quiet", "--json")
    except RunError as error:
        raise InputError(
            f"the classifier cannot be trained: {error}", "Train with more pages, or leave it out"
        ) from error
    return model


def ip_database(out: Path) -> Path | None:
    """Where the servers of the synthetic web stand, the same for every number; None where no MMDB can be written."""
    path = out / "servers.mmdb"
    if path.is_file():
        return path
    hosting = open_web(0).servers
    return write_ip_database(
        path, ((network, city.place, city.name) for network, city in hosting.networks())
    )


def write_ip_database(path: Path, networks: Iterable[tuple[str, int, str]]) -> Path | None:
    """That the servers of each network stand in the place of that id and name; None where no MMDB can be written."""
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
