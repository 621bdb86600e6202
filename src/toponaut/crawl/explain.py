"""Every decision on a URL, from the log alone: where it was found, why then, why by whom, and what came of it."""

import re
from collections import Counter
from pathlib import Path

from msgspec import Struct

from toponaut.crawl.directory import Directory
from toponaut.errors import InputError
from toponaut.gate.gate import MAX_REDIRECTS
from toponaut.gate.traps import SEGMENTS, YEARS_AHEAD, YEARS_BACK
from toponaut.job import Job
from toponaut.log import Logs
from toponaut.records import Address, Outcome, Record, Refusal, Visit
from toponaut.urls import host_of, normalise

_SCHEME = re.compile(
    r"[a-z][a-z0-9+.-]*:(?!\d)", re.IGNORECASE
)  # "mailto:", but not "localhost:8080"


class Finding(Struct, frozen=True):
    """A page that links to the URL, and what was decided on the link there."""

    page: str
    sequence: int
    decision: str  # "queued", "known" or "refused"
    why: str = ""  # of a refusal
    anchor: str = ""
    promise: float = 0.0
    ordering_reason: str = ""
    owners: tuple[str, ...] = ()
    owner_reason: str = ""
    depth: int = 0
    hops: int = 0


class Attempt(Struct, frozen=True):
    """A visit to the URL."""

    sequence: int
    node: str
    time: float
    outcome: Outcome
    status: int
    detail: str
    found: int  # sequence of the visit whose link was followed
    seconds: float
    size: int
    content_type: str
    retry: bool
    title: str
    language: str
    relevant: bool
    addresses: tuple[Address, ...]
    scope: tuple[tuple[int, float], ...]
    new: int
    known: int
    refused: dict[str, int]
    archive: str
    offset: int
    length: int


class Explained(Record, frozen=True):
    """All that the log knows of a URL."""

    url: str
    state: str
    found: tuple[Finding, ...]
    visits: tuple[Attempt, ...]

    def __str__(self) -> str:
        """The decisions in words, as `toponaut explain` prints them."""
        from toponaut.crawl.telling import in_words

        return in_words(self)


def explain(root: Path, url: str) -> Explained:
    """Looks a URL up in the log of a crawl; one without its scheme as http, and as https if that was never met."""
    return look_up(root, url)[0]


def look_up(root: Path, url: str) -> tuple[Explained, list[Visit]]:
    """The same, with the visits themselves."""
    directory = Directory(root)
    job = directory.read_job()
    normal, visits, linking = _traced(directory.logs, url)
    found = tuple(_finding(visit, normal, job) for visit in linking)
    attempts = tuple(_attempt(visit) for visit in visits)
    return Explained(
        normal, _state(directory.logs, normal, job, found, attempts), found, attempts
    ), visits


def _traced(logs: Logs, url: str) -> tuple[str, list[Visit], list[Visit]]:
    """The URL in its normal form, its visits, and those that link to it."""
    bare = "://" not in url and not _SCHEME.match(url)
    for spelling in [f"http://{url}", f"https://{url}"] if bare else [url]:
        normal = normalise(spelling)
        if normal is None:
            raise InputError(
                f'"{url}" is no http or https URL',
                "Give it as it stands in the browser's address line",
            )
        traced = normal, *logs.trace(normal)
        if traced[1] or traced[2]:
            break
    return traced


def _finding(visit: Visit, url: str, job: Job) -> Finding:
    for link in visit.links:
        if link.url == url:
            return Finding(
                visit.url, visit.sequence, "queued", anchor=link.anchor, promise=link.promise, ordering_reason=link.ordering_reason,
                owners=link.owners, owner_reason=link.owner_reason, depth=link.depth, hops=link.hops,
            )  # fmt: skip
    for refused in visit.refused:
        if refused.url == url:
            return Finding(
                visit.url, visit.sequence, "refused", why=refusal_in_words(refused.why, url, job)
            )
    return Finding(visit.url, visit.sequence, "known")


