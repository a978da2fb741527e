"""Scores of many games of the climbing games, worked out again from the plays by the plain referees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import envs
from envs.core.aec import TableEnv
from envs.core.cards import deck_indices
from envs.core.game import Play

from . import guan_pai_tables, zheng_shang_you_tables
from .brute import guan_pai, zheng_shang_you
from .games import GAMES, new_table

NUM_TABLES = 12


class EveryPlay:
    """Contains every play."""

    def __contains__(self, play: Any) -> bool:
        return True


class Trusting:
    """Makes a referee take any play without looking for the legal ones, which is slow."""

    def legal(self) -> Any:
        return EveryPlay()


class GuanPai(Trusting, guan_pai.Referee):
    """The referee at a table that has just been dealt."""

    def __init__(self, env: TableEnv) -> None:
        rules, seats = env.rules.as_dict(), guan_pai_tables.SEATS
        cards_each = rules.pop("cards_each")
        hands = [env.deck()[seat : seats * cards_each : seats] for seat in range(seats)]
        super().__init__(hands, int(env.agent_selection[-1]), rules, cards_each)

    @staticmethod
    def deck_rich_in_bombs(options: dict[str, Any], rng: np.random.Generator) -> list[str]:
        return guan_pai_tables.runs_deck(rng)

    def take(self, made: Play) -> None:
        self.play(made.name, made.length, made.key, guan_pai_tables.ranks_of(made.cards))

    def stats(self) -> Iterator[tuple[str, Any]]:
        yield "liable", -1 if self.liable is None else self.liable
        for seat in range(guan_pai_tables.SEATS):
            yield f"bombs_{seat}", self.bombs_by.count(seat)


class ZhengShangYou(Trusting, zheng_shang_you.Referee):
    """The referee at a table that has just been dealt."""

    def __init__(self, env: TableEnv) -> None:
        super().__init__(env.deck(), env.rules.as_dict())
        self.bombs_by: list[int] = []

    @staticmethod
    def deck_rich_in_bombs(options: dict[str, Any], rng: np.random.Generator) -> list[str]:
        by = str(rng.choice(["rank", "both"]))
        return zheng_shang_you_tables.stacked_deck(rng, options.get("decks", 1), by)

    def take(self, made: Play) -> None:
        self.bombs_by += [self.turn] * made.name.endswith("bomb")
        self.play(zheng_shang_you_tables.plain(made))

    def stats(self) -> Iterator[tuple[str, Any]]:
        for seat in range(zheng_shang_you.SEATS):
            yield f"bombs_{seat}", self.bombs_by.count(seat)
            yield f"left_{seat}", len(self.hands[seat])


REFEREES: dict[str, Any] = {"guan_pai": GuanPai, "zheng_shang_you": ZhengShangYou}
"""Of the climbing games."""


def finished_games(game: str, options: dict[str, Any], decks: np.ndarray, seed: int) -> tuple[Any, ...]:
    """Play one game at each table of a vector: the decks, decisions, scores and stats by table."""
    vec = envs.make_vec(game, num_envs=NUM_TABLES, autoreset=False, num_threads=2, **options)
    vec.reset(seed=seed, options={"decks": decks})
    dealt = vec.tables(blank=False)["deck"][:, : decks.shape[1]]
    decisions: list[list[int]] = [[] for _ in range(NUM_TABLES)]
    while (actions := vec.sample()).max() >= 0:
        for table in np.flatnonzero(actions >= 0):
            decisions[table].append(int(actions[table]))
        *_, infos = vec.step(actions)
    vec.close()
    stats = [dict(zip(vec.game.stats, row, strict=True)) for row in infos["final_stats"].tolist()]
    named = [[vec.game.cards[card] for card in deck] for deck in dealt]
    return named, decisions, infos["final_scores"], stats


@pytest.mark.parametrize(("game", "options"), [game for game in GAMES if game.values[0] in REFEREES])
def test_scores(game: str, options: dict[str, Any], rotate: int) -> None:
    rng = np.random.default_rng([rotate, 40])
    pack = new_table(game, options).game.cards
    decks = np.full((NUM_TABLES, len(pack)), -1)
    for table in range(0, NUM_TABLES, 2):
        decks[table] = deck_indices(REFEREES[game].deck_rich_in_bombs(options, rng), pack)
    for deck, decisions, scores, stats in zip(
        *finished_games(game, options, decks, 100 * rotate), strict=True
    ):
        env = new_table(game, options, deck=deck)
        referee = REFEREES[game](env)
        for action in decisions:
            env.step(action)
        for seat, made in env.history():
            assert seat == referee.turn
            referee.take(made)
        assert referee.scores() == scores.tolist() == env.scores()
        assert stats == {
            "decisions": len(decisions),
            "plays": sum(made.name != "pass" for _, made in env.history()),
            "winner": referee.winner,
            **dict(referee.stats()),
        }
