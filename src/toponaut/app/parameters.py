"""The query parameters of each endpoint, as records that validate and describe themselves.

msgspec converts the query into them and rejects invalid values; descriptions.py makes the OpenAPI
description from the same records. A parameter without a value counts as not given.
"""

import math
import re
from collections.abc import Mapping
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta, Struct, ValidationError

from toponaut.errors import InputError
from toponaut.index import Box, Question

_NUMBER = r"[-+]?\d{1,3}(?:\.\d{1,17})?(?:e-\d{1,2})?"  # scripts also write "1e-7"
_POINT = re.compile(rf"({_NUMBER}),({_NUMBER})", re.ASCII)
_BOX = re.compile(rf"({_NUMBER}),({_NUMBER}),({_NUMBER}),({_NUMBER})", re.ASCII)
_PARAMETER = re.compile(r"\$\.(\w+)")
_MAX_SHOWN = 40  # characters of a wrong value in an error message

QueryText = Annotated[
    str, Meta(max_length=2000, description="What and where, in one line: pizza in lisbon")
]
PlaceId = Annotated[
    int,
    Meta(
        ge=0,
        le=2**53,
        description="A place id, instead of the place in the query; 0: search words only",
    ),
]
PointText = Annotated[
    str, Meta(description="The user's location: latitude,longitude, as in 38.71,-9.14")
]
BoxText = Annotated[
    str,
    Meta(
        description="Section of the map, instead of a place: west,south,east,north, as in"
        " -9.3,38.6,-9.0,38.8"
    ),
]
Limit = Annotated[
    int, Meta(ge=1, le=100, description="Hits to return: a whole number from 1 to 100")
]
Offset = Annotated[
    int, Meta(ge=0, le=4900, description="Hits to skip: a whole number from 0 to 4900")
]
MaxPins = Annotated[
    int, Meta(ge=1, le=5000, description="Pins to return: a whole number from 1 to 5000")
]
MaxTowns = Annotated[
    int, Meta(ge=1, le=500, description="Towns to return: a whole number from 1 to 500")
]
PageNumber = Annotated[int, Meta(ge=0, le=2**53, description="A page number, from a pin or hit")]
PageUrl = Annotated[
    str, Meta(min_length=1, max_length=4096, description="The URL of a page, from a hit")
]


RegionName = Annotated[
    str,
    Meta(
        max_length=200,
        description="Rank for this region of readers, instead of the client's; none: for nobody",
    ),
]


class NoParameters(Struct, frozen=True):
    pass


class QueryParameters(Struct, frozen=True):
    q: QueryText = ""
    place: PlaceId | None = None
    near: PointText = ""
    box: BoxText = ""
    region: RegionName = ""

    def question(self, limit: int = 10, offset: int = 0) -> Question:
        here = parse_point(self.near) if self.near else None
        box = parse_box(self.box) if self.box else None
        return Question(self.q, here, self.place, box, limit, offset)


class SearchParameters(QueryParameters, frozen=True):
    limit: Limit = 10
    offset: Offset = 0


class PinParameters(QueryParameters, frozen=True):
    most: MaxPins = 2000


class SuggestParameters(Struct, frozen=True):
    q: QueryText = ""
    limit: Limit = 8


class HitParameters(Struct, frozen=True):
    number: PageNumber


class PageParameters(Struct, frozen=True):
    url: PageUrl


class TownParameters(Struct, frozen=True):
    box: BoxText
    most: MaxTowns = 60


Parameters = TypeVar("Parameters", bound=Struct)


def read_parameters(given: Mapping[str, str], kind: type[Parameters]) -> Parameters:
    """The parameters of a request. InputError names the wrong one."""
    values = {name: value for name, value in given.items() if value}
    try:
        return msgspec.convert(values, kind, strict=False)
    except ValidationError as error:
        found = _PARAMETER.search(str(error)) or re.search(r"`(\w+)`$", str(error))
        name = found[1] if found else ""
        missing = f"{name} is missing"
        cause = f'{name} is "{_short(values[name])}"' if name in values else missing
        raise InputError(cause, f"Give {name}: {_describe(kind, name)}") from None


def _describe(kind: type[Struct], name: str) -> str:
    """The description of a parameter."""
    fields = msgspec.structs.fields(kind)
    type_ = next(field.type for field in fields if field.name == name)
    types = [type_, *getattr(type_, "__args__", ())]
    found = (meta.description for one in types for meta in getattr(one, "__metadata__", ()))
    text = next((one for one in found if one), "see /openapi.json")
    return text.partition(": ")[2] or f"{text[0].lower()}{text[1:]}"


def parse_point(text: str) -> tuple[float, float]:
    found = _POINT.fullmatch(text)
    lat, lon = (float(part) for part in found.groups()) if found else (math.nan, math.nan)
    if not (-90 <= lat <= 90 and -180 <= lon <= 180):
        fix = "Give latitude and longitude: near=38.71,-9.14"
        raise InputError(f'near is "{_short(text)}"', fix)
    return lat, lon


def parse_box(text: str) -> Box:
    """Longitudes may exceed 180: a map that was dragged around the world has 190 for -170."""
    found = _BOX.fullmatch(text)
    numbers = (float(part) for part in found.groups()) if found else (math.nan,) * 4
    west, south, east, north = numbers
    if not (-90 <= south <= north <= 90 and -999 < west <= east + 360 < 1999):
        fix = "Give west, south, east and north, south first: box=-9.3,38.6,-9.0,38.8"
        raise InputError(f'box is "{_short(text)}"', fix)
    if east - west >= 360:
        return Box(south, -180.0, north, 180.0)
    return Box(south, _wrap(west), north, _wrap(east))


def _wrap(lon: float) -> float:
    return lon if -180 <= lon <= 180 else (lon + 180) % 360 - 180


def _short(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}..."
