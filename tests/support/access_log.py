"""Whether a crawler was polite, by the test web's access log.

A crawler counts a host's delay from the end of an answer, and the server notes a request before it
answers. So two notes are a full delay apart however slow either of them is, and no allowance is
made for load; only the server notes wall time, which may be corrected by a hair while the crawler's
steady clock is not.
"""

from collections.abc import Mapping, Sequence

from tests.support.webserver import Access

_HAIR_S = 0.005


def impolite(
    accesses: Sequence[Access], delay: float, crawl_delays: Mapping[str, float] | None = None
) -> list[str]:
    """Violations, in words: requests too early after another to their host, or parallel to
    one.

    `crawl_delays`: what the robots.txt of some hosts asks for.
    """
    wrong = []
    last: dict[str, Access] = {}
    for access in accesses:
        if not access.host.endswith(".test"):  # Ray uses the same proxy for questions of its own
            continue
        before = last.get(access.host)
        last[access.host] = access
        if access.parallel:
            wrong.append(
                f"{access.url} was requested while {access.host} had {access.parallel} others to "
                f"answer"
            )
        if before is None:
            continue
        gap, least = (
            access.time - before.time,
            max(delay, (crawl_delays or {}).get(access.host, 0.0)),
        )
        if gap < least - _HAIR_S:
            wrong.append(
                f"{access.url} was asked for {gap:.3f} s after {before.url}, not {least} s"
            )
    return wrong
