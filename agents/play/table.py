"""One game: its seats and its past."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import envs
from envs import record as records
from envs.core import plays
from envs.core.game import Play, Rules, get

from ..asked import decisions_at
from ..base import Agent
from .catalogue import make_rules
from .folders import Folders
from .players import GUEST, YOU, find_agent, refused_if_it_fails, resolve
from .position import LARGEST_DEAL, Position, Step, is_climbing, lead_of
from .words import RefusedError

MOST_DECISIONS = 5000  # of a record that is looked at


class Table:
    """A game that people and agents play, or a record that is looked at.

    What changes it is called by one thread at a time; ``decide`` only looks and may run beside.

    Parameters
    ----------
    game : str
    options : mapping
        The rules' options.
    seats : sequence of str
        ``"you"``, ``"guest"`` or the name of an agent, by seat.
    deal : int
        The seed of the cards, and of the agents' choices.
    folders : Folders
    is_training : bool
        Whether undo, hints and hidden hands may be had.

    Raises
    ------
    RefusedError
        In words, for what is not possible.
    """

    def __init__(
        self,
        game: str,
        options: Mapping[str, Any],
        seats: Sequence[str],
        deal: int,
        folders: Folders,
        is_training: bool = True,
    ) -> None:
        self.rules: Rules = make_rules(game, options)
        self.game, self.folders, self.deal = get(game), folders, deal
        self.info = self.game.info(self.rules)
        if not isinstance(deal, int) or isinstance(deal, bool) or not 0 <= deal <= LARGEST_DEAL:
            raise RefusedError("A deal is a whole number of at least 0.", "牌局编号是不小于 0 的整数。")
        if not isinstance(seats, list | tuple) or len(seats) != self.info.num_players:
            raise RefusedError(
                f"There are {self.info.num_players} seats; give each of them a player.",
                f"共有 {self.info.num_players} 个座位，请为每个座位选择玩家。",
            )
        self.seats = list(seats)
        for name in self.seats:
            if name not in (YOU, GUEST):
                resolve(name, game, folders)
        self.is_training, self.is_record = is_training, False
        self._agents: dict[tuple[str, bool], Agent] = {}
        self.raw: Any = envs.make(game, **self.rules.as_dict()).unwrapped
        self.raw.reset(seed=deal)
        self.positions = [self._position(None, None)]

    @classmethod
    def from_record(cls, record: Any, folders: Folders) -> Table:
        """The game of a record, played again; RefusedError, with the reason, if it cannot be."""
        try:
            records.check(record)
            if len(record["decisions"]) > MOST_DECISIONS:
                raise ValueError(f"a game of more than {MOST_DECISIONS} decisions")
            for _ in records.replay(record):
                pass
        except ValueError as error:
            raise RefusedError(
                f"This is no record that can be played: {error}.", f"这份牌谱无法重放：{error}。"
            ) from None
        names = record["agents"] or [""] * get(record["game"]).info(make_rules(*_made(record))).num_players
        table = cls(*_made(record), [YOU] * len(names), 0, folders)
        table.seats, table.is_record = [str(name)[:80] for name in names], True
        decks = record["decks"]
        options = {"deck": decks[0] if len(decks) == 1 else decks, "dealer": record["dealer"]}
        table.raw.reset(seed=0, options=options)
        table.positions = [table._position(None, None)]
        actions: list[int] = []
        for _, action in record["decisions"]:
            actions.append(action)
            if table._advance(actions):
                actions = []
        return table

    # --- playing ------------------------------------------------------------------------------------

    @property
    def now(self) -> Position:
        """The newest position."""
        return self.positions[-1]

    @property
    def has_people(self) -> bool:
        return any(name in (YOU, GUEST) for name in self.seats)

    def _position(self, step: Step | None, before: Position | None) -> Position:
        snapshot = self.raw.snapshot()
        tables = self.game.new_tables(1, self.rules)
        tables[:] = np.frombuffer(snapshot.table, tables.dtype)
        events_of = getattr(self.game.text, "events", None)
        start = self.game.new_tables(1, self.rules)[0] if before is None else before.t
        happened = [] if events_of is None else events_of(start, tables[0])
        last = None
        if step is not None and before is not None and is_climbing(self.game):
            last = before.last if step.play.name == plays.PASS else step
            last = None if tables[0]["last"] == lead_of(self.game) else last
        return Position(self.game, self.info, tables, snapshot, step, happened, last)

    def _advance(self, actions: Sequence[int]) -> bool:
        """Play the last of ``actions``, those of one play so far; True when the play is complete."""
        before = self.now
        self.raw.step(actions[-1])
        snapshot = self.raw.snapshot()
        after = np.frombuffer(snapshot.table, self.game.dtype)[0]
        if after["pending"]:
            return False
        name, key, length = self.game.text.reading(before.t, actions)
        cards = self.game.text.spent(before.t, after, actions)
        led = is_climbing(self.game) and before.t["last"] == lead_of(self.game)
        step = Step(before.turn, Play(name, key, length, cards, tuple(actions)), bool(led))
        self.positions.append(self._position(step, before))
        return True

    def play(self, actions: Sequence[int]) -> None:
        """Play a whole play by its actions."""
        for number in range(1, len(actions) + 1):
            self._advance(actions[:number])

    def agent(self, name: str, is_adviser: bool = False) -> Agent:
        """The agent of this name, loaded when it is first asked for; advisers are others than players."""
        key = name, is_adviser
        if key not in self._agents:
            self._agents[key] = find_agent(name, self.game.name, self.rules, self.folders)
        return self._agents[key]

    def decide(self, position: Position) -> list[int]:
        """The actions of the play that the agent to act chooses; changes nothing. Refused if it fails."""
        name = self.seats[position.turn]
        actions: list[int] = []
        tables = position.tables.copy()
        with refused_if_it_fails(name):
            while not actions or tables[0]["pending"]:
                asked = decisions_at(self.game, self.info, tables, self.deal)
                action = int(self.agent(name).act(asked)[0])
                if not 0 <= action < self.info.num_actions or not asked.action_masks[0, action]:
                    raise ValueError(f"it chose the action {action}, which is not legal")
                self.game.loops.play_one(tables, action)
                actions.append(action)
        return actions

    def undo(self, seats: frozenset[int]) -> None:
        """Back to the last decision of one of these seats; refused where there is none, or no undo."""
        if not self.is_training or self.is_record:
            raise RefusedError("Undo is for training games.", "只有练习模式可以悔棋。")
        earlier = (i for i in reversed(range(len(self.positions) - 1)) if self.positions[i].turn in seats)
        found = next(earlier, None)
        if found is None:
            raise RefusedError("There is nothing to take back.", "没有可以收回的出牌。")
        del self.positions[found + 1 :]
        self.raw.restore(self.now.snapshot)

    def record(self) -> dict[str, Any]:
        """The game as a record."""
        made: dict[str, Any] = self.raw.record()
        made["agents"] = list(self.seats)
        return made


def _made(record: Mapping[str, Any]) -> tuple[str, Any]:
    return record["game"], record["rules"]
