"""What a check found."""

from enum import StrEnum

from toponaut.records import Record


class Fate(StrEnum):
    """What becomes of something that is wrong."""

    REPAIRABLE = "repairable"  # by --repair
    REPAIRED = "repaired"
    GONE = "gone"


class Fault(Record, frozen=True):
    """One thing that is wrong."""

    part: str  # "log", "archive", "index"
    file: str  # relative to the crawl's directory
    what: str
    fate: Fate
    pages: tuple[str, ...] = ()  # URLs that are gone, at most some hundred

    def line(self) -> str:
        return f"{self.fate:10} {self.file}: {self.what}"


class CheckReport(Record, frozen=True):
    """All that a check read and found."""

    directory: str
    segments: int = 0
    visits: int = 0  # that can be read
    missing: int = 0  # visits that the log once had
    warcs: int = 0
    records: int = 0
    answers: int = 0  # responses and revisits
    pointers: int = 0  # visits with an archived answer
    dangling: int = 0  # of them, those whose answer is not there
    unknown: int = 0  # answers that no visit points to
    indexed: int = 0  # pages in the search index
    findings: tuple[Fault, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong, or all of it was repaired."""
        return all(one.fate is Fate.REPAIRED for one in self.findings)

    def lines(self) -> list[str]:
        """The report for people."""
        extra = f", {self.unknown:,} of them not in the log" if self.unknown else ""
        return [
            f"log      {self.segments:,} segments, {self.visits:,} visits, "
            f"{self.missing:,} missing",
            f"archive  {self.warcs:,} WARC files, {self.records:,} records, "
            f"{self.answers:,} answers{extra}",
            f"pointers {self.pointers:,} from log to archive, {self.dangling:,} dangling",
            f"index    {self.indexed:,} pages",
            *(one.line() for one in self.findings),
            *(f"           {url}" for one in self.findings for url in one.pages[:_SHOWN]),
            self._verdict(),
        ]

    def _verdict(self) -> str:
        counts = {fate: sum(one.fate is fate for one in self.findings) for fate in Fate}
        if not self.findings:
            return f"{self.directory}: nothing is wrong"
        found = ", ".join(f"{count} {fate}" for fate, count in counts.items() if count)
        repair = counts[Fate.REPAIRABLE]
        return f"{self.directory}: {found}" + ("; repair with --repair" if repair else "")


_SHOWN = 10  # pages per finding, in text