def _attempt(visit: Visit) -> Attempt:
    return Attempt(
        sequence=visit.sequence, node=visit.node, time=visit.time, outcome=visit.outcome, status=visit.status,
        detail=visit.detail, found=visit.found_by, seconds=visit.seconds, size=visit.size, content_type=visit.content_type,
        retry=visit.retry, title=visit.title, language=visit.language, relevant=visit.relevant,
        addresses=visit.addresses, scope=visit.scope, new=len(visit.links), known=len(visit.known),
        refused=dict(Counter(one.why.value for one in visit.refused)),
        archive=visit.archive, offset=visit.offset, length=visit.length,
    )  # fmt: skip


def _state(
    logs: Logs, url: str, job: Job, found: tuple[Finding, ...], visits: tuple[Attempt, ...]
) -> str:
    if visits and not visits[-1].retry:
        return visits[-1].outcome.value + (", relevant" if visits[-1].relevant else "")
    since = next((one.sequence for one in reversed(found) if one.decision == "queued"), -1)
    if since >= 0 or visits:
        again = f"{visits[-1].outcome.value}; " if visits else ""
        return again + (
            _given_up(logs, host_of(url), job, since)
            or ("to be tried again" if visits else "waiting")
        )
    if found:
        return "refused" if any(finding.decision == "refused" for finding in found) else "known"
    return "never met"


def _given_up(logs: Logs, host: str, job: Job, since: int) -> str:
    """Why what waited for a host no longer does; "" if it does."""
    pages, enough = 0, job.limits.pages_per_host
    later = since < 0
    for visit in logs.read(("sequence", "url", "outcome", "detail", "dropped")):
        if visit.url and host_of(visit.url) == host:
            pages += visit.outcome in (Outcome.FETCHED, Outcome.NEAR_COPY)
            if visit.dropped and later:
                return f"given up, because its host does not answer ({visit.detail or visit.outcome.value})"
        later = later or visit.sequence == since
    if enough and pages >= enough:
        return f"given up, because its host has given {pages:,} pages (limits.pages_per_host = {enough})"
    return ""


def refusal_in_words(why: Refusal, url: str, job: Job) -> str:
    """Why a link was refused, with the key of the job that decides on it."""
    limits = job.limits
    excluding = [pattern for pattern in limits.exclude if re.search(pattern, url)]
    words = {
        Refusal.NOFOLLOW: "the page asks not to follow it (nofollow; politeness.robots)",
        Refusal.TOO_DEEP: f"more than {limits.depth} links deep in its host (limits.depth) or {SEGMENTS} folders",
        Refusal.TOO_LONG: f"longer than {limits.url_length} characters (limits.url_length)",
        Refusal.REPEATING: "its path repeats itself, as those of traps do",
        Refusal.CALENDAR: f"a calendar's page, {YEARS_AHEAD} years ahead or {YEARS_BACK} years back",
        Refusal.MANY_PARAMETERS: "too many parameters, or one made for a single visitor, as traps have",
        Refusal.FILE_TYPE: "by its name a file of an unwanted type (limits.content_types)",
        Refusal.WRONG_DOMAIN: f"its top-level domain is none of {', '.join(limits.tlds)} (limits.tlds)",
        Refusal.EXCLUDED: f"excluded by the job (limits.exclude: {', '.join(excluding)})",
        Refusal.HOST_FULL: f"its host had given {limits.pages_per_host:,} pages (limits.pages_per_host)",
        Refusal.HOST_FLOODS: "its host had given too many pages that are alike",
        Refusal.HOST_DEAD: "its host had not answered for long and was given up",
        Refusal.TOO_MANY_REDIRECTS: f"more than {MAX_REDIRECTS} redirects in a row led there",
        Refusal.NO_PLACE: "neither its URL nor the words around it name a place (ordering.strategy = geo-rank)",
    }
    return words[why]
