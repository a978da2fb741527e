"""The slow referee for Diao Xie agrees with the rules page and its case file."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import pytest

from . import diao_xie as dx

CASE_FILE = Path(__file__).parents[1] / "cases" / "diao_xie_cases.json"
CASES = json.loads(CASE_FILE.read_text(encoding="utf-8"))
KINDS = {"classify", "compare", "settle", "legal"}
HANDS = list(combinations(dx.PACK, 2))

RANDOM_EPISODES = 250
SLOW_EPISODES = 10000
SIX_DECIMALS = 5.1e-7  # the page rounds


def cases_of(kind: str) -> list[Any]:
    """Return the cases of one kind, each under its place in the file."""
    return [
        pytest.param(case, id=f"{n} {case.get('note', '')}")
        for n, case in enumerate(CASES)
        if case["kind"] == kind
    ]


def deck_of(hands: Any) -> list[str]:
    """Return a deck that deals these hands, the rest of the pack behind them."""
    dealt = [card for hand in hands for card in hand]
    return dealt + [card for card in dx.PACK if card not in dealt]


def hands_of(text: str) -> list[list[str]]:
    """Read the hands of a deal, by seat: "7H 3H,QH QD"."""
    return [hand.split() for hand in text.split(",")]


def begin(deals: Any, options: dict[str, Any], kind: type[dx.Referee] = dx.Referee) -> dx.Referee:
    """Begin an episode with these deals; hands without a deal get the pack in its order."""
    decks = [deck_of(hands) for hands in deals]
    return kind(decks + [dx.PACK] * (options.get("hands", 1) - len(decks)), options)


def played(actions: Any, deals: Any, options: dict[str, Any]) -> dx.Referee:
    """Return an episode after these actions."""
    game = begin(deals, options)
    for action in actions:
        game.play(action)
    return game


# The case file.


def test_every_case_is_run() -> None:
    assert {case["kind"] for case in CASES} == KINDS


@pytest.mark.parametrize("case", cases_of("classify"))
def test_classify(case: dict[str, Any]) -> None:
    for hand in permutations(case["hand"]):
        assert (dx.category(hand), dx.points(hand)) == (case["category"], case["points"])
        assert key(hand) == tuple(case["key"])


@pytest.mark.parametrize("case", cases_of("compare"))
def test_compare(case: dict[str, Any]) -> None:
    a, b = case["a"], case["b"]
    assert dx.stronger(a, b) - dx.stronger(b, a) == case["strength"]
    # Seat 0 is the head and speaks first; everybody stakes, so the comparison decides.
    deal, names = ([a, b], "ab") if case["a_speaks_first"] else ([b, a], "ba")
    winner = played(["eat", "eat"], [deal], {}).log[0]["winner"]
    assert names[winner] == case["winner"]


@pytest.mark.parametrize("case", cases_of("settle"))
def test_settle(case: dict[str, Any]) -> None:
    game = played(case["actions"], case["deals"], case["options"])
    assert game.over and game.pot == 0
    assert game.rewards() == [Fraction(reward) for reward in case["rewards"]]
    if "paid" in case:
        assert game.stakes == case["paid"]
        return
    names = {"pot": "P", "received": "r", "penalty": "penalties"}
    expected = [{names.get(k, k): value for k, value in hand.items()} for hand in case["hands_detail"]]
    assert game.log == expected


@pytest.mark.parametrize("case", cases_of("legal"))
def test_legal(case: dict[str, Any]) -> None:
    game = played(case["actions"], case.get("deals", []), case["options"])
    assert (game.over, game.turn, game.legal()) == (case["over"], case["to_act"], case["legal"])
    assert [dx.ACTIONS.index(action) for action in game.legal()] == case["indices"]
    if "paid" in case:
        assert game.stakes == case["paid"]
    else:
        assert game.pot == case["pot"]
        assert {action: game.stake_of(action) for action in game.legal()} == case["stakes"]


# Section 9: the worked examples, as the page has them.

COMPARISONS = """
C1 | X 3H | QH QD | a
C2 | 6H 6D | 4S 4C | first
C3 | 4S 4C | 6S 6C | a
C4 | 8S 8C | QH 9H | a
C5 | QH 9H | QD 9D | first
C6 | QH 9H | QD 8H | a
C7 | QH 8H | QD 8S | a
C8 | QH 8H | QD 8D | first
C9 | 2H 8H | 2D 8D | first
C10 | 2H 8C | 3H 6D | a
C11 | 6D TS | 8D 8S | b
C12 | 2D 9H | 7H 4C | a
C13 | X QH | QD 6H | b
C14 | QD 6H | QH 6S | a
C15 | X 6H | 3H 9D | a
C16 | X 4D | 4H 6S | b
C17 | TH TS | JH 9H | a
C18 | 3H TH | 9H 4S | b
C19 | X 5H | 3H 8H | b
C20 | 4H 6D | 4D 6H | first
"""

# Columns: cards, options, actions, rewards, numbers.
POT_EXAMPLES = """
S1 | 7H 3H,QH QD | | fold | -1, 1 | P2 W2 L0 r2 pot0
S2 | QH QD,7H 3H | | fold | -2, 2 | P2 W2 L0 r2 pot0
S3 | QH QD,7H 3H | fold_penalty=False | fold | -1, 1 | P2 W2 L0 r2 pot0
S4 | QH 9H,QD 9D | | fold | -2, 2 | P2 W2 L0 r2 pot0
S5 | 4H 6D,4D 6H | | fold | -1, 1 | P2 W2 L0 r2 pot0
S6 | 7H 3H,QH QD | | eat fold | 2, -2 | P2 W2 L0 r2 pot0
S7 | 7H 3H,QH QD | | touch1 fold | 1/2, -1/2 | P2 W1 L0 r1 pot1
S8 | QH 9H,QD 9D | | touch1 touch1 | 1, -1 | P2 W1 L1 r1 pot2
S9 | 7H 3H,QH QD | | touch1 eat | -3/2, 3/2 | P2 W2 L1 r2 pot1
S10 | QH QD,7H 3H | | touch1 carry | 2, -2 | P2 W1 L3 r1 pot4
S11 | 7H 3H,QH QD | | eat carry | -3, 3 | P2 W4 L2 r4 pot0
S12 | QH QD,7H 3H | counter_carry=True | eat eat counter_carry | 3, -3 | P2 W8 L2 r4 pot0
S13 | 7H 3H,QH QD | counter_carry=True | eat eat counter_carry | -5, 5 | P2 W2 L8 r2 pot8
S14 | QH 9H,QD 9D | counter_carry=True | eat eat counter_carry | -1, 1 | P2 W2 L2 r2 pot8
S15 | QH 9H,QD 9D | counter_carry=True | eat eat no_carry | 2, -2 | P2 W2 L2 r2 pot2
S16 | X 3H,QH QD | | fold | 0, 0 | P2 W2 L0 r2 pot0
S17 | X 3H,QH QD,4S 4C | | fold eat fold | 3, 0, -3 | P3 W3 L0 r3 pot0
S18 | 7H 3H,QH QD,4S 4C | | touch4 carry carry | 1/3, 22/3, -23/3 | P3 W5 L12 r5 pot10
S19 | QH 9H,4S 7S,QD 9D | counter_carry=True | eat carry eat counter_carry | -5, 1, 4 | P3 W3 L9 r3 pot24
S20 | QH QD,2H 2D,7H 3H,JH 9H | | fold fold fold | -3, -3, 1, 5 | P4 W4 L0 r4 pot0
S21 | JH 9H,4S 7S,6D TS,8D 8S,QH QD || eat carry carry carry carry | -6,-11,-21,-41,79 | P5 W80 L75 r80 pot0
S22 | 7H 3H,QH QD,4S 4C | base=5 | touch4 eat touch1 | -10, 15, -5 | P15 W15 L15 r15 pot15
S23 | 7H 3H,QH QD/QH QD,7H 3H | hands=2 | touch1 fold touch4 carry | 4, -4 |
S24 | QH QD,7H 3H/7H 3H,QH QD | hands=2 | fold eat fold | -3, 3 |
S25 | 7H 3H,QH QD/7H 3H,QH QD | hands=2 | fold | -1, 1 | P2 W2 L0 r2 pot0
"""

LIMIT_EXAMPLES = """
L1 | QH 9H,QD 9D | betting=limit | call call | 1, -1 |
L2 | 7H 3H,QH QD | betting=limit | raise fold | 1, -1 |
L3 | QH QD,7H 3H | betting=limit | call raise raise raise fold | -5, 5 |
L4 | 7H 3H,QH QD,4S 4C | betting=limit | raise raise call call | -5, 10, -5 |
"""


def table(text: str) -> list[Any]:
    """Read a table of examples; the first column is the name."""
    rows = [[cell.strip() for cell in line.split("|")] for line in text.strip().splitlines()]
    return [pytest.param(*row[1:], id=row[0]) for row in rows]


def option(text: str) -> tuple[str, Any]:
    """Read an option such as "base=5"."""
    name, value = text.split("=")
    return name, value if value == "limit" else json.loads(value.lower())


@pytest.mark.parametrize(("a", "b", "result"), table(COMPARISONS))
def test_examples_of_comparison(a: str, b: str, result: str) -> None:
    first, second = a.split(), b.split()
    assert dx.stronger(first, second) == (result == "a")
    assert dx.stronger(second, first) == (result == "b")
    assert dx.equal(first, second) == (result == "first")


@pytest.mark.parametrize(
    ("cards", "options", "actions", "rewards", "numbers"), table(POT_EXAMPLES) + table(LIMIT_EXAMPLES)
)
def test_examples_of_betting(cards: str, options: str, actions: str, rewards: str, numbers: str) -> None:
    deals = [hands_of(deal) for deal in cards.split("/")]
    chosen = {"num_players": len(deals[0])} | dict(option(text) for text in options.split())
    game = played(actions.split(), deals, chosen)
    assert game.rewards() == [Fraction(reward) for reward in rewards.split(",")]
    if numbers:
        (hand,) = game.log
        assert "P{P} W{W} L{L} r{r} pot{pot_after}".format(**hand) == numbers


def test_words_beside_the_examples() -> None:
    """S14, S17 to S20 and S23 to S25: what their last columns tell."""
    log = {}
    for param in table(POT_EXAMPLES):
        cards, options, actions, *_ = param.values
        deals = [hands_of(deal) for deal in str(cards).split("/")]
        chosen = {"num_players": len(deals[0])} | dict(option(text) for text in str(options).split())
        log[param.id] = played(str(actions).split(), deals, chosen).log
    assert (log["S14"][0]["W"], log["S14"][0]["lost_extra"]) == (2, 6)
    assert log["S16"][0]["bonus"] == [2, -2] and log["S16"][0]["penalties"] == [2, 0]
    assert log["S17"][0]["penalties"] == [3, 0, 0]
    assert log["S18"][0]["stakes"] == [2, 5, 10]
    assert log["S19"][0]["lost_extra"] == 15
    assert log["S20"][0]["penalties"] == [4, 4, 0, 0]
    first, second = log["S23"]
    assert (first["pot_after"], second["P"], second["stakes"]) == (1, 3, [2, 5])
    first, second = log["S24"]
    assert (first["penalties"], second["P"], second["head"]) == ([2, 0], 2, 1)
    assert len(log["S25"]) == 1


# Sections 1 to 3: the cards and the hands.

# Section 3: the value of each card, and the key of a hand made of it.
VALUES = {
    7: "QH QD",
    6: "2H 2D",
    5: "8H 8D",
    4: "4H 4D",
    3: "6H 6D TH TD 4S 4C",
    2: "JH JD 7H 7D TS TC 6S 6C",
    1: "9H 9D 5H 5D 7S 7C 8S 8C",
    0: "X 3H",
}
VALUE = {card: v for v, cards in VALUES.items() for card in cards.split()}


def key(hand: dx.Hand) -> tuple[int, ...]:
    """Return the four integers of section 3."""
    name, values = dx.category(hand), sorted((VALUE[card] for card in hand), reverse=True)
    if name == "plain":
        return (0, dx.points(hand) or 0, *values)
    of_eight = [VALUE[card] for card in hand if card[0] == "8"]
    second = {"pair": values[0], "heaven_eight": sum(of_eight), "earth_eight": sum(of_eight)}.get(name, 0)
    first = {"supreme": 5, "pair": 4, "heaven_nine": 3, "heaven_eight": 2, "earth_eight": 1}
    return (first[name], second, 0, 0)


def partners(card: str) -> set[str]:
    """Return the cards of the same rank and colour; the joker has none."""
    colours = [{"H", "D"}, {"S", "C"}]
    if card == dx.JOKER:
        return set()
    return {
        c for c in dx.PACK if c != card and c[0] == card[0] and any({c[1], card[1]} <= x for x in colours)
    }


def test_pack() -> None:
    hearts = [f"{rank}H" for rank in "23456789TJQ"]
    diamonds = [f"{rank}D" for rank in "2456789TJQ"]
    spades, clubs = [f"{rank}S" for rank in "4678T"], [f"{rank}C" for rank in "4678T"]
    assert [*hearts, *diamonds, *spades, *clubs, "X"] == dx.PACK
    assert {card for card in dx.PACK if len(partners(card)) != 1} == {"X", "3H"} == set(dx.IGNORED)
    assert set(VALUE) == set(dx.PACK)


def test_counts_of_categories_and_points() -> None:
    counts = Counter(dx.category(hand) for hand in HANDS)
    assert [counts[name] for name in dx.CATEGORIES] == [1, 15, 4, 8, 8, 460] and len(HANDS) == 496
    plain = Counter(dx.points(hand) for hand in HANDS if dx.category(hand) == "plain")
    assert [plain[n] for n in range(10)] == [32, 42, 50, 48, 50, 46, 52, 46, 50, 44]
    assert {dx.points(hand) for hand in HANDS if dx.category(hand) != "plain"} == {None}


def test_pairs_are_partners() -> None:
    """Section 1 in other words: same rank, same colour."""
    for a, b in HANDS:
        assert (dx.category((a, b)) == "pair") == (b in partners(a))


@cache
def stronger_pairs() -> dict[tuple[dx.Hand, dx.Hand], bool]:
    """Compare each hand with each."""
    return {(a, b): dx.stronger(a, b) for a in HANDS for b in HANDS}


def test_comparison_agrees_with_the_keys() -> None:
    keys = {hand: key(hand) for hand in HANDS}
    for (a, b), stronger in stronger_pairs().items():
        assert stronger == (keys[a] > keys[b]), (a, b)


def test_comparison_is_a_strict_weak_order_of_126_classes() -> None:
    """Sorted by how many hands each beats, the comparison is that of the counts, so it is such an order."""
    beaten = {a: sum(stronger_pairs()[a, b] for b in HANDS) for a in HANDS}
    for (a, b), stronger in stronger_pairs().items():
        assert stronger == (beaten[a] > beaten[b]), (a, b)
    classes = Counter(name for name, _ in {(dx.category(hand), beaten[hand]) for hand in HANDS})
    assert [classes[name] for name in dx.CATEGORIES] == [1, 7, 1, 2, 2, 113]
    assert len(set(beaten.values())) == 126


def test_order_of_the_cards_of_a_hand_does_not_matter() -> None:
    rng = random.Random(1)
    for a in HANDS:
        b = rng.choice(HANDS)
        assert dx.category(a) == dx.category(a[::-1]) and dx.points(a) == dx.points(a[::-1])
        assert {dx.stronger(x, y) for x in (a, a[::-1]) for y in (b, b[::-1])} == {dx.stronger(a, b)}


HandType = tuple[str, ...]


def type_of(hand: dx.Hand) -> HandType:
    """Return the hand type of section 3: of each card the first of its pair."""
    return tuple(sorted(min({card} | partners(card)) for card in hand))


TYPES: dict[HandType, list[dx.Hand]] = defaultdict(list)
for _hand in HANDS:
    TYPES[type_of(_hand)].append(_hand)


@cache
def deals_by_type() -> dict[tuple[HandType, HandType], tuple[int, dx.Hand, dx.Hand]]:
    """Return for two hand types the number of deals to two seats, and one of these deals."""
    types = {hand: type_of(hand) for hand in HANDS}
    found: dict[tuple[HandType, HandType], tuple[int, dx.Hand, dx.Hand]] = {}
    for a in HANDS:
        for b in HANDS:
            if not set(a) & set(b):
                place = (types[a], types[b])
                found[place] = (found[place][0] + 1 if place in found else 1, a, b)
    return found


def test_hand_types() -> None:
    assert len({min({card} | partners(card)) for card in dx.PACK}) == 17
    assert Counter(len(hands) for hands in TYPES.values()) == {1: 15 + 1, 4: 105, 2: 30}
    for hands in TYPES.values():
        assert all(dx.equal(hands[0], hand) for hand in hands)
        assert len({(dx.category(hand), dx.points(hand)) for hand in hands}) == 1


def test_probability_of_equal_hands() -> None:
    deals = deals_by_type().values()
    assert sum(number for number, _, _ in deals) == 215760
    assert sum(number for number, a, b in deals if dx.equal(a, b)) == 978


# Sections 4 to 6: betting.


@pytest.mark.parametrize(
    ("pot", "levels"),
    [
        (2, {1: 1}),
        (3, {1: 1, 4: 2}),
        (4, {1: 1, 3: 2, 4: 3}),
        (5, {1: 1, 2: 2, 3: 3, 4: 4}),
        (6, {1: 1, 2: 2, 3: 3, 4: 4}),
        (23, {1: 4, 2: 9, 3: 13, 4: 18}),
    ],
)
def test_touch_levels(pot: int, levels: dict[int, int]) -> None:
    for base in (1, 7, 1000):
        found = dx.touch_levels(pot * base, base)
        assert found == {f"touch{k}": stake * base for k, stake in levels.items()}


def test_touch_levels_of_any_pot() -> None:
    for pot in range(2, 300):
        stakes = list(dx.touch_levels(pot, 1).values())
        assert stakes == sorted(set(stakes)) and stakes[0] >= 1 and stakes[-1] <= pot - 1
        assert "touch1" in dx.touch_levels(pot, 1)
    for fresh in range(2, 6):  # all stakes there are
        assert list(dx.touch_levels(fresh, 1).values()) == list(range(1, fresh))


Line = tuple[str, ...]


def lines(options: dict[str, Any], before: Line = ()) -> Iterator[tuple[Line, dx.Referee]]:
    """Yield every sequence of actions of one hand, those that do not end it too, and the table after it."""
    game = played(before, [], options)
    yield before, game
    for action in game.legal():
        yield from lines(options, (*before, action))


# Section 5: players, complete lines, decision points, largest stake; the same with counter_carry.
LINES = [
    (2, False, 9, 3, 4),
    (3, False, 91, 23, 12),
    (4, False, 1033, 207, 32),
    (5, False, 14001, 2334, 80),
    (2, True, 15, 9, 10),
    (3, True, 163, 95, 27),
    (4, True, 1893, 1067, 68),
    pytest.param(5, True, 26001, 14334, 165, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("players", "again", "complete", "decisions", "largest"), LINES)
def test_lines_of_pot_betting(players: int, again: bool, complete: int, decisions: int, largest: int) -> None:
    counts: Counter[bool] = Counter()
    stakes = set()
    for line, game in lines({"num_players": players, "counter_carry": again}):
        counts[game.over] += 1
        assert len(line) <= players + again
        stakes |= {stake + game.extra * (seat == 0) for seat, stake in enumerate(game.stakes)}
    assert (counts[True], counts[False], max(stakes)) == (complete, decisions, largest)


@pytest.mark.parametrize(("players", "complete", "decisions"), [(2, 13, 8), (3, 109, None)])
def test_lines_of_limit_betting(players: int, complete: int, decisions: int | None) -> None:
    counts: Counter[bool] = Counter()
    most = 0
    for _, game in lines({"num_players": players, "betting": "limit"}):
        counts[game.over] += 1
        most = max(most, *game.stakes)
    assert counts[True] == complete and decisions in (None, counts[False])
    assert most == 7


def test_limit_knows_no_options_of_pot() -> None:
    for name, value in [
        ("hands", 2),
        ("counter_carry", True),
        ("fold_penalty", False),
        ("supreme_bonus", False),
    ]:
        with pytest.raises(ValueError, match=name):
            dx.Referee([dx.PACK] * 2, {"betting": "limit", name: value})
        dx.Referee([dx.PACK], {"betting": "limit", name: dx.DEFAULTS[name]})


@pytest.mark.parametrize("name", list(dx.DEFAULTS))
def test_a_wrong_value_of_an_option(name: str) -> None:
    for value in (0, 1001, "maybe", None, 1.0):
        with pytest.raises(ValueError, match=name):
            dx.Referee([dx.PACK] * 8, {name: value})


def test_unknown_options_and_wrong_decks() -> None:
    with pytest.raises(TypeError, match="jokers"):
        dx.Referee([dx.PACK], {"jokers": 2})
    for decks in ([], [dx.PACK[1:]], [[*dx.PACK[1:], dx.PACK[1]]]):
        with pytest.raises(ValueError, match="deck"):
            dx.Referee(decks, {})


def test_ties_go_by_the_head_of_this_hand() -> None:
    """Trap 4: seat 1 heads the second hand, so it wins the tie against seat 0 (section 4)."""
    deals = [hands_of("7H 3H,QH QD"), hands_of("QH 9H,QD 9D")]
    game = played(["touch1", "eat", "eat"], deals, {"hands": 2})
    assert (game.hand_number, game.head, game.turn) == (1, 1, 0)
    game.play("eat")
    assert [hand["winner"] for hand in game.log] == [1, 1]


def test_equal_fold_that_spoke_later_pays_nothing() -> None:
    """Trap 7; whoever spoke before pays (S4), and nobody does if W < P."""
    hands = hands_of("QH 9H,QD 9D")
    assert played(["eat", "fold"], [hands], {}).log[0]["penalties"] == [0, 0]
    hands = hands_of("QH 9H,QD 9D,7H 3H")
    assert played(["fold", "eat", "fold"], [hands], {"num_players": 3}).log[0]["penalties"] == [3, 0, 0]
    assert played(["fold", "touch4", "fold"], [hands], {"num_players": 3}).log[0]["penalties"] == [0, 0, 0]


def test_equal_fold_counts_from_the_head_of_this_hand() -> None:
    """Trap 4 for the penalty: seat 1 heads the second hand, so it spoke before seat 0."""
    deals = [hands_of("7H 3H,QH QD"), hands_of("QH 9H,QD 9D")]
    options = {"hands": 2}
    assert played(["touch1", "eat", "fold"], deals, options).log[1]["penalties"] == [0, 3]
    assert played(["touch1", "eat", "eat", "fold"], deals, options).log[1]["penalties"] == [0, 0]


def test_penalty_looks_at_the_win_after_the_tie_exception() -> None:
    """Trap 7: the head's extra would make W >= P, but it is lost."""
    hands = hands_of("QH 9H,QD 9D,2H 2D")
    options = {"num_players": 3, "counter_carry": True}
    log = played(["touch1", "touch1", "fold", "counter_carry"], [hands], options).log[0]
    assert (log["W"], log["lost_extra"], log["penalties"]) == (1, 5, [0, 0, 0])
    hands = hands_of("QH 9H,7H 3H,2H 2D")
    log = played(["touch1", "touch1", "fold", "counter_carry"], [hands], options).log[0]
    assert (log["W"], log["r"], log["penalties"]) == (6, 4, [0, 0, 6])


