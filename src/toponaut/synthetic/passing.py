"""The cities that pages of general sites mention in passing.

Pages come in sections of a few neighbours, which link to each other. A section mentions a city with
odds that depend on its topic: travel often, software hardly. The city is that of the site's owner,
one of the topic's own (films and Los Angeles), or any; the whole section has the same. Some of the
pages have the city in title, URL and the text of links to them, yet no address.
"""

from functools import lru_cache

from toponaut.synthetic.chance import mix, name_key, unit
from toponaut.synthetic.settings import SyntheticSettings
from toponaut.synthetic.sites import SiteKind, SyntheticSite, SyntheticSites
from toponaut.synthetic.world import SyntheticCity, SyntheticWorld

_REMEMBERED = 100_000  # sections
_SALT = 40_000  # of draws for sections, apart from those for pages


class PassingCities:
    """The city of a section of a general site."""

    def __init__(
        self, world: SyntheticWorld, sites: SyntheticSites, settings: SyntheticSettings
    ) -> None:
        self._world, self._sites, self._settings = world, sites, settings
        self._topics = dict(settings.mention_topics)
        self._section_city = lru_cache(_REMEMBERED)(self._draw_city)

    def mentioned(self, site: SyntheticSite, number: int) -> SyntheticCity | None:
        """The city that a page mentions. Numbers below 0: the front page and other fixed ones."""
        city = self._city(site, number)
        if city is None:
            return None
        draw, settings = unit(site.key, _SALT + 4 * number + 1), self._settings
        if draw >= settings.section_names:
            return None
        if draw < settings.section_names * settings.section_strays:
            return self._world.draw_named(unit(site.key, _SALT + 4 * number + 2))
        return city

    def in_title(self, site: SyntheticSite, number: int) -> SyntheticCity | None:
        """The city in a page's title and URL."""
        if unit(site.key, _SALT + 4 * number) >= self._settings.section_titles:
            return None
        return self.mentioned(site, number)

    def _city(self, site: SyntheticSite, number: int) -> SyntheticCity | None:
        if site.is_local:
            return None
        return self._section_city(site.number, number // self._settings.section_pages)

    def _draw_city(self, number: int, section: int) -> SyntheticCity | None:
        site = self._sites.site(number)
        key = mix(site.key, _SALT - 1 - section)
        share = self._topics.get(site.subject, 0.0)
        if site.kind is SiteKind.NATIONAL:
            share = min(2 * share + 0.1, 0.9)  # magazines: they write about places
        if unit(key, 1) >= share:
            return None
        owner = self._sites.city(site)
        settings, draw = self._settings, unit(key, 2)
        if owner is not None and draw < settings.leaning:
            return owner
        if draw >= 1.0 - settings.topic_share:
            own = mix(name_key(site.subject), mix(key, 4) % settings.topic_cities)
            return self._world.draw_named(unit(own, 5))
        return self._world.draw_named(unit(key, 3))
