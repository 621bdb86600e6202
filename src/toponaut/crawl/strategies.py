"""The strategies of a job: made from its settings and files, with models saved next to the log.

A model is a fold over the log: one that is missing, damaged or older than the log is learned again.
The ordering's model of a crawl may be given to another crawl (ordering.model in its job).
"""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from urllib.parse import quote

import msgspec
import xxhash

from toponaut.errors import InputError
from toponaut.job import CollaborationSection, Job
from toponaut.job.owners import OwnerTable
from toponaut.job.targets import territories
from toponaut.places.gazetteer.cache import open_names, open_wordnet
from toponaut.places.names.anchors import LinkReader
from toponaut.places.names.link_names import LinkNames
from toponaut.store.disk import make_directory, write_whole
from toponaut.strategy import Learner
from toponaut.strategy.collaboration import Collaboration
from toponaut.strategy.collaboration.by_hash import ByHash
from toponaut.strategy.registry import collaboration_of, ordering_of
from toponaut.strategy.setting import LocateIp, Setting
from toponaut.strategy.site_homes import SiteHomes


def setting_of(job: Job, read: Callable[[str], bytes] | None = None) -> Setting:
    """The setting for a job's strategies. Raises InputError if its targets make no territories."""
    names = open_names()
    general = [f"general{k}" for k in range(1, job.nodes.general + 1)]
    owners = OwnerTable(
        names.gazetteer, territories(names.gazetteer, job), general, job.collaboration.policy
    )

    @cache
    def link_reader() -> LinkReader:
        return LinkReader(LinkNames(names, owners.target_of), job.collaboration.anchor_window)

    def ip_places(path: str) -> LocateIp:
        # Here, because few jobs name such a file: maxminddb takes 50 ms.
        from toponaut.places.gazetteer.ip_database import open_ip_places

        return open_ip_places(names.gazetteer, path)

    return Setting(
        job=job,
        names=names,
        owners=owners,
        read=read or read_file,
        ip_places=ip_places,
        link_reader=link_reader,
        wordnet=open_wordnet,
    )


def read_file(name: str) -> bytes:
    """A file that the job names."""
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise InputError(
            f"{name} cannot be read ({error.strerror})", "Give the path of an existing file"
        ) from error


class Strategies:
    """A job with its two strategies and its nodes. Errors in them are raised here."""

    def __init__(self, job: Job, given: Path | None = None) -> None:
        self._files = GivenFiles(given)
        setting = setting_of(job, self._files.read)
        self.job = job
        self.nodes = setting.owners.nodes
        self.ordering = ordering_of(setting)
        self.homes = SiteHomes(setting.names)
        self.collaboration: Collaboration = ByHash(self.nodes)
        if len(self.nodes) > 1:
            self.collaboration = collaboration_of(setting)
        elif job.collaboration != CollaborationSection():
            collaboration_of(setting)  # a single node needs none, but its settings are checked

    @property
    def by_name(self) -> dict[str, Learner]:
        return {
            "ordering": self.ordering,
            "collaboration": self.collaboration,
            "homes": self.homes,
        }

    def keep_files(self) -> None:
        self._files.keep()


class GivenFiles:
    """The files that a job names, as they were when the crawl started: the crawl keeps copies.

    Models are folds over the log and these files: if one changed, a resumed crawl would differ.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._read: dict[str, bytes] = {}

    def read(self, name: str) -> bytes:
        kept = self._folder and self._folder / quote(name, safe="")
        self._read[name] = kept.read_bytes() if kept and kept.is_file() else read_file(name)
        return self._read[name]

    def keep(self) -> None:
        """Copy the files into the crawl, unless they are there."""
        for name, content in self._read.items() if self._folder else ():
            assert self._folder is not None
            kept = self._folder / quote(name, safe="")
            if not kept.is_file():
                make_directory(self._folder)
                write_whole(kept, content)


Learners = Mapping[str, Learner]


class _ModelNote(msgspec.Struct, frozen=True):
    position: bytes  # of the log
    digest: str  # of the model


def save_models(folder: Path, position: bytes, strategies: Learners) -> None:
    """Save every model, with a note of the log's position."""
    for name, strategy in strategies.items():
        if model := strategy.dump():
            write_whole(folder / f"{name}.model", model)
            note = _ModelNote(position, xxhash.xxh3_64_hexdigest(model))
            write_whole(folder / f"{name}.json", msgspec.json.encode(note))


def restore_models(folder: Path, position: bytes, strategies: Learners) -> list[Learner]:
    """Load the models that were saved at this position; return the strategies without one."""
    return [
        strategy
        for name, strategy in strategies.items()
        if strategy.learns_from and not _restore_model(folder, name, position, strategy)
    ]


def _restore_model(folder: Path, name: str, position: bytes, strategy: Learner) -> bool:
    try:
        note = msgspec.json.decode((folder / f"{name}.json").read_bytes(), type=_ModelNote)
        model = (folder / f"{name}.model").read_bytes()
        if note.position != position or note.digest != xxhash.xxh3_64_hexdigest(model):
            return False
        strategy.load(model)
    except (OSError, ValueError):
        return False
    return True