def test_bonus_of_a_folded_seat_among_many() -> None:
    hands = hands_of("X 3H,QH QD,4S 4C,7H 5H,2H 2D")
    game = played(["fold", "eat", "fold", "fold", "fold"], [hands], {"num_players": 5, "base": 3})
    assert game.log[0]["bonus"] == [60, -15, -15, -15, -15]
    assert (
        played(["fold"] * 4, [hands], {"num_players": 5, "supreme_bonus": False}).log[0]["bonus"] == [0] * 5
    )


# Invariants over random episodes.


class Watched(dx.Referee):
    """A referee who looks at the pot after every payment."""

    def _pay(self, seat: int, amount: int) -> None:
        assert amount >= 0
        super()._pay(seat, amount)
        self._look()

    def _take(self, seat: int, amount: int) -> None:
        assert amount >= 0
        super()._take(seat, amount)
        self._look()

    def _look(self) -> None:
        assert sum(self.scores) + self.pot == 0
        assert self.pot >= 0 and self.pot % self.base == 0


def random_options(rng: random.Random) -> dict[str, Any]:
    options = {"num_players": rng.randint(2, 5), "base": rng.choice([1, 1, 3, 1000])}
    if rng.random() < 0.2:
        return options | {"betting": "limit"}
    switches = {name: rng.random() < 0.5 for name in dx.SWITCHES}
    return options | switches | {"hands": rng.choice([1, 2, 3, 8])}


