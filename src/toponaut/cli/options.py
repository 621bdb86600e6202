"""The arguments and options that several commands share, and those of commands with many.

Each is declared once, with its help; a command gives its default. Groups: what is crawled and
where, what is shown, comparisons, exports, the server, lists of places.
"""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from toponaut.api.crawls import local_directory

# --- what is crawled, and where ------------------------------------------------------------------

CrawlDirectory = Annotated[
    Path,
    Argument(
        help="The crawl's directory, or its URL (s3://...).",
        parser=local_directory,
        metavar="DIRECTORY",
    ),
]
NewDirectory = Annotated[
    str,
    Argument(
        help="The crawl's directory, or with --cluster its URL (s3://...). An existing crawl"
        " is resumed."
    ),
]
JobFile = Annotated[Path, Argument(help="The job file; see `toponaut job --example`.")]
Sources = Annotated[
    list[str], Argument(help="Files (HTML or text), folders, WARCs, URLs, or - for standard input.")
]
Synthetic = Annotated[
    int | None, Option(min=0, help="Crawl the synthetic web of this seed instead of the live web.")
]
Replay = Annotated[
    Path | None, Option(help="Crawl a WARC, a WACZ or a folder of pages instead of the live web.")
]
Since = Annotated[
    Path | None,
    Option(help="An earlier crawl or a WARC: servers are asked only for pages changed since."),
]
Workers = Annotated[
    int | None,
    Option(
        help="Extra parser processes (0-256). 0 parses in the crawler process.",
        show_default="one per other core",
    ),
]
Cluster = Annotated[
    str,
    Option(
        help="Crawl on a Ray cluster: auto, ray://host:10001 or host:port. All machines must"
        " see DIRECTORY. --workers is then per actor."
    ),
]
Alert = Annotated[
    str,
    Option(
        help="Shell command or URL for alerts: a stall, a full disk, many errors. Gets JSON on"
        " standard input, or by POST."
    ),
]
Plugin = Annotated[
    list[Path] | None,
    Option(
        metavar="FILE.py",
        help="An ordering under development: a Python file with build(setting). Its name is the"
        " file's. Can be repeated.",
    ),
]

# --- what is shown -------------------------------------------------------------------------------

Json = Annotated[bool, Option("--json", help="Print JSON, one object per line.")]
JsonEachSecond = Annotated[
    bool, Option("--json", help="Print a JSON object per second, and one at the end.")
]
Quiet = Annotated[bool, Option("--quiet", "-q", help="Show no progress bar.")]
LastLineOnly = Annotated[bool, Option("--quiet", "-q", help="Print only the last line.")]
TablesOnly = Annotated[bool, Option("--quiet", "-q", help="Print only the tables and what failed.")]
LogJson = Annotated[Path | None, Option(help="File for messages and progress, as JSON lines.")]
Force = Annotated[bool, Option("--force", help="Replace existing files.")]

# --- comparisons ---------------------------------------------------------------------------------

ComparedJob = Annotated[
    Path, Argument(help="The job file: everything that does not differ between runs.")
]
ComparisonFolder = Annotated[
    Path, Argument(help="Where runs are kept. Finished runs are not repeated.")
]
Collaborations = Annotated[
    str, Option(help='Collaborations to compare: "all", or names: "hash,url".')
]
Orderings = Annotated[
    str, Option(help='Orderings to compare: "all", or names, with job keys: "lookahead:depth=1".')
]
RunPages = Annotated[int, Option(min=0, help="Pages per run. 0: as in the job.")]
RunSeeds = Annotated[
    int, Option(min=1, max=1000, help="Runs per strategy, with different random seeds.")
]
FirstWeb = Annotated[
    int | None,
    Option(min=0, help="Seed of the first synthetic web; each run has its own.", show_default="1"),
]
Product = Annotated[bool, Option("--product", help="Every collaboration with every ordering.")]
RunsAtOnce = Annotated[int, Option(min=1, max=256, help="Runs at once.")]
Training = Annotated[
    int,
    Option(
        min=0,
        help="Pages to train the classifier from, if the job names no model. 0: do not train.",
    ),
]
Report = Annotated[Path | None, Option(help="Write a report with figures to this file.")]
Targets = Annotated[
    str,
    Option(
        help='With --replay FOLDER: targets from its sites.tsv, "all", a number, or places '
        "separated by semicolons."
    ),
]
Settings = Annotated[
    list[str] | None,
    Option(help='With --targets: job keys to crawl with, "concurrent=64,delay=1". Repeatable.'),
]
Figure = Annotated[Path | None, Option(help="With --targets: write a figure (SVG) per setting.")]

