"""Reasons for assignments, as `toponaut explain` shows them."""

from toponaut.job.owners import OwnerTable
from toponaut.places.gazetteer import Gazetteer

_REMEMBERED = 50_000


def unclaimed(owners: OwnerTable, cause: str) -> str:
    """Why a link about no target goes to its node: "no target is named in the URL: ..."."""
    if len(owners.nodes) == 1:
        return f"{cause}: the only node"
    if not owners.general:
        return f"{cause}, and there is no general node: any node, by hash"
    node = "the general node" if len(owners.general) == 1 else "a general node, by hash"
    return f"{cause}: {node}"


class PlaceWords:
    """Places in words. Cached: reading a place from the gazetteer takes 20 us."""

    def __init__(self, gazetteer: Gazetteer, owners: OwnerTable) -> None:
        self._gazetteer, self._owners = gazetteer, owners
        self._words: dict[tuple[int, str], str] = {}

    def named(self, place: int, text: str) -> str:
        """A place and its target: "Los Angeles (pop. 3,820,914)", "Hollywood in Los Angeles (pop.
        3,820,914)", "New York City as 'nyc' (pop. 8,804,190)"."""
        words = self._words.get((place, text))
        if words is None:
            if len(self._words) > _REMEMBERED:
                self._words.clear()
            words = self._words[place, text] = self._compose(place, text)
        return words

    def _compose(self, place: int, text: str) -> str:
        target = self._gazetteer.place(self._owners.target(place))
        name = self._gazetteer.place(place).name
        alias = f" as '{text}'" if text.casefold() != name.casefold() else ""
        around = "" if target.id == place else f" in {target.name}"
        return f"{name}{alias}{around} (pop. {target.population:,})"
