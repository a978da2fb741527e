"""The options of ``training.selfplay``: which of them go together, and how a run's are written down."""

from __future__ import annotations

import math
import os
import platform
import shlex
import sys
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import torch
import tyro

from agents import load, names, split_search_net
from agents.base import CHECKPOINTS
from agents.rule import frozen_rule
from envs.core.game import Rules, get

from . import cli
from .checkpoint import newest
from .cluster import load_ray
from .dmc import DMCConfig
from .learners import network_of, newest_frozen_rule
from .optimiser import CPU
from .ppo import PPOConfig
from .rpi import RPIConfig
from .sb3 import SB3Config

MINUTES = {"ppo": 2.0, "dmc": 2.0, "rpi": 2.0, "sb3": 2.0, "cfr": 1 / 6}
NETWORKS = {  # the algorithms that teach networks
    "ppo": PPOConfig,
    "dmc": DMCConfig,
    "rpi": RPIConfig,
    "sb3": SB3Config,
}
BUDGETS = ("minutes", "samples", "iterations")
BEFORE = {"ppo": {"graded": False}, "rpi": {"graded": False}}  # what runs had before options were there
WHERE = ("device", "num_workers", "address")  # a run may go on elsewhere, with other workers
OWN_OPTIONS = {  # of some algorithms only
    **dict.fromkeys(("samples", "threads", "evaluations", "eval_deals", "final_deals"), tuple(NETWORKS)),
    "ppo": ("ppo",),
    "dmc": ("dmc",),
    "rpi": ("rpi",),
    "sb3": ("sb3",),
    "warm_start": ("ppo",),
    "adviser": ("ppo", "rpi"),
    "start_from": ("rpi",),
    "processes": ("ppo",),
    "opponent": ("ppo", "dmc"),
    **dict.fromkeys(("backend", "num_workers", "address", "shard_games", "device"), ("ppo", "dmc", "rpi")),
    "iterations": ("cfr",),
}


@dataclass(frozen=True)
class Config:
    """Train an agent by self-play and say how strong it became."""

    game: tyro.conf.Positional[str] = "guan_pai"
    """The game."""
    algo: Literal["ppo", "dmc", "rpi", "sb3", "cfr"] = "ppo"
    """Proximal policy optimisation, deep Monte Carlo, rollout policy iteration, MaskablePPO of sb3-contrib,
    or counterfactual regrets (for diao_xie)."""
    minutes: float | None = None
    """Minutes of learning, compiling and evaluating not counted; a time budget is not reproducible.
    By default 2, and a sixth of CFR."""
    samples: str | None = None
    """All but CFR: learn from this many samples instead, such as 500k or 12M."""
    iterations: int | None = None
    """CFR: learn for this many iterations instead."""
    seed: int = 0
    """Of weights, deals and actions."""
    out: Path | None = None
    """Folder of the run; a new one under runs/ if not given."""
    resume: Path | None = None
    """Folder of a run to go on with, under its own options: to its budget, or for so many --minutes or
    --samples (of CFR --iterations) more."""
    warm_start: str | None = None
    """PPO: an agent, such as rule, whose play is learned first (see --ppo.warm-samples)."""
    adviser: str | None = None
    """PPO and RPI: a frozen rule player, such as rule_v0: the network begins as it plays, sees what it would
    do, and learns when to do something else (see --ppo.advice-weight). RPI always has one, by default the
    newest, who also plays the rollouts."""
    start_from: str | None = None
    """RPI: an agent, such as pretrained or the folder of a run by RPI, from whose network, layers and adviser
    learning begins."""
    opponent: str = "rule"
    """PPO and DMC: the agent at the tables of --ppo.fixed or --dmc.fixed."""
    processes: int = 1
    """PPO: so many processes share the tables and average their gradients, one core for each."""
    backend: Literal["local", "ray"] = "local"
    """PPO, DMC and RPI: ray has workers play the games, on this machine or on a cluster; what is learned does
    not depend on how many."""
    num_workers: int | None = None
    """With --backend ray: workers, a core for each; by default one for each core of the cluster."""
    address: str | None = None
    """With --backend ray: HOST:PORT of a cluster that runs, or auto for the one that this machine is part of;
    by default (local) one is started here, for this run."""
    shard_games: int = 64
    """With --backend ray: games that a worker plays at a time; another number deals other games."""
    device: str | None = None
    """PPO, DMC and RPI: where networks are worked out, as torch names it: cpu (the default), cuda, cuda:1.
    With --resume: where the run goes on, if not where it was."""
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
    dmc: DMCConfig = field(default_factory=DMCConfig)
    """Options of DMC."""
    rpi: RPIConfig = field(default_factory=RPIConfig)
    """Options of rollout policy iteration."""
    sb3: SB3Config = field(default_factory=SB3Config)
    """Options of MaskablePPO."""


def command_line() -> str:
    """How this program was called."""
    return shlex.join(["python", "-m", "training.selfplay", *sys.argv[1:]])


def describe(config: Config, rules: Rules) -> dict[str, Any]:
    """Everything that made a run what it is."""
    elsewhere = {"game", "env", "resume", *NETWORKS}
    elsewhere |= {name for name, algos in OWN_OPTIONS.items() if config.algo not in algos}
    options = {k: v for k, v in asdict(config).items() if k not in elsewhere}
    packages = [
        "paizhuo",
        "numpy",
        "numba",
        "torch",
        *["stable-baselines3", "sb3-contrib"] * (config.algo == "sb3"),
        *["ray"] * (config.backend == "ray"),
    ]
    return {
        "command": command_line(),
        "game": config.game,
        "rules_version": get(config.game).info(rules).version,
        "rules": rules.as_dict(),
        "options": options,
        **({config.algo: asdict(getattr(config, config.algo))} if config.algo in NETWORKS else {}),
        "versions": {name: version(name) for name in packages},
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}",
    }


