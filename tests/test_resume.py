"""A run that was stopped, however it was stopped, goes on as if it had not been."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from agents.network import POLICY_FILE
from agents.tabular import PROBABILITIES, TABLE_FILE
from envs.core.game import get
from training import cfr, checkpoint, external_sampling, learning, selfplay
from training.checkpoint import newest
from training.ppo import PPO

from .games import in_turn, pytest_generate_tests  # noqa: F401 (the hook of in_turn)

BRIEF = ["--evaluations", "2", "--eval-deals", "4", "--final-deals", "4", "--samples", "4k"]
SMALL = {
    "ppo": [
        "--ppo.num-envs",
        "32",
        "--ppo.batch",
        "512",
        "--ppo.minibatch",
        "128",
        "--ppo.critic-hidden",
        "16",
    ],
    "dmc": ["--dmc.num-envs", "32", "--dmc.batch", "512", "--dmc.minibatch", "128", "--dmc.ring", "1024"],
    "rpi": ["--rpi.num-envs", "32", "--rpi.batch", "512", "--rpi.minibatch", "128"],
    "sb3": [
        "--sb3.num-envs",
        "32",
        "--sb3.steps",
        "16",
        "--sb3.minibatch",
        "128",
        "--sb3.critic-hidden",
        "16",
    ],
}


def small(algo: str, *game: str) -> list[str]:
    """The arguments of a small run."""
    own = [f"--{algo}.hidden", "16", f"--{algo}.bfloat16", "False", *SMALL[algo]]
    return [*game, "--algo", algo, *own, *BRIEF]


RUNS = {
    "guan_pai": small("ppo", "guan_pai", "--env.cards-each", "5"),
    "xiangxi96": [
        *small("ppo", "xiangxi96", "--env.num-players", "2"),
        *["--warm-start", "rule", "--ppo.warm-samples", "1500"],
        *["--ppo.past", "0.3", "--ppo.fixed", "0.2", "--ppo.all-hands"],
    ],
    "diao_xie": small("ppo", "diao_xie", "--env.hands", "3"),
    "adviser": [
        *small("ppo", "zheng_shang_you", "--env.cards-each", "6"),
        *["--adviser", "rule_v0", "--ppo.past", "0.3", "--ppo.all-hands"],
    ],
    "dmc": [*small("dmc", "guan_pai", "--env.cards-each", "5"), "--dmc.past", "0.3", "--dmc.fixed", "0.2"],
    "rpi": small("rpi", "zheng_shang_you", "--env.cards-each", "5"),
    "own": [*small("rpi", "guan_pai", "--env.cards-each", "5"), "--rpi.playouts", "own"],
    "sb3": small("sb3", "guan_pai", "--env.cards-each", "5"),
}
SAVES_OFTEN = """
import sys
from training import learning, selfplay
learning.SECONDS_BETWEEN_SAVES = 0
sys.exit(selfplay.main(sys.argv[1:]))
"""


def learned(folder: Path) -> list[bytes]:
    """The weights of a run's newest policy (the file's header has no certain order)."""
    weights = load_file(newest(folder / "checkpoints") / POLICY_FILE)
    return [weights[name].tobytes() for name in sorted(weights)]


def stop_after(iterations: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have runs be stopped, as by Ctrl-C, after so many iterations."""
    iterate, done = learning.Run._iterate, []

    def stopping(run: Any, *arguments: Any) -> None:
        iterate(run, *arguments)
        done.append(1)
        if len(done) == iterations:
            raise KeyboardInterrupt

    monkeypatch.setattr(learning.Run, "_iterate", stopping)


def told(folder: Path) -> list[list[Any]]:
    """What a run tells, but for how long it took: its rows of figures, then its evaluations."""
    rows = checkpoint.csv_rows(folder / "progress.csv")
    state = json.loads((newest(folder / "checkpoints") / "state.json").read_text())
    evaluations = [[each["samples"], each["result"]] for each in state["evaluations"]]
    return [[v for k, v in row.items() if "second" not in k] for row in rows] + evaluations


