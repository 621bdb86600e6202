"""URL rules: one normal form, joins, registered domains, and the words in a URL.

A crawler meets one page under many spellings. Two spellings are one URL here if every sane server answers
them alike. Where servers differ we keep what the author wrote: fetching a page twice costs less than never
fetching it.

Mended by the WHATWG parser: case of scheme and host, default port, IDNA, odd IPv4 notations, dot segments,
backslashes, tabs and newlines, characters that need encoding.

Mended here:
- percent-encoding: "%7e" -> "~", "%c3" -> "%C3", "|" -> "%7C", and a "%" that encodes nothing -> "%25"
- dropped: fragment, user and password, the root dot of a host, empty queries and parameters
- dropped: tracking parameters and session ids

Kept: http against https, "www.", trailing slashes, "index.html", the case of the path, "a" against "a=",
reserved characters as they stand, the order of parameters (some sites read them by position) and doubled
slashes (an empty segment is part of a key in object stores and of a route in many frameworks).

The contract is the fixed point: a normal form is its own normal form, so a URL may pass here many times.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple
from unicodedata import normalize
from urllib.parse import unquote

import can_ada
import xxhash
from publicsuffixlist import PublicSuffixList

# The sitemap protocol allows 2,048 characters, Internet Explorer took 2,083: no public page needs more, and
# what is longer is nearly always a trap that appends to itself.
MAX_LENGTH = 2048
# Longer input (a data: address, prose in an href) is refused unparsed; tracking parameters fit in between.
_MAX_INPUT = 4 * MAX_LENGTH

_HOST = r"(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}"
# What leaves the parser in this shape needs no mending.
_PLAIN = re.compile(rf"https?://{_HOST}(?::\d+)?/[\w.~!$&'*+,:=/-]*", re.ASCII)
# What the parser and all mending leave as it is, but for parameters to drop: a path without dot segments and
# a host that is neither a number nor in IDNA. Most absolute links are such: they take 0.6 us, not 3 us.
_NORMAL = re.compile(
    r"https?://(?:(?!xn--)[a-z0-9_-]{1,63}\.)*+(?!xn--)[a-z][a-z0-9-]{0,62}"
    r"(?:/(?!\.\.?(?:[/?]|$))[a-zA-Z0-9_.~-]*+)++(?:\?([a-zA-Z0-9_.~=&-]++))?"
)
_PARTS = re.compile(
    rf"(https?://)(?:[^/?@]*@)?({_HOST}|\[[0-9a-f:.]+\])\.?(:\d+)?(/[^?]*)(?:\?(.*))?",
    re.DOTALL,
)

_UNRESERVED = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
_UNQUOTED = re.compile(r'%(?:[0-9A-Fa-f]{2})?|["<>\\^`{|}\[\]]')


def _quoting() -> dict[str, str]:
    """Every match of _UNQUOTED with its normal spelling."""
    table = {char: f"%{ord(char):02X}" for char in '%"<>\\^`{|}[]'}
    for high in "0123456789ABCDEFabcdef":
        for low in "0123456789ABCDEFabcdef":
            char = chr(int(high + low, 16))
            table[f"%{high}{low}"] = char if char in _UNRESERVED else f"%{high}{low}".upper()
    return table


_QUOTED = _quoting()

# Parameters that say how a visitor came, never what is served: names that browsers and their blockers strip
# on every site. "ref", "source", "from" and the like choose content on many sites and stay.
_TRACKING = frozenset(
    """
    _ga _gac _gl gclid gclsrc dclid gbraid wbraid gad_source gad_campaignid srsltid
    fbclid igshid igsh msclkid twclid ttclid yclid ysclid _openstat li_fat_id epik rdt_cid
    mc_cid mc_eid mkt_tok _hsenc _hsmi __hsfp __hssc __hstc hsctatracking ml_subscriber ml_subscriber_hash
    oly_anon_id oly_enc_id rb_clickid s_cid s_kwcid vero_conv vero_id wickedid __s wt_mc wt_zmc
    """.split()
)
_SESSION = frozenset(
    {"phpsessid", "jsessionid", "cfid", "cftoken", "oscsid", "xtcsid", "zenid", "mscsid"}
)
_DROPPED_FAMILIES = (
    "utm_",
    "mtm_",
    "pk_",
    "hsa_",
    "aspsessionid",
)  # the last: ASPSESSIONIDQADSRQRT
# These names mean other things too ("sid=12" is a story), so the value must look drawn at random.
_PERHAPS_SESSION = frozenset({"sid", "s", "sess", "session", "sessid", "sessionid", "session_id"})
_RANDOM = re.compile(r"[0-9a-fA-F]{32,}|(?=\D*\d)(?=[^a-zA-Z]*[a-zA-Z])[0-9a-zA-Z]{20,}")
_PATH_SESSION = re.compile(
    r"(?:;|%3B)(?:jsessionid|phpsessid)=[^/;]*"  # Java, PHP
    r"|/\((?:[ASFX]\([^()/]{16,}\))+\)(?=/)",  # ASP.NET without cookies: /(S(24 characters))/
    re.IGNORECASE,
)


def normalise(url: str) -> str | None:
    """The normal form of an absolute URL; None if it is no http(s) address or longer than MAX_LENGTH."""
    return url if _is_normal(url) else _settle(_parse(url))


def join(base: str, href: str) -> str | None:
    """The normal form of a link as written on the page `base`; None as in `normalise`."""
    parsed = _parse_base(base)
    if parsed is None:
        return None
    return href if _is_normal(href) else _settle(_parse(href, parsed))


def _is_normal(url: str) -> bool:
    """Whether a URL is its own normal form, if that can be told without parsing it."""
    found = _NORMAL.fullmatch(url) if len(url) <= MAX_LENGTH else None
    return found is not None and (found[1] is None or all(map(_serves, found[1].split("&"))))


def host(url: str) -> str:
    """The host of a URL, lower case, in its ASCII form; "" where there is none."""
    parsed = _parse(url)
    return "" if parsed is None else parsed.hostname.removesuffix(".")


def host_of(url: str) -> str:
    """The host of a URL in normal form, without its port: 0.3 us where `host` takes 0.7."""
    authority = url.split("/", 3)[2]
    return (
        authority if authority[-1] == "]" or ":" not in authority else authority.rpartition(":")[0]
    )


def fingerprint(url: str) -> int:
    """64 bits that stand for a URL. Among 10 million URLs two share theirs once in 370,000 crawls."""
    return xxhash.xxh3_64_intdigest(url.encode())


def fingerprints(urls: Iterable[str]) -> list[int]:
    """Those of many: 0.16 us each, one by one 0.21."""
    digest = xxhash.xxh3_64_intdigest
    return [digest(url.encode()) for url in urls]


def _parse(url: str, base: can_ada.URL | None = None) -> can_ada.URL | None:
    """What the WHATWG parser makes of a URL, relative to `base` if there is one; None if it is invalid."""
    if len(url) > _MAX_INPUT:
        return None
    if "#" in url:  # always the fragment: nowhere else may it stand unencoded
        url = url[: url.index("#")]
    try:
        return can_ada.parse(url) if base is None else base + url
    except ValueError:
        return None
    except TypeError:  # surrogates; as browsers do, pairs are joined and lone ones become U+FFFD
        return _parse(url.encode("utf-16", "surrogatepass").decode("utf-16", "replace"), base)


@lru_cache(maxsize=64)
def _parse_base(url: str) -> can_ada.URL | None:
    """A page's links are joined to one base, one after the other: its parsing is half the time of a join."""
    return _parse(url)


