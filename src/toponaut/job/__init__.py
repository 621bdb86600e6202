"""The job file: what a user wants crawled, as one frozen, typed tree.

    load(text)  -> Job, or an InputError that lists all faults with line, cause and fix
    render(job) -> TOML that loads to an equal job
    example()   -> a job file with every key, its default and its description
    job_keys()  -> every key with its section, type, default and description

Each key is defined once, as a field in sections.py.
"""

from toponaut.job.reading import load
from toponaut.job.sections import (
    CollaborationSection,
    FetchSection,
    Job,
    LimitsSection,
    NodesSection,
    OrderingSection,
    PolitenessSection,
    RegionSection,
    Section,
    StorageSection,
    TargetsSection,
    TerritorySection,
    WatchSection,
)  # fmt: skip
from toponaut.job.writing import example, job_keys, render

__all__ = [
    "CollaborationSection", "FetchSection", "Job", "LimitsSection", "NodesSection",
    "OrderingSection", "PolitenessSection", "RegionSection", "Section", "StorageSection",
    "TargetsSection", "TerritorySection", "WatchSection", "example", "job_keys", "load", "render",
]  # fmt: skip
