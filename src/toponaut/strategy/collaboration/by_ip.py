"""By IP address: the node of the page's server's territory (Gao, Lee and Miao 2006, 3.4.5)."""

from collections.abc import Sequence

from toponaut.errors import InputError
from toponaut.job.owners import OwnerTable
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import JudgedPage, Link
from toponaut.strategy.collaboration import Assignment, Collaboration
from toponaut.strategy.setting import LocateIp, Setting


class ByIp(Collaboration):
    """All links of a page go to the node of its server's place: "we assign all extracted URLs of
    page p to the crawling node which is responsible on the computed city-state pair".

    If the server is in no target, they go to the general nodes.
    """

    def __init__(self, locate: LocateIp, owners: OwnerTable, gazetteer: Gazetteer) -> None:
        self._locate = locate
        self._owners = owners
        self._gazetteer = gazetteer

    def assign(self, judged: JudgedPage, links: Sequence[Link]) -> list[Assignment]:
        place = self._locate(judged.ip) if judged.ip else 0
        if place:
            chosen = self._owners.choose([(place, 1.0)], judged.page.url)
            if chosen.target:
                why = self._why(judged.ip, place, chosen.target)
                return [Assignment(chosen.owners, why)] * len(links)
        why = self._why(judged.ip, place, 0)
        return [Assignment((self._owners.unclaimed(link.url),), why) for link in links]

    def _why(self, ip: str, place: int, target: int) -> str:
        if not ip:
            return "the IP address of the page's server is unknown"
        if not place:
            return f"the city of the page's server {ip} is unknown"
        city = self._gazetteer.place(place)
        where = f"the page's server {ip} is in {city.name} (pop. {city.population:,})"
        if not target:
            return f"{where}, which is in no target"
        around = f", which is in {self._gazetteer.place(target).name}" if target != place else ""
        return where + around


def build(setting: Setting) -> ByIp:
    path = setting.job.collaboration.mmdb
    if not path:
        raise InputError(
            "the collaboration ip needs an IP-to-city database",
            "Set collaboration.mmdb to one; `toponaut data ip` says where to get it",
        )
    return ByIp(setting.ip_places(path), setting.owners, setting.names.gazetteer)
