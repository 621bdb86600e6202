"""The knobs of the synthetic web, each with where its value comes from.

`python -m bench.synthetic` measures what they bring about under a blind crawl, beside the published figures.

Sources: [Gao] Gao, Lee, Miao, "Geographically focused collaborative crawling" (WWW 2006). [Ahlers] Ahlers, Boll,
"Adaptive geospatially focused crawling" (CIKM 2009). [Almanac] HTTP Archive, Web Almanac, chapters SEO (2025) and Page
Weight (2024). [Broder] Broder et al., "Graph structure in the web" (WWW 2000). What has no source there is marked "set":
chosen so that the measured figures come out near the published ones, or because a crawler must meet such things and no
figure is known.
"""

from msgspec import Struct


class Settings(Struct, frozen=True, kw_only=True):
    """One web. The same settings and gazetteer give the same bytes on every machine."""

    seed: int = 0

    # --- what the web is made of --------------------------------------------------------------
    # Countries with the weight of their people. Set: the web of Gao's time was mostly American; German and Portuguese
    # regions are there so that Ahlers' Oldenburg and Lisbon can be crawled.
    countries: tuple[tuple[str, float], ...] = (("US", 1.0), ("DE", 0.25), ("PT", 0.25))
    people_per_site: int = 120  # set: a city of 100,000 has 833 sites of its own
    least_sites: int = 4  # of the smallest town: set
    # Sites about nothing local. A link leads to the one of rank general_sites ** (u ** popularity) for a u drawn between 0 and
    # 1: with 1 this is Zipf's law ([Broder]: in-degrees follow a power law), with 12 the best known hundred get 88 % of the
    # links instead of 22. Set to lower the hosts that a blind crawl meets per page ([Gao] Table 8: 0.081; here still 0.46).
    general_sites: int = 1_000_000_000
    popularity: float = 12.0
    local_popularity: float = 5.0  # the same among the sites of a city
    pages_shape: float = 1.1  # pages of a site follow a Pareto law: set
    local_pages: float = 6.0  # the smallest local site
    general_pages: float = 60.0  # the smallest general one
    most_pages: int = 200_000

    # --- where places stand -------------------------------------------------------------------
    # A city's share of links grows with this power of its people. [Gao] Table 11: two unlinked pages share their city by
    # URL in 0.026 of the cases, by content in 0.012; the hundred largest by people alone would give 0.035, all alike 0.010.
    city_power: float = 0.88
    mention_power: float = 0.20
    # A city's name in the host name, by kind of site: set, so that URL evidence is strong where it is, and often missing.
    host_city: tuple[tuple[str, float], ...] = (
        ("guide", 0.25), ("chamber", 0.30), ("news", 0.22), ("university", 0.25), ("shop", 0.06), ("blog", 0.05),
    )  # fmt: skip
    path_city: float = 0.03  # of local sites: in all their paths: set
    anchor_city: float = (
        0.25  # of the links to local sites from elsewhere: with the city's name: set
    )
    mention_general: float = (
        0.50  # of the pages about nothing local: they name a city by the way: set
    )
    mention_local: float = 0.45  # of the inner pages of local sites: they name their city: set
    leaning: float = 0.10  # of the pages that name a city by the way: that of their site's owner: set by Gao's 0.26
    misleading: float = 0.02  # of the pages about nothing local: New York Fries, Paris Hilton: set

    # --- who has an address -------------------------------------------------------------------
    # [Gao] Table 3: 0.86 % of the pages of a blind crawl have an address in one of the hundred largest US cities.
    # [Ahlers]: over half of the relevant pages are reached through pages that are not, so few sites have their
    # address at the foot of every page.
    footer_address: tuple[tuple[str, float], ...] = (
        ("guide", 0.03), ("chamber", 0.06), ("news", 0.03), ("university", 0.06), ("shop", 0.03), ("blog", 0.0),
        ("directory", 0.0), ("chain", 0.0), ("general", 0.003), ("national", 0.006),
    )  # fmt: skip
    contact_address: float = 0.4  # of the contact pages of local sites: set
    general_contact: float = 0.12  # of those of general sites: set
    listing_address: float = 0.15  # of the sites that list others: with their addresses: set
    page_address: float = 0.02  # of the other pages of local sites (an event, a department): set

    # --- links --------------------------------------------------------------------------------
    # [Almanac]: the median page has 43 links within its site and 6 to others; one in ten has 174 and 25. Here the tail is
    # shorter, so that the mean stays near 60.
    links: float = 66.0
    links_spread: float = 0.55  # of the logarithm
    outside: float = 0.13
    # Of local sites. Set: with more, they would be found faster than others, and the blind crawl soon be full of them.
    outside_local: float = 0.04
    listed_link: float = (
        0.35  # of the sites on a list: with a link, not only by name: set for the same reason
    )
    # Of the links of a local site to others: to its own city, its state, any city. The rest leads to general sites.
    # [Gao] Table 11: of linked pages that both name a city in the URL 0.42 name the same, in the content 0.26.
    to_same_city: float = 0.20
    to_same_state: float = 0.04
    to_any_city: float = 0.04
    # Of the links of a general site to others: to a local site, of any city. Set by Gao's 0.86 %.
    general_to_local: float = 0.004
    popular_cities: int = (
        24  # that every page of a directory or a chain about a city leads to: set by the same
    )
    # Of the links to directories and chains: to their page for a city. Set by the same.
    deep_city: float = 0.5
    deep: float = (
        0.35  # of the links to another site: to one of its pages, not to its front page: set
    )
    dead: float = 0.02  # of the links: to pages that are gone: set
    moved: float = (
        0.02  # of the links: to where a page once was, which answers with a redirect: set
    )

    # --- what a page looks like ---------------------------------------------------------------
    # [Almanac]: the median page has 300 words (2 KB), one in ten more than 1,100 and one in ten fewer than 50; its HTML has
    # 18 KB as sent. Here the text beside the links.
    text_bytes: float = 2600.0
    text_spread: float = 0.9  # of the logarithm
    latin1: float = 0.15  # of the sites; in a quarter of them nothing declares it: set
    sloppy: float = 0.25  # of the sites: markup with errors: set

    # --- what goes wrong: all set -------------------------------------------------------------
    dead_hosts: float = 0.015  # names that cannot be resolved
    silent_hosts: float = 0.01  # no connection, or a timeout
    failing_hosts: float = 0.015  # a third of their pages answer 503
    slow_hosts: float = 0.04  # 2 to 15 seconds a page
    mirrors: float = 0.01  # sites that are a copy of another
    calendars: float = 0.03  # sites with a calendar without end
    sessions: float = 0.02  # sites that put a session id into their links
    robots: float = 0.6  # sites with a robots.txt; one in thirty of those forbids everything
    own_address: float = (
        0.3  # local sites whose server stands in their city; the others' stand with a few hosters
    )
