"""Self-play by sb3-contrib's MaskablePPO: a yardstick for our own trainer, known to many.

SB3 takes consecutive steps of an environment for one player's. So each table has one seat that learns,
drawn for every game, and the others answer in batch inside the step: by default by the policy as it is
now. Forced decisions are played by the environment and not seen here; a **sample** is a decision of a
learner. The loop, the loss and the gradient are SB3's.

References
----------
S. Huang, S. Ontañón, "A closer look at invalid action masking in policy gradient algorithms",
arXiv:2006.14171, 2020.
A. Raffin et al., "Stable-Baselines3: reliable reinforcement learning implementations", JMLR 22(268), 2021.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.vec_env import VecEnv
from torch import nn

from agents import Agent, Decisions, load
from agents.network import POLICY_FILE, NetworkAgent
from envs.core.game import Game, Rules
from envs.core.rng import mix_in
from envs.core.seat_tables import SeatTables
from envs.core.seeding import as_seed

from .optimiser import CRITIC_FILE, Networks, adam_arrays, falling, has_fast_bfloat16, load_adam
from .options import check

SELF = "self"
_STREAM = 0x5B3  # keeps these random numbers apart from others made from the same seed
_32_BITS = np.uint64(32)

Infos = list[dict[str, Any]]


@dataclass(frozen=True)
class SB3Config:
    """Options of sb3-contrib's MaskablePPO."""

    num_envs: int = 1024
    """Tables played in lockstep, each with one seat that learns."""
    steps: int = 32
    """Samples of a table an iteration."""
    epochs: int = 4
    """How often each sample is learned from."""
    minibatch: int = 2048
    """Samples a gradient step; divides the samples of an iteration, num_envs times steps."""
    learning_rate: float = 1e-3
    """Adam's step at the start; falls linearly over the budget."""
    final_learning_rate: float = 1e-4
    """Adam's step at the end."""
    clip: float = 0.2
    """How far a probability ratio may move before its gradient stops."""
    entropy: float = 0.01
    """Weight of the policy's entropy."""
    gae_lambda: float = 0.95
    """Lambda of generalised advantage estimation; gamma is 1."""
    max_gradient: float = 0.5
    """Longest gradient; longer ones are cut."""
    hidden: tuple[int, ...] = (256, 256)
    """Layers of the policy network."""
    critic_hidden: tuple[int, ...] = (128, 128)
    """Layers of the critic."""
    opponents: tuple[str, ...] = (SELF,)
    """What plays the other seats: self (the policy as it is now), or an agent's name or a run's folder; one
    for all, or one for each in the order of play after the learner."""
    bfloat16: bool | None = None
    """Multiply in bfloat16; None: where the processor is fast at it."""

    def __post_init__(self) -> None:
        check(
            "sb3",
            self,
            least={"num_envs": 1, "steps": 1, "epochs": 1, "minibatch": 2, "entropy": 0},  # 1 has no spread
            positive=("learning_rate", "final_learning_rate", "clip", "max_gradient"),
            shares=("gae_lambda",),
        )
        if self.num_envs * self.steps % self.minibatch:
            raise ValueError(
                f"--sb3.minibatch {self.minibatch} must divide the samples of an iteration, --sb3.num-envs "
                f"times --sb3.steps, which are {self.num_envs * self.steps}"
            )
        if not self.opponents:
            raise ValueError("--sb3.opponents is at least one, such as self or rule")


