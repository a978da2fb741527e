"""Train an agent by self-play: ``python -m training.selfplay``.

Without arguments: Guan Pai, PPO, two minutes of learning on one core, then a sentence that says how
strong the agent has become against the frozen rule player.
"""

from __future__ import annotations

import csv
import io
import itertools
import math
import os
import platform
import shlex
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import torch
import tyro
from rich.console import Console
from torch.utils.tensorboard import SummaryWriter

from agents import frozen_rules
from agents.network import CHECKPOINTS, POLICY_FILE, NetworkAgent, network_bytes
from envs.core.game import Rules, get
from envs.core.vector import VectorTables

from . import cfr, cli
from .checkpoint import readable_json, save_folder, write_file
from .curve import Evaluation, write_report
from .display import Display, strength
from .evaluate import evaluate_against
from .exploit import can_solve, exploitability
from .ppo import PPO, PPOConfig
from .stats import Direction
from .stopping import Stopping

PROGRESS_FILE = "progress.csv"
MINUTES = {"ppo": 2.0, "cfr": 1 / 6}
OWN_OPTIONS = {  # of one algorithm only
    "ppo": ("samples", "threads", "evaluations", "eval_deals", "final_deals", "ppo"),
    "cfr": ("iterations",),
}
YARDSTICK = "rule_v0"  # evaluations name a frozen player
SECONDS_BETWEEN_SAVES = 60
EVALUATION_SEED = 1_000_003  # the same deals in every run, none that a run learns from


@dataclass(frozen=True)
class Config:
    """Train an agent by self-play and say how strong it became."""

    game: tyro.conf.Positional[str] = "guan_pai"
    """The game."""
    algo: Literal["ppo", "cfr"] = "ppo"
    """The algorithm; cfr is for diao_xie."""
    minutes: float | None = None
    """Minutes of learning, compiling and evaluating not counted; a time budget is not reproducible.
    By default 2 of PPO and a sixth of CFR."""
    samples: str | None = None
    """PPO: learn from this many samples instead, such as 500k or 12M."""
    iterations: int | None = None
    """CFR: learn for this many iterations instead."""
    seed: int = 0
    """Of weights, deals and actions."""
    out: Path | None = None
    """Folder of the run; a new one under runs/ if not given."""
    threads: int = 1
    """Threads of torch; with one the same seed gives the same weights."""
    evaluations: int = 6
    """Evaluations during learning, the first one before it."""
    eval_deals: int = 300
    """Duplicate deals of each of them."""
    final_deals: int = 2000
    """Duplicate deals of the evaluation at the end."""
    ppo: PPOConfig = field(default_factory=PPOConfig)
    """Options of PPO."""


def sample_count(text: str) -> int:
    """A number of samples: ``"500k"``, ``"12M"``, ``"2000000"``.

    >>> sample_count("12M"), sample_count("1.5k")
    (12000000, 1500)
    """
    factor = {"k": 1_000, "M": 1_000_000}.get(text[-1:], 1)
    try:
        count = int(float(text if factor == 1 else text[:-1]) * factor)
    except (ValueError, OverflowError):
        count = 0
    if count < 1:
        raise ValueError(f"--samples takes a number such as 500k or 12M, not {text!r}")
    return count


def describe(config: Config, rules: Rules) -> dict[str, Any]:
    """Everything that made a run what it is."""
    others = {name for algo, names in OWN_OPTIONS.items() if algo != config.algo for name in names}
    options = {k: v for k, v in asdict(config).items() if k not in {"game", "ppo", *others}}
    return {
        "command": shlex.join(["python", "-m", "training.selfplay", *sys.argv[1:]]),
        "game": config.game,
        "rules_version": get(config.game).info(rules).version,
        "rules": rules.as_dict(),
        "options": options,
        **({"ppo": asdict(config.ppo)} if config.algo == "ppo" else {}),
        "versions": {name: version(name) for name in ("paizhuo", "numpy", "numba", "torch")},
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}",
    }


