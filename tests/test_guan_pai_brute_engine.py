"""The Guan Pai engine and the plain referee play the same games."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from envs.core.aec import TableEnv

from .brute import guan_pai as brute
from .games import is_over, new_table, options_of
from .guan_pai_tables import SEATS, put, ranks_of, runs_deck, triples_deck

QUICK, ALL = 350, 20_000  # decisions
SEEN = """
    pass single pair triple triple_with_one triple_with_two straight pair_chain triple_chain
    triple_chain_with_wings four_with_two bomb bomb_with_kicker low_straight winged_4 winged_5
    bare_triple_on_triple_with_two short_wings_led short_wings_on_wings several_readings
    breach liable_end bombs_doubled passes_end_trick pass_not_legal
"""
"""What has to happen in the long run: every name, every short form, every special ending."""


def leader_of(deck: list[str], cards_each: int) -> int:
    """Who was dealt the lowest card, of equal ranks D C H S: that is 3D whenever it is dealt."""
    dealt = deck[: SEATS * cards_each]
    lowest = min(dealt, key=lambda card: (brute.RANKS.index(card[0]), "DCHS".index(card[1])))
    return dealt.index(lowest) % SEATS


def note(seen: Counter[str], play: brute.Play, referee: brute.Referee) -> None:
    """Count what is remarkable in a play that is about to be made."""
    name, length, key, ranks = play
    seen[name] += 1
    seen["low_straight"] += (name, key) == ("straight", "5")
    seen["bomb_with_kicker"] += name == "bomb" and len(ranks) == (4 if key == "A" else 5)
    seen["bare_triple_on_triple_with_two"] += name == "triple_with_two" and len(ranks) == 3
    if name == "triple_chain_with_wings":
        seen[f"winged_{length}"] += 1
        if len(ranks) < 5 * length:
            seen["short_wings_led" if referee.table is None else "short_wings_on_wings"] += 1
    readings = [other for other in referee.legal() if other[3] == ranks]
    seen["several_readings"] += len(readings) > 1
    seen["passes_end_trick"] += name == "pass" and referee.passes == 1
    seen["pass_not_legal"] += referee.table is not None and brute.PASS not in referee.legal()


def weights(plays: list[Any], taste: str, hand: str, patience: int) -> np.ndarray:
    """How likely each play is chosen; ``patience`` is how many loose cards a hoarder's triples wait for."""
    sizes = np.array([len(play.cards) for play in plays], float)
    is_rare = np.array(["triple" in p.name or "four" in p.name or "bomb" in p.name for p in plays])
    readings = [(play.name, play.length, play.key) for play in plays]
    taken = np.array([sum(hand.count(card[0]) >= 3 for card in play.cards) for play in plays])
    is_waiting = sum(hand.count(rank) < 3 for rank in hand) > patience
    worth = {
        "even": np.ones(len(plays)),
        "large": np.exp(sizes),
        "small": np.exp(-np.maximum(sizes, 1)),
        "triples": 1.0 + 30 * is_rare,
        "readings": 1 / np.array([readings.count(reading) for reading in readings]),
        "hoard": np.exp(-2.0 * taken) if is_waiting else np.exp(sizes),
    }[taste]
    if taste != "even":
        worth *= np.where(sizes == 0, 0.3, 1)  # fewer passes
    return worth / worth.sum()


