"""The environment users get: a table in PettingZoo's wrappers."""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from .aec import Observation, TableEnv
from .game import Game
from .seeding import as_index

ILLEGAL_REWARD = -1.0


class TerminateIllegal(wrappers.TerminateIllegalWrapper):  # type: ignore[misc, type-arg, unused-ignore]
    """PettingZoo's wrapper, for which an action is an index of the mask; here anything else is illegal."""

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if not (self.terminations[agent] or self.truncations[agent]):
            mask = self.observe(agent)["action_mask"]
            try:
                is_legal = bool(mask[as_index(action, len(mask), "an action")])
            except ValueError:
                is_legal = False
            action = action if is_legal else int(mask.argmin())  # never are all actions legal
        super().step(action)


class Ordered(wrappers.OrderEnforcingWrapper[str, Observation, int]):  # type: ignore[misc, unused-ignore]
    """PettingZoo's wrapper, which a notebook shows as the picture of its table."""

    def _repr_html_(self) -> str | None:
        html: str | None = self.unwrapped._repr_html_()  # type: ignore[attr-defined]
        return html

    def __str__(self) -> str:
        return str(self.env)  # as the wrapper itself has it, but not its subclasses


def raw_table(game: Game, render_mode: str | None = None, **options: Any) -> TableEnv:
    """The raw environment of a game, of the game's own class if it has one."""
    table: TableEnv = (game.env_class or TableEnv)(game, render_mode=render_mode, **options)
    return table


def make_env(
    game: Game, render_mode: str | None = None, on_illegal: str = "raise", **options: Any
) -> wrappers.OrderEnforcingWrapper[str, Observation, int]:
    """The environment users get: ``TableEnv`` in PettingZoo's wrappers.

    Parameters
    ----------
    on_illegal : {"raise", "terminate"}
        What an illegal action does: a ValueError with the table unchanged, or the end of the game with
        a reward of -1 for who played it (PettingZoo's TerminateIllegalWrapper).
    """
    if on_illegal not in ("raise", "terminate"):
        raise ValueError(f"on_illegal is 'raise' or 'terminate', not {on_illegal!r}")
    env: AECEnv[str, Observation, int] = raw_table(game, render_mode=render_mode, **options)
    if on_illegal == "terminate":
        env = TerminateIllegal(env, illegal_reward=ILLEGAL_REWARD)
    return Ordered(env)
