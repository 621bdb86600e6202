"""The example for Kubernetes is valid, as far as can be checked without a cluster."""

import shlex
from importlib.metadata import version
from pathlib import Path

import yaml
from typer.main import get_command

from toponaut.cli import app
from toponaut.job import load

EXAMPLE = Path(__file__).parents[2] / "docs" / "how-to" / "kuberay.yaml"


def test_the_example_for_kubernetes() -> None:
    claim, jobs, crawl = yaml.safe_load_all(EXAMPLE.read_text(encoding="utf-8"))
    job = load(jobs["data"]["job.toml"], "job.toml")
    spec = crawl["spec"]
    name, verb, *arguments = shlex.split(spec["entrypoint"])
    command = get_command(app).commands[verb]  # type: ignore[attr-defined]
    given = command.make_context(verb, arguments).params
    assert (name, given["cluster"]) == ("toponaut", "auto")

    head, workers = (
        spec["rayClusterSpec"]["headGroupSpec"],
        spec["rayClusterSpec"]["workerGroupSpecs"],
    )
    pods = [one["template"]["spec"] for one in (head, *workers)]
    for pod in pods:
        (container,) = pod["containers"]
        assert {one["name"] for one in container["volumeMounts"]} == {
            one["name"] for one in pod["volumes"]
        }
        paths = [Path(one["mountPath"]) for one in container["volumeMounts"]]
        assert Path(job.storage.disk) in paths
        assert Path(given["directory"]).parent in paths
        assert {"persistentVolumeClaim": {"claimName": claim["metadata"]["name"]}}.items() <= pod[
            "volumes"
        ][0].items()
    assert len({pod["containers"][0]["image"] for pod in pods}) == 1
    assert jobs["metadata"]["name"] in [
        one.get("configMap", {}).get("name") for one in pods[0]["volumes"]
    ]
    cpus = sum(
        int(one["template"]["spec"]["containers"][0]["resources"]["limits"]["cpu"])
        * one["replicas"]
        for one in workers
    )
    assert cpus >= job.nodes.geographic * job.nodes.shards
    assert spec["rayClusterSpec"]["rayVersion"].split(".")[:2] == version("ray").split(".")[:2]
