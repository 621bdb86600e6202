"""What tantivy keeps of a page: the words that are searched, the numbers that are looked up, and what is shown."""

from pathlib import Path

import msgspec
import tantivy
from msgspec import Struct

from toponaut.index import cells
from toponaut.index.ties import LEAST_MEANT, Point, code
from toponaut.records import Address, Visit

WORDS = "words"  # our tokeniser
# Fields with words, and what a hit in each is worth. Set by hand: a word of the title says most about a page, the name of
# whoever has the address is a title as well.
FIELDS = {"title": 2.5, "name": 2.0, "description": 1.2, "text": 1.0}
MOST_TEXT = 100_000  # characters; the judge reads no more for names either
_LONGEST_WORD = 40
_HEAP_BYTES = 128_000_000  # of tantivy, before it writes a segment
_MOST_STREETS = 200  # addresses of a page that are found by their street


class Shown(Struct, frozen=True, array_like=True):
    """What the list of results shows of a page."""

    url: str
    title: str
    description: str
    language: str
    time: float
    relevant: bool
    addresses: tuple[Address, ...]
    scope: tuple[tuple[int, float], ...]


def analyser() -> tantivy.TextAnalyzer:
    """Text to words: lower case and without accents, so that "sao paulo" finds "São Paulo"."""
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    for step in (
        tantivy.Filter.remove_long(_LONGEST_WORD),
        tantivy.Filter.lowercase(),
        tantivy.Filter.ascii_fold(),
    ):
        builder = builder.filter(step)
    return builder.build()


def schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("url", tokenizer_name="raw", index_option="basic")
    for name in FIELDS:  # positions would double the size, and no phrase is asked for
        builder.add_text_field(
            name, stored=name == "text", tokenizer_name=WORDS, index_option="freq"
        )
    builder.add_text_field("street", tokenizer_name=WORDS, index_option="basic")
    builder.add_unsigned_field(
        "tie", indexed=True
    )  # a place with the strength of the tie (ties.py)
    builder.add_unsigned_field(
        "within", indexed=True, fast=True
    )  # places with all areas around them: the facets
    builder.add_unsigned_field("cell", indexed=True)  # of points that are known exactly
    builder.add_unsigned_field("area", indexed=True)  # of the middles of areas
    builder.add_unsigned_field("number", indexed=True, fast=True)  # of the page, in the table
    builder.add_bytes_field("shown", stored=True)
    return builder.build()


def open_index(schema_: tantivy.Schema, path: str) -> tantivy.Index:
    """An index that is there, or a new one."""
    index = tantivy.Index(schema_, path)
    index.register_tokenizer(WORDS, analyser())
    return index


def words_writer(folder: Path) -> tantivy.IndexWriter:
    """The one writer of the index in a folder. One thread: the order of pages is that in which they were added."""
    return open_index(schema(), str(folder)).writer(_HEAP_BYTES, 1)


def document(
    visit: Visit, number: int, ties: dict[int, int], points: list[Point]
) -> tantivy.Document:
    made = tantivy.Document()
    made.add_text("url", visit.url)
    made.add_unsigned("number", number)
    made.add_text("title", visit.title)
    made.add_text("text", visit.text[:MOST_TEXT])
    if visit.description:
        made.add_text("description", visit.description)
    for name in dict.fromkeys(
        address.organisation for address in visit.addresses if address.organisation
    ):
        made.add_text("name", name)
    for address in visit.addresses[:_MOST_STREETS]:
        if address.street:
            made.add_text("street", f"{address.number} {address.street}")
            made.add_text(
                "street", address.normal.partition(",")[0]
            )  # "100 milam street" for "100 Milam St."
    for place, strength in ties.items():
        made.add_unsigned("tie", code(place, strength))
        if strength >= LEAST_MEANT:  # what is mentioned by the way is no place to look for the page
            made.add_unsigned("within", place)
    for field, wanted in (("cell", False), ("area", True)):
        spots = {(point.lat, point.lon) for point in points if point.is_area is wanted}
        for cell in {cell for lat, lon in spots for cell in cells.cells_at(lat, lon)}:
            made.add_unsigned(field, cell)
    made.add_bytes("shown", msgspec.msgpack.encode(_shown(visit)))
    return made


def _shown(visit: Visit) -> Shown:
    return Shown(
        visit.url,
        visit.title,
        visit.description,
        visit.language,
        visit.time,
        visit.relevant,
        visit.addresses,
        visit.scope,
    )
