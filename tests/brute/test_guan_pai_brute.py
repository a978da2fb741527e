"""The slow referee for Guan Pai agrees with the rules page and its case file."""

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from . import guan_pai as gp

CASE_FILE = Path(__file__).parents[1] / "cases" / "guan_pai_cases.json"
CASES = json.loads(CASE_FILE.read_text(encoding="utf-8"))
KINDS = {"classify", "legal", "compare", "score"}
RANDOM_GAMES, SLOW_GAMES = 10, 20
LONGEST_GAME = 3 * 48  # at most two passes follow each play, and a play sheds a card

CHOICES: dict[str, list[Any]] = {
    "must_beat": ["off", "non_bomb", "all"],
    "lead_diamond_three": [False, True],
    "short_plane_follow": [False, True],
    "dingda": ["liability", "forced", "off"],
    "bomb_doubling": ["every_bomb", "once", "winner_only", "off"],
    "loss_cap": [100, 40, None],
    "base": [1, 3],
}


def cases_of(kind: str) -> list[Any]:
    """Return the cases of one kind, each under its own id."""
    return [pytest.param(case, id=case["id"]) for case in CASES if case["kind"] == kind]


def ranks_of(cards: list[str]) -> str:
    """Return the ranks of some cards, ascending."""
    return gp.sort_ranks("".join(card[0] for card in cards))


def deal(rng: random.Random) -> list[list[str]]:
    """Deal the whole pack into three hands."""
    cards = rng.sample(gp.PACK, len(gp.PACK))
    return [cards[seat :: gp.SEATS] for seat in range(gp.SEATS)]


def random_options(rng: random.Random) -> dict[str, Any]:
    """Choose a value for every option."""
    return {name: rng.choice(values) for name, values in CHOICES.items()}


def test_every_case_is_run() -> None:
    assert {case["kind"] for case in CASES} == KINDS
    assert len({case["id"] for case in CASES}) == len(CASES)


def test_pack() -> None:
    assert len(gp.PACK) == gp.SEATS * gp.HAND_SIZE
    counts = Counter(card[0] for card in gp.PACK)
    assert {rank for rank in gp.RANKS if counts[rank] != 4} == {"A", "2"}
    assert (counts["A"], counts["2"]) == (3, 1)


@pytest.mark.parametrize("case", cases_of("classify"))
def test_classify(case: dict[str, Any]) -> None:
    full, short = gp.readings(ranks_of(case["cards"]), case["is_last_hand"])
    assert full == {tuple(reading) for reading in case["expected"]["readings"]}
    assert short == {tuple(reading) for reading in case["expected"]["short"]}


@pytest.mark.parametrize("case", cases_of("legal"))
def test_legal(case: dict[str, Any]) -> None:
    options, expected = case["options"], case["expected"]
    hand = ranks_of(case["hand"])
    table = None if case["table"] is None else tuple(case["table"]["reading"])
    next_has_one = case["next_player_has_one_card"]
    first_play = case["is_first_play"] and gp.DIAMOND_THREE in case["hand"]
    actions = gp.legal_plays(hand, table, options, next_has_one, first_play)

    named = {action[3] or "PASS": action for action in actions}
    assert len(named) == expected["count"]
    if "plays" in expected:
        assert set(named) == set(expected["plays"])
    if "count_by_name" in expected:
        names = {(name, ranks) for name, _, _, ranks in actions if name != "pass"}
        assert Counter(name for name, _ in names) == expected["count_by_name"]
    breaches = {
        shown
        for shown, action in named.items()
        if gp.is_breach(hand, action[3], action == gp.PASS, table, next_has_one)
    }
    duty = options.get("dingda") != "off"
    assert (breaches if duty else set()) == set(expected["breaches"])


@pytest.mark.parametrize("case", cases_of("compare"))
def test_compare(case: dict[str, Any]) -> None:
    full, short = gp.readings(ranks_of(case["new"]), case["new_is_last_hand"])
    table, options = tuple(case["table"]["reading"]), case["options"]
    beaten = any(gp.beats(reading, False, table, options) for reading in full)
    beaten |= any(gp.beats(reading, True, table, options) for reading in short)
    assert beaten == case["expected"]["beats"]
    table_full, _ = gp.readings(ranks_of(case["table"]["cards"]), last_hand=False)
    assert table in table_full


@pytest.mark.parametrize("case", cases_of("score"))
def test_score(case: dict[str, Any]) -> None:
    winner, left, bombs_by = case["winner"], case["remaining"], case["bombs_by"]
    options, expected = case["options"], case["expected"]
    times = gp.multiplier(winner, bombs_by, options)
    by_seat = [1 if seat == winner else times for seat in range(gp.SEATS)]
    assert [gp.units(n) for n in left] == expected["units"]
    assert by_seat == expected["multiplier"]
    assert gp.score(winner, left, bombs_by, case["liable"], options) == expected["delta"]


