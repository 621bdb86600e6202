"""What a strategy is built from. Strategies do no I/O, so file contents are passed in here."""

from collections.abc import Callable

from msgspec import Struct

from toponaut.job import Job
from toponaut.job.owners import OwnerTable
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.names.anchors import LinkReader
from toponaut.places.names.finder import NameFinder

LocateIp = Callable[[str], int]  # an IP address -> the id of its server's place, 0 if unknown


class Setting(Struct, frozen=True):
    """The inputs of a strategy. The gazetteer is `names.gazetteer`."""

    job: Job
    names: NameFinder
    owners: OwnerTable
    read: Callable[[str], bytes]  # reads a file that the job names; InputError if missing
    ip_places: Callable[[str], LocateIp]  # opens an MMDB file that the job names
    link_reader: Callable[[], LinkReader]  # shared by all strategies
    wordnet: Callable[[], Gazetteer]  # WordNet's toponyms with their part-of relations
