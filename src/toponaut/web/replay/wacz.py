"""A WACZ: a zip with archive/*.warc.gz and indexes/index.cdx(.gz). WARCs in it are stored, not packed once more."""

from pathlib import Path
from zipfile import ZIP_STORED, BadZipFile, ZipFile

from toponaut.errors import InputError
from toponaut.web.replay.warcs import Part

_WARCS = (".warc", ".warc.gz", ".warc.zst")
_INDEXES = (".cdx", ".cdx.gz", ".cdxj", ".cdxj.gz")
_LOCAL_HEADER = (
    30  # bytes before a member's name, whose length and that of the extra field end them
)


def is_zip(path: Path) -> bool:
    """Whether a file begins as a zip does."""
    with path.open("rb") as stream:
        return stream.read(4) == b"PK\x03\x04"


def parts_in(path: Path) -> list[Part]:
    """The WARCs in a WACZ, as stretches of the zip file."""
    try:
        with ZipFile(path) as package:
            members = [one for one in package.infolist() if one.filename.endswith(_WARCS)]
    except BadZipFile:
        raise InputError(
            f"{path} is damaged: its table of contents is not at its end", "Fetch the WACZ again"
        ) from None
    if not members:
        raise InputError(
            f"{path} is a zip without WARCs", "Replay a WARC, a WACZ, or a folder of pages"
        )
    parts = []
    with path.open("rb") as stream:
        for member in members:
            if member.compress_type != ZIP_STORED:
                raise InputError(
                    f"{path} packs {member.filename} once more, so that no page can be read alone",
                    f"Unpack it and replay the folder: unzip {path}",
                )
            stream.seek(member.header_offset)
            header = stream.read(_LOCAL_HEADER)
            names = int.from_bytes(header[26:28], "little") + int.from_bytes(
                header[28:30], "little"
            )
            start = member.header_offset + _LOCAL_HEADER + names
            parts.append(Part(path, member.filename, member.file_size, start))
    return parts


def index_names(path: Path) -> list[str]:
    """The names of the indexes in a WACZ."""
    with ZipFile(path) as package:
        return [
            name
            for name in package.namelist()
            if name.startswith("indexes/") and name.endswith(_INDEXES)
        ]
