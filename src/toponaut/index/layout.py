"""The files of an index, and the tantivy fields of a page.

index/
  marker.json   number of pages, and the log position up to which the index was built
  words/        tantivy's index
  pages/        the table of numbers per page (table.py)
  parts/        parts that several processes are building (write/parts.py), until they are joined
  lock          held by the one writer
"""

from pathlib import Path

import msgspec
import tantivy
from msgspec import Struct

from toponaut.records import Address

VERSION = 6  # of the format; an index of another version is rebuilt


class IndexPaths:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.words, self.pages, self.parts = root / "words", root / "pages", root / "parts"
        self.marker, self.lock = root / "marker.json", root / "lock"


class IndexMarker(Struct, frozen=True):
    """The state of an index at its last commit."""

    version: int = VERSION
    pages: int = 0  # page numbers assigned so far; a page that was fetched twice has two
    visits: int = 0  # visits read so far
    position: bytes | None = None  # in the log
    secret: int = 0  # key of the fingerprints by which the table knows URLs


def index_folder(crawl: Path) -> Path:
    """The index folder of a crawl directory."""
    return crawl / "index"


def read_marker(root: Path) -> IndexMarker | None:
    """None if there is no index, or one of another version."""
    try:
        marker = msgspec.json.decode(IndexPaths(root).marker.read_bytes(), type=IndexMarker)
    except (OSError, msgspec.MsgspecError):
        return None
    return marker if marker.version == VERSION else None


# --- the tantivy index ---------------------------------------------------------------------------

TOKENISER = "words"
# Fields with words, and the weight of a match in each. Set by hand: the title says most about a
# page, and the name of the organisation at an address acts as a title.
FIELDS = {"title": 2.5, "name": 2.0, "description": 1.2, "text": 1.0}
_LONGEST_WORD = 40
_HEAP_BYTES = 128_000_000  # before tantivy writes a segment


class StoredPage(Struct, frozen=True, array_like=True):
    """The data of a page that the list of results shows."""

    url: str
    title: str
    description: str
    language: str
    time: float
    relevant: bool
    addresses: tuple[Address, ...]
    scope: tuple[tuple[int, float], ...]


def analyser() -> tantivy.TextAnalyzer:
    """Splits text into lower-case words without accents: "sao paulo" finds "São Paulo"."""
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    builder = builder.filter(tantivy.Filter.remove_long(_LONGEST_WORD))
    return builder.filter(tantivy.Filter.lowercase()).filter(tantivy.Filter.ascii_fold()).build()


def schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("url", tokenizer_name="raw", index_option="basic")
    for name in FIELDS:  # no positions: they would double the size, and there are no phrase queries
        builder.add_text_field(
            name, stored=name == "text", tokenizer_name=TOKENISER, index_option="freq"
        )
    # One for each organisation of a page (categories.py).
    builder.add_text_field("category", tokenizer_name="raw", index_option="freq")
    builder.add_text_field("street", tokenizer_name=TOKENISER, index_option="basic")
    # A place with the strength of the page's tie to it (georeference.py).
    builder.add_unsigned_field("tie", indexed=True)
    builder.add_unsigned_field("host", indexed=True)  # its fingerprint
    # Places and all areas around them, for the facets.
    builder.add_unsigned_field("within", indexed=True, fast=True)
    builder.add_unsigned_field("cell", indexed=True)  # of exact points
    builder.add_unsigned_field("area", indexed=True)  # of the centres of areas
    builder.add_unsigned_field("number", indexed=True, fast=True)  # of the page, in the table
    builder.add_bytes_field("shown", stored=True)
    return builder.build()


def open_index(schema_: tantivy.Schema, path: str) -> tantivy.Index:
    """Open an index, or create it."""
    index = tantivy.Index(schema_, path)
    index.register_tokenizer(TOKENISER, analyser())
    return index


def words_writer(folder: Path) -> tantivy.IndexWriter:
    """The one writer of an index. It has one thread, so pages keep the order they were added in."""
    return open_index(schema(), str(folder)).writer(_HEAP_BYTES, 1)
