"""One table as a PettingZoo AEC environment: the same shell for every game."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from . import cards as card_text
from . import plays
from .batch import ILLEGAL, OVER
from .drawing.pixels import pixels
from .drawing.tables import svg
from .game import COUNTER, MASK, OBSERVATION, Game, GameInfo, Play, Rules
from .seeding import as_dealer, as_deck, as_index, as_seed, fresh_seed, illegal_action

Observation = dict[str, NDArray[Any]]
_ALL = np.ones(1, np.bool_)  # tables to reset


@dataclass(frozen=True)
class Snapshot:
    """All that a table is at one moment, for ``raw_env.restore``: comparable and picklable."""

    game: str
    table: bytes
    decisions: tuple[tuple[int, int], ...]
    agents: tuple[str, ...]
    agent_selection: str
    cumulative_rewards: tuple[float, ...]


class TableEnv(AECEnv[str, Observation, int]):  # type: ignore[misc, unused-ignore]
    """The raw environment of a game; ``env()`` puts PettingZoo's order-enforcing wrapper around it.

    Parameters
    ----------
    game : Game
    render_mode : None or {"ansi", "human", "rgb_array"}
        ``render()`` returns the table as text, prints it (also after every step), or returns a picture.
    **options
        The game's rule options; an unknown one is a TypeError, a bad value a ValueError.
    """

    def __init__(self, game: Game, render_mode: str | None = None, **options: Any) -> None:
        super().__init__()
        self._game = game
        self.rules: Rules = game.rules.make(options)
        self.game: GameInfo = game.info(self.rules)
        self.metadata: dict[str, Any] = {
            "name": f"{game.name}_v{self.game.version}",
            "render_modes": ["human", "ansi", "rgb_array"],
            "is_parallelizable": False,
            "render_fps": 1,
        }
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(
                f"render_mode is one of {self.metadata['render_modes']} or None, not {render_mode!r}"
            )
        self.render_mode = render_mode
        size, actions = self.game.observation_size, self.game.num_actions
        self.possible_agents = [f"player_{seat}" for seat in range(self.game.num_players)]
        self.agents: list[str] = []
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, (size,), OBSERVATION),
                    "action_mask": spaces.Box(0, 1, (actions,), MASK),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self.state_space = spaces.Box(0, 1, (self.game.num_players * size,), OBSERVATION)

        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._tables = game.new_tables(1, self.rules)
        self._is_seeded = False
        self._observation = np.zeros(size, OBSERVATION)  # of the seat to act
        self._mask = np.zeros(actions, MASK)
        self._no_mask = np.zeros(actions, MASK)
        self._no_mask.flags.writeable = False
        self._decisions: list[tuple[int, int]] = []

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._no_mask.flags.writeable = False  # NumPy forgets it in copies

    # --- the AEC interface ----------------------------------------------------------------------

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The same Dict for every agent: ``observation`` (O,) uint8, ``action_mask`` (A,) int8."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Discrete(A), the same ids under every option."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game.

        Parameters
        ----------
        seed : int, optional
            At least 0. Without one the table's chance stream goes on; a fresh table takes the
            operating system's entropy.
        options : dict, optional
            ``"deck"``: all the cards of the pack in dealing order, in notation; in a game of several
            hands a list of them, the missing ones are shuffled. ``"dealer"``: a seat, in games that
            have one. Other keys are ignored.

        Raises
        ------
        ValueError
            For a bad seed, deck or dealer; the table is as before.
        """
        options = options or {}
        deck = np.full((1, self.game.deck_size), -1, COUNTER)
        if options.get("deck") is not None:
            deck[0] = as_deck(options["deck"], self.game)
        dealer = np.full(1, -1, np.int64)
        if options.get("dealer") is not None:
            dealer[0] = as_dealer(options["dealer"], self.game)
        loops, tables = self._game.loops, self._tables
        before = tables.tobytes() if deck[0, 0] >= 0 else b""  # only a given deck may not do
        if seed is not None or not self._is_seeded:
            number = fresh_seed() if seed is None else as_seed(seed)
            loops.seed(tables, np.array([number], np.uint64))
        seats = np.zeros(1, np.int64)
        failed = loops.reset(
            tables, _ALL, deck, dealer, self._observation[None], self._mask[None], seats, tables
        )
        if failed >= 0:
            tables[:] = np.frombuffer(before, tables.dtype)
            self._look_again()
            raise ValueError("this deck ends the game before its first decision; give another one")
        self._is_seeded = True
        self._decisions = []
        self._start(self.possible_agents[seats[0]])
        if self.render_mode == "human":
            self.render()

    def _start(self, agent: str) -> None:
        """The dictionaries of a running game in which ``agent`` is to act."""
        self.agents = self.possible_agents[:]
        self.agent_selection = agent
        self._skip_agent_selection = None
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {name: {"action_mask": self._no_mask} for name in self.agents}
        self.infos[agent]["action_mask"] = self._mask.copy()

    def step(self, action: int | None) -> None:
        """Play ``action`` for the agent to act; None for an agent whose game is over.

        Raises
        ------
        ValueError
            If the action is not legal, with its meaning and the legal ones; the table is as before.
        """
        if not self.agents:
            raise RuntimeError("no game is running: call reset() first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)  # type: ignore[arg-type]
            return
        seat = self._seat_of[agent]
        try:
            index = operator.index(action)  # type: ignore[arg-type]
        except TypeError:
            raise ValueError(illegal_action(self.game, seat, action, self._mask)) from None
        if not 0 <= index < len(self._mask):
            raise ValueError(illegal_action(self.game, seat, action, self._mask))
        status = self._game.loops.advance(self._tables, index, self._observation, self._mask)
        if status == ILLEGAL:
            raise ValueError(illegal_action(self.game, seat, action, self._mask))
        self._decisions.append((seat, index))
        self.infos[agent]["action_mask"] = self._no_mask
        if status >= OVER:
            self._finish(self.possible_agents[status - OVER])
        else:
            agent = self.agent_selection = self.possible_agents[status]
            self.infos[agent]["action_mask"] = self._mask.copy()
        if self.render_mode == "human":
            self.render()

    def _finish(self, agent: str) -> None:
        """Give every seat its points; all of them are done at once."""
        self.agent_selection = agent
        outcome = self._game.text.outcome(self._tables[0])
        for name, score in zip(self.possible_agents, self.scores(), strict=True):
            self.rewards[name] = float(score)
            self.terminations[name] = True
            self.infos[name].update(outcome)
        self._accumulate_rewards()

    def observe(self, agent: str) -> Observation:
        """What ``agent`` sees: ``observation`` (O,) uint8 and ``action_mask`` (A,) int8, fresh copies.

        The mask of an agent that is not to act is all zeros.
        """
        if agent == self.agent_selection and not self.terminations.get(agent, True):
            return {"observation": self._observation.copy(), "action_mask": self._mask.copy()}
        observations = np.zeros((1, len(self._observation)), OBSERVATION)
        self._game.loops.look(self._tables, np.array([self._seat_of[agent]], np.int64), observations)
        return {"observation": observations[0], "action_mask": self._no_mask.copy()}

    def state(self) -> NDArray[np.uint8]:
        """Perfect information: the observations of all seats one behind the other, (P * O,) uint8."""
        self._table()
        states = np.zeros((1, *self.state_space.shape), OBSERVATION)
        self._game.loops.see_all(self._tables, states, len(self._observation))
        return states[0]

    def render(self) -> str | NDArray[np.uint8] | None:
        """The table with all hands.

        Returns
        -------
        str
            As text, with ``render_mode="ansi"``.
        (H, W, 3) uint8
            As a picture, red, green and blue, with "rgb_array": that of ``svg()``, of one size for a game
            under the same options.
        None
            With "human", which prints the text.

        Raises
        ------
        ImportError
            For a picture, where resvg-py is not installed.
        """
        if self.render_mode == "ansi":
            return self.text()
        if self.render_mode == "rgb_array":
            return pixels(self.svg())
        if self.render_mode == "human":
            print(self.text(), end="\n\n")
        else:
            gymnasium.logger.warn(
                "render() without a render_mode: pass render_mode='ansi', 'human' or 'rgb_array' to env()"
            )
        return None

    def close(self) -> None:
        """Nothing to release."""

    # --- what only these environments have ------------------------------------------------------

    def _table(self) -> Any:
        """The record; RuntimeError before the first reset."""
        if not self._is_seeded:
            raise RuntimeError("there is no game yet: call reset() first")
        return self._tables[0]

    def legal_plays(self) -> list[Play]:
        """Every play of the seat to act: its name, key, length, cards and the actions that make it.

        In mid-play (kickers still to choose) the ways to complete it. Empty when the game is over.
        """
        self._table()
        return plays.legal_plays(self._game, self.game, self._tables)

    def actions_for(
        self, cards: str | Iterable[str], name: str | None = None, key: str | None = None
    ) -> tuple[int, ...]:
        """The actions for ``step`` that play ``cards``.

        Parameters
        ----------
        cards : str or iterable of str
            In notation, ``["5S", "5H"]`` or ``"5S 5H"``; bare ranks (``"55"``) where suits do not
            matter; empty, or ``"pass"``, for a pass; the name of an action that plays no cards.
        name, key : str, optional
            Choose among several readings; without them the rules' default is taken.

        Raises
        ------
        ValueError
            Says why these cards may not be played.
        """
        self._table()
        suffixes = getattr(self._game.text, "SUFFIXES", {})
        if isinstance(cards, str) and cards[-1:] in suffixes:
            cards, name = cards[:-1], name or suffixes[cards[-1]]
        bare = ("pass", *getattr(self._game.text, "BARE_NAMES", ()))
        if isinstance(cards, str) and cards.lower() in bare:
            cards, name = "", name or cards.lower()
        return plays.actions_for(
            self._game, self.game, self._tables, card_text.parse(cards, self.game.cards), name, key
        )

    def describe(self, action: int) -> str:
        """What an action means, such as ``"pair 55"``."""
        return self.game.action_names[as_index(action, self.game.num_actions, "an action")]

    def text(self, seat: int | None = None) -> str:
        """The table as text; from one ``seat``'s chair, or with all hands."""
        chair = None if seat is None else as_index(seat, self.game.num_players, "a seat")
        return str(self._game.text.view(self._table(), chair))

    def svg(self, seat: int | None = None) -> str:
        """The table as a picture, an SVG document; from one ``seat``'s chair, or with all hands."""
        self._table()
        chair = None if seat is None else as_index(seat, self.game.num_players, "a seat")
        return svg(self._game, self.game, self._tables, chair)

    def _repr_html_(self) -> str | None:
        """The picture with all hands, which a notebook shows; None before the first game."""
        return self.svg() if self._is_seeded else None

    def hand(self, seat: int) -> list[str]:
        """The cards that ``seat`` holds, lowest first (in Diao Xie in the order of the pack)."""
        seat = as_index(seat, self.game.num_players, "a seat")
        hand: list[str] = self._game.text.hand(self._table(), seat)
        return hand

    def deck(self) -> list[str] | list[list[str]]:
        """The pack of this game in dealing order; in a game of several hands a list of them."""
        decks = plays.decks_of(self.game, self._deck())
        return decks[0] if self.game.num_decks == 1 else decks

    def _deck(self) -> NDArray[np.int16]:
        deck: NDArray[np.int16] = self._table()["deck"]
        return deck[: self.game.deck_size]  # a record has room for the largest one

    def _dealer(self) -> int | None:
        return int(self._table()["dealer"]) if self._game.has_dealer else None

    def scores(self) -> list[Any]:
        """Exact points by seat (integers, or fractions in Diao Xie); zeros while the game goes on."""
        return plays.scores_of(self.game, self._table())

    def events(self) -> list[tuple[int, int, str, tuple[str, ...]]]:
        """Automatic events as (decision index, seat, event, cards); games of plays alone have none.

        The index is that of the decision that led to it, -1 for what happened in the deal.
        """
        return self._again().events

    def history(self) -> list[tuple[int, Play]]:
        """The plays so far, passes included, as (seat, play)."""
        return [(seat, play) for seat, play, _ in self._again().plays]

    def _again(self) -> plays.Replayed:
        dealer = self._dealer()
        return plays.replay_plays(
            self._game, self.rules, self._deck(), self._decisions, -1 if dealer is None else dealer
        )

    def record(self) -> dict[str, Any]:
        """The game so far, ready for JSON: options, deck, decisions, plays, and at the end the scores.

        ``envs.record`` has the meaning of its fields, and writes, reads and verifies files of them.
        """
        return plays.make_record(self._game, self.rules, self._deck(), self._decisions, self._dealer())

    def snapshot(self) -> Snapshot:
        """All that the environment is now; ``restore`` brings it back, here or in another one."""
        self._table()
        return Snapshot(
            self.game.name,
            self._tables.tobytes(),
            tuple(self._decisions),
            tuple(self.agents),
            self.agent_selection,
            tuple(self._cumulative_rewards[agent] for agent in self.agents),
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot of the same game under the same options.

        In PettingZoo's wrapper, which wants to see a ``reset`` first, call that before.

        Raises
        ------
        ValueError
            If the snapshot is of another game, or of other options.
        """
        is_ours = snapshot.game == self.game.name and len(snapshot.table) == self._tables.nbytes
        tables = np.frombuffer(snapshot.table, self._tables.dtype) if is_ours else None
        if tables is None or not self.rules.equal(self._tables, tables):
            raise ValueError(
                f"the snapshot is of another game or other options than {self.metadata['name']} {self.rules}"
            )
        self._tables[:] = tables
        self._is_seeded = True
        self._decisions = list(snapshot.decisions)
        self._look_again()
        self._start(snapshot.agent_selection)
        if tables[0]["over"]:
            self._finish(snapshot.agent_selection)
        for agent in set(self.possible_agents) - set(snapshot.agents):  # gone since the end
            self.agents.remove(agent)
            for kept in (
                self.rewards,
                self._cumulative_rewards,
                self.terminations,
                self.truncations,
                self.infos,
            ):
                del kept[agent]
        if len(self.agents) < len(self.possible_agents):  # they leave one by one, PettingZoo's way
            self._clear_rewards()
            last = self.possible_agents[tables[0]["turn"]]
            self._skip_agent_selection = last if self.agents else None
        self._cumulative_rewards = dict(zip(snapshot.agents, snapshot.cumulative_rewards, strict=True))

    def _look_again(self) -> None:
        """Fill the buffers of the seat to act from the table."""
        self._game.loops.legal_all(self._tables, self._mask[None])
        self._game.loops.look(self._tables, self._tables["turn"].astype(np.int64), self._observation[None])
