"""All command lines: names that were nearly right, help with examples, exit codes, JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module

import pytest

from envs.core import commands
from training import benchmark, evaluate, exploit

MAINS = {
    **{name: name for name in ("envs.bench", "envs.record", "envs.core.docs")},
    "envs.dataset": "envs.dataset.__main__",
    "agents.play": "agents.play.__main__",
    **{
        f"training.{name}": f"training.{name}"
        for name in (
            *("selfplay", "evaluate", "benchmark", "exploit", "disagree"),
            *("runs", "ablate", "bench", "standings", "pretrain"),
        )
    },
}


def run(command, words):
    return import_module(MAINS[command]).main(words)


@pytest.mark.parametrize("command", MAINS)
def test_help_ends_with_the_examples_of_the_module(command, capsys):
    """At least two, each a call of this command."""
    with pytest.raises(SystemExit) as end:
        run(command, ["--help"])
    shown = capsys.readouterr().out.split("\nexamples:\n")[1].splitlines()
    assert end.value.code in (0, None)
    assert len(shown) >= 2 and all(line.startswith(f"  python -m {command}") for line in shown)


def test_help_of_a_subcommand_has_its_own_examples(capsys):
    with pytest.raises(SystemExit):
        run("envs.record", ["gif", "--help"])
    shown = capsys.readouterr().out.split("\nexamples:\n")[1].splitlines()
    assert shown and all(line.startswith("  python -m envs.record gif") for line in shown)


@pytest.mark.parametrize(
    ("command", "words", "meant"),
    [
        ("envs.bench", "guan_pia", "guan_pai"),
        ("envs.bench", "--sise", "--sizes"),
        ("envs.core.docs", "xiangxi", "xiangxi96"),
        ("envs.dataset", "games.jsonl --out x.npz --palyers rule", "--players"),
        ("agents.play", "--prot 1", "--port"),
        ("envs.record", "verfy games.jsonl", "verify"),
        ("envs.record", "gif games.jsonl game.gif --widht 300", "--width"),
        ("training.selfplay", "guan-pai", "guan_pai"),
        ("training.selfplay", "guan_pai --minute 1", "--minutes"),
        ("training.selfplay", "guan_pai --ppo.epoch 1", "--ppo.epochs"),
        ("training.evaluate", "guan_pai ruel random", "rule"),
        ("training.evaluate", "guan_pai rule random --env.must-beet all", "--env.must-beat"),
        ("training.benchmark", "diao_xie pretrain", "pretrained"),
        ("training.exploit", "diao_xei rule", "diao_xie"),
        ("training.disagree", "guan_pai rule serach", "search"),
        ("training.runs", "--jsn", "--json"),
        ("training.ablate", "guan_pai --only warm-strt", "warm-start"),
        ("training.bench", "guan_pai --secnds 1", "--seconds"),
        ("training.standings", "zheng_shang_yuo", "zheng_shang_you"),
        ("training.pretrain", "diao_xie_cfr", "diao_xie-cfr"),
    ],
)
def test_the_name_that_was_meant(command, words, meant, capsys):
    """One line on the standard error, exit code 2."""
    with pytest.raises(SystemExit) as end:
        run(command, words.split())
    printed = capsys.readouterr()
    assert end.value.code == commands.BAD_USAGE and printed.out == ""
    assert printed.err.startswith("error: ") and len(printed.err.splitlines()) == 1
    assert f"did you mean {meant}?" in printed.err


def test_a_name_like_no_other_lists_all(capsys):
    with pytest.raises(SystemExit):
        run("training.evaluate", ["guan_pai", "zzz", "rule"])
    assert "there are random, lowest, rule, rule_v0" in capsys.readouterr().err


def test_a_reader_that_has_gone_is_no_error():
    """As `| head -1` is, with so much to print that the pipe is full."""
    program = "from envs.core import commands; commands.run(lambda: print('x' * 10_000_000))"
    with subprocess.Popen([sys.executable, "-c", program], stdout=-1, stderr=-1) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == commands.FAILED


def test_ctrl_c_ends_a_command_by_its_code(capsys):
    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(SystemExit) as end:
        commands.run(interrupted)
    assert end.value.code == commands.INTERRUPTED == 130 and capsys.readouterr().err == "stopped\n"


def test_evaluate_prints_what_it_writes(tmp_path, capsys):
    words = ["diao_xie", "rule", "random", "--deals", "4", "--pool", "6", "--json", "--out", str(tmp_path)]
    assert evaluate.main(words) == 0
    printed = capsys.readouterr()
    assert printed.out == (tmp_path / "results.json").read_text() and json.loads(printed.out)["deals"] == 4
    assert "games in" in printed.err


def test_benchmark_prints_what_it_writes(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(benchmark, "QUICK_DEALS", 10)
    monkeypatch.setattr(benchmark, "YARDSTICKS", {"diao_xie": ("random", "rule_v0")})
    assert benchmark.main(["diao_xie", "random", "--quick", "--json", "--out", str(tmp_path)]) == 0
    printed = capsys.readouterr()
    assert printed.out == (tmp_path / "results.json").read_text() and json.loads(printed.out)["deals"] == 10
    assert "Not to be cited: --quick." in printed.err and "wins" in printed.err


def test_exploit_as_json(capsys):
    assert exploit.main(["diao_xie", "random", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (
        found["mean"] == pytest.approx(0.564786, abs=1e-6) == pytest.approx(sum(found["gains"]) / 2, abs=1e-6)
    )
    assert (found["agent"], found["exact"], found["mean_drawn"]) == ("random", True, None)
    assert found["rules"]["num_players"] == 2
