"""What the defaults of self-play bring: ``python -m training.ablate``.

    python -m training.ablate guan_pai --minutes 1 --seeds 3
    python -m training.ablate zheng_shang_you --env.decks 2 --only "1 epoch" dmc

Trains every variant of the table below with every seed, and compares it with the defaults. Finished runs
are read and not run again: stop it at any time, and go on by the same command.
"""

from __future__ import annotations

import math
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro

from envs.core.commands import did_you_mean
from envs.core.game import Rules, get

from . import ablation_report, cli
from .ablation_report import Result
from .checkpoint import readable_json, write_file
from .children import Training, state_of, train_all
from .evaluate import YARDSTICK
from .runs import FINISHED, read_run
from .tables import new_console, show

DEFAULTS = "defaults"
VARIANTS = {  # name: what it asks, arguments of training.selfplay
    DEFAULTS: ("what all others are compared with", ""),
    "win target": ("is it enough to learn from who won, without the points?", "--ppo.target win"),
    "1 epoch": ("is one pass over a batch enough?", "--ppo.epochs 1"),
    "8 epochs": ("do more passes over a batch bring more?", "--ppo.epochs 8"),
    "2x128 net": ("is a smaller network, which learns faster, enough?", "--ppo.hidden 128 128"),
    "2x512 net": ("does a larger network play better?", "--ppo.hidden 512 512"),
    "pool of past selves": ("does it help to play older selves as well?", "--ppo.past 0.2"),
    "rule player in the pool": ("does it help to play the rule player as well?", "--ppo.fixed 0.2"),
    "forced decisions": ("is there anything to learn where one action is legal?", "--ppo.no-skip-forced"),
    "critic sees all hands": ("does a critic that sees all cards judge better?", "--ppo.all-hands"),
    "warm start": ("does it help to imitate the rule player first?", "--warm-start rule"),
    "dmc": ("how good is deep Monte Carlo?", "--algo dmc"),
    "dmc, win target": ("and deep Monte Carlo that learns from who won?", "--algo dmc --dmc.target win"),
    "sb3": ("how good is MaskablePPO of sb3-contrib?", "--algo sb3"),
}
FINAL_DEALS = 2000
MOST_SEEDS = len(ablation_report.STUDENT_T) + 1


@dataclass(frozen=True)
class Config:
    """Train variants of the defaults of self-play and say what each default brings."""

    game: tyro.conf.Positional[str] = "guan_pai"
    """The game."""
    minutes: float = 1.0
    """Minutes of learning of every run."""
    samples: str | None = None
    """Samples of every run instead, such as 500k: then the speed of a variant does not count."""
    seeds: int = 3
    """Runs of every variant, with the seeds 0, 1...: at most 10; with one there are no intervals."""
    only: tuple[str, ...] = ()
    """Only these variants (and the defaults), such as "1 epoch" or 1-epoch; a wrong name lists them all."""
    out: Path | None = None
    """Folder of the runs, ablation.md and ablation.json; by default runs/ablation-GAME."""
    jobs: int = 1
    """Runs at once; more than cores take each other's time."""


