"""Zheng Shang You tables made to measure: a hand, a trick, the hidden cards of others, stacked decks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from envs.core.aec import TableEnv
from envs.core.cards import SUITS
from envs.core.game import Play
from envs.zheng_shang_you import text
from envs.zheng_shang_you.actions import ACTIONS, COUNTED, KICKER, KINDS, LEAD, NUM_RANKS, RANKS, SUIT

from .brute import zheng_shang_you as brute

SEATS = 4
SUITED, JOKERS = RANKS[:-2], RANKS[-2:]


def give(t: Any, seat: int, cards: Sequence[str]) -> None:
    """Make ``cards`` the hand of ``seat`` in the record ``t``."""
    t["hand"][seat] = [sum(card[0] == rank for card in cards) for rank in RANKS]
    t["lanes"][seat] = sum(int(COUNTED[r, t["hand"][seat, r]]) for r in range(NUM_RANKS))
    t["cards"][seat] = text.words_of(cards)
    t["live"][seat] = text.words_of(list(brute.live_cards(cards).elements()))
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
    t["gone"] = [
        sum(card[0] == rank for card in env.game.cards) - n for rank, n in zip(RANKS, held, strict=True)
    ]
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
        for name in (
            "pending",
            "steps",
            "wanted",
            "lowest",
            "chosen",
            "spent",
            "suits_wanted",
            "lowest_suit",
            "suits",
        ):
            t[name] = 0
        t["asked"] = -1


def stacked_deck(rng: np.random.Generator, decks: int, by: str) -> list[str]:
    """A deck that gives hands rich in equal ranks (``by="rank"``), in flush runs ("suit"), or in both."""
    cards = brute.pack(decks)
    order = {
        "rank": lambda c: (brute.RANKS.index(c[0]), c),
        "suit": lambda c: (c[1:], brute.RANKS.index(c[0])),
    }
    cards.sort(key=order["suit" if by == "both" else by])
    blocks, start = [], int(rng.integers(len(cards)))
    cards = cards[start:] + cards[:start]
    while cards:
        size = int(rng.integers(1, 14))
        blocks.append(cards[:size])
        cards = cards[size:]
    if by == "both":  # neighbouring ranks in two suits
        blocks.sort(key=lambda block: brute.RANKS.index(block[0][0]) + 3 * rng.random())
    else:
        blocks = [blocks[i] for i in rng.permutation(len(blocks))]
    dealt = [card for block in blocks for card in block]
    size = len(dealt) // SEATS
    hands = [dealt[size * seat : size * (seat + 1)] for seat in range(SEATS)]
    hands = [rng.permutation(hands[seat]).tolist() for seat in rng.permutation(SEATS)]
    return [hands[i % SEATS][i // SEATS] for i in range(len(dealt))]


# --- the steps of a play, and what is seen of it: from the words of the rules -----------------------


def plain(play: Play) -> brute.Play:
    """A play of the engine's as the referee has it."""
    return brute.Play(play.name, play.length, play.key, play.cards)


def in_order(cards: Sequence[str] | Counter[str]) -> list[str]:
    """Cards by rank, then suit."""
    return brute.sort_cards(Counter(cards).elements())


def decided_at_once(name: str, cards: Sequence[str], hand: Sequence[str], due: bool) -> Counter[str]:
    """Those of a play's cards that leave no choice: 3S if it is ``due``, and what is not flush-live."""
    if name in brute.STRAIGHTS:
        return Counter()
    fixed = Counter(cards) & (Counter(hand) - brute.live_cards(hand))
    return fixed | Counter({brute.SPADE_THREE: int(due and brute.SPADE_THREE in cards)})


def suit_steps(name: str, cards: Sequence[str], hand: Sequence[str], due: bool) -> list[tuple[str, ...]]:
    """For every way to spend the ranks of ``cards``: the cards of which the suit is chosen, in order."""
    ranks = brute.ranks_of(cards)
    ways = [in_order(way) for way in brute.card_choices(name, ranks, list(hand), due)]
    if name == "flush_straight":  # the suit of one is that of all
        return [(way[0],) for way in ways]
    return [tuple(in_order(Counter(way) - decided_at_once(name, way, hand, due))) for way in ways]


def ask(ways: Sequence[tuple[str, ...]], answers: Sequence[str]) -> tuple[list[str], list[str]]:
    """The cards chosen by these ``answers`` (suits), and the suits to choose from next, if any.

    Where only one suit is left there is no question.
    """
    chosen: list[str] = []
    answers = list(answers)
    while len(chosen) < len(ways[0]):
        suits = sorted({way[len(chosen)][1] for way in ways}, key=SUITS.index)
        if len(suits) > 1 and not answers:
            return chosen, suits
        suit = answers.pop(0) if len(suits) > 1 else suits[0]
        ways = [way for way in ways if way[len(chosen)][1] == suit]
        chosen.append(ways[0][len(chosen)])
    return chosen, []


def actions_of(play: brute.Play, hand: Sequence[str], due: bool) -> tuple[int, ...]:
    """The actions that make a play: main combination, kickers, suits."""
    if play == brute.PASS:
        return (LEAD,)
    body = brute.body_of(*play[:3])
    kickers = sorted(RANKS.index(r) for r in brute.without_suits(play)[3][len(body) :: 2])
    ways = suit_steps(play.name, play.cards, hand, due)
    own = (
        list(play.cards[:1])
        if play.name == "flush_straight"
        else in_order(Counter(play.cards) - decided_at_once(play.name, play.cards, hand, due))
    )
    answers: list[str] = []
    while (state := ask(ways, answers))[1]:
        answers.append(own[len(state[0])][1])
    suits = [SUITS.index(suit) for suit in answers]
    return (action_of(play), *(KICKER + k for k in kickers), *(SUIT + s for s in suits))


