"""Hypothesis on hands, decks and records of Guan Pai: any options, any order of the pack."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envs import record as records
from envs.core.aec import TableEnv
from envs.guan_pai.actions import CARDS
from envs.guan_pai.rules import HAND_SIZE

from .brute import guan_pai as brute
from .games import CHOICES, Options, is_over, legal, new_table, play
from .guan_pai_tables import SEATS, ranks_of

# The same examples every time: what fails here fails everywhere.
fixed = settings(derandomize=True, database=None, deadline=None, max_examples=200)

decks = st.permutations(CARDS)
seeds = st.integers(0, 2**32 - 1)


def options_with(cards_each: st.SearchStrategy[int]) -> st.SearchStrategy[Options]:
    """Any options that go together, with so many cards dealt to a seat."""
    of_their_own = {
        "loss_cap": st.none() | st.integers(0, 10**9),
        "base": st.integers(1, 1000),
        "cards_each": cards_each,
    }
    choices = {name: st.sampled_from(values) for name, values in CHOICES["guan_pai"].items()}
    return st.fixed_dictionaries({**choices, **of_their_own}).map(
        lambda options: {
            **options,
            "lead_diamond_three": options["lead_diamond_three"] and options["cards_each"] == HAND_SIZE,
        }
    )


all_options = options_with(st.integers(1, HAND_SIZE) | st.just(HAND_SIZE))
small = options_with(st.integers(1, 7))


def dealt(options: Options, deck: list[str], seed: int, part: float) -> TableEnv:
    """A table some way into a random game; ``part`` 1 is the end."""
    env = new_table("guan_pai", options, deck=deck)
    total = play(env, np.random.default_rng(seed))
    env.reset(options={"deck": deck})
    play(env, np.random.default_rng(seed), int(part * total))
    return env


@fixed
@given(all_options, decks, seeds, st.floats(0, 1))
def test_the_deck_comes_back_and_no_card_is_lost(
    options: Options, deck: list[str], seed: int, part: float
) -> None:
    env = dealt(options, deck, seed, part)
    assert env.deck() == deck
    in_play = SEATS * options["cards_each"]
    held = [env.hand(seat) for seat in range(SEATS)]
    for seat, hand in enumerate(held):
        spent = [card for who, made in env.history() if who == seat for card in made.cards]
        assert sorted(hand + spent) == sorted(deck[seat:in_play:SEATS])


@fixed
@given(all_options, decks, seeds, st.floats(0, 0.999))
def test_actions_for_inverts_every_legal_play(
    options: Options, deck: list[str], seed: int, part: float
) -> None:
    env = dealt(options, deck, seed, part)
    plays = env.legal_plays()
    assert plays and len(plays) == len({made.actions for made in plays})
    assert {made.actions[0] for made in plays} == set(legal(env).tolist())
    rng = np.random.default_rng(seed)
    for made in plays if len(plays) < 12 else [plays[i] for i in rng.integers(len(plays), size=12)]:
        same = [p for p in plays if (p.name, p.key, p.cards) == (made.name, made.key, made.cards)]
        shortest = min(same, key=lambda p: p.length)  # of last hands with wings
        assert env.actions_for(made.cards, name=made.name, key=made.key) == shortest.actions


@fixed
@given(small, decks, seeds)
def test_legal_plays_are_the_referee_s(options: Options, deck: list[str], seed: int) -> None:
    env = new_table("guan_pai", options, deck=deck)
    rng, leader = np.random.default_rng(seed), int(env.agent_selection[-1])
    hands = [env.hand(seat) for seat in range(SEATS)]
    rules = {name: value for name, value in options.items() if name != "cards_each"}
    referee = brute.Referee(hands, leader, rules, hand_size=options["cards_each"])
    while not is_over(env):
        plays = env.legal_plays()
        ours = [(p.name, p.length, p.key, ranks_of(p.cards)) for p in plays]
        assert len(ours) == len(set(ours)) and set(ours) == referee.legal()
        chosen = int(rng.integers(len(plays)))
        for action in plays[chosen].actions:
            env.step(action)
        referee.play(*ours[chosen])
    assert env.scores() == referee.scores()


@fixed
@given(all_options, decks, seeds, st.floats(0, 1))
def test_a_record_survives_json_and_verifies(
    options: Options, deck: list[str], seed: int, part: float
) -> None:
    record = dealt(options, deck, seed, part).record()
    again = records.parse(json.dumps(record))
    assert again == record and again["rules"] == options
    records.verify(again)


def mutate(record: dict[str, Any], what: str, rng: np.random.Generator) -> None:
    """Change one thing in the record of a finished game."""
    if what == "action":
        decision = record["decisions"][rng.integers(len(record["decisions"]))]
        decision[1] = int((decision[1] + rng.integers(1, 266)) % 266)
    elif what == "seat":
        decision = record["decisions"][rng.integers(len(record["decisions"]))]
        decision[0] = int((decision[0] + rng.integers(1, SEATS)) % SEATS)
    elif what == "card":
        with_cards = [cards for _, _, cards, _ in record["plays"] if cards]
        cards = with_cards[rng.integers(len(with_cards))]
        cards[rng.integers(len(cards))] = str(rng.choice([card for card in CARDS if card not in cards]))
    elif what == "scores":
        seat = int(rng.integers(SEATS))
        record["scores"][seat] += 1
        record["scores"][seat - 1] -= 1


@pytest.mark.parametrize("what", ["action", "seat", "card", "scores"])
@fixed
@given(options=all_options, deck=decks, seed=seeds)
def test_a_changed_record_is_refused(what: str, options: Options, deck: list[str], seed: int) -> None:
    record = json.loads(json.dumps(dealt(options, deck, seed, 1).record()))
    mutate(record, what, np.random.default_rng(seed))
    with pytest.raises(ValueError, match=r"^(decision \d+|plays|scores|decisions)"):
        records.verify(record)