def _settle(parsed: can_ada.URL | None) -> str | None:
    """Mends until nothing changes: without its session id "/..;jsessionid=1/" is a dot segment."""
    while parsed is not None:
        href = parsed.href
        mended = href if _PLAIN.fullmatch(href) else _mend(href)
        if mended == href:
            return href if len(href) <= MAX_LENGTH else None
        parsed = None if mended is None else _parse(mended)
    return None


def _mend(href: str) -> str | None:
    """One pass over a parsed URL; None for other schemes and hosts that no DNS can hold ("a..b", "a!b")."""
    parts = _PARTS.fullmatch(href)
    if parts is None:
        return None
    scheme, name, port, path, query = parts.groups()
    path = _PATH_SESSION.sub("", _UNQUOTED.sub(_quote, path))
    if query:
        query = "&".join(filter(_serves, _UNQUOTED.sub(_quote, query).split("&")))
    return f"{scheme}{name}{port or ''}{path}{'?' if query else ''}{query or ''}"


def _quote(found: re.Match[str]) -> str:
    return _QUOTED[found[0]]


def _serves(parameter: str) -> bool:
    """Whether a query parameter can change what is served."""
    name, _, value = parameter.partition("=")
    name = name.lower()
    if name in _TRACKING or name in _SESSION or name.startswith(_DROPPED_FAMILIES):
        return False
    return bool(parameter) and not (name in _PERHAPS_SESSION and _RANDOM.fullmatch(value))


# --- registered domains -----------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _suffixes() -> PublicSuffixList:
    """The list that comes with the package. It takes 65 ms to read, so only when asked for."""
    return PublicSuffixList()


@lru_cache(maxsize=65_536)
def registered_domain(host: str) -> str:
    """The part of a host that somebody registered: "www.shop.co.uk" -> "shop.co.uk".

    Suffixes that a company hands out count as well (blogspot.com, github.io): who writes "a.github.io" does
    not own "b.github.io". IP addresses, "localhost" and bare suffixes are their own domain.
    """
    return host if _is_address(host) else _suffixes().privatesuffix(host) or host


