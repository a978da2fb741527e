"""The Zheng Shang You engine and the plain referee play the same games, card for card."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from .brute import zheng_shang_you as brute
from .games import is_over, new_table, options_of
from .zheng_shang_you_tables import SEATS, put, stacked_deck

QUICK, ALL = 350, 20_000  # decisions of each variant
MANY_HANDS = 5_000
MOST_PLAYS = 5_000  # of a dense hand; some have tens of thousands
SEEN = """
    pass single pair triple straight flush_straight pair_chain triple_chain full_house
    triple_chain_with_pairs bomb flush_on_straight bomb_on_bomb low_straight low_pair_chain high_pair_chain
    suit_choice straight_choice flush_choice repeated_wings trick_over skipped
"""
SEEN_WITH_TWO_DECKS = (
    " joker_bomb big_bomb body_rank_wing live_twice jokers_as_kickers winged_3 lifted_straight"
)
"""What has to happen in the long run: every type, every kind of choice."""


def note(seen: Counter[str], play: brute.Play, referee: brute.Referee) -> None:
    """Count what is remarkable in a play that is about to be made."""
    table, hand = referee.table, referee.hands[referee.turn]
    name, length, key, cards = play
    ranks = brute.ranks_of(cards)
    seen[name] += 1
    if table is not None:
        seen["flush_on_straight"] += (name, table.name) == ("flush_straight", "straight")
        seen["bomb_on_bomb"] += (name, table.name) == ("bomb", "bomb")
    seen["low_straight"] += "straight" in name and "2" in ranks and key != "2"
    seen["low_pair_chain"] += name == "pair_chain" and "2" in ranks and key != "2"
    seen["high_pair_chain"] += name == "pair_chain" and key == "2"
    seen["big_bomb"] += name == "bomb" and length > 4
    if name == "triple_chain_with_pairs":
        body = brute.body_of(name, length, key)
        seen[f"winged_{length // 5}"] += 1
        wings = Counter(ranks) - Counter(body)
        seen["repeated_wings"] += max(wings.values()) > 2
        seen["body_rank_wing"] += bool(set(wings) & set(body))
    seen["jokers_as_kickers"] += name in ("full_house", "triple_chain_with_pairs") and bool(
        set("xX") & set(ranks)
    )
    choices = [p for p in referee.legal() if brute.without_suits(p) == brute.without_suits(play)]
    if len(choices) > 1:
        what = {"straight": "straight_choice", "flush_straight": "flush_choice"}
        seen[what.get(name, "suit_choice")] += 1
    live = brute.live_cards(hand)
    seen["live_twice"] += max(live.values(), default=0) > 1
    if name == "straight":
        held = Counter(hand)
        lowest = [next((c for c in hand if c[0] == card[0] and held[c] > live[c]), card) for card in cards]
        seen["lifted_straight"] += len({card[1] for card in lowest}) == 1 and len(choices) == 1


def weights(plays: list[Any], taste: str) -> np.ndarray:
    """How likely each play is chosen."""
    sizes = np.array([len(play.cards) for play in plays], float)
    kinds = [(play.name, play.length, play.key) for play in plays]
    worth = {
        "even": np.ones(len(plays)),
        "large": np.exp(np.minimum(sizes, 12)),
        "small": np.exp(-np.maximum(sizes, 1)),
        "kinds": 1 / np.array([kinds.count(kind) for kind in kinds]),
        "straights": np.array([20.0 if "straight" in play.name else 1.0 for play in plays]),
        "rare": np.array([20.0 if "chain" in play.name or "bomb" in play.name else 1.0 for play in plays]),
    }[taste]
    if taste != "even":
        worth *= np.where(sizes == 0, 0.3, 1)  # fewer passes
    return worth / worth.sum()


def play_in_lockstep(number: int, options: dict[str, Any], seen: Counter[str]) -> int:
    """Play one game on both; the number of decisions compared."""
    rng = np.random.default_rng([number, 50])
    taste = str(rng.choice(["even", "large", "small", "kinds", "straights", "rare"]))
    by = rng.choice(["", "rank", "suit", "both"])
    env = new_table("zheng_shang_you", options, seed=number)
    if by:
        env.reset(options={"deck": stacked_deck(rng, env.rules.decks, by)})
    referee = brute.Referee(env.deck(), env.rules.as_dict())
    decisions = 0
    while referee.winner is None:
        where = f"game {number} decision {decisions} under {options}\n{env.text()}"
        assert env.agent_selection == f"player_{referee.turn}", where
        assert [env.hand(seat) for seat in range(SEATS)] == referee.hands, where
        plays = env.legal_plays()
        named = {brute.Play(p.name, p.length, p.key, p.cards): p for p in plays}
        assert len(named) == len(plays), where
        assert set(named) == referee.legal(), where
        chosen = plays[rng.choice(len(plays), p=weights(plays, taste))]
        play = brute.Play(chosen.name, chosen.length, chosen.key, chosen.cards)
        note(seen, play, referee)
        before = referee.turn
        for action in chosen.actions:
            env.step(action)
        led = referee.table is None
        referee.play(play)
        seen["trick_over"] += not led and referee.table is None
        seen["skipped"] += referee.table is not None and referee.turn != (before + 1) % SEATS
        decisions += 1
    assert is_over(env) and env.infos["player_0"]["winner"] == referee.winner
    assert env.scores() == referee.scores(), f"game {number} under {options}\n{env.text()}"
    return decisions


@pytest.mark.parametrize("decks", [1, 2])
@pytest.mark.parametrize("wanted", [QUICK, pytest.param(ALL, marks=pytest.mark.slow)])
def test_engine_and_referee_agree(wanted: int, decks: int, rotate: int) -> None:
    seen: Counter[str] = Counter()
    every_options = [o for o in options_of("zheng_shang_you") if o.get("decks", 1) == decks]
    number, decisions = rotate * QUICK, 0
    while decisions < wanted:
        decisions += play_in_lockstep(number, every_options[number % len(every_options)], seen)
        number += 1
    print(f"{decisions} decisions in {number - rotate * QUICK} games", dict(sorted(seen.items())), sep="\n")
    expected = SEEN + SEEN_WITH_TWO_DECKS * (decks == 2)
    assert wanted < ALL or not [what for what in expected.split() if not seen[what]]


def dense_hand(rng: np.random.Generator, decks: int) -> list[str]:
    """A hand of neighbouring ranks in a few suits, where flush straights compete for cards."""
    start, width = int(rng.integers(len(brute.PLACES) - 6)), int(rng.integers(6, 10))
    ranks = set(brute.PLACES[start : start + width])
    suits = set(rng.permutation(list(brute.SUITS))[: rng.integers(1, 5)])
    near = [card for card in brute.pack(decks) if card[0] in ranks and card[1:] in suits]
    far = brute.without(brute.pack(decks), near)
    most = brute.HAND_SIZE[decks]
    cards = rng.permutation(near)[: rng.integers(5, most + 1)].tolist()
    return brute.sort_cards(
        [*cards, *rng.permutation(far)[: rng.integers(0, max(1, min(4, most - len(cards))))]]
    )


def lower_play(rng: np.random.Generator, hand: list[str], options: dict[str, Any]) -> brute.Play | None:
    """A play that other cards of the pack can make, to be beaten; mostly a straight."""
    others = brute.without(brute.pack(options["decks"]), hand)
    if rng.random() < 0.3 or not others:
        return None
    window = str(rng.choice(brute.windows(int(rng.integers(5, 8)))[:5]))
    cards = [[card for card in others if card[0] == rank] for rank in window]
    if rng.random() < 0.7 and all(cards):
        return brute.classify([str(rng.choice(own)) for own in cards], options)
    return brute.classify(rng.permutation(others)[:1].tolist(), options)


@pytest.mark.parametrize("decks", [1, 2])
@pytest.mark.parametrize("hands", [200, pytest.param(MANY_HANDS, marks=pytest.mark.slow)])
def test_dense_hands_have_the_same_plays(hands: int, decks: int, rotate: int) -> None:
    seen: Counter[str] = Counter()
    for number in range(MANY_HANDS):
        if number >= hands and seen["straight"]:
            break
        rng = np.random.default_rng([rotate, number, decks, 51])
        is_first = bool(rng.random() < 0.3)
        options = {"decks": decks, "lead_spade_three": is_first, "distinct_wings": bool(rng.random() < 0.3)}
        hand = dense_hand(rng, decks)
        if is_first and "3S" not in hand:
            continue
        table = None if is_first else lower_play(rng, hand, options)
        env = new_table("zheng_shang_you", options)
        put(env, hand, table and table.cards, is_first)
        expected = brute.legal_plays(hand, table, options, is_first)
        if len(expected) > MOST_PLAYS:
            continue
        plays = [brute.Play(p.name, p.length, p.key, p.cards) for p in env.legal_plays()]
        assert len(set(plays)) == len(plays)
        assert set(plays) == expected, f"hand {number} under {options}\n{env.text()}"
        choices = Counter(map(brute.without_suits, plays))
        for play in plays:
            seen[play.name] += choices[brute.without_suits(play)] > 1
        seen["hands"] += 1
    print(dict(sorted(seen.items())))
    assert seen["hands"] > hands // 3
    assert seen["straight"]
    assert hands < MANY_HANDS or (seen["flush_straight"] and seen["single"])  # in few hands a matter of luck
