"""``training.bench``: its rows, the clocks behind them, and what a soak says of made-up numbers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import envs
from envs.bench import label
from envs.core.game import get
from training import bench, peers, soak
from training.config import Config
from training.dmc import DMCConfig
from training.ppo import PPOConfig
from training.sb3 import SB3Config

TINY = partial(
    Config,
    ppo=PPOConfig(num_envs=8, batch=64, epochs=1, minibatch=64, hidden=(8,), critic_hidden=(8,)),
    dmc=DMCConfig(num_envs=8, batch=64, ring=128, minibatch=64, hidden=(8,)),
    sb3=SB3Config(num_envs=8, steps=8, epochs=1, minibatch=64, hidden=(8,), critic_hidden=(8,)),
)
has_proc = pytest.mark.skipif(not soak.PROC.exists(), reason="this system has no /proc")


def rows_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    assert bench.main(["--json", *arguments]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


# --- speed ------------------------------------------------------------------------------------------


def test_every_variant_of_every_game_has_a_row_of_each_trainer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "Config", TINY)
    rows = rows_of(capsys, "--seconds", "0.001")
    wanted = [
        (label(game, options), algo)
        for game in envs.games()
        for options in get(game).variants
        for algo in ("ppo", "dmc")
    ]
    assert [(row["game"], row["algo"]) for row in rows] == wanted
    for row in rows:
        assert row["decisions"] == row["samples"] > 0  # all seats learn
        assert 0 < row["acting_share"] < 1
        assert row["acting_share"] + row["learning_share"] == pytest.approx(1)
        assert min(row["acting_alone"], row["learning_alone"]) > row["samples"]
        assert "clock on the wall" in row["table"] and "float" in row["table"]


def test_decisions_of_sb3_are_those_of_all_seats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "Config", TINY)
    row = bench.measure("guan_pai", {}, "sb3", 0.2)
    assert 2 < row["decisions"] / row["samples"] < 4  # three seats, which decide about equally often


class Clock:
    """Time that passes only when somebody lets it."""

    now = 0.0

    def perf_counter(self) -> float:
        return self.now


class Learner:
    """Acts for a second and learns for three, from 400 samples; compiling takes a hundred more."""

    def __init__(self, clock: Clock) -> None:
        self.clock, self.rollout, self.iterations = clock, self, 0

    def collect(self, policy: str, *, league: None) -> int:
        self.clock.now += 1
        return 400

    def iterate(self, progress: float) -> dict[str, float]:
        self.clock.now += 3 if self.iterations else 103
        self.iterations += 1
        return {"samples": self.rollout.collect("policy", league=None)}


def test_acting_and_learning_are_told_apart_and_compiling_is_not_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock()
    learner = Learner(clock)
    monkeypatch.setattr(bench, "time", clock)
    monkeypatch.setattr(bench, "new_learner", lambda *_: learner)
    row = bench.measure("guan_pai", {}, "ppo", 10)
    assert learner.iterations == 1 + 3  # 10 seconds are full in the third iteration of four
    assert (row["samples"], row["acting_share"], row["learning_share"]) == (100, 0.25, 0.75)
    assert row["acting_alone"] == 400 and row["learning_alone"] == pytest.approx(400 / 3)


def test_a_table_is_printed_and_help_tells_every_option(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "Config", TINY)
    assert bench.main(["diao_xie", "--algo", "dmc", "--seconds", "0.001"]) == 0
    printed = capsys.readouterr().out
    assert all(label("diao_xie", options) in printed for options in get("diao_xie").variants)
    with pytest.raises(SystemExit) as end:
        bench.main(["--help"])
    assert end.value.code == 0
    told = capsys.readouterr().out
    for option in ("GAME", "--algo", "--peers", "--seconds", "--threads", "--json", "--soak"):
        assert option in told


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nim"], "no game 'nim'"),
        (["--algo", "cfr"], "no --algo 'cfr'; there are "),
        (["--seconds", "0"], "--seconds is above 0"),
        (["--threads", "0"], "--threads is above 0"),
        (["--soak", "0"], "--soak is above 0"),
        (["--", "--seed", "1"], "--soak MINUTES"),
    ],
)
def test_wrong_arguments_are_refused(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        bench.main(arguments)
    assert end.value.code == 2 and complaint in capsys.readouterr().err


# --- peers ------------------------------------------------------------------------------------------


def test_peers_are_divided_by(monkeypatch: pytest.MonkeyPatch) -> None:
    rates = {"ppo": (30.0, 30.0), "dmc": (150.0, 150.0), "sb3": (10.0, 30.0)}
    monkeypatch.setattr(
        bench, "measure", lambda *known: dict(zip(("samples", "decisions"), rates[known[2]], strict=True))
    )
    monkeypatch.setattr(bench, "rlcard_dmc", lambda *_: 2.0)
    found = [(row["rate"], row["ppo_ratio"], row["dmc_ratio"]) for row in bench.measure_peers(1, 1)]
    assert found == [(2, 15, 75), (10, 3, 15), (30, 1, 5)]


def test_frames_are_counted_over_whole_rounds_of_the_seats() -> None:
    head, line = "# _tick,_time,frames,loss_0\n", "{0},{1},{2},0.5\n".format
    lines = [line(k, t, 3200 * k) for k, t in enumerate((50.0, 50.5, 51.0, 58.0, 58.5, 59.0, 66.0, 66.1))]
    assert peers.frames_a_second("") == peers.frames_a_second(head + "".join(lines[:3])) == (0, 0)
    assert peers.frames_a_second(head + "".join(lines[:6])) == (1200, 8)
    assert peers.frames_a_second(head + "".join(lines)) == (1200, 16)


@pytest.mark.slow
def test_the_trainer_of_rlcard_runs() -> None:
    pytest.importorskip("rlcard.agents.dmc_agent", reason="RLCard's trainer is of the peers extra")
    assert 10 < peers.rlcard_dmc(1) < 1_000_000


def test_a_trainer_that_fails_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "import_module", lambda _: None)
    monkeypatch.setattr(peers, "RLCARD_TRAINS", "raise OSError('no space')")
    with pytest.raises(RuntimeError, match=r"RLCard's trainer ended: OSError: no space"):
        peers.rlcard_dmc(1)


# --- soak -------------------------------------------------------------------------------------------


def line_of(minutes: int, start: float, slope: float, every: int = 10) -> list[tuple[float, float]]:
    """Points (seconds, value) on a line with so much ``slope`` a minute."""
    return [(float(t), start + slope * t / 60) for t in range(0, 60 * minutes + 1, every)]


STEADY = line_of(10, 800, 0.2)  # megabytes
EVEN = line_of(10, 0, 60_000)  # samples: 1,000 a second
GROWS_AT_FIRST = [(t, y + min(t, 300)) for t, y in STEADY]
LEAKS_LATER = [(t, y + max(0, t - 300) / 30) for t, y in STEADY]
SLOW_FIRST_MINUTE = [(t, max(0.0, y - 30_000)) for t, y in EVEN]
TIRES = [(t, y - max(0, t - 420) * 100) for t, y in EVEN]  # 900 a second in the last third
SHORT = [(t, y + 10 * max(0, t - 60)) for t, y in line_of(2, 800, 0)]  # a leak in the second half


@pytest.mark.parametrize(
    ("memory", "speed", "slope", "faster", "verdict"),
    [
        (STEADY, EVEN, 0.2, 0, "steady"),
        (GROWS_AT_FIRST, EVEN, 0.2, 0, "steady"),
        (LEAKS_LATER, EVEN, 2.2, 0, "memory grows by 2.2 MB a minute"),
        (STEADY, SLOW_FIRST_MINUTE, 0.2, 0, "steady"),
        (STEADY, TIRES, 0.2, -0.1, "the last third is 10% slower than the first"),
        (LEAKS_LATER, TIRES, 2.2, -0.1, "a minute and the last third"),
        (SHORT, EVEN, 600, 0, "memory grows by 600.0 MB a minute"),
        ([], EVEN, 0, 0, "steady"),
    ],
)
def test_the_verdict(memory: Any, speed: Any, slope: float, faster: float, verdict: str) -> None:
    found = soak.judge("guan_pai", memory, speed)
    assert found["megabytes_a_minute"] == pytest.approx(slope, abs=1e-6)
    assert found["last_third_faster_by"] == pytest.approx(faster, abs=1e-6)
    assert verdict in found["verdict"]


def test_the_bars_of_the_verdict() -> None:
    just, over = line_of(10, 800, 0.99), line_of(10, 800, 1.01)
    assert "steady" in soak.judge("", just, EVEN)["verdict"]
    assert "grows" in soak.judge("", over, EVEN)["verdict"]
    for slower, word in ((40, "steady"), (60, "slower")):
        speed = [(t, y - max(0, t - 420) * slower) for t, y in EVEN]
        assert word in soak.judge("", STEADY, speed)["verdict"]


def test_a_row_a_minute() -> None:
    memory = [(30.0, 100.0), (50.0, 200.0), (70.0, 300.0)]
    speed = [(0.0, 1000.0), (60.0, 7000.0), (90.0, 16_000.0)]  # the first iteration compiles: no time
    rows = soak.table("guan_pai", memory, speed)
    assert [(r["minute"], r["resident_megabytes"], r["samples"]) for r in rows] == [
        (1, 150, 100),
        (2, 300, 300),
    ]


@has_proc
def test_memory_is_that_of_the_whole_family() -> None:
    megabytes = 64
    hold = f"x = b'1' * ({megabytes} << 20); print(flush=True); input()"
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {hold!r}])"
    before = soak.resident_megabytes(os.getpid())
    with subprocess.Popen(
        [sys.executable, "-c", child], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as family:
        assert family.stdout is not None
        family.stdout.readline()
        during, below = soak.resident_megabytes(os.getpid()), soak.resident_megabytes(family.pid)
        family.communicate(b"\n")
    assert megabytes < below < 2 * megabytes
    assert during - before > megabytes
    assert soak.resident_megabytes(family.pid) == 0


def test_without_proc_a_soak_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(soak, "PROC", tmp_path)
    assert bench.main(["--soak", "1"]) == 1
    complaint = capsys.readouterr().err
    assert complaint.startswith("error: ") and str(tmp_path) in complaint and complaint.count("\n") == 1


@has_proc
@pytest.mark.slow
def test_a_soak_of_a_real_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(soak, "SECONDS_BETWEEN_SAMPLES", 0.2)
    tiny = ["--eval-deals", "2", "--ppo.num-envs", "8", "--ppo.batch", "64", "--ppo.minibatch", "64"]
    minute, verdict = rows_of(capsys, "guan_pai", "--soak", "0.05", "--", *tiny)
    assert minute["minute"] == 1 and minute["resident_megabytes"] > 100 and minute["samples"] > 100
    assert verdict["verdict"]
    assert bench.main(["guan_pai", "--soak", "0.05", "--", "--nonsense"]) == 1
    assert "exit code 2" in capsys.readouterr().err
