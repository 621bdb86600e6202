"""Why a link was refused, in words, with the key of the job that decides it."""

import re

from toponaut.gate.failures import HOPELESS
from toponaut.gate.gate import MAX_REDIRECTS
from toponaut.gate.traps import SEGMENTS, YEARS_AHEAD, YEARS_BACK
from toponaut.job import Job, LimitsSection
from toponaut.records import Refusal

_ACTIONS = {
    Refusal.MAP: "map or directions link: it opens a map service",
    Refusal.SHARE: "share link: it posts or mails the page",
    Refusal.CALENDAR_ENTRY: "add-to-calendar link",
    Refusal.FEED: "feed or API link: its entries are pages of their own",
    Refusal.PRINT: "print view of a page",
    Refusal.REPLY: "reply or edit form of a page",
    Refusal.LOGIN: "login or registration",
    Refusal.CART: "cart, checkout or wishlist",
    Refusal.CONTACT: "mail, phone or script link, written as a web address",
    Refusal.REORDER: "the same list in another order",
    Refusal.FORM: "captcha or unsubscribe link",
}


def refusal_in_words(why: Refusal, url: str, job: Job) -> str:
    """Why a link was refused, with the key of the job that decides it."""
    limits = job.limits
    excluding = ", ".join(pattern for pattern in limits.exclude if re.search(pattern, url))
    years = f"{YEARS_AHEAD} years ahead or {YEARS_BACK} years back"
    words = {
        Refusal.NOFOLLOW: "the page asks not to follow it (nofollow; politeness.robots)",
        Refusal.TOO_DEEP: f"more than {limits.depth} links deep in its host (limits.depth) "
        f"or {SEGMENTS} folders",
        Refusal.TOO_LONG: f"longer than {limits.url_length} characters (limits.url_length)",
        Refusal.REPEATING: "its path repeats itself, as in a trap",
        Refusal.CALENDAR: f"a page of a calendar, {years}",
        Refusal.MANY_PARAMETERS: "too many parameters, or a session parameter, as in a trap",
        Refusal.FILE_TYPE: "a file of an unwanted type, by its name (limits.content_types)",
        Refusal.WRONG_DOMAIN: _wrong_domain(limits),
        Refusal.EXCLUDED: f"excluded by the job (limits.exclude: {excluding})",
        Refusal.NOT_INCLUDED: "it matches none of the job's patterns (limits.include)",
        Refusal.WRONG_HOST: f"its host is not {' or '.join(limits.hosts)} (limits.hosts)",
        Refusal.OUT_OF_BOUNDS: f"its host is not a seed's (limits.scope = {limits.scope})",
        Refusal.HOST_FULL: f"its host had given {limits.pages_per_host:,} pages "
        "(limits.pages_per_host)",
        Refusal.DOMAIN_FULL: "its domain had given enough pages (limits.pages_per_domain)",
        Refusal.HOST_FLOODS: "its host had given too many similar pages",
        Refusal.HOST_DEAD: "its host had not answered for long and was given up",
        Refusal.HOST_FAILS: f"its host had failed {HOPELESS} times and given no page",
        Refusal.TOO_MANY_REDIRECTS: f"more than {MAX_REDIRECTS} redirects in a row",
        Refusal.TWIN: "its site serves the same page under another form of this URL "
        "(http/https, www, trailing slash or index.html), which is used instead",
        Refusal.NO_PLACE: f"more than {job.ordering.cutoff} links from a relevant page "
        "(ordering.cutoff)"
        if job.ordering.strategy == "link-distance"
        else "neither its URL nor the words around it name a place (ordering.strategy = geo-rank)",
    }
    return words.get(why) or f"{_ACTIONS[why]} (limits.actions)"


def _wrong_domain(limits: LimitsSection) -> str:
    if not limits.tlds:
        return f"its top-level domain is {' or '.join(limits.without_tlds)} (limits.without_tlds)"
    return f"its top-level domain is not {' or '.join(limits.tlds)} (limits.tlds)"
