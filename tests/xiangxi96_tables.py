"""Xiangxi 96 tables made to measure: positions of the cases, decks for rare events, hidden cards anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, permutations, product
from typing import Any

import numpy as np

import envs
from envs.core.aec import TableEnv
from envs.core.jit import config
from envs.xiangxi96 import table, text
from envs.xiangxi96.claims import ASKED_CHI, ASKED_HU, ASKED_TIE, DISCARDING
from envs.xiangxi96.kinds import NUM_CARDS
from envs.xiangxi96.melds import OTHER, OWN, PENG, SHAO
from envs.xiangxi96.win import find_wins

from .brute import xiangxi96 as brute

KINDS, COPIES, KAN = brute.KINDS, brute.COPIES, brute.KAN
PLAYERS = (2, 3, 4)
ACTIONS = (*KINDS, "hu", "pass", "chi_hand", "chi_table", "chi_half", "tie")
HU = ACTIONS.index("hu")
GROUP = brute.GROUPS[0]
INDEX = {kind: index for index, kind in enumerate(KINDS)}
FEWER = 6 if config.DISABLE_JIT else 1  # without the compiler random tests are so many times shorter
PHASES = {"discard": DISCARDING, "hu": ASKED_HU, "chi": ASKED_CHI, "tie": ASKED_TIE}


# --- cards and decks --------------------------------------------------------------------------------


def cards(compact: str) -> list[str]:
    """The cards of the rules' compact notation.

    >>> cards("rAA2 b7")
    ['rA', 'rA', 'r2', 'b7']
    """
    return [part[0] + rank for part in compact.split() for rank in part[1:]]


def counts(held: Iterable[str]) -> list[int]:
    """How many of each kind."""
    of = Counter(held)
    return [of[kind] for kind in KINDS]


def deal_sizes(num_players: int) -> list[int]:
    """The cards dealt to each, from the dealer on."""
    return [brute.HAND_SIZE + (i == 0) for i in range(num_players)]


def deck_of(
    hands: Sequence[Sequence[str]], stock: Sequence[str] = (), rng: np.random.Generator | None = None
) -> list[str]:
    """A deck that deals these hands, the dealer's first, and flips ``stock``; what is missing is shuffled.

    Hands may be short, the last ones empty: they are filled so that chance deals nobody a dragon.
    """
    rng = np.random.default_rng(0) if rng is None else rng
    given = Counter(card for hand in [*hands, stock] for card in hand)
    left = Counter(brute.PACK) - given
    assert given.total() + left.total() == NUM_CARDS, "a kind is there too often"
    while True:
        rest = rng.permutation(list(left.elements())).tolist()
        filled = [
            _fill(list(hand), size, rest) for hand, size in zip(hands, deal_sizes(len(hands)), strict=True)
        ]
        if all(len(hand) == size for hand, size in zip(filled, deal_sizes(len(hands)), strict=True)):
            return [*(card for hand in filled for card in hand), *stock, *rest]


def _fill(hand: list[str], size: int, rest: list[str]) -> list[str]:
    """The hand with cards of the front of ``rest``, taken from there, that make no four of a kind."""
    for card in rest[:]:
        if len(hand) == size:
            break
        if hand.count(card) < KAN:
            hand.append(card)
            rest.remove(card)
    return hand


def rich_deck(rng: np.random.Generator, num_players: int) -> list[str]:
    """A deck in which each player is dealt much of a few groups: kan, dragons, zhao, shuang long."""
    keenness = float(rng.choice([1, 3, 10]))  # how much rather they get a card of theirs
    left = rng.permutation(brute.PACK).tolist()
    deck: list[str] = []
    for size in deal_sizes(num_players):
        chosen = rng.choice(len(brute.GROUPS), 4, replace=False)
        theirs = [kind for group in chosen for kind in brute.GROUPS[group]]
        weights = np.array([keenness if card in theirs else 1.0 for card in left])
        taken = rng.choice(len(left), size, replace=False, p=weights / weights.sum())
        deck += [left[i] for i in taken]
        left = [card for i, card in enumerate(left) if i not in set(taken.tolist())]
    return deck + left


def units_to_win(
    rng: np.random.Generator,
    size: int,
    groups: Sequence[int],
    start: Iterable[brute.Meld] = (),
    kou: int = brute.KOU_TO_WIN,
) -> list[brute.Meld] | None:
    """Units of these groups with ``kou`` kou and ``size`` cards in all; None where chance finds none."""
    units = list(start)
    left = Counter(brute.PACK) - Counter(card for unit in units for card in brute.cards_of(unit))
    missing, missing_kou = size - sum(len(brute.cards_of(unit)) for unit in units), kou - brute.kou_of(units)
    for _ in range(100):
        if missing == missing_kou == 0:
            return units
        unit = _random_unit(rng, brute.GROUPS[groups[int(len(groups) * rng.random())]])
        needs = Counter(brute.cards_of(unit))
        if needs.total() <= missing and brute.kou_of([unit]) <= missing_kou and needs <= left:
            units.append(unit)
            left -= needs
            missing -= needs.total()
            missing_kou -= brute.kou_of([unit])
    return None


UNITS = {
    "ju": 0.3, "chi": 0.06, "kou": 0.17, "tie": 0.08, "kan": 0.15, "peng": 0.04, "shao": 0.06, "zou": 0.02,
    "ban": 0.05, "man": 0.05, "shuang": 0.02,
}  # fmt: skip
"""How often each is tried."""
ENDS = dict(zip(UNITS, accumulate(UNITS.values()), strict=True))
ORDERS = list(permutations(range(3)))


def _random_unit(rng: np.random.Generator, group: Sequence[str]) -> brute.Meld:
    """Any unit of a group."""
    order, place, *marks = rng.random(4).tolist()  # in one call: tests spend their time here
    kinds = [group[i] for i in ORDERS[int(order * len(ORDERS))]]
    own, is_other_own = (mark < 0.5 for mark in marks)
    what = next((name for name, end in ENDS.items() if place < end), "ju")
    if what in ("ju", "chi"):
        return {"type": what, "cards": list(group)}
    if what in ("kou", "tie"):
        return {"type": what, "cards": brute.in_order(kinds[:2])}
    if what in ("kan", "peng", "shao"):
        return {"type": what, "card": kinds[0]}
    if what == "shuang":
        return brute.shuang(brute.four(kinds[0], own, [kinds[1]]), kinds[2], is_other_own)
    return brute.four(kinds[0], own, kinds[1 : 1 + ("zou", "ban", "man").index(what)])


IN_HAND = ("ju", "kou", "kan")
SU_GROUPS = tuple(i for i, group in enumerate(brute.GROUPS) if not set(group) & set(brute.HUN))
HUN_GROUPS = tuple(i for i in range(len(brute.GROUPS)) if i not in SU_GROUPS)
ALL_GROUPS = tuple(range(len(brute.GROUPS)))


def ready_deck(rng: np.random.Generator, num_players: int, what: str, winner: int = 1) -> list[str]:
    """A deck whose first flip wins for the ``winner``-th after the dealer, who is dealt the rest of a win.

    ``what`` is "any", "su" or "bao zhu".
    """
    while True:
        start: list[brute.Meld] = []
        if what == "bao zhu":
            group = brute.GROUPS[int(rng.choice(HUN_GROUPS))]
            kinds = rng.permutation(list(group)).tolist()
            start = [brute.shuang(brute.four(kinds[0], True, [kinds[1]]), kinds[2], True)]
        units = units_to_win(rng, brute.HAND_SIZE + 1, SU_GROUPS if what == "su" else ALL_GROUPS, start)
        if units is None:
            continue
        won = [card for unit in units for card in brute.cards_of(unit)]
        card = str(rng.choice(won))
        hand = list((Counter(won) - Counter([card])).elements())
        melds, held, credit = brute.dealt_dragons(Counter(hand))
        win = brute.best_win(held, melds, card, winner == 1, {"num_players": num_players})
        if credit or win is None or (what != "any" and not win[what.replace(" ", "")]):
            continue
        return deck_of([hand if i == winner else [] for i in range(num_players)], [card], rng)


def dragon_deck(rng: np.random.Generator, num_players: int) -> list[str]:
    """A deck that deals somebody two or three groups with fours: lone, with companions, two of a group."""
    hand: Counter[str] = Counter()
    groups = [brute.GROUPS[i] for i in rng.permutation(len(brute.GROUPS))]
    alike = [None, None, None, None, (0, 0), (1, 0)][rng.integers(6)]  # three lone ones, or three ban-zhao
    for group in groups[: 3 if alike else int(rng.integers(2, 4))]:
        first, *others = rng.permutation(list(group)).tolist()
        company = alike or rng.choice([0, 0, 0, 1, 1, 2, 3, 4], 2).tolist()
        if hand.total() + COPIES + sum(company) <= brute.HAND_SIZE:
            hand += Counter({first: COPIES, others[0]: company[0], others[1]: company[1]})
    others = [card for group in groups[3:] for kind in group for card in [kind] * KAN]
    fill = rng.permutation(others)[: brute.HAND_SIZE - hand.total()].tolist()
    seat = int(rng.integers(num_players))
    return deck_of([[*hand.elements(), *fill] if i == seat else [] for i in range(num_players)], (), rng)


def opening_deck(rng: np.random.Generator, num_players: int) -> list[str]:
    """A deck that deals the dealer four of a kind, and else nothing but kan and ju, each of another group."""
    groups = rng.permutation(len(brute.GROUPS)).tolist()
    hand = [str(rng.choice(brute.GROUPS[groups[0]]))] * COPIES
    for group in groups[1:7]:
        kinds = brute.GROUPS[group]
        hand += list(kinds) if rng.random() < 0.5 else [str(rng.choice(kinds))] * KAN
    return deck_of([hand, *([] for _ in range(num_players - 1))], (), rng)


# --- positions --------------------------------------------------------------------------------------


def names(t: Any, field: str, seat: int) -> set[str]:
    """The kinds that a field by seat and kind holds."""
    return {KINDS[kind] for kind in np.flatnonzero(t[field][seat])}


def lay(t: Any, seat: int, meld: brute.Meld) -> None:
    """Write a meld of the rules' cases file into a record."""
    kinds = [INDEX[card] for card in meld.get("cards", [meld.get("card")])]
    group, what = kinds[0] // 3, meld["type"]
    if what == "tie":
        t["mouths"][seat, next(k for k in range(3 * group, 3 * group + 3) if k not in kinds)] += 1
    elif what == "chi":
        t["sentences"][seat, group] += 1
    elif what in ("peng", "shao"):
        t["triples"][seat, kinds[0]] = PENG if what == "peng" else SHAO
    else:
        own = meld["own"] if what == "shuang" else [meld["own"]]
        for kind, is_own in zip(kinds, own, strict=True):
            t["fours"][seat, kind] = OWN if is_own else OTHER
        if what == "shuang":
            t["joined"][seat, group] = 1
        else:
            t["company"][seat, kinds[0]] = len(meld["with"])
        if what == "ban":
            taken = [kinds[0], INDEX[meld["with"][0]]]
            t["lacks"][seat, group] = next(k for k in range(3 * group, 3 * group + 3) if k not in taken)


