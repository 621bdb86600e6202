"""The stages of the bench of real pages name files that exist."""

from pathlib import Path

from bench.real.profile import STAGES

SOURCES = Path(__file__).parents[1] / "src"
OTHERS = ("aiohttp", "asyncio", "uvloop")


def test_every_stage_names_files_of_the_crawler() -> None:
    files = [f"{path.as_posix()}" for path in SOURCES.rglob("*.py")]
    named = [part for _, parts in STAGES for part in parts if part not in OTHERS]
    assert [part for part in named if not any(part in file for file in files)] == []