class Run:
    """A run: its folder, its learner and what it has done so far.

    Parameters
    ----------
    config : Config
    rules : Rules
        Options of the game.
    folder : Path
        Made here; must not hold anything yet.
    display : Display

    Raises
    ------
    OSError
        If the folder cannot be written.
    """

    def __init__(self, config: Config, rules: Rules, folder: Path, display: Display) -> None:
        self.config, self.rules, self.folder, self.display = config, rules, folder, display
        self.game = get(config.game)
        vec = VectorTables(self.game, config.ppo.num_envs, skip_forced=True, **rules.as_dict())
        self.learner = PPO(vec, config.ppo, config.seed)
        folder.mkdir(parents=True, exist_ok=True)
        write_file(folder / "config.json", readable_json(describe(config, rules)))
        self.tensorboard = SummaryWriter(str(folder / "tensorboard"))  # type: ignore[no-untyped-call]
        self.samples = self.games = 0
        self.seconds = 0.0  # of learning, without the first iteration, which also compiles
        self._first_samples = self._first_games = 0
        self.evaluations: list[Evaluation] = []
        self._rows: list[dict[str, float]] = []
        self._saved_at = time.monotonic()

    def learn(self, budget: float, spent: Callable[[Run], float], stopping: Stopping) -> None:
        """Iterate until ``spent`` reaches ``budget`` (seconds or samples), evaluating on the way.

        Raises
        ------
        KeyboardInterrupt
            Between two iterations, if a stop was requested.
        """
        due = [budget * k / self.config.evaluations for k in range(self.config.evaluations)]
        while True:
            stopping.heed()
            if due and spent(self) >= due[0]:
                del due[0]
                self.evaluate(self.config.eval_deals)
            if spent(self) >= budget:
                return
            self._iterate(spent(self) / budget, budget)
            if time.monotonic() - self._saved_at > SECONDS_BETWEEN_SAVES:
                self.save_or_say()

    def _iterate(self, progress: float, budget: float) -> None:
        start = time.perf_counter()
        figures = self.learner.iterate(progress)
        self.samples += int(figures["samples"])
        self.games += int(figures["games"])
        if not self._first_samples:
            self._first_samples, self._first_games = self.samples, self.games
        else:
            self.seconds += time.perf_counter() - start
        row = {
            **figures,
            "seconds": self.seconds,
            "samples": self.samples,
            "games": self.games,
            "samples_per_second": self._rate(self.samples - self._first_samples),
            "games_per_second": self._rate(self.games - self._first_games),
        }
        self._rows.append(row)
        for name, value in row.items():
            self.tensorboard.add_scalar(f"learning/{name}", value, self.samples)  # type: ignore[no-untyped-call]
        if self.seconds:
            left = self.seconds / progress - self.seconds if progress > 0 else None
            self.display.update(progress, left, row)

    def _rate(self, count: int) -> float:
        return count / self.seconds if self.seconds else 0.0

    def evaluate(self, deals: int) -> Direction:
        """Play duplicate deals against the yardstick."""
        result = self._against(YARDSTICK, deals)
        self.evaluations.append(Evaluation(self.samples, self.games, self.seconds, result))
        for name in ("points", "win_rate", "duplicate_share"):
            mean = getattr(result, name).mean
            self.tensorboard.add_scalar(f"against_{YARDSTICK}/{name}", mean, self.samples)  # type: ignore[no-untyped-call]
        self.display.evaluated(self.samples, result)
        return result

    def _against(self, opponent: str, deals: int) -> Direction:
        agent = NetworkAgent(self.learner.policy)
        return evaluate_against(agent, opponent, self.config.game, self.rules, deals, EVALUATION_SEED)

    def save(self) -> Path:
        """Save a checkpoint, which is an agent for every other command, and the figures so far."""
        self._saved_at = time.monotonic()
        learner, rules = self.learner, self.rules
        folder = self.folder / CHECKPOINTS / f"{self.samples:012d}"
        state = {"samples": self.samples, "games": self.games, "seconds": self.seconds}
        if not folder.exists():
            save_folder(
                folder,
                {
                    POLICY_FILE: network_bytes(learner.policy, self.game, rules, learner.sizes),
                    "critic.safetensors": network_bytes(
                        learner.critic, self.game, rules, learner.critic_sizes
                    ),
                    "state.json": readable_json(state),
                },
            )
        write_file(self.folder / PROGRESS_FILE, _as_csv(self._rows))
        return folder

    def save_or_say(self) -> None:
        """Save; where that fails say so and go on: the next save may succeed."""
        try:
            self.save()
        except OSError as error:
            self.display.say(f"could not save ({error}); the checkpoints saved before are complete, going on")

    def finish(self) -> str:
        """Save, evaluate at length, write the report; returns what a person wants to know."""
        self.save()
        deals = self.config.final_deals
        result = self.evaluate(deals)
        others = self.game.info(self.rules).num_players - 1
        lines = [
            f"After {self.games:,} games ({self.samples:,} samples, {self.seconds / 60:.1f} minutes of "
            f"learning) it beats {_players(others, YARDSTICK)} on {strength(result)}."
        ]
        lines += [
            f"Against {_players(others, name)}: {strength(self._against(name, deals))}."
            for name in frozen_rules(self.config.game)
            if name != YARDSTICK
        ]
        always_won = self.game.info(self.rules).always_won  # elsewhere none or several may win
        games = f", 0 points and {100 / (others + 1):.0f} %" if always_won else " and 0 points"
        lines.append(f"An equal player would have about 50 %{games}; ± is the 95 % interval.")
        lines += self._exploitability()
        write_report(self.folder, describe(self.config, self.rules), lines, self.evaluations, YARDSTICK)
        return "\n".join(lines)

    def _exploitability(self) -> list[str]:
        """What a best response gains, where that is worked out exactly."""
        if not can_solve(self.rules):
            return []
        gains = [
            exploitability(NetworkAgent(self.learner.policy, greedy=greedy), self.rules).mean
            for greedy in (False, True)
        ]
        return [
            f"A best response gains {gains[0]:.4f} b a hand against its policy, {gains[1]:.4f} b against its "
            "likeliest actions, exactly; 0 at an equilibrium."
        ]

    def close(self) -> None:
        self.tensorboard.close()  # type: ignore[no-untyped-call]


