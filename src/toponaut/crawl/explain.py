"""Explains every decision about a URL from the log alone: why it, why then, why by this node."""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from toponaut.crawl.directory import Directory
from toponaut.crawl.refusals import refusal_in_words
from toponaut.errors import InputError
from toponaut.gate.domains import DomainBudgets
from toponaut.gate.failures import HOPELESS, FailureCounter
from toponaut.job import Job
from toponaut.log import Logs
from toponaut.log.visit import asked_host
from toponaut.records import Address, Outcome, Record, Visit
from toponaut.timing import is_simulated
from toponaut.urls import host_of, normalise
from toponaut.watch.changes import histories_of
from toponaut.watch.history import PlaceHistory
from toponaut.watch.place_explained import history_lines

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:(?!\d)", re.IGNORECASE)  # not "localhost:8080"
_SHOWN = 3  # other pages that link to it; the rest is counted
_OF_HOSTS = ("sequence", "url", "outcome", "detail", "dropped", "simhash", "rules_of")
_NOT_MET = "no fetched page links to it"


class Finding(Struct, frozen=True):
    """A page that links to the URL, and the decision about the link."""

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
    promise: float
    price: float  # the promise that a link needed then
    seconds: float
    size: int
    content_type: str
    retry: bool
    title: str
    language: str
    relevant: bool
    addresses: tuple[Address, ...]
    scope: tuple[tuple[int, float], ...]
    own_scope: tuple[tuple[int, float], ...]  # the same by the page alone
    home: int  # place id of its site's home, which counts in `scope`; 0: not known then
    new: int
    known: int
    refused: dict[str, int]
    archive: str
    offset: int
    length: int
    rendered: bool


class Sinking(Struct, frozen=True):
    """A turn of the link at which its promise had fallen: it was not asked for, and waits on."""

    before: int  # sequence of the next visit
    promise: float


class Explanation(Record, frozen=True):
    """Everything that the log knows about a URL."""

    url: str
    state: str
    found: tuple[Finding, ...]
    visits: tuple[Attempt, ...]
    history: tuple[PlaceHistory, ...] = ()  # of the places of a page that was visited again
    sank: tuple[Sinking, ...] = ()

    def __str__(self) -> str:
        """The decisions in words, as `toponaut explain` prints them."""
        return _in_words(self)


def explain(root: Path, url: str) -> Explanation:
    """Look up a URL in the log of a crawl; without a scheme, try http and then https."""
    return look_up(root, url)[0]


def look_up(root: Path, url: str) -> tuple[Explanation, list[Visit]]:
    """The same, with the visits themselves."""
    directory = Directory(root)
    job = directory.read_job()
    normal, visits, linking = _trace(directory.logs, url)
    found = tuple(_finding(visit, normal, job) for visit in linking)
    attempts = tuple(_attempt(visit) for visit in visits)
    sank = _sinkings(directory.logs, normal) if found else ()
    state = _state(directory.logs, normal, job, found, attempts, sank)
    return Explanation(normal, state, found, attempts, histories_of(visits), sank), visits


def _trace(logs: Logs, url: str) -> tuple[str, list[Visit], list[Visit]]:
    """The URL in its normal form, its visits, and those that link to it."""
    bare = "://" not in url and not _SCHEME.match(url)
    for spelling in [f"http://{url}", f"https://{url}"] if bare else [url]:
        normal = normalise(spelling)
        if normal is None:
            raise InputError(
                f'"{url}" is not an http or https URL', "Copy it from the browser's address bar"
            )
        traced = normal, *logs.trace(normal)
        if traced[1] or traced[2]:
            break
    return traced


def _finding(visit: Visit, url: str, job: Job) -> Finding:
    for link in visit.links:
        if link.url == url:
            return Finding(
                visit.url, visit.sequence, "queued", anchor=link.anchor, promise=link.promise,
                ordering_reason=link.ordering_reason, owners=link.owners,
                owner_reason=link.owner_reason, depth=link.depth, hops=link.hops,
            )  # fmt: skip
    for refused in visit.refused:
        if refused.url == url:
            return Finding(
                visit.url, visit.sequence, "refused", why=refusal_in_words(refused.why, url, job)
            )
    return Finding(visit.url, visit.sequence, "known")


