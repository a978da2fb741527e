"""What learners are made from, wherever they are made: here, or in processes that help to learn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from torch import nn

from agents import frozen_rules, load
from agents.adviser import Adviser
from agents.network import NetworkAgent
from envs.core.game import Rules, get
from envs.core.vector import VectorTables

from .averaged import AveragedPPO
from .dmc import DMC, DMCConfig
from .optimiser import CPU
from .ppo import PPO, PPOConfig
from .rpi import RPI, RPIConfig
from .sb3 import SB3, SB3Config

if TYPE_CHECKING:
    from .config import Config

Options = PPOConfig | DMCConfig | RPIConfig | SB3Config
Learner = PPO | AveragedPPO | DMC | RPI | SB3


@dataclass(frozen=True)
class Plan:
    """What a learner is made from; the type of its ``options`` says by which algorithm it learns.

    Attributes
    ----------
    game : str
    rules : Rules
    options : PPOConfig, DMCConfig, RPIConfig or SB3Config
    seed : int
    device : str
        Of torch.
    teacher, opponent, adviser : str or None
        Names or paths of the agents that it learns from at first, has at the tables of ``options.fixed``, and
        listens to.
    one_game : bool
        Whether each table plays one game a batch, to its end.
    """

    game: str
    rules: Rules
    options: Options
    seed: int
    device: str = CPU
    teacher: str | None = None
    opponent: str = "rule"
    adviser: str | None = None
    one_game: bool = False

    @classmethod
    def of(cls, config: Config, rules: Rules) -> Plan:
        """The plan that a command line gives."""
        options: Options = getattr(config, config.algo)
        names = (config.warm_start, config.opponent, config.adviser)
        return cls(config.game, rules, options, config.seed, config.device or CPU, *names)


def learner_of(plan: Plan) -> PPO | DMC | RPI | SB3:
    """The learner that is planned.

    Raises
    ------
    ValueError
        For options that do not fit this game or this machine.
    """
    game, rules, options, seed, device = get(plan.game), plan.rules, plan.options, plan.seed, plan.device
    if isinstance(options, SB3Config):
        return SB3(game, rules, options, seed)
    skip_forced = isinstance(options, RPIConfig) or options.skip_forced
    vec = VectorTables(
        game, options.num_envs, skip_forced=skip_forced, autoreset=not plan.one_game, **rules.as_dict()
    )
    if isinstance(options, RPIConfig):
        name = plan.adviser or newest_frozen_rule(game.name)
        own = Adviser.of(name, game.name, options.advice_weight, options.graded)
        return RPI(vec, options, seed, own, device)
    opponent = load(plan.opponent, game.name, rules) if options.fixed else None
    if isinstance(options, DMCConfig):
        return DMC(vec, options, seed, opponent, device)
    teacher = None if plan.teacher is None else partial(load, plan.teacher, game.name, rules)
    adviser = None
    if plan.adviser is not None:
        adviser = Adviser.of(plan.adviser, game.name, options.advice_weight, options.graded)
    return PPO(vec, options, seed, teacher, opponent, adviser, device)


def network_of(name: str, game: str, rules: Rules) -> tuple[nn.Sequential, Adviser]:
    """The network of an agent and its adviser, to learn on from by RPI.

    Raises
    ------
    ValueError
        If the agent has none, or the adviser is another one now.
    """
    agent = load(name, game, rules)
    if not isinstance(agent, NetworkAgent) or agent.adviser is None:
        raise ValueError(f"{name} has no network with an adviser to learn on from, as a run by RPI has")
    if agent.adviser.grades not in ((), agent.adviser.rule.grades):
        raise ValueError(f"{name} learned with other grades than {agent.adviser.rule.name} gives now")
    return agent.net, agent.adviser


def averaged(plan: Plan, processes: int) -> AveragedPPO:
    """A learner by PPO in so many processes."""
    assert isinstance(plan.options, PPOConfig)
    return AveragedPPO(partial(ppo_of, plan), plan.options, plan.seed, processes)


def ppo_of(plan: Plan, options: PPOConfig, seed: int) -> PPO:
    """The learner of one of several processes, with its part of the options."""
    learner = learner_of(replace(plan, options=options, seed=seed))
    assert isinstance(learner, PPO)
    return learner


def newest_frozen_rule(game: str) -> str:
    """Who advises where nobody is named: what learned from it can be loaded for good."""
    return frozen_rules(game)[-1]
