"""Checks all files of a crawl: what is wrong, what can be repaired, what is gone.

run.py            check a crawl, and repair it    log_check.py      segments, sequences
findings.py       what was found, as records      archive_check.py  WARCs, digests, CDXJ
"""

from toponaut.check.findings import CheckReport, Fate, Fault
from toponaut.check.run import check_crawl

__all__ = ["CheckReport", "Fate", "Fault", "check_crawl"]
