"""Toponaut: a geographically focused, collaborative web crawler with a geo-referenced search index.

    toponaut.extract("contact.html")             postal addresses in a page
    toponaut.mentions("The mayor of Paris, TX")  place names in a text, and the places they mean
    toponaut.places("Glendale, AZ")              places by name or id
    toponaut.city("Oldenburg, DE")               seeds, crawl, index and exports in one call
    toponaut.seeds("Oldenburg, DE")              web addresses at which a crawl can start
    toponaut.crawl("job.toml", "oldenburg/")     start or resume a crawl
    toponaut.watch("oldenburg/")                 keep a crawl fresh, within a daily budget
    toponaut.open("oldenburg/")                  a crawl's status, results, search and measures

Lists of results are `Records`: to_pandas(), to_geopandas(), to_arrow(), and a map in notebooks.
Bad input raises `InputError`, which says what is wrong and how to fix it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

# Some rooms are named like functions of the API. Importing a room binds its name here, once; so
# this comes first, and the functions replace them. Rooms are imported as `from toponaut.crawl.x`.
for _room in ("crawl", "places", "seeds", "watch"):
    import_module(f"{__name__}.{_room}")

from toponaut.api.crawls import Crawl, crawl, open  # noqa: E402
from toponaut.api.reading import extract, mentions, places, seeds  # noqa: E402
from toponaut.api.results import Records, SearchResults  # noqa: E402
from toponaut.api.watching import watch  # noqa: E402
from toponaut.errors import InputError  # noqa: E402

if TYPE_CHECKING:
    from toponaut.api.cities import city
    from toponaut.job import Job
    from toponaut.records import Address, Mention, Place
    from toponaut.seeds.seed import Seed

__all__ = [
    "Address",
    "Crawl",
    "InputError",
    "Job",
    "Mention",
    "Place",
    "Records",
    "SearchResults",
    "Seed",
    "__version__",
    "city",
    "crawl",
    "extract",
    "mentions",
    "open",
    "places",
    "seeds",
    "watch",
]

_LAZY = {
    "Address": "records",
    "Job": "job",
    "Mention": "records",
    "Place": "records",
    "Seed": "seeds.seed",
    "city": "api.cities",
}


def __getattr__(name: str) -> object:
    """Things whose modules take time to import: `import toponaut` must stay cheap."""
    if name in _LAZY:
        return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