def _is_address(host: str) -> bool:
    """IPv6 in brackets, or IPv4: in a parsed URL no other host ends in a number."""
    return host.startswith("[") or host.rpartition(".")[2].isdigit()


# --- words ------------------------------------------------------------------------------------------------


class UrlTokens(NamedTuple):
    """The words in a URL, lower case, in their order: where place names may stand and what learners read."""

    host: tuple[str, ...]
    path: tuple[str, ...]  # of the path, then of the query's values


# Separators are the signs of ASCII and Latin-1 and the punctuation blocks; all else beyond Latin-1 belongs to
# a word. (\w would cut words of Indic scripts at every vowel sign.)
_WORD = re.compile(r"[^\x00-/:-@\[-`{-\xbf×÷\u2000-\u206f\u3000-\u303f\ufffd]+")
_LETTERS_OR_DIGITS = re.compile(r"\d+|\D+")
_HUMP = re.compile(r"(?<=[a-zß-ÿ])(?<!\bMc)(?=[A-ZÀ-Þ])|(?<=[A-ZÀ-Þ])(?=[A-ZÀ-Þ][a-zß-ÿ])")
_EXTENSION = re.compile(
    r"\.(?:[xsp]?html?|php\d?|aspx?|ashx|jspx?|jsf|cfml?|cgi|pl|do|action|xml|json|txt|pdf|docx?)$",
    re.IGNORECASE,
)
_WWW = re.compile(r"www?\d{0,2}")
# Suffixes that name a place stay words: "pizza.berlin", "city.kobe.jp", "ci.houston.tx.us".
_NOT_PLACES = frozenset(
    {"info", "name", "mobi", "coop", "aero", "jobs", "post", "arpa", "test", "localhost"}
)
_SHORT_PLACES = frozenset(
    {"nyc", "rio", "nrw"}
)  # the suffixes of three letters that people write as names
_TOWN_REGISTRIES = frozenset(
    {"jp", "no", "it"}
)  # they hand out names below their towns: "city.kobe.jp"


def tokens(url: str) -> UrlTokens:
    """The words of a URL in normal form.

    >>> tokens("http://www.losangeles-pizza.com/tx/fort_worth/")
    UrlTokens(host=('losangeles', 'pizza'), path=('tx', 'fort', 'worth'))
    """
    authority, slash, rest = url.partition("://")[2].partition("/")
    name = authority if authority.startswith("[") else authority.partition(":")[0]
    return UrlTokens(host_tokens(name), _path_tokens(slash + rest))


@lru_cache(maxsize=65_536)
def host_tokens(host: str) -> tuple[str, ...]:
    """The words of a host without "www" and without its public suffix, unless that names a place."""
    if _is_address(host):
        return ()
    suffix = _suffixes().publicsuffix(host) or ""
    own = host.removesuffix(suffix).split(".")
    labels = [_from_idna(label) for label in own if not _WWW.fullmatch(label)]
    return _words(" ".join(labels + _places_in(suffix)))


def _path_tokens(path_and_query: str) -> tuple[str, ...]:
    path, _, query = path_and_query.partition("?")
    text = _EXTENSION.sub("", path)
    if query:
        text += " " + " ".join(parameter.rpartition("=")[2] for parameter in query.split("&"))
    return _words(_decode(text) if "%" in text else text)


def _places_in(suffix: str) -> list[str]:
    *labels, top = [_from_idna(label) for label in suffix.split(".")]
    if not labels:
        return [top] if top in _SHORT_PLACES or (len(top) > 3 and top not in _NOT_PLACES) else []
    if top == "us":
        return labels[-1:]  # the state
    return [label for label in labels if len(label) > 3] if top in _TOWN_REGISTRIES else []


def _from_idna(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except UnicodeError:
        return label


def _decode(text: str) -> str:
    """Percent-decoded: as UTF-8, or as Latin-1 where it is not ("M%FCnchen" on old pages)."""
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        return unquote(text, "latin-1")


def _words(text: str) -> tuple[str, ...]:
    """Cuts at signs, at humps ("FortWorth", not "McKinney") and between letters and digits ("pizza2go").

    What changes between letters and digits more than twice is an identifier and stays whole.
    """
    if not text.isascii():
        text = normalize("NFKC", text)
    if not text.islower():
        text = _HUMP.sub(" ", text).lower()
    words: list[str] = []
    for word in _WORD.findall(text):
        pieces = (word,) if word.isalpha() else _LETTERS_OR_DIGITS.findall(word)
        words.extend(pieces if len(pieces) <= 3 else (word,))
    return tuple(words)
