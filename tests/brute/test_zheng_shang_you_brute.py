"""The slow referee for Zheng Shang You agrees with the rules page, its case file and itself."""

import json
import random
from collections import Counter, defaultdict
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from . import zheng_shang_you as zsy
from .zheng_shang_you import PASS, Play

CASE_FILE = Path(__file__).parents[1] / "cases" / "zheng_shang_you_cases.json"
CASES = json.loads(CASE_FILE.read_text(encoding="utf-8"))
KINDS = {"classify", "legal", "compare", "score", "level", "leader"}

DENSE_HANDS, MANY_DENSE_HANDS = 14, 600  # for each set of options
REDUCED_HANDS = 75  # for each set of options
LIVE_HANDS = 300
WHOLE_HANDS = 20
RANDOM_GAMES = 12
SLOW = 15  # times as many in the slow tests
MOST_PLAYS = {1: 52, 2: 108}  # cards by decks: a play sheds at least one

OPTIONS = [
    {"decks": decks, "lead_spade_three": lead, "distinct_wings": distinct}
    for decks in (1, 2)
    for lead in (False, True)
    for distinct in (False, True)
]


def cases_of(kind: str) -> list[Any]:
    """Return the cases of one kind, each under its own id."""
    return [pytest.param(case, id=case["id"]) for case in CASES if case["kind"] == kind]


def play_of(cards: list[str], options: dict[str, Any]) -> Play:
    """Return the play that these cards are."""
    play = zsy.classify(cards, options)
    assert play is not None
    return play


def cards_of(text: str) -> list[str]:
    """Give suits to a play as the rules page writes it; `*` marks a flush straight."""
    ranks = text.rstrip("*")
    cards = [
        rank if rank in zsy.JOKERS else rank + zsy.SUITS[ranks[:n].count(rank) % 4]
        for n, rank in enumerate(ranks)
    ]
    if len(set(ranks)) == len(ranks) >= 5 and not text.endswith("*"):
        cards[-1] = ranks[-1] + "H"
    return cards


def shown(plays: set[Play]) -> set[str]:
    """Return plays as the rules page writes them."""
    return {
        "PASS" if play == PASS else zsy.without_suits(play)[3] + "*" * (play.name == "flush_straight")
        for play in plays
    }


def legal_of(hand: str, options: dict[str, Any], first_play: bool = False) -> set[Play]:
    """Return the leads of a hand written as "3S 4S", found in both ways."""
    cards = zsy.sort_cards(hand.split())
    plays = zsy.legal_plays(cards, None, options, first_play)
    due = first_play and options.get("lead_spade_three", False)
    assert plays == zsy.plays_from_types(cards, None, options, due)
    assert plays == zsy.plays_from_subsets(cards, None, options, due)
    return plays


def deck_of(hands: list[str], decks: int = 1) -> list[str]:
    """Return a whole deck that deals these hands of one size, each in order, then all other cards."""
    dealt = [card for cards in zip(*[hand.split() for hand in hands], strict=True) for card in cards]
    return dealt + zsy.without(zsy.pack(decks), dealt)


def play_out(game: zsy.Referee, actions: str) -> None:
    """Make actions written as ranks, "-" for a pass; each leaves no choice of cards."""
    for action in actions.split():
        (play,) = [play for play in game.legal() if shown({play}) == {"PASS" if action == "-" else action}]
        game.play(play)


# The case file.