@in_turn("run", RUNS, parts=2)
def test_a_resumed_run_equals_one_that_was_never_stopped(
    run: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert selfplay.main([*RUNS[run], "--out", str(whole)]) == 0
    with monkeypatch.context() as patch:
        stop_after(3, patch)
        assert selfplay.main([*RUNS[run], "--out", str(parts)]) == 130
    assert f"--resume {parts}" in capsys.readouterr().out
    assert learned(parts) != learned(whole)
    with monkeypatch.context() as patch:
        stop_after(2, patch)
        assert selfplay.main(["--resume", str(parts)]) == 130
    assert selfplay.main(["--resume", str(parts)]) == 0
    assert learned(parts) == learned(whole)
    assert told(parts) == told(whole)
    assert len(json.loads((parts / "config.json").read_text())["resumed"]) == 2


@pytest.mark.skipif(os.name != "posix", reason="kills processes")
def test_a_killed_run_goes_on_from_its_last_checkpoint(tmp_path: Path, rotate: int) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    run = [*RUNS["guan_pai"], "--samples", "20k"]
    assert selfplay.main([*run, "--out", str(whole)]) == 0
    rng, kills = np.random.default_rng([rotate, 70]), 0
    arguments = [*run, "--out", str(killed)]
    for _ in range(1 + rotate % 2):  # with every other run of the tests what was resumed is killed again
        saved = set(killed.glob("checkpoints/[0-9]*"))
        process = subprocess.Popen(
            [sys.executable, "-c", SAVES_OFTEN, *arguments], stdout=subprocess.PIPE, text=True
        )
        while process.poll() is None and not set(killed.glob("checkpoints/[0-9]*")) - saved:
            time.sleep(0.01)
        time.sleep(float(rng.uniform(0, 0.1)))
        process.kill()
        process.communicate(timeout=60)
        kills += process.returncode != 0
        arguments = ["--resume", str(killed)]
    assert kills > 0  # else it was faster
    if not (killed / "report.md").exists():
        assert selfplay.main(arguments) == 0
    assert learned(killed) == learned(whole)
    assert told(killed) == told(whole)
    assert not list(killed.glob("checkpoints/.*"))  # of a save that was broken off


@pytest.mark.parametrize("steps", [1, 30])
def test_what_is_broken_off_in_an_iteration_is_not_saved(
    steps: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As by a second Ctrl-C, which does not wait for the iteration's end."""
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert selfplay.main([*RUNS["guan_pai"], "--out", str(whole)]) == 0
    learn, count = PPO._learn, 0

    def interrupted(*arguments: Any) -> float:
        nonlocal count
        count += 1
        if count == steps:
            raise KeyboardInterrupt
        return learn(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(learning, "SECONDS_BETWEEN_SAVES", 0)
        patch.setattr(PPO, "_learn", interrupted)
        assert selfplay.main([*RUNS["guan_pai"], "--out", str(parts)]) == 130
    if steps == 1:
        assert "there is nothing to save" in capsys.readouterr().out
        return
    assert selfplay.main(["--resume", str(parts)]) == 0
    assert learned(parts) == learned(whole) and told(parts) == told(whole)


def test_figures_that_are_no_numbers_end_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = [*RUNS["guan_pai"], "--ppo.learning-rate", "1e30", "--out", str(tmp_path / "run")]
    assert selfplay.main(run) == 1
    assert "try a smaller learning rate" in capsys.readouterr().err
    assert not (tmp_path / "run" / "report.md").exists()


def test_a_teacher_is_no_longer_needed_when_it_has_been_learned(finished: Path, tmp_path: Path) -> None:
    teacher, run = tmp_path / "teacher", tmp_path / "run"
    shutil.copytree(finished, teacher)
    warm = ["--warm-start", str(teacher), "--ppo.warm-samples", "600"]
    assert selfplay.main([*RUNS["guan_pai"], *warm, "--out", str(run)]) == 0
    assert json.loads((run / "config.json").read_text())["options"]["warm_start"] == str(
        newest(teacher / "checkpoints")
    )
    shutil.rmtree(teacher)
    assert selfplay.main(["--resume", str(run), "--samples", "1k"]) == 0


@pytest.mark.parametrize("players", ["2", "4"])
def test_cfr_goes_on_where_it_stopped(
    players: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module, name in ((cfr, "DEALS_AN_ITERATION"), (external_sampling, "DEALS_OF_A_RESPONSE"),
                         (external_sampling, "DEALS_OF_AN_ESTIMATE")):  # fmt: skip
        monkeypatch.setattr(module, name, 500)
    arguments = ["diao_xie", "--algo", "cfr", "--env.num-players", players]
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert selfplay.main([*arguments, "--iterations", "12", "--out", str(whole)]) == 0
    assert selfplay.main([*arguments, "--iterations", "5", "--out", str(parts)]) == 0
    with pytest.raises(SystemExit):
        selfplay.main(["--resume", str(parts)])
    assert "has reached its budget: give --minutes or --iterations" in capsys.readouterr().err
    assert policy_of(parts) != policy_of(whole)
    assert selfplay.main(["--resume", str(parts), "--iterations", "7"]) == 0
    assert policy_of(parts) == policy_of(whole)
    assert "Going on with" in capsys.readouterr().out
    described = json.loads((parts / "config.json").read_text())
    assert described["options"]["iterations"] == 12 and described["resumed"][0]["at"] == 5
    (parts / "resume.npz").write_bytes(b"PK")
    with pytest.raises(SystemExit):
        selfplay.main(["--resume", str(parts), "--iterations", "7"])
    assert "resume.npz cannot be read" in capsys.readouterr().err


def policy_of(folder: Path) -> bytes:
    """The probabilities of a run of CFR."""
    return load_file(folder / TABLE_FILE)[PROBABILITIES].tobytes()


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "run"
    assert selfplay.main([*RUNS["guan_pai"], "--out", str(folder)]) == 0
    return folder


def edit(path: Path, **changes: Any) -> None:
    """Change some entries of a JSON file."""
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


SPOILED = {
    "no config": (lambda run, last: (run / "config.json").unlink(), "config.json cannot be read"),
    "no json": (lambda run, last: (run / "config.json").write_text("{"), "config.json cannot be read"),
    "no checkpoint": (lambda run, last: shutil.rmtree(run / "checkpoints"), "holds no checkpoint"),
    "cut arrays": (
        lambda run, last: (last / "resume.npz").write_bytes((last / "resume.npz").read_bytes()[:5000]),
        "resume.npz cannot be read",
    ),
    "cut weights": (lambda run, last: (last / POLICY_FILE).write_bytes(b"x"), "is no policy"),
    "no state": (lambda run, last: (last / "state.json").unlink(), "state.json cannot be read"),
    "old state": (lambda run, last: (last / "state.json").write_text("{}"), "not of this version"),
    "another game": (lambda run, last: edit(run / "config.json", game="chess"), "no game 'chess'"),
    "other options": (
        lambda run, last: edit(run / "config.json", rules=get("guan_pai").rules(cards_each=6).as_dict()),
        "was made with cards_each=5",
    ),
    "other rules": (lambda run, last: edit(run / "config.json", rules_version=7), "version 7 of the rules"),
    "unknown option": (lambda run, last: edit(run / "config.json", ppo={"dropout": 1}), "dropout"),
}  # fmt: skip


@pytest.mark.parametrize("what", SPOILED)
def test_what_cannot_be_resumed_is_one_clear_line(
    what: str, finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    shutil.copytree(finished, run)
    spoil, complaint = SPOILED[what]
    spoil(run, newest(run / "checkpoints"))
    with pytest.raises(SystemExit) as end:
        selfplay.main(["--resume", str(run), "--samples", "1k"])
    error = capsys.readouterr().err.strip()
    assert end.value.code == 2 and complaint in error and len(error.splitlines()) == 1


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        (["--seed", "3"], "--seed cannot be given"),
        (["--ppo.epochs", "2"], "--ppo cannot be given"),
        (["--out", "elsewhere"], "--out cannot be given"),
        (["--algo", "dmc"], "--algo cannot be given"),
        (["--env.must-beat", "all"], "--env cannot be given"),
        (["--samples", "none"], "--samples takes a number"),
        (["--minutes", "-1"], "--minutes must be above 0"),
        (["--minutes", "1", "--samples", "1k"], "--minutes and --samples are both a budget"),
    ],
)
def test_a_run_goes_on_under_its_own_options(
    more: list[str], complaint: str, finished: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        selfplay.main(["--resume", str(finished), *more])
    error = capsys.readouterr().err.strip()
    assert end.value.code == 2 and complaint in error and len(error.splitlines()) == 1


def test_another_game_is_refused(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        selfplay.main(["diao_xie", "--resume", str(finished)])
    assert "the game cannot be given" in capsys.readouterr().err
