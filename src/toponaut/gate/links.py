"""Which links are refused by the link alone, and why.

bounds.py: what the job allows; actions.py: links that are not pages; traps.py: endless spaces.

Every page has about 60 links, so the cheapest rules come first, and each trap is checked only after
a cheap sign of it: three segments for a repeating path, "/2" for a calendar, "?" for parameters.
"""

from collections.abc import Callable, Iterable

from toponaut.gate.actions import action
from toponaut.gate.bounds import CrawlBounds
from toponaut.gate.traps import REPETITIONS, SEGMENTS, crowded, far_date, has_session, repeats
from toponaut.job.sections import MANY, LimitsSection
from toponaut.records import Refusal

# Google, which introduced all three: "Links marked with these rel attributes will generally not be
# followed" (Search Central, "Qualify your outbound links").
_UNFOLLOWED = frozenset({"nofollow", "ugc", "sponsored"})

# File endings by the content type that servers send. Only unambiguous ones: other unwanted types
# are detected before the body is read.
_ENDINGS = {
    "image/": "jpg jpeg jpe png gif webp svg ico bmp tif tiff avif heic psd eps",
    "audio/": "mp3 m4a wav ogg oga flac aac wma mid midi m3u",
    "video/": "mp4 m4v mov avi wmv webm mkv flv mpg mpeg 3gp ogv",
    "font/": "woff woff2 ttf otf eot",
    "text/css": "css",
    "text/javascript": "js mjs",
    "text/csv": "csv tsv",
    "text/calendar": "ics ical",
    "application/json": "json geojson webmanifest",
    "application/rss+xml": "rss",
    "application/atom+xml": "atom",
    "application/pdf": "pdf",
    "application/postscript": "ps",
    "application/rtf": "rtf",
    "application/epub+zip": "epub mobi azw3",
    "application/msword": "doc dot",
    "application/vnd.ms-excel": "xls",
    "application/vnd.ms-powerpoint": "ppt pps",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx ppsx",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.google-earth.kml+xml": "kml kmz",
    "application/zip": "zip",
    "application/gzip": "gz tgz",
    "application/octet-stream": "7z rar bz2 xz tar iso dmg pkg deb rpm apk exe msi bin swf jar "
    "torrent",
}
_REMEMBERED = 16_384  # URLs: the pages of a site repeat the links of menus and footers
_EXEMPT = "/wiki/"  # there "File:Rathaus.jpg" and "Node.js" are titles of pages


class LinkFilter:
    """The rules of one job. `this_year` is passed in: this code reads no clock."""

    def __init__(
        self,
        limits: LimitsSection,
        *,
        obey_nofollow: bool,
        this_year: int,
        seeds: Iterable[str] = (),
    ) -> None:
        self._unfollowed = _UNFOLLOWED if obey_nofollow else frozenset()
        self._depth = limits.depth or MANY
        self._length = limits.url_length
        self._bounds = CrawlBounds(limits, seeds)
        self._actions = limits.actions
        self._endings = _unwanted_endings(limits.content_types)
        self._this_year = this_year
        self._known: dict[str, Refusal | None] = {}  # by URL: why it is refused at any depth

    def refuse(self, url: str, depth: int, rel: tuple[str, ...] = ()) -> Refusal | None:
        """Why a link is refused, or None. `url` is normalised, `rel` in lower case."""
        if rel and self._unfollows(rel):
            return Refusal.NOFOLLOW
        if depth > self._depth:
            return Refusal.TOO_DEEP
        if len(url) > self._length:
            return Refusal.TOO_LONG
        try:
            return self._known[url]
        except KeyError:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            why = self._known[url] = self._refuse(url)
            return why

    def exclude(self, excludes: Callable[[str], bool]) -> None:
        """Refuse further URLs."""
        self._bounds.exclude(excludes)
        self._known.clear()

    def admit(self, seeds: Iterable[str]) -> None:
        """Take links to the sites of further seeds."""
        self._bounds.admit(seeds)
        self._known.clear()

    def _refuse(self, url: str) -> Refusal | None:
        if why := self._bounds.refuse(url):
            return why
        if not self._actions and (why := action(url)):
            return why
        return self._suspect(url)

    def _suspect(self, url: str) -> Refusal | None:
        path, asks, query = url.partition("?")
        if path.rpartition(".")[2] in self._endings and not _is_title(path):
            return Refusal.FILE_TYPE
        slashes = path.count("/") - 2
        if slashes >= REPETITIONS:
            if slashes > SEGMENTS:
                return Refusal.TOO_DEEP
            segments = path.split("/")[3:]
            if len(set(segments)) <= slashes + 1 - REPETITIONS and repeats(segments):
                return Refusal.REPEATING
        if asks and (crowded(query) or has_session(query)):
            return Refusal.MANY_PARAMETERS
        if ("/2" in url or "=2" in url or "-2" in url) and far_date(url, self._this_year):
            return Refusal.CALENDAR
        return None

    def _unfollows(self, rel: tuple[str, ...]) -> bool:
        """Values are separated by white space (split by the parser) or, as Google allows, by
        commas."""
        if not self._unfollowed.isdisjoint(rel):
            return True
        return any(
            "," in value and not self._unfollowed.isdisjoint(value.split(",")) for value in rel
        )


def _is_title(path: str) -> bool:
    return _EXEMPT in path or ":" in path.rpartition("/")[2]


def _unwanted_endings(wanted: tuple[str, ...]) -> frozenset[str]:
    """All endings except those of wanted types; none if all types are wanted."""
    if not wanted:
        return frozenset()
    return frozenset(
        ending
        for kind, endings in _ENDINGS.items()
        if not any(one == kind or (kind[-1] == "/" and one.startswith(kind)) for one in wanted)
        for name in endings.split()
        for ending in (name, name.upper())
    )
