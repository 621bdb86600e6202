"""IP-to-city databases: any MMDB file that a user has, opened and checked. The file is mapped, not read."""

from collections.abc import Iterator
from itertools import islice

import maxminddb
from maxminddb import InvalidDatabaseError
from maxminddb.reader import Reader

from toponaut.errors import InputError
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.ip import IpRecord, place_of, read_record
from toponaut.strategy.setting import LocateIp

WHERE_TO_GET = "See where to get one with: toponaut data ip"
SAMPLE = 10_000  # networks that are looked at to see what a database has: 0.1 s, and city databases show cities at once
_REMEMBERED = 100_000  # addresses, and as many records


class IpDatabase:
    """An MMDB file. One that has no cities is an InputError, as is what is no MMDB file at all."""

    def __init__(self, path: str) -> None:
        try:
            self._reader: Reader = maxminddb.open_database(path)
        except OSError as error:
            raise InputError(
                f"{path} cannot be read ({error.strerror or error})", WHERE_TO_GET
            ) from error
        except (InvalidDatabaseError, ValueError) as error:
            raise InputError(
                f"{path} is no MMDB file", f"Give an IP-to-city database. {WHERE_TO_GET}"
            ) from error
        self.about = self._reader.metadata()
        if not any(record.city for record in self.sample()):
            self.close()
            raise InputError(
                f'{path} has no cities (it is a "{self.about.database_type}")',
                f"Give a database of cities, not of countries or networks. {WHERE_TO_GET}",
            )

    def sample(self) -> Iterator[IpRecord]:
        """The first records, network by network."""
        try:
            for _, record in islice(self._reader, SAMPLE):
                yield read_record(record)
        except (InvalidDatabaseError, ValueError):
            return  # a file cut short: what came before counts

    def record(self, address: str) -> IpRecord:
        """What it says of an address; nothing where it has none, or where that is no address."""
        try:
            return read_record(self._reader.get(address))
        except (InvalidDatabaseError, ValueError):  # also IPv6 in a database of IPv4
            return IpRecord()

    def close(self) -> None:
        self._reader.close()


def open_ip_places(gazetteer: Gazetteer, path: str) -> LocateIp:
    """A database that a job names, as the places of addresses. Answers are remembered: crawls meet servers again."""
    database = IpDatabase(path)
    addresses: dict[str, int] = {}
    records: dict[IpRecord, int] = {}  # many addresses share one; to place it may take 1 ms

    def locate(address: str) -> int:
        place = addresses.get(address)
        if place is None:
            record = database.record(address)
            if record not in records:
                _forget_if_full(records)
                records[record] = place_of(gazetteer, record)
            _forget_if_full(addresses)
            place = addresses[address] = records[record]
        return place

    return locate


def _forget_if_full(memory: dict[str, int] | dict[IpRecord, int]) -> None:
    if len(memory) >= _REMEMBERED:
        memory.clear()