def check_stakes(game: dx.Referee) -> None:
    """Check the stakes that the seat to act may choose: section 5, step 4, and section 6, step 2."""
    legal, staked = game.legal(), sum(game.stakes)
    assert legal == [action for action in dx.ACTIONS if action in legal]
    for action in legal:
        stake = game.stake_of(action)
        assert stake % game.base == 0 and stake >= 0
        if action in ("fold", "no_carry"):
            assert stake == 0
        elif action == "eat":
            assert stake == game.pot
        elif action in ("carry", "counter_carry"):
            assert stake == game.pot + staked > game.pot
        elif action in dx.TOUCHES:
            assert game.base <= stake <= game.pot - game.base


def check_hand(hand: dict[str, Any], folded: set[int], options: dict[str, Any]) -> None:
    """Check the numbers of one settled hand of pot betting: section 7."""
    unit = options["num_players"] * options["base"]
    winner, pot = hand["winner"], hand["P"]
    assert pot >= unit and winner not in folded
    assert 0 <= hand["r"] <= min(hand["W"], pot + hand["L"])
    assert hand["pot_after"] == pot + hand["L"] - hand["r"] + hand["lost_extra"] >= 0
    assert all(seat in folded for seat, owed in enumerate(hand["penalties"]) if owed)
    assert set(hand["penalties"]) <= {0, hand["W"]} and (hand["W"] >= pot or not any(hand["penalties"]))
    assert options["fold_penalty"] or not any(hand["penalties"])
    assert sum(hand["bonus"]) == 0 and (options["supreme_bonus"] or not any(hand["bonus"]))
    assert options["counter_carry"] or hand["extra"] == 0
    assert hand["lost_extra"] in (0, hand["extra"])


