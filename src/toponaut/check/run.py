"""Checks a crawl: log, archive, pointers between them, index; repairs what can be repaired."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path

from msgspec.structs import replace

from toponaut.archive.archive_files import ArchiveFiles
from toponaut.check.archive_check import POINTER, WarcCheck, check_warc, file_findings
from toponaut.check.findings import CheckReport, Fate, Fault
from toponaut.check.log_check import LogCheck
from toponaut.crawl.directory import LOG, Directory
from toponaut.crawl.status import is_running
from toponaut.errors import InputError
from toponaut.index.integrity import index_damage
from toponaut.index.layout import IndexPaths, index_folder, read_marker
from toponaut.index.write.update import update_index
from toponaut.log import files

OnProgress = Callable[[int, int], None]  # bytes read, of all
_MAX_PAGES = 500  # of a finding


def check_crawl(
    root: Path, *, repair: bool = False, progress: OnProgress = lambda *_: None
) -> CheckReport:
    """Read all files of a crawl. Only a crawl that does not run can be repaired."""
    directory = Directory(root)
    directory.read_job()
    if directory.mirror:
        cause = f"{directory.where} is on remote storage"
        raise InputError(cause, "Copy the crawl to this machine, and check the copy")
    with directory.locked() if repair else nullcontext():
        return _CrawlCheck(directory, repair, progress).run()


class _CrawlCheck:
    def __init__(self, directory: Directory, repair: bool, progress: OnProgress) -> None:
        self._directory, self._repair, self._progress = directory, repair, progress
        self._fate = Fate.REPAIRED if repair else Fate.REPAIRABLE
        self._runs = not repair and is_running(directory)
        self._done, self._total = 0, max(_size(directory), 1)
        self._log = LogCheck(directory.root, self._step, self._runs)
        self._report = CheckReport(directory.where)
        self._findings: list[Fault] = []

    def run(self) -> CheckReport:
        self._check_log()
        self._check_archive()
        self._check_index()
        return replace(self._report, findings=tuple(self._findings))

    def _step(self, size: int) -> None:
        self._done += size
        self._progress(self._done, self._total)

    def _check_log(self) -> None:
        log = self._log
        for part in self._directory.logs.parts():
            log.add(part)
            if self._repair:
                log.repair(part)
        for one in log.findings:
            repaired = self._repair and one.fate is Fate.REPAIRABLE
            self._findings.append(replace(one, fate=Fate.REPAIRED) if repaired else one)
        self._report = replace(
            self._report, segments=log.segments, visits=log.visits, missing=log.missing
        )

    # --- archive ---------------------------------------------------------------------------------

    def _check_archive(self) -> None:
        """Files one by one: of each, only the places of its answers stay in memory."""
        archive, pointers = self._directory.archive, self._log.pointers
        growing = self._growing()
        originals: list[tuple[str, int]] = []
        places: dict[str, set[int]] = {}
        gone: list[tuple[str, int]] = []
        warcs = sorted(archive.glob("*.warc.gz"))
        for warc in warcs:
            found = check_warc(warc, self._step)
            self._findings += file_findings(warc, found, warc in growing, self._repair)
            originals += found.originals
            places[warc.name] = set(found.answers)
            if warc.name in pointers:
                gone += [(warc.name, offset) for offset in found.dangling(pointers[warc.name])]
            self._count(found, len(pointers.get(warc.name, ())) // POINTER)
        for name in pointers.keys() - places.keys():
            gone += [(name, offset) for offset in pointers[name][::POINTER]]
        gone += [one for one in originals if one[1] not in places.get(one[0], ())]
        self._report = replace(self._report, warcs=len(warcs))
        self._add_gone(gone)

    def _growing(self) -> set[Path]:
        """The WARC that the running crawl writes."""
        own = ArchiveFiles(self._directory.archive, LOG)
        return {own.path(number) for number in own.numbers()[-1:]} if self._runs else set()

    def _count(self, found: WarcCheck, pointers: int) -> None:
        before = self._report
        self._report = replace(
            before,
            records=before.records + found.records,
            answers=before.answers + len(found.answers),
            unknown=before.unknown + max(len(found.answers) - pointers, 0),
        )

    def _add_gone(self, gone: list[tuple[str, int]]) -> None:
        pointers = sum(len(some) for some in self._log.pointers.values()) // POINTER
        self._report = replace(self._report, pointers=pointers, dangling=len(gone))
        by_file: dict[str, set[int]] = {}
        for name, offset in gone:
            by_file.setdefault(name, set()).add(offset)
        for name, offsets in sorted(by_file.items()):
            state = "lacks" if (self._directory.archive / name).exists() else "is missing, with"
            what = f"{state} {len(offsets):,} archived answers"
            pages = tuple(self._urls(name, offsets))
            self._findings.append(Fault("archive", f"archive/{name}", what, Fate.GONE, pages))

    def _urls(self, name: str, offsets: set[int]) -> Iterator[str]:
        """The pages that the log has there."""
        try:
            found = 0
            for visit in self._directory.logs.read(("archive", "offset")):
                if visit.archive == name and visit.offset in offsets:
                    yield visit.url
                    found += 1
                    if found == min(_MAX_PAGES, len(offsets)):
                        return
        except InputError:  # the log is damaged, too
            return

    # --- index -----------------------------------------------------------------------------------

    def _check_index(self) -> None:
        folder = index_folder(self._directory.root)
        marker = read_marker(folder)
        damage = index_damage(folder, checksums=True)
        for what in damage:
            self._findings.append(Fault("index", "index", what, self._fate))
        if damage and self._repair:
            IndexPaths(folder).marker.unlink()
            update_index(self._directory.root)
            marker = read_marker(folder)
        self._report = replace(self._report, indexed=marker.pages if marker else 0)


def _size(directory: Directory) -> int:
    """Bytes that are read, apart from the index."""
    log = sum(files.size(part.directory, part.end) for part in directory.logs.parts())
    return log + sum(warc.stat().st_size for warc in directory.archive.glob("*.warc.gz"))
