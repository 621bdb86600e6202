"""A city from its name alone: from seeds to exports, and what the command says when it fails."""

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import toponaut
from toponaut.api.cities import CityOptions, slug
from toponaut.cli import app
from toponaut.errors import InputError

EXAMPLE = Path(__file__).parents[2] / "examples" / "oldenburg"


def run(folder: Path, *arguments: str, place: str = "Oldenburg, DE") -> Result:
    return CliRunner().invoke(app, ["city", place, str(folder), *arguments])


def test_a_recorded_town(tmp_path: Path) -> None:
    folder = tmp_path / "oldenburg"
    done = run(folder, "--replay", str(EXAMPLE), "--contact", "crawler@archive.example")
    assert done.exit_code == 0, done.output
    assert 'targets = { places = ["Oldenburg, Lower Saxony, DE"] }' in done.output
    assert "Pizzeria Vesuvio" in done.output
    names = {file.name for file in (folder / "export").iterdir()}
    assert names == {"oldenburg.parquet", "oldenburg.geojson", "oldenburg.wacz"}
    assert toponaut.open(folder).search("pizzeria in oldenburg").answer.total == 2


def test_the_same_command_continues_with_a_larger_budget(tmp_path: Path) -> None:
    replay = ("--replay", str(EXAMPLE))
    assert run(tmp_path / "town", *replay, "--pages", "3").exit_code == 0
    assert len(toponaut.open(tmp_path / "town").pages()) == 3
    done = run(tmp_path / "town", *replay, "--pages", "30")
    assert done.exit_code == 0, done.output
    assert len(toponaut.open(tmp_path / "town").pages()) == 9
    other = run(tmp_path / "town", *replay, place="Bremen, DE")
    assert isinstance(other.exception, InputError)
    assert "holds a crawl of other places" in str(other.exception)


def test_a_crawl_without_pages_names_its_seeds(tmp_path: Path) -> None:
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("https://gone.example/\nhttps://stadtportal.example/missing\n")
    done = run(tmp_path / "town", "--replay", str(EXAMPLE), "--from", str(seeds))
    assert done.exit_code == 1
    assert "no page was fetched; https://gone.example/: gone (not in" in done.output
    assert "https://stadtportal.example/missing: gone" in done.output


def test_a_synthetic_city(tmp_path: Path) -> None:
    options = CityOptions(pages=20, synthetic=1)
    found = toponaut.city("Denver, CO", tmp_path / "denver", options)
    assert len(found.crawl.pages()) == 20


def test_ambiguous_and_unknown_cities(tmp_path: Path) -> None:
    with pytest.raises(InputError, match='"Springfield" is ambiguous'):
        toponaut.city("Springfield", tmp_path)
    with pytest.raises(InputError, match="no place is called"):
        toponaut.city("Xyzzyville", tmp_path)


def test_replays_without_seeds(tmp_path: Path) -> None:
    for replay, cause in ((tmp_path / "nowhere", "there is no"), (tmp_path, "has no seeds.tsv")):
        with pytest.raises(InputError, match=cause):
            toponaut.city("Oldenburg, DE", tmp_path / "x", CityOptions(replay=replay))


def test_names_of_folders() -> None:
    assert [slug(name) for name in ("St. Paul", "Köln", "!")] == ["st-paul", "köln", "city"]