def _attempt(visit: Visit) -> Attempt:
    return Attempt(
        sequence=visit.sequence, node=visit.node, time=visit.time, outcome=visit.outcome,
        status=visit.status, detail=visit.detail, found=visit.found_by, promise=visit.promise,
        price=visit.price, seconds=visit.seconds,
        size=visit.size, content_type=visit.content_type, retry=visit.retry, title=visit.title,
        language=visit.language, relevant=visit.relevant, addresses=visit.addresses,
        scope=visit.scope, own_scope=visit.own_scope, home=visit.home,
        new=len(visit.links), known=len(visit.known),
        refused=dict(Counter(one.why.value for one in visit.refused)),
        archive=visit.archive, offset=visit.offset, length=visit.length,
        rendered=visit.rendered,
    )  # fmt: skip


def _sinkings(logs: Logs, url: str) -> tuple[Sinking, ...]:
    return tuple(
        Sinking(visit.sequence, visit.sunk_to[visit.sunk.index(url)])
        for visit in logs.read(("sequence", "sunk", "sunk_to"))
        if url in visit.sunk
    )


def _state(
    logs: Logs,
    url: str,
    job: Job,
    found: tuple[Finding, ...],
    visits: tuple[Attempt, ...],
    sank: tuple[Sinking, ...],
) -> str:
    if visits and not visits[-1].retry:
        return visits[-1].outcome.value + (", relevant" if visits[-1].relevant else "")
    queued = [one for one in found if one.decision == "queued"]
    if queued or visits:
        again = f"{visits[-1].outcome.value}; " if visits else ""
        return again + (
            _given_up(logs, host_of(url), job, queued[-1].sequence if queued else -1)
            or ("to be tried again" if visits else _waiting(logs, queued, sank))
        )
    if found:
        return "refused" if any(finding.decision == "refused" for finding in found) else "known"
    return _NOT_MET


def _waiting(logs: Logs, queued: Sequence[Finding], sank: Sequence[Sinking]) -> str:
    """Why a link waits: the price, or better links, or its host, or a promise that fell."""
    promise = max(finding.promise for finding in queued)
    if sank and sank[-1].before > queued[-1].sequence:
        promise = sank[-1].promise
    price = last = 0.0
    for visit in logs.read(("url", "promise", "price")):
        price = visit.price or price
        last = visit.promise if visit.url else last
    if promise < price:
        return f"waiting: its promise {promise:.3g} is below the price {price:.3g}"
    if not last:
        return "waiting"  # nothing was requested: its pages are from another archive
    if promise > last:
        return (
            f"waiting: its promise was {promise:.3g} when it was found. The last request went to a "
            f"promise of {last:.3g}: its host rests, or its promise has fallen since"
        )
    return f"waiting: its promise is {promise:.3g}, and links with at least {last:.3g} came first"


def _given_up(logs: Logs, host: str, job: Job, since: int) -> str:
    """Why the links of a host were dropped; "" if they wait."""
    pages, enough, failures = 0, job.limits.pages_per_host, FailureCounter()
    domains = DomainBudgets(job.limits)
    later = since < 0
    for visit in logs.read(_OF_HOSTS):
        if visit.url:
            domains.learn(host_of(visit.url), visit)
        if visit.url and host_of(visit.url) == host:
            pages += visit.outcome in (Outcome.FETCHED, Outcome.NEAR_COPY)
            failures.add(host, visit)
        if visit.dropped and later and asked_host(visit) == host:
            why = visit.detail or visit.outcome.value
            return f"given up, because its host does not answer ({why})"
        later = later or visit.sequence == since
    if enough and pages >= enough:
        limit = f"limits.pages_per_host = {enough}"
        return f"given up, because its host has given {pages:,} pages ({limit})"
    if domains.is_full(host):
        limit = f"limits.pages_per_domain = {job.limits.pages_per_domain}"
        return f"given up, because its domain has given {domains.pages_limit:,} pages ({limit})"
    if failures.is_hopeless(host):
        return f"given up, because its host failed {HOPELESS} times and gave no page"
    return ""


# --- for people ----------------------------------------------------------------------------------


def _in_words(explained: Explanation) -> str:
    """The decisions in order: the link that was followed, or why none was, then each visit."""
    first, others = _decisive(explained)
    lines = [f"{explained.url}: {explained.state}"]
    if not explained.found and not explained.visits:
        lines.append('  Check http/https, "www." and the trailing slash.')
    if first:
        lines += _finding_lines(first)
    lines += [f"  also on    {_page(finding)}{_note(finding)}" for finding in others[:_SHOWN]]
    if len(others) > _SHOWN:
        lines.append(f"  also on    {_count(len(others) - _SHOWN, 'more page')}")
    lines += [
        f"  sank       to promise {one.promise:.4g} at its turn before visit {one.before:,}"
        for one in explained.sank
    ]
    for attempt in explained.visits:
        lines += _attempt_lines(attempt)
    for place in explained.history:
        name, *facts = history_lines(place)
        lines += [f"  history    {name}", *(f"  {fact}" for fact in facts)]
    return "\n".join(lines)


