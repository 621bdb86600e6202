"""By IP address: links go to the node in whose territory the page's server stands (Gao, Lee and Miao 2006, 3.4.5)."""

from collections.abc import Sequence

from toponaut.errors import InputError
from toponaut.job.owners import OwnerTable
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import JudgedPage, Link
from toponaut.strategy.collaboration.protocol import Assignment, Collaboration
from toponaut.strategy.setting import LocateIp, Setting


class ByIp(Collaboration):
    """All links of a page go where its own server stands: "we assign all extracted URLs of page p to the crawling node
    which is responsible on the computed city-state pair". A server in no target leaves them to the general nodes."""

    def __init__(self, locate: LocateIp, owners: OwnerTable, gazetteer: Gazetteer) -> None:
        self._locate = locate
        self._owners = owners
        self._gazetteer = gazetteer

    def assign(self, judged: JudgedPage, links: Sequence[Link]) -> list[Assignment]:
        place = self._locate(judged.ip) if judged.ip else 0
        if place:
            chosen = self._owners.choose([(place, 1.0)], judged.page.url)
            if chosen.target:
                return [
                    Assignment(chosen.owners, self._why(judged.ip, place, chosen.target))
                ] * len(links)
        why = self._why(judged.ip, place, 0)
        return [Assignment((self._owners.unclaimed(link.url),), why) for link in links]

    def _why(self, ip: str, place: int, target: int) -> str:
        if not ip:
            return "no address of a page's server is known"
        if not place:
            return f"the page's server {ip} stands in no city that is known"
        city = self._gazetteer.place(place)
        where = f"the page's server {ip} stands in {city.name} (pop. {city.population:,})"
        if not target:
            return f"{where}, which is no target"
        return (
            where
            if target == place
            else f"{where}, which lies in {self._gazetteer.place(target).name}"
        )


def build(setting: Setting) -> ByIp:
    path = setting.job.collaboration.mmdb
    if not path:
        raise InputError(
            "the collaboration ip needs an IP-to-city database",
            "Name one as collaboration.mmdb; see where to get it with: toponaut data ip",
        )
    return ByIp(setting.ip_places(path), setting.owners, setting.names.gazetteer)