def scores_from_log(game: dx.Referee) -> list[Fraction]:
    """Return the rewards of pot betting again, as the sum of all that each seat got and paid."""
    scores = [Fraction(0)] * game.seats
    pot, owed = 0, [0] * game.seats
    for hand in game.log:
        ante = (hand["P"] - pot - sum(owed)) // game.seats
        assert ante in (0, game.base)
        for seat in range(game.seats):
            stake = (hand["stakes"][seat] or 0) + hand["extra"] * (seat == hand["head"])
            result = hand["r"] - hand["lost_extra"] if seat == hand["winner"] else -stake
            scores[seat] += result + hand["bonus"][seat] - ante - owed[seat]
        pot, owed = hand["pot_after"], hand["penalties"]
    share = Fraction(pot + sum(owed), game.seats)
    return [score - due + share for score, due in zip(scores, owed, strict=True)]


def check_episode(rng: random.Random) -> None:
    options = dx.DEFAULTS | random_options(rng)
    decks = [rng.sample(dx.PACK, len(dx.PACK)) for _ in range(options["hands"])]
    game = Watched(decks, options)
    number, actions, pot, folded = -1, 0, 0, set[int]()
    while not game.over:
        if game.hand_number != number:
            assert game.turn == game.head == (game.log[-1]["winner"] if game.log else 0)
            assert number == -1 or len(game.log) == game.hand_number == number + 1
            deck = decks[game.hand_number]
            assert game.hands == [(deck[2 * s], deck[2 * s + 1]) for s in range(game.seats)]
            number, actions, pot, folded = game.hand_number, 0, game.pot, game.folded
        assert sum(game.scores) + game.pot == 0 and not any(game.owed)
        assert options["betting"] == "limit" or game.pot == pot  # trap 5
        check_stakes(game)
        game.play(rng.choice(game.legal()))
        actions += 1
        if options["betting"] == "pot":
            assert actions <= game.seats + options["counter_carry"]
            if len(game.log) > number:
                check_hand(game.log[number], folded, options)
    assert game.legal() == [] and game.turn is None and game.pot == 0
    rewards = game.rewards()
    assert sum(rewards) == 0 and all(game.seats % reward.denominator == 0 for reward in rewards)
    if options["betting"] == "limit":
        assert all(-7 * game.base <= reward for reward in rewards)
        assert all(reward == -paid for reward, paid in zip(rewards, game.stakes, strict=True) if reward < 0)
    else:
        assert len(game.log) == options["hands"] or game.log[-1]["pot_after"] == 0
        assert rewards == scores_from_log(game)