def put_seat(
    t: Any, seat: int, hand: Iterable[str], melds: Sequence[brute.Meld], options: Mapping[str, Any]
) -> None:
    """Give ``seat`` of a cleared record this hand and these melds."""
    held = list(hand)
    t["hand"][seat] = counts(held)
    t["held"][seat] = len(held)
    for meld in melds:
        lay(t, seat, meld)
    t["kou"][seat] = brute.kou_of(melds)
    t["bao_zhu"][seat] = sum(map(brute.is_bao_zhu, melds))
    t["worth"][seat] = sum(brute.meld_huxi(meld, brute.DEFAULTS | dict(options)) for meld in melds)
    t["shown"] += np.array(counts(card for meld in melds for card in brute.cards_of(meld)))


def position(case: Mapping[str, Any]) -> tuple[TableEnv, Any]:
    """A table at which the card of a ``claims`` case comes on offer, and the record just before.

    Behind it there is only what the case has as ``stock``, mostly nothing: who would flip next is the seat at
    which the game ends.
    """
    options = {**case["options"], "num_players": case["num_players"]}
    env: TableEnv = envs.make("xiangxi96", **options).unwrapped
    env.reset(seed=0, options={"dealer": case.get("dealer", 0)})
    t = env._tables[0]
    table.clear(t)
    for seat in range(case["num_players"]):
        put_seat(t, seat, case["hands"][seat], case["melds"][seat], options)
        find_wins(t, np.int64(seat))
        t["piles"][seat] = counts(case["piles"][seat]) if "piles" in case else 0
        t["shown"] += t["piles"][seat]
        for field in ("thrown", "passed_chi", "broken"):
            t[field][seat] = counts(set(case[field][seat])) if field in case else 0
        t["credit"][seat] = case["credits"][seat] if "credits" in case else 0
    card, owner, stock = INDEX[case["card"]], case["owner"], case.get("stock", [])
    t["dealt"] = NUM_CARDS - len(stock)
    t["deck"][t["dealt"] :] = [COPIES * INDEX[kind] for kind in stock]
    if case["source"] == "discard":
        t["hand"][owner, card] += 1
        t["held"][owner] += 1
        t["phase"], t["turn"] = DISCARDING, owner
        start(env)
        before = env._tables.copy()[0]
        env.step(card)
    else:
        t["dealt"] -= 1
        t["deck"][t["dealt"]] = COPIES * card
        before = env._tables.copy()[0]
        table.play_on(t, np.int64(owner), np.int64(0))
        start(env)
    return env, before


