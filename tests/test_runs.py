"""The list of runs: what it says of each, in which order, and of those that cannot be read."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from training import runs, selfplay
from training.checkpoint import newest
from training.curve import draw_curves

from .test_resume import RUNS, edit, stop_after

CFR = ["diao_xie", "--algo", "cfr", "--iterations", "10", "--env.counter-carry"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished run, one that was stopped, and one of CFR."""
    top = tmp_path_factory.mktemp("place") / "runs"
    assert selfplay.main([*RUNS["guan_pai"], "--out", str(top / "deep" / "finished")]) == 0
    with pytest.MonkeyPatch.context() as patch:
        stop_after(3, patch)
        assert selfplay.main([*RUNS["guan_pai"], "--seed", "1", "--out", str(top / "stopped")]) == 130
    assert selfplay.main([*CFR, "--out", str(top / "cfr")]) == 0
    return top


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    """A copy of the finished run, to be changed."""
    return shutil.copytree(made / "deep" / "finished", tmp_path / "run")


def state_file(run: Path) -> Path:
    return newest(run / "checkpoints") / "state.json"


def set_share(run: Path, share: float | None) -> None:
    """Write another share of duplicate deals into the last evaluation, or drop all evaluations."""
    evaluations = json.loads(state_file(run).read_text())["evaluations"]
    evaluations[-1]["result"]["duplicate_share"]["mean"] = share
    edit(state_file(run), evaluations=[] if share is None else evaluations)


def by_name(folder: Path) -> dict[str, runs.Entry]:
    return {Path(entry.folder).name: entry for entry in runs.list_runs([folder])}


def test_every_run_is_found_with_what_it_was_and_became(made: Path) -> None:
    found = by_name(made)
    assert found.keys() == {"finished", "stopped", "cfr"}
    for name, seed, state in (("finished", 0, runs.FINISHED), ("stopped", 1, runs.UNFINISHED)):
        entry = found[name]
        told = json.loads(state_file(Path(entry.folder)).read_text())
        last = told["evaluations"][-1]["result"]
        assert (entry.game, entry.options, entry.algo) == ("guan_pai", "--env.cards-each 5", "ppo")
        assert (entry.seed, entry.state, entry.against, entry.deals) == (seed, state, "rule_v0", 4)
        assert (entry.samples, entry.minutes) == (told["samples"], told["seconds"] / 60)
        for figure in ("duplicate_share", "points", "win_rate"):
            assert vars(getattr(entry, figure)) == last[figure]


def test_of_cfr_stands_what_a_best_response_gains(made: Path, tmp_path: Path) -> None:
    entry = by_name(made)["cfr"]
    with (made / "cfr" / "progress.csv").open(newline="") as file:
        *_, last = csv.DictReader(file)
    assert (entry.options, entry.iterations, entry.state) == ("--env.counter-carry", 10, runs.FINISHED)
    assert entry.exploitability == float(last["exploitability"]) and entry.samples is None
    stopped = shutil.copytree(made / "cfr", tmp_path / "cfr")
    options = json.loads((stopped / "config.json").read_text())["options"]
    edit(stopped / "config.json", options={**options, "iterations": 11})
    assert runs.read_run(stopped).state == runs.UNFINISHED  # although there is a report
    (stopped / "progress.csv").unlink()
    assert runs.read_run(stopped).state == runs.NO_CHECKPOINT


@pytest.mark.parametrize(
    ("budget", "state"),
    [
        ({"samples": "4k"}, runs.FINISHED),
        ({"samples": "4M"}, runs.UNFINISHED),
        ({"samples": None, "minutes": 1e-9}, runs.FINISHED),
        ({"samples": None, "minutes": 60.0}, runs.UNFINISHED),
    ],
)
def test_a_run_is_finished_when_its_budget_is_used_up(run: Path, budget: dict[str, Any], state: str) -> None:
    options = json.loads((run / "config.json").read_text())["options"]
    edit(run / "config.json", options={**options, **budget})
    assert runs.read_run(run).state == state
    (run / "report.md").unlink()  # it was stopped after the last sample, before the last evaluation
    assert runs.read_run(run).state == runs.UNFINISHED


