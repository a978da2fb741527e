"""Zheng Shang You tables made to measure: a hand, a trick, the hidden cards of others, stacked decks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from envs.core.aec import TableEnv
from envs.zheng_shang_you import text
from envs.zheng_shang_you.actions import COUNTED, LEAD, NUM_RANKS, RANKS

from .brute import zheng_shang_you as brute

SEATS = 4


def give(t: Any, seat: int, cards: Sequence[str]) -> None:
    """Make ``cards`` the hand of ``seat`` in the record ``t``."""
    t["hand"][seat] = [sum(card[0] == rank for card in cards) for rank in RANKS]
    t["lanes"][seat] = sum(int(COUNTED[r, t["hand"][seat, r]]) for r in range(NUM_RANKS))
    t["cards"][seat] = text.words_of(cards)
    t["suited"][seat] = bool(brute.live_cards(cards))
    t["left"][seat] = len(cards)


def put(
    env: TableEnv, hand: Sequence[str], table: Sequence[str] | None = None, first_play: bool = False
) -> None:
    """Set up a moment: seat 0 is to act with ``hand`` and to beat the play of cards ``table`` by seat 3.

    The cards of the others are some of the rest of the pack.
    """
    env.reset(seed=0)
    t = env._tables[0]
    rest = brute.without(env.game.cards, [*hand, *(table or ())])
    for seat, cards in enumerate([hand, rest[0:3], rest[3:6], rest[6:9]]):
        give(t, seat, cards)
    held = [sum(t["hand"][:, r]) for r in range(NUM_RANKS)]
    t["gone"] = [sum(card[0] == rank for card in env.game.cards) - n for rank, n in zip(RANKS, held, strict=True)]
    t["turn"], t["plays"], t["last"] = 0, 1 - first_play, LEAD
    if table is not None:
        play = brute.classify(table, env.rules.as_dict())
        assert play is not None, table
        t["last"], t["owner"] = action_of(play), SEATS - 1
        t["latest"][SEATS - 1] = text.words_of(table)
    env._look_again()
    env._start(env.possible_agents[0])


def action_of(play: brute.Play) -> int:
    """The id of the main combination of a play."""
    from envs.zheng_shang_you.actions import ACTIONS

    wanted = (play.name, play.length, RANKS.index(play.key))
    return [(a.kind, a.length, a.key) for a in ACTIONS].index(wanted)


def redeal_hidden(t: Any, deck: Sequence[str], seat: int, rng: np.random.Generator) -> None:
    """Deal anew what ``seat`` does not see: other hands, cards out of play, a half-made play."""
    hands = [text.hand(t, who) for who in range(SEATS)]
    others = [who for who in range(SEATS) if who != seat]
    dealt = SEATS * int(t["cards_each"])
    hidden = rng.permutation([card for who in others for card in hands[who]] + list(deck[dealt:])).tolist()
    for who in others:
        give(t, who, hidden[: len(hands[who])])
        hidden = hidden[len(hands[who]) :]
    t["deck"] = rng.permutation(t["deck"])
    t["chance"] = rng.integers(2**63, size=4)
    if t["turn"] != seat:
        t["decisions"] -= t["steps"]
        for name in ("pending", "steps", "wanted", "lowest", "chosen", "spent", "suits_wanted", "lowest_suit"):
            t[name] = 0
        t["asked"] = -1


def stacked_deck(rng: np.random.Generator, decks: int, by: str) -> list[str]:
    """A deck that gives hands rich in equal ranks (``by="rank"``), in flush runs ("suit"), or in both."""
    cards = brute.pack(decks)
    order = {"rank": lambda c: (brute.RANKS.index(c[0]), c), "suit": lambda c: (c[1:], brute.RANKS.index(c[0]))}
    cards.sort(key=order["suit" if by == "both" else by])
    blocks, start = [], int(rng.integers(len(cards)))
    cards = cards[start:] + cards[:start]
    while cards:
        size = int(rng.integers(1, 14))
        blocks.append(cards[:size])
        cards = cards[size:]
    if by == "both":  # neighbouring ranks in two suits
        blocks.sort(key=lambda block: (brute.RANKS.index(block[0][0]) + 3 * rng.random()))
    else:
        blocks = [blocks[i] for i in rng.permutation(len(blocks))]
    dealt = [card for block in blocks for card in block]
    size = len(dealt) // SEATS
    hands = [dealt[size * seat : size * (seat + 1)] for seat in range(SEATS)]
    hands = [rng.permutation(hands[seat]).tolist() for seat in rng.permutation(SEATS)]
    return [hands[i % SEATS][i // SEATS] for i in range(len(dealt))]
