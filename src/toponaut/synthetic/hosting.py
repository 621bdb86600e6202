"""Where servers stand: an address for every host, out of 2001:db8::/32, which is kept for documentation (RFC 3849).

The 32 bits behind the prefix are the id of the place where the server stands, so that every city has a network of its own,
and `networks` is all that an IP-to-city database needs.
"""

from collections.abc import Iterator

from toponaut.synthetic.chance import mix, unit
from toponaut.synthetic.settings import Settings
from toponaut.synthetic.sites import Site, Sites
from toponaut.synthetic.world import City, World

_HOSTERS = 15  # of the largest cities of a country: where the hosters are
_PER_ADDRESS = 24  # hosts share an address where a hoster puts them together
_ADDRESSES = 4096  # of one city


class Hosting:
    def __init__(self, world: World, sites: Sites, settings: Settings) -> None:
        self._world = world
        self._sites = sites
        self._own = settings.own_address
        self._hosters = {
            country: [city for city in world.cities if city.country == country][:_HOSTERS]
            for country, _ in settings.countries
        }

    def city(self, site: Site) -> City:
        """The city where a site's server stands: its own, or a hoster's."""
        home = self._sites.city(site)
        if home is not None and unit(site.key, 100) < self._own:
            return home
        hosters = self._hosters[home.country if home else "US"]
        return hosters[int(len(hosters) * unit(site.key, 101) ** 2)]

    def ip(self, site: Site) -> str:
        place = self.city(site).place
        shared = mix(site.key, 102) % (_ADDRESSES // _PER_ADDRESS)
        return f"2001:db8:{place >> 16 & 0xFFFF:x}:{place & 0xFFFF:x}::{shared + 1:x}"

    def networks(self) -> Iterator[tuple[str, City]]:
        """Every city's network."""
        for city in self._world.cities:
            yield f"2001:db8:{city.place >> 16 & 0xFFFF:x}:{city.place & 0xFFFF:x}::/64", city
