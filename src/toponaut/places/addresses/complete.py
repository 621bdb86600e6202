"""Town and state for a candidate that leaves them out, taken from its page and marked as inferred."""

from msgspec.structs import replace

from toponaut.places.addresses.candidate import Candidate
from toponaut.places.addresses.home import Home, Homes
from toponaut.places.addresses.us.towns import Towns

_HEADED, _HOMELESS = (
    1.3,
    0.8,
)  # factors on the confidence of a street: the page names a town, or none
_STATED = 0.95  # a state guessed from its town


def complete(candidate: Candidate, homes: Homes, towns: Towns) -> Candidate:
    if not candidate.city and not candidate.postcode:
        return _with_town(candidate, homes.at(candidate.start, candidate.country))
    if candidate.country == "US" and not candidate.state:
        return _with_state(candidate, homes, towns)
    return candidate


def _with_town(candidate: Candidate, home: Home | None) -> Candidate:
    if home is None:
        return replace(candidate, confidence=round(candidate.confidence * _HOMELESS, 3))
    parts = ("city", "state") if home.state else ("city",)
    return replace(
        candidate,
        city=home.city,
        state=home.state,
        place=home.place,
        inferred=(*candidate.inferred, *parts),
        confidence=round(candidate.confidence * _HEADED, 3),
    )


def _with_state(candidate: Candidate, homes: Homes, towns: Towns) -> Candidate:
    """The state of the town's name: one that the page names, else that of the largest town of the name."""
    named = towns.named(candidate.city)
    if not named:
        return candidate
    chosen = next((town for state in homes.states for town in named if town.state == state), None)
    own = homes.of_page("US")
    if chosen is None and own is not None and own.city != candidate.city:
        return _with_town(
            replace(candidate, city=""), own
        )  # "in North Beach, San Francisco": a part of it
    chosen = chosen or named[0]
    return replace(
        candidate,
        state=chosen.state,
        place=chosen.place,
        inferred=(*candidate.inferred, "state"),
        confidence=round(candidate.confidence * _STATED, 3),
    )
