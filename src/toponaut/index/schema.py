"""The tantivy schema of a page: fields with words, numbers to look up, and the data to display."""

from pathlib import Path

import tantivy
from msgspec import Struct

from toponaut.records import Address

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
    builder.add_text_field("street", tokenizer_name=TOKENISER, index_option="basic")
    # A place with the strength of the page's tie to it (georeference.py).
    builder.add_unsigned_field("tie", indexed=True)
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
