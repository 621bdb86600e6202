"""Twins: one page under several URLs of its site, learned for each site and never assumed.

    kind      first form           second form
    scheme    http://a.org/x       https://a.org/x
    www       http://a.org/x       http://www.a.org/x
    slash     http://a.org/x       http://a.org/x/
    index     http://a.org/x/      http://a.org/x/index.html

Evidence for a kind on a site: a redirect or a canonical link from one form to the other, and two
pages with the same text. Evidence against it: two pages with different texts, a page that is gone
under its other form, and moves in both directions. A kind with moves only is also refuted by a page
that stays in the form that others move away from ("/about", where "/folder" moves to "/folder/").
After CONFIRMED pairs and nothing against them the kind is believed:
- a URL whose twin was fetched is not fetched;
- a new link is changed to the form to which pages of its site move.

The state is a fold over the visits. All nodes learn together what is believed of a site. A page
that another node has fetched is no twin: several nodes may own a link.
"""

from typing import NamedTuple

from toponaut.gate.flood import CLOSE
from toponaut.gate.simhash import distance
from toponaut.records import PAGES, Outcome, Visit
from toponaut.urls import fingerprint, normalise

CONFIRMED = 3  # pairs; one may be a coincidence, such as one page for everything that is missing
SITES = 65_536  # that are kept, the last seen; 150 bytes each
PAGES_KEPT = 1 << 17  # 17 bytes each; a newer page may take the place of an older one
_SCHEME, _WWW, _SLASH, _INDEX = _KINDS = range(4)
# Counts of a kind: moves to its first and second form, equal pairs, pages that stay in its first
# and second form, and evidence against it.
_MOVED, _EQUAL, _STAYS, _AGAINST, _COUNTS = 0, 2, 3, 5, 6
# What is believed of a kind: pages move to one of its forms, both forms are served, or nothing.
_FORMS, _BOTH, _NONE = (0, 1), 2, 3
_MOST = 255  # a count has one byte
_REMEMBERED = 16_384  # URLs in their usual forms: the pages of a site link to the same ones
_INDEX_FILES = frozenset(
    f"{name}.{ending}"
    for name in ("index", "default")
    for ending in ("html", "htm", "shtml", "php", "asp", "aspx", "jsp")
)


class UrlForm(NamedTuple):
    """A URL, taken apart into what twins have in common and their form in each kind."""

    site: str  # the host without "www."
    path: str  # without slash and index file
    query: str
    forms: tuple[int, ...]  # 0 or 1 for scheme, www, slash, index
    file: str = ""  # the index file

    @property
    def url(self) -> str:
        secure, www, slash, index = self.forms
        start = f"http{'s' * secure}://{'www.' * www}{self.site}"
        return f"{start}{self.path}{'/' * slash}{self.file * index}{self.query}"

    def has_both(self, kind: int) -> bool:
        """Whether a page of this name can have both forms: a file has no slash."""
        if kind == _SLASH:
            return bool(self.path) and "." not in self.path.rpartition("/")[2]
        return kind != _INDEX or self.forms[_SLASH] == 1

    def differences(self, other: "UrlForm") -> list[int]:
        """The kinds in which two twins differ; [] if they are not twins."""
        if self[:3] != other[:3]:
            return []
        return [kind for kind in _KINDS if self.forms[kind] != other.forms[kind]]


def form_of(url: str) -> UrlForm:
    """The form of a URL in normal form."""
    scheme, _, rest = url.partition("://")
    authority, _, tail = rest.partition("/")
    path, asks, query = tail.partition("?")
    folder, slash, name = path.rpartition("/")
    index = name in _INDEX_FILES
    is_folder = index or not name
    bare = (slash and f"/{folder}") if is_folder else f"/{path}"
    site = authority.removeprefix("www.")
    forms = scheme == "https", site != authority, is_folder, index
    return UrlForm(site, bare, asks + query, tuple(map(int, forms)), name if index else "")


def twin_named(url: str, named: str) -> str:
    """The URL that a page or a redirect names, if it is a twin of its own URL; "" if not."""
    normal = normalise(named) if named else None
    return normal if normal and form_of(url).differences(form_of(normal)) else ""


def _usual(url: str, rules: tuple[int, ...]) -> str:
    form = form_of(url)
    forms = list(form.forms)
    for kind in (_SCHEME, _WWW):
        if rules[kind] in _FORMS:
            forms[kind] = rules[kind]
    if rules[_INDEX] == 0:
        forms[_INDEX] = 0
    if rules[_SLASH] in _FORMS and not forms[_INDEX] and form.has_both(_SLASH):
        forms[_SLASH] = rules[_SLASH]
    return form._replace(forms=tuple(forms)).url


