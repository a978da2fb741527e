"""Work shared on Ray: the same results from any number of workers, and when some of them die."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from training import cluster, evaluate, selfplay, shards
from training.cluster import Workers

from .cluster_work import doomed, failing
from .test_resume import SAVES_OFTEN, learned, small, told

ray = pytest.importorskip("ray", reason="pip install -c constraints.txt -e '.[cluster]'")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="kills processes")

STORE = 80 << 20  # bytes; Ray's least is 75 MiB
SETTINGS = {
    "health_check_period_ms": 500,  # looks for nodes that are gone
    "health_check_failure_threshold": 4,
    "worker_niceness": 0,  # not behind the other tests
}
SMALL = [*small("ppo", "guan_pai", "--env.cards-each", "5"), "--shard-games", "8", "--backend", "ray"]


@pytest.fixture(scope="module")
def nodes() -> Iterator[Any]:
    """Two machines, as far as Ray knows, with a core and a small store each; the first is ours."""
    cluster.load_ray()  # quiet
    from ray.cluster_utils import Cluster

    own = {"num_cpus": 1, "object_store_memory": STORE}
    head = {**own, "include_dashboard": False, "_system_config": SETTINGS}
    both = patiently(lambda: Cluster(True, head_node_args=head))
    patiently(lambda: both.add_node(**own))
    assert patiently(lambda: cluster.connect(both.address))
    yield both
    ray.shutdown()
    both.shutdown()


def patiently(start: Callable[[], Any]) -> Any:
    """Ray gives its processes 30 seconds to start, which a busy machine may need twice."""
    for _ in range(2):
        try:
            return start()
        except Exception as error:  # it has no class of its own for that
            print(error)
    return start()


def run(folder: Path, workers: int) -> Path:
    assert selfplay.main([*SMALL, "--num-workers", str(workers), "--out", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def alone(nodes: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What one worker comes to that nothing happens to."""
    return run(tmp_path_factory.mktemp("runs") / "alone", 1)


def test_the_number_of_workers_changes_nothing(alone: Path, tmp_path: Path) -> None:
    two = run(tmp_path / "two", 2)
    assert learned(two) == learned(alone) and told(two) == told(alone)


def test_a_worker_killed_in_mid_run_loses_and_doubles_nothing(
    alone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "killed"
    monkeypatch.setattr(shards, "Player", partial(doomed, marker, None))
    killed = run(tmp_path / "run", 2)
    assert marker.exists()
    assert learned(killed) == learned(alone)  # weights
    assert told(killed) == told(alone)  # samples, games, losses, evaluations


def test_a_tournament_is_the_same_on_ray(nodes: Any, tmp_path: Path) -> None:
    """Byte for byte, records too, with search spread over the workers."""
    words = ["guan_pai", "search:1", "rule", "random", "--env.cards-each", "5", "--deals", "6", "--pool", "9"]
    here, there = tmp_path / "here", tmp_path / "there"
    assert evaluate.main([*words, "--save-records", "--out", str(here)]) == 0
    ray_words = ["--backend", "ray", "--workers", "2"]
    assert evaluate.main([*words, "--save-records", "--out", str(there), *ray_words]) == 0
    files = sorted(path.name for path in here.iterdir())
    assert files == ["crosstable.png", "records.jsonl", "report.md", "results.json"]
    assert all((there / name).read_bytes() == (here / name).read_bytes() for name in files)


# --- what goes wrong --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "error", "complaint"),
    [
        ("cannot begin", ValueError, r"^no agent 'runs/mine' \(on the machine \S+\)$"),
        ("says why", ValueError, r"^that will not do$"),
        ("is wrong", ZeroDivisionError, r"(?s)ray::Worker.do\(.*in work.*here it happened"),
        ("dies", ValueError, r"^2 workers have died over the same work; of the last one Ray says: "),
    ],
)
def test_what_workers_cannot_do_is_told(
    how: str, error: type[Exception], complaint: str, nodes: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "MOST_DEATHS", 1)
    workers = Workers(failing, (how,), 1)
    try:
        with pytest.raises(error, match=complaint):
            list(workers.do((number,) for number in range(3)))
    finally:
        workers.close()


def test_workers_of_another_version_are_refused(nodes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "fingerprint", lambda: "0.0.1 of the learner")
    workers = Workers(failing, ("",), 1)
    try:
        with pytest.raises(ValueError, match=r"another version .*, here 0\.0\.1 of the learner\): install"):
            list(workers.do([(1,)]))
    finally:
        workers.close()


@pytest.mark.parametrize("address", ["127.0.0.1:1", "127.0.0.1:x", "no.such.machine.invalid:6379"])
def test_an_address_where_nobody_answers(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    with pytest.raises(ValueError, match=f"no Ray cluster answers at {address} .* ray start --head"):
        cluster.connect(address)


def test_ctrl_c_ends_all_and_the_run_goes_on_elsewhere(alone: Path, tmp_path: Path) -> None:
    """A cluster of its own, as without an address: nothing of it is left."""
    folder = tmp_path / "run"
    words = [*SMALL, "--num-workers", "2", "--out", str(folder)]
    with subprocess.Popen(
        [sys.executable, "-c", SAVES_OFTEN, *words], stdout=-1, stderr=-1, text=True, start_new_session=True,
        env={**os.environ, "RAY_worker_niceness": str(SETTINGS["worker_niceness"])},
    ) as process:  # fmt: skip
        while process.poll() is None and not list(folder.glob("checkpoints/[0-9]*")):
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        printed, errors = process.communicate()
    assert process.returncode == 130 and "Go on: " in printed and "Traceback" not in errors
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    assert selfplay.main(["--resume", str(folder), "--num-workers", "1"]) == 0
    assert learned(folder) == learned(alone)


def test_a_machine_lost_in_mid_run_loses_and_doubles_nothing(
    nodes: Any, alone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last test here: afterwards there is one machine."""
    marker, own = tmp_path / "lost", ray.get_runtime_context().get_node_id()
    monkeypatch.setattr(shards, "Player", partial(doomed, marker, own))
    lost = run(tmp_path / "run", 2)
    assert marker.exists()
    assert learned(lost) == learned(alone) and told(lost) == told(alone)
    assert sum(node["Alive"] for node in ray.nodes()) == 1