def observed(env: TableEnv, seat: int) -> dict[str, Any]:
    """Every field of what ``seat`` sees, worked out from the plays so far."""
    rules = env.rules.as_dict()
    who = [(seat + i) % SEATS for i in range(SEATS)]
    plays = env.history()
    by_seat: list[list[Play]] = [[made for other, made in plays if other == s] for s in range(SEATS)]
    half_made = [action for _, action in env._decisions[sum(len(made.actions) for _, made in plays) :]]
    turn, hand = int(env._tables[0]["turn"]), env.hand(seat)
    kinds = KINDS[: KINDS.index("kicker")]

    def counts(cards: Sequence[str], ranks: str = SUITED, least: int = 0, size: int = 4) -> list[list[int]]:
        held = Counter(card[0] for card in cards)
        return [[int(held[rank] > least + k) for rank in ranks] for k in range(size)]

    def jokers(cards: Sequence[str]) -> list[list[int]]:
        return counts(cards, JOKERS, size=2)

    def places(cards: Sequence[str] | Counter[str], copies: int = 1) -> list[list[int]]:
        held = Counter(cards)
        return [[int(held[rank + suit] >= copies) for rank in SUITED] for suit in SUITS]

    def unary(n: int, size: int) -> list[int]:
        return [int(i < n) for i in range(size)]

    def one_hot(value: Any, values: Sequence[Any]) -> list[int]:
        return [int(value == v) for v in values]

    table, owner, out = None, None, set()  # the trick
    for other, made in plays:
        if made.name == "pass":
            out.add(other)
            if len(out) == SEATS - 1:
                table, out = None, set()
        else:
            table, owner = made, other
            out = out if rules["pass_lockout"] else set()
    key, length = (table.key, table.length) if table else ("", 0)
    played = [[card for made in by_seat[s] for card in made.cards] for s in who]
    latest = [by_seat[s][-1].cards if by_seat[s] else () for s in who]
    unseen = brute.without(env.game.cards, [*hand, *(card for cards in played for card in cards)])
    live = brute.live_cards(hand)

    kind, wanted, pending, decided, rank, suits = "", 0, "", Counter(), "", []
    if half_made and turn == seat:
        main = ACTIONS[half_made[0]]
        kind, wanted = main.kind, main.kickers
        pending = main.written
        answers = []
        for action in half_made[1:]:
            if action < SUIT:
                pending += 2 * RANKS[action - KICKER]
                wanted -= 1
            else:
                answers.append(SUITS[action - SUIT])
        if not wanted:
            due = rules["lead_spade_three"] and owner is None
            ways = suit_steps(kind, pending, hand, due)
            chosen, suits = ask(ways, answers)
            if kind != "flush_straight":
                rank = ways[0][len(chosen)][0]
                all_cards = next(brute.card_choices(kind, pending, hand, due))
                decided = decided_at_once(kind, all_cards, hand, due) + Counter(chosen)
                for card in [*decided]:
                    if RANKS.index(card[0]) > RANKS.index(rank):
                        del decided[card]
    seen: dict[str, Any] = {
        "hand": places(hand),
        "ranks": counts(hand),
        "live": places(live),
        "runs": [[brute.covers(hand, window, suit) for window in brute.windows(5)] for suit in SUITS],
        "unseen": counts(unseen),
        "played": [places(cards) for cards in played],
        "latest": [places(cards) for cards in latest],
        "passed": [int(bool(by_seat[s]) and by_seat[s][-1].name == "pass") for s in who],
        "out": [int(s in out) for s in who],
        "left": [unary(len(env.hand(s)), 13) for s in who],
        "table_kind": one_hot(table.name if table else "pass", kinds),
        "table_key": one_hot(key, SUITED),
        "table_length": unary(length, 13),
        "owner": one_hot(owner, who),
        "to_move": one_hot(turn, who),
        "leader": one_hot(brute.leader(env.deck(), rules["decks"], rules["cards_each"]), who),
        "first_play": int(owner is None),
        "pending_kind": one_hot(kind, kinds),
        "pending": counts(pending),
        "pending_cards": places(decided),
        "wanted": unary(wanted, 5),
        "asked": one_hot(rank, SUITED),
        "suits": [int(suit in suits) for suit in SUITS],
        **{name: int(rules[name]) for name in ("pass_lockout", "lead_spade_three", "distinct_wings")},
    }
    if rules["decks"] == 2:
        seen |= {
            "hand_twice": places(hand, 2),
            "ranks_more": counts(hand, least=4),
            "jokers": jokers(hand),
            "live_twice": places(live, 2),
            "unseen_more": counts(unseen, least=4),
            "unseen_jokers": jokers(unseen),
            "played_twice": [places(cards, 2) for cards in played],
            "played_jokers": [jokers(cards) for cards in played],
            "latest_twice": [places(cards, 2) for cards in latest],
            "latest_jokers": [jokers(cards) for cards in latest],
            "left_more": [unary(len(env.hand(s)) - 13, 14) for s in who],
            "table_key_joker": one_hot(key, JOKERS),
            "table_length_more": unary(length - 13, 14),
            "pending_more": counts(pending, least=4),
            "pending_jokers": jokers(pending),
            "pending_twice": places(decided, 2),
        }
    return seen
