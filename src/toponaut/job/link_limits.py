"""The keys that keep a crawl to a part of the web: their meaning, and faults in them.

    scope, hosts, tlds, include, exclude     a link must satisfy all of them

Rules that no link can satisfy, or no seed, are faults: such a crawl would end at once.
"""

import re
from collections.abc import Callable, Collection, Iterator

from toponaut.job.faults import JobFault
from toponaut.job.sections import Job
from toponaut.job.writing import to_toml
from toponaut.urls import host, normalise, registered_domain, without_www

_SHOWN = 60  # characters of a value in a message


# The site of a host: a link must be on the same site as a seed.
SITES: dict[str, Callable[[str], str]] = {"seeds": without_www, "domain": registered_domain}


def host_named(name: str) -> str:
    """A host as the job writes it, in the form that URLs have; "" if it is not one."""
    return host(f"http://{name}/") if name and not set(name) & set("/:?#@*\\ ") else ""


def is_within(name: str, hosts: Collection[str]) -> bool:
    """Whether a host is one of some hosts, or below one of them."""
    while name:
        if name in hosts:
            return True
        name = name.partition(".")[2]
    return False


def bad_link_limits(job: Job) -> Iterator[JobFault]:
    """All faults in these keys. Rules are compared only if each of them is sound."""
    faults = [*_bad_patterns(job, "include"), *_bad_patterns(job, "exclude"), *_bad_hosts(job)]
    yield from faults
    seeds = [seed for seed in map(normalise, job.seeds) if seed]
    wrong = {fault.path[1] for fault in faults}
    if "hosts" not in wrong:
        yield from _contradictory_hosts(job, [host(seed) for seed in seeds])
    if not wrong & {"include", "exclude"}:
        yield from _contradictory_patterns(job, seeds)


def _bad_patterns(job: Job, key: str) -> Iterator[JobFault]:
    for index, pattern in enumerate(getattr(job.limits, key)):
        try:
            re.compile(pattern)
        except (re.error, OverflowError) as error:
            cause = f"limits.{key}[{index}] {_shown(pattern)} is not a regular expression"
            fix = f"{error}; write \\ before special characters"
            yield JobFault(("limits", key, index), cause, fix)


def _bad_hosts(job: Job) -> Iterator[JobFault]:
    for index, name in enumerate(job.limits.hosts):
        if not host_named(name):
            guess = host(name if "://" in name else f"http://{name.strip().removeprefix('*.')}")
            cause = f"limits.hosts[{index}] must be a host, but is {_shown(name)}"
            fix = f"write {to_toml(guess or 'example.org')}; its subdomains are included"
            yield JobFault(("limits", "hosts", index), cause, fix)


def _contradictory_hosts(job: Job, seeds: list[str]) -> Iterator[JobFault]:
    limits, path = job.limits, ("limits", "hosts")
    hosts = [host_named(name) for name in limits.hosts]
    for index, name in enumerate(hosts):
        if limits.tlds and name.rpartition(".")[2] not in limits.tlds:
            cause = f"limits.hosts[{index}] {_shown(name)} is in none of limits.tlds"
            yield JobFault((*path, index), cause, "add its top-level domain there, or remove it")
    if not seeds:
        return
    if hosts and not any(is_within(seed, hosts) for seed in seeds):
        cause = f"limits.hosts has the host of no seed, such as {_shown(seeds[0])}"
        yield JobFault(path, cause, "add a seed's host, or remove limits.hosts")
    elif limits.scope != "any":
        yield from _off_the_seeds(job, hosts, seeds)
    domains = {seed.rpartition(".")[2] for seed in seeds}
    for index, domain in enumerate(limits.without_tlds):
        if domain in limits.tlds:
            cause = f"limits.without_tlds[{index}] {_shown(domain)} is in limits.tlds, too"
            yield JobFault(("limits", "without_tlds", index), cause, "remove one of them")
    if limits.scope != "any" and limits.tlds and domains.isdisjoint(limits.tlds):
        cause = f'limits.scope is "{limits.scope}", but no seed is in one of limits.tlds'
        yield JobFault(("limits", "tlds"), cause, 'set scope = "any", or add their domains')


def _off_the_seeds(job: Job, hosts: list[str], seeds: list[str]) -> Iterator[JobFault]:
    """Hosts that `scope` keeps the crawl away from."""
    site = SITES[job.limits.scope]
    homes = {site(seed) for seed in seeds}
    for index, name in enumerate(hosts):
        if site(name) not in homes and not any(is_within(home, (name,)) for home in homes):
            where = "host" if job.limits.scope == "seeds" else "domain"
            cause = f"limits.hosts[{index}] {_shown(name)} is on no seed's {where}"
            fix = f'remove it, or set scope = "any" instead of "{job.limits.scope}"'
            yield JobFault(("limits", "hosts", index), cause, fix)


def _contradictory_patterns(job: Job, seeds: list[str]) -> Iterator[JobFault]:
    include, exclude = job.limits.include, job.limits.exclude
    for index, pattern in enumerate(include):
        if pattern in exclude:
            cause = f"limits.include[{index}] {_shown(pattern)} is in limits.exclude, too"
            yield JobFault(("limits", "include", index), cause, "remove one of them")
    if include and seeds and not any(re.search(one, seed) for one in include for seed in seeds):
        cause = f"limits.include matches no seed, such as {_shown(seeds[0])}"
        yield JobFault(("limits", "include"), cause, "add a pattern that matches one, or a seed")


def _shown(value: str) -> str:
    return to_toml(value)[:_SHOWN]
