"""The WARCs in a file: itself, or those in a WACZ, a zip with archive/*.warc.gz and indexes/*.cdx.

WARCs in a WACZ are stored, not deflated, so they are read in place.
"""

from pathlib import Path
from zipfile import ZIP_STORED, BadZipFile, ZipFile

from toponaut.archive.warc_reader import WarcFile
from toponaut.errors import InputError

WARC_ENDINGS = (".warc", ".warc.gz", ".warc.zst")
_INDEX_ENDINGS = (".cdx", ".cdx.gz", ".cdxj", ".cdxj.gz")
_LOCAL_HEADER = 30  # bytes of a zip member's header before its name and extra field


def warcs_in(path: Path) -> list[WarcFile]:
    """The WARCs in a WARC or WACZ file."""
    return _in_wacz(path) if is_zip(path) else [WarcFile.whole(path)]


def is_zip(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(4) == b"PK\x03\x04"


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
