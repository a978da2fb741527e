"""A trained best response: how much PPO learns to win from a frozen agent, in any game.

One seat learns, the agent has all the others. The response learns the agent's own play first, so that it
begins about as strong, and goes on by PPO. An agent against itself gains nothing on duplicate deals (scores
sum to zero and every seat is taken in turn), so what the response scores alone is its gain: a lower bound of
what a best response would gain.

Which of the policies on the way is the response is chosen on deals of its own, and its gain measured on
others: luck does not count twice.

References
----------
F. Timbers et al., "Approximate exploitability: learning a best response", IJCAI 2022, arXiv:2004.09677.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from torch import nn

from agents.base import CHECKPOINTS
from agents.network import POLICY_FILE, NetworkAgent, network_bytes
from envs.core.game import Rules, get

from .checkpoint import CONFIG_FILE, readable_json, save_folder, write_file
from .config import Config, describe, lasting
from .evaluate import evaluate_against
from .learning import new_learner
from .ppo import PPOConfig
from .stats import Direction
from .stopping import Stopping

CHOOSING_SEED, MEASURING_SEED = 2_000_003, 3_000_017  # deals that nobody learns from
CHOICES = 8  # policies on the way that may be the response
DEALS_OF_A_CHOICE = 500
TRAINER = PPOConfig(fixed=1.0)


@dataclass(frozen=True)
class Response:
    """A trained response and what it scores alone against the agent in all other seats.

    Attributes
    ----------
    policy : nn.Sequential
    samples : int
        That it has learned from, of the ``all_samples`` of its training.
    result : Direction
        On the deals of ``MEASURING_SEED``.
    """

    policy: nn.Sequential
    samples: int
    all_samples: int
    result: Direction


def train_response(
    agent: str,
    game: str,
    rules: Rules,
    *,
    minutes: float,
    deals: int,
    seed: int,
    folder: Path | None = None,
    ppo: PPOConfig = TRAINER,
    say: Callable[[str], None] = print,
) -> Response:
    """Train a response to ``agent`` and measure its gain.

    Parameters
    ----------
    agent : str
        A name, or the folder of a run or checkpoint.
    game : str
    rules : Rules
    minutes : float
        Of learning; the first iteration, which compiles, does not count.
    deals : int
        Duplicate deals of the measurement.
    seed : int
        Of the training.
    folder : Path, optional
        Where the response is saved as an agent.
    ppo : PPOConfig
        With all tables against the agent.
    say : callable
        Gets a line for every choice.

    Raises
    ------
    ValueError
        If the agent cannot be loaded or fails.
    KeyboardInterrupt
        If it is stopped: there is no result.
    """
    agent = lasting(agent, game, rules)
    config = Config(game, warm_start=agent, opponent=agent, minutes=minutes, seed=seed, ppo=ppo)
    learner = new_learner(config, get(game), rules)
    seconds, samples, due, best = 0.0, 0, 0, (-float("inf"), 0, copy.deepcopy(learner.policy))
    with Stopping() as stopping:
        while seconds < minutes * 60:
            stopping.heed()
            start = time.perf_counter()
            figures = learner.iterate(seconds / (minutes * 60))
            seconds += time.perf_counter() - start if samples else 0.0
            samples += int(figures["samples"])
            if seconds >= minutes * 60 * (due + 1) / CHOICES:
                due = int(seconds / (minutes * 60) * CHOICES)
                points = evaluate_against(
                    NetworkAgent(learner.policy), agent, game, rules, DEALS_OF_A_CHOICE, CHOOSING_SEED
                ).points
                say(f"{samples:>12,} samples: {points.mean:+.2f} ± {points.half_width:.2f} points a game")
                best = max(best, (points.mean, samples, copy.deepcopy(learner.policy)), key=lambda b: b[0])
        _, chosen_at, policy = best
        result = evaluate_against(NetworkAgent(policy), agent, game, rules, deals, MEASURING_SEED)
    if folder is not None:
        policy_file = network_bytes(policy, get(game), rules, learner.networks[POLICY_FILE][1])
        save_folder(folder / CHECKPOINTS / f"{chosen_at:012d}", {POLICY_FILE: policy_file})
        write_file(folder / CONFIG_FILE, readable_json(describe(config, rules)))
    return Response(policy, chosen_at, samples, result)