def test_every_case_is_run() -> None:
    assert {case["kind"] for case in CASES} == KINDS
    assert len({case["id"] for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", cases_of("classify"))
def test_classify(case: dict[str, Any]) -> None:
    play, expected = zsy.classify(case["cards"], case["options"]), case["expected"]
    if expected is None:
        assert play is None
        return
    assert play is not None
    assert play[:3] == (expected["type"], expected["cards"], expected["key"])
    assert list(play.cards) == zsy.sort_cards(case["cards"])
    ranks = zsy.without_suits(play)[3]
    assert ranks == expected["ranks"]
    kickers = ranks[len(zsy.body_of(*play[:3])) :]
    assert kickers[::2] == expected["kickers"]
    assert (play.name == "flush_straight") == expected["flush"]


@pytest.mark.parametrize("case", cases_of("legal"))
def test_legal(case: dict[str, Any]) -> None:
    options, expected = case["options"], case["expected"]
    table = None if case["table"] is None else play_of(case["table"], options)
    plays = zsy.legal_plays(case["hand"], table, options, case["first_play"])
    named = {(play.name, zsy.without_suits(play)[3]) for play in plays - {PASS}}
    assert named == {(play["type"], play["ranks"]) for play in expected["plays"]}
    assert all(play["flush"] == (play["type"] == "flush_straight") for play in expected["plays"])
    assert len(named) == len(expected["plays"])
    assert (PASS in plays) == expected["pass"]


@pytest.mark.parametrize("case", cases_of("compare"))
def test_compare(case: dict[str, Any]) -> None:
    new, table = (play_of(case[side], case["options"]) for side in ("new", "table"))
    assert zsy.beats(new, table) == case["expected"]


@pytest.mark.parametrize("case", cases_of("score"))
def test_score(case: dict[str, Any]) -> None:
    assert zsy.scores(case["left"], case["options"]) == case["expected"]


@pytest.mark.parametrize("case", cases_of("level"))
def test_level(case: dict[str, Any]) -> None:
    expected = case["expected"]
    assert zsy.level_of(case["points"]) == (expected["level"], expected["english"], expected["chinese"])


@pytest.mark.parametrize("case", cases_of("leader"))
def test_leader(case: dict[str, Any]) -> None:
    deck, decks = case["deck"], case["options"]["decks"]
    assert zsy.leader(deck, decks) == case["expected"]
    game = zsy.Referee(deck, case["options"])
    holders = [seat for seat in range(zsy.SEATS) if zsy.SPADE_THREE in game.hands[seat]]
    assert game.turn == case["expected"] and holders == sorted(case["spade_three_seats"])


# Sections 1 and 2: the deal, turns and tricks.


def test_pack() -> None:
    one, two = zsy.pack(1), zsy.pack(2)
    assert one[:5] == ["3S", "3H", "3D", "3C", "4S"] and len(set(one)) == len(one) == 52
    assert two[:52] == two[54:106] == one and two[52:54] == two[106:] == ["x", "X"]


def test_deal_and_leader_of_small_deals() -> None:
    deck = deck_of(["3S 4S", "5S 6S", "7S 8S", "9S TS"])
    game = zsy.Referee(deck, {"cards_each": 2})
    assert game.hands == [["3S", "4S"], ["5S", "6S"], ["7S", "8S"], ["9S", "TS"]]
    assert (game.turn, game.hand_size, game.first_play) == (0, 2, True)
    # No 3S: the lowest card leads, suits in the order D C H S, then the one dealt first.
    assert zsy.leader(deck_of(["4S", "4H", "4C", "4D"]), 1, 1) == 3
    assert zsy.leader(deck_of(["4S", "4H", "4C", "5D"]), 1, 1) == 2
    assert zsy.leader(deck_of(["5S", "4H", "4S", "5D"]), 1, 1) == 1
    assert zsy.leader(deck_of(["5S", "4S", "6S", "4S"], decks=2), 2, 1) == 1
    assert zsy.leader(deck_of(["X", "x", "x", "X"], decks=2), 2, 1) == 1
    assert zsy.leader(deck_of(["3D", "3H", "3S", "3S"], decks=2), 2, 1) == 2


TRICKS = ["3S 4S KS AS", "5S 5H 5D KH", "6S 7S QS QH", "8S 9S TS JS"]


@pytest.mark.parametrize("lockout", [False, True])
def test_the_trick_ends_after_three_passes(lockout: bool) -> None:
    game = zsy.Referee(deck_of(TRICKS), {"cards_each": 4, "pass_lockout": lockout})
    play_out(game, "4 - 6 - -")
    if not lockout:
        assert (game.turn, game.owner, game.out) == (1, 2, set()) and PASS in game.legal()
        assert shown(game.legal()) == {"K", "PASS"}
        play_out(game, "-")
    assert (game.turn, game.table, game.owner, game.out) == (2, None, None, set())
    assert shown(game.legal()) == {"7", "Q", "QQ"}


@pytest.mark.parametrize("lockout", [False, True])
def test_who_passed_may_play_again(lockout: bool) -> None:
    game = zsy.Referee(deck_of(TRICKS), {"cards_each": 4, "pass_lockout": lockout})
    play_out(game, "4 - 6 8 K")
    assert (game.turn, game.out) == ((2, {1}) if lockout else (1, set()))
    play_out(game, "- -")
    assert (game.turn, game.table is None) == ((0, True) if lockout else (3, False))


def test_the_deal_ends_at_once() -> None:
    game = zsy.Referee(deck_of(["3S 4S", "5S 6S", "2S 2H", "9S TS"]), {"cards_each": 2, "base": 3})
    play_out(game, "4 6 - 9 - - - T")
    assert (game.winner, game.turn, game.legal()) == (3, 3, set())
    assert [len(hand) for hand in game.hands] == [1, 1, 2, 0]
    assert game.scores() == [-3, -3, -24, 30]  # one of two cards played: half, so once; no card: four times


# Sections 3 and 4.

WINDOWS = {
    2: "23 34 45 56 67 78 89 9T TJ JQ QK KA A2",
    3: "A23 234 345 456 567 678 789 89T 9TJ TJQ JQK QKA KA2",
    4: "A234 2345 3456 4567 5678 6789 789T 89TJ 9TJQ TJQK JQKA QKA2",
    5: "A2345 23456 34567 45678 56789 6789T 789TJ 89TJQ 9TJQK TJQKA JQKA2",
    6: "A23456 234567 345678 456789 56789T 6789TJ 789TJQ 89TJQK 9TJQKA TJQKA2",
    7: "A234567 2345678 3456789 456789T 56789TJ 6789TJQ 789TJQK 89TJQKA 9TJQKA2",
    8: "A2345678 23456789 3456789T 456789TJ 56789TJQ 6789TJQK 789TJQKA 89TJQKA2",
    9: "A23456789 23456789T 3456789TJ 456789TJQ 56789TJQK 6789TJQKA 789TJQKA2",
    10: "A23456789T 23456789TJ 3456789TJQ 456789TJQK 56789TJQKA 6789TJQKA2",
    11: "A23456789TJ 23456789TJQ 3456789TJQK 456789TJQKA 56789TJQKA2",
    12: "A23456789TJQ 23456789TJQK 3456789TJQKA 456789TJQKA2",
    13: "3456789TJQKA2",
}


@pytest.mark.parametrize("groups", range(2, 14))
def test_windows(groups: int) -> None:
    assert zsy.windows(groups) == tuple(WINDOWS[groups].split())


@pytest.mark.parametrize(
    ("ranks", "name", "key"),
    [
        ("A2345", "straight", "5"),
        ("23456", "straight", "6"),
        ("TJQKA*", "flush_straight", "A"),
        ("JQKA2", "straight", "2"),
        ("3456789TJQKA2", "straight", "2"),
        ("2233", "pair_chain", "3"),
        ("AA22", "pair_chain", "2"),
        ("AAA222", "triple_chain", "2"),
        ("222333", "triple_chain", "3"),
        ("AAA22", "full_house", "A"),
        ("55555", "bomb", "5"),
        ("5555566666", "triple_chain_with_pairs", "6"),
        ("AAA22233344", None, None),
        ("5556667788J", None, None),
        ("55566677", None, None),
        ("JQKA23", None, None),
        ("QKA23", None, None),
        ("QQKKAA2233", None, None),
        ("KA2345", None, None),
        ("3456", None, None),
        ("22xx", None, None),
        ("2xX", None, None),
        ("xX", None, None),
        ("xxX", None, None),
        ("55556666", None, None),
        ("5556", None, None),
        ("55567", None, None),
        ("555569", None, None),
        ("", None, None),
    ],
)
def test_readings(ranks: str, name: str | None, key: str | None) -> None:
    play = zsy.classify(cards_of(ranks), {"decks": 2})
    assert (play and play.name, play and play.key) == (name, key)


# Section 5.

BEATS = """45678 on 34567; 34567* on 56789; 45678* on 34567*; TJQKA on 9TJQK; JQKA2 on TJQKA; 2 on A; x on 2;
X on x; xx on 22; XX on xx; AA22 on KKAA; 3333 on X; 3333 on 34567*; 33333 on 2222; 5555 on 4444;
xxXX on 22222222; AAA33 on KKK22; AAA222 on KKKAAA; 5556663344 on 333444AA22"""
DOES_NOT_BEAT = """56789 on 34567*; 345678* on 34567; A2345 on 34567; A23456 on 34567; 7 on 7; 2233 on 5566;
456789T* on 3333; 4444 on 33333; 22222222 on xxXX; AAA on KKK33; 222333 on KKKAAA; 555666 on 33344;
556677 on 3344; xxXX on xxXX; 34567* on 34567*; 34567 on 34567; X on 3333"""


@pytest.mark.parametrize(
    ("pair", "expected"),
    [(pair, True) for pair in BEATS.split(";")] + [(pair, False) for pair in DOES_NOT_BEAT.split(";")],
)
def test_examples_of_comparison(pair: str, expected: bool) -> None:
    new, table = (play_of(cards_of(text.strip()), {"decks": 2}) for text in pair.split(" on "))
    assert zsy.beats(new, table) == expected


# Section 6: the examples, card for card.


def cards_spent(plays: set[Play], *names: str) -> set[str]:
    """Return the cards of the plays of these types, written "3S 4S"."""
    return {" ".join(play.cards) for play in plays if play.name in names}


def after(hand: str, spent: str) -> Counter[str]:
    """Return what is live once some cards are spent."""
    return zsy.live_cards(zsy.without(hand.split(), spent.split()))


BOTH_WAYS = pytest.mark.parametrize("decks", [1, 2])


@BOTH_WAYS
def test_example_a(decks: int) -> None:
    hand = "3S 4S 5S 6S 7S 7H 7D"
    assert zsy.live_cards(hand.split()) == Counter(["3S", "4S", "5S", "6S", "7S"])
    assert legal_of(hand, {"decks": decks}) == {
        Play("single", 1, "3", ("3S",)),
        Play("single", 1, "4", ("4S",)),
        Play("single", 1, "5", ("5S",)),
        Play("single", 1, "6", ("6S",)),
        Play("single", 1, "7", ("7H",)),
        Play("pair", 2, "7", ("7H", "7D")),
        Play("triple", 3, "7", ("7S", "7H", "7D")),
        Play("straight", 5, "7", ("3S", "4S", "5S", "6S", "7H")),
        Play("flush_straight", 5, "7", ("3S", "4S", "5S", "6S", "7S")),
    }


@BOTH_WAYS
def test_example_b(decks: int) -> None:
    hand = "5S 6S 7S 8S 9S 7H 8H 9H TH JH 8D"
    assert zsy.live_cards(hand.split()) == Counter(zsy.without(hand.split(), ["8D"]))
    plays = legal_of(hand, {"decks": decks})
    assert cards_spent(plays, "single") == {"5S", "6S", "7S", "7H", "8D", "9S", "9H", "TH", "JH"}
    assert cards_spent(plays, "pair") == {"7S 7H", "8S 8D", "8H 8D", "9S 9H"}
    assert cards_spent(plays, "triple") == {"8S 8H 8D"}
    assert {play.cards for play in plays if play[:3] == ("straight", 5, "9")} == {
        ("5S", "6S", seven, "8D", nine) for seven in ("7S", "7H") for nine in ("9S", "9H")
    }
    assert cards_spent(plays, "flush_straight") == {"5S 6S 7S 8S 9S", "7H 8H 9H TH JH"}
    spades, hearts = Counter(cards_of("56789*")), Counter(["7H", "8H", "9H", "TH", "JH"])
    assert after(hand, "8D") == spades + hearts
    assert (after(hand, "8S 8D"), after(hand, "8H 8D")) == (hearts, spades)
    assert (after(hand, "7S"), after(hand, "7H"), after(hand, "7S 7H")) == (hearts, spades, Counter())
    assert after(hand, "5S 6S 7S 8S 9S") == hearts


def test_example_c() -> None:
    hand = "3S 4S 5S 6S 7S 7S 7H"
    assert zsy.live_cards(hand.split()) == Counter(["3S", "4S", "5S", "6S", "7S"])
    plays = legal_of(hand, {"decks": 2})
    assert {play.cards for play in plays if play[:3] == ("single", 1, "7")} == {("7S",)}
    assert cards_spent(plays, "straight") == {"3S 4S 5S 6S 7H"}
    assert cards_spent(plays, "flush_straight") == {"3S 4S 5S 6S 7S"}
    longer = hand + " 8S 9S TS JS"
    assert zsy.live_cards(longer.split()) == Counter(zsy.without(longer.split(), ["7H"]))
    plays = legal_of(longer, {"decks": 2})
    assert {play.cards for play in plays if play[:3] == ("single", 1, "7")} == {("7H",)}


@pytest.mark.parametrize(
    ("hand", "live_twice"),
    [
        ("3S 4S 5S 6S 7S 3S 4S 5S 6S 7S", "3S 4S 5S 6S 7S"),  # one window twice (section 11)
        (
            "3S 4S 5S 6S 7S 7S 8S 9S TS",
            "",
        ),  # 56789 and 6789T too need 7S, but one 5S, 6S, 8S, 9S is not enough
        ("3S 4S 5S 5S 6S 6S 7S 7S 8S 9S", "5S 6S 7S"),  # 34567 and 56789
        ("AS 2S 3S 4S 5S TS JS QS KS AS", "AS"),  # A low and A high
        ("JS QS KS AS AS 2S 3S 4S 5S", ""),  # JQKA2 and A2345 would need two 2S
        ("QS KS AS 2S 3S", ""),
        ("3S 3S 4S 4S 5S 5S 6S 6S 7H 7D", ""),
    ],
)
def test_live_second_copies(hand: str, live_twice: str) -> None:
    live = zsy.live_cards(hand.split())
    assert {card for card in live if live[card] == 2} == set(live_twice.split())


@BOTH_WAYS
def test_lead_spade_three_spends_the_spade(decks: int) -> None:
    options = {"decks": decks, "lead_spade_three": True}
    hand = "3S 4S 5S 6S 7S 3H 3D 4H"
    plays = legal_of(hand, options, first_play=True)
    assert cards_spent(plays, "single") == {"3S"}
    assert cards_spent(plays, "pair") == {"3S 3H"}
    assert cards_spent(plays, "triple") == {"3S 3H 3D"}
    assert cards_spent(plays, "pair_chain") == {"3S 3H 4S 4H"}
    assert cards_spent(plays, "straight") == {"3S 4H 5S 6S 7S"}
    assert cards_spent(plays, "flush_straight") == {"3S 4S 5S 6S 7S"}
    later = legal_of(hand, options)
    assert {play.cards for play in later if play[:3] == ("single", 1, "3")} == {("3H",)}
    assert cards_spent(later, "straight") == {"3H 4H 5S 6S 7S"}
    # The only other suit is that of a three, so 34567 with the 3S is the flush straight.
    plays = legal_of("3S 4S 5S 6S 7S 3H", options, first_play=True)
    assert cards_spent(plays, "straight") == set()
    # A flush straight of another suit does not have the 3S.
    plays = legal_of("3S 3H 4H 5H 6H 7H", options, first_play=True)
    assert shown(plays) == {"3", "33", "34567"}
    assert cards_spent(plays, "straight") == {"3S 4H 5H 6H 7H"}
    # The threes may be the kicker or the wings.
    plays = legal_of("3S 3H 4S 4H 4D 5S 5H 5D 6S 6H", options, first_play=True)
    assert {"44433", "4445553366"} <= shown(plays) and "44466" not in shown(plays)


def test_lead_spade_three_with_two_of_them() -> None:
    options = {"decks": 2, "lead_spade_three": True}
    # One 3S is live: the other is spent first, then the 3H.
    plays = legal_of("3S 3S 4S 5S 6S 7S 3H", options, first_play=True)
    assert cards_spent(plays, "single", "pair", "triple") == {"3S", "3S 3H", "3S 3S 3H"}
    # Both are live, and so are the hearts: one 3S, then a choice.
    both = "3S 4S 5S 6S 7S"
    plays = legal_of(f"{both} {both} {both.replace('S', 'H')}", options, first_play=True)
    assert cards_spent(plays, "single", "pair", "triple") == {"3S", "3S 3S", "3S 3H", "3S 3S 3H"}
    # Non-live copies first leaves one suit, 3S among them; any suit may then be used but for the three.
    plays = legal_of("3S 3H 4S 5S 6S 7S 7S 7H", options, first_play=True)
    assert cards_spent(plays, "straight") == {"3S 4S 5S 6S 7H"}


def test_default_of_the_spade_three_example() -> None:
    plays = legal_of("3S 3H 4H 5H 6H 7H", {}, first_play=True)  # section 10, legal plays, row 6
    assert shown(plays) == {"3", "4", "5", "6", "7", "33", "34567", "34567*"}


# Sections 7 and 8.


def test_multipliers() -> None:
    for hand_size, bands in {
        13: {4: range(13, 14), 3: range(10, 13), 2: range(7, 10), 1: range(1, 7)},
        27: {4: range(27, 28), 3: range(21, 27), 2: range(14, 21), 1: range(1, 14)},
    }.items():
        by_left = {left: times for times, lefts in bands.items() for left in lefts}
        assert by_left == {left: zsy.multiplier(left, hand_size) for left in range(1, hand_size + 1)}
    assert zsy.multiplier(0, 13) == 1  # times no cards
    losses = [-zsy.scores([0, n, n, n], {})[1] for n in range(13, 0, -1)]
    assert losses == [52, 36, 33, 30, 18, 16, 14, 6, 5, 4, 3, 2, 1]


@pytest.mark.parametrize(
    ("decks", "left", "multipliers"),
    [
        (1, [13, 8, 2], [4, 2, 1]),
        (1, [12, 10, 9], [3, 3, 2]),
        (1, [7, 6, 1], [2, 1, 1]),
        (1, [13, 13, 13], [4, 4, 4]),
        (1, [1, 1, 1], [1, 1, 1]),
        (1, [3, 11, 7], [1, 3, 2]),
        (2, [27, 26, 21], [4, 3, 3]),
        (2, [20, 14, 13], [2, 2, 1]),
        (2, [1, 2, 27], [1, 1, 4]),
        (2, [27, 27, 27], [4, 4, 4]),
        (2, [13, 14, 20], [1, 2, 2]),
        (2, [22, 5, 19], [3, 1, 2]),
    ],
)
def test_multipliers_of_the_examples(decks: int, left: list[int], multipliers: list[int]) -> None:
    assert [zsy.multiplier(n, zsy.HAND_SIZE[decks]) for n in left] == multipliers


def test_levels() -> None:
    assert len(zsy.LEVELS) == 23
    for level, (threshold, english, chinese) in enumerate(zsy.LEVELS, 1):
        assert zsy.level_of(threshold) == (level, english, chinese)
        assert zsy.level_of(threshold - 1)[0] == max(1, level - 1)


# Section 9.

WINGED = "triple_chain_with_pairs"
NAMES = [
    "single",
    "pair",
    "triple",
    *zsy.STRAIGHTS,
    *zsy.CHAIN_COPIES,
    "full_house",
    WINGED,
    "bomb",
    "joker_bomb",
]


@pytest.mark.parametrize(
    ("decks", "distinct", "plain", "counted"),
    [
        (1, False, [13, 13, 13, 61, 61, 59, 38, 13, 13, 13, 0], {"full_house": 156, WINGED: 858}),
        (1, True, [13, 13, 13, 61, 61, 59, 38, 13, 13, 13, 0], {"full_house": 156, WINGED: 715}),
        (2, False, [15, 15, 13, 61, 61, 99, 83, 13, 49, 65, 1], {"full_house": 182, WINGED: 149612}),
        (2, True, [15, 15, 13, 61, 61, 99, 83, 13, 49, 65, 1], {"full_house": 182, WINGED: 10606}),
    ],
)
def test_catalogue(decks: int, distinct: bool, plain: list[int], counted: dict[str, int]) -> None:
    """A hand can hold just what the whole pack holds in no more cards than a hand has."""
    plays = zsy.rank_plays(zsy.pack(decks), {"distinct_wings": distinct})
    plays = {play for play in plays if play[1] <= zsy.HAND_SIZE[decks]}
    ignored = Counter(name for name, _, _ in {play[:3] for play in plays})
    assert [ignored[name] for name in NAMES] == plain
    assert sum(plain) == {1: 297, 2: 475}[decks]
    with_kickers = dict(zip(NAMES, plain, strict=True)) | counted
    assert Counter(name for name, *_ in plays) == {name: n for name, n in with_kickers.items() if n}
    assert len(plays) == {(1, 0): 1285, (2, 0): 150207, (1, 1): 1142, (2, 1): 11201}[decks, distinct]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("decks", "hands", "plays", "ignored", "live"), [(1, 3000, 18, 18, 1 / 60), (2, 6000, 125, 73, 1 / 3)]
)
def test_averages(decks: int, hands: int, plays: int, ignored: int, live: float, rotate: int) -> None:
    rng = random.Random(f"averages {rotate} {decks}")
    found: Counter[str] = Counter()
    for _ in range(hands):
        hand = zsy.sort_cards(rng.sample(zsy.pack(decks), zsy.HAND_SIZE[decks]))
        held = zsy.rank_plays(hand, {})
        copies = zsy.live_cards(hand)
        found.update(plays=len(held), ignored=len({play[:3] for play in held}))
        found.update(live=bool(copies), twice=2 in copies.values())
    assert found["plays"] / hands == pytest.approx(plays, rel=0.1)
    assert found["ignored"] / hands == pytest.approx(ignored, rel=0.1)
    assert found["live"] / hands == pytest.approx(live, rel=0.35)
    assert found["twice"] < hands / 200  # about 1 in 800


# Cross-checks on small hands of neighbouring cards, where everything can be tried.


def draw(rng: random.Random, pool: list[str], runs: list[str], suits: list[str], size: int) -> list[str]:
    """Draw so many cards of a pool (or all), at times with a run or two among them, mostly of one suit."""
    hand: Counter[str] = Counter()
    for _ in range(rng.choice([0, 1, 1, 2])):
        suit = rng.choice(suits)
        mixed = rng.random() < 0.2
        run = [rank + (rng.choice(suits) if mixed else suit) for rank in rng.choice(runs)]
        run += rng.sample(run, rng.choice([0, 0, 1, 2]))  # second copies, where the pool has them
        longer = (hand + Counter(run)) & Counter(pool)
        hand = longer if longer.total() <= size else hand
    left = list((Counter(pool) - hand).elements())
    more = rng.sample(left, min(len(left), size - hand.total()))
    return zsy.sort_cards([*hand.elements(), *more])


def dense_hand(rng: random.Random, decks: int) -> list[str]:
    """Draw a small hand out of a few neighbouring ranks and suits; at times with jokers, or round A and 2."""
    start = rng.choice([0, *range(len(zsy.PLACES) - 2)])
    ranks = zsy.PLACES[start : start + rng.randint(3, 8)]
    if rng.random() < 0.2:
        ranks = rng.choice(["A2", "KA23", "QKA234"])
    suits = rng.sample(zsy.SUITS, rng.choice([1, 2, 2, 3, 4]))
    pool = [card for card in zsy.pack(decks) if card[0] in ranks and card[-1] in suits]
    if decks == 2 and rng.random() < 0.3:
        pool += "xxXX"
    runs = [window for window in zsy.windows(5) if set(window) <= set(ranks)]
    return draw(rng, pool, runs or [ranks], suits, rng.randint(7, 12))


def sub_multisets(hand: list[str]) -> set[tuple[str, ...]]:
    """Return every set of cards of the hand."""
    return {cards for size in range(1, len(hand) + 1) for cards in combinations(hand, size)}


def check_dense_hand(rng: random.Random, options: dict[str, Any]) -> None:
    """Compare the two ways to find the plays, with each other and with all sets of cards, on one hand."""
    due = options["lead_spade_three"]
    hand = dense_hand(rng, options["decks"])
    while due and zsy.SPADE_THREE not in hand:
        hand = dense_hand(rng, options["decks"])
    read = [zsy.classify(cards, options) for cards in sub_multisets(hand)]
    every = {play for play in read if play is not None and (not due or zsy.SPADE_THREE in play.cards)}
    legal = zsy.legal_plays(hand, None, options, first_play=True)
    assert legal <= every
    assert {zsy.without_suits(play) for play in legal} == {zsy.without_suits(play) for play in every}
    tables = [None, *rng.sample(sorted(every), min(2, len(every)))]
    tables.append(zsy.classify(cards_of(rng.choice(["3", "33", "333", "34567", "3344", "3333"])), options))
    for table in tables:
        every_answer = {play for play in every if table is None or zsy.beats(play, table)}
        by_subsets = zsy.plays_from_subsets(hand, table, options, due)
        by_types = zsy.plays_from_types(hand, table, options, due)
        assert by_subsets == by_types, (hand, table)
        assert {zsy.without_suits(p) for p in by_types} == {zsy.without_suits(p) for p in every_answer}
    assert legal == zsy.plays_from_types(hand, None, options, due)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_all_sets_of_cards(options: dict[str, Any], rotate: int) -> None:
    rng = random.Random(f"sets {rotate} {options}")
    for _ in range(DENSE_HANDS):
        check_dense_hand(rng, options)


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_all_sets_of_cards_of_many_hands(options: dict[str, Any], rotate: int) -> None:
    rng = random.Random(f"many sets {rotate} {options}")
    for _ in range(MANY_DENSE_HANDS):
        check_dense_hand(rng, options)


@pytest.mark.parametrize("lead", [False, True])
def test_whole_hands_of_one_deck(lead: bool, rotate: int) -> None:
    """The two ways agree on hands of thirteen cards with flush straights."""
    rng = random.Random(f"whole hands {rotate} {lead}")
    for _ in range(WHOLE_HANDS):
        suits = rng.sample(zsy.SUITS, rng.choice([2, 2, 3]))
        pool = [card for card in zsy.pack(1) if card[1] in suits]
        hand = draw(rng, pool, list(zsy.windows(5) + zsy.windows(8)), suits, zsy.HAND_SIZE[1])
        due = lead and zsy.SPADE_THREE in hand
        plays = zsy.legal_plays(hand, None, {"lead_spade_three": lead}, first_play=True)
        assert plays == zsy.plays_from_types(hand, None, {}, due)


@BOTH_WAYS
def test_at_most_one_body(decks: int) -> None:
    """The body of a triple_chain_with_pairs is fixed by its cards, so no set of cards has two readings."""
    if decks == 1:
        wanted = zsy.rank_plays(zsy.pack(1), {})
    else:
        held = Counter(zsy.pack(2)[:20] + zsy.pack(2)[54:74] + ["x"] * 2)
        wanted = zsy.rank_plays(list(held.elements()), {})
    sets = Counter("".join(sorted(ranks)) for name, _, _, ranks in wanted if name != "flush_straight")
    assert max(sets.values()) == 1


# Section 6: the reduction loses no flush straight.

FlushRuns = tuple[tuple[str, ...], ...]


@lru_cache(maxsize=2**14)
def reachable(hand: tuple[str, ...]) -> frozenset[FlushRuns]:
    """Return every multiset of flush straights, no card in two, that can be made of the hand; () is one."""
    found: set[FlushRuns] = {()}
    for groups in range(5, 14):
        for window in zsy.windows(groups):
            for suit in zsy.SUITS:
                if zsy.covers(list(hand), window, suit):
                    run = tuple(rank + suit for rank in window)
                    rest = tuple(zsy.without(hand, run))
                    found |= {tuple(sorted((run, *more))) for more in reachable(rest)}
    return frozenset(found)


def reachable_after(hand: list[str], plays: list[Play]) -> set[FlushRuns]:
    """Return what can still be made after one or another of these plays."""
    return {runs for play in plays for runs in reachable(tuple(zsy.without(hand, play.cards)))}


def check_reduction(rng: random.Random, options: dict[str, Any]) -> None:
    """Compare what is still reachable after any cards of a play, and after those that the reduction leaves.

    The plain reading of a straight may be lost to its flush reading, which is then counted with it.
    """
    due = options["lead_spade_three"]
    hand = reduction_hand(rng, options["decks"])
    while due and zsy.SPADE_THREE not in hand:
        hand = reduction_hand(rng, options["decks"])
    every, reduced = defaultdict(list), defaultdict(list)
    for cards in sub_multisets(hand):
        play = zsy.classify(cards, options)
        if play is not None and (not due or zsy.SPADE_THREE in cards):
            every[zsy.without_suits(play)].append(play)
    for play in zsy.legal_plays(hand, None, options, first_play=True):
        reduced[zsy.without_suits(play)].append(play)
    assert set(every) == set(reduced)
    for rank_play, plays in every.items():
        kept = reachable_after(hand, reduced[rank_play])
        if rank_play[0] == "straight":
            kept |= reachable_after(hand, reduced.get(("flush_straight", *rank_play[1:]), []))
        assert reachable_after(hand, plays) <= kept, (hand, rank_play)


def reduction_hand(rng: random.Random, decks: int) -> list[str]:
    """Draw a hand of two suits that holds a flush straight more often than not."""
    suits = rng.sample(zsy.SUITS, 2)
    start = rng.randrange(len(zsy.PLACES) - 5)
    ranks = zsy.PLACES[start : start + rng.randint(6, 8)]
    pool = [card for card in zsy.pack(decks) if card[0] in ranks and card[-1] in suits]
    runs = [window for window in zsy.windows(5) if set(window) <= set(ranks)]
    return draw(rng, pool, runs, suits, rng.randint(8, 10))


@pytest.mark.parametrize("lead", [False, True])
@BOTH_WAYS
def test_reduction_loses_no_flush_straight(decks: int, lead: bool, rotate: int) -> None:
    rng = random.Random(f"reduction {rotate} {decks} {lead}")
    for _ in range(REDUCED_HANDS):
        check_reduction(rng, {"decks": decks, "lead_spade_three": lead})


@pytest.mark.slow
@pytest.mark.parametrize("lead", [False, True])
@BOTH_WAYS
def test_reduction_loses_no_flush_straight_of_many_hands(decks: int, lead: bool, rotate: int) -> None:
    rng = random.Random(f"many reductions {rotate} {decks} {lead}")
    for _ in range(SLOW * REDUCED_HANDS):
        check_reduction(rng, {"decks": decks, "lead_spade_three": lead})


def test_live_copies_are_those_that_flush_straights_can_use(rotate: int) -> None:
    """As many copies are live as some set of flush straights uses; a card never becomes live later."""
    rng = random.Random(f"live {rotate}")
    hands = twice = 0
    while hands < LIVE_HANDS or twice < LIVE_HANDS // 100:
        hands += 1
        hand = reduction_hand(rng, 2)
        live = zsy.live_cards(hand)
        used: Counter[str] = Counter()
        for runs in reachable(tuple(hand)):
            used |= Counter(card for run in runs for card in run)
        assert live == used
        twice += 2 in live.values()
        left = zsy.without(hand, rng.sample(hand, rng.randint(1, len(hand))))
        assert zsy.live_cards(left) <= live


# Whole deals.


@pytest.mark.parametrize("seed", range(RANDOM_GAMES))
def test_random_game_ends_and_sums_to_zero(seed: int, rotate: int) -> None:
    rng = random.Random(f"game {rotate} {seed}")
    decks = 1 + seed % 2
    options = {
        "decks": decks,
        "pass_lockout": rng.random() < 0.5,
        "lead_spade_three": rng.random() < 0.5,
        "distinct_wings": rng.random() < 0.5,
        "base": rng.choice([1, 7]),
        "cards_each": rng.choice([None, None, 4, 9]),
    }
    deck = rng.sample(zsy.pack(decks), len(zsy.pack(decks)))
    game = zsy.Referee(deck, options)
    spade_three_due = options["lead_spade_three"] and zsy.SPADE_THREE in game.hands[game.turn]
    spent: list[str] = []
    actions = 0
    while game.winner is None:
        assert (PASS in game.legal()) == (game.table is not None)
        play = rng.choice(sorted(game.legal()))
        if game.first_play and spade_three_due:
            assert zsy.SPADE_THREE in play.cards
        game.play(play)
        spent += play.cards
        actions += 1
        assert actions <= 4 * MOST_PLAYS[decks]
    assert Counter(sum(game.hands, spent)) == Counter(deck[: 4 * game.hand_size])
    assert sum(game.scores()) == 0 and game.scores()[game.winner] > 0
    assert not game.hands[game.winner]
