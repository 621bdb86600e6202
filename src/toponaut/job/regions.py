"""Faults in the regions of a job: readers, their interests and IPs (Chubak and Shokouhi 2005)."""

from collections.abc import Iterator
from ipaddress import IPv4Network, IPv6Network, ip_network

from toponaut.job.faults import JobFault, Path
from toponaut.job.sections import Job, RegionSection
from toponaut.job.writing import to_toml

Network = IPv4Network | IPv6Network


def bad_regions(job: Job) -> Iterator[JobFault]:
    """Regions without name, targets or terms, wrong IP ranges, and ranges of two regions."""
    names: dict[str, int] = {}
    taken: list[tuple[Network, int]] = []
    for number, region in enumerate(job.regions):
        path: Path = ("regions", number)
        what = f"regions[{number}]" + (f" ({to_toml(region.name)})" if region.name else "")
        yield from _missing(region, path, what)
        if region.name and names.setdefault(region.name.casefold(), number) != number:
            cause = f"{what} has the name of regions[{names[region.name.casefold()]}]"
            yield JobFault((*path, "name"), cause, "give it another name")
        for index, written in enumerate(region.clients):
            at: Path = (*path, "clients", index)
            network = network_of(written)
            if network is None:
                cause = f"{what}: {to_toml(written)} is not an IP range"
                yield JobFault(at, cause, 'write "192.0.2.0/24" or "2001:db8::/32"')
                continue
            for other, owner in taken:
                if owner != number and _overlap(network, other):
                    cause = f"{what}: {written} overlaps {other} of regions[{owner}]"
                    yield JobFault(at, cause, "give each address to one region")
            taken.append((network, number))


def network_of(written: str) -> Network | None:
    """An IP range, or None. Host bits are ignored: 192.0.2.7/24 is 192.0.2.0/24."""
    try:
        return ip_network(written.strip(), strict=False)
    except ValueError:
        return None


def _missing(region: RegionSection, path: Path, what: str) -> Iterator[JobFault]:
    if not region.name.strip():
        yield JobFault((*path, "name"), f"{what} has no name", 'add name = "iran", for example')
    if not region.targets:
        fix = 'add targets = ["Oldenburg, DE"], or remove the region'
        yield JobFault((*path, "targets"), f"{what} has no targets", fix)
    if not any(priority > 0 for priority in region.interests.values()):
        fix = "add interests = { tehran = 2, iran = 4 }, or run `toponaut interests learn`"
        yield JobFault((*path, "interests"), f"{what} has no interests with a priority", fix)


def _overlap(one: Network, other: Network) -> bool:
    return one.version == other.version and one.overlaps(other)
