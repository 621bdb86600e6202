"""What a strategy is made from: the job, the world, the territories, and the files that the job names, read for it.

Strategies do no I/O, so all that they need of the disk is handed to them here.
"""

from collections.abc import Callable

from msgspec import Struct

from toponaut.job import Job
from toponaut.job.owners import OwnerTable
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.names.anchors import LinkReader
from toponaut.places.names.finder import NameFinder

LocateIp = Callable[
    [str], int
]  # an IP address -> the id of the place where its server stands, 0 if not known


class Setting(Struct, frozen=True):
    """The surroundings of a strategy. The gazetteer is `names.gazetteer`."""

    job: Job
    names: NameFinder
    owners: OwnerTable
    read: Callable[[str], bytes]  # a file that the job names; InputError if it is not there
    ip_places: Callable[[str], LocateIp]  # an MMDB file that the job names, opened
    link_reader: Callable[[], LinkReader]  # one for all strategies
    wordnet: Callable[[], Gazetteer]  # WordNet's toponyms with their part-of relations