def start_in_the_middle(env: TableEnv, referee: brute.Referee, rng: np.random.Generator) -> None:
    """A seat with some triples and a few more cards follows lower triples, or leads: rare in whole games."""
    length = int(rng.choice([0, 1, 1, 2, 3, 4, 5]))
    low = int(rng.integers(1, 12 - length))
    body = [rank for rank in brute.RANKS[low : low + length] for _ in range(3)] or list(brute.LOW_STRAIGHT)
    rest, hand = rng.permutation(brute.PACK).tolist(), []
    for rank in body:
        hand.append(next(card for card in rest if card[0] == rank))
        rest.remove(hand[-1])
    most = min(2 * length + 1, 16 - len(body))
    cuts = np.cumsum(rng.integers([length > 3, 1, 1], [most + 1, 12, 12])).tolist()
    hands = [hand + rest[: cuts[0]], rest[cuts[0] : cuts[1]], rest[cuts[1] : cuts[2]]]
    turn = int(rng.integers(SEATS))
    hands = [hands[(seat - turn) % SEATS] for seat in range(SEATS)]
    table = None
    if 1 <= length <= 3:
        key = brute.RANKS[int(rng.integers(length - 1, low + length - 1))]
        table = ("triple_with_two" if length == 1 else "triple_chain_with_wings", length, key)
    put(env, hands, turn, table)
    referee.hands = [ranks_of(cards) for cards in hands]
    referee.turn, referee.table, referee.owner = turn, table, table and (turn - 1) % SEATS
    referee.diamond_three_due = False


def play_in_lockstep(number: int, options: dict[str, Any], seen: Counter[str]) -> int:
    """Play one game on both; the number of decisions compared."""
    rng = np.random.default_rng(number)
    taste = rng.choice(["even", "large", "small", "triples", "readings", "hoard", "hoard"])
    patience = rng.integers(5, size=SEATS)
    deck = [None, runs_deck, triples_deck, triples_deck][rng.integers(4)]
    env = new_table("guan_pai", options, seed=number, deck=deck and deck(rng))
    cards_each = env.rules.cards_each
    rules = {name: value for name, value in env.rules.as_dict().items() if name != "cards_each"}
    leader = leader_of(env.deck(), cards_each)
    hands = [env.deck()[seat : SEATS * cards_each : SEATS] for seat in range(SEATS)]
    referee = brute.Referee(hands, leader, rules, cards_each)
    if rng.random() < 0.2:
        start_in_the_middle(env, referee, rng)
    decisions = 0
    while referee.winner is None:
        where = f"game {number} decision {decisions} under {options}\n{env.text()}"
        assert env.agent_selection == f"player_{referee.turn}", where
        assert [ranks_of(env.hand(seat)) for seat in range(SEATS)] == referee.hands, where
        plays = env.legal_plays()
        named = {(p.name, p.length, p.key, ranks_of(p.cards)): p for p in plays}
        assert len(named) == len(plays), where
        assert set(named) == referee.legal(), where
        likely = weights(plays, taste, referee.hands[referee.turn], patience[referee.turn])
        chosen = plays[rng.choice(len(plays), p=likely)]
        play = (chosen.name, chosen.length, chosen.key, ranks_of(chosen.cards))
        note(seen, play, referee)
        for action in chosen.actions:
            env.step(action)
        referee.play(*play)
        seen["breach"] += referee.last_was_breach
        decisions += 1
    assert is_over(env) and env.infos["player_0"]["winner"] == referee.winner
    assert env.infos["player_0"]["liable"] == referee.liable
    assert env.scores() == referee.scores(), f"game {number} under {options}\n{env.text()}"
    seen["liable_end"] += referee.liable is not None
    seen["bombs_doubled"] += bool(referee.bombs_by)
    return decisions


@pytest.mark.parametrize("wanted", [QUICK, pytest.param(ALL, marks=pytest.mark.slow)])
def test_engine_and_referee_agree(wanted: int, rotate: int) -> None:
    seen: Counter[str] = Counter()
    every_options = options_of("guan_pai")
    number, decisions = rotate * QUICK, 0
    while decisions < wanted:
        decisions += play_in_lockstep(number, every_options[number % len(every_options)], seen)
        number += 1
    print(f"{decisions} decisions in {number - rotate * QUICK} games", dict(sorted(seen.items())), sep="\n")
    assert wanted < ALL or not [what for what in SEEN.split() if not seen[what]]
