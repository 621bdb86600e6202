"""The commands as a user runs them: a new process, real files, exit codes, one-line errors."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from toponaut import __version__

PAGE = """<html><head><title>Contact</title></head><body><h1>Joe's Diner</h1>
<p>Find us in <b>Springfield</b>,<br>Missouri. Paris Hilton ate here.</p></body></html>"""


def toponaut(
    *arguments: str, stdin: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "toponaut", *arguments],
        input=stdin, capture_output=True, check=False, env={**os.environ, **environment},
    )  # fmt: skip


def objects(output: bytes) -> list[dict[str, object]]:
    return [json.loads(line) for line in output.splitlines()]


def test_places() -> None:
    done = toponaut("places", "Glendale", "--json")
    assert done.returncode == 0
    first = objects(done.stdout)[0]
    assert list(first) == [
        "id",
        "name",
        "kind",
        "country",
        "admin1",
        "lat",
        "lon",
        "population",
        "timezone",
        "path",
    ]
    assert (first["name"], first["admin1"], first["kind"]) == ("Glendale", "AZ", "city")
    assert first["path"] == ["United States", "Arizona", "Maricopa County", "Glendale"]
    shown = toponaut("places", "Glendale", "--limit", "2").stdout.decode()
    assert "Maricopa County, Arizona" in shown
    assert "more called Glendale" in shown


def test_places_by_id_and_in_wordnet() -> None:
    assert objects(toponaut("places", "2857458", "--json").stdout)[0]["name"] == "Oldenburg"
    assert "Portugal" in str(
        objects(toponaut("places", "Lisbon", "--wordnet", "--json").stdout)[0]["path"]
    )


def test_mentions_of_files(tmp_path: Path) -> None:
    page, note = tmp_path / "page.html", tmp_path / "note.txt"
    page.write_text(PAGE, encoding="utf-8")
    text = "Über  Köln\r\n\tnach Paris, Texas"
    note.write_bytes(text.encode())
    done = toponaut("mentions", str(page), str(note), "--json")
    assert done.returncode == 0
    found = objects(done.stdout)
    keys = [
        "source",
        "text",
        "start",
        "end",
        "id",
        "name",
        "country",
        "admin1",
        "lat",
        "lon",
        "confidence",
    ]
    assert [list(one) for one in found] == [keys] * len(found)
    assert [(one["text"], one["admin1"]) for one in found if one["source"] == str(page)] == [
        ("Springfield", "MO"),
        ("Missouri", "MO"),
    ]
    in_note = [one for one in found if one["source"] == str(note)]
    assert [one["text"] for one in in_note] == ["Köln", "Paris", "Texas"]
    for one in in_note:  # offsets index the characters of the file
        assert text[int(str(one["start"])) : int(str(one["end"]))] == one["text"]


def test_mentions_of_standard_input_with_a_region() -> None:
    plain = objects(toponaut("mentions", "-", "--json", stdin=b"The council of Athens met.").stdout)
    near = objects(
        toponaut(
            "mentions",
            "-",
            "--json",
            "--region",
            "Marietta, Ohio",
            stdin=b"The council of Athens met.",
        ).stdout
    )
    assert (plain[0]["country"], near[0]["admin1"]) == ("GR", "OH")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["places", "Oldenbrug"], 'no place is called "Oldenbrug". Did you mean Oldenburg'),
        (["places", ""], 'no place is called ""'),
        (["places", "99"], "no place has the id 99"),
        (["mentions", "nowhere.html"], "nowhere.html: there is no such file"),
        (["mentions", "-", "--region", "Springfield"], '"Springfield" is ambiguous'),
        (["mentions", "ftp://example.org/x"], "ftp://example.org/x: "),
        (["job"], "no job file given"),
        (["job", "nowhere.toml"], "cannot read nowhere.toml"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(arguments: list[str], said: str) -> None:
    done = toponaut(*arguments)
    assert done.returncode == 2
    assert said in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()
    assert done.stdout == b""


def test_a_file_that_is_not_a_page(tmp_path: Path) -> None:
    picture = tmp_path / "picture.html"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40)
    done = toponaut("mentions", str(picture), "--json")
    assert done.returncode == 2
    assert "neither HTML nor text" in done.stderr.decode()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[targets]\nplaces = ["Oldenburg, DE"]\n', "has no seeds"),
        ('seeds = ["htp:/x"]\n[targets]\nplaces = ["Oldenburg, DE"]\n', "must be a web address"),
        (
            'seeds = ["https://example.org/"]\n[targets]\nplaces = ["Oldenbrug"]\n',
            'no place is called "Oldenbrug"',
        ),
        (
            'seeds = ["https://example.org/"]\n[targets]\nplaces = ["Glendale"]\n',
            '"Glendale" is ambiguous',
        ),
        (
            'seeds = ["https://example.org/"]\ntargets.places = ["Oldenburg, DE"]\n'
            "[politeness]\ndealy = 1\n",
            'did you mean "delay"?',
        ),
    ],
)
def test_bad_jobs(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "job.toml"
    path.write_text(text, encoding="utf-8")
    done = toponaut("job", str(path))
    assert done.returncode == 2
    assert said in done.stderr.decode()
    assert len(done.stderr.decode().splitlines()) == 1


def test_the_example_job_is_good(tmp_path: Path) -> None:
    path = tmp_path / "job.toml"
    path.write_bytes(toponaut("job", "--example").stdout)
    done = toponaut("job", str(path))
    assert done.returncode == 0
    assert (
        done.stdout.decode() == "job.toml is good: 1 seeds, 1 targets, 1 node\n  Cn1: Oldenburg\n"
    )
    (checked,) = objects(toponaut("job", str(path), "--json").stdout)
    assert checked == {
        "seeds": 1, "targets": 1, "territories": {"Cn1": ["Oldenburg"]}, "general": [],
    }  # fmt: skip


def test_extract_has_json_and_one_format_only(tmp_path: Path) -> None:
    page, out = tmp_path / "page.html", tmp_path / "out.json"
    page.write_text("<p>221 Lamar Ave<br>Paris, TX 75460", encoding="utf-8")
    (address,) = objects(toponaut("extract", str(page), "--json", "--workers", "1").stdout)
    assert address["postcode"] == "75460"
    assert toponaut("extract", str(page), "-o", str(out), "-q").stdout == b""
    assert objects(out.read_bytes()) == [address]
    done = toponaut("extract", str(page), "--json", "--format", "csv")
    assert done.returncode == 2
    assert b"--json and --format csv exclude each other" in done.stderr


def test_the_cache_directory_must_be_writable(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a directory", encoding="utf-8")
    done = toponaut("places", "Oldenburg", TOPONAUT_CACHE=str(blocked / "cache"))
    assert done.returncode == 2
    assert "cannot write the compiled gazetteer" in done.stderr.decode()
    assert "TOPONAUT_CACHE" in done.stderr.decode()


def test_a_closed_pipe_is_not_an_error() -> None:
    command = f"{sys.executable} -m toponaut places Clinton Jackson --limit 90 --json | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert done.stderr == b""
    assert len(done.stdout.splitlines()) == 1


def test_the_demo_writes_a_report(tmp_path: Path) -> None:
    page = tmp_path / "demo.html"
    done = toponaut("demo", "--output", str(page))
    assert done.returncode == 0
    assert page.as_uri() in done.stdout.decode()
    written = page.read_text(encoding="utf-8")
    assert "Honey Grove" in written
    named = (
        "https://paris-post", "https://www.pizzeria", "https://guia", "http://www.w3.org/2000/svg",
    )  # fmt: skip
    for shown in named:
        written = written.replace(shown, "")
    assert not {"http://", "https://"} & set(re.findall("https?://", written))  # no other host


def test_help_and_version() -> None:
    overview = toponaut("--help").stdout.decode()
    assert "Usage: toponaut [OPTIONS] COMMAND" in overview
    assert "Usage: toponaut places" in toponaut("places", "--help").stdout.decode()
    assert toponaut("--version").stdout == f"toponaut {__version__}\n".encode()


def test_without_the_compiled_core_a_command_says_so_in_one_line(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    leave = shutil.ignore_patterns("*.so", "__pycache__")
    shutil.copytree(root / "src" / "toponaut", tmp_path / "toponaut", ignore=leave)
    example = str(root / "examples" / "oldenburg")
    line = ("crawl", f"{example}/job.toml", str(tmp_path / "crawl"), "--replay", example)
    done = toponaut(*line, PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stdout) == (1, b"")
    (error,) = done.stderr.decode().splitlines()
    assert error.startswith("toponaut: The core is not compiled for this Python. Reinstall")
    assert toponaut("--version", PYTHONPATH=str(tmp_path)).returncode == 0
