"""Making an index by many processes at once, of this machine or of a cluster; with the answers of one that was made by one process.

    look at all pieces of the log  ->  plan  ->  make a part each  ->  join          (index/planning.py, building.py, joining.py)

The marker is written last. A run that is killed before leaves pages behind the marker and folders in index/parts, and the next one
removes both. The log may grow meanwhile: what is added to it after the look comes with the next run.
"""

from collections.abc import Callable, Sequence

from toponaut.crawl.directory import Directory
from toponaut.index.build.building import Building, build, unpack
from toponaut.index.build.planning import Look, Said, look, plan
from toponaut.index.build.writing import IndexWriter, Marker
from toponaut.log import Piece, position_after
from toponaut.processes import Pool
from toponaut.store.disk import make_directory


def spread(
    directory: Directory, writer: IndexWriter, pool: Pool, tell: Callable[[int], None]
) -> int:
    """Adds what the log has beyond an index; gives the number of visits. `tell` hears of them as they are done."""
    before, logs = writer.marker, _logs(directory, pool)
    pieces = directory.logs.pieces(before.position)
    said = _said(pool, logs, pieces)
    visits = sum(one.visits for one in said)
    if not visits:
        return 0
    made = plan(pieces, said, before.pages, pool.processes)
    read = [
        (piece.log, one.positions[-1])
        for piece, one in zip(pieces, said, strict=True)
        if one.positions
    ]
    del said  # the larger part of what is in memory
    tell(visits - made.pages)

    make_directory(writer.paths.parts)
    into = None if pool.elsewhere and directory.mirror else str(writer.paths.parts.resolve())
    folders = []
    for number, built in pool.run(build, [Building(logs, one, into) for one in made.shares]):
        folders.append(unpack(built, writer.paths.parts))
        tell(made.shares[number].pages)
    after = Marker(
        pages=before.pages + made.pages,
        visits=before.visits + visits,
        position=position_after(before.position, read),
    )
    writer.take_in(sorted(folders), made.urls, after)
    return visits


def _logs(directory: Directory, pool: Pool) -> str:
    """The folder of all logs, as the processes see it."""
    where = (
        directory.mirror.url
        if pool.elsewhere and directory.mirror
        else str(directory.root.resolve())
    )
    return f"{where}/{directory.log.name}"


def _said(pool: Pool, logs: str, pieces: Sequence[Piece]) -> list[Said]:
    found = dict(pool.run(look, [Look(logs, piece) for piece in pieces]))
    return [found[number] for number in range(len(pieces))]