def refuse_two_budgets(config: Config) -> None:
    """ValueError if more than one budget is given."""
    given = [f"--{name}" for name in BUDGETS if getattr(config, name) is not None]
    if len(given) > 1:
        raise ValueError(f"{given[0]} and {given[1]} are both a budget: give one of them")


def budget_of(config: Config) -> float:
    """The budget, in samples, iterations or seconds; ValueError for a number that cannot be meant."""
    for name, algos in OWN_OPTIONS.items():
        if config.algo not in algos and getattr(config, name) != getattr(Config(), name):
            raise ValueError(
                f"--{name.replace('_', '-')} is an option of --algo {' or '.join(algos)}, not {config.algo}"
            )
    least = {"seed": 0, "threads": 1, "processes": 1, "evaluations": 1, "eval_deals": 2, "final_deals": 2}
    for name, number in least.items():
        if getattr(config, name) < number:
            raise ValueError(f"--{name.replace('_', '-')} is at least {number}, not {getattr(config, name)}")
    _check_backend(config)
    if config.iterations is not None:
        if config.iterations < 1:
            raise ValueError(f"--iterations is at least 1, not {config.iterations}")
        return config.iterations
    if config.samples is not None:
        return cli.sample_count(config.samples)
    if config.minutes is None or not 0 < config.minutes < math.inf:
        raise ValueError(f"--minutes must be above 0, not {config.minutes}")
    return config.minutes * 60


def _check_backend(config: Config) -> None:
    """ValueError for options of Ray that are none without it, or do not go with it, and where it is not."""
    for name in ("num_workers", "address", "shard_games"):
        if config.backend != "ray" and getattr(config, name) != getattr(Config(), name):
            raise ValueError(f"--{name.replace('_', '-')} is an option of --backend ray")
    for name in ("num_workers", "shard_games"):
        number = getattr(config, name)
        if number is not None and number < 1:
            raise ValueError(f"--{name.replace('_', '-')} is at least 1, not {number}")
    if config.backend == "ray" and config.processes > 1:
        raise ValueError("--processes shares the learning, --backend ray the playing: give one of them")
    if config.backend == "ray":
        load_ray()


def config_of(description: dict[str, Any], folder: Path) -> tuple[Config, Rules]:
    """The options that the run in ``folder`` was begun with, by its description."""
    try:
        rules = get(description["game"]).rules.make(description["rules"])
        version, now = description["rules_version"], get(description["game"]).info(rules).version
        options = {**description["options"], "out": folder}
        algo = options["algo"]
        if algo in NETWORKS:
            named = {k: tuple(v) if isinstance(v, list) else v for k, v in description[algo].items()}
            own: Any = {**BEFORE.get(algo, {}), **named}
            options[algo] = NETWORKS[algo](**own)
        config = Config(game=description["game"], **options)
    except (LookupError, TypeError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(f"{folder} is no run of this version of the program ({reason})") from None
    if version != now:
        raise ValueError(f"{folder} learned by version {version} of the rules, these are version {now}")
    return config, rules


def completed(config: Config, rules: Rules) -> Config:
    """The options with everything that they leave open, as a run is to remember it.

    Raises
    ------
    ValueError
        If an agent that is named cannot be loaded, or does not go with the others.
    """
    if config.warm_start is not None:
        config = replace(config, warm_start=lasting(config.warm_start, config.game, rules))
    if config.algo in OWN_OPTIONS["device"]:
        config = replace(config, device=config.device or CPU)
    if config.start_from is not None:
        config = _started(config, lasting(config.start_from, config.game, rules), rules)
    if config.algo == "rpi" and config.adviser is None:
        config = replace(config, adviser=newest_frozen_rule(config.game))
    if config.adviser is not None:
        frozen_rule(config.adviser, config.game)
    return replace(config, opponent=lasting(config.opponent, config.game, rules))


def lasting(name: str, game: str, rules: Rules) -> str:
    """The agent's name, or of a run the full path of its newest checkpoint: that will not change.

    Raises
    ------
    ValueError
        If it cannot be loaded.
    """
    load(name, game, rules)
    before, path = split_search_net(name)
    folder = Path(path).resolve()
    if name in names(game) or not folder.is_dir():  # as load takes it: a name before a folder of that name
        return name
    return before + str(newest(folder / CHECKPOINTS) if (folder / CHECKPOINTS).is_dir() else folder)


def _started(config: Config, name: str, rules: Rules) -> Config:
    """The options that go with the agent of this ``name`` that learning starts from."""
    net, adviser = network_of(name, config.game, rules)
    if config.adviser not in (None, adviser.rule.name):
        raise ValueError(f"{name} listens to {adviser.rule.name}, so leave --adviser {config.adviser} out")
    hidden = tuple(layer.out_features for layer in list(net)[:-1] if isinstance(layer, torch.nn.Linear))
    own = replace(config.rpi, hidden=hidden, graded=bool(adviser.grades))
    return replace(config, start_from=name, adviser=adviser.rule.name, rpi=own)
