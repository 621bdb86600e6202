"""Joining parts of an index that were made apart (building.py) to the index itself.

The files of a tantivy segment have names of their own and point to nothing outside; what the index is made of says its meta.json
alone. So a part's segments are joined by moving their files and adding them to that list, and a table's files by moving them. Nothing is
written anew; tantivy merges small segments after the next commit, as it does with its own.

The table comes first, then the words, as in any commit (writing.py), all of it behind the marker: the next run removes what one that was
killed has left. Files that are not yet on the list are noted before they come (.managed.json), or else tantivy would never remove them.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from toponaut.store.disk import sync_directory, write_whole
from toponaut.index.layout import Paths

_META, _MANAGED = "meta.json", ".managed.json"


def join(root: Path, made: Sequence[Path]) -> None:
    """Moves what is in the folders of parts to the index; nobody may be writing to either. They must have the same schema."""
    whole, parts = Paths(root), [Paths(folder) for folder in made]
    for part in parts:
        for file in sorted(part.pages.iterdir()):
            file.replace(whole.pages / file.name)
    sync_directory(whole.pages)
    files = [file for part in parts for file in _segment_files(part.words)]
    managed = _read(whole.words / _MANAGED)
    write_whole(whole.words / _MANAGED, msgspec.json.encode([*managed, *(file.name for file in files)]))
    meta = _joined(_read(whole.words / _META), [_read(part.words / _META) for part in parts])
    for file in files:
        file.replace(whole.words / file.name)
    sync_directory(whole.words)
    write_whole(whole.words / _META, msgspec.json.encode(meta))


def _joined(meta: dict[str, Any], others: Sequence[dict[str, Any]]) -> dict[str, Any]:
    for other in others:
        if (other["schema"], other["index_settings"]) != (meta["schema"], meta["index_settings"]):
            raise ValueError("a part of the index was made by another version")
    segments = [segment for one in (meta, *others) for segment in one["segments"]]
    return {**meta, "segments": segments, "opstamp": max(one["opstamp"] for one in (meta, *others))}


def _segment_files(words: Path) -> list[Path]:
    """Files of the segments that count: there may be others, of those that were merged."""
    names = {segment["segment_id"].replace("-", "") for segment in _read(words / _META)["segments"]}
    return [file for file in sorted(words.iterdir()) if file.name.partition(".")[0] in names]


def _read(path: Path) -> Any:
    return msgspec.json.decode(path.read_bytes())