def _decisive(explained: Explanation) -> tuple[Finding | None, Sequence[Finding]]:
    """The link that the last visit followed, else the most urgent one, else the first refusal."""
    if not explained.found:
        return None, ()
    acted = explained.visits[-1].found if explained.visits else -1
    rank = {"queued": 2, "refused": 1, "known": 0}
    best = max(
        explained.found, key=lambda one: (one.sequence == acted, rank[one.decision], one.promise)
    )
    return best, [finding for finding in explained.found if finding is not best]


def _page(finding: Finding) -> str:
    return finding.page or "the job's seeds"


def _note(finding: Finding) -> str:
    if finding.decision == "queued":
        return f" (promise {finding.promise:.4g})"
    return f" (refused: {finding.why})" if finding.decision == "refused" else ""


def _finding_lines(finding: Finding) -> list[str]:
    anchor = f', as "{finding.anchor}"' if finding.anchor else ""
    lines = [f"  found on   {_page(finding)}{anchor}"]
    if finding.decision == "refused":
        lines.append(f"    refused  {finding.why}")
    if finding.decision == "queued":
        hops, depth = _count(finding.hops, "link"), _count(finding.depth, "link")
        where = f"{hops} from a seed, {depth} deep in its host"
        lines.append(
            f"    when     promise {finding.promise:.4g}: {finding.ordering_reason} ({where})"
        )
        lines.append(f"    who      {', '.join(finding.owners)}: {finding.owner_reason}")
    return lines


def _attempt_lines(attempt: Attempt) -> list[str]:
    status = f" ({attempt.status})" if attempt.status else ""
    detail = f": {attempt.detail}" if attempt.detail not in ("", f"status {attempt.status}") else ""
    again = ", to be tried again" if attempt.retry else ""
    lines = [
        f"  visited    {_time(attempt.time)} by {attempt.node}: "
        f"{attempt.outcome.value}{status}{detail}{again}"
    ]
    if attempt.price:
        explores = ", so this request explored" if attempt.promise < attempt.price else ""
        lines.append(
            f"    promise  {attempt.promise:.4g}; the price was {attempt.price:.3g}{explores}"
        )
    if attempt.status:
        kind = f" of {attempt.content_type}" if attempt.content_type else ""
        lines.append(f"    received {attempt.size:,} bytes{kind} in {attempt.seconds:.3f} s")
    if attempt.rendered:
        lines.append("    rendered by a browser: text and links are those after its scripts ran")
    if attempt.title:
        lines.append(f"    title    {attempt.title}")
    if attempt.outcome in (Outcome.FETCHED, Outcome.NEAR_COPY):
        relevant = "yes" if attempt.relevant else "no"
        count = _count(len(attempt.addresses), "address", "es")
        lines.append(f"    relevant {relevant}, {count}")
        for address in attempt.addresses:
            lines += _address_lines(address)
    if attempt.new or attempt.known or attempt.refused:
        reasons = ", ".join(f"{why} {count:,}" for why, count in attempt.refused.items())
        refused = f", {sum(attempt.refused.values()):,} refused ({reasons})" if reasons else ""
        lines.append(f"    links    {attempt.new:,} new, {attempt.known:,} known{refused}")
    if attempt.archive:
        lines.append(
            f"    archive  {attempt.archive}, {attempt.length:,} bytes at {attempt.offset:,}"
        )
    return lines


def _address_lines(address: Address) -> list[str]:
    owner = f"{address.organisation}, " if address.organisation else ""
    evidence = ", ".join(address.evidence) or "text"
    lines = [
        f"    address  {owner}{address.normal} (by {evidence}; confidence {address.confidence:.2f})"
    ]
    if address.text:
        text = " / ".join(address.text.splitlines())
        lines.append(f'      text   "{text}", characters {address.start:,} to {address.end:,}')
    return lines


def _time(time: float) -> str:
    if is_simulated(time):
        return f"second {time:,.1f} of the replay"
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _count(number: int, word: str, plural: str = "s") -> str:
    return f"{number:,} {word}{'' if number == 1 else plural}"
