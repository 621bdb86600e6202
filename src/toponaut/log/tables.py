"""Visits as columns: the Parquet schema of a sealed segment and the way there and back.

Nothing here names the fields of a Visit: the schema is derived from the records themselves, so that a field added to
records.py is kept without further code, and one that an older segment lacks reads as its default.

    str, bytes, bool, float, int: a column of that type; int is 64 bits, signed unless UNSIGNED names the field
    an enum                  its words
    tuple[X, ...]            a list
    a record                 a struct, its fields by name; `scope`'s pairs are structs of place and weight

A table is nested, one row a visit with its links as a list of structs, and not one flat file for each kind of thing:
a segment is then one file that is there or not there, and pyarrow and duckdb read it as it stands.

Columns are made by the field, never by the value: a struct's column is taken from all its records in one map(), and
records are rebuilt by one map() over their columns. Read so, a link costs 0.9 us; through dicts it costs 3.2.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, chain, pairwise, repeat
from operator import attrgetter, itemgetter
from typing import Any, Protocol

import msgspec
import pyarrow as pa
from msgspec.inspect import (
    BoolType,
    BytesType,
    EnumType,
    FloatType,
    IntType,
    NoneType,
    StrType,
    StructType,
    TupleType,
    UnionType,
    VarTupleType,
)

from toponaut.records import Visit

UNSIGNED = frozenset({"simhash", "known"})  # hashes: all 64 bits are used
_PAIR = ("place", "weight")  # what the two parts of a pair in `scope` are called


class _Column(Protocol):
    """One field of a record, for many records at once."""

    type: pa.DataType
    nullable: bool

    def pack(self, values: Sequence[Any]) -> pa.Array:
        """The values as a column."""

    def unpack(self, array: pa.Array) -> list[Any]:
        """The values in a column."""


class _Plain:
    """Text and numbers."""

    def __init__(self, type_: pa.DataType, nullable: bool = False) -> None:
        self.type = type_
        self.nullable = nullable

    def pack(self, values: Sequence[Any]) -> pa.Array:
        return pa.array(values, self.type)

    def unpack(self, array: pa.Array) -> list[Any]:
        return array.to_pylist()  # type: ignore[no-any-return]


class _Words(_Plain):
    """An enum, by its words."""

    def __init__(self, members: dict[str, Any]) -> None:
        super().__init__(pa.string())
        self._members = members

    def unpack(self, array: pa.Array) -> list[Any]:
        return list(map(self._members.__getitem__, super().unpack(array)))


class _List:
    """Tuples of any length."""

    nullable = False

    def __init__(self, item: _Column) -> None:
        self._item = item
        self.type = pa.list_(pa.field("element", item.type, nullable=item.nullable))

    def pack(self, values: Sequence[Any]) -> pa.Array:
        ends = pa.array(accumulate(map(len, values), initial=0), pa.int32())
        items = self._item.pack(list(chain.from_iterable(values)))
        return pa.ListArray.from_arrays(ends, items, type=self.type)

    def unpack(self, array: pa.Array) -> list[Any]:
        ends = array.offsets.to_pylist()  # of a slice they do not start at 0
        start = ends[0]
        items = tuple(self._item.unpack(array.values.slice(start, ends[-1] - start)))
        return [items[here - start : there - start] for here, there in pairwise(ends)]


class _Record:
    """Structs, or pairs: whatever has a fixed number of parts."""

    nullable = False

    def __init__(
        self,
        columns: dict[str, _Column],
        getters: Sequence[Any],
        make: Any,
        defaults: dict[str, Any],
    ) -> None:
        self.columns = columns
        self.defaults = defaults  # of the parts that may be missing
        self._getters = getters
        self._make: Callable[..., Any] = make
        self._fields = [
            pa.field(name, column.type, nullable=column.nullable)
            for name, column in columns.items()
        ]
        self.type = pa.struct(self._fields)

    def pack(self, values: Sequence[Any]) -> pa.Array:
        parts = zip(self.columns.values(), self._getters, strict=True)
        return pa.StructArray.from_arrays(
            [column.pack(list(map(get, values))) for column, get in parts], fields=self._fields
        )

    def unpack(self, array: pa.Array) -> list[Any]:
        parts = dict(zip([field.name for field in array.type], array.flatten(), strict=True))
        values = (
            column.unpack(parts[name]) if name in parts else repeat(self.defaults[name])
            for name, column in self.columns.items()
        )
        return list(map(self._make, *values))


def _column(kind: msgspec.inspect.Type, name: str) -> _Column:
    """The column for a type of msgspec; `name` is that of the field."""
    match kind:
        case StrType():
            return _Plain(pa.string())
        case BytesType():
            return _Plain(pa.binary())
        case BoolType():
            return _Plain(pa.bool_())
        case FloatType():
            return _Plain(pa.float64())
        case IntType():
            return _Plain(pa.uint64() if name in UNSIGNED else pa.int64())
        case EnumType(cls):
            return _Words({member.value: member for member in cls})
        case UnionType((inner, NoneType()) | (NoneType(), inner)):
            return _Plain(_column(inner, name).type, nullable=True)
        case VarTupleType(item):
            return _List(_column(item, name))
        case TupleType(items) if len(items) == len(_PAIR):
            columns = {part: _column(item, part) for part, item in zip(_PAIR, items, strict=True)}
            return _Record(columns, [itemgetter(0), itemgetter(1)], lambda *parts: parts, {})
        case StructType(cls):
            return _record(cls)
    raise TypeError(f"the log has no column for {name}: {kind}")


def _record(cls: type) -> _Record:
    info = msgspec.inspect.type_info(cls)
    assert isinstance(info, StructType)
    columns = {field.name: _column(field.type, field.name) for field in info.fields}
    defaults = {field.name: field.default for field in info.fields if not field.required}
    return _Record(columns, [attrgetter(name) for name in columns], cls, defaults)


_VISIT = _record(Visit)
SCHEMA = pa.schema(list(_VISIT.type))


def pack(visits: Sequence[Visit]) -> pa.RecordBatch:
    """Visits as a table, one row each."""
    return pa.RecordBatch.from_struct_array(_VISIT.pack(visits))


def unpack(batch: pa.RecordBatch) -> list[Visit]:
    """The visits of a table. Fields without a column keep their default."""
    return _VISIT.unpack(batch.to_struct_array())


def paths(fields: Iterable[str] | None) -> list[str] | None:
    """The columns in the file for fields such as "url", "links" or "links.url"; None for all.

    Fields that no record can be without are always among them, and `time`, which positions need.
    """
    if fields is None:
        return None
    wanted = {*_needed(_VISIT), "time"}
    for field in fields:
        name, _, part = field.partition(".")
        item = getattr(_VISIT.columns[name], "_item", None)
        if isinstance(item, _Record) and part:
            wanted |= {f"{name}.{one}" for one in (*_needed(item), part) if item.columns[one]}
        else:
            wanted.add(field)
    return sorted(path(field) for field in wanted)


def path(field: str) -> str:
    """A field's column as Parquet names it."""
    return field.replace(".", ".list.element.")


def _needed(record: _Record) -> list[str]:
    return [name for name in record.columns if name not in record.defaults]


def leaves() -> list[str]:
    """Every column of the file, as Parquet names it."""
    return [leaf for field in SCHEMA for leaf in _leaves(field.name, field.type)]


def _leaves(name: str, kind: pa.DataType) -> list[str]:
    if pa.types.is_list(kind):
        return _leaves(f"{name}.list.element", kind.value_type)
    if pa.types.is_struct(kind):
        return [leaf for field in kind for leaf in _leaves(f"{name}.{field.name}", field.type)]
    return [name]


def missing(schema: pa.Schema) -> list[str]:
    """Columns that no version of the log has been without and that a table lacks."""
    return [name for name in _needed(_VISIT) if name not in schema.names]
