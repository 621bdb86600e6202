"""The content formula for a few places."""

from collections.abc import Iterable

import numpy as np

from toponaut.places.gazetteer import Gazetteer
from toponaut.places.scope import ContentCounts, ContentFormula
from toponaut.records import Place


def content_scope(
    gazetteer: Gazetteer, counts: ContentCounts, targets: Iterable[Place]
) -> dict[int, float]:
    """The formula for these places only, without the places in them."""
    target_of = np.full(len(gazetteer), -1, np.int32)
    rows = [gazetteer.row(place.id) for place in targets]
    target_of[rows] = rows
    return ContentFormula(gazetteer, target_of).weigh(counts)
