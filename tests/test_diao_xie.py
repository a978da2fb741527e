"""Diao Xie's engine and its public face against the rules page and the plain referee."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from envs.core.aec import TableEnv
from envs.diao_xie import text
from envs.diao_xie.hands import (
    CATEGORIES,
    CATEGORY,
    HAND_POINTS,
    HAND_TYPE,
    HAND_TYPES,
    HANDS,
    NUM_CLASSES,
    PACK,
    PLAIN,
    STRENGTH,
    TYPE_NAMES,
    key_of,
)
from envs.diao_xie.observation import AMOUNTS
from envs.diao_xie.rules import DiaoXieRules

from .brute import diao_xie as brute
from .diao_xie_tables import deck_of
from .games import is_over, legal, new_table, options_of

CASES = json.loads((Path(__file__).parent / "cases" / "diao_xie_cases.json").read_text(encoding="utf-8"))
QUICK, ALL = 1_700, 50_000  # hands
SEEN = """
    fold eat touch1 touch2 touch3 touch4 carry counter_carry no_carry call raise unseen_win penalty bonus tie
    lost_extra pot_left second_hand ends_early
"""
"""What has to happen in the long run: every action, every special settlement."""


def cases_of(kind: str) -> list[Any]:
    return [pytest.param(case, id=str(i)) for i, case in enumerate(CASES) if case["kind"] == kind]


def indices(hand: str | list[str]) -> tuple[int, int]:
    first, second = hand.split() if isinstance(hand, str) else hand
    return PACK.index(first), PACK.index(second)


def act(env: TableEnv, names: list[str]) -> None:
    """Play actions by name."""
    for name in names:
        env.step(brute.ACTIONS.index(name))


def legal_names(env: TableEnv) -> list[str]:
    return [brute.ACTIONS[action] for action in legal(env)]


# --- hands ------------------------------------------------------------------------------------------


def test_the_pack_and_its_hands() -> None:
    assert list(PACK) == brute.PACK and len(HANDS) == 496
    assert (len(TYPE_NAMES), len(HAND_TYPES), NUM_CLASSES) == (17, 151, 126)
    sizes = Counter(Counter(HAND_TYPE[hand] for hand in HANDS).values())
    assert sizes == {1: 16, 4: 105, 2: 30}


def test_every_hand_is_what_the_words_say() -> None:
    for a, b in HANDS:
        hand = (PACK[a], PACK[b])
        assert CATEGORIES[CATEGORY[a, b]] == brute.category(hand)
        assert CATEGORY[a, b] != PLAIN or HAND_POINTS[a, b] == brute.points(hand)


def test_every_comparison_is_what_the_words_say() -> None:
    for one in HANDS:
        for other in HANDS:
            names = [(PACK[a], PACK[b]) for a, b in (one, other)]
            assert (STRENGTH[one] > STRENGTH[other]) == brute.stronger(*names)
            assert (STRENGTH[one] == STRENGTH[other]) == brute.equal(*names)


def test_hands_of_one_type_are_alike() -> None:
    for table in (STRENGTH, CATEGORY):
        by_type = {(int(HAND_TYPE[hand]), int(table[hand])) for hand in HANDS}
        assert len(by_type) == len(HAND_TYPES)


# --- the case file ----------------------------------------------------------------------------------


@pytest.mark.parametrize("case", cases_of("classify"))
def test_classify(case: dict[str, Any]) -> None:
    a, b = indices(case["hand"])
    assert CATEGORIES[CATEGORY[a, b]] == case["category"] and key_of(a, b) == tuple(case["key"])
    assert case["points"] is None or HAND_POINTS[a, b] == case["points"]


@pytest.mark.parametrize("case", cases_of("compare"))
def test_compare(case: dict[str, Any]) -> None:
    one, other = STRENGTH[indices(case["a"])], STRENGTH[indices(case["b"])]
    assert np.sign(one - other) == case["strength"]
    assert ("a" if one > other or (one == other and case["a_speaks_first"]) else "b") == case["winner"]


def table_of(case: dict[str, Any]) -> TableEnv:
    """The table of a case after its actions; hands that it does not give are shuffled."""
    deals = [deck_of([" ".join(hand) for hand in deal]) for deal in case.get("deals", [])]
    env = new_table("diao_xie", case["options"], seed=0, deck=deals or None)
    act(env, case["actions"])
    return env


@pytest.mark.parametrize("case", cases_of("legal"))
def test_legal(case: dict[str, Any]) -> None:
    env = table_of(case)
    assert is_over(env) == case["over"] and legal(env).tolist() == case["indices"]
    assert legal_names(env) == case["legal"]
    if not case["over"]:
        assert env.agent_selection == f"player_{case['to_act']}"
        base, t = case["options"]["base"], env._tables[0]
        stakes = {brute.ACTIONS[a]: base * text.amount_of(t, a) for a in legal(env).tolist()}
        assert "stakes" not in case or stakes == case["stakes"]
    assert "pot" not in case or env.pot == case["pot"]
    assert {"pot", "paid"} & set(case)
    if "paid" in case and not case["over"]:
        assert env._tables[0]["stakes"][: len(case["paid"])].tolist() == case["paid"]


@pytest.mark.parametrize("case", cases_of("settle"))
def test_settle(case: dict[str, Any]) -> None:
    env = table_of(case)
    rewards = [Fraction(reward) for reward in case["rewards"]]
    assert is_over(env) and env.scores() == rewards
    assert list(env.rewards.values()) == pytest.approx([float(reward) for reward in rewards])
    if "hands_detail" in case:
        assert env.infos["player_0"]["winner"] == case["hands_detail"][-1]["winner"]
        assert env.infos["player_0"]["hands"] == len(case["hands_detail"])


def test_a_folded_seat_pays_for_an_equal_hand_only_if_it_spoke_earlier() -> None:
    """Speaking order runs from the head of the second hand, seat 1."""
    decks = [deck_of(["7H 3H", "QH QD"]), deck_of(["QH 9H", "QD 9D"])]
    for actions, owed in ((["touch1", "eat", "fold"], 3), (["touch1", "eat", "eat", "fold"], 0)):
        env, referee = new_table("diao_xie", {"hands": 2}, deck=decks), brute.Referee(decks, {"hands": 2})
        act(env, actions)
        for name in actions:
            referee.play(name)
        assert env.scores() == referee.rewards() and sum(referee.log[-1]["penalties"]) == owed


# --- whole episodes against the referee -------------------------------------------------------------


def random_decks(rng: np.random.Generator, n: int, hands: int) -> list[list[str]]:
    """Decks in which equal hands, pairs and the supreme hand are common."""
    decks = []
    for _ in range(hands):
        deck = rng.permutation(PACK).tolist()
        if rng.random() < 0.5:
            rich = ["X", "3H", "QH", "9H", "QD", "9D", "6H", "6D", "4S", "4C", "4H", "TH", "TD"]
            first = rng.permutation(rich).tolist()[: 2 * n] if rng.random() < 0.5 else rich[: 2 * n]
            deck = [*first, *(card for card in deck if card not in first)]
        decks.append(deck)
    return decks


def play_in_lockstep(number: int, options: dict[str, Any], seen: Counter[str]) -> int:
    """Play one episode on both; the number of hands settled."""
    rng = np.random.default_rng([number, 60])
    rules = DiaoXieRules(**options)
    decks = random_decks(rng, rules.num_players, rules.hands)
    env, referee = new_table("diao_xie", options, deck=decks), brute.Referee(decks, rules.as_dict())
    boldness = rng.random()
    while not referee.over:
        where = f"episode {number} under {options}\n{env.text()}"
        assert env.agent_selection == f"player_{referee.turn}", where
        assert legal_names(env) == referee.legal(), where
        assert env.pot == referee.pot, where
        assert [set(env.hand(seat)) for seat in range(rules.num_players)] == list(map(set, referee.hands)), (
            where
        )
        names = referee.legal()
        weights = np.array([boldness if name != "fold" else 1 - boldness for name in names]) + 0.02
        name = str(rng.choice(names, p=weights / weights.sum()))
        seen[name] += 1
        act(env, [name])
        referee.play(name)
    assert is_over(env) and env.scores() == referee.rewards(), f"episode {number} under {options}"
    assert env.infos["player_0"]["winner"] == referee.log[-1]["winner"]
    assert all(env.game.min_utility <= score <= env.game.max_utility for score in env.scores())
    for hand in referee.log if rules.betting == "pot" else []:
        seen["unseen_win"] += hand["stakes"][hand["winner"]] is None
        seen["penalty"] += any(hand["penalties"])
        seen["bonus"] += any(hand["bonus"])
        seen["lost_extra"] += bool(hand["lost_extra"])
        seen["pot_left"] += hand["pot_after"] > 0
    seen["tie"] += any(brute.equal(a, b) for a, b in permutations(referee.hands, 2))
    seen["second_hand"] += len(referee.log) > 1
    seen["ends_early"] += len(referee.log) < rules.hands
    return len(referee.log)


@pytest.mark.parametrize("wanted", [QUICK, pytest.param(ALL, marks=pytest.mark.slow)])
def test_engine_and_referee_agree(wanted: int, rotate: int) -> None:
    seen: Counter[str] = Counter()
    every_options = options_of("diao_xie")
    number, hands = rotate * QUICK, 0
    while hands < wanted:
        hands += play_in_lockstep(number, every_options[number % len(every_options)], seen)
        number += 1
    print(f"{hands} hands in {number - rotate * QUICK} episodes", dict(sorted(seen.items())), sep="\n")
    assert wanted < ALL or not [what for what in SEEN.split() if not seen[what]]


# --- options and the public face --------------------------------------------------------------------


@pytest.mark.parametrize(
    "options", [{"hands": 2}, {"counter_carry": True}, {"fold_penalty": False}, {"supreme_bonus": False}]
)
def test_limit_takes_no_option_of_pot(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"option {next(iter(options))} is one of betting='pot'"):
        DiaoXieRules(betting="limit", **options)


def test_decks_of_several_hands() -> None:
    decks = [deck_of(["QH QD", "7H 3H"]), deck_of(["7H 3H", "QH QD"])]
    env = new_table("diao_xie", {"hands": 3}, seed=1, deck=decks)
    assert env.deck()[:2] == decks and sorted(env.deck()[2]) == sorted(PACK)
    with pytest.raises(ValueError, match=r"deals 3 deck\(s\) under these options, not 4"):
        env.reset(options={"deck": [decks[0]] * 4})
    env.reset(options={"deck": [None, np.array(decks[1])]})
    assert env.deck()[1] == decks[1] and sorted(env.deck()[0]) == sorted(PACK)
    with pytest.raises(ValueError, match="a deck is a list of cards, not 5"):
        env.reset(options={"deck": 5})
    one = new_table("diao_xie", {}, deck=decks[0])
    assert one.deck() == decks[0] and one.hand(0) == ["QH", "QD"]


def test_actions_by_name() -> None:
    env = new_table("diao_xie", {}, seed=1)
    plays = [(play.name, play.cards, play.actions) for play in env.legal_plays()]
    assert plays == [("fold", (), (0,)), ("eat", (), (1,)), ("touch1", (), (2,))]
    assert env.actions_for("eat") == env.actions_for((), name="eat") == (1,)
    with pytest.raises(ValueError, match="choose one by name: fold, eat, touch1"):
        env.actions_for(())
    with pytest.raises(ValueError, match="carry is not legal now; choose one by name: fold, eat, touch1"):
        env.actions_for("carry")
    with pytest.raises(ValueError, match="raise is not legal now"):
        env.actions_for((), name="raise")


def test_hands_are_shown_at_the_end_of_each() -> None:
    decks = [deck_of(["7H 3H", "QH QD"]), deck_of(["QH QD", "7H 3H"])]
    env = new_table("diao_xie", {"hands": 2}, deck=decks)
    act(env, ["touch1", "fold"])
    first = [(1, 0, "shows", ("3H", "7H")), (1, 1, "shows", ("QH", "QD")), (1, 0, "wins", ())]
    assert env.events() == first
    act(env, ["touch4", "carry"])
    assert env.events()[3:] == [
        (3, 0, "shows", ("QH", "QD")),
        (3, 1, "shows", ("3H", "7H")),
        (3, 0, "wins", ()),
    ]
    assert env.record()["events"][0] == [1, 0, "shows", ["3H", "7H"]]


def test_rewards_are_fractions_of_points() -> None:
    env = new_table("diao_xie", {}, deck=deck_of(["7H 3H", "QH QD"]))
    act(env, ["touch1", "fold"])
    assert env.scores() == [Fraction(1, 2), Fraction(-1, 2)] and env.rewards["player_0"] == 0.5
    assert env.record()["scores"] == ["1/2", "-1/2"]


def test_the_text_names_hands_and_stakes() -> None:
    env = new_table("diao_xie", {"num_players": 3}, deck=deck_of(["QH 9D", "TH TS", "X 3H"]))
    assert "QH 9D (heaven_nine 天九)" in env.text(0) and "TH" not in env.text(0)
    assert "player_0 may fold 弃, eat 吃 3, touch1 碰 1, touch4 碰 2 (stakes in b)" in env.text(0)
    assert (env.describe(0), env.describe(7)) == ("fold 弃", "counter_carry 头家反带")
    act(env, ["touch4"])
    assert "touch4 碰" in env.text() and "0 points 杂牌" in env.text() and "supreme 至尊宝" in env.text()
    act(env, ["fold", "carry"])
    assert "wins the last hand; scores" in env.text(0) and "至尊宝" in env.text(0)


# --- the observation --------------------------------------------------------------------------------

ROWS = ("X 3H", "9H 9D 5H 5D 7S 7C 8S 8C", "JH JD 7H 7D TS TC 6S 6C", "6H 6D TH TD 4S 4C", "4H 4D", "8H 8D",
        "2H 2D", "QH QD")  # fmt: skip
"""The cards by v, from 0."""


def observed(env: TableEnv, seat: int) -> dict[str, Any]:
    """Every field of what ``seat`` sees, worked out by the referee from the decisions so far."""
    rules = env.rules.as_dict()
    n = rules["num_players"]
    referee = brute.Referee(env.deck() if rules["hands"] > 1 else [env.deck()], rules)
    done: list[tuple[int, str]] = []  # in this hand
    for actor, action in env._decisions:
        number = referee.hand_number
        referee.play(brute.ACTIONS[action])
        done.append((actor, brute.ACTIONS[action]))
        if referee.hand_number != number and not referee.over:
            done = []
    own, who = referee.hands[seat], [(seat + i) % n for i in range(n)]
    types = [sum(card in name.split() for card in own) for name in TYPE_NAMES]
    values = sorted((v for v, row in enumerate(ROWS) for card in own if card in row.split()), reverse=True)
    stakes = [referee.stakes[s] or 0 for s in range(n)]
    if rules["betting"] == "pot":
        stakes[referee.head] += referee.extra

    def unary(amount: int) -> list[int]:
        return [int(amount >= threshold) for threshold in AMOUNTS]

    def one_hot(value: Any, choices: Any) -> list[int]:
        return [int(value == choice) for choice in choices]

    fields = {
        "cards": [int(card in own) for card in PACK],
        "types": [[int(count > k) for count in types] for k in range(2)],
        "values": [one_hot(value, range(8)) for value in values],
        "category": one_hot(brute.category(own), CATEGORIES),
        "points": one_hot(brute.points(own) if brute.category(own) == "plain" else None, range(10)),
        "strength": [int(STRENGTH[indices(list(own))] > k) for k in range(NUM_CLASSES - 1)],
        "place": one_hot((seat - referee.head) % n, range(n)),
        "to_move": one_hot(referee.turn, who),
        "folded": [int(s in referee.folded) for s in who],
        "stakes": [unary(stakes[s] // rules["base"]) for s in who],
        "pot": unary(referee.pot // rules["base"]),
    }
    if rules["betting"] == "limit":
        line = [one_hot(name, ("fold", "call", "raise")) for _, name in done]
        return {**fields, "line": line + [[0, 0, 0]] * (4 * n - 3 - len(line))}
    first = dict(reversed(done))
    second = [name for _, name in done]
    is_asked = not referee.over and "counter_carry" in referee.legal()
    return {
        **fields,
        "actions": [one_hot(first.get(s), brute.ACTIONS[:7]) for s in who],
        "second_turn": [int(is_asked), int("counter_carry" in second), int("no_carry" in second)],
        "hands_played": [int(referee.hand_number > k) for k in range(8)],
        "hands": [int(rules["hands"] > k) for k in range(8)],
        **{name: [int(rules[name])] for name in ("counter_carry", "fold_penalty", "supreme_bonus")},
    }


@pytest.mark.parametrize("options", options_of("diao_xie"))
def test_every_field_of_the_observation(options: dict[str, Any], rotate: int) -> None:
    rng = np.random.default_rng([rotate, 61])
    env = new_table("diao_xie", options, seed=rotate)
    for _ in range(25):
        for seat in range(env.game.num_players):
            seen = env.game.observation_dict(env.observe(f"player_{seat}")["observation"])
            wanted = observed(env, seat)
            assert list(seen) == list(wanted)
            for name, value in wanted.items():
                assert np.array_equal(seen[name], value), f"{name} of seat {seat}\n{env.text()}"
        env.step(int(rng.choice(legal(env))))
        if is_over(env):
            env.reset()
