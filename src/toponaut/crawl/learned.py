"""What strategies have learned, saved where the log ends.

It is a fold over the log, so nothing is lost with it: a model that is missing, damaged or behind the log is learned again.
The ordering's model of a crawl may be given to another crawl: job.toml's ordering.model is such a file.
"""

from collections.abc import Mapping
from pathlib import Path

import msgspec
import xxhash

from toponaut.store.disk import write_whole
from toponaut.strategy.learning.learner import Learner

Learners = Mapping[str, Learner]


class _Saved(msgspec.Struct, frozen=True):
    position: bytes  # of the log
    digest: str  # of the model


def save(folder: Path, position: bytes, strategies: Learners) -> None:
    """Saves every model, each beside a note of where the log ended."""
    for name, strategy in strategies.items():
        if model := strategy.dump():
            write_whole(folder / f"{name}.model", model)
            saved = _Saved(position, xxhash.xxh3_64_hexdigest(model))
            write_whole(folder / f"{name}.json", msgspec.json.encode(saved))


def restore(folder: Path, position: bytes, strategies: Learners) -> list[Learner]:
    """Loads the models that were saved at this position; those whose were not have to learn again."""
    return [
        strategy
        for name, strategy in strategies.items()
        if not _restored(folder, name, position, strategy)
    ]


def _restored(folder: Path, name: str, position: bytes, strategy: Learner) -> bool:
    if not strategy.learns_from:
        return True
    try:
        saved = msgspec.json.decode((folder / f"{name}.json").read_bytes(), type=_Saved)
        model = (folder / f"{name}.model").read_bytes()
        if saved.position != position or saved.digest != xxhash.xxh3_64_hexdigest(model):
            return False
        strategy.load(model)
    except (OSError, ValueError):
        return False
    return True