# Section 6, the breach test cases: hands by seat, leader, ranks of each action ("-" is a
# pass), and the liable seat. Seat 1 wins each one.
DUTY_CASES = [
    ("leads 9 keeping K, then T", ["9K", "T", "345"], 0, "9 T", 0),
    ("leads 9 keeping K, then A", ["9K", "A", "345"], 0, "9 A", 0),
    ("leads K keeping 9, then A", ["9K", "A", "345"], 0, "K A", None),
    ("passes over 8", ["9K", "T", "458"], 2, "8 - T", 0),
    ("plays 9 on 8", ["9K", "T", "458"], 2, "8 9 T", 0),
    ("passes over the neighbour's own 8", ["6K", "8T", "345"], 1, "8 - - T", 0),
    ("cannot beat the 8", ["67", "8T", "34A"], 1, "8 - - T", None),
    ("passes over 44", ["3KK", "44T", "356"], 1, "44 - - T", None),
    ("an older breach is forgotten", ["399", "T", "457"], 0, "3 - 4 9 T", None),
]


@pytest.mark.parametrize(
    ("hands", "leader", "actions", "liable"),
    [pytest.param(*case[1:], id=case[0]) for case in DUTY_CASES],
)
def test_liability(hands: list[str], leader: int, actions: str, liable: int | None) -> None:
    game = gp.Referee([[rank + "S" for rank in hand] for hand in hands], leader, {})
    for ranks in actions.split():
        wanted = "" if ranks == "-" else ranks
        (action,) = [action for action in game.legal() if action[3] == wanted]
        game.play(*action)
    assert (game.winner, game.liable) == (1, liable)


def test_a_pass_does_not_lock_out_and_two_passes_end_the_trick() -> None:
    hands = [["3D", "9S", "KS"], ["5S", "TS", "TH"], ["4S", "8S", "8H"]]
    game = gp.Referee(hands, None, {})
    game.play("single", 1, "3", "3")
    game.play("pass")
    game.play("single", 1, "4", "4")
    game.play("single", 1, "9", "9")
    game.play("single", 1, "T", "T")  # seat 1 passed before, and plays again
    game.play("pass")
    assert (game.owner, game.turn, game.table) == (1, 0, ("single", 1, "T"))
    game.play("pass")
    assert (game.owner, game.turn, game.table) == (None, 1, None)
    assert gp.PASS not in game.legal()


# Sections 3 and 5: several readings of one set, and stand-ins named only where needed.
@pytest.mark.parametrize(
    ("hand", "table", "options", "entries"),
    [
        ("444", None, {}, {("triple", 1, "4")}),
        ("444", ("triple", 1, "3"), {}, {("triple", 1, "4")}),
        ("444", ("triple_with_two", 1, "3"), {}, {("triple_with_two", 1, "4")}),
        ("333444", None, {}, {("triple_chain", 2, "4")}),
        ("444555", ("triple_chain", 2, "4"), {}, {("triple_chain", 2, "5")}),
        ("444555", ("triple_chain_with_wings", 2, "4"), {}, set()),
        (
            "444555",
            ("triple_chain_with_wings", 2, "4"),
            {"short_plane_follow": True},
            {("triple_chain_with_wings", 2, "5")},
        ),
        (
            "3334445556",
            ("triple_chain_with_wings", 2, "4"),
            {},
            {("triple_chain_with_wings", 2, "5")},
        ),
        (
            "333444555",
            None,
            {},
            {
                ("triple_chain", 3, "5"),
                ("triple_chain_with_wings", 2, "4"),
                ("triple_chain_with_wings", 2, "5"),
            },
        ),
    ],
)
def test_names_of_a_last_hand(
    hand: str, table: gp.Reading | None, options: dict[str, Any], entries: set[gp.Reading]
) -> None:
    plays = gp.legal_plays(hand, table, options)
    assert {play[:3] for play in plays if play[3] == hand} == entries


def test_units_of_a_small_deal() -> None:
    assert [gp.units(n, hand_size=8) for n in (0, 1, 5, 6, 7, 8)] == [0, 5, 5, 6, 7, 24]


@pytest.mark.parametrize("seed", range(RANDOM_GAMES))
def test_random_game_ends_and_sums_to_zero(seed: int, rotate: int) -> None:
    play_a_random_game(random.Random(f"game {rotate} {seed}"))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SLOW_GAMES))
def test_many_random_games_end_and_sum_to_zero(seed: int, rotate: int) -> None:
    play_a_random_game(random.Random(f"many games {rotate} {seed}"))


def play_a_random_game(rng: random.Random) -> None:
    game = gp.Referee(deal(rng), None, random_options(rng))
    actions = 0
    while game.winner is None:
        assert game.legal()
        game.play(*rng.choice(sorted(game.legal())))
        actions += 1
        assert actions <= LONGEST_GAME
    assert sum(game.scores()) == 0
    assert game.scores()[game.winner] > 0 and game.hands[game.winner] == ""