@pytest.mark.parametrize("seed", range(4))
def test_random_episodes(seed: int, rotate: int) -> None:
    rng = random.Random(f"episodes {rotate} {seed}")
    for _ in range(RANDOM_EPISODES // 4):
        check_episode(rng)


@pytest.mark.slow
def test_many_random_episodes(rotate: int) -> None:
    rng = random.Random(f"many episodes {rotate}")
    for _ in range(SLOW_EPISODES):
        check_episode(rng)


def test_winner_of_many_is_the_earliest_of_the_best(rotate: int) -> None:
    """Half of the deals have two hands of the same category, so that ties are met."""
    rng = random.Random(f"winner {rotate}")
    by_category = defaultdict(list)
    for hand in HANDS:
        by_category[dx.category(hand)].append(hand)
    ties = 0
    for _ in range(RANDOM_EPISODES):
        a, b = rng.sample(by_category[rng.choice(["pair", "heaven_eight", "earth_eight", "plain"])], 2)
        chosen = [a] if set(a) & set(b) else [a, b]
        rest = [card for card in dx.PACK if not any(card in hand for hand in chosen)]
        while len(chosen) < 5:
            chosen.append((rest.pop(rng.randrange(len(rest))), rest.pop(rng.randrange(len(rest)))))
        rng.shuffle(chosen)
        game = played(["eat"] * 5, [chosen], {"num_players": 5})
        keys = [key(hand) for hand in chosen]
        assert game.log[0]["winner"] == keys.index(max(keys))
        ties += keys.count(max(keys)) > 1
    assert ties >= RANDOM_EPISODES // 50


# Section 10: two players. Values by plain enumeration over the hand types.

Policy = Callable[[dx.Hand, list[str]], dict[str, float]]


def uniform(_: dx.Hand, legal: list[str]) -> dict[str, float]:
    return {action: 1 / len(legal) for action in legal}


def first_legal(*wanted: str) -> Policy:
    """Return the policy that takes the first of these actions which is legal."""
    return lambda _, legal: {next(action for action in wanted if action in legal): 1.0}


def fold_unless_pair(hand: dx.Hand, legal: list[str]) -> dict[str, float]:
    good = dx.category(hand) in ("pair", "supreme")
    return first_legal("no_carry", "eat" if good else "fold")(hand, legal)


POLICIES: dict[str, Policy] = {
    "uniform": uniform,
    "always eat": first_legal("no_carry", "eat"),
    "always touch1": first_legal("no_carry", "touch1"),
    "carry or eat": first_legal("no_carry", "carry", "eat"),
    "fold unless pair": fold_unless_pair,
    "always fold": first_legal("no_carry", "fold"),
    "always call": first_legal("call"),
    "always raise": first_legal("raise", "call"),
    "fold if faced": first_legal("fold", "call"),
}

Rules = tuple[tuple[str, Any], ...]  # options, hashable


@cache
def turn_and_legal(line: Line, rules: Rules) -> tuple[int | None, list[str]]:
    """Return who acts after this line of two players and how; the cards never matter for that."""
    game = played(line, [], dict(rules))
    return game.turn, game.legal()


def what_matters(a: dx.Hand, b: dx.Hand) -> tuple[bool, ...]:
    """Return all that the settlement asks of two hands; a slow test shows that it is all."""
    zero, supreme = (
        [dx.points(hand) == 0 for hand in (a, b)],
        [dx.category(hand) == "supreme" for hand in (a, b)],
    )
    return (dx.stronger(a, b), dx.stronger(b, a), *zero, *supreme)


_results: dict[Any, tuple[float, ...]] = {}


def result(line: Line, sort: tuple[bool, ...], a: dx.Hand, b: dx.Hand, rules: Rules) -> tuple[float, ...]:
    """Return the rewards of a complete line for two hands of this sort."""
    if (line, sort, rules) not in _results:
        rewards = played(line, [[a, b]], dict(rules)).rewards()
        _results[line, sort, rules] = tuple(float(reward) for reward in rewards)
    return _results[line, sort, rules]


@cache
def sorted_deals() -> list[tuple[HandType, HandType, float, dx.Hand, dx.Hand, tuple[bool, ...]]]:
    """Return the two types, the probability, one deal and its sort for each two hand types."""
    return [
        (*types, number / 215760, a, b, what_matters(a, b))
        for types, (number, a, b) in deals_by_type().items()
    ]


def value(policy: Policy, rules: Rules) -> float:
    """Return what the first speaker wins when both follow the policy."""

    def of_line(line: Line, hands: tuple[dx.Hand, dx.Hand], sort: tuple[bool, ...]) -> float:
        turn, legal = turn_and_legal(line, rules)
        if turn is None:
            return result(line, sort, *hands, rules)[0]
        chances = policy(hands[turn], legal)
        return sum(p * of_line((*line, action), hands, sort) for action, p in chances.items())

    return sum(p * of_line((), (a, b), sort) for _, _, p, a, b, sort in sorted_deals())


def best_response(seat: int, policy: Policy, rules: Rules) -> float:
    """Return what a seat can win at most when the other follows the policy."""
    by_own: dict[HandType, list[Any]] = defaultdict(list)
    for a, b, *rest in sorted_deals():
        by_own[(a, b)[seat]].append(rest)

    def of_line(line: Line, reach: list[Any]) -> float:
        """Return the value after a line; `reach` holds deals, with how likely the other leads there."""
        turn, legal = turn_and_legal(line, rules)
        if turn is None:
            return sum(p * result(line, sort, a, b, rules)[seat] for p, a, b, sort in reach)
        if turn == seat:
            return max(of_line((*line, action), reach) for action in legal)
        after: dict[str, list[Any]] = {action: [] for action in legal}
        for p, a, b, sort in reach:
            for action, chance in policy((a, b)[turn], legal).items():
                after[action].append((p * chance, a, b, sort))
        return sum(of_line((*line, action), deals) for action, deals in after.items() if deals)

    return sum(of_line((), deals) for deals in by_own.values())


def exploitability(policy: Policy, rules: Rules) -> float:
    """Return the mean over seats of best response less own value; the own values sum to zero."""
    return sum(best_response(seat, policy, rules) for seat in (0, 1)) / 2


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("uniform", -0.330036),
        ("always eat", 0.009066),
        ("always touch1", 0.004533),
        ("fold unless pair", -1.406554),
        ("always fold", -1.502007),
    ],
)
def test_value_of_fixed_policies(name: str, expected: float) -> None:
    assert value(POLICIES[name], ()) == pytest.approx(expected, abs=SIX_DECIMALS)