class Twins:
    """What is known of the sites of a crawl, and the last pages."""

    def __init__(self, sites: int = SITES, pages: int = PAGES_KEPT, key: int = 0) -> None:
        self._most = sites
        self._key = key  # if it is secret, no site can make up the name of another's page
        self._counts: dict[str, bytearray] = {}  # by site, least recently seen first
        self._believed: dict[str, tuple[int, ...]] = {}  # the rule for each kind
        self._usual: dict[str, str] = {}  # URLs in their usual forms, by what is believed now
        self._names = memoryview(bytearray(8 * pages)).cast("Q")  # of pages: their fingerprints
        self._texts = memoryview(bytearray(8 * pages)).cast("Q")  # their simhashes
        self._forms = bytearray(pages)

    @property
    def knows_moves(self) -> bool:
        """Whether `usual` may change a URL."""
        return bool(self._believed)

    # --- deciding ---------------------------------------------------------------------------------

    def is_twin(self, node: str, url: str) -> bool:
        """Whether a page was fetched that is the same as this URL's."""
        rules = self._rules(url)
        if not rules:
            return False
        form = form_of(url)
        fetched = self._fetched(node, form)
        differ = form.differences(fetched[0]) if fetched else []
        return bool(differ) and all(rules[kind] != _NONE for kind in differ)

    def usual(self, url: str) -> str:
        """A URL in the form to which pages of its site move; often the URL itself."""
        usual = self._usual.get(url)
        if usual is None:
            rules = self._rules(url)
            if len(self._usual) >= _REMEMBERED:
                self._usual.clear()
            usual = self._usual[url] = _usual(url, rules) if rules else url
        return usual

    def _rules(self, url: str) -> tuple[int, ...]:
        if not self._believed:
            return ()
        return self._believed.get(url.split("/", 3)[2].removeprefix("www."), ())

    # --- learning ---------------------------------------------------------------------------------

    def learn(self, visit: Visit) -> None:
        """Learn from a visit, in the order of the log."""
        is_page = visit.outcome in PAGES
        if not is_page and visit.outcome not in (Outcome.REDIRECT, Outcome.GONE):
            return
        form = form_of(visit.url)
        counts = self._counts.pop(form.site, None) or bytearray(_COUNTS * len(_KINDS))
        moves = form.differences(form_of(visit.canonical)) if visit.canonical else []
        for kind in moves:
            _add(counts, kind, _MOVED + 1 - form.forms[kind])
        if is_page:
            for kind in _KINDS:
                if kind not in moves and form.has_both(kind):
                    _add(counts, kind, _STAYS + form.forms[kind])
        self._compare(counts, visit, form)
        self._keep(form.site, counts)

    def _compare(self, counts: bytearray, visit: Visit, form: UrlForm) -> None:
        """Compare a page with the last one of its name, and keep it."""
        before = self._fetched(visit.node, form)
        gone = visit.outcome is Outcome.GONE
        if before:
            differ = form.differences(before[0])
            if visit.simhash and distance(visit.simhash, before[1]) <= CLOSE:
                for kind in differ:
                    _add(counts, kind, _EQUAL)
            elif len(differ) == 1 and (visit.simhash or gone):
                _add(counts, differ[0], _AGAINST)
        if visit.simhash and visit.outcome in PAGES:
            name, slot = self._place(visit.node, form)
            self._names[slot], self._texts[slot] = name, visit.simhash
            self._forms[slot] = sum(one << kind for kind, one in enumerate(form.forms))

    def _keep(self, site: str, counts: bytearray) -> None:
        self._counts[site] = counts
        rules = tuple(_rule(counts[kind * _COUNTS : (kind + 1) * _COUNTS]) for kind in _KINDS)
        self._believe(site, () if set(rules) == {_NONE} else rules)
        if len(self._counts) > self._most:
            oldest = next(iter(self._counts))
            del self._counts[oldest]
            self._believe(oldest, ())

    def _believe(self, site: str, rules: tuple[int, ...]) -> None:
        if rules == self._believed.get(site, ()):
            return
        self._usual.clear()
        if rules:
            self._believed[site] = rules
        else:
            del self._believed[site]

    def _fetched(self, node: str, form: UrlForm) -> tuple[UrlForm, int] | None:
        """The last page of this name: its form and its simhash."""
        name, slot = self._place(node, form)
        if self._names[slot] != name:
            return None
        bits = self._forms[slot]
        forms = (bits & 1, bits >> 1 & 1, bits >> 2 & 1, bits >> 3)
        return form._replace(forms=forms), self._texts[slot]

    def _place(self, node: str, form: UrlForm) -> tuple[int, int]:
        """The keyed name of a page; and its slot, without a key, the same in each run."""
        name = f"{form.site}{form.path}{form.query} {node}"
        return fingerprint(name, self._key), fingerprint(name) % len(self._names)


def _add(counts: bytearray, kind: int, count: int) -> None:
    at = kind * _COUNTS + count
    counts[at] = min(counts[at] + 1, _MOST)


def _rule(counts: bytearray) -> int:
    """The form to which pages move, _BOTH or _NONE."""
    to_first, to_second, equal = counts[_MOVED], counts[_MOVED + 1], counts[_EQUAL]
    if counts[_AGAINST] or (to_first and to_second) or to_first + to_second + equal < CONFIRMED:
        return _NONE
    if not to_first and not to_second:
        return _BOTH
    usual = int(to_second > 0)
    if not counts[_STAYS + 1 - usual]:
        return usual
    return _BOTH if equal >= CONFIRMED else _NONE
