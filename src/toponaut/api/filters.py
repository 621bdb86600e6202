"""The filters that exports and lists of results have in common."""

from typing import TYPE_CHECKING

from toponaut.errors import InputError

if TYPE_CHECKING:
    from toponaut.export.selection import ExportFilter

Box = tuple[float, float, float, float]  # west, south, east, north, in degrees


def make_wanted(
    relevant_only: bool | None,
    in_targets: bool,
    min_confidence: float,
    bbox: Box | None,
    place: str | int,
) -> "ExportFilter":
    """The filters of an export; a box that is not on Earth is an InputError."""
    from toponaut.export.selection import ExportFilter
    from toponaut.index import Box as IndexBox

    box = None
    if bbox is not None:
        west, south, east, north = bbox
        if not (-180 <= west <= 180 and -180 <= east <= 180 and -90 <= south <= north <= 90):
            raise InputError(
                f'--bbox is "{",".join(f"{degrees:g}" for degrees in bbox)}"',
                "Give west, south, east and north in degrees: --bbox 8.1,53.1,8.3,53.2",
            )
        box = IndexBox(south, west, north, east)
    return ExportFilter(relevant_only, in_targets, min_confidence, box, str(place))
