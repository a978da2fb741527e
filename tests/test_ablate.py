"""Variants of self-play against its defaults: which runs are trained, and what is made of them."""

from __future__ import annotations

import io
import json
import shutil
import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scipy.stats import t as student_t

from training import ablate, ablation_report, children, selfplay
from training.ablation_report import Difference, Result, mean_difference
from training.runs import Entry
from training.stats import Interval

from .test_resume import SMALL, edit, stop_after

SMALL_NET = " ".join([*SMALL["ppo"], "--ppo.hidden", "16", "--ppo.bfloat16", "False", "--eval-deals", "4"])
VARIANTS = {
    "defaults": ("what all others are compared with", SMALL_NET),
    "1 epoch": ("is one pass enough?", f"{SMALL_NET} --ppo.epochs 1"),
}
ARGUMENTS = ["guan_pai", "--env.cards-each", "5", "--samples", "2k", "--out", "out"]


class InProcess:
    """Stands for a child process: runs selfplay here, and notes the arguments."""

    begun: list[list[str]]

    def __init__(self, command: list[str], stdout: Any, **options: Any) -> None:
        words = command[3:]
        self.begun.append(words)
        said = io.StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(said), redirect_stderr(said):
            patch.setattr(sys, "argv", ["selfplay", *words])  # which config.json tells
            try:
                self.returncode = selfplay.main(words)
            except SystemExit as end:
                self.returncode = int(end.code or 0)
        stdout.write(said.getvalue().encode())

    def poll(self) -> int:
        return self.returncode


def with_popen(popen: Any) -> SimpleNamespace:
    """Stands for the module ``subprocess`` in one place: others start processes too, as matplotlib does."""
    return SimpleNamespace(Popen=popen, DEVNULL=subprocess.DEVNULL, STDOUT=subprocess.STDOUT)


@pytest.fixture
def begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The arguments of the runs that were begun: small ones, in this process and in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ablate, "VARIANTS", VARIANTS)
    monkeypatch.setattr(ablate, "FINAL_DEALS", 4)
    monkeypatch.setattr(InProcess, "begun", [], raising=False)
    monkeypatch.setattr(children, "subprocess", with_popen(InProcess))
    monkeypatch.setattr(children, "SECONDS_BETWEEN_LOOKS", 0)
    return InProcess.begun


def folders(begun: list[list[str]]) -> list[str]:
    return [Path(words[-1]).name for words in begun]


# --- which runs are trained -----------------------------------------------------------------------


