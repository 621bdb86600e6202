"""Visits as columns: the Parquet schema of a sealed segment, and conversion in both directions.

The schema is derived from the records, so a field added to records.py needs no code here, and a
field that an older segment lacks reads as its default.

    str, bytes, bool, float, int   a column of that type; int has 64 bits, unsigned if in UNSIGNED
    an enum                        its value
    tuple[X, ...]                  a list
    a record                       a struct; the pairs of `scope` are structs of place and weight

A row is a visit, with its links as a list of structs. So a segment is a single file that pyarrow
and duckdb read directly.

Values are converted a column at a time, with one map() per field: 0.9 us a link, 3.2 through dicts.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, chain, pairwise, repeat
from operator import attrgetter, itemgetter
from typing import Any, Protocol

import pyarrow as pa
from msgspec import inspect

from toponaut.records import Visit

UNSIGNED = frozenset({"simhash", "known", "facts"})  # hashes, which use all 64 bits
_PAIR = ("place", "weight")  # names of the two parts of a pair in `scope`


class _Column(Protocol):
    """One field of a record, for many records at once."""

    type: pa.DataType
    nullable: bool

    def pack(self, values: Sequence[Any]) -> pa.Array: ...

    def unpack(self, array: pa.Array) -> list[Any]: ...


class _PlainColumn:
    """Text and numbers."""

    def __init__(self, type_: pa.DataType, nullable: bool = False) -> None:
        self.type = type_
        self.nullable = nullable

    def pack(self, values: Sequence[Any]) -> pa.Array:
        return pa.array(values, self.type)

    def unpack(self, array: pa.Array) -> list[Any]:
        return array.to_pylist()  # type: ignore[no-any-return]


class _EnumColumn(_PlainColumn):
    """An enum, by its values."""

    def __init__(self, members: dict[str, Any]) -> None:
        super().__init__(pa.string())
        self._members = members

    def unpack(self, array: pa.Array) -> list[Any]:
        return list(map(self._members.__getitem__, super().unpack(array)))


class _ListColumn:
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
        ends = array.offsets.to_pylist()  # those of a slice do not start at 0
        start = ends[0]
        items = tuple(self._item.unpack(array.values.slice(start, ends[-1] - start)))
        return [items[here - start : there - start] for here, there in pairwise(ends)]


class _StructColumn:
    """Structs and pairs: a fixed number of parts."""

    nullable = False

    def __init__(
        self,
        columns: dict[str, _Column],
        getters: Sequence[Any],
        make: Any,
        defaults: dict[str, Any],
    ) -> None:
        self.columns = columns
        self.defaults = defaults  # for parts that may be missing
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


def _column(kind: inspect.Type, name: str) -> _Column:
    """The column for the type of the field `name`."""
    match kind:
        case inspect.StrType():
            return _PlainColumn(pa.string())
        case inspect.BytesType():
            return _PlainColumn(pa.binary())
        case inspect.BoolType():
            return _PlainColumn(pa.bool_())
        case inspect.FloatType():
            return _PlainColumn(pa.float64())
        case inspect.IntType():
            return _PlainColumn(pa.uint64() if name in UNSIGNED else pa.int64())
        case inspect.EnumType(cls):
            return _EnumColumn({member.value: member for member in cls})
        case inspect.UnionType((inner, inspect.NoneType()) | (inspect.NoneType(), inner)):
            return _PlainColumn(_column(inner, name).type, nullable=True)
        case inspect.VarTupleType(item):
            return _ListColumn(_column(item, name))
        case inspect.TupleType(items) if len(items) == len(_PAIR):
            columns = {part: _column(item, part) for part, item in zip(_PAIR, items, strict=True)}
            return _StructColumn(columns, [itemgetter(0), itemgetter(1)], lambda *parts: parts, {})
        case inspect.StructType(cls):
            return _struct_column(cls)
    raise TypeError(f"the log has no column for {name}: {kind}")


def _struct_column(cls: type) -> _StructColumn:
    info = inspect.type_info(cls)
    assert isinstance(info, inspect.StructType)
    columns = {field.name: _column(field.type, field.name) for field in info.fields}
    defaults = {field.name: field.default for field in info.fields if not field.required}
    return _StructColumn(columns, [attrgetter(name) for name in columns], cls, defaults)


_VISIT = _struct_column(Visit)
SCHEMA = pa.schema(list(_VISIT.type))


def pack(visits: Sequence[Visit]) -> pa.RecordBatch:
    """Visits to a table with one row each."""
    return pa.RecordBatch.from_struct_array(_VISIT.pack(visits))


def unpack(batch: pa.RecordBatch) -> list[Visit]:
    """A table to visits. Fields without a column get their default."""
    return _VISIT.unpack(batch.to_struct_array())


def paths(fields: Iterable[str] | None) -> list[str] | None:
    """The Parquet columns for fields such as "url", "links" or "links.url"; None for all.

    Always includes required fields, and `time`, which positions need.
    """
    if fields is None:
        return None
    wanted = {*_needed(_VISIT), "time"}
    for field in fields:
        name, _, part = field.partition(".")
        item = getattr(_VISIT.columns[name], "_item", None)
        if isinstance(item, _StructColumn) and part:
            wanted |= {f"{name}.{one}" for one in (*_needed(item), part) if item.columns[one]}
        else:
            wanted.add(field)
    return sorted(path(field) for field in wanted)


def path(field: str) -> str:
    """The Parquet name of a field's column."""
    return field.replace(".", ".list.element.")


def _needed(record: _StructColumn) -> list[str]:
    return [name for name in record.columns if name not in record.defaults]


def leaves() -> list[str]:
    """The Parquet names of all columns."""
    return [leaf for field in SCHEMA for leaf in _leaves(field.name, field.type)]


def _leaves(name: str, kind: pa.DataType) -> list[str]:
    if pa.types.is_list(kind):
        return _leaves(f"{name}.list.element", kind.value_type)
    if pa.types.is_struct(kind):
        return [leaf for field in kind for leaf in _leaves(f"{name}.{field.name}", field.type)]
    return [name]


def missing(schema: pa.Schema) -> list[str]:
    """Required columns that a table lacks."""
    return [name for name in _needed(_VISIT) if name not in schema.names]
