"""A cluster over network namespaces: machines with addresses of their own, cut cables, slow and
lossy ones, and the loss of Ray's head.

The crawl is repeated by the same command until it ends by itself. Then nothing is missing, nothing
is twice but what was not sealed, and all files are whole.
"""

import random
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.cluster.conftest import KILLS
from tests.support.clusters import fetched, in_soak, progress_of, wait_for_pages
from tests.support.crawling import FAST, job
from tests.support.little_web import LittleWeb, export, little_web
from tests.support.namespaces import Disturbed, NetCluster, namespaces, needs_namespaces

import toponaut
from toponaut.job import CollaborationSection, Job, LimitsSection, NodesSection, StorageSection
from toponaut.job import render as render_job
from toponaut.log import Logs

_PATIENCE_S = 300.0
pytestmark = needs_namespaces


def wanted(little: LittleWeb) -> Job:
    limits = LimitsSection(private_networks=True, depth=0)
    usual = job([little.seed], ordering="breadth-first", politeness=FAST, limits=limits)
    return replace(
        usual,
        nodes=NodesSection(geographic=2),
        collaboration=CollaborationSection(strategy="hash"),
        storage=StorageSection(seal_seconds=1),
    )


class Scene:
    """A crawl of a recorded web in a folder."""

    def __init__(self, folder: Path, pages: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.little = little_web(seed=7, hosts=8, pages=pages)
        self.root = folder / "c"
        self._job, self._web = folder / "job.toml", export(self.little, folder / "web")
        self._job.write_text(render_job(wanted(self.little)))

    def line(self, cluster: NetCluster) -> list[object]:
        where = ("--cluster", cluster.address, "--workers", 0, "--replay", self._web, "-q")
        return ["crawl", self._job, self.root, *where]

    def advances(self, crawl: "subprocess.Popen[str]", pages: int = 20) -> bool:
        """Wait for some more pages; False if the crawl ends before, or all its machines rest."""
        enough = self._pages() + pages
        until = time.monotonic() + _PATIENCE_S
        while crawl.poll() is None and time.monotonic() < until:
            if self._pages() >= enough:
                return True
            time.sleep(0.1)
        return False

    def _pages(self) -> int:
        progress = progress_of(self.root)
        return progress.pages if progress else 0

    def check(self, repeated: int) -> None:
        """Nothing is missing; at most this many pages came twice."""
        pages = fetched(self.root)
        assert set(pages) == self.little.pages
        assert sum(count - 1 for count in pages.values()) <= repeated
        sequences = Counter(visit.sequence for visit in Logs(self.root / "log").read())
        assert set(sequences.values()) == {1}
        assert toponaut.open(self.root).check().findings == ()


@in_soak
@pytest.mark.parametrize(
    ("lost", "words"),
    [("head", "Ray's head at"), ("machines", "no machine of the cluster has answered")],
)
def test_the_loss_of_the_head_or_of_all_machines_is_reported_and_the_same_command_resumes(
    tmp_path: Path, lost: str, words: str
) -> None:
    scene = Scene(tmp_path, 600)
    with namespaces(2) as cluster:
        with cluster.begun(*scene.line(cluster)) as crawl:
            wait_for_pages(scene.root, 50, crawl)
            if lost == "head":
                cluster.head.kill("gcs_server")
            cluster.machines[1].kill()
            out, said = crawl.communicate(timeout=_PATIENCE_S)
        assert crawl.returncode == 2, out + said
        assert words in said
        assert "repeat the command" in said
        assert "Traceback" not in said
        cluster.kill()
        cluster.start()
        with cluster.begun(*scene.line(cluster)) as crawl:
            out, err = crawl.communicate(timeout=_PATIENCE_S)
        assert "nothing is left to fetch" in out, err
    scene.check(repeated=0)


def harm(
    cluster: NetCluster, scene: Scene, crawl: "subprocess.Popen[str]", rng: random.Random
) -> list[str]:
    """Kill something at a random moment; returns its kind, and nothing if it was not there."""
    machine = rng.choice(cluster.machines[1:])
    time.sleep(rng.uniform(0.0, 1.0))
    kind = rng.choice(("actor", "actor", "actor", "actor", "machine", "machine with a cut cable"))
    if kind == "actor":
        return [kind] * bool(machine.kill("ray::NodeActor"))
    if kind != "machine":
        machine.cut()
        scene.advances(crawl)
        machine.mend()
    machine.kill()
    machine.start(2, cluster.head.address)
    return [kind]


@in_soak
def test_a_crawl_survives_cut_cables_and_lost_machines(tmp_path: Path) -> None:
    """One of them is slow and loses packets. A crawl that comes to its end before its last kill is
    followed by another. Most kills are of an actor's process alone: a machine takes seconds of CPU
    to begin.
    """
    rng, kinds = random.Random(KILLS), Counter[str]()
    with namespaces(3, disturbed=Disturbed(milliseconds=20, loss=0.01)) as cluster:
        while (before := kinds.total()) < KILLS:
            scene = Scene(tmp_path / str(before), 4000)
            with cluster.begun(*scene.line(cluster)) as crawl:
                while kinds.total() < KILLS and scene.advances(crawl):
                    kinds.update(harm(cluster, scene, crawl, rng))
                out, err = crawl.communicate(timeout=_PATIENCE_S)
            assert crawl.returncode == 0, err
            assert "nothing is left to fetch" in out
            scene.check(repeated=0)
            lost = ", ".join(f"{many} {kind}" for kind, many in sorted(kinds.items()))
            print(f"{kinds.total() - before} kills in this crawl; in all {lost}", flush=True)
