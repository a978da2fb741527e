"""Make the agents that come with the package: ``python -m training.pretrain``.

    python -m training.pretrain                                  # all of them, for hours
    python -m training.pretrain guan_pai diao_xie --out agents/pretrained
    python -m training.pretrain diao_xie-cfr         # a table, in minutes

Each is trained by the command of its recipe, which is stored with it, and measured; some start from the agent
of another recipe, which is made first. Of the networks that were evaluated in the second half of a run the
best one is taken, not the last: against the judge, or who the run started from, on deals of its own (in Diao
Xie by exact exploitability). What is stored of its strength is measured on other deals: those of
``training.benchmark``. A run that was stopped goes on where it was.
"""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import tyro
from safetensors import safe_open
from safetensors.torch import save

from agents import frozen_rules, load
from agents.network import POLICY_FILE, NetworkAgent, in_eight_bits
from agents.pretrained import ABOUT_FILE, about
from agents.tabular import FACTS_FILE, TABLE_FILE
from envs.core.commands import did_you_mean
from envs.core.game import Rules, get

from . import cli
from .benchmark import BENCHMARK_VERSION, DEALS, QUICK_DEALS, YARDSTICKS, measure, readme_line
from .checkpoint import CONFIG_FILE, read_json, readable_json, write_file
from .children import Training, state_of, train_all
from .evaluate import evaluate_against
from .exploitability import can_solve, exploitability
from .learning import EVALUATED
from .report import plain
from .results import try_to_write
from .runs import FINISHED

CHOOSING_SEED = 7_000_003  # of deals that nobody learns from or is measured by
MEASURING_SEED = 8_000_009  # of deals that nobody learns from or is chosen by
CHOOSING_DEALS = 2000
START = "START"  # stands for the folder of the agent that another one starts from
MOST_BYTES = 1_900_000  # of a network's file in half precision


@dataclass(frozen=True)
class Recipe:
    """How an agent is made.

    Attributes
    ----------
    game : str
    arguments, budget : tuple of str
        Of ``training.selfplay``; the budget is ``--samples`` or ``--iterations`` and its number.
    options : dict
        Of the game, where they are not the defaults.
    judge : str
        The frozen player against whom the best network is chosen.
    greedy : bool
        Whether it plays its most probable action, or draws.
    deals : int
        Of the benchmark: few where decisions of ``search_v0`` take long.
    start : Recipe, optional
        Of the agent from whose network it starts.
    """

    game: str
    arguments: tuple[str, ...]
    budget: tuple[str, str]
    options: dict[str, Any] = field(default_factory=dict)
    judge: str = "rule_v0"
    greedy: bool = True
    deals: int = QUICK_DEALS
    start: Recipe | None = None

    @property
    def words(self) -> list[str]:
        """For ``training.selfplay``, without the budget."""
        return [
            self.game, *self.arguments, *cli.option_words(get(self.game).rules.make(self.options))
        ]  # fmt: skip

    @property
    def command(self) -> str:
        """What trains the agent; ``START`` is the folder of the one that it starts from."""
        start = [] if self.start is None else ["--start-from", START]
        return shlex.join(["python", "-m", "training.selfplay", *self.words, *self.budget, *start])

    @property
    def commands(self) -> tuple[str, ...]:
        """What trains the agent, then what trains the one that it starts from, and so on."""
        return self.command, *(() if self.start is None else self.start.commands)


KEEP_MANY = ("--evaluations", "20", "--eval-deals", "1000")


def tried(adviser: str, *own: str) -> tuple[str, ...]:
    """The arguments of a run that tries all actions, and learns when a rule player had better do another."""
    return "--algo", "rpi", "--adviser", adviser, *own


def xiangxi96(samples: str, **options: int) -> Recipe:
    """Of so many players; what one action gains there is little."""
    own = ("--rpi.temperature", "0.02", "--rpi.advice-weight", "2")
    looks = ("--evaluations", "8", "--eval-deals", "2000")
    return Recipe("xiangxi96", tried("rule_v0", *own, *looks), ("--samples", samples), options)


TEN_LOOKS = ("--evaluations", "10", "--eval-deals", "1000")


def from_itself(start: Recipe, samples: str, tables: int) -> Recipe:
    """Of the agent of ``start`` that learns on from games that it plays out itself."""
    large = ("--rpi.num-envs", str(tables), "--rpi.batch", "16384")
    steps = ("--rpi.learning-rate", "3e-4", "--rpi.final-learning-rate", "2e-5", "--rpi.epsilon", "0.03")
    own = ("--algo", "rpi", "--rpi.playouts", "own", *large, *steps, *TEN_LOOKS)
    return replace(start, arguments=own, budget=("--samples", samples), start=start)


