"""Sealed segments: the schema follows the records, and damage is detected."""

from pathlib import Path
from typing import get_type_hints

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from tests.support.log_visits import NODE, any_visits, visit, visits, write

from toponaut.errors import InputError
from toponaut.log import LogWriter, find, read, summary, tables, tails, trace
from toponaut.log.segments import SealedSegment
from toponaut.records import Address, RefusedLink, ScoredLink, Visit


@given(any_visits())
def test_visits_to_columns_and_back(written: list[Visit]) -> None:
    table = tables.pack(written)
    table.validate(full=True)
    assert tables.unpack(table) == written
    for start in range(len(written)):  # a slice's lists do not begin at offset 0
        assert tables.unpack(table.slice(start, 2)) == written[start : start + 2]


def test_every_field_of_the_records_has_a_column() -> None:
    """A field added to the records must be in the log."""
    leaves = tables.leaves()
    names = {leaf.partition(".")[0] for leaf in leaves}
    assert names == set(get_type_hints(Visit))
    for field, record in (("links", ScoredLink), ("refused", RefusedLink), ("addresses", Address)):
        prefix = f"{field}.list.element."
        parts = {
            leaf.removeprefix(prefix).partition(".")[0]
            for leaf in leaves
            if leaf.startswith(prefix)
        }
        assert parts == set(get_type_hints(record))


def test_the_schema_is_what_other_tools_expect(tmp_path: Path) -> None:
    log = write(tmp_path, visits(2), seal_after=(1,))
    table = pq.read_table(log / "000000.parquet")
    assert table.schema.field("simhash").type == pa.uint64()
    assert table.column("known").to_pylist()[1] == list(visit(1).known)
    assert table.column("scope").to_pylist()[0] == [
        {"place": 7, "weight": 0.5},
        {"place": 9, "weight": 0.25},
    ]
    assert table.column("links").to_pylist()[0][0]["owners"] == ["north", "south"]
    assert table.column("refused").to_pylist()[1][0]["why"] == "calendar"
    assert table.column("outcome").to_pylist() == ["fetched", "fetched"]


def test_a_field_of_a_type_without_a_column_is_refused() -> None:
    class Odd(msgspec.Struct):
        bag: dict[str, int]

    with pytest.raises(TypeError, match="no column for bag"):
        tables._struct_column(Odd)


def test_a_segment_from_before_a_field_was_added_reads_as_its_default() -> None:
    table = tables.pack(visits(2))
    older = pa.RecordBatch.from_struct_array(table.to_struct_array()).drop_columns(
        ["simhash", "refused"]
    )
    expected = [msgspec.structs.replace(one, simhash=0, refused=()) for one in visits(2)]
    assert tables.unpack(older) == expected
    links = table.column("links")
    kept = [field for field in links.type.value_type if field.name not in ("anchor", "hops")]
    parts = [links.values.field(field.name) for field in kept]
    fewer = pa.ListArray.from_arrays(links.offsets, pa.StructArray.from_arrays(parts, fields=kept))
    older = table.set_column(table.schema.get_field_index("links"), "links", fewer)
    assert [link.anchor for link in tables.unpack(older)[0].links] == ["", ""]
    assert [link.depth for link in tables.unpack(older)[0].links] == [1, 0]


def test_a_segment_has_row_groups_of_bounded_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tails, "CHUNK_VISITS", 10)
    monkeypatch.setattr(tails, "CHUNK_BYTES", 20_000)
    written = [visit(number, text="x" * (8_500 if number >= 20 else 1)) for number in range(25)]
    with LogWriter(tmp_path, NODE) as log:
        positions = []
        for one in written:
            log.append(one)
            log.sync()
            positions.append(log.position)
        log.seal()
        with SealedSegment(log.directory / "000000.parquet") as segment:
            assert segment.group_rows == [10, 10, 3, 2]
        for count, position in enumerate(positions, start=1):
            assert list(read(log.directory, position)) == written[count:]


def _reads(log: Path) -> list[Visit]:
    summary(log)
    list(find(log, visit(1).url))
    trace(log, visit(1).links[0].url)
    return list(read(log))


def test_any_changed_byte_is_detected_or_harmless(tmp_path: Path) -> None:
    """Tries every 31st byte and the end. A run over all bytes found no undetected change."""
    log = write(tmp_path, visits(3), seal_after=(2,))
    path = log / "000000.parquet"
    content = path.read_bytes()
    noticed: list[str] = []
    for offset in (*range(0, len(content), 31), *range(len(content) - 16, len(content))):
        path.write_bytes(content[:offset] + bytes([content[offset] ^ 0x80]) + content[offset + 1 :])
        try:
            assert _reads(log) == visits(3), offset
        except InputError as error:
            noticed.append(str(error))
    assert len(noticed) > 400
    assert all("000000.parquet is damaged" in said and "\n" not in said for said in noticed)


@pytest.mark.parametrize("size", [0, 4, 11, 12, 1000, -1])
def test_a_truncated_segment_is_reported_with_a_fix(tmp_path: Path, size: int) -> None:
    log = write(tmp_path, visits(6), seal_after=(1, 3))
    path = log / "000001.parquet"
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(InputError) as caught:
        list(read(log))
    assert str(path) in caught.value.cause
    assert "All other files of the log are safe" in caught.value.fix
    path.rename(tmp_path / "moved away")  # the suggested fix
    assert list(read(log)) == visits(2) + visits(2, start=4)
    with LogWriter(tmp_path, NODE) as writer:
        assert writer.written == 6


def test_sequences_of_a_removed_segment_are_not_reused(tmp_path: Path) -> None:
    log = write(tmp_path, visits(4), seal_after=(1, 3))
    (log / "000001.parquet").unlink()
    with LogWriter(tmp_path, NODE) as writer:
        assert writer.written == 4
        writer.append(visit(4))
    assert [one.sequence for one in read(log)] == [0, 1, 4]


def test_a_foreign_parquet_file_is_reported(tmp_path: Path) -> None:
    log = write(tmp_path, visits(2), seal_after=(1,))
    pq.write_table(pa.table({"a": [1]}), log / "000000.parquet")
    with pytest.raises(InputError, match="is damaged: the checksum of its footer is wrong"):
        list(read(log))
