"""Other projects' card games, played by uniformly random actions: what ``envs.bench --peers`` compares with.

Each entry makes a function that plays so many decisions, the way its project documents, with what an
agent needs for each of them: an observation and the legal actions. Imports are inside: the peers are
an extra.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable

Play = Callable[[int], int]


def rlcard_dou_dizhu() -> Play:
    """RLCard's dou dizhu: ``env.step`` gives the next player's state with its legal actions."""
    import rlcard

    env = rlcard.make("doudizhu", config={"seed": 0})

    def play(decisions: int) -> int:
        state, _ = env.reset()
        for _ in range(decisions):
            state, _ = env.step(random.choice(list(state["legal_actions"])))
            if env.is_over():
                state, _ = env.reset()
        return decisions

    return play


def open_spiel_dou_dizhu() -> Play:
    """OpenSpiel's dou dizhu (C++) from Python: observation tensor and legal actions of every decision."""
    import pyspiel

    game = pyspiel.load_game("dou_dizhu")

    def play(decisions: int) -> int:
        made, state = 0, game.new_initial_state()
        while made < decisions:
            if state.is_terminal():
                state = game.new_initial_state()
            if state.is_chance_node():
                state.apply_action(random.choice(state.legal_actions()))  # its outcomes are equally likely
                continue
            state.observation_tensor(state.current_player())
            state.apply_action(random.choice(state.legal_actions()))
            made += 1
        return made

    return play


def pettingzoo_leduc() -> Play:
    """PettingZoo classic's Leduc hold'em: the AEC loop."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    from pettingzoo.classic import leduc_holdem_v4

    env = leduc_holdem_v4.raw_env()

    def play(decisions: int) -> int:
        made = 0
        env.reset(seed=0)
        while made < decisions:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                continue
            env.step(env.action_space(env.agent_selection).sample(observation["action_mask"]))
            made += 1
        return made

    return play


PEERS: dict[str, tuple[Callable[[], Play], int]] = {
    "RLCard dou dizhu": (rlcard_dou_dizhu, 2_000),
    "OpenSpiel dou dizhu (C++)": (open_spiel_dou_dizhu, 10_000),
    "PettingZoo leduc": (pettingzoo_leduc, 5_000),
}
