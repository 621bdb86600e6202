"""Commands for databases that Toponaut can use but does not include: data ip."""

from datetime import UTC, datetime
from ipaddress import ip_address
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from toponaut.cli.options import Json
from toponaut.cli.terminal import make_table, print_json, print_table
from toponaut.errors import InputError

if TYPE_CHECKING:
    from toponaut.places.gazetteer import Gazetteer
    from toponaut.places.gazetteer.ip_database import IpDatabase

ABOUT = "Find and check databases that Toponaut can use but does not include."

# Name, address, licence (as its owner states it on that page), notes.
_SOURCES = (
    (
        "DB-IP City Lite",
        "https://db-ip.com/db/download/ip-to-city-lite",
        "CC BY 4.0: credit DB-IP with a link to db-ip.com",
        "no account; monthly; download the MMDB file and unpack it",
    ),
    (
        "MaxMind GeoLite2 City",
        "https://dev.maxmind.com/geoip/geolite2-free-geolocation-data",
        "GeoLite EULA: credit MaxMind; delete a version within 30 days of the next",
        "free account; twice a week; has GeoNames ids",
    ),
    (
        "IP2Location LITE DB11",
        "https://lite.ip2location.com",
        "CC BY-SA 4.0: credit IP2Location with a link",
        "free account; monthly; download the MMDB file",
    ),
)
_IN_THE_JOB = '[collaboration]\nstrategy = "ip"\nmmdb = "dbip-city-lite.mmdb"'


def ip(
    file: Annotated[str | None, Argument(help="An IP-to-city database (MMDB) to check.")] = None,
    look_up: Annotated[
        list[str] | None, Option(help="An IP address to look up in it. Can be repeated.")
    ] = None,
    json: Json = False,
) -> None:
    """List IP-to-city databases for the collaboration "ip", or check one.

    None is included: each has its own licence, which its user has to accept.

        toponaut data ip
        toponaut data ip dbip-city-lite.mmdb --look-up 8.8.8.8 --look-up 2001:4860:4860::8888
    """
    if file is None:
        if look_up:
            raise InputError(
                "no database to look addresses up in", "Name its file: toponaut data ip FILE ..."
            )
        _print_sources(json)
        return
    for address in look_up or ():
        _check_address(address)
    from toponaut.places.gazetteer.cache import open_gazetteer
    from toponaut.places.gazetteer.ip_database import IpDatabase

    database, gazetteer = IpDatabase(file), open_gazetteer()
    _print_about(file, database, gazetteer, json)
    if look_up:
        _print_found(database, gazetteer, look_up, json)


def _check_address(address: str) -> None:
    try:
        ip_address(address)
    except ValueError:
        raise InputError(
            f'"{address}" is not an IP address', "Write one like 8.8.8.8 or 2001:4860:4860::8888"
        ) from None


def _print_sources(json: bool) -> None:
    if json:
        for name, address, licence, notes in _SOURCES:
            print_json({"name": name, "address": address, "licence": licence, "notes": notes})
        return
    print("Free databases to download:\n")
    for name, *lines in _SOURCES:
        print("\n  ".join([name, *lines]) + "\n")
    print(f"Any city database in MMDB format works. Name it in the job:\n\n{_IN_THE_JOB}\n")
    print("Check it first with: toponaut data ip FILE --look-up 8.8.8.8")


def _print_about(file: str, database: "IpDatabase", gazetteer: "Gazetteer", json: bool) -> None:
    """The type and age of a database, and what its first records hold."""
    from toponaut.places.gazetteer.ip_database import locate_record

    records = list(database.sample())
    distinct = {record: locate_record(gazetteer, record) for record in set(records)}
    shares = {
        "a city": [bool(record.city) for record in records],
        "coordinates": [record.point is not None for record in records],
        "a GeoNames id": [record.geoname > 0 for record in records],
        "a city of the gazetteer": [distinct[record] > 0 for record in records],
    }
    about = database.about
    built = datetime.fromtimestamp(about.build_epoch, UTC).date().isoformat()
    protocols = "IPv4 and IPv6" if about.ip_version == 6 else "IPv4"
    has = {name: round(sum(held) / len(records), 3) for name, held in shares.items()}
    if json:
        print_json(
            {"file": file, "type": about.database_type, "built": built, "protocols": protocols}
            | {"sample": len(records), "has": has}
        )
        return
    print(f"{file}: {about.database_type}, built {built}, {protocols}")
    held = ", ".join(f"{share:.0%} {name}" for name, share in has.items())
    print(f"of its first {len(records):,} networks have {held}")


def _print_found(
    database: "IpDatabase", gazetteer: "Gazetteer", addresses: list[str], json: bool
) -> None:
    from toponaut.job.targets import label
    from toponaut.places.gazetteer.ip_database import locate_record

    table = make_table("address", "city", "state", "country", "lat", "lon", "place")
    for address in addresses:
        record = database.record(address)
        number = locate_record(gazetteer, record)
        place = gazetteer.place(number) if number else None
        if json:
            print_json({"address": address, "record": record, "place": place})
        else:
            lat, lon = (f"{degrees:.3f}" for degrees in record.point) if record.point else ("", "")
            named = f"{label(place)} (pop. {place.population:,})" if place else "none"
            table.add_row(address, record.city, record.state, record.country, lat, lon, named)
    if not json:
        print_table(table)


COMMANDS = (ip,)
