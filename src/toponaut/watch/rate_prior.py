"""The rates of changes of each kind of pages, learned from the visits of all of them.

Empirical Bayes: rates within a kind follow a gamma law. Its mean and shape are those that make what
the visits found most likely (the marginal likelihood, as a sum over rates). A small shape means
that pages of a kind differ much, so single pages are soon judged by their own visits; a large one
that they are alike. With few visits, the values that are set below count.
"""

import math
from collections.abc import Mapping

import numpy as np

from toponaut.watch.change_rate import ChangeCounts, Floats, PageKind, RatePrior

# Before any page was visited twice. Set: the facts of a shop change once a year, lists and front
# pages every other week or so.
FIRST_PRIORS: Mapping[PageKind, RatePrior] = {
    PageKind.OTHER: RatePrior(0.01, 1.0),
    PageKind.FRONT: RatePrior(0.05, 1.0),
    PageKind.PLACE: RatePrior(0.003, 1.0),
    PageKind.LIST: RatePrior(0.05, 1.0),
}
_SHAPES = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 8.0, 16.0)
_MEANS = np.geomspace(1e-4, 10.0, 26)
_FINER = np.geomspace(0.65, 1.55, 12)
_RATES = np.geomspace(1e-6, 50.0, 72)  # over which the likelihood is summed
# How far the set values may be off: a factor of ten for the mean, of four for the shape.
_MEAN_OFF, _SHAPE_OFF = math.log(10.0), math.log(4.0)
_DIGITS = 2  # of a fitted mean: one that hardly moves stays the same


def fit_prior(counts: ChangeCounts, first: RatePrior) -> RatePrior:
    """The gamma law that fits what visits to pages of a kind found."""
    if not len(counts.changes):
        return first
    likelihood = _likelihood(counts)
    near = _best(likelihood, _MEANS, first)
    found = _best(likelihood, near.mean * _FINER, first)
    return RatePrior(float(f"{found.mean:.{_DIGITS}g}"), found.shape)


def _likelihood(counts: ChangeCounts) -> Floats:
    """Of each page (row) at each of the rates, up to a factor for each page."""
    mean = counts.changed_days / np.maximum(counts.changes, 1.0)
    missed = -np.expm1(-np.outer(mean, _RATES))
    logs = counts.changes[:, None] * np.log(np.maximum(missed, 1e-300))
    logs += counts.dated[:, None] * np.log(_RATES) - np.outer(counts.same_days, _RATES)
    found: Floats = np.exp(logs - logs.max(axis=1, keepdims=True))
    return found


def _best(likelihood: Floats, means: Floats, first: RatePrior) -> RatePrior:
    laws = [RatePrior(float(mean), shape) for mean in means for shape in _SHAPES]
    weights = np.stack([_weights(law) for law in laws], axis=1)
    fits = np.log(np.maximum(likelihood @ weights, 1e-300)).sum(axis=0)
    off = [
        (math.log(law.mean / first.mean) / _MEAN_OFF) ** 2
        + (math.log(law.shape / first.shape) / _SHAPE_OFF) ** 2
        for law in laws
    ]
    return laws[int(np.argmax(fits - np.array(off) / 2.0))]


def _weights(law: RatePrior) -> Floats:
    """The probabilities of the rates: the density of a gamma law, times the rate (log scale)."""
    logs = law.shape * (np.log(_RATES / law.mean) - _RATES / law.mean)
    densities = np.exp(logs - logs.max())
    weights: Floats = densities / densities.sum()
    return weights