GUAN_PAI = Recipe(
    "guan_pai",
    tried("rule_v1", "--rpi.hidden", "512", "512", *TEN_LOOKS),
    ("--samples", "12M"),
    judge="rule_v1",
)
ZHENG_SHANG_YOU = Recipe(
    "zheng_shang_you", tried("rule_v0", "--rpi.hidden", "256", "512", *TEN_LOOKS), ("--samples", "8M")
)
RECIPES = {
    "guan_pai": from_itself(from_itself(GUAN_PAI, "4M", tables=1024), "6500k", tables=2048),
    "zheng_shang_you": from_itself(from_itself(ZHENG_SHANG_YOU, "2M", tables=1024), "5M", tables=2048),
    "zheng_shang_you-2-decks": Recipe(
        "zheng_shang_you", tried("rule_v0", *TEN_LOOKS), ("--samples", "2M"), {"decks": 2}, deals=20
    ),
    "diao_xie": Recipe("diao_xie", KEEP_MANY, ("--samples", "40M"), greedy=False, deals=DEALS),
    "diao_xie-cfr": Recipe(
        "diao_xie", ("--algo", "cfr"), ("--iterations", "20000"), greedy=False, deals=DEALS
    ),
    "xiangxi96": xiangxi96("2M"),
    "xiangxi96-2-players": xiangxi96("1M", num_players=2),
    "xiangxi96-4-players": xiangxi96("1M", num_players=4),
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


def train(name: str, recipe: Recipe, run: Path, start: Path | None = None) -> None:
    """Train by the recipe's command, or go on where that was stopped; nothing if it is done.

    It starts from the agent in the folder ``start``, if there is one.

    Raises
    ------
    ValueError
        If ``run`` holds something else or a run of another command, or the training fails.
    KeyboardInterrupt
        After Ctrl-C, when the run has saved what it has.
    """
    run.parent.mkdir(parents=True, exist_ok=True)
    words = [*recipe.words, *([] if start is None else ["--start-from", str(start)])]
    own = Training(name, run, tuple(words), recipe.budget)
    state = state_of(own)
    if state != FINISHED:
        print(f"{name}: training as {recipe.command}; what it says is in {own.log}", flush=True)
    failed = train_all({own: state}, jobs=1)
    if failed:
        raise ValueError(f"{name}: the training failed: {failed[own]}")


def rules_of(recipe: Recipe) -> Rules:
    """The options of its game."""
    return get(recipe.game).rules.make(recipe.options)


def choose(recipe: Recipe, run: Path, start: Path | None) -> tuple[Path, list[dict[str, Any]]]:
    """The best of a run's evaluated networks, and how all those looked at did.

    They meet the recipe's judge, or the agent in the folder ``start`` from which the run started: who learns
    from its own games gains more on that one than on the judge.

    Raises
    ------
    ValueError
        If it kept none.
    """
    game, rules = get(recipe.game), rules_of(recipe)
    kept = sorted(folder for folder in (run / EVALUATED).glob("*") if folder.name.isdecimal())
    found = []
    for folder in kept[1:][len(kept[1:]) // 2 :]:  # the first one has learned nothing
        agent = NetworkAgent.load(folder, game, rules)
        agent.greedy = recipe.greedy
        told: dict[str, Any] = {"samples": int(folder.name)}
        if can_solve(rules):
            told["exploitability"] = exploitability(agent, rules).mean
            worth = -told["exploitability"]
        else:
            judge, name = (recipe.judge, recipe.judge) if start is None else (str(start), START)
            result = evaluate_against(agent, judge, game.name, rules, CHOOSING_DEALS, CHOOSING_SEED)
            told |= {"against": name, "points": plain(result.points)}
            worth = result.points.mean
        print(json.dumps(told), flush=True)
        found.append((worth, folder, told))
    if not found:
        raise ValueError(f"{run} kept no network that was evaluated")
    return max(found, key=lambda look: look[0])[1], [told for _, _, told in found]


def store_short(path: Path, to: Path) -> None:
    """Store a network's file in half precision, or where that is too much in 8 bits a weight.

    It is worked with in full precision, as ever.
    """
    with safe_open(path, "pt") as file:  # type: ignore[no-untyped-call]
        metadata = file.metadata()
        weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    content = bytes(save({name: tensor.half() for name, tensor in weights.items()}, metadata))
    if len(content) > MOST_BYTES:
        content = bytes(save(in_eight_bits(weights), metadata))
    write_file(to, content)


def make(name: str, config: Config) -> None:
    """Train, choose, measure and store one agent; what was stored before stays until then.

    Raises
    ------
    ValueError
        If the agent's folder is none of ours, or the training fails.
    """
    recipe, run, out = RECIPES[name], config.runs / name, config.out / name
    if out.resolve() == run.resolve():
        raise ValueError(f"{out} would be both run and agent: give other folders for --out and --runs")
    if out.exists() and not (out / ABOUT_FILE).is_file():
        raise ValueError(f"{out} holds something else than an agent of this command: give another --out")
    if is_done(recipe, out):
        print(f"{name}: {out} is done; remove it to make it again")
        return
    start = train_from(name, recipe, run)
    with TemporaryDirectory(prefix=".unfinished-", dir=config.out) as folder:
        new = Path(folder) / name
        new.mkdir()
        told = store(recipe, run, start, new)
        told |= measured(recipe, new, config.workers)
        write_file(new / ABOUT_FILE, readable_json(told))
        shutil.rmtree(out, ignore_errors=True)
        new.rename(out)


def train_from(name: str, recipe: Recipe, run: Path) -> Path | None:
    """Train the recipe's ``run``, first what it starts from; returns the folder of that agent."""
    start = None
    if recipe.start is not None:
        start, before = run.with_name(f"{run.name}-start"), run.with_name(f"{run.name}-before")
        if not (start / ABOUT_FILE).is_file() or commands_of(about(start)) != recipe.start.commands:
            first = train_from(f"{name}, what it starts from", recipe.start, before)
            start.mkdir(exist_ok=True)
            store(recipe.start, before, first, start)
    train(name, recipe, run, start)
    return start


def store(recipe: Recipe, run: Path, start: Path | None, new: Path) -> dict[str, Any]:
    """Put the best agent of a ``run`` into the folder ``new``, and say what it is."""
    told = read_json(run / CONFIG_FILE)
    told |= {"command": recipe.command, "version": told.pop("rules_version"), "greedy": recipe.greedy}
    for place in ("out", "start_from"):
        told["options"].pop(place, None)
    if start is not None:
        kept = ("command", "rpi", "versions", "machine", "choice", "samples", "start")
        told["start"] = {key: value for key, value in about(start).items() if key in kept}
    if (run / FACTS_FILE).is_file():
        for file in (TABLE_FILE, FACTS_FILE):
            shutil.copyfile(run / file, new / file)
    else:
        chosen, told["choice"] = choose(recipe, run, start)
        told["samples"] = int(chosen.name)
        store_short(chosen / POLICY_FILE, new / POLICY_FILE)
    write_file(new / ABOUT_FILE, readable_json(told))
    return told


def is_done(recipe: Recipe, out: Path) -> bool:
    """Whether ``out`` has an agent made by this recipe for this version of the rules and the benchmark."""
    if not (out / ABOUT_FILE).is_file():
        return False
    told, version = about(out), get(recipe.game).info(rules_of(recipe)).version
    found = commands_of(told), told["version"], told.get("benchmark", {}).get("version")
    return bool(found == (recipe.commands, version, BENCHMARK_VERSION))


def commands_of(told: dict[str, Any]) -> tuple[str, ...]:
    """What an agent was trained by, as :attr:`Recipe.commands`, from what is ``told`` of it."""
    return told["command"], *(commands_of(told["start"]) if "start" in told else ())


def measured(recipe: Recipe, folder: Path, workers: int) -> dict[str, Any]:
    """How strong the agent in ``folder`` is: by the benchmark, exactly where that can be worked out.

    Where the benchmark is of few deals, rule players are met on as many others as a network is chosen by.
    """
    rules = rules_of(recipe)
    result = measure(recipe.game, rules, str(folder), YARDSTICKS[recipe.game], recipe.deals, workers)
    own = dict(zip(result.yardsticks, map(plain, result.directions), strict=True))
    found: dict[str, Any] = {
        "benchmark": {
            "version": BENCHMARK_VERSION,
            "deals": recipe.deals,
            "headline": plain(result.headline),
            "against": own,
        }
    }
    if recipe.deals < DEALS:
        found["against"] = {
            name: plain(
                evaluate_against(str(folder), name, recipe.game, rules, CHOOSING_DEALS, MEASURING_SEED)
            )
            for name in frozen_rules(recipe.game)
        }
    if can_solve(rules):
        found["exploitability"] = exploitability(load(str(folder), recipe.game, rules), rules).mean
    print(readme_line(result, f"pretrained:{folder.name}", recipe.game, rules, recipe.deals), flush=True)
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    config = cli.parse_plain(Config, argv, prog="python -m training.pretrain", about=__doc__)
    try:
        unknown = [name for name in config.names if name not in RECIPES]
        if unknown:
            raise ValueError(f"no recipe {unknown[0]!r}; {did_you_mean(unknown[0], RECIPES)}")
        if config.workers < 1:
            raise ValueError(f"--workers is at least 1, not {config.workers}")
        try_to_write(config.out)
        for name in config.names or RECIPES:
            make(name, config)
    except (OSError, ValueError) as error:
        cli.fail(error)
    except KeyboardInterrupt:
        print("stopped; the same command goes on", file=sys.stderr)
        return cli.INTERRUPTED
    return 0


if __name__ == "__main__":
    cli.run(main)