def slug(name: str) -> str:
    """A name as part of a file name.

    >>> slug("dmc, win target")
    'dmc-win-target'
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def chosen(only: Sequence[str]) -> list[str]:
    """The variants of these names or slugs and the defaults, in the order of the table.

    Raises
    ------
    ValueError
        For another name; it tells which are there.
    """
    by_slug = {slug(name): name for name in VARIANTS}
    for name in only:
        if slug(name) not in by_slug:
            raise ValueError(f"no variant {name!r}; {did_you_mean(slug(name), by_slug)}")
    wanted = {DEFAULTS, *(by_slug[slug(name)] for name in only)} if only else VARIANTS
    return [name for name in VARIANTS if name in wanted]


def trainings_of(config: Config, rules: Rules, out: Path) -> dict[tuple[str, int], Training]:
    """The run of every variant and seed; ValueError for an unknown variant."""
    budget = ("--samples", config.samples) if config.samples else ("--minutes", f"{config.minutes:g}")
    common = ["--evaluations", "1", "--final-deals", str(FINAL_DEALS), *cli.option_words(rules)]
    return {
        (name, seed): Training(
            f"{name}, seed {seed}",
            out / f"{slug(name)}-seed{seed}",
            (config.game, *VARIANTS[name][1].split(), "--seed", str(seed), *common),
            budget,
        )
        for seed in range(config.seeds)  # every variant in turn, should the machine get slower or faster
        for name in chosen(config.only)
    }


def results_of(trainings: Mapping[tuple[str, int], Training], failed: Mapping[Training, str]) -> list[Result]:
    """What came of every variant."""
    results = {name: Result(name, *VARIANTS[name]) for name, _ in trainings}
    for (name, seed), training in trainings.items():
        if training in failed:
            results[name].failed[seed] = failed[training]
        else:
            results[name].runs[seed] = read_run(training.folder)
    return list(results.values())


def command(config: Config, rules: Rules) -> str:
    """The command line that does the same again."""
    words = ["python", "-m", "training.ablate", config.game]
    words += ["--samples", config.samples] if config.samples else ["--minutes", f"{config.minutes:g}"]
    words += ["--seeds", str(config.seeds), *(["--only", *config.only] if config.only else [])]
    words += ["--out", str(config.out)] if config.out else []
    words += ["--jobs", str(config.jobs)] if config.jobs > 1 else []
    return shlex.join([*words, *cli.option_words(rules)])


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    config, rules = cli.parse(Config, argv, prog="python -m training.ablate", about=__doc__)
    out = config.out or Path("runs") / f"ablation-{config.game}"
    try:
        _check(config)
        trainings = trainings_of(config, rules, out)
        states = {training: state_of(training) for training in trainings.values()}
        out.mkdir(parents=True, exist_ok=True)
        before = list(states.values()).count(FINISHED)
        print(f"{len(trainings)} runs in {out}, {before} of them finished before.", flush=True)
        failed = train_all(states, config.jobs)
        results = results_of(trainings, failed)
        facts = _facts(config, rules)
        write_file(out / "ablation.md", ablation_report.markdown(facts, results))
        write_file(out / "ablation.json", readable_json(ablation_report.as_dict(facts, results)))
    except ValueError as error:
        cli.fail(error)
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return cli.FAILED
    except KeyboardInterrupt:
        print(f"Stopped. Go on by the same command: {command(config, rules)}", file=sys.stderr)
        return cli.INTERRUPTED
    title = f"{facts['title']}: {facts['budget']}, against {YARDSTICK}"
    show(new_console(), title, ablation_report.HEADER, ablation_report.table_rows(results))
    print("\n".join([*ablation_report.failures(results), f"Report: {out / 'ablation.md'}"]))
    return cli.FAILED if failed else 0


def _facts(config: Config, rules: Rules) -> dict[str, Any]:
    info = get(config.game).info(rules)
    budget = f"{config.samples} samples" if config.samples else f"{config.minutes:g} min"
    return {
        "title": info.title,
        "budget": f"{budget} with each of {config.seeds} seeds" if config.seeds > 1 else budget,
        "deals": FINAL_DEALS,
        "against": YARDSTICK,
        "command": command(config, rules),
        "rules": rules.as_dict(),
        "rules_version": info.version,
    }


def _check(config: Config) -> None:
    """ValueError for a number that cannot be meant."""
    if config.samples is not None:
        cli.sample_count(config.samples)
    if not 0 < config.minutes < math.inf:
        raise ValueError(f"--minutes must be above 0, not {config.minutes}")
    if not 1 <= config.seeds <= MOST_SEEDS:
        raise ValueError(f"--seeds is 1 to {MOST_SEEDS}, not {config.seeds}")
    if config.jobs < 1:
        raise ValueError(f"--jobs is at least 1, not {config.jobs}")


if __name__ == "__main__":
    cli.run(main)