SPOILED = {
    "no json": (lambda run: (run / "config.json").write_text("{"), "config.json cannot be read"),
    "a list": (lambda run: (run / "config.json").write_text("[]"), "not of this version"),
    "another game": (lambda run: edit(run / "config.json", game="chess"), "no game 'chess'"),
    "an unknown option": (lambda run: edit(run / "config.json", rules={"jokers": 2}), "jokers"),
    "no state": (lambda run: state_file(run).unlink(), "state.json cannot be read"),
    "an empty state": (lambda run: state_file(run).write_text("{}"), "not of this version"),
    "words for numbers": (lambda run: set_share(run, "high"), "high"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("how", SPOILED)
def test_a_run_that_cannot_be_read_is_listed_with_the_reason(
    how: str, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil, reason = SPOILED[how]
    spoil(run)
    assert runs.main([str(run)]) == 0
    said = capsys.readouterr().out
    assert "Cannot be read" in said and reason in said
    entry = runs.read_run(run)
    assert entry.problem is not None and str(run) not in entry.problem and entry.game is None


def test_the_strongest_run_comes_first_in_its_game(made: Path, tmp_path: Path) -> None:
    for name, share in (("a", 0.25), ("b", None), ("c", 0.75), ("d", 0.5)):
        set_share(shutil.copytree(made / "deep" / "finished", tmp_path / name), share)
    shutil.copytree(made / "cfr", tmp_path / "e")
    (shutil.copytree(made / "cfr", tmp_path / "0") / "config.json").write_text("")
    assert list(by_name(tmp_path)) == ["e", "c", "d", "a", "b", "0"]


def test_json_is_the_same_with_all_digits(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert runs.main([str(made), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    entries = runs.list_runs([made])
    assert [one["folder"] for one in told] == [entry.folder for entry in entries]
    cfr, finished = told[0], next(one for one in told if one["folder"].endswith("finished"))
    assert cfr["exploitability"] == entries[0].exploitability and cfr["points"] is None
    last = json.loads(state_file(made / "deep" / "finished").read_text())["evaluations"][-1]["result"]
    assert finished["points"] == last["points"] and finished["problem"] is None


@pytest.mark.parametrize("width", [140, 60])
def test_people_see_figures_with_their_half_widths(
    width: int, made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("training.tables.WIDTH", width)
    assert runs.main([str(made)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    points = by_name(made)["finished"].points
    assert points is not None
    assert f"{points.mean:+.2f} ± {points.half_width:.2f}" in said
    for words in (
        "guan_pai --env.cards-each 5 against rule_v0",
        "diao_xie --env.counter-carry",
        "unfinished",
        "10 iterations",
    ):
        assert words in said


def test_a_run_counts_once_and_is_not_searched(made: Path) -> None:
    run = made / "deep" / "finished"
    assert [entry.folder for entry in runs.list_runs([run, made / "deep", run])] == [str(run)]
    inside = run / "checkpoints" / "config.json"
    inside.write_text("{}")
    try:
        assert len(runs.list_runs([made])) == 3
    finally:
        inside.unlink()


def test_without_runs_it_says_how_to_make_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        runs.main([])
    error = capsys.readouterr().err.strip()
    assert end.value.code == 2 and error.startswith("error: there is no folder runs: ")
    assert len(error.splitlines()) == 1
    (tmp_path / "runs").mkdir()
    assert runs.main([]) == 0
    assert "python -m training.selfplay" in capsys.readouterr().out
    assert runs.main(["--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_learning_curves_in_one_picture(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two seeds are of one colour; another learning rate is of another; CFR has no such curve."""
    drawn: list[Any] = []
    monkeypatch.setattr(runs, "draw_curves", lambda *given: drawn.append(given) or draw_curves(*given))
    assert runs.main([str(made), "--picture", str(tmp_path / "new" / "curves.png")]) == 0
    assert (tmp_path / "new" / "curves.png").read_bytes().startswith(b"\x89PNG")
    other = shutil.copytree(made / "deep" / "finished", tmp_path / "other")
    config = json.loads((other / "config.json").read_text())
    edit(other / "config.json", ppo={**config["ppo"], "learning_rate": 0.5})
    folders = [str(made / "deep" / "finished"), str(made / "stopped"), str(other)]
    assert runs.main([*folders, "--picture", str(tmp_path / "curves.png")]) == 0
    assert [sorted(map(len, given[0].values())) for given in drawn] == [[2], [1, 2]]
    told = json.loads(state_file(made / "stopped").read_text())["evaluations"]
    (both,) = drawn[0][0].values()
    assert told[-1]["samples"] in [curve[-1].samples for curve in both]
    assert drawn[0][1].startswith("guan_pai --env.cards-each 5 against rule_v0")
    with pytest.raises(SystemExit):
        runs.main([str(made / "cfr"), "--picture", str(tmp_path / "none.png")])
    assert "runs of one game and its options, not of 0" in capsys.readouterr().err
