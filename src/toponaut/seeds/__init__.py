"""Where a crawl can start: web addresses of a place, from open data and from files.

seed.py          the normal form of a seed, its file format, and merging of duplicates
area.py          which coordinates are in a place
service.py       polite requests to public services, with a cache
osm.py           OpenStreetMap: Overpass and extracts
place_files.py   Overture, Foursquare and AllThePlaces files
wikidata.py      Wikidata's query service
directory.py     Curlie and ODP, lists of addresses
common_crawl.py  Common Crawl's index
likely_hosts.py  host names that a place probably has
find.py          all of these, filtered and ranked by geo-rank
"""
