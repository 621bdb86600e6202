"""What collaborations say for their choices: sentences that `toponaut explain` shows."""

from toponaut.job.owners import OwnerTable
from toponaut.places.gazetteer import Gazetteer

_REMEMBERED = 50_000


def unclaimed(owners: OwnerTable, cause: str) -> str:
    """Why a link goes where it goes that is about no target: "no target is named in the URL: a general node, by hash"."""
    if len(owners.nodes) == 1:
        return f"{cause}: the only node"
    if not owners.general:
        return f"{cause}, and there is no general node: any node, by hash"
    return (
        f"{cause}: the general node"
        if len(owners.general) == 1
        else f"{cause}: a general node, by hash"
    )


class PlaceWords:
    """Places in words. What it has told it remembers: to read a place from the gazetteer takes 20 us."""

    def __init__(self, gazetteer: Gazetteer, owners: OwnerTable) -> None:
        self._gazetteer, self._owners = gazetteer, owners
        self._told: dict[tuple[int, str], str] = {}

    def named(self, place: int, text: str) -> str:
        """A place in a target, as it is named: "Los Angeles (pop. 3,820,914)", "Hollywood in Los Angeles (pop. 3,820,914)",
        "New York City as 'nyc' (pop. 8,804,190)"."""
        told = self._told.get((place, text))
        if told is None:
            if len(self._told) > _REMEMBERED:
                self._told.clear()
            told = self._told[place, text] = self._tell(place, text)
        return told

    def _tell(self, place: int, text: str) -> str:
        target = self._gazetteer.place(self._owners.target(place))
        name = self._gazetteer.place(place).name
        said = f"{name} as '{text}'" if text.casefold() != name.casefold() else name
        return f"{said}{'' if target.id == place else f' in {target.name}'} (pop. {target.population:,})"
