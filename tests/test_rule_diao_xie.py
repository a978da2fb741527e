"""Diao Xie's rule player: a plain twin, every option, how little a best response gains."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import agents
from agents import Decisions
from envs import make_vec
from envs.core.game import get
from envs.diao_xie.actions import NAMES
from training.exploitability import exploitability

from .brute import diao_xie as brute
from .games import Options, in_turn, options_of, pytest_generate_tests  # noqa: F401 (the hook of in_turn)

ALWAYS_TOUCH = 0.219990  # what a best response gains against touching always (rules, section 10)


def share_of(hand: tuple[str, ...]) -> float:
    """The share of all two-card hands that ``hand`` beats, ties half."""
    pack = brute.PACK
    others = [(pack[i], pack[j]) for i in range(len(pack)) for j in range(i)]
    beaten = sum(brute.stronger(hand, other) for other in others)
    return (beaten + sum(brute.equal(hand, other) for other in others) / 2) / len(others)


def plain_choice(t: Any, legal: list[str]) -> str:
    """The same player in words."""
    n, seat = int(t["num_players"]), int(t["turn"])
    own = share_of(tuple(brute.PACK[card] for card in t["cards"][seat]))
    own = own if n <= 3 else own ** ((n - 1) / 2)
    few, stake = n == 2, int(max(t["stakes"][:n]))
    if t["betting"]:
        raises = int(t["raises"])
        if "raise" in legal and own >= (0.85, 0.9, 0.95)[raises]:
            return "raise"
        return "fold" if "fold" in legal and own < (0, 0.55, 0.8, 0.9)[raises] else "call"
    if "counter_carry" in legal:
        return "counter_carry" if own >= (0.82 if few else 0.85) else "no_carry"
    if stake == 0:
        return "eat" if own >= (0 if few else 0.82) else "touch1"
    is_small = stake < t["pot"]
    carry, eat, fold = {
        (True, True): (0.48, 0.62, 0.34), (True, False): (0.71, 0.83, 0.30),
        (False, True): (0.63, 0.85, 0.87), (False, False): (0.88, 0.91, 0.59),
    }[few, is_small]  # fmt: skip
    if own >= carry:
        return "carry"
    if own >= eat:
        return "eat"
    return "fold" if own < fold else "touch1"


@in_turn("options", options_of("diao_xie"), ids=str)
def test_kernel_and_plain_twin_agree(options: Options, rotate: int) -> None:
    vec, rule = make_vec("diao_xie", num_envs=8, **options), agents.load("rule", "diao_xie")
    rng = np.random.default_rng([rotate, 70])
    seen, infos = vec.reset(seed=rotate)
    for _ in range(12):
        tables, masks = vec.tables(), seen["action_mask"]
        keys = np.arange(8, dtype=np.uint64)
        chosen = rule.act(Decisions(seen["observation"], masks, infos["seat"], keys, tables))
        for t, mask, action in zip(tables, masks, chosen, strict=True):
            legal = [NAMES[a] for a in np.flatnonzero(mask)]
            assert NAMES[action] == plain_choice(t, legal)
        seen, _, _, _, infos = vec.step(np.where(rng.random(8) < 0.5, chosen, vec.sample()))


@pytest.mark.parametrize("options", [{}, {"fold_penalty": False}, {"counter_carry": True}])
def test_a_best_response_gains_little(options: Options) -> None:
    found = exploitability(agents.load("rule_v0", "diao_xie"), get("diao_xie").rules(**options))
    assert np.mean(found.best_responses - found.values) < ALWAYS_TOUCH / 2
