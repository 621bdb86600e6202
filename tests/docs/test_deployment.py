"""The systemd unit, the Compose file and the Dockerfile: valid, and their commands exist.

Neither systemd nor Docker runs here: this checks what can be checked without them.
"""

import configparser
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from tools.docs_blocks import ROOT
from typer.main import get_command

from toponaut.cli import app

OPERATE = (ROOT / "docs" / "how-to" / "operate.md").read_text(encoding="utf-8")
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
# The keys that we use and what they may be, by the Compose Specification; any other key is a slip.
COMPOSE: dict[str, tuple[Any, str]] = {
    "image": (str, r"[a-z]+"),
    "command": (str, r".+"),
    "volumes": (list, r"[^:]+:/[^:]+"),
    "ports": (list, r"\d+:\d+"),
    "depends_on": (list, r"[a-z]+"),
    "environment": (dict, r"[A-Z_]+"),
    "stop_grace_period": (str, r"\d+[sm]"),
    "restart": (str, r"no|always|on-failure(:\d+)?|unless-stopped"),
}


def block(first: str) -> str:
    """The indented block of the docs that begins with this line."""
    lines = OPERATE[OPERATE.index(f"    {first}") :].splitlines()
    end = next((k for k, line in enumerate(lines) if line and line[0] != " "), len(lines))
    return "\n".join(line[4:] for line in lines[:end])


def arguments(line: str) -> dict[str, Any]:
    """What `toponaut LINE` would be given; a usage error fails the test."""
    verb, *rest = shlex.split(line)
    command = get_command(app).commands[verb]  # type: ignore[attr-defined]
    return dict(command.make_context(verb, rest).params)


def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    unit = block("# /etc/systemd/system/toponaut@.service")
    if not (analyze := shutil.which("systemd-analyze")):
        pytest.skip("systemd-analyze is not installed")
    here = unit.replace("/opt/toponaut/bin/toponaut", str(Path(sys.executable)))
    for text, complaints in ((here, 0), (here.replace("RestartSec", "RestartSeconds"), 1)):
        path = tmp_path / "toponaut@oldenburg.service"
        path.write_text(text)
        line = [analyze, "--man=no", "verify", str(path)]
        done = subprocess.run(line, capture_output=True, text=True, timeout=120)
        said = [row for row in done.stderr.splitlines() if str(path) in row]
        assert (done.returncode, len(said)) == (0, complaints), done.stderr


def test_the_unit_fits_the_command() -> None:
    """Ctrl-C stops a crawl, which then ends with 130; 2 is bad input."""
    unit = configparser.ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string(block("# /etc/systemd/system/toponaut@.service"))
    service = unit["Service"]
    program, line = service["ExecStart"].split(" ", 1)
    given = arguments(line.replace("%i", "oldenburg"))
    assert program == "/opt/toponaut/bin/toponaut"
    assert (str(given["directory"]), given["quiet"]) == ("oldenburg", True)
    codes = (service["SuccessExitStatus"], service["RestartPreventExitStatus"])
    assert (service["KillSignal"], *codes) == ("SIGINT", "130", "2")
    assert service["WorkingDirectory"] == service["ReadWritePaths"]


def test_the_compose_file_is_valid_and_fits_the_commands() -> None:
    compose = yaml.safe_load(block("# compose.yaml"))
    assert compose.keys() == {"services"}
    services = compose["services"]
    for key, value in (pair for service in services.values() for pair in service.items()):
        kind, pattern = COMPOSE[key]
        assert isinstance(value, kind), key
        texts: list[str] = [value] if isinstance(value, str) else list(value)
        assert all(re.fullmatch(pattern, text) for text in texts), key
    crawl, serve = (arguments(services[name]["command"]) for name in ("crawl", "serve"))
    assert Path(crawl["directory"]) == Path(serve["directory"])
    assert services["serve"]["ports"] == [f"{serve['port']}:{serve['port']}"]
    assert services["serve"]["depends_on"] == ["crawl"]
    command = get_command(app).commands["serve"]  # type: ignore[attr-defined]
    variables = {parameter.envvar for parameter in command.params}
    assert services["serve"]["environment"].keys() <= variables
    volume = re.search(r"^WORKDIR (/data)$", DOCKERFILE, re.M)
    assert volume
    assert all(one["volumes"] == [f".:{volume[1]}"] for one in services.values())


def test_the_dockerfile_needs_only_files_that_exist_and_is_stopped_by_ctrl_c() -> None:
    assert "STOPSIGNAL SIGINT" in DOCKERFILE
    assert 'ENTRYPOINT ["toponaut"]' in DOCKERFILE
    assert "USER toponaut" in DOCKERFILE
    ignored = (ROOT / ".dockerignore").read_text().split()
    assert {".venv", "**/*.so"} <= set(ignored)  # a core of this machine would be packed
    needed = re.search(r"--constraint (\S+)", DOCKERFILE)
    assert needed
    assert (ROOT / needed[1]).exists()
    assert needed[1] not in ignored
