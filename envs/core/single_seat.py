"""One seat of a game as a Gymnasium environment, alone or many at once; ``envs.make_gym`` makes them.

Both are thin faces of ``SeatTables``, where agents play the other seats.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from .seat_tables import NO_ACTION, SeatTables, Seeds
from .seeding import as_dealer, as_deck, as_index, as_seed, illegal_action

Observations = NDArray[np.uint8]
SeatInfo = dict[str, Any]


class SeatEnv(gymnasium.Env[Observations, Any]):
    """One seat of a game as a Gymnasium environment; see ``envs.make_gym``.

    Attributes
    ----------
    rules : Rules
    game : GameInfo
    """

    def __init__(self, tables: SeatTables, render_mode: str | None = None) -> None:
        self.metadata = {**tables.metadata, "render_modes": ["human", "ansi", "rgb_array"], "render_fps": 1}
        del self.metadata["autoreset_mode"]
        self.render_mode = _render_mode(render_mode, self.metadata["render_modes"])
        self._tables, self.rules, self.game = tables, tables.rules, tables.game
        self.observation_space = tables.single_observation_space["observation"]
        self.action_space = tables.single_action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, SeatInfo]:
        """Begin an episode.

        Parameters
        ----------
        seed : int, optional
            At least 0. Without one the streams of cards, seats and opponents go on.
        options : dict, optional
            ``"deck"`` and ``"dealer"``, as for the PettingZoo environment. Other keys are ignored.

        Returns
        -------
        observation : (O,) uint8
        info : dict
            ``action_mask`` (A,) int8 and ``seat``, the learner's.

        Raises
        ------
        ValueError
            For a bad seed, deck or dealer, or a deck that ends the game before the learner's first
            decision; nothing has changed.
        """
        number, wishes = None if seed is None else as_seed(seed), options or {}
        given: dict[str, Any] = {}
        if wishes.get("deck") is not None:
            given["decks"] = as_deck(wishes["deck"], self.game).reshape(1, self.game.num_decks, -1)
        if wishes.get("dealer") is not None:
            given["dealers"] = [as_dealer(wishes["dealer"], self.game)]
        self._tables.start(number, given)
        super().reset(seed=number)
        if self.render_mode == "human":
            self.render()
        return self._tables.observed()[0], self._info()

    def step(self, action: Any) -> tuple[Observations, float, bool, bool, SeatInfo]:
        """Play one action of the learner, and the other seats' up to its next decision.

        Returns
        -------
        observation : (O,) uint8
        reward : float
            At the end of the episode, else 0.
        terminated, truncated : bool
            Truncated is always False.
        info : dict
            As from ``reset``; when the game is over also ``final_scores`` (P,), exact points by seat,
            and ``final_stats`` (K,), the columns of ``GameInfo.stats``.

        Raises
        ------
        ValueError
            If the action is not legal (with ``on_illegal="raise"``): names it and the legal ones, and
            the table is as before.
        RuntimeError
            If no episode is going on.
        """
        tables = self._tables
        tables.check_waiting()
        try:
            index = as_index(action, self.game.num_actions, "an action")
        except ValueError:
            index = NO_ACTION
        actions = np.array([index])
        legal = tables.is_legal(actions)
        if not legal[0] and tables.on_illegal == "raise":
            raise ValueError(illegal_action(self.game, int(tables.learners[0]), action, tables.masks()[0]))
        reward = float(tables.play(actions, legal)[0])
        if self.render_mode == "human":
            self.render()
        return tables.observed()[0], reward, bool(tables.done[0]), False, self._info()

    def _info(self) -> SeatInfo:
        infos = self._tables.infos()
        if self._tables.done[0] and self._tables.is_over()[0]:
            infos.update(self._tables.results())
        return {name: values[0] for name, values in infos.items()}

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions (A,) are legal, as sb3-contrib asks for it; none when the episode is over."""
        return self._tables.masks()[0] != 0

    def render(self) -> str | NDArray[np.uint8] | None:  # type: ignore[override]
        """The table as the learner sees it: returned ("ansi"), printed ("human"), or a picture ("rgb_array").

        Pictures are (H, W, 3) uint8, of one size for a game under the same options.
        """
        if self.render_mode == "ansi":
            return self._tables.text(0)
        if self.render_mode == "rgb_array":
            return self._tables.picture(0)
        if self.render_mode == "human":
            print(self._tables.text(0), end="\n\n")
        else:
            modes = self.metadata["render_modes"]
            gymnasium.logger.warn(f"render() without a render_mode: pass one of {modes} to make_gym()")
        return None