class LearnerSeats(VecEnv):
    """One seat each of ``num_envs`` tables, as Stable-Baselines3 takes environments.

    Steps are the learners' decisions among several actions; the reward is at the end, the learner's
    points over the game's typical score. A table whose game ends begins the next one in the same step
    and leaves the last observation in its info, as ``terminal_observation``.

    Parameters
    ----------
    game : Game
    rules : Rules
    num_envs : int
    opponents : sequence of Agent
        One for each other seat, in the order of play after the learner's.

    Attributes
    ----------
    tables : SeatTables
    games : int
        That have ended.
    """

    render_mode: str | None = None

    def __init__(self, game: Game, rules: Rules, num_envs: int, opponents: Sequence[Agent]) -> None:
        self.tables = SeatTables(
            game, num_envs, decisions=Decisions, opponents=opponents, skip_forced=True, **rules.as_dict()
        )
        self.games = 0
        self._actions = np.zeros(num_envs, np.int64)
        super().__init__(
            num_envs,
            self.tables.single_observation_space["observation"],
            self.tables.single_action_space,
        )

    def reset(self) -> NDArray[np.uint8]:
        """Begin games: table i with the i-th of the seeds that ``seed`` made, if it was called."""
        seeds = [seed for seed in self._seeds if seed is not None]
        self.tables.start(seeds or None, {})
        self._reset_seeds()
        return self.tables.observed()

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Choose the learners' actions (N,)."""
        self._actions = actions

    def step_wait(self) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.bool_], Infos]:
        """Play the actions, and the other seats' up to the learners' next decisions.

        Returns
        -------
        observations : (N, O) uint8
        rewards : (N,) float32
        dones : (N,) bool
        infos : list of dict

        Raises
        ------
        ValueError
            If an action is not legal; no table has moved.
        """
        tables = self.tables
        legal = tables.is_legal(self._actions)
        if not legal.all():
            wrong = int(legal.argmin())
            raise ValueError(f"table {wrong}: action {self._actions[wrong]} is not legal; ask action_masks()")
        rewards = tables.play(self._actions, legal)
        dones = tables.done.copy()
        infos: Infos = [{} for _ in range(self.num_envs)]
        if dones.any():
            seen = tables.observed()
            for row in np.flatnonzero(dones):
                infos[row]["terminal_observation"] = seen[row]
            tables.deal(None, {"reset_mask": dones})
            self.games += int(dones.sum())
        return tables.observed(), rewards, dones, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal, (N, A)."""
        return self.tables.masks() != 0

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """The rows of ``action_masks``, the one method that tables have."""
        if method_name != "action_masks":
            raise AttributeError(f"tables have no method {method_name!r}, only 'action_masks'")
        masks = self.action_masks()
        return [masks[row] for row in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise AttributeError(f"tables are one environment: set {attr_name!r} before it is made")

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        self.tables.close()


class SB3:
    """The learner: SB3's model at our tables, and its networks as ours.

    Parameters
    ----------
    game : Game
    rules : Rules
        Options of the game.
    config : SB3Config
    seed : int
        Of weights, deals, sampled actions and minibatches.

    Attributes
    ----------
    model : MaskablePPO
    policy, critic : nn.Sequential
        Its networks in the form of ``agents.network.mlp``; they share the model's weights.
    adviser : None
    sizes, critic_sizes : list of int
        Of their layers.

    Raises
    ------
    ValueError
        For a wrong number of opponents, or one that is unknown or of another game or options.

    Notes
    -----
    SB3 draws from the global generators of NumPy and torch. They are seeded before every iteration from
    ``seed`` and its number, so what else draws from them makes no difference.
    """

    adviser = None

    def __init__(self, game: Game, rules: Rules, config: SB3Config, seed: int) -> None:
        self.config = config
        self._seed, self._iterations = as_seed(seed), 0
        self._rate = config.learning_rate
        self.bfloat16 = has_fast_bfloat16() if config.bfloat16 is None else config.bfloat16
        current = NetworkAgent(nn.Sequential(), SELF, greedy=False)
        self.vec = LearnerSeats(game, rules, config.num_envs, _opponents(config, game, rules, current))
        self.model = MaskablePPO(
            "MlpPolicy",
            self.vec,
            learning_rate=lambda _: self._rate,
            n_steps=config.steps,
            batch_size=config.minibatch,
            n_epochs=config.epochs,
            gamma=1.0,
            gae_lambda=config.gae_lambda,
            clip_range=config.clip,
            ent_coef=config.entropy,
            max_grad_norm=config.max_gradient,
            policy_kwargs={
                "net_arch": {"pi": list(config.hidden), "vf": list(config.critic_hidden)},
                "activation_fn": nn.ReLU,
                "optimizer_kwargs": {"eps": 1e-5, "fused": True},
            },
            seed=self._next_seed(),
            device="cpu",
        )
        self.model.set_logger(Logger(None, []))  # keeps figures and prints nothing
        networks, layers = self.model.policy, self.model.policy.mlp_extractor
        self.policy = nn.Sequential(*layers.policy_net, networks.action_net)
        self.critic = nn.Sequential(*layers.value_net, networks.value_net)
        size, actions = self.vec.tables.game.observation_size, self.vec.tables.game.num_actions
        self.sizes = [size, *config.hidden, actions]
        self.critic_sizes = [size, *config.critic_hidden, 1]
        for last in (networks.action_net, networks.value_net):
            last.register_forward_hook(lambda _, __, out: out.float())  # SB3 works out its loss in float32
        current.net = self.policy  # the model could not be made before its environment
        with self._precision():
            self._go_on_from(self.vec.reset(), np.ones(config.num_envs, np.bool_))

    def iterate(self, progress: float) -> dict[str, float]:
        """Play a batch and learn from it; ``progress`` of the budget is spent (0..1).

        Returns
        -------
        dict of str to float
            ``samples`` of the batch and ``games`` that ended in it, ``loss`` of the policy,
            ``value_loss``, ``entropy``, ``kl`` (in the last epoch), ``clipped`` (share of samples),
            ``explained_variance`` of the critic, ``learning_rate``.
        """
        config, games = self.config, self.vec.games
        self._rate = falling(config, "learning_rate", progress)
        number = self._next_seed()
        torch.manual_seed(number)
        np.random.seed(number)
        samples = config.num_envs * config.steps
        with self._precision():
            self.model.learn(samples, reset_num_timesteps=False)
        told = self.model.logger.name_to_value
        explained = float(told["train/explained_variance"])
        return {
            "samples": samples,
            "games": self.vec.games - games,
            "loss": float(told["train/policy_gradient_loss"]),
            "value_loss": 0.5 * float(told["train/value_loss"]),  # ours is half the squared error
            "entropy": -float(told["train/entropy_loss"]),
            "kl": float(told["train/approx_kl"]),
            "clipped": float(told["train/clip_fraction"]),
            "explained_variance": 0.0 if math.isnan(explained) else explained,
            "learning_rate": self._rate,
        }

    @property
    def networks(self) -> Networks:
        """The networks by the names of their files, with the sizes of their layers."""
        return {POLICY_FILE: (self.policy, self.sizes), CRITIC_FILE: (self.critic, self.critic_sizes)}

    def state(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Everything that learning goes on from but the weights: arrays, and what JSON can hold."""
        arrays = {f"tables_{i}": kept for i, kept in enumerate(self.vec.tables.snapshot())}
        arrays["begins"] = np.asarray(self.model._last_episode_starts)
        return {**arrays, **adam_arrays(self.model.policy.optimizer)}, {
            "seed": self._seed,
            "iterations": self._iterations,
        }

    def load_state(self, arrays: Mapping[str, NDArray[Any]], plain: Mapping[str, Any]) -> None:
        """Go on from the ``state`` of a learner of the same game and options."""
        tables = self.vec.tables
        tables.restore(tuple(arrays[f"tables_{i}"] for i in range(len(tables.snapshot()))))
        self._go_on_from(tables.observed(), arrays["begins"].copy())
        load_adam(self.model.policy.optimizer, arrays)
        self._seed, self._iterations = plain["seed"], plain["iterations"]

    def _precision(self) -> AbstractContextManager[Any]:
        if not self.bfloat16:
            return nullcontext()
        return torch.autocast("cpu", torch.bfloat16, cache_enabled=False)  # of weights, which change inside

    def _go_on_from(self, observations: NDArray[np.uint8], begins: NDArray[np.bool_]) -> None:
        """Let the model see these observations (N, O) next; where ``begins`` (N,) a game does."""
        self.model._last_obs, self.model._last_episode_starts = observations, begins

    def _next_seed(self) -> int:
        """32 random bits for what comes next."""
        self._iterations += 1
        keys = mix_in(np.array([self._seed], np.uint64), _STREAM, self._iterations)
        return int(keys[0] >> _32_BITS)


def _opponents(config: SB3Config, game: Game, rules: Rules, current: Agent) -> list[Agent]:
    """The agents of the other seats; ``current`` stands for the policy as it is now."""
    others = game.info(rules).num_players - 1
    names = config.opponents * others if len(config.opponents) == 1 else config.opponents
    if len(names) != others:
        raise ValueError(
            f"--sb3.opponents has {len(names)} for {others} other seats; give one a seat, or one for all"
        )
    agents = {name: current if name == SELF else load(name, game.name, rules) for name in set(names)}
    return [agents[name] for name in names]