def start(env: TableEnv) -> None:
    """Let the environment go on from its record."""
    env._look_again()
    agent = env.possible_agents[int(env._tables[0]["turn"])]
    env._start(agent)
    env._decisions = []
    if env._tables[0]["over"]:
        env._finish(agent)


def happened(before: Any, env: TableEnv) -> list[tuple[int, str, tuple[str, ...]]]:
    """What has happened by itself since ``before``, as (seat, event, cards)."""
    return text.events(before, env._tables[0])


# --- hidden cards -----------------------------------------------------------------------------------


def redeal_hidden(t: Any, deck: Sequence[str], seat: int, rng: np.random.Generator) -> None:
    """Deal anew what ``seat`` does not know: other hands, the stock, who was asked and passed."""
    n, dealt = int(t["num_players"]), int(t["dealt"])
    others = [other for other in range(n) if other != seat]
    unseen = {kind: COPIES - int(t["shown"][kind] + t["hand"][seat, kind]) for kind in range(len(KINDS))}
    while True:
        rest = rng.permutation([kind for kind, count in unseen.items() for _ in range(count)]).tolist()
        hands = [_fill([], int(t["held"][other]), rest) for other in others]
        if len(rest) == NUM_CARDS - dealt:
            break
    for other, hand in zip(others, hands, strict=True):
        t["hand"][other] = [hand.count(kind) for kind in range(len(KINDS))]
        for field in ("passed_chi", "broken"):
            t[field][other] = rng.integers(2, size=len(KINDS))
        t["wins"][other] = rng.integers(1 << len(KINDS), size=2)
    _number_cards(t, rest, rng)
    t["chance"] = rng.integers(2**63, size=4)
    t["decisions"] = rng.integers(100)
    if t["phase"] != DISCARDING and t["turn"] != seat:
        t["turn"] = rng.choice(others)
        t["phase"] = rng.choice([ASKED_HU, ASKED_CHI, ASKED_TIE])


