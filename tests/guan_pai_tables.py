"""Guan Pai tables made to measure: a hand, a trick, the hidden cards of others, stacked decks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from envs.core.aec import TableEnv
from envs.core.cards import SUITS
from envs.guan_pai import text
from envs.guan_pai.actions import ACTIONS, CARDS, LEAD, MOST_OF_RANK, RANKS, lanes_of

from .brute import guan_pai as brute

SEATS = 3


def give(t: Any, seat: int, cards: Sequence[str]) -> None:
    """Make ``cards`` (with suits) the hand of ``seat`` in the record ``t``."""
    t["hand"][seat] = t["suits"][seat] = 0
    for card in cards:
        t["hand"][seat, RANKS.index(card[0])] += 1
        t["suits"][seat, RANKS.index(card[0])] |= 1 << SUITS.index(card[1])
    t["lanes"][seat] = lanes_of(t["hand"][seat])
    t["left"][seat] = len(cards)


def with_suits(*hands: str) -> list[list[str]]:
    """Hands given by rank as cards of one pack, lowest suits first."""
    pack = list(CARDS)
    dealt: list[list[str]] = [[] for _ in hands]
    for cards, hand in zip(dealt, hands, strict=True):
        for rank in hand:
            card = next(card for card in pack if card[0] == rank)
            pack.remove(card)
            cards.append(card)
    return dealt


def put(
    env: TableEnv,
    hands: Sequence[Sequence[str]],
    turn: int,
    table: Sequence[Any] | None = None,
    plays: int = 3,
) -> None:
    """Set up a moment: hands (cards), who is to act, the reading (name, length, key) to beat."""
    t = env._tables[0]
    for seat, cards in enumerate(hands):
        give(t, seat, cards)
    t["turn"], t["plays"], t["last"] = turn, plays, LEAD
    if table is not None:
        name, length, key = table
        t["last"] = [(a.kind, a.length, RANKS[a.key]) for a in ACTIONS].index((name, length, key))
        t["owner"] = (turn - 1) % SEATS
    held = t["hand"].sum(axis=0)
    t["gone"] = np.maximum(MOST_OF_RANK - held, 0)
    env._look_again()
    env._start(env.possible_agents[turn])


def ranks_of(cards: Sequence[str]) -> str:
    return brute.sort_ranks("".join(card[0] for card in cards))


def redeal_hidden(t: Any, deck: Sequence[str], seat: int, rng: np.random.Generator) -> None:
    """Deal anew what ``seat`` does not see: other hands, cards out of play, a half-made play."""
    hands = [text.hand(t, who) for who in range(SEATS)]
    others = [who for who in range(SEATS) if who != seat]
    dealt = SEATS * int(t["cards_each"])
    hidden = rng.permutation([*hands[others[0]], *hands[others[1]], *deck[dealt:]]).tolist()
    first = len(hands[others[0]])
    give(t, others[0], hidden[:first])
    give(t, others[1], hidden[first : first + len(hands[others[1]])])
    t["deck"] = rng.permutation(t["deck"])
    t["chance"] = rng.integers(2**63, size=4)
    t["breach"] = rng.integers(2)
    if t["turn"] != seat:
        if t["pending"]:
            t["decisions"] -= 1 + ACTIONS[t["pending"]].kickers - t["wanted"]
            t["log"][t["decisions"] :] = 0
        t["pending"] = t["wanted"] = t["lowest"] = 0
        t["chosen"] = 0


def runs_deck(rng: np.random.Generator) -> list[str]:
    """A deck that gives hands made of runs of cards: bombs, triples and chains are common."""
    pack = list(np.roll(CARDS, rng.integers(len(CARDS))))
    blocks = []
    while pack:
        size = int(rng.integers(1, 14))
        blocks.append(pack[:size])
        pack = pack[size:]
    cards = [card for block in rng.permutation(len(blocks)) for card in blocks[block]]
    return as_deck([cards[16 * seat : 16 * seat + 16] for seat in range(SEATS)])


def triples_deck(rng: np.random.Generator) -> list[str]:
    """A deck that gives every seat some consecutive triples, first, and then anything."""
    pack, hands, start = rng.permutation(CARDS).tolist(), [], 0
    for length in rng.permutation([5, 4, 3] if rng.random() < 0.3 else [3, 2, 2]):
        hand = []
        for rank in RANKS[start : start + length]:
            hand += [card for card in pack if card[0] == rank][:3]
        start += length + int(rng.integers(2)) * (length < 4)
        pack = [card for card in pack if card not in hand]
        hands.append(hand)
    for hand in hands:
        while len(hand) < 16:
            hand.append(pack.pop())
    return as_deck([hands[seat] for seat in rng.permutation(SEATS)])


def as_deck(hands: Sequence[Sequence[str]]) -> list[str]:
    """The deck that deals these three whole hands, each in its order."""
    return [str(hands[i % SEATS][i // SEATS]) for i in range(len(CARDS))]


def observed(env: TableEnv, seat: int, leader: int) -> dict[str, Any]:
    """Every field of what ``seat`` sees, worked out from the plays so far."""
    rules, names = env.rules.as_dict(), [action.kind for action in ACTIONS]
    kinds = list(dict.fromkeys(names))[:-1]
    who = [(seat + i) % SEATS for i in range(SEATS)]
    plays = env.history()
    by_seat: list[list[Any]] = [[made for other, made in plays if other == s] for s in range(SEATS)]
    num_done = sum(len(made.actions) for _, made in plays)
    pending = [action for _, action in env._decisions[num_done:]]
    turn = int(env._tables[0]["turn"])
    half_made = pending if turn == seat else []

    def counts(cards: Sequence[str]) -> list[list[int]]:
        held = [sum(card[0] == rank for card in cards) for rank in RANKS]
        return [[int(n > k) for n in held] for k in range(4)]

    def unary(n: int, size: int) -> list[int]:
        return [int(i < n) for i in range(size)]

    def one_hot(value: Any, values: Sequence[Any]) -> list[int]:
        return [int(value == v) for v in values]

    all_cards = [[card for made in by_seat[s] for card in made.cards] for s in range(SEATS)]
    seen = [card for cards in all_cards for card in cards] + env.hand(seat)
    beaten = [(other, made) for other, made in plays if made.name != "pass"]
    passes = next((i for i, (_, made) in enumerate(reversed(plays)) if made.name != "pass"), 0)
    to_beat = ACTIONS[beaten[-1][1].actions[0]] if beaten and passes < 2 else ACTIONS[LEAD]
    body = [RANKS[r] for a in half_made for r, n in enumerate(ACTIONS[a].body) for _ in range(n)]
    wanted = ACTIONS[half_made[0]].kickers + 1 - len(half_made) if half_made else 0
    cap = rules["loss_cap"]
    return {
        "hand": counts(env.hand(seat)),
        "pending": counts(body),
        "unseen": counts([card for card in CARDS if card not in seen]),
        "played": [counts(all_cards[s]) for s in who],
        "latest": [counts(by_seat[s][-1].cards if by_seat[s] else []) for s in who],
        "passed": [int(bool(by_seat[s]) and by_seat[s][-1].name == "pass") for s in who],
        "left": [unary(len(env.hand(s)), 16) for s in who],
        "bombs": [unary(sum(made.name == "bomb" for made in by_seat[s]), 4) for s in who],
        "table_kind": one_hot(to_beat.kind, kinds),
        "table_key": one_hot(to_beat.key, range(len(RANKS))),
        "table_length": unary(to_beat.length, 12),
        "owner": one_hot(beaten[-1][0] if beaten else None, who),
        "passes": unary(passes % 2, 2),
        "to_move": one_hot(turn, who),
        "leader": one_hot(leader, who),
        "first_play": int(not beaten),
        "pending_kind": one_hot(ACTIONS[half_made[0]].kind if half_made else None, kinds),
        "wanted": unary(wanted, 6),
        "must_beat": one_hot(rules["must_beat"], ["off", "non_bomb", "all"]),
        "lead_diamond_three": int(rules["lead_diamond_three"]),
        "short_plane_follow": int(rules["short_plane_follow"]),
        "dingda": one_hot(rules["dingda"], ["liability", "forced", "off"]),
        "bomb_doubling": one_hot(rules["bomb_doubling"], ["every_bomb", "once", "winner_only", "off"]),
        "loss_cap": [int(cap is None or cap >= units) for units in (10, 20, 40, 60, 80, 100, 150, 200, 400)],
        "no_cap": int(cap is None),
    }