# --- exports -------------------------------------------------------------------------------------

CrawlDirectories = Annotated[
    list[Path],
    Argument(
        help="The crawl's directory, or its URL. Several crawls become one file.",
        parser=local_directory,
        metavar="DIRECTORIES",
    ),
]
ExportFormat = Annotated[
    str,
    Option(
        "--format",
        "-f",
        help="geojson, geojsonl, geoparquet, geopackage, csv, sqlite, duckdb, opensearch, warc"
        " or wacz.",
        show_default="by the file's ending",
    ),
]
ExportFile = Annotated[
    Path | None,
    Option(
        "--output",
        "-o",
        help="The file to write; - is standard output.",
        show_default="named after the directory, in the current directory",
    ),
]
What = Annotated[str, Option(help="addresses or pages.", show_default="addresses")]
RelevantOnly = Annotated[bool, Option("--relevant-only", help="Only from relevant pages.")]
InTargets = Annotated[bool, Option("--in-targets", help="Only addresses in the job's targets.")]
MinConfidence = Annotated[
    float, Option(help="Only addresses with at least this confidence (0 to 1).")
]
Bbox = Annotated[str, Option(help='Only addresses in a box: "WEST,SOUTH,EAST,NORTH".')]
InPlace = Annotated[
    str, Option(help='Only addresses in a place, by name or id: "Lisbon, Portugal".')
]
HousePoints = Annotated[
    str,
    Option(
        metavar="FILE|URL",
        help="Points of houses: an OpenAddresses, Overture or OpenStreetMap file, or the URL "
        "of your own Photon, Nominatim or Pelias.",
    ),
]
AllAnswers = Annotated[
    bool,
    Option(
        "--all",
        help="warc, wacz: every response, also robots.txt and errors, not only relevant pages.",
    ),
]
Bom = Annotated[bool, Option("--bom", help="csv: start with a byte order mark, for Excel.")]
ForceOne = Annotated[bool, Option("--force", help="Replace an existing file.")]

# --- the server ----------------------------------------------------------------------------------

Host = Annotated[
    str, Option(help="Address to listen on. 0.0.0.0 serves other machines; needs a token.")
]
Port = Annotated[int, Option(min=0, max=65535, help="Port to listen on. 0: any free port.")]
Token = Annotated[
    str,
    Option(
        help="Access token clients must send. Generated if the host is not loopback and none"
        " is given.",
        envvar="TOPONAUT_TOKEN",
    ),
]
AllowHost = Annotated[
    list[str] | None,
    Option(help="Host name that a proxy forwards: search.example.org. Can be repeated."),
]
BaseMapFile = Annotated[
    Path | None,
    Option(help="Base map: a PMTiles file with streets. `toponaut basemap` says where to get one."),
]
Tiles = Annotated[
    str,
    Option(
        help="Base map: URL template of a raster tile server,"
        " https://tile.example.org/{z}/{x}/{y}.png"
    ),
]
Attribution = Annotated[str, Option(help="Attribution of the tiles, shown on the map.")]
Mmdb = Annotated[
    str, Option(help="IP-to-city database (MMDB): finds the region of clients by their city.")
]
CountQueries = Annotated[
    bool,
    Option(
        "--count-queries",
        help="Count the words of queries by region and week, without identities, in"
        " queries.tsv of the crawl.",
    ),
]
OpenBrowser = Annotated[bool, Option("--open/--no-open", help="Open the page in a browser.")]

# --- lists of places -----------------------------------------------------------------------------

PlaceList = Annotated[
    Path, Argument(help="The list: CSV, GeoJSON or GeoParquet, with names and positions.")
]
VerdictFile = Annotated[
    Path | None,
    Option("--output", "-o", help="File for the verdicts: .csv, .geojson, .geojsonl or .parquet."),
]
MissingFile = Annotated[
    Path | None, Option(help="File for the places that the crawl has found and the list lacks.")
]
ListColumns = Annotated[
    str, Option(help='Columns with other names: "name=Titel,street=Adresse,city=Ort".')
]
PagesFirst = Annotated[
    int,
    Option(min=0, help="First fetch up to this many pages, from the websites of the list on."),
]
