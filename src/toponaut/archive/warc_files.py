"""The WARCs that a user names: files, folders, and those in a WACZ, read in place."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Self
from zipfile import ZIP_STORED, BadZipFile, ZipFile

from msgspec import Struct

from toponaut.archive.record_heads import RECORD_START
from toponaut.archive.unpacking import GZIP, ZSTD, ZSTD_DICTIONARY
from toponaut.errors import InputError

_FORMATS = ("warc", "arc", "wet", "wat")
WARC_ENDINGS = tuple(f".{one}{packing}" for one in _FORMATS for packing in ("", ".gz", ".zst"))
WACZ_ENDING = ".wacz"
_INDEX_ENDINGS = (".cdx", ".cdx.gz", ".cdxj", ".cdxj.gz")
_LOCAL_HEADER = 30  # bytes of a zip member's header before its name and extra field
_ZIP = b"PK\x03\x04"
_START = 2048  # bytes that show what a file is


class WarcFile(Struct, frozen=True):
    """A WARC: a whole file, or the bytes of a zip that hold it."""

    path: Path
    name: str  # as indexes call it
    size: int
    start: int = 0

    @property
    def written(self) -> float:
        """The date of the file, as Unix time."""
        return self.path.stat().st_mtime

    @classmethod
    def whole(cls, path: Path) -> Self:
        return cls(path, path.name, path.stat().st_size)


def warcs_in(path: Path) -> list[WarcFile]:
    """The WARCs in a WARC or WACZ, or in all those of a folder and its subfolders, by name."""
    if path.is_dir():
        return [file for one in _named_warcs(path) for file in warcs_in(one)]
    return _in_wacz(path) if is_zip(path) else [WarcFile.whole(path)]


def _named_warcs(folder: Path) -> Iterator[Path]:
    for where, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.lower().endswith((*WARC_ENDINGS, WACZ_ENDING)):
                yield Path(where) / name


def is_zip(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(4) == _ZIP


def starts_like_warc(path: Path) -> bool:
    """Whether the first bytes of a file are those of a WARC or an ARC, perhaps of a damaged one."""
    with path.open("rb") as stream:
        first = stream.read(_START)
    if first.startswith((GZIP, ZSTD, ZSTD_DICTIONARY)):
        return True
    return RECORD_START.match(first.lstrip(b"\r\n")) is not None


def index_names(path: Path) -> list[str]:
    with ZipFile(path) as package:
        names = package.namelist()
    return [name for name in names if name.startswith("indexes/") and name.endswith(_INDEX_ENDINGS)]


def _in_wacz(path: Path) -> list[WarcFile]:
    try:
        with ZipFile(path) as package:
            members = [one for one in package.infolist() if one.filename.endswith(WARC_ENDINGS)]
    except BadZipFile:
        cause = f"{path} is damaged: its table of contents is not at its end"
        raise InputError(cause, "Download the WACZ again") from None
    if not members:
        cause = f"{path} is a zip without WARCs"
        raise InputError(cause, "Name a WARC, a WACZ, or a folder of pages")
    files = []
    with path.open("rb") as stream:
        for member in members:
            if member.compress_type != ZIP_STORED:
                raise InputError(
                    f"{path} compresses {member.filename}, so single pages cannot be read",
                    f"Unpack it and use the folder: unzip {path}",
                )
            stream.seek(member.header_offset)
            header = stream.read(_LOCAL_HEADER)
            names = sum(int.from_bytes(header[k : k + 2], "little") for k in (26, 28))
            start = member.header_offset + _LOCAL_HEADER + names
            files.append(WarcFile(path, member.filename, member.file_size, start))
    return files
