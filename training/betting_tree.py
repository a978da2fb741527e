"""Diao Xie as a tree of betting lines times private hands: what exact solving works on.

In a hand all cards are dealt before the first action, so a game is (hands, line): a **point** is a line of
actions after which a seat decides, an **end** is one after which the hand is settled. The tree and the points
of every seat at its ends are found by playing the engine, at one table for each **kind** of deal; two deals
are of one kind if their hands compare alike, pair by pair, if the same of them are plain hands of 0 points,
and if the same seat holds the supreme hand. That is all that a settlement looks at (rules, section 7).

Hands are the 151 types of ``envs.diao_xie.hands``, or all 496 for players that tell them apart. All sums over
deals are exact: ``Betting.weights`` counts the ways to deal hands of these types from one pack.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envs import make_vec
from envs.core.game import MASK, get
from envs.core.jit import njit
from envs.diao_xie.actions import NUM_ACTIONS
from envs.diao_xie.hands import (
    CATEGORY,
    HAND_POINTS,
    HAND_TYPES,
    HANDS,
    NUM_CARDS,
    NUM_TYPES,
    PLAIN,
    STRENGTH,
    SUPREME,
    TYPE,
)
from envs.diao_xie.rules import DiaoXieRules
from envs.diao_xie.table import apply

Floats = NDArray[np.float64]

GAME = "diao_xie"
MOST_EXACT = 3  # players; the deals of four hands of 151 types are too many to go through
_CARDS_OF_TYPE = [np.flatnonzero(t == TYPE).tolist() for t in range(NUM_TYPES)]


# --- the tree -----------------------------------------------------------------------------------


@dataclass
class Tree:
    """The betting lines of a hand, in the order in which a walk through the tree meets them.

    Attributes
    ----------
    lines : list of tuple of int
        For each of D points the actions before it; a point comes after those on its way.
    seats : list of int
        Who decides there.
    children : list of dict
        By action what follows: a point, or ``~end``.
    ends : list of tuple of int
        The Z complete lines.
    scores : list of (K, n) float arrays
        For each end the points of the seats in each of K deals.
    """

    lines: list[tuple[int, ...]] = field(default_factory=list)
    seats: list[int] = field(default_factory=list)
    children: list[dict[int, int]] = field(default_factory=list)
    ends: list[tuple[int, ...]] = field(default_factory=list)
    scores: list[Floats] = field(default_factory=list)

    @cached_property
    def legal(self) -> NDArray[np.bool_]:
        """Which actions are legal at the points (D, A)."""
        return self.child_table != NO_CHILD

    @cached_property
    def child_table(self) -> NDArray[np.int64]:
        """``children`` as (D, A), for kernels."""
        table = np.full((len(self.lines), NUM_ACTIONS), NO_CHILD)
        for point, children in enumerate(self.children):
            table[point, list(children)] = list(children.values())
        return table

    def points_of(self, seat: int) -> list[int]:
        return [point for point, who in enumerate(self.seats) if who == seat]


NO_CHILD = np.iinfo(np.int64).max


@njit
def play_all(tables, action):
    """Play one ``action`` at every table."""
    for i in range(len(tables)):
        apply(tables[i], action)


def deal(rules: DiaoXieRules, decks: NDArray[np.int64]) -> NDArray[Any]:
    """Tables (K,) before the first action, dealt from ``decks`` (K, 32)."""
    vec = make_vec(GAME, len(decks), **rules.as_dict())
    vec.reset(seed=0, options={"decks": decks})
    return vec.tables(blank=False)


def masks_of(tables: NDArray[Any]) -> NDArray[np.int8]:
    """What is legal at each of the tables, (K, A)."""
    masks = np.zeros((len(tables), NUM_ACTIONS), MASK)
    get(GAME).loops.legal_all(tables, masks)
    return masks


def grow(rules: DiaoXieRules, decks: NDArray[np.int64]) -> Tree:
    """The tree, found by playing every line with each of ``decks`` (K, 32).

    Raises
    ------
    ValueError
        If an episode is more than one hand: its tree has cards dealt between two actions.
    """
    if rules.hands != 1:
        raise ValueError(f"a tree of betting lines is of one hand: leave out hands={rules.hands}")
    tree = Tree()

    def walk(tables: NDArray[Any], line: tuple[int, ...]) -> int:
        if tables["over"].all():
            tree.ends.append(line)
            tree.scores.append(tables["score"][:, : rules.num_players] / rules.num_players)
            return ~(len(tree.ends) - 1)
        masks = masks_of(tables)
        assert not tables["over"].any() and (masks == masks[0]).all(), "betting depends on hidden cards"
        point, children = len(tree.lines), dict[int, int]()
        tree.lines.append(line)
        tree.seats.append(int(tables["turn"][0]))
        tree.children.append(children)
        for action in np.flatnonzero(masks[0]).tolist():
            after = tables.copy()
            play_all(after, action)
            children[action] = walk(after, (*line, action))
        return point

    walk(deal(rules, decks), ())
    return tree


@cache
def tree_of(rules: DiaoXieRules) -> Tree:
    """The tree with a single deal, for its shape."""
    return grow(rules, np.arange(NUM_CARDS)[None])


# --- hands and deals ----------------------------------------------------------------------------


def type_counts() -> NDArray[np.int64]:
    """How many cards of each card type a hand type takes, (151, 17)."""
    counts = np.zeros((len(HAND_TYPES), NUM_TYPES), np.int64)
    for number, hand_type in enumerate(HAND_TYPES):
        np.add.at(counts[number], list(hand_type), 1)
    return counts


_CHOOSE = np.array([[1, 0, 0], [1, 1, 0], [1, 2, 1]])  # k of n cards of a type, [n, k]


@cache
def count_deals(num_players: int) -> NDArray[np.float32]:
    """In how many ways the seats can be dealt hands of given types, (151,) * n.

    Seat by seat: the ways to choose a hand's cards from those of its types which are left.

    >>> deals = count_deals(2)
    >>> int(deals.sum()) == 496 * 435, int(deals[0, 0]), int(deals[0, 16])  # no second pair of queens
    (True, 0, 0)
    """
    counts = type_counts()
    left = np.array([len(cards) for cards in _CARDS_OF_TYPE])
    ways = np.ones(())
    for seat in range(num_players):
        if seat > 0:
            left = np.maximum(left[..., None, :] - counts, 0)  # where it was less, there are no ways
        of_hand = [
            np.prod([_CHOOSE[left[..., t], counts[hand, t]] for t in set(HAND_TYPES[hand])], axis=0)
            for hand in range(len(counts))
        ]
        ways = ways[..., None] * np.stack(of_hand, axis=-1)
    return ways.astype(np.float32)


def disjoint_hands() -> NDArray[np.float32]:
    """The same for two players and the 496 hands themselves: 1 where they share no card."""
    holds = np.zeros((len(HANDS), NUM_CARDS))
    for number, hand in enumerate(HANDS):
        holds[number, list(hand)] = 1
    return (holds @ holds.T == 0).astype(np.float32)


def lay(hands: Sequence[Sequence[int]]) -> list[int]:
    """A deck that deals these hands, given as cards, to the seats."""
    dealt = [card for hand in hands for card in hand]
    return dealt + [card for card in range(NUM_CARDS) if card not in dealt]


def cards_of_types(types: Sequence[int]) -> list[list[int]]:
    """Cards for hands of these types that share none."""
    left = [cards.copy() for cards in _CARDS_OF_TYPE]
    return [[left[card_type].pop(0) for card_type in HAND_TYPES[hand]] for hand in types]


@dataclass(frozen=True)
class Betting:
    """A tree with the deals of its hands: two or three players.

    Attributes
    ----------
    rules : DiaoXieRules
    tree : Tree
        Its ``scores`` are by kind of deal.
    weights : (H,) * n float32
        Ways to deal each combination of hands.
    kinds : (H,) * n uint8
        The kind of each combination (0 where there is no way to deal it).
    """

    rules: DiaoXieRules
    tree: Tree
    weights: NDArray[np.float32]
    kinds: NDArray[np.uint8]

    @property
    def num_hands(self) -> int:
        return len(self.weights)

    @cached_property
    def shares(self) -> Floats:
        """The probability of each hand, (H,)."""
        by_hand = self.weights.reshape(self.num_hands, -1).sum(axis=1, dtype=np.float64)
        return by_hand / by_hand.sum()

    @cached_property
    def _by_seat(self) -> list[tuple[NDArray[Any], NDArray[Any], Floats]]:
        """For each seat weights and kinds (F, H, H) with its own hand last, and b at the ends (Z, K).

        Axes before are the others' in order; with two players F is 1. The numbers of an end are divided
        by that of all deals.
        """
        n, hands = self.rules.num_players, self.num_hands
        scores = np.stack(self.tree.scores) / (self.rules.base * self.weights.sum(dtype=np.float64))
        weights = self.weights.reshape(-1, hands, hands)  # the same whichever seat comes last
        parts = []
        for seat in range(n):
            axes = [*(other for other in range(n) if other != seat), seat]
            kinds = np.ascontiguousarray(self.kinds.transpose(axes).reshape(-1, hands, hands))
            parts.append((weights, kinds, np.ascontiguousarray(scores[:, :, seat])))
        return parts

    def end_values(self, seat: int, reaches: Floats) -> Floats:
        """What each hand of ``seat`` gets at each end.

        Parameters
        ----------
        seat : int
        reaches : (n, Z, H) float64
            The probability that each seat with each hand plays its part of the line.

        Returns
        -------
        (Z, H) float64
            Probability of the hand, times expected points in b, times the probability that the others
            play their parts; ``reaches[seat]`` does not enter.
        """
        others = [reaches[other] for other in range(len(reaches)) if other != seat]
        first = others[0] if len(others) == 2 else np.ones((len(self.tree.ends), 1))
        values = np.zeros((len(self.tree.ends), self.num_hands))
        _sum_over_deals(*self._by_seat[seat], first, others[-1], values)
        return values


@njit
def _sum_over_deals(weights, kinds, points, first, second, values):
    """Add up ``end_values``; pairs of hands that the others do not play on this line cost nothing."""
    for end in range(len(values)):
        for a in range(first.shape[1]):
            if first[end, a] == 0:
                continue
            for b in range(second.shape[1]):
                reach = first[end, a] * second[end, b]
                if reach != 0:
                    for own in range(values.shape[1]):
                        kind = kinds[a, b, own]
                        values[end, own] += reach * weights[a, b, own] * points[end, kind]


@cache
def betting_of(rules: DiaoXieRules, by_card: bool = False) -> Betting:
    """The game under these rules with hands by type, or ``by_card`` with all 496 (two players).

    Raises
    ------
    ValueError
        With more than one hand an episode, or with too many players.
    """
    n = rules.num_players
    if n > (2 if by_card else MOST_EXACT):
        raise ValueError(f"exact sums over all deals are for {'2' if by_card else '2 or 3'} players, not {n}")
    weights, kinds, decks = _kinds(n, by_card)
    return Betting(rules, grow(rules, decks), weights, kinds)


@cache
def _kinds(n: int, by_card: bool) -> tuple[NDArray[np.float32], NDArray[np.uint8], NDArray[np.int64]]:
    """Weights and kind of every combination of hands, and a deck for each kind."""
    weights = disjoint_hands() if by_card else count_deals(n)
    some_cards = HANDS if by_card else [cards_of_types([hand])[0] for hand in range(len(HAND_TYPES))]
    first, second = np.array(some_cards).T
    strength, is_supreme = STRENGTH[first, second], CATEGORY[first, second] == SUPREME
    is_zero = (CATEGORY[first, second] == PLAIN) & (HAND_POINTS[first, second] == 0)

    def along(seat: int, values: NDArray[Any]) -> NDArray[Any]:
        return values.reshape([-1 if axis == seat else 1 for axis in range(n)])

    code = np.zeros(weights.shape, np.int16)
    for a, b in combinations(range(n), 2):
        code = 3 * code + np.sign(along(a, strength) - along(b, strength)) + 1
    for seat in range(n):
        code = 4 * code + 2 * along(seat, is_zero) + along(seat, is_supreme)
    flat, possible = code.ravel(), weights.ravel() > 0
    found, where = np.unique(flat[possible], return_index=True)
    kind_of = np.zeros(int(code.max()) + 1, np.uint8)
    kind_of[found] = np.arange(len(found), dtype=np.uint8)
    examples = np.column_stack(np.unravel_index(np.flatnonzero(possible)[where], weights.shape)).tolist()
    dealt = [[HANDS[hand] for hand in hands] if by_card else cards_of_types(hands) for hands in examples]
    kinds = np.where(possible, kind_of[flat], 0).astype(np.uint8).reshape(weights.shape)
    return weights, kinds, np.array([lay(hands) for hands in dealt])
