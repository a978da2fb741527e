"""Make the agents that come with the package: ``python -m training.pretrain``.

    python -m training.pretrain                                  # all of them, for hours
    python -m training.pretrain guan_pai diao_xie --out agents/pretrained

Each is trained by the command of its recipe, which is stored with it, and measured. Of the networks that were
evaluated in the second half of a run the best one is taken, not the last: against the judge, on deals of its
own (in Diao Xie by exact exploitability). What is stored of its strength is measured on other deals: those of
``training.benchmark``. A run that was stopped goes on where it was.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
import tyro
from safetensors import safe_open
from safetensors.torch import save_file

from agents import load
from agents.base import CHECKPOINTS
from agents.network import POLICY_FILE, NetworkAgent
from agents.pretrained import ABOUT_FILE
from agents.tabular import FACTS_FILE, TABLE_FILE
from envs.core.game import Game, Rules, get

from . import cli
from .benchmark import BENCHMARK_VERSION, DEALS, YARDSTICKS, measure, readme_line
from .checkpoint import CONFIG_FILE, newest, read_json, readable_json, write_file
from .curve import REPORT_FILE
from .evaluate import evaluate_against
from .exploitability import can_solve, exploitability
from .learning import EVALUATED
from .report import plain

CHOOSING_SEED = 7_000_003  # of deals that nobody learns from or is measured by
CHOOSING_DEALS = 2000


@dataclass(frozen=True)
class Recipe:
    """How an agent is made.

    Attributes
    ----------
    game : str
    arguments : tuple of str
        Of ``training.selfplay``, after the game.
    options : dict
        Of the game, where they are not the defaults.
    judge : str
        The frozen player against whom the best network is chosen.
    greedy : bool
        Whether it plays its most probable action, or draws.
    """

    game: str
    arguments: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)
    judge: str = "rule_v0"
    greedy: bool = True


def _network(samples: str, *more: str) -> tuple[str, ...]:
    return ("--samples", samples, "--evaluations", "20", "--eval-deals", "1000", *more)


RECIPES = {
    "guan_pai": Recipe("guan_pai", _network("100M", "--warm-start", "rule"), judge="rule_v1"),
    "zheng_shang_you": Recipe("zheng_shang_you", _network("50M", "--warm-start", "rule")),
    "zheng_shang_you-2-decks": Recipe(
        "zheng_shang_you", _network("40M", "--warm-start", "rule"), options={"decks": 2}
    ),
    "diao_xie": Recipe("diao_xie", _network("40M"), greedy=False),
    "diao_xie-cfr": Recipe("diao_xie", ("--algo", "cfr", "--iterations", "20000"), greedy=False),
    "xiangxi96": Recipe("xiangxi96", _network("50M", "--warm-start", "rule")),
    "xiangxi96-2-players": Recipe(
        "xiangxi96", _network("50M", "--warm-start", "rule"), options={"num_players": 2}
    ),
    "xiangxi96-4-players": Recipe(
        "xiangxi96", _network("50M", "--warm-start", "rule"), options={"num_players": 4}
    ),
}


@dataclass(frozen=True)
class Config:
    """Train, choose and measure the agents that come with the package."""

    names: tyro.conf.Positional[tuple[str, ...]] = ()
    """Which; all of them if none is given."""
    out: Path = Path("pretrained")
    """Folder of the agents; agents/pretrained is where the package looks."""
    runs: Path = Path("runs/pretrain")
    """Folder of the training runs."""
    workers: int = 1
    """Processes that measure."""


def train(recipe: Recipe, folder: Path) -> None:
    """Train by the recipe's command, or go on where that was stopped; nothing if it is done.

    Raises
    ------
    ValueError
        If the run ends without its report.
    """
    if (folder / REPORT_FILE).is_file():
        return
    is_begun = (folder / CONFIG_FILE).is_file()
    words = ["--resume", str(folder)] if is_begun else [*words_of(recipe), "--out", str(folder)]
    if subprocess.run([sys.executable, "-m", "training.selfplay", *words], check=False).returncode:
        raise ValueError(f"the training in {folder} ended before its end; the same command goes on")


def words_of(recipe: Recipe) -> list[str]:
    """The recipe as words for ``training.selfplay``."""
    options = cli.option_words(get(recipe.game).rules.make(recipe.options))
    return [recipe.game, *recipe.arguments, *options]


def choose(recipe: Recipe, game: Game, rules: Rules, run: Path) -> tuple[Path, list[dict[str, Any]]]:
    """The best of a run's evaluated networks, and how all those looked at did."""
    folders = sorted(folder for folder in (run / EVALUATED).iterdir() if int(folder.name))
    found = []
    for folder in folders[len(folders) // 2 :]:
        agent = NetworkAgent.load(folder, game, rules)
        agent.greedy = recipe.greedy
        told: dict[str, Any] = {"samples": int(folder.name)}
        if can_solve(rules):
            told["exploitability"] = exploitability(agent, rules).mean
            worth = -told["exploitability"]
        else:
            result = evaluate_against(agent, recipe.judge, game.name, rules, CHOOSING_DEALS, CHOOSING_SEED)
            told |= {"against": recipe.judge, "points": plain(result.points)}
            worth = result.points.mean
        print(json.dumps(told), flush=True)
        found.append((worth, folder, told))
    return max(found)[1], [told for _, _, told in found]


def halved(path: Path, to: Path) -> None:
    """Store a network's file in half the precision; it is worked with in full precision, as ever."""
    with safe_open(path, "pt") as file:  # type: ignore[no-untyped-call]
        metadata = file.metadata()
        weights = {name: file.get_tensor(name).to(torch.float16) for name in file.keys()}  # noqa: SIM118
    save_file(weights, to, metadata)


def make(name: str, config: Config) -> None:
    """Train, choose, store and measure one agent."""
    recipe, run, out = RECIPES[name], config.runs / name, config.out / name
    game = get(recipe.game)
    rules = game.rules.make(recipe.options)
    train(recipe, run)
    about = read_json(run / CONFIG_FILE)
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    about |= {
        "command": shlex.join(["python", "-m", "training.selfplay", *words_of(recipe)]),
        "version": about.pop("rules_version"),
        "greedy": recipe.greedy,
    }
    del about["options"]["out"]
    if (run / EVALUATED).is_dir():
        chosen, about["choice"] = choose(recipe, game, rules, run)
        about["samples"] = int(chosen.name)
        halved(chosen / POLICY_FILE, out / POLICY_FILE)
    else:
        table = run if (run / FACTS_FILE).is_file() else newest(run / CHECKPOINTS)
        for file in (TABLE_FILE, FACTS_FILE):
            shutil.copyfile(table / file, out / file)
    write_file(out / ABOUT_FILE, readable_json(about))
    started, against = time.perf_counter(), YARDSTICKS[recipe.game]
    result = measure(recipe.game, rules, str(out), against, DEALS, config.workers)
    about["benchmark"] = {
        "version": BENCHMARK_VERSION,
        "deals": DEALS,
        "headline": plain(result.headline),
        "against": dict(zip(result.yardsticks, map(plain, result.directions), strict=True)),
        "minutes": (time.perf_counter() - started) / 60,
    }
    write_file(out / ABOUT_FILE, readable_json(about))
    if can_solve(rules):
        about["exploitability"] = exploitability(load(str(out), recipe.game, rules), rules).mean
        write_file(out / ABOUT_FILE, readable_json(about))
    print(readme_line(result, f"pretrained:{name}", recipe.game, rules, DEALS), flush=True)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    config = cli.parse_plain(Config, argv, prog="python -m training.pretrain")
    try:
        unknown = [name for name in config.names if name not in RECIPES]
        if unknown:
            raise ValueError(f"no recipe {unknown[0]!r}; there are {', '.join(RECIPES)}")
        if config.workers < 1:
            raise ValueError(f"--workers is at least 1, not {config.workers}")
        for name in config.names or RECIPES:
            make(name, config)
    except (OSError, ValueError) as error:
        cli.fail(error)
    except KeyboardInterrupt:
        print("stopped; the same command goes on", file=sys.stderr)
        return cli.INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
