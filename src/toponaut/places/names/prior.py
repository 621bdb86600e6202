"""Scores of a name's candidates before any context: larger places are meant more often."""

import cython
import numpy as np
from numpy.typing import NDArray

from toponaut.places.gazetteer import gazetteer as places
from toponaut.places.gazetteer.gazetteer import Gazetteer
from toponaut.places.names.tokens import Bytes, Index, Ints
from toponaut.records import Kind

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

# Per unit of ln(population): ten times the people are worth 1.3.
_SIZE = cython.declare(cython.double, 0.55)
_BY_ALIAS = cython.declare(cython.double, -0.7)
_BY_WEAK_ALIAS = cython.declare(cython.double, -2.5)
_PART_OF_TOWN = cython.declare(cython.double, -0.6)
# "New York", "São Paulo": of a state or county and its city of the same name, the city is meant,
# unless the text says otherwise. Also "Washington": in most newspapers, the capital.
_NAMESAKE = cython.declare(cython.double, -2.5)
_LARGE_NAMESAKE = cython.declare(cython.double, 13.1)  # ln(500,000)
_TOWN = cython.declare(cython.double, float(np.log(20_000)))

_ALIAS = cython.declare(cython.uchar, places.ALIAS)
_STATE = cython.declare(cython.uchar, places.KINDS.index(Kind.STATE))
_COUNTY = cython.declare(cython.uchar, places.KINDS.index(Kind.COUNTY))
_CITY = cython.declare(cython.uchar, places.KINDS.index(Kind.CITY))


def prior(gazetteer: Gazetteer, rows: Ints, qualities: Bytes, begins: Index) -> NDArray[np.float64]:
    """Scores of candidates without company. Those of each name are adjacent.

    `begins`: where those of each name begin, and the end of all.
    """
    scores = np.empty(len(rows), np.float64)
    score: cython.double[::1] = scores
    row: cython.const[cython.int][::1] = rows
    quality: cython.const[cython.uchar][::1] = qualities
    begin: cython.const[cython.longlong][::1] = begins
    size: cython.const[cython.float][::1] = gazetteer.prior
    level: cython.const[cython.uchar][::1] = gazetteer.levels
    lineage: cython.const[cython.int][:, ::1] = gazetteer.lineage
    k: cython.Py_ssize_t
    other: cython.Py_ssize_t
    name: cython.Py_ssize_t
    is_area: cython.bint
    for name in range(begin.shape[0] - 1):
        for k in range(begin[name], begin[name + 1]):
            score[k] = _SIZE * size[row[k]]
            if quality[k] == _ALIAS:
                score[k] += _BY_ALIAS
            elif quality[k] < _ALIAS:
                score[k] += _BY_WEAK_ALIAS
            if level[row[k]] > _CITY:
                score[k] += _PART_OF_TOWN
            is_area = level[row[k]] == _STATE or level[row[k]] == _COUNTY
            if not is_area:
                continue
            for other in range(begin[name], begin[name + 1]):
                if level[row[other]] != _CITY or quality[other] < _ALIAS:
                    continue
                if size[row[other]] >= _LARGE_NAMESAKE or (
                    size[row[other]] > _TOWN and _is_in(lineage, row[other], row[k])
                ):
                    score[k] += _NAMESAKE
                    break
    return scores


@cython.cfunc
def _is_in(
    lineage: cython.const[cython.int][:, ::1], row: cython.Py_ssize_t, area: cython.int
) -> cython.bint:
    k: cython.Py_ssize_t
    for k in range(lineage.shape[1]):  # noqa: SIM110
        if lineage[row, k] == area:
            return True
    return False
