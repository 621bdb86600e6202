"""The region of a client: the readers for whom an answer is ranked (Chubak and Shokouhi 2005).

"Each region consists of one or more IP addresses that identify a group of users." A client belongs
to the region with its address in an IP range (regions.clients of the job). With an IP-to-city
database, other clients belong to the region whose targets contain their city. A user may
choose another region, or none.
"""

from collections.abc import Callable
from ipaddress import ip_address

from toponaut.errors import InputError
from toponaut.job import Job, RegionSection
from toponaut.job.regions import Network, network_of
from toponaut.job.targets import find_place
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.gazetteer.ip_database import open_ip_places

NONE = "none"  # the user wants no region


class ClientRegions:
    """The regions of a job."""

    def __init__(self, job: Job, gazetteer: Gazetteer, mmdb: str = "") -> None:
        self._regions = {region.name: region for region in job.regions}
        self.names = tuple(self._regions)
        self._ranges: list[tuple[Network, str]] = [
            (network, region.name)
            for region in job.regions
            for written in region.clients
            if (network := network_of(written)) is not None
        ]
        self._locate: Callable[[str], int] | None = None
        if mmdb and self._regions:
            self._locate = open_ip_places(gazetteer, mmdb)
            self._region_of = {
                find_place(gazetteer, name).id: region.name
                for region in job.regions
                for name in region.targets
            }
        self._gazetteer = gazetteer

    def region(self, client: str, chosen: str = "") -> RegionSection | None:
        """The region of a client, by its IP address, or the one that the user has chosen."""
        if chosen:
            if chosen != NONE and chosen not in self._regions:
                known = ", ".join((*self.names, NONE))
                raise InputError(f'there is no region "{chosen[:40]}"', f"Choose one of: {known}")
            return self._regions.get(chosen)
        name = self._by_range(client) or self._by_city(client)
        return self._regions.get(name)

    def _by_range(self, client: str) -> str:
        try:
            address = ip_address(client)
        except ValueError:
            return ""
        return next((name for network, name in self._ranges if address in network), "")

    def _by_city(self, client: str) -> str:
        place = self._locate(client) if self._locate else 0
        if not place:
            return ""
        around = (place, *(one.id for one in self._gazetteer.ancestors(place)))
        return next((self._region_of[one] for one in around if one in self._region_of), "")


def terms_of(region: RegionSection | None) -> tuple[str, ...]:
    """A region's terms, the highest priority first."""
    if region is None:
        return ()
    ranked = sorted(region.interests.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(term for term, priority in ranked if priority > 0)