def test_always_touch1_wins_the_probability_of_a_tie() -> None:
    assert value(POLICIES["always touch1"], ()) == pytest.approx(978 / 215760)


def test_best_response_to_always_eat() -> None:
    found = [best_response(seat, POLICIES["always eat"], ()) for seat in (0, 1)]
    assert found == pytest.approx([0.165100, 0.401085], abs=SIX_DECIMALS)


# Exploitability; fold_penalty / counter_carry: on / off, off / off, on / on, off / on.
EXPLOITABILITY = {
    "uniform": (0.564786, 0.450346, 0.823003, 0.708672),
    "always eat": (0.283092, 0.293266, 0.365543, 0.375716),
    "always touch1": (0.219990, 0.219990, 0.250913, 0.250913),
    "carry or eat": (0.382443, 0.399156, 0.548670, 0.565383),
    "fold unless pair": (1.389498, 0.921329, 1.389581, 0.921413),
    "always fold": (1.499870, 1.000000, 1.499870, 1.000000),
}
COLUMNS = [(True, False), (False, False), (True, True), (False, True)]
QUICK = [("always touch1", (True, False)), ("always fold", (True, False))]


def exploitability_cases() -> list[Any]:
    cases = []
    for name, row in EXPLOITABILITY.items():
        for (penalty, again), expected in zip(COLUMNS, row, strict=True):
            marks = [] if (name, (penalty, again)) in QUICK else [pytest.mark.slow]
            cases.append(pytest.param(name, penalty, again, expected, marks=marks))
    return cases


