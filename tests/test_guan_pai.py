"""Guan Pai's engine and its public face against the rules page: cases, plays, duty, scoring."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from envs.core.aec import TableEnv
from envs.guan_pai import GAME
from envs.guan_pai import legal as legality
from envs.guan_pai import table as kernels
from envs.guan_pai.rules import GuanPaiRules, doublings, scores, units

from .brute import guan_pai as brute
from .brute.test_guan_pai_brute import CHOICES, DUTY_CASES, cases_of
from .games import is_over, legal, new_table, options_of, play
from .guan_pai_tables import SEATS, observed, put, ranks_of, runs_deck, with_suits

Options = dict[str, Any]


def table_with(
    hand: Sequence[str],
    table: Sequence[Any] | None = None,
    options: Options | None = None,
    next_has_one: bool = False,
    plays: int = 3,
) -> TableEnv:
    """Seat 0 is to act with ``hand``; the next seat has one card or two."""
    env = new_table("guan_pai", options or {}, seed=0)
    rest = [card for card in env.game.cards if card not in hand]
    put(env, [hand, rest[: 1 if next_has_one else 2], rest[-2:]], 0, table, plays)
    return env


def named(env: TableEnv) -> set[tuple[str, int, str, str]]:
    """The legal plays as (name, length, key, ranks)."""
    return {(p.name, p.length, p.key, ranks_of(p.cards)) for p in env.legal_plays()}


# --- the case file ----------------------------------------------------------------------------------


@pytest.mark.parametrize("case", cases_of("classify"))
def test_classify(case: dict[str, Any]) -> None:
    cards, is_last = case["cards"], case["is_last_hand"]
    spare = [] if is_last else [next(card for card in brute.PACK if card not in cards)]
    readings = {tuple(reading) for reading in case["expected"]["readings"]}
    short = {tuple(reading) for reading in case["expected"]["short"]}
    led = readings | {r for r in short if len(cards) > 3 * r[1]}  # a bare body is led as what it is
    found = {play[:3] for play in named(table_with([*cards, *spare])) if play[3] == ranks_of(cards)}
    assert found == led
    for name, length, key in short - led:  # it stands in only where it follows
        lower = brute.RANKS[brute.RANKS.index(key) - 1]
        if brute.RANKS.index(key) >= length:
            follows = named(table_with(cards, (name, length, lower), {"short_plane_follow": True}))
            assert (name, length, key, ranks_of(cards)) in follows


@pytest.mark.parametrize("case", cases_of("legal"))
def test_legal(case: dict[str, Any]) -> None:
    expected, table = case["expected"], case["table"] and case["table"]["reading"]
    is_first = case["is_first_play"]
    env = table_with(
        case["hand"], table, case["options"], case["next_player_has_one_card"], plays=0 if is_first else 3
    )
    plays = env.legal_plays()
    shown = {ranks_of(p.cards) or "PASS": p for p in plays}
    assert len(shown) == expected["count"]
    if "plays" in expected:
        assert set(shown) == set(expected["plays"])
    if "count_by_name" in expected:
        names = {(p.name, ranks_of(p.cards)) for p in plays if p.cards}
        assert Counter(name for name, _ in names) == expected["count_by_name"]
    if case["options"].get("dingda") != "off":
        t = env._tables[0]
        breaches = {cards for cards, p in shown.items() if legality.is_breach(t, p.actions[0])}
        assert breaches == set(expected["breaches"])


@pytest.mark.parametrize("case", cases_of("compare"))
def test_compare(case: dict[str, Any]) -> None:
    cards = case["new"]
    spare = [] if case["new_is_last_hand"] else [next(card for card in brute.PACK if card not in cards)]
    env = table_with([*cards, *spare], case["table"]["reading"], case["options"])
    assert case["expected"]["beats"] == any(ranks_of(p.cards) == ranks_of(cards) for p in env.legal_plays())


def settled(
    rules: GuanPaiRules, winner: int, left: list[int], bombs: list[int], liable: int | None
) -> list[int]:
    """Scores from the kernel. It asks only the seat before the winner, so losers may have to trade places."""
    places = list(range(SEATS))
    if liable is not None and liable != (winner - 1) % SEATS:
        places = [(2 * winner - seat) % SEATS for seat in range(SEATS)]
    tables = GAME.new_tables(1, rules)
    t = tables[0]
    kernels.clear(t)
    t["turn"], t["breach"] = winner, liable is not None
    for seat, place in enumerate(places):
        t["left"][place], t["bombs"][place] = left[seat], bombs[seat]
    kernels.settle(t)
    return [int(t["score"][place]) for place in places]


@pytest.mark.parametrize("case", cases_of("score"))
def test_score(case: dict[str, Any]) -> None:
    winner, left, liable = case["winner"], case["remaining"], case["liable"]
    rules, expected = GuanPaiRules.make(case["options"]), case["expected"]
    bombs = [case["bombs_by"].count(seat) for seat in range(SEATS)]
    losers = [seat for seat in range(SEATS) if seat != winner]
    assert [units(left[seat]) for seat in losers] == [expected["units"][seat] for seat in losers]
    assert 2 ** doublings(rules, bombs, winner) == max(expected["multiplier"])
    assert scores(rules, winner, left, bombs, liable) == expected["delta"]
    assert settled(rules, winner, left, bombs, liable) == expected["delta"]


def test_units() -> None:
    table = {16: 48, **{n: 2 * n for n in range(10, 16)}, **{n: n for n in range(6, 10)}}
    for n in range(1, 17):
        assert units(n) == kernels.units(n, 16) == table.get(n, 5)
        for hand_size in range(n, 17):
            assert units(n, hand_size) == kernels.units(n, hand_size) == brute.units(n, hand_size)


def test_random_scores(rotate: int) -> None:
    rng = np.random.default_rng([rotate, 30])
    for _ in range(500):
        options = {name: values[rng.integers(len(values))] for name, values in CHOICES.items()}
        winner, after = int(rng.integers(3)), int(rng.integers(3))
        liable = (winner + after) % SEATS if after and options["dingda"] == "liability" else None
        left = [0 if seat == winner else int(rng.integers(1, 17)) for seat in range(SEATS)]
        bombs_by = rng.integers(3, size=rng.integers(6)).tolist()
        bombs = [bombs_by.count(seat) for seat in range(SEATS)]
        wanted = brute.score(winner, left, bombs_by, liable, options)
        rules = GuanPaiRules.make(options)
        assert scores(rules, winner, left, bombs, liable) == wanted, options
        assert settled(rules, winner, left, bombs, liable) == wanted, options


# --- plays: their names, their readings, their cards ------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "table", "cards", "readings"),
    [
        ("3334", None, "3334", ["triple_with_one 1 3"]),
        ("33345", None, "3334", []),
        ("4445", ("triple_with_two", 1, "3"), "4445", ["triple_with_one 1 4"]),
        ("444", None, "444", ["triple 1 4"]),
        ("444", ("triple_with_two", 1, "3"), "444", ["triple_with_two 1 4"]),
        ("35555T", None, "35555", ["bomb 1 5"]),
        ("347AAA", None, "34AAA", ["triple_with_two 1 A"]),
        ("3334445556K", None, "3334445556", ["triple_chain_with_wings 2 5", "triple_chain_with_wings 2 4"]),
        ("333444555666777K", None, "333444555666777",
         ["triple_chain 5 7", *(f"triple_chain_with_wings 3 {key}" for key in "765")]),
        ("333444555666777", None, "333444555666777",
         ["triple_chain 5 7", *(f"triple_chain_with_wings 3 {key}" for key in "765"),
          "triple_chain_with_wings 4 7", "triple_chain_with_wings 4 6"]),
        ("3334445556K", ("triple_chain_with_wings", 2, "4"), "3334445556", ["triple_chain_with_wings 2 5"]),
        ("345A2", None, "345A2", ["straight 5 5"]),
        ("33334444", None, "33334444", ["triple_chain_with_wings 2 4"]),
        ("45", ("single", 1, "3"), "", ["pass 0 "]),
    ],
)  # fmt: skip
def test_readings(hand: str, table: Any, cards: str, readings: list[str]) -> None:
    env = table_with(with_suits(hand)[0], table)
    found = {f"{p.name} {p.length} {p.key}": p for p in env.legal_plays() if ranks_of(p.cards) == cards}
    assert set(found) == set(readings)
    if not readings:
        with pytest.raises(ValueError, match="no combination"):
            env.actions_for(cards)
        return
    assert env.actions_for(cards) == found[readings[0]].actions  # the default: a chain first, then the key
    for reading in readings:
        name, _, key = reading.split(" ")
        made = found[reading].actions
        if [r.split(" ")[::2] for r in readings].count([name, key]) == 1:
            assert env.actions_for(cards, name=name, key=key) == made
        before = env.snapshot()
        for action in made:
            env.step(action)
        seat, done = env._decisions[-1][0], env.infos["player_0"]
        assert seat == 0 and (is_over(env) or done["action_mask"].sum() == 0)
        env.restore(before)
    with pytest.raises(ValueError, match=f"may be read as .*{readings[0].split()[0]}"):
        env.actions_for(cards, name="single", key="3")


@pytest.mark.parametrize("options", options_of("guan_pai"))
def test_actions_for_inverts_legal_plays(options: Options, rotate: int) -> None:
    rng = np.random.default_rng([rotate, 31])
    env = new_table("guan_pai", options, deck=runs_deck(rng))
    while not is_over(env):
        plays = env.legal_plays()
        for made in plays if len(plays) < 30 else [plays[i] for i in rng.integers(len(plays), size=30)]:
            same = [p for p in plays if (p.name, p.key, p.cards) == (made.name, made.key, made.cards)]
            shortest = min(same, key=lambda p: p.length)  # of last hands with wings
            assert env.actions_for(made.cards, name=made.name, key=made.key) == shortest.actions
        chosen = plays[rng.integers(len(plays))]
        for number, action in enumerate(chosen.actions):
            rest = [p for p in env.legal_plays() if p.actions == chosen.actions[number:]]
            assert [p[:4] for p in rest] == [chosen[:4]]
            seat = env.agent_selection
            env.step(action)
        assert env.history()[-1] == (int(seat[-1]), chosen)
    assert env.legal_plays() == []


@pytest.mark.parametrize(
    ("hand", "table", "options", "cards", "why"),
    [
        ("35", None, {}, "55", "seat 0 holds 1 of rank 5"),
        ("35", None, {}, "8", "holds 0 of rank 8"),
        ("35", None, {}, "5X", "no card"),
        ("35", None, {}, "", "the seat that leads must play"),
        ("35", None, {}, "35", "no combination"),
        ("33345", None, {}, "3334", "no combination"),
        ("35", ("single", 1, "5"), {}, "5", "do not beat single 5"),
        ("66", ("single", 1, "5"), {}, "66", "do not beat single 5"),
        ("35", ("single", 1, "4"), {"must_beat": "all"}, "", "must_beat"),
        ("35", ("single", 1, "4"), {"dingda": "forced"}, "", "dingda"),
        ("357", ("single", 1, "4"), {"dingda": "forced"}, "5", "highest rank, 7"),
        ("3345", None, {"lead_diamond_three": True}, "5", "3D"),
    ],
)
def test_why_not(hand: str, table: Any, options: Options, cards: str, why: str) -> None:
    env = table_with(with_suits(hand)[0], table, options, next_has_one=True, plays=0 if "3D" in why else 3)
    before = env.snapshot()
    with pytest.raises(ValueError, match=why):
        env.actions_for(cards)
    assert env.snapshot() == before


def test_ways_to_write_cards() -> None:
    env = table_with(["5S", "5H", "5D", "7C"])
    ways = ["55", "5S5H", "5S 5H", "5D, 5H", ["5S", "5D"], ("5", "5")]
    assert {env.actions_for(cards) for cards in ways} == {env.legal_plays()[2].actions}


@pytest.mark.parametrize(
    ("options", "hand", "plays", "cards"),
    [
        ({}, "5S 5H 5D 5C", 3, "5S 5H"),
        ({}, "5H 5D 5C 9S", 3, "5H 5D"),
        ({}, "3H 3D 3C 9S", 0, "3H 3D"),
        ({"lead_diamond_three": True}, "3S 3H 3D 3C 9S", 0, "3S 3D"),
        ({"lead_diamond_three": True}, "3S 3H 3D 3C 9S", 3, "3S 3H"),
        ({"lead_diamond_three": True}, "3S 3D 5S 5H", 0, "3D"),
    ],
)
def test_lowest_suits_go_first(options: Options, hand: str, plays: int, cards: str) -> None:
    env = table_with(hand.split(), None, options, plays=plays)
    env.step(*env.actions_for(ranks_of(cards.split())))
    assert sorted(env.hand(0)) == sorted(set(hand.split()) - set(cards.split()))


def test_kickers_come_in_rising_order_and_can_always_be_completed() -> None:
    env = table_with(with_suits("3334567KK")[0])
    env.step(env.actions_for("333KK")[0])
    assert [env.describe(action) for action in legal(env)] == [f"kicker {rank}" for rank in "4567K"]
    env.step(legal(env)[3])
    assert [env.describe(action) for action in legal(env)] == ["kicker K"]
    assert [ranks_of(p.cards) for p in env.legal_plays()] == ["3337K"]


# --- turns, the lead, the top-card duty -------------------------------------------------------------


def test_lowest_card_leads(rotate: int) -> None:
    for seed in range(100):
        for options in ({}, {"cards_each": 5}, {"cards_each": 1}):
            env = new_table("guan_pai", options, seed=1000 * rotate + seed)
            holds = {card: f"player_{seat}" for seat in range(SEATS) for card in env.hand(seat)}
            lowest = min(holds, key=lambda card: (brute.RANKS.index(card[0]), "DCHS".index(card[1])))
            assert env.agent_selection == holds[lowest]
            assert options or lowest == "3D"


def test_cards_are_dealt_in_turn() -> None:
    deck = list(brute.PACK)
    env = new_table("guan_pai", {"cards_each": 7}, deck=deck)
    for seat in range(SEATS):
        assert sorted(env.hand(seat)) == sorted(deck[seat:21:3])


def play_story(env: TableEnv, hands: list[str], leader: int, story: str) -> None:
    """Play actions given by rank, "-" for a pass, from hands given by rank."""
    put(env, with_suits(*hands), leader)
    for cards in story.split():
        for action in env.actions_for(cards.replace("-", "")):
            env.step(action)


@pytest.mark.parametrize(("hands", "leader", "story", "liable"), [
    pytest.param(*case[1:], id=case[0]) for case in DUTY_CASES
])  # fmt: skip
@pytest.mark.parametrize("dingda", ["liability", "forced", "off"])
def test_dingda(dingda: str, hands: list[str], leader: int, story: str, liable: int | None) -> None:
    env = new_table("guan_pai", {"dingda": dingda}, seed=0)
    has_breach = liable is not None or story.startswith("3 -")  # that one is forgotten later
    if dingda == "forced" and has_breach:
        with pytest.raises(ValueError, match="dingda"):
            play_story(env, hands, leader, story)
        return
    play_story(env, hands, leader, story)
    liable = liable if dingda == "liability" else None
    left = [len(env.hand(seat)) for seat in range(SEATS)]
    assert is_over(env) and left[1] == 0
    info = env.infos["player_0"]
    assert (info["winner"], info["liable"]) == (1, liable)
    assert info["outcome"] == ("out" if liable is None else "liable")
    assert env.scores() == brute.score(1, left, [], liable, {})


def test_a_pass_does_not_lock_out_and_two_passes_end_the_trick() -> None:
    env = new_table("guan_pai", {}, seed=0)
    play_story(env, ["39K", "5TT", "488"], 0, "3 - 4 9 T - -")
    assert env.agent_selection == "player_1" and "To beat: nothing" in env.text()
    assert "pass" not in [p.name for p in env.legal_plays()]


# --- observations -----------------------------------------------------------------------------------


@pytest.mark.parametrize("options", options_of("guan_pai"))
def test_observations_tell_the_game_so_far(options: Options, rotate: int) -> None:
    rng = np.random.default_rng([rotate, 32])
    env = new_table("guan_pai", options, deck=runs_deck(rng))
    leader = int(env.agent_selection[-1])
    while True:
        for seat in range(SEATS):
            seen = env.game.observation_dict(env.observe(f"player_{seat}")["observation"])
            wanted = observed(env, seat, leader)
            assert set(seen) == set(wanted)
            for name, value in wanted.items():
                assert np.array_equal(seen[name], np.array(value).reshape(seen[name].shape)), name
        if not play(env, rng, most=3):
            break