def _players(number: int, name: str) -> str:
    return f"{number} {name} player{'s' * (number > 1)}"


def _as_csv(rows: list[dict[str, float]]) -> str:
    text = io.StringIO(newline="")
    if rows:
        writer = csv.DictWriter(text, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return text.getvalue()


def new_folder(out: Path | None, game: str) -> Path:
    """The run's folder: ``out``, or the next free one under ``runs``; ValueError if it holds something."""
    if out is None:
        numbered = (Path("runs") / f"{game}-{number}" for number in itertools.count(1))
        return next(folder for folder in numbered if not folder.exists())
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ValueError(
            f"{out} exists already; give another --out, or leave it out for a new folder under runs/"
        )
    return out


def main(argv: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    config, rules = cli.parse(Config, argv, prog="python -m training.selfplay")
    if config.minutes is None:
        config = replace(config, minutes=MINUTES[config.algo])
    try:
        budget = _check(config)
        folder = new_folder(config.out, config.game)
        if config.algo == "cfr":
            return cfr.train(
                rules, describe(config, rules), folder,
                seed=config.seed, seconds=budget, iterations=config.iterations, console=Console(),
            )  # fmt: skip
        torch.set_num_threads(config.threads)
        return _train(config, rules, folder, budget)
    except ValueError as error:
        cli.fail(error)
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return cli.FAILED
    except KeyboardInterrupt:
        print("stopped before learning began: there is nothing to save", file=sys.stderr)
        return cli.INTERRUPTED


def _check(config: Config) -> float:
    """The budget, in samples or seconds; ValueError for a number that cannot be meant."""
    for algo, names in OWN_OPTIONS.items():
        for name in names:
            if algo != config.algo and getattr(config, name) != getattr(Config(), name):
                raise ValueError(
                    f"--{name.replace('_', '-')} is an option of --algo {algo}, not {config.algo}"
                )
    least = {"seed": 0, "threads": 1, "evaluations": 1, "eval_deals": 2, "final_deals": 2}
    for name, number in least.items():
        if getattr(config, name) < number:
            raise ValueError(f"--{name.replace('_', '-')} is at least {number}, not {getattr(config, name)}")
    if config.iterations is not None and config.iterations < 1:
        raise ValueError(f"--iterations is at least 1, not {config.iterations}")
    if config.samples is not None:
        return sample_count(config.samples)
    if config.minutes is None or not 0 < config.minutes < math.inf:
        raise ValueError(f"--minutes must be above 0, not {config.minutes}")
    return config.minutes * 60


def _train(config: Config, rules: Rules, folder: Path, budget: float) -> int:
    display = Display(Console(), YARDSTICK)
    display.say(
        f"Learning {config.game} by {config.algo.upper()} in {folder}; "
        "the first time it compiles for some seconds."
    )
    with Stopping() as stopping:
        run = Run(config, rules, folder, display)
        return _learn_and_tell(run, budget, stopping)


def _learn_and_tell(run: Run, budget: float, stopping: Stopping) -> int:
    config, folder, display = run.config, run.folder, run.display
    try:
        with display:
            run.learn(budget, (lambda r: r.samples) if config.samples else (lambda r: r.seconds), stopping)
            summary = run.finish()
    except KeyboardInterrupt:
        saved = run.save()
        display.say(
            f"Stopped after {run.samples:,} samples; saved in {saved}.\n"
            f"How strong is it? python -m training.evaluate {config.game} {folder} {YARDSTICK}"
        )
        return cli.INTERRUPTED
    finally:
        run.close()
    display.say(f"\n{summary}\nReport, learning curve and checkpoints: {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
