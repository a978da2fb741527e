"""Train an agent by self-play: ``python -m training.selfplay``.

Without arguments: Guan Pai, PPO, two minutes of learning on one core, then a sentence that says how
strong the agent has become against the frozen rule player.

    python -m training.selfplay                                       # Guan Pai, PPO, two minutes
    python -m training.selfplay xiangxi96 --warm-start rule --minutes 10
    python -m training.selfplay zheng_shang_you --env.decks 2 --algo dmc --samples 12M
    python -m training.selfplay diao_xie --algo cfr                   # an equilibrium, in seconds
    python -m training.selfplay --resume runs/guan_pai-1 --minutes 30
    python -m training.selfplay --algo rpi --start-from pretrained --rpi.playouts own --minutes 10
    python -m training.selfplay --algo rpi --backend ray --num-workers 8      # workers play, on a cluster too
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import torch
from rich.console import Console

from envs.core.game import Rules

from . import cfr_run, cli
from .checkpoint import CONFIG_FILE, read_json
from .config import (
    BUDGETS,
    MINUTES,
    WHERE,
    Config,
    budget_of,
    command_line,
    completed,
    config_of,
    describe,
    refuse_two_budgets,
)
from .curve import REPORT_FILE
from .display import Display
from .evaluate import YARDSTICK
from .learning import Run
from .stopping import Stopping


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
    config, rules = cli.parse(Config, argv, prog="python -m training.selfplay", about=__doc__)
    try:
        refuse_two_budgets(config)
        if config.resume is None and config.minutes is None:
            config = replace(config, minutes=MINUTES[config.algo])
        if config.resume is not None:
            return _resume(config, rules, config.resume)
        budget = budget_of(config)
        folder = new_folder(config.out, config.game)
        if config.algo == "cfr":
            return cfr_run.train(
                rules, describe(config, rules), folder,
                seed=config.seed, seconds=budget, iterations=config.iterations, console=Console(),
            )  # fmt: skip
        config = completed(config, rules)
        torch.set_num_threads(config.threads)
        return _train(config, rules, folder, budget)
    except ValueError as error:
        cli.fail(error)
    except (OSError, ArithmeticError) as error:
        print(f"error: {error}", file=sys.stderr)
        return cli.FAILED
    except KeyboardInterrupt:
        print("stopped before learning began: there is nothing to save", file=sys.stderr)
        return cli.INTERRUPTED


def _resume(asked: Config, rules: Rules, folder: Path) -> int:
    """Go on with a run, to its budget or so much further as is ``asked`` for."""
    description = read_json(folder / CONFIG_FILE)
    config, own_rules = config_of(description, folder)
    _refuse_changes(asked, rules, config, own_rules)
    elsewhere = {name: getattr(asked, name) for name in WHERE if getattr(asked, name) is not None}
    config = replace(config, **elsewhere)
    if config.algo == "cfr":
        return _resume_cfr(asked, config, own_rules, description, folder)
    torch.set_num_threads(config.threads)
    display = Display(Console(), YARDSTICK)
    with Stopping() as stopping:
        run = Run.resumed(config, own_rules, folder, display, description)
        config = run.config = _prolonged(config, asked, run.samples, run.seconds)
        budget = budget_of(config)
        if _spent(config)(run) >= budget and (folder / REPORT_FILE).exists():
            raise ValueError(f"{folder} has reached its budget: give --minutes or --samples for more")
        _note_resumed(description, config, run.samples)
        display.say(f"Going on with {folder} after {run.samples:,} samples.")
        return _learn_and_tell(run, budget, stopping)


def _resume_cfr(
    asked: Config, config: Config, rules: Rules, description: dict[str, Any], folder: Path
) -> int:
    state, iterations, seconds = cfr_run.read_state(folder)
    config = _prolonged(config, asked, iterations, seconds)
    budget = budget_of(config)
    if (seconds if config.iterations is None else iterations) >= budget:
        raise ValueError(f"{folder} has reached its budget: give --minutes or --iterations for more")
    _note_resumed(description, config, iterations)
    return cfr_run.train(
        rules, description, folder, seed=config.seed, seconds=budget, iterations=config.iterations,
        console=Console(), state=state,
    )  # fmt: skip


def _refuse_changes(asked: Config, rules: Rules, config: Config, own_rules: Rules) -> None:
    """ValueError if more than a budget is given with --resume, or a budget that cannot be meant."""
    changed = [
        f"--{field.name.replace('_', '-')}" for field in fields(Config)
        if field.name not in ("game", "resume", *BUDGETS, *WHERE)
        and getattr(asked, field.name) != getattr(Config(), field.name)
    ]  # fmt: skip
    changed += ["the game"] * (asked.game not in (Config().game, config.game))
    changed += ["--env"] * (rules not in (type(rules)(), own_rules))
    if changed:
        raise ValueError(
            f"{changed[0]} cannot be given with --resume: the run goes on under its own options "
            f"({config.out}/{CONFIG_FILE}), for so many --minutes or --samples"
        )
    more = {name: getattr(asked, name) for name in BUDGETS if getattr(asked, name) is not None}
    if more:
        budget_of(replace(config, **{**dict.fromkeys(BUDGETS), **more}))


def _prolonged(config: Config, asked: Config, done: int, seconds: float) -> Config:
    """The run's own plan, or so much more than it has ``done`` (samples, iterations) in these seconds."""
    if asked.iterations is not None:
        return replace(config, iterations=done + asked.iterations)
    if asked.samples is not None:
        return replace(config, samples=str(done + cli.sample_count(asked.samples)))
    if asked.minutes is not None:
        return replace(config, minutes=seconds / 60 + asked.minutes, samples=None, iterations=None)
    return config


def _note_resumed(description: dict[str, Any], config: Config, at: int) -> None:
    """Write down that the run goes on from ``at`` samples or iterations, and its plan."""
    options = description["options"]
    options |= {name: getattr(config, name) for name in (*BUDGETS, *WHERE) if name in options}
    command = command_line()
    description["resumed"] = [*description.get("resumed", []), {"at": at, "command": command}]


def _spent(config: Config) -> Callable[[Run], float]:
    """How much of the budget a run has used."""
    return (lambda run: run.samples) if config.samples else (lambda run: run.seconds)


def _train(config: Config, rules: Rules, folder: Path, budget: float) -> int:
    display = Display(Console(), YARDSTICK)
    display.say(
        f"Learning {config.game} by {config.algo.upper()} in {folder}; "
        "the first time it compiles for some seconds."
    )
    with Stopping() as stopping:
        run = Run(config, rules, folder, display, describe(config, rules))
        if config.start_from is not None:
            run.start_from(config.start_from)
        return _learn_and_tell(run, budget, stopping)


def _learn_and_tell(run: Run, budget: float, stopping: Stopping) -> int:
    config, folder, display = run.config, run.folder, run.display
    try:
        run.begin()
        with display:
            run.learn(budget, _spent(config), stopping)
            summary = run.finish(stopping)
    except KeyboardInterrupt:
        try:
            saved = run.save()
        except ValueError:
            display.say("Stopped in the first iteration: there is nothing to save.")
            return cli.INTERRUPTED
        display.say(
            f"Stopped after {run.samples:,} samples; saved in {saved}.\n"
            f"Go on: python -m training.selfplay --resume {folder}\n"
            f"How strong is it? python -m training.evaluate {config.game} {folder} {YARDSTICK}"
        )
        return cli.INTERRUPTED
    finally:
        run.close()
    display.say(f"\n{summary}\nReport, learning curve and checkpoints: {folder}")
    return 0


if __name__ == "__main__":
    cli.run(main)
