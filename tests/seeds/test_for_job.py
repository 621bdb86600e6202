"""Jobs that name a file of seeds, or sources; and the command."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

import toponaut
from toponaut.cli import app
from toponaut.errors import InputError
from toponaut.job import load
from toponaut.seeds.for_job import with_seeds

REST = '\n[targets]  # where\nplaces = ["Oldenburg, DE"]\n'
LISTED = 'seeds = ["https://a.example/", "https://b.example/"]'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "seeds.tsv").write_text("url\tname\nhttps://a.example\tA\nb.example\t\n")
    return tmp_path


@pytest.mark.parametrize(
    "seeds",
    ['seeds = "seeds.tsv"', "seeds='seeds.tsv'", 'seeds.from = [\n  "seeds.tsv",\n]'],
)
def test_seeds_are_listed_in_the_job(folder: Path, seeds: str) -> None:
    text, found = with_seeds(seeds + REST, str(folder / "job.toml"))
    assert text == LISTED + REST
    assert [seed.name for seed in found] == ["A", ""]
    assert load(text).seeds == ("https://a.example/", "https://b.example/")


def test_a_section_of_seeds(folder: Path) -> None:
    text, _ = with_seeds(f'{REST}[seeds]\nfrom = ["seeds.tsv"]\n', str(folder / "job.toml"))
    assert load(text).seeds == ("https://a.example/", "https://b.example/")


@pytest.mark.parametrize("seeds", [LISTED, "seeds = 7", "seeds = [", ""])
def test_other_jobs_stay_as_they_are(seeds: str) -> None:
    assert with_seeds(seeds + REST, "job.toml") == (seeds + REST, [])


@pytest.mark.parametrize(
    ("seeds", "cause"),
    [
        ('seeds = "none.tsv"', "cannot read the seeds in .*none.tsv: No such file"),
        ('seeds.form = ["osm"]', "seeds must be a list of URLs, a file, or sources"),
        ("seeds.from = [7]", "seeds must be a list of URLs, a file, or sources"),
        ('seeds = "empty.tsv"', "no seeds were found"),
        ('seeds.from = ["none.parquet"]', "there is no file none.parquet"),
    ],
)
def test_wrong_seeds(folder: Path, seeds: str, cause: str) -> None:
    (folder / "empty.tsv").write_text("url\n")
    with pytest.raises(InputError, match=cause):
        with_seeds(seeds + REST, str(folder / "job.toml"))


def test_a_crawl_starts_from_a_file(folder: Path) -> None:
    example = Path(__file__).parents[2] / "examples" / "oldenburg"
    (folder / "seeds.tsv").write_text("url\nhttps://stadtportal.example/\n")
    (folder / "job.toml").write_text(f'seeds = "seeds.tsv"{REST}')
    crawl = toponaut.crawl(folder / "job.toml", folder / "crawl", replay=example)
    assert len(crawl.pages()) == 9
    assert 'seeds = ["https://stadtportal.example/"]' in (folder / "crawl" / "job.toml").read_text()


def test_the_command(folder: Path) -> None:
    arguments = ["seeds", "Oldenburg, DE", "--from", str(folder / "seeds.tsv")]
    printed = CliRunner().invoke(app, arguments)
    assert printed.stdout.splitlines()[1:] == [
        "https://a.example/\tlist\tA\t\t\t\t", "https://b.example/\tlist\t\t\t\t\t",
    ]  # fmt: skip
    written = CliRunner().invoke(app, [*arguments, "-o", str(folder / "out.tsv")])
    assert "2 seeds for Oldenburg" in written.stdout
    assert (folder / "out.tsv").read_text() == printed.stdout
    piped = CliRunner().invoke(
        app, ["seeds", "Oldenburg, DE", "--from", "-", "--json"], input="c.example\n"
    )
    assert '"url":"https://c.example/"' in piped.stdout


def test_the_python_door(folder: Path) -> None:
    with pytest.warns(UserWarning, match="there is no file"):
        found = toponaut.seeds("Oldenburg, DE", [str(folder / "seeds.tsv"), "none.pbf"])
    assert [seed.url for seed in found] == ["https://a.example/", "https://b.example/"]
    with pytest.raises(InputError, match='no place is called "Nowhereville'):
        toponaut.seeds("Nowhereville Qx")
