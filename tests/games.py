"""Every game under a pairwise covering set of its options, and helpers to play them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

import envs
from envs.core.aec import TableEnv

from . import diao_xie_tables, guan_pai_tables, xiangxi96_tables, zheng_shang_you_tables

Options = dict[str, Any]

CHOICES: dict[str, dict[str, Sequence[Any]]] = {
    "guan_pai": {
        "must_beat": ["off", "non_bomb", "all"],
        "lead_diamond_three": [False, True],
        "short_plane_follow": [False, True],
        "dingda": ["liability", "forced", "off"],
        "bomb_doubling": ["every_bomb", "once", "winner_only", "off"],
        "loss_cap": [100, None, 12],
        "base": [1, 7],
        "cards_each": [16, 9, 5],
    },
    "zheng_shang_you": {
        "decks": [1, 2],
        "pass_lockout": [False, True],
        "lead_spade_three": [False, True],
        "distinct_wings": [False, True],
        "base": [1, 7],
        "cards_each": [None, 10, 6],
    },
    "diao_xie": {
        "num_players": [2, 3, 4, 5],
        "betting": ["pot", "limit"],
        "hands": [1, 3, 8],
        "counter_carry": [False, True],
        "fold_penalty": [True, False],
        "supreme_bonus": [True, False],
        "base": [1, 7],
    },
    "xiangxi96": {
        "num_players": [3, 2, 4],
        "scoring": ["feng_sheng", "big_small"],
        "zhao_extra": ["hun", "all"],
        "red_face_is_red": [True, False],
        "split_table_sentence": [False, True],
        "pig_points": [8, 0, 3],
        "base": [1, 7],
    },
}


def is_allowed(options: Options) -> bool:
    """Whether these options go together."""
    if options.get("betting") == "limit":
        return (options["hands"], options["counter_carry"]) == (1, False) and (
            options["fold_penalty"] and options["supreme_bonus"]
        )
    is_bound = options.get("lead_diamond_three") or options.get("lead_spade_three")
    return not is_bound or options["cards_each"] in (16, None)


def pairwise(choices: Mapping[str, Sequence[Any]], allowed: Callable[[Options], bool]) -> list[Options]:
    """Few sets of options in which every two values that go together occur together (greedy)."""
    candidates = [dict(zip(choices, values, strict=True)) for values in product(*choices.values())]
    pairs = [set(combinations(options.items(), 2)) for options in filter(allowed, candidates)]
    open_pairs, chosen = set().union(*pairs), []
    while open_pairs:
        best = max(pairs, key=lambda covered: len(covered & open_pairs))
        open_pairs -= best
        chosen.append(dict(item for pair in best for item in pair))
    return [{name: options[name] for name in choices} for options in chosen]


GAMES = [
    pytest.param(game, options, id=f"{game}-{number}")
    for game, choices in CHOICES.items()
    for number, options in enumerate([{}, *pairwise(choices, is_allowed)])
]
"""(game, options): first the defaults, then the pairwise set."""

REDEAL_HIDDEN = {
    "guan_pai": guan_pai_tables.redeal_hidden,
    "zheng_shang_you": zheng_shang_you_tables.redeal_hidden,
    "diao_xie": diao_xie_tables.redeal_hidden,
    "xiangxi96": xiangxi96_tables.redeal_hidden,
}
"""By game: what ``seat`` may not know of a record, dealt anew; what is public stays."""


IN_STEPS = ("guan_pai", "zheng_shang_you")
"""The games in which cards are played, some plays in several actions."""


def options_of(game: str) -> list[Options]:
    """All sets of options of one game."""
    return [options for name, options in (param.values for param in GAMES) if name == game]


def in_turn(
    names: str | tuple[str, ...], sets: Iterable[Any], parts: int = 4, **keywords: Any
) -> Callable[[Any], Any]:
    """``pytest.mark.parametrize`` with values that take turns: see ``pytest_generate_tests``."""

    def mark(test: Any) -> Any:
        test.in_turn = (names, list(sets), parts, keywords)
        return test

    return mark


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Hook, to be imported with ``in_turn``: of its sets of options the defaults, and a part of the others.

    Another part with every ``--rotate``; all with ``--slow``, and with ``--parts``, which parts them too.
    """
    if not hasattr(metafunc.function, "in_turn"):
        return
    names, sets, parts, keywords = metafunc.function.in_turn  # sets: options, or pytest.param(game, options)
    rotate, slow, other_parts = map(metafunc.config.getoption, ("--rotate", "--slow", "--parts"))
    if slow or other_parts > 1:
        parts = 1
    is_default = [each == {} or (isinstance(each, tuple) and each[0][-1] == {}) for each in sets]
    chosen = [each for i, each in enumerate(sets) if is_default[i] or (i + rotate) % parts == 0]
    metafunc.parametrize(names, chosen, **keywords)


def new_table(
    game: str, options: Options, seed: int | None = None, deck: Any = None, dealer: int | None = None
) -> TableEnv:
    """A raw environment, dealt; ``dealer`` in games that have one."""
    env: TableEnv = envs.make(game, **options).unwrapped
    env.reset(seed=seed, options={"deck": deck, "dealer": dealer})
    return env


def legal(env: TableEnv) -> np.ndarray:
    """The legal actions of the seat to act; none when the game is over."""
    return np.flatnonzero(env.observe(env.agent_selection)["action_mask"])


def is_over(env: TableEnv) -> bool:
    return any(env.terminations.values()) or not env.agents


def play(env: TableEnv, rng: np.random.Generator, most: float = float("inf")) -> int:
    """Play random legal actions until the end, or ``most``; how many they were."""
    count = 0
    while count < most and not is_over(env):
        env.step(int(rng.choice(legal(env))))
        count += 1
    return count