def _number_cards(t: Any, stock: Sequence[int], rng: np.random.Generator) -> None:
    """Make the deck end with these kinds; what has been flipped stays, what was dealt is the rest."""
    dealt = int(t["dealt"])
    first_flip = sum(deal_sizes(int(t["num_players"])))
    left = set(range(NUM_CARDS)) - set(t["deck"][first_flip:dealt].tolist())
    numbers = []
    for kind in stock:
        numbers.append(max(card for card in left if card // COPIES == kind))
        left.remove(numbers[-1])
    t["deck"] = [*rng.permutation(sorted(left)), *t["deck"][first_flip:dealt], *numbers]


def act(env: TableEnv, *actions: str) -> None:
    """Play actions by name."""
    for name in actions:
        env.step(ACTIONS.index(name))


def seat_of(env: TableEnv) -> int:
    return env.possible_agents.index(env.agent_selection)


def legal_names(env: TableEnv) -> list[str]:
    """The names of the legal actions, in the order of their numbers."""
    mask = env.observe(env.agent_selection)["action_mask"]
    return [ACTIONS[action] for action in np.flatnonzero(mask)]


def owing(hand: list[str], banned: list[str] = [], **options: Any) -> TableEnv:  # noqa: B006
    """A table at which player 0 has this hand and has to discard; the others have nothing."""
    env: TableEnv = envs.make("xiangxi96", **options).unwrapped
    env.reset(seed=0, options={"dealer": 0})
    t = env._tables[0]
    table.clear(t)
    put_seat(t, 0, hand, [], options)
    t["dealt"], t["phase"], t["turn"] = NUM_CARDS, DISCARDING, 0
    for kind in banned:
        t["ban"][0] = INDEX[kind]
    env._look_again()
    env._start("player_0")
    return env


def kou_numbers(loose: tuple[int, ...]) -> set[int]:
    """The numbers of kou with which loose cards of a group can be cut, as far as they matter."""
    return {number for way in brute.cuts(GROUP, loose) if (number := brute.kou_of(way)) <= brute.KOU_TO_WIN}


def least_left(loose: tuple[int, ...], kou: int) -> int:
    """Cards of a group that are left over at least with so many kou: every part is tried."""
    parts = product(*(range(count + 1) for count in loose))
    return sum(loose) - max(sum(part) for part in parts if min(kou_numbers(part), default=kou + 1) <= kou)