class SeatVectorEnv(VectorEnv[Observations, NDArray[np.int64], NDArray[Any]]):
    """One seat each of ``num_envs`` tables as a Gymnasium vector environment; see ``envs.make_gym``.

    A table whose episode ends begins the next one in the same step (SAME_STEP): ``infos["final_obs"]``
    and ``infos["final_info"]`` are as Gymnasium's ``SyncVectorEnv`` gives them.
    """

    def __init__(self, tables: SeatTables, render_mode: str | None = None) -> None:
        mode = AutoresetMode.SAME_STEP
        modes = ["ansi", "rgb_array"]
        self.metadata = {**tables.metadata, "autoreset_mode": mode, "render_modes": modes, "render_fps": 1}
        self.render_mode = _render_mode(render_mode, self.metadata["render_modes"])
        self._tables, self.rules, self.game, self.num_envs = (
            tables,
            tables.rules,
            tables.game,
            tables.num_envs,
        )
        self.single_observation_space = tables.single_observation_space["observation"]
        self.single_action_space = tables.single_action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = tables.action_space

    def reset(
        self, *, seed: Seeds = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, SeatInfo]:
        """Begin episodes: table i with ``seed + i``, or ``seed[i]``.

        Parameters
        ----------
        seed : int or sequence of int, optional
        options : dict, optional
            ``"decks"``, ``"dealers"`` and ``"reset_mask"``, as for ``envs.make_vec``.

        Returns
        -------
        observations : (N, O) uint8
        infos : dict
            ``action_mask`` (N, A) int8 and ``seat`` (N,) int64.

        Raises
        ------
        ValueError
            For bad seeds, decks, dealers or masks; no table has changed.
        """
        self._tables.start(seed, options or {})
        if isinstance(seed, int):
            super().reset(seed=seed)
        wanted = np.ones(self.num_envs, np.bool_)
        if (options or {}).get("reset_mask") is not None:
            wanted = np.array((options or {})["reset_mask"])
        return self._tables.observed(), _with_marks(self._tables.infos(), wanted)

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Observations, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], SeatInfo]:
        """Play one action (N,) of every learner, and the other seats' up to the next decisions.

        Returns
        -------
        observations : (N, O) uint8
        rewards : (N,) float32
        terminations, truncations : (N,) bool
        infos : dict
            As from ``reset``; where episodes ended also ``final_obs`` (N,) objects and ``final_info``,
            with the keys of a single environment's last info.

        Raises
        ------
        ValueError
            If an action is not legal (with ``on_illegal="raise"``), or they are not (N,) integers;
            no table has moved.
        """
        tables = self._tables
        tables.check_waiting()
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_envs,) or chosen.dtype.kind not in "iu":
            raise ValueError(f"actions are ({self.num_envs},) integers, not {chosen.shape} {chosen.dtype}")
        legal = tables.is_legal(chosen)
        if tables.on_illegal == "raise" and not legal.all():
            wrong = int(legal.argmin())
            what = illegal_action(
                self.game, int(tables.learners[wrong]), int(chosen[wrong]), tables.masks()[wrong]
            )
            raise ValueError(f"table {wrong}: {what}")
        rewards = tables.play(chosen, legal)
        ended, infos = tables.done.copy(), {}
        if ended.any():
            seen = tables.observed()
            final_obs = np.full(self.num_envs, None, object)
            for row in np.flatnonzero(ended):
                final_obs[row] = seen[row].copy()
            final_info = _with_marks(tables.infos(), ended)
            if (scored := ended & tables.is_over()).any():
                final_info.update(_with_marks(tables.results(), scored))
            infos = {"final_obs": final_obs, "_final_obs": ended.copy(), "final_info": final_info}
            infos["_final_info"] = ended.copy()
            tables.deal(None, {"reset_mask": ended})
        infos.update(_with_marks(tables.infos(), np.ones(self.num_envs, np.bool_)))
        return tables.observed(), rewards, ended, np.zeros(self.num_envs, np.bool_), infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal, (N, A)."""
        return self._tables.masks() != 0

    def render(self) -> tuple[str, ...] | tuple[NDArray[np.uint8], ...] | None:  # type: ignore[override]
        """The tables as their learners see them: texts ("ansi") or pictures (H, W, 3) uint8 ("rgb_array")."""
        if self.render_mode == "ansi":
            return tuple(self._tables.text(row) for row in range(self.num_envs))
        if self.render_mode == "rgb_array":
            return tuple(self._tables.picture(row) for row in range(self.num_envs))
        modes = self.metadata["render_modes"]
        gymnasium.logger.warn(f"render() without a render_mode: pass one of {modes} to make_gym()")
        return None


def _render_mode(mode: str | None, modes: list[str]) -> str | None:
    if mode is not None and mode not in modes:
        raise ValueError(f"render_mode is one of {modes} or None, not {mode!r}")
    return mode


def _with_marks(infos: SeatInfo, rows: NDArray[np.bool_]) -> SeatInfo:
    """Gymnasium's form: beside each array under ``_name`` where it is valid, elsewhere zeros."""
    marked: SeatInfo = {}
    for name, values in infos.items():
        values[~rows] = 0
        marked[name], marked[f"_{name}"] = values, rows.copy()
    return marked