def test_every_variant_is_trained_with_every_seed_and_reported(
    begun: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert ablate.main([*ARGUMENTS, "--seeds", "2"]) == 0
    assert folders(begun) == ["defaults-seed0", "1-epoch-seed0", "defaults-seed1", "1-epoch-seed1"]
    assert begun[3] == [
        "guan_pai", *VARIANTS["1 epoch"][1].split(), "--seed", "1",
        "--evaluations", "1", "--final-deals", "4", "--env.cards-each", "5",
        "--samples", "2k", "--out", "out/1-epoch-seed1",
    ]  # fmt: skip
    told = json.loads(Path("out/ablation.json").read_text())
    defaults, other = told["variants"]
    for name in ("points", "duplicate_share"):
        figures = [[one["runs"][seed][name]["mean"] for seed in "01"] for one in (defaults, other)]
        expected = [b - a for a, b in zip(*figures, strict=True)]
        assert other["differences"][name]["mean"] == pytest.approx(sum(expected) / 2)
    assert defaults["differences"] == {"duplicate_share": None, "points": None}
    text = Path("out/ablation.md").read_text()
    again = "python -m training.ablate guan_pai --samples 2k --seeds 2 --out out --env.cards-each 5"
    assert f"`{again}`" in text and told["machines"][0] in text and "- 1 epoch: is one pass enough?" in text
    assert "4 of 4: 1 epoch, seed 1: " in capsys.readouterr().out


def test_finished_runs_are_read_and_not_run_again(
    begun: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [*ARGUMENTS, "--seeds", "1"]
    assert ablate.main([*arguments, "--only", "defaults"]) == 0
    assert ablate.main(arguments) == 0
    assert folders(begun) == ["defaults-seed0", "1-epoch-seed0"]
    before = Path("out/ablation.json").read_bytes()
    assert ablate.main(arguments) == 0
    assert len(begun) == 2 and Path("out/ablation.json").read_bytes() == before
    assert "2 runs in out, 2 of them finished before" in capsys.readouterr().out


def test_a_stopped_run_goes_on_and_one_without_checkpoint_begins_again(
    begun: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = [*ARGUMENTS, "--seeds", "1", "--only", "defaults"]
    with monkeypatch.context() as patch:
        stop_after(2, patch)
        assert ablate.main(arguments) == 1
    assert ablate.main(arguments) == 0
    assert begun[1] == ["--resume", "out/defaults-seed0"]
    whole = json.loads(Path("out/ablation.json").read_text())["variants"][0]["runs"]["0"]
    shutil.rmtree("out/defaults-seed0/checkpoints")
    assert ablate.main(arguments) == 0
    assert begun[2] == begun[0]
    again = json.loads(Path("out/ablation.json").read_text())["variants"][0]["runs"]["0"]
    assert again["points"] == whole["points"] and again["samples"] == whole["samples"]


def spoil_config(run: Path) -> None:
    (run / "config.json").write_text("{")


def prolong(run: Path) -> None:
    """As ``--resume`` with more ``--samples`` does."""
    options = json.loads((run / "config.json").read_text())["options"]
    edit(run / "config.json", options={**options, "samples": "9k"})


REFUSED = [  # what is done to the run, further arguments, what the error says
    (None, ["--samples", "3k"], "was trained otherwise (python -m training.selfplay guan_pai"),
    (None, ["--env.must-beat", "all"], "was trained otherwise"),
    (prolong, [], "was trained otherwise"),
    (spoil_config, [], "config.json cannot be read"),
    (lambda run: (run / "config.json").unlink(), [], "is no folder of a run"),
]


def test_another_run_in_its_place_is_refused_and_left(
    begun: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [*ARGUMENTS, "--seeds", "1", "--only", "defaults"]
    assert ablate.main(arguments) == 0
    for k, (change, more, complaint) in enumerate(REFUSED):
        out = Path(shutil.copytree("out", f"out{k}"))
        if change is not None:
            change(out / "defaults-seed0")
        files = sorted(out.rglob("*"))
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            ablate.main([*arguments, *more, "--out", str(out)])
        error = capsys.readouterr().err.strip()
        assert end.value.code == 2 and complaint in error and len(error.splitlines()) == 1
        assert error.endswith("remove it, or give another --out")
        assert len(begun) == 1 and sorted(out.rglob("*")) == files


def test_a_failing_variant_is_named_and_the_others_go_on(
    begun: list[list[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = {"broken": ("does it fail?", "--ppo.no-such-option 1"), "1 epoch": VARIANTS["1 epoch"]}
    monkeypatch.setattr(ablate, "VARIANTS", {"defaults": VARIANTS["defaults"], **wrong})
    assert ablate.main([*ARGUMENTS, "--seeds", "1"]) == 1
    assert folders(begun) == ["defaults-seed0", "broken-seed0", "1-epoch-seed0"]
    out = capsys.readouterr().out
    for said in (out, Path("out/ablation.md").read_text()):
        assert "Failed: broken, seed 0: " in said and "no-such-option" in said
    other = json.loads(Path("out/ablation.json").read_text())["variants"][2]
    assert other["variant"] == "1 epoch" and other["differences"]["points"]["half_width"] is None


@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal as a terminal does")
def test_ctrl_c_stops_the_runs_and_says_how_to_go_on(
    begun: list[list[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    processes: list[subprocess.Popen[bytes]] = []

    def sleeper(command: list[str], **options: Any) -> subprocess.Popen[bytes]:
        processes.append(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], **options))
        return processes[-1]

    monkeypatch.setattr(children, "subprocess", with_popen(sleeper))
    monkeypatch.setattr(children.time, "sleep", lambda seconds: signal.raise_signal(signal.SIGINT))
    assert ablate.main([*ARGUMENTS, "--jobs", "2"]) == 130
    assert [process.returncode for process in processes] == [-signal.SIGTERM] * 2
    error = capsys.readouterr().err
    assert "Go on by the same command: python -m training.ablate guan_pai --samples 2k" in error
    assert not Path("out/ablation.md").exists()


@pytest.mark.parametrize(
    ("code", "log", "reason"),
    [
        (0, "all is well", None),
        (130, "Go on: ...", "stopped from outside"),
        (2, "learning...\nerror: no game 'chess'\n\n", "no game 'chess'"),
        (1, "", "exit code 1"),
        (-9, "60 %", "killed by signal 9"),
    ],
)
def test_the_reason_of_a_failure(code: int, log: str, reason: str | None, tmp_path: Path) -> None:
    training = children.Training("defaults, seed 0", tmp_path / "run", (), ("--samples", "1k"))
    training.log.write_text(log)
    assert children.why_failed(training, code) == reason


# --- the command line -----------------------------------------------------------------------------


def test_variants_are_chosen_by_name_or_slug() -> None:
    slugs = [ablate.slug(name) for name in ablate.VARIANTS]
    assert len(set(slugs)) == len(slugs)
    assert ablate.chosen(()) == list(ablate.VARIANTS)
    assert ablate.chosen(["dmc-win-target", "1 epoch"]) == ["defaults", "1 epoch", "dmc, win target"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--only", "1 epochs"], "no variant '1 epochs'; did you mean 1-epoch?"),
        (["--only", "xyz"], "no variant 'xyz'; there are defaults, win-target,"),
        (["--seeds", "11"], "--seeds is 1 to 10, not 11"),
        (["--seeds", "0"], "--seeds is 1 to 10"),
        (["--jobs", "0"], "--jobs is at least 1"),
        (["--minutes", "0"], "--minutes must be above 0"),
        (["--samples", "many"], "--samples takes a number"),
    ],
)
def test_bad_usage_is_one_clear_line(
    arguments: list[str],
    complaint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        ablate.main(arguments)
    error = capsys.readouterr().err.strip()
    assert end.value.code == 2 and complaint in error and len(error.splitlines()) == 1
    assert not list(tmp_path.iterdir())


# --- the figures ----------------------------------------------------------------------------------


def result(name: str, **by_seed: float) -> Result:
    """A variant whose runs, seeds a, b..., have these points a game; other figures are fixed."""
    share, wins = Interval(0.5, 0.4, 0.6), Interval(0.3, 0.2, 0.4)
    entry = Entry("run", samples=1_200_000, duplicate_share=share, win_rate=wins)
    runs = {
        ord(seed) - ord("a"): replace(entry, points=Interval(points, points - 1, points + 1))
        for seed, points in by_seed.items()
    }
    return Result(name, "is it good?", "--x 1", runs)


def test_the_interval_of_a_difference_by_hand() -> None:
    # differences 1, 2, 6: mean 3, sample deviation sqrt((4 + 1 + 9) / 2), t of 2 degrees of freedom 4.303
    found = mean_difference({0: 2.0, 1: 4.0, 2: 9.0}, {0: 1.0, 1: 2.0, 2: 3.0})
    assert found is not None and found.mean == 3
    assert found.half_width == pytest.approx(4.303 * 7**0.5 / 3**0.5)
    assert mean_difference({0: 2.0}, {0: 1.0, 1: 5.0}) == Difference(1.0, None)
    assert mean_difference({1: 2.0}, {0: 1.0}) is None


def test_the_quantiles_of_student_s_t() -> None:
    degrees = range(1, len(ablation_report.STUDENT_T) + 1)
    assert pytest.approx([student_t.ppf(0.975, n) for n in degrees], abs=5e-4) == ablation_report.STUDENT_T


def test_the_rows_of_the_table() -> None:
    defaults, other, one = result("defaults", a=1, b=2, c=3), result("x", a=2, b=4, c=9), result("y", b=4)
    one.failed[0] = "no memory"
    rows = ablation_report.table_rows([defaults, other, one])
    points, difference = (
        ablation_report.HEADER.index(name) for name in ("points a game", "difference, points")
    )
    assert [row[0] for row in rows] == ["defaults", "x", "y (failed: seed 0)"]
    assert [row[points] for row in rows] == ["+2.00 (+1.00..+3.00)", "+5.00 (+2.00..+9.00)", "+4.00"]
    assert [row[difference] for row in rows] == ["", "+3.00 ± 6.57", "+2.00"]
    assert {row[-1] for row in rows} == {"1,200"} and {row[2] for row in rows[1:]} >= {"50.0"}
    assert ablation_report.failures([defaults, one]) == ["Failed: y, seed 0: no memory"]
