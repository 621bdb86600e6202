"""What explain.py has found out, for people."""

from collections.abc import Sequence
from datetime import UTC, datetime

from toponaut.crawl.explain import Attempt, Explained, Finding
from toponaut.records import Address, Outcome
from toponaut.timing import is_simulated

_SHOWN = 3  # other pages that link to it; the rest is counted


def in_words(explained: Explained) -> str:
    """The decisions on a URL in their order: the link that was followed, or why none was, and each visit."""
    first, others = _decisive(explained)
    lines = [f"{explained.url}: {explained.state}"]
    if not explained.found and not explained.visits:
        lines.append(
            "  No page that was fetched links to it. Mind http and https, www. and the last slash."
        )
    if first:
        lines += _finding_lines(first)
    lines += [f"  also on    {_page(finding)}{_note(finding)}" for finding in others[:_SHOWN]]
    if len(others) > _SHOWN:
        lines.append(f"  also on    {_count(len(others) - _SHOWN, 'more page')}")
    for attempt in explained.visits:
        lines += _attempt_lines(attempt)
    return "\n".join(lines)


def _decisive(explained: Explained) -> tuple[Finding | None, Sequence[Finding]]:
    """The finding that was acted upon: by the last visit, or as the most urgent one, or else the first refusal."""
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
        where = f"{_count(finding.hops, 'link')} from a seed, {_count(finding.depth, 'link')} deep in its host"
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
        f"  visited    {_time(attempt.time)} by {attempt.node}: {attempt.outcome.value}{status}{detail}{again}"
    ]
    if attempt.status:
        kind = f" of {attempt.content_type}" if attempt.content_type else ""
        lines.append(f"    received {attempt.size:,} bytes{kind} in {attempt.seconds:.3f} s")
    if attempt.title:
        lines.append(f"    title    {attempt.title}")
    if attempt.outcome in (Outcome.FETCHED, Outcome.NEAR_COPY):
        lines.append(
            f"    relevant {'yes' if attempt.relevant else 'no'}, {_addresses(len(attempt.addresses))}"
        )
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


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def _addresses(number: int) -> str:
    return f"{number:,} address{'' if number == 1 else 'es'}"
