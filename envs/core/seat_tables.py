"""Tables at which a learner has one seat and agents play the others; ``single_seat`` is their face."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .drawing.pixels import pixels
from .drawing.tables import svg
from .game import ACTION, MASK, REWARD, Game
from .rng import mix_in
from .seeding import as_decks, as_index, fresh_seed, illegal_action, seeds_for
from .vector import VectorTables
from .wrapped import ILLEGAL_REWARD

if TYPE_CHECKING:
    from agents import Agent, Decisions

NO_ACTION = -1  # never legal: stands for what is no action at all
RANDOM_SEAT = "random"
MOST_REDEALS = 1000  # before opponents are believed to leave the learner no decision
WINNER = "winner"  # the column of ``GameInfo.stats`` that names the winner, in games that have one
_SEAT_KEYS = np.uint64(0xD1C3_6B0F_94A2_57E8)  # keeps the keys made here apart from the chance streams
_SEAT, _ANSWER = 1, 2  # what a key is for

Seeds = int | Sequence[int] | None


class SeatTables(VectorTables):
    """Tables at which one seat each is the learner's, and agents answer for the others in batch.

    Between two calls every table either waits for its learner or its episode is over. An episode that
    ends before the learner was asked anything is dealt again.

    Parameters
    ----------
    game : Game
    num_envs : int
    decisions : type
        ``agents.Decisions``, passed in because ``envs`` stands below ``agents``.
    opponents : sequence of Agent
        One for each other seat, in the order of play after the learner's.
    seat : int or "random"
        The learner's seat; drawn for every episode if random.
    reward : {"points", "win"}
    reward_scale : float, optional
        What points are divided by; ``GameInfo.typical_score`` without it.
    on_illegal : {"raise", "terminate"}
    **options
        The game's rule options.

    Attributes
    ----------
    learners : (N,) int64
        The learners' seats.
    done : (N,) bool
        Whether the episode is over.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        *,
        decisions: type[Decisions],
        opponents: Sequence[Agent],
        seat: int | str = RANDOM_SEAT,
        reward: str = "points",
        reward_scale: float | None = None,
        on_illegal: str = "raise",
        **options: Any,
    ) -> None:
        super().__init__(game, num_envs, autoreset=False, **options)
        if reward not in ("points", "win"):
            raise ValueError(f"reward is 'points' or 'win', not {reward!r}")
        if on_illegal not in ("raise", "terminate"):
            raise ValueError(f"on_illegal is 'raise' or 'terminate', not {on_illegal!r}")
        if reward_scale is not None and reward == "win":
            raise ValueError("reward_scale divides points; with reward='win' a win is 1: leave it out")
        scale = self.game.typical_score if reward_scale is None else reward_scale
        if not isinstance(scale, (int, float, np.number)) or not 0 < scale < math.inf:
            raise ValueError(f"reward_scale is a number above 0, not {reward_scale!r}")
        self._counts_wins, self._scale, self.on_illegal = reward == "win", float(scale), on_illegal
        self._seat: int | None = None
        if not (isinstance(seat, str) and seat == RANDOM_SEAT):
            self._seat = as_index(seat, self.num_players, f"seat, unless {RANDOM_SEAT!r},")
        self._decisions = decisions
        self._agents = list({id(agent): agent for agent in opponents}.values())  # each one once
        numbers = {id(agent): number for number, agent in enumerate(self._agents)}
        # By how many seats after the learner's; at 0 is the learner, whom nobody answers for.
        self._agent_at = np.array([-1, *(numbers[id(agent)] for agent in opponents)])
        self._bases = np.zeros(num_envs, np.uint64)  # one a seed: all that is drawn here is made from them
        self._deals = np.zeros(num_envs, np.int64)  # since the seed
        self._deal_keys = np.zeros(num_envs, np.uint64)
        self.learners = np.full(num_envs, self._seat or 0, np.int64)
        self.done = np.ones(num_envs, np.bool_)
        self._earned = np.zeros(num_envs, REWARD)
        self._is_waiting = False  # for learners: neither before the first deal nor after an agent failed

    def _kept(self) -> tuple[NDArray[Any], ...]:
        return (*super()._kept(), self._bases, self._deals, self._deal_keys, self.learners, self.done)

    def start(self, seed: Seeds, options: dict[str, Any]) -> None:
        """Begin new episodes; ``seed`` and ``options`` are those of ``VectorTables.reset``.

        If anything fails (a seed, a deck, an opponent) the tables are as before.
        """
        before, was_waiting = self.snapshot(), self._is_waiting
        try:
            self.deal(fresh_seed() if seed is None and not self._is_seeded else seed, options)
        except BaseException:
            self.restore(before)
            self._is_waiting = was_waiting
            raise

    def deal(self, seed: Seeds, options: dict[str, Any]) -> None:
        """Begin new episodes and play on to the learners' first decisions."""
        self._is_waiting = False
        self.reset(seed=seed, options=options)  # checks everything
        given = options.get("reset_mask")
        wanted = np.ones(self.num_envs, np.bool_) if given is None else np.array(given)
        has_deck = np.zeros(self.num_envs, np.bool_)
        if options.get("decks") is not None:
            has_deck |= (as_decks(options["decks"], self.num_envs, self.game) >= 0).any(axis=1)
        if seed is not None:
            self._bases[wanted] = mix_in(seeds_for(seed, self.num_envs), _SEAT_KEYS)[wanted]
            self._deals[wanted] = 0
        if self._seat is None:
            drawn = mix_in(self._bases, self._deals, _SEAT) % np.uint64(self.num_players)
            self.learners[wanted] = drawn[wanted]
        for _ in range(MOST_REDEALS):
            self._deal_keys[wanted] = mix_in(self._bases, self._deals, _ANSWER)[wanted]
            self._deals[wanted] += 1
            self.done[wanted] = False
            self._play_opponents()
            wanted &= self.done  # over before the learner was asked: the same seat gets another deal
            if not wanted.any():
                self._is_waiting = True
                return
            if (wanted & has_deck).any():
                raise ValueError(
                    "the given deck ends the game before the learner has a decision; "
                    "give another deck or another seat"
                )
            self.reset(options={"dealers": options.get("dealers"), "reset_mask": wanted})
        raise ValueError(
            f"{MOST_REDEALS} games in a row ended before seat {self.learners[wanted][0]} had a decision; "
            "these opponents leave it none"
        )

    def is_legal(self, actions: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of the ``actions`` (N,) are legal."""
        known = (actions >= 0) & (actions < self.game.num_actions)
        return known & (self._masks[np.arange(self.num_envs), np.where(known, actions, 0)] != 0)

    def play(self, actions: NDArray[np.int64], legal: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Play the learners' ``actions`` (N,) and on to their next decisions; returns the rewards (N,).

        Where an action is not ``legal`` (N,) the episode is over.
        """
        self._is_waiting = False
        self._earned[:] = np.where(legal, 0, ILLEGAL_REWARD)
        self.done |= ~legal
        if legal.any():
            self._move(legal, actions)
        self._play_opponents()
        self._is_waiting = True
        return self._earned.copy()

    def _play_opponents(self) -> None:
        while (due := ~self.done & (self._seats != self.learners)).any():
            self._move(due, self._answers(due))

    def _move(self, moving: NDArray[np.bool_], actions: NDArray[np.int64]) -> None:
        """Play ``actions`` (N,) at the ``moving`` tables (N,) and nothing at the others."""
        over = self._tables["over"]
        held = np.flatnonzero(~moving)
        before = over[held]
        over[held] = 1  # a finished table takes any action and stays as it is
        try:
            super().step(actions)
        finally:
            over[held] = before
        ended = np.flatnonzero(self._ended & moving)
        if not len(ended):
            return
        self.done[ended] = True
        learners = self.learners[ended]
        points = self._rewards[ended, learners]
        if not self._counts_wins:
            self._earned[ended] = points / self._scale
        elif WINNER in self.game.stats:
            self._earned[ended] = self._stats[ended, self.game.stats.index(WINNER)] == learners
        else:
            self._earned[ended] = points > 0

    def _answers(self, due: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Actions (N,) of the seats to act at the tables ``due``; nobody is asked where one is legal."""
        actions = np.full(self.num_envs, NO_ACTION, ACTION)
        forced = due & (np.count_nonzero(self._masks, axis=1) == 1)
        actions[forced] = self._masks[forced].argmax(axis=1)
        asked = np.flatnonzero(due & ~forced)
        who = self._agent_at[(self._seats[asked] - self.learners[asked]) % self.num_players]
        for number in np.unique(who):
            rows, agent = asked[who == number], self._agents[number]
            seats, tables = self._seats[rows], None
            moment = self._tables["decisions"][rows].astype(np.int64) * self.num_players + seats
            if agent.needs_tables:
                tables = self.tables(rows=rows)
            keys = mix_in(self._deal_keys[rows], moment)
            given = np.asarray(
                agent.act(
                    self._decisions(self._observations[rows], self._masks[rows], seats.copy(), keys, tables)
                )
            )
            if given.shape != rows.shape or given.dtype.kind not in "iu":
                raise ValueError(
                    f"opponent {agent.name!r} must answer with {rows.shape} integers, "
                    f"not {given.shape} {given.dtype}"
                )
            actions[rows] = given
            wrong = np.flatnonzero(~self.is_legal(actions)[rows])
            if len(wrong):
                row = rows[wrong[0]]
                what = illegal_action(self.game, int(self._seats[row]), int(actions[row]), self._masks[row])
                raise ValueError(f"opponent {agent.name!r}: {what}")
        return actions

    def check_waiting(self) -> None:
        """RuntimeError unless an episode is going on at every table."""
        if not self._is_waiting or self.done.any():
            raise RuntimeError("no episode is going on: call reset() first")

    def observed(self) -> NDArray[np.uint8]:
        """What the learners see, (N, O), a copy."""
        observations = self._observations.copy()
        over = np.flatnonzero(self.done)
        if len(over):
            seen = observations[over]
            self._game.loops.look(self._tables[over], self.learners[over], seen)
            observations[over] = seen
        return observations

    def masks(self) -> NDArray[np.int8]:
        """The learners' legal actions, (N, A), a copy; zeros where the episode is over."""
        masks: NDArray[np.int8] = self._masks * ~self.done[:, None]
        return masks.astype(MASK, copy=False)

    def infos(self) -> dict[str, Any]:
        """``action_mask`` (N, A) int8 and the learner's ``seat`` (N,) int64, copies."""
        return {"action_mask": self.masks(), "seat": self.learners.copy()}

    def results(self) -> dict[str, Any]:
        """``final_scores`` (N, P) and ``final_stats`` (N, K) of the games that are over, copies."""
        return {"final_scores": self._scores.copy(), "final_stats": self._stats.copy()}

    def is_over(self) -> NDArray[np.bool_]:
        """Which games (N,) have come to their end, and so have results."""
        return self._tables["over"] != 0

    def text(self, row: int) -> str:
        """The table from the learner's chair."""
        self._check_dealt()
        return str(self._game.text.view(self._tables[row], int(self.learners[row])))

    def picture(self, row: int) -> NDArray[np.uint8]:
        """The same as a picture, (H, W, 3)."""
        self._check_dealt()
        return pixels(svg(self._game, self.game, self._tables[row : row + 1], int(self.learners[row])))

    def _check_dealt(self) -> None:
        if not self._is_seeded:
            raise RuntimeError("there is no game yet: call reset() first")