@pytest.mark.parametrize(("name", "penalty", "again", "expected"), exploitability_cases())
def test_exploitability(name: str, penalty: bool, again: bool, expected: float) -> None:
    rules = (("fold_penalty", penalty), ("counter_carry", again))
    assert exploitability(POLICIES[name], rules) == pytest.approx(expected, abs=SIX_DECIMALS)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(EXPLOITABILITY))
def test_supreme_bonus_changes_nothing(name: str) -> None:
    rules = (("supreme_bonus", False),)
    assert exploitability(POLICIES[name], rules) == pytest.approx(EXPLOITABILITY[name][0], abs=SIX_DECIMALS)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("always call", 0.502410),
        ("uniform", 1.187165),
        ("always raise", 1.341861),
        ("fold if faced", 1.000000),
    ],
)
def test_exploitability_of_limit(name: str, expected: float) -> None:
    found = exploitability(POLICIES[name], (("betting", "limit"),))
    assert found == pytest.approx(expected, abs=SIX_DECIMALS)


def one_deal_of_each_sort() -> dict[tuple[bool, ...], tuple[dx.Hand, dx.Hand]]:
    return {sort: (a, b) for *_, a, b, sort in sorted_deals()}


@pytest.mark.parametrize(
    ("again", "bonus", "largest"), [(False, True, 5), (True, True, 9), (False, False, 3), (True, False, 7)]
)
def test_largest_reward_of_one_hand(again: bool, bonus: bool, largest: int) -> None:
    """The page gives the first two; a bonus of two units is in both."""
    options = {"counter_carry": again, "supreme_bonus": bonus}
    complete = [line for line, game in lines(options) if game.over]
    deals = one_deal_of_each_sort().values()
    rewards = {
        reward for line in complete for deal in deals for reward in played(line, [deal], options).rewards()
    }
    assert max(rewards) == largest


def test_reward_without_folds_is_half_of_received_and_lost() -> None:
    """Section 7, at its end."""
    options = {"counter_carry": True, "supreme_bonus": False}
    seen = 0
    for line, over in [(line, game.over) for line, game in lines(options)]:
        for deal in one_deal_of_each_sort().values() if over and "fold" not in line else ():
            game = played(line, [deal], options)
            (hand,) = game.log
            if not hand["lost_extra"]:
                assert game.rewards()[hand["winner"]] == Fraction(hand["r"] + hand["L"], 2)
                seen += 1
    assert seen > 0


@pytest.mark.slow
@pytest.mark.parametrize("rules", [(("counter_carry", True),), (("betting", "limit"),)], ids=str)
def test_what_matters_is_all_that_matters(rules: Rules) -> None:
    """Play every complete line for each two hand types, and find the result of their sort."""
    complete = [line for line, game in lines(dict(rules)) if game.over]
    for *_, a, b, sort in sorted_deals():
        for line in complete:
            expected = played(line, [[a, b]], dict(rules)).rewards()
            assert result(line, sort, a, b, rules) == tuple(float(reward) for reward in expected)
