"""The job file: what a user asks of a crawl, as one frozen, typed tree.

    load(text)  -> Job, or an InputError with line, cause and cure
    render(job) -> TOML that loads to an equal job
    example()   -> a job file with every key, its default and its help

A key exists in one place only: a field in sections.py, with its type, bounds, default and help. The checks,
the messages and the example are all read off these fields.
"""

from toponaut.job.reading import load
from toponaut.job.sections import (
    CollaborationSection,
    Job,
    LimitsSection,
    NodesSection,
    OrderingSection,
    PolitenessSection,
    Section,
    StorageSection,
    TargetsSection,
    TerritorySection,
)
from toponaut.job.writing import example, render

__all__ = [
    "CollaborationSection",
    "Job",
    "LimitsSection",
    "NodesSection",
    "OrderingSection",
    "PolitenessSection",
    "Section",
    "StorageSection",
    "TargetsSection",
    "TerritorySection",
    "example",
    "load",
    "render",
]
