"""Lists of results: plain lists with conversions to tables, and a table and a map in notebooks."""

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar, overload

from toponaut.errors import InputError

if TYPE_CHECKING:
    import geopandas
    import pandas
    import pyarrow
    from msgspec import Struct

    from toponaut.index import Hit, SearchAnswer  # noqa: F401 (Hit: in the name of a base class)
    from toponaut.index.query.organisations import (  # noqa: F401 (in the name of a base class)
        OrganisationAnswer,
        OrganisationHit,
    )

T = TypeVar("T", bound="Struct")
Columns = Mapping[str, Callable[[T], object]]


class Records(list[T]):
    """A list of records. Slices are Records, too.

    `kind` is the records' class: it gives an empty list its columns. `added` computes further
    columns from a record, for example the coordinates of a mention's place.
    """

    def __init__(
        self, records: Iterable[T], kind: "type[T]", added: Columns[T] | None = None
    ) -> None:
        super().__init__(records)
        self.kind = kind
        self._added: Columns[T] = added or {}

    @overload
    def __getitem__(self, index: SupportsIndex) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> "Records[T]": ...
    def __getitem__(self, index: SupportsIndex | slice) -> "T | Records[T]":
        if isinstance(index, slice):
            return Records(super().__getitem__(index), self.kind, self._added)
        return super().__getitem__(index)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the table that `to_pandas` and the other conversions give."""
        return (*self.kind.__struct_fields__, *self._added)

    def to_dicts(self) -> list[dict[str, Any]]:
        """One plain dict per record, with all columns. Dates are datetime objects."""
        from datetime import datetime

        from msgspec import to_builtins

        return [
            to_builtins(record, builtin_types=(datetime,))
            | {name: compute(record) for name, compute in self._added.items()}
            for record in self
        ]

    def to_pandas(self) -> "pandas.DataFrame":
        """A pandas DataFrame. Needs pandas."""
        return _optional("pandas").DataFrame(self.to_dicts(), columns=list(self.columns))

    def to_geopandas(self) -> "geopandas.GeoDataFrame":
        """A GeoDataFrame with points in WGS 84; no geometry where no point is known."""
        if not {"lat", "lon"} <= set(self.columns):
            raise InputError(f"{self.kind.__name__} has no coordinates", "Use to_pandas()")
        geopandas = _optional("geopandas")
        frame = self.to_pandas()
        lat, lon = frame["lat"].astype(float), frame["lon"].astype(float)
        points = geopandas.GeoSeries(geopandas.points_from_xy(lon, lat), index=frame.index)
        points[lat.isna() | lon.isna()] = None
        return geopandas.GeoDataFrame(frame, geometry=points, crs="EPSG:4326")

    def to_arrow(self) -> "pyarrow.Table":
        """A pyarrow Table. Nested fields are lists and structs."""
        import pyarrow

        rows = self.to_dicts()
        return pyarrow.table({name: [row[name] for row in rows] for name in self.columns})

    def _repr_html_(self) -> str:
        from toponaut.api.notebook import records_html

        return records_html(self)


class SearchResults(Records["Hit"]):
    """The pages that a search found. `answer` says how the query was understood."""

    def __init__(self, answer: "SearchAnswer") -> None:
        from toponaut.index import Hit

        added: Columns[Hit] = {
            "lat": lambda hit: hit.point.lat if hit.point else None,
            "lon": lambda hit: hit.point.lon if hit.point else None,
        }
        super().__init__(answer.hits, Hit, added)
        self.answer = answer


class OrganisationResults(Records["OrganisationHit"]):
    """The organisations that a search found. `answer` says how the query was understood."""

    def __init__(self, answer: "OrganisationAnswer") -> None:
        from toponaut.index.query.organisations import OrganisationHit

        super().__init__(answer.organisations, OrganisationHit)
        self.answer = answer


def _optional(package: str) -> Any:
    try:
        return import_module(package)
    except ImportError:
        raise InputError(
            f"{package} is not installed", f"Install it: pip install {package}"
        ) from None
