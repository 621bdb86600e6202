"""The settings of the synthetic web, each with the source of its value.

`python -m bench.synthetic` measures a blind crawl and compares it with the published figures.

Sources: [Gao] Gao, Lee, Miao, "Geographically focused collaborative crawling" (WWW 2006). [Ahlers]
Ahlers, Boll, "Adaptive geospatially focused crawling" (CIKM 2009). [Almanac] HTTP Archive, Web
Almanac, chapters SEO (2025) and Page Weight (2024). [Broder] Broder et al., "Graph structure in the
web" (WWW 2000). Values marked "set" have no source: they bring the measured figures near the
published ones, or provide situations that a crawler must handle.
"""

from msgspec import Struct


class SyntheticSettings(Struct, frozen=True, kw_only=True):
    """The same settings and gazetteer give the same bytes on every machine."""

    seed: int = 0

    # --- sites --------------------------------------------------------------------------------
    # Countries with the weight of their people. Set: the web of Gao's time was mostly American;
    # Germany and Portugal are there for Ahlers' Oldenburg and Lisbon.
    countries: tuple[tuple[str, float], ...] = (("US", 1.0), ("DE", 0.25), ("PT", 0.25))
    people_per_site: int = 120  # set: a city of 100,000 has 833 own sites
    least_sites: int = 4  # of the smallest town: set
    # Sites that are not local. Links go to the one of rank general_sites ** (u ** popularity), with
    # u drawn from 0 to 1. 1 is Zipf's law ([Broder]: in-degrees follow a power law); with 12 the
    # best known hundred get 88 % of the links. Set to lower the hosts per page of a blind crawl
    # ([Gao] Table 8: 0.081; here still 0.46).
    general_sites: int = 1_000_000_000
    popularity: float = 12.0
    local_popularity: float = 5.0  # the same among the sites of a city
    pages_shape: float = 1.1  # pages of a site follow a Pareto law: set
    local_pages: float = 6.0  # the smallest local site
    general_pages: float = 60.0  # the smallest general one
    most_pages: int = 200_000

    # --- places -------------------------------------------------------------------------------
    # A city's share of links grows with this power of its population. [Gao] Table 11: two unlinked
    # pages share their city by URL in 0.026 of the cases, by content in 0.012. That table is of the
    # strategies' own crawls; no blind one is published, so it is taken for one here.
    city_power: float = 0.88
    mention_power: float = 0.20
    # A city's name in the host, by kind of site. Set: URL evidence is strong, but often missing.
    host_city: tuple[tuple[str, float], ...] = (
        ("guide", 0.25), ("chamber", 0.30), ("news", 0.22), ("university", 0.25), ("shop", 0.06),
        ("blog", 0.05),
    )  # fmt: skip
    path_city: float = 0.03  # of local sites: the city in all their paths: set
    anchor_city: float = 0.25  # of links to local sites: with the city's name: set
    # Of pages of local sites: they name their city. [Ahlers]: 10 to 20 % of all pages have location
    # references; so do sections of general sites, by topic. The differences in between are set.
    mention_front: float = 0.55  # front, contact and about pages
    mention_local: float = 0.35  # inner pages
    mention_topics: tuple[tuple[str, float], ...] = (
        ("travel", 0.25), ("sports", 0.13), ("politics", 0.10), ("music", 0.08), ("personal", 0.08),
        ("religion", 0.06), ("finance", 0.05), ("movies", 0.05), ("forum", 0.05), ("cars", 0.03),
        ("shopping", 0.03), ("health", 0.03), ("science", 0.03), ("cooking", 0.03),
        ("software", 0.02), ("games", 0.02), ("directory", 0.04), ("chain", 0.04),
    )  # fmt: skip
    # A section is a run of pages, each linked to the next. Which city: the owner's, one of the
    # topic's own, or any. Set by [Gao] Table 11: linked pages share the city of their content in
    # 0.26 of the cases, unlinked ones in 0.012.
    section_pages: int = 6
    section_names: float = 0.8  # of the pages of such a section: they mention a city
    section_strays: float = 0.5  # of these: any other city
    section_titles: float = 0.35  # of the rest: with the city in title and URL: set
    leaning: float = 0.10
    topic_share: float = 0.20
    topic_cities: int = 12
    misleading: float = 0.02  # of general pages: New York Fries, Paris Hilton: set

    # --- addresses ----------------------------------------------------------------------------
    # [Gao] Table 3: 0.86 % of the pages of a blind crawl have an address in one of the hundred
    # largest US cities. [Ahlers]: over half of the relevant pages are reached through others, so
    # few sites have their address in a footer, and not on every page.
    footer_address: tuple[tuple[str, float], ...] = (
        ("guide", 0.06), ("chamber", 0.12), ("news", 0.06), ("university", 0.12), ("shop", 0.08),
        ("blog", 0.0), ("directory", 0.0), ("chain", 0.0), ("general", 0.008), ("national", 0.015),
    )  # fmt: skip
    footer_pages: float = 0.4  # of the pages of such a site: with that footer: set, as above
    contact_address: float = 0.8  # of contact pages of local sites: set by Gao's 0.86 %
    general_contact: float = 0.2  # of contact pages of general sites: set, as above
    listing_address: float = 0.3  # of sites with lists: with addresses: set
    page_address: float = 0.02  # of other pages of local sites (an event, a department): set

    # --- links --------------------------------------------------------------------------------
    # [Almanac]: the median page has 43 links within its site and 6 to others; one in ten has 174
    # and 25. Here the tail is shorter, so that the mean is about 60.
    links: float = 66.0
    links_spread: float = 0.55  # of the logarithm
    # Times as many by kind of site. [Gao] Table 9: a page of a blind crawl sends 14 links to other
    # nodes, a page met through the names of cities up to 62, so pages of lists are rich in links.
    links_kinds: tuple[tuple[str, float], ...] = (
        ("directory", 2.0), ("chain", 1.5), ("guide", 1.6), ("chamber", 1.6), ("news", 1.8),
        ("university", 1.5), ("national", 1.2), ("general", 0.9), ("shop", 0.7), ("blog", 0.8),
    )  # fmt: skip
    outside: float = 0.13
    # Of local sites. Set: with more, a blind crawl would soon be full of them.
    outside_local: float = 0.04
    listed_link: float = 0.35  # of sites on a list: with a link, not only by name: set, as above
    # Sites on a list, from and to; a city's site of rank sites * u ** listed_popularity. [Gao]
    # Table 5: of the addresses of a blind crawl 0.35 are distinct, so lists repeat each other.
    listed: tuple[int, int] = (5, 30)
    listed_popularity: float = 5.0
    # Of links of a local site to others: to its own city, its state, any city; the rest to general
    # sites. [Gao] Table 11: of linked pages that both name a city in the URL 0.42 name the same, in
    # the content 0.26.
    to_same_city: float = 0.20
    to_same_state: float = 0.04
    to_any_city: float = 0.04
    general_to_local: float = 0.005  # of links of a general site to others: set by Gao's 0.86 %
    # Links of a directory's or chain's page about a city to others of the largest, all alike. Set
    # by Gao's shares of linked and unlinked pages with the same city.
    popular_cities: int = 48
    deep_city: float = 0.5  # of links to directories and chains: to a city's page: set
    deep: float = 0.35  # of links to other sites: to an inner page, not the front page: set
    dead: float = 0.02  # of links: to missing pages: set
    moved: float = 0.02  # of links: to the old path of a page, which redirects: set

    # --- pages --------------------------------------------------------------------------------
    # [Almanac]: the median page has 300 words (2 KB), one in ten more than 1,100 and one in ten
    # fewer than 50; its HTML has 18 KB as sent. Here the text without links.
    text_bytes: float = 2600.0
    text_spread: float = 0.9  # of the logarithm
    latin1: float = 0.15  # of sites; a quarter of them do not declare it: set
    sloppy: float = 0.25  # of sites: markup with errors: set

    # --- faults, all set ----------------------------------------------------------------------
    dead_hosts: float = 0.015  # names that cannot be resolved
    silent_hosts: float = 0.01  # no connection, or a timeout
    failing_hosts: float = 0.015  # a third of their pages answer 503
    slow_hosts: float = 0.04  # 2 to 15 seconds a page
    mirrors: float = 0.01  # sites that copy another
    calendars: float = 0.03  # sites with an endless calendar
    sessions: float = 0.02  # sites with session ids in links
    robots: float = 0.6  # sites with a robots.txt; one in thirty of them forbids everything
    own_address: float = (
        0.3  # local sites with a server in their city; others use hosting companies
    )
