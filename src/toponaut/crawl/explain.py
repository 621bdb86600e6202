"""Every decision on a URL, from the log alone: where it was found, why then, why by whom, and what came of it."""

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from toponaut.crawl.directory import LOG, Directory
from toponaut.errors import InputError
from toponaut.log import directory_of, find, found_by
from toponaut.records import Address, Outcome, Visit
from toponaut.urls import normalise

_SHOWN = 5  # pages that link to it; the others are counted


class Finding(Struct, frozen=True):
    """A page that links to the URL, and what was decided on the link there."""

    page: str
    sequence: int
    decision: str  # "queued", "known" or "refused"
    why: str = ""  # of a refusal
    anchor: str = ""
    priority: float = 0.0
    why_then: str = ""
    owners: tuple[str, ...] = ()
    why_they: str = ""
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


class Explained(Struct, frozen=True):
    """All that the log knows of a URL."""

    url: str
    state: str
    found: tuple[Finding, ...]
    visits: tuple[Attempt, ...]


def explain(root: Path, url: str) -> Explained:
    """Looks a URL up in the log of a crawl."""
    directory = Directory(root)
    directory.read_job()
    normal = normalise(url if "://" in url else f"http://{url}")
    if normal is None:
        raise InputError(f"{url} is no http or https URL", "Give it as it stands in the browser's address line")
    log = directory_of(directory.log, LOG)
    found = tuple(_finding(visit, normal) for visit in found_by(log, normal))
    visits = tuple(_attempt(visit) for visit in find(log, normal))
    return Explained(normal, _state(found, visits), found, visits)


def _finding(visit: Visit, url: str) -> Finding:
    page = visit.url or "the job's seeds"
    for link in visit.links:
        if link.url == url:
            return Finding(
                page, visit.sequence, "queued", anchor=link.anchor, priority=link.priority, why_then=link.why_then,
                owners=link.owners, why_they=link.why_they, depth=link.depth, hops=link.hops,
            )  # fmt: skip
    for refused in visit.refused:
        if refused.url == url:
            return Finding(page, visit.sequence, "refused", why=refused.why.value)
    return Finding(page, visit.sequence, "known")


def _attempt(visit: Visit) -> Attempt:
    return Attempt(
        sequence=visit.sequence, node=visit.node, time=visit.time, outcome=visit.outcome, status=visit.status,
        detail=visit.detail, seconds=visit.seconds, size=visit.size, content_type=visit.content_type, retry=visit.retry,
        title=visit.title, language=visit.language, relevant=visit.relevant, addresses=visit.addresses, scope=visit.scope,
        new=len(visit.links), known=len(visit.known), refused=dict(Counter(one.why.value for one in visit.refused)),
        archive=visit.archive, offset=visit.offset, length=visit.length,
    )  # fmt: skip


def _state(found: tuple[Finding, ...], visits: tuple[Attempt, ...]) -> str:
    if visits:
        last = visits[-1]
        return f"{last.outcome.value}, to be tried again" if last.retry else last.outcome.value
    if any(finding.decision == "queued" for finding in found):
        return "waiting, or given up with its host"
    if found:
        return f"refused: {found[-1].why}" if found[-1].why else "known"
    return "never met"


# --- for people ----------------------------------------------------------------------------------------------------


def in_words(explained: Explained) -> str:
    """The explanation for people."""
    lines = [f"{explained.url}: {explained.state}"]
    for finding in explained.found[:_SHOWN]:
        lines += _finding_lines(finding)
    if len(explained.found) > _SHOWN:
        lines.append(f"  also on {len(explained.found) - _SHOWN:,} more pages")
    for attempt in explained.visits:
        lines += _attempt_lines(attempt)
    return "\n".join(lines)


def _finding_lines(finding: Finding) -> list[str]:
    anchor = f' as "{finding.anchor}"' if finding.anchor else ""
    lines = [f"  found on   {finding.page}{anchor}" + (", known by then" if finding.decision == "known" else "")]
    if finding.decision == "refused":
        lines.append(f"    refused  {finding.why}")
    if finding.decision == "queued":
        where = f"{finding.hops} links from a seed, {finding.depth} deep in its host"
        lines.append(f"    when     priority {finding.priority:.4g}: {finding.why_then} ({where})")
        lines.append(f"    who      {', '.join(finding.owners)}: {finding.why_they}")
    return lines


def _attempt_lines(attempt: Attempt) -> list[str]:
    time = datetime.fromtimestamp(attempt.time, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    status = f" ({attempt.status})" if attempt.status else ""
    detail = f": {attempt.detail}" if attempt.detail else ""
    again = ", to be tried again" if attempt.retry else ""
    lines = [f"  visited    {time} by {attempt.node}: {attempt.outcome.value}{status}{detail}{again}"]
    if attempt.status:
        kind = f" of {attempt.content_type}" if attempt.content_type else ""
        lines.append(f"    received {attempt.size:,} bytes{kind} in {attempt.seconds:.3f} s")
    if attempt.title:
        lines.append(f"    title    {attempt.title}")
    if attempt.outcome is Outcome.FETCHED:
        lines.append(f"    relevant {'yes' if attempt.relevant else 'no'}, {len(attempt.addresses)} addresses")
        lines += [f"      {_address(address)}" for address in attempt.addresses]
        refused = ", ".join(f"{why} {count}" for why, count in attempt.refused.items())
        links = f"{attempt.new} new, {attempt.known} known" + (f", refused: {refused}" if refused else "")
        lines.append(f"    links    {links}")
    if attempt.archive:
        lines.append(f"    archive  {attempt.archive} at {attempt.offset:,}, {attempt.length:,} bytes")
    return lines


def _address(address: Address) -> str:
    evidence = "+".join(address.evidence) or "text"
    text = " / ".join(address.text.split("\n"))
    said = f' from the text "{text}" at {address.start}-{address.end}' if address.text else ""
    owner = f"{address.organisation}, " if address.organisation else ""
    return f"{owner}{address.normal} (by {evidence}{said}, confidence {address.confidence:.2f})"
