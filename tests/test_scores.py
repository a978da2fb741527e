"""Scores of many vector games, worked out again from the plays by the plain referee."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import envs

from .brute import guan_pai as brute
from .games import new_table, options_of
from .guan_pai_tables import SEATS, ranks_of, runs_deck

NUM_TABLES = 12


class EveryPlay:
    """Contains every play."""

    def __contains__(self, play: brute.Play) -> bool:
        return True


class TrustingReferee(brute.Referee):
    """Takes any play without looking for the legal ones, which is slow."""

    def legal(self) -> Any:
        return EveryPlay()


def finished_games(options: dict[str, Any], decks: np.ndarray, seed: int) -> tuple[Any, ...]:
    """Play one game at each table of a vector: the decks, decisions, scores and stats by table."""
    vec = envs.make_vec("guan_pai", num_envs=NUM_TABLES, autoreset=False, num_threads=2, **options)
    vec.reset(seed=seed, options={"decks": decks})
    dealt = vec.tables(blank=False)["deck"]
    decisions: list[list[int]] = [[] for _ in range(NUM_TABLES)]
    while (actions := vec.sample()).max() >= 0:
        for table in np.flatnonzero(actions >= 0):
            decisions[table].append(int(actions[table]))
        *_, infos = vec.step(actions)
    vec.close()
    stats = [dict(zip(vec.game.stats, row, strict=True)) for row in infos["final_stats"].tolist()]
    named = [[vec.game.cards[card] for card in deck] for deck in dealt]
    return named, decisions, infos["final_scores"], stats


@pytest.mark.parametrize("options", options_of("guan_pai"))
def test_guan_pai_scores(options: dict[str, Any], rotate: int) -> None:
    rng = np.random.default_rng([rotate, 40])
    decks = np.full((NUM_TABLES, len(brute.PACK)), -1)
    for table in range(0, NUM_TABLES, 2):  # half of them are rich in bombs
        decks[table] = [brute.PACK.index(card) for card in runs_deck(rng)]
    assert list(brute.PACK) == list(new_table("guan_pai", {}).game.cards)
    for deck, decisions, scores, stats in zip(*finished_games(options, decks, 100 * rotate), strict=True):
        env = new_table("guan_pai", options, deck=deck)
        cards_each = env.rules.cards_each
        rules = {name: value for name, value in env.rules.as_dict().items() if name != "cards_each"}
        hands = [deck[seat : SEATS * cards_each : SEATS] for seat in range(SEATS)]
        referee = TrustingReferee(hands, int(env.agent_selection[-1]), rules, cards_each)
        for action in decisions:
            env.step(action)
        for seat, made in env.history():
            assert seat == referee.turn
            referee.play(made.name, made.length, made.key, ranks_of(made.cards))
        assert referee.scores() == scores.tolist() == env.scores()
        assert stats == {
            "decisions": len(decisions),
            "plays": sum(made.name != "pass" for _, made in env.history()),
            "winner": referee.winner,
            "liable": -1 if referee.liable is None else referee.liable,
            **{f"bombs_{seat}": referee.bombs_by.count(seat) for seat in range(SEATS)},
        }
