"""Rows as the body of an OpenSearch or Elasticsearch bulk request: an action and a document each.

A point is the field `location`, to be mapped as geo_point. The same export twice changes nothing,
because documents have ids.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec import Struct, to_builtins

_encode = msgspec.json.Encoder().encode


def lines(index: str, rows: Iterable[Struct]) -> Iterator[bytes]:
    """The pieces of a file."""
    for row in rows:
        document: dict[str, Any] = to_builtins(row)
        lat, lon = document.pop("lat"), document.pop("lon")
        if lat is not None:
            document["location"] = {"lat": lat, "lon": lon}
        action = {"index": {"_index": index, "_id": document.get("id") or document["url"]}}
        yield _encode(action) + b"\n" + _encode(document) + b"\n"
