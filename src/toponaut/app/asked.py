"""What may be asked: the parameters of each endpoint, as records that check themselves and describe themselves.

msgspec reads the query into them and refuses what does not fit; app/openapi.py makes the description of the API from the same
records, so that the two cannot part. A parameter that is given without a value counts as not given.
"""

import math
import re
from collections.abc import Mapping
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta, Struct, ValidationError

from toponaut.errors import InputError
from toponaut.index import Box, Question

_NUMBER = r"[-+]?\d{1,3}(?:\.\d{1,17})?(?:e-\d{1,2})?"  # as scripts write them, too: "1e-7"
_SPOT = re.compile(rf"({_NUMBER}),({_NUMBER})", re.ASCII)
_BOX = re.compile(rf"({_NUMBER}),({_NUMBER}),({_NUMBER}),({_NUMBER})", re.ASCII)
_WHICH = re.compile(r"\$\.(\w+)")
_MOST_SHOWN = 40  # characters of a wrong value that are repeated to whoever sent it

Words = Annotated[
    str, Meta(max_length=2000, description="What and where, in one line: pizza in lisbon")
]
PlaceId = Annotated[
    int,
    Meta(
        ge=0,
        le=2**53,
        description="The id of a place, instead of what the query names; 0: take all words as words",
    ),
]
Spot = Annotated[
    str,
    Meta(description="Where the asker is, for what is near: latitude,longitude, as in 38.71,-9.14"),
]
Stretch = Annotated[
    str,
    Meta(
        description="A stretch of the map, instead of any place: west,south,east,north, as in -9.3,38.6,-9.0,38.8"
    ),
]
Limit = Annotated[int, Meta(ge=1, le=100, description="Hits to give: a whole number from 1 to 100")]
Offset = Annotated[
    int, Meta(ge=0, le=4900, description="Hits to leave out first: a whole number from 0 to 4900")
]
Most = Annotated[
    int, Meta(ge=1, le=5000, description="Pins to give: a whole number from 1 to 5000")
]
MostTowns = Annotated[
    int, Meta(ge=1, le=500, description="Towns to give: a whole number from 1 to 500")
]
Number = Annotated[
    int, Meta(ge=0, le=2**53, description="The number of a page, as pins and hits have it")
]
Url = Annotated[
    str, Meta(min_length=1, max_length=4096, description="The URL of a page, as hits have it")
]


class Nothing(Struct, frozen=True):
    """No parameters."""


class Asked(Struct, frozen=True):
    q: Words = ""
    place: PlaceId | None = None
    near: Spot = ""
    box: Stretch = ""

    def question(self, limit: int = 10, offset: int = 0) -> Question:
        spot = spot_in(self.near) if self.near else None
        box = box_in(self.box) if self.box else None
        return Question(self.q, spot, self.place, box, limit, offset)


class Search(Asked, frozen=True):
    limit: Limit = 10
    offset: Offset = 0


class Pins(Asked, frozen=True):
    most: Most = 2000


class Hit(Struct, frozen=True):
    number: Number


class Page(Struct, frozen=True):
    url: Url


class Towns(Struct, frozen=True):
    box: Stretch
    most: MostTowns = 60


Query = TypeVar("Query", bound=Struct)


def read(given: Mapping[str, str], wanted: type[Query]) -> Query:
    """The parameters of a request; InputError with the one that is wrong."""
    said = {name: value for name, value in given.items() if value}
    try:
        return msgspec.convert(said, wanted, strict=False)
    except ValidationError as error:
        found = _WHICH.search(str(error)) or re.search(r"`(\w+)`$", str(error))
        name = found[1] if found else ""
        raise InputError(_told(name, said), f"Give {name}: {_about(wanted, name)}") from None


def _told(name: str, said: Mapping[str, str]) -> str:
    if name not in said:
        return f"{name} is missing"
    return f'{name} is "{_short(said[name])}"'


def _about(wanted: type[Struct], name: str) -> str:
    """What a parameter's type says of itself."""
    hints = msgspec.structs.fields(wanted)
    kind = next(field.type for field in hints if field.name == name)
    options = [kind, *getattr(kind, "__args__", ())]
    told = (meta.description for one in options for meta in getattr(one, "__metadata__", ()))
    said = next((one for one in told if one), "see /openapi.json")
    return said.partition(": ")[2] or f"{said[0].lower()}{said[1:]}"


def spot_in(text: str) -> tuple[float, float]:
    found = _SPOT.fullmatch(text)
    lat, lon = (float(part) for part in found.groups()) if found else (math.nan, math.nan)
    if not (-90 <= lat <= 90 and -180 <= lon <= 180):
        raise InputError(
            f'near is "{_short(text)}"', "Give latitude and longitude: near=38.71,-9.14"
        )
    return lat, lon


def box_in(text: str) -> Box:
    """A map that was turned around the world says 190 for -170: that is understood."""
    found = _BOX.fullmatch(text)
    west, south, east, north = (
        (float(part) for part in found.groups()) if found else (math.nan,) * 4
    )
    if not (-90 <= south <= north <= 90 and -999 < west <= east + 360 < 1999):
        cure = "Give west, south, east and north, south first: box=-9.3,38.6,-9.0,38.8"
        raise InputError(f'box is "{_short(text)}"', cure)
    if east - west >= 360:
        return Box(south, -180.0, north, 180.0)
    return Box(south, _wrapped(west), north, _wrapped(east))


def _wrapped(lon: float) -> float:
    return lon if -180 <= lon <= 180 else (lon + 180) % 360 - 180


def _short(text: str) -> str:
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."
