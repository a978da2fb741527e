"""Zheng Shang You's engine and its public face against the rules page: cases, plays, suits, tricks, scores.

That whole games are those of the plain referee is tested in ``test_zheng_shang_you_brute_engine.py``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

from envs.core.aec import TableEnv
from envs.zheng_shang_you import GAME
from envs.zheng_shang_you import table as kernels
from envs.zheng_shang_you.actions import ACTIONS, BEATS, MOST_OF_RANK, PASS
from envs.zheng_shang_you.rules import ZhengShangYouRules, multiplier, scores
from envs.zheng_shang_you_v0 import level_of

from .brute import zheng_shang_you as brute
from .brute.test_zheng_shang_you_brute import (
    BEATS as EXAMPLES_OF_BEATING,
)
from .brute.test_zheng_shang_you_brute import (
    DOES_NOT_BEAT,
    WINDOWS,
    cards_of,
    cases_of,
    deck_of,
    shown,
)
from .games import is_over, legal, new_table, options_of, play
from .zheng_shang_you_tables import SEATS, actions_of, observed, plain, put, stacked_deck

Options = dict[str, Any]
TWO_DECKS: Options = {"decks": 2}


def table_with(
    hand: str | Sequence[str],
    table: Sequence[str] | None = None,
    options: Options | None = None,
    first_play: bool = False,
) -> TableEnv:
    """Seat 0 is to act with ``hand`` ("3S 4S"), and to beat the play of cards ``table``."""
    env = new_table("zheng_shang_you", options or {}, seed=0)
    put(env, hand.split() if isinstance(hand, str) else hand, table, first_play)
    return env


def found(env: TableEnv, cards: Sequence[str]) -> list[brute.Play]:
    """The legal plays of exactly these cards."""
    return [plain(p) for p in env.legal_plays() if Counter(p.cards) == Counter(cards)]


def texts(env: TableEnv, actions: Sequence[int]) -> str:
    return ", ".join(env.describe(action) for action in actions)


def seat_to_act(env: TableEnv) -> int:
    return int(env.agent_selection[-1])


# --- the case file ----------------------------------------------------------------------------------


@pytest.mark.parametrize("case", cases_of("classify"))
@pytest.mark.parametrize("spare", [0, 1])
def test_classify(spare: int, case: dict[str, Any]) -> None:
    cards, expected = case["cards"], case["expected"]
    ranks = {card[0] for card in cards}
    others = [card for card in brute.pack(1) if card[0] not in ranks]
    env = table_with([*cards, *others[-spare:][:spare]], None, case["options"])
    plays = found(env, cards)
    if expected is None:
        assert plays == []
        return
    (made,) = plays
    assert made[:3] == (expected["type"], expected["cards"], expected["key"])
    body = brute.body_of(*made[:3])
    assert brute.without_suits(made)[3] == expected["ranks"]
    kickers = "".join(env.describe(a)[-1] for a in env.actions_for(cards) if "kicker" in env.describe(a))
    assert kickers == expected["kickers"] == expected["ranks"][len(body) :: 2]
    assert (made.name == "flush_straight") == expected["flush"]


@pytest.mark.parametrize("case", cases_of("legal"))
def test_legal(case: dict[str, Any]) -> None:
    expected = case["expected"]
    env = table_with(case["hand"], case["table"], case["options"], case["first_play"])
    plays = {plain(p) for p in env.legal_plays()}
    named = {(p.name, brute.without_suits(p)[3]) for p in plays - {brute.PASS}}
    assert named == {(p["type"], p["ranks"]) for p in expected["plays"]}
    assert (brute.PASS in plays) == expected["pass"] == (PASS in legal(env))


@pytest.mark.parametrize("case", cases_of("compare"))
def test_compare(case: dict[str, Any]) -> None:
    used = {card[0] for card in case["new"] + case["table"]}
    spare = next(card for card in brute.pack(1) if card[0] not in used)
    env = table_with([*case["new"], spare], case["table"], case["options"])
    assert bool(found(env, case["new"])) == case["expected"]


def settled(rules: ZhengShangYouRules, left: Sequence[int]) -> list[int]:
    """Scores from the kernel."""
    t = GAME.new_tables(1, rules)[0]
    kernels.clear(t)
    t["left"], t["turn"] = left, list(left).index(0)
    kernels.settle(t)
    return [int(score) for score in t["score"]]


@pytest.mark.parametrize("case", cases_of("score"))
def test_score(case: dict[str, Any]) -> None:
    rules = ZhengShangYouRules.make(case["options"])
    assert scores(rules, case["left"]) == settled(rules, case["left"]) == case["expected"]


@pytest.mark.parametrize("case", cases_of("level"))
def test_level(case: dict[str, Any]) -> None:
    level, expected = level_of(case["points"]), case["expected"]
    assert (level.number, level.english, level.chinese) == (
        expected["level"],
        expected["english"],
        expected["chinese"],
    )


def test_levels_change_at_their_thresholds() -> None:
    for number, (least, english, chinese) in enumerate(brute.LEVELS[1:], 2):
        assert level_of(least)[0] == number and level_of(least - 1)[0] == number - 1
        assert (level_of(least).english, level_of(least).chinese) == (english, chinese)


@pytest.mark.parametrize("case", cases_of("leader"))
def test_leader(case: dict[str, Any]) -> None:
    env = new_table("zheng_shang_you", case["options"], deck=case["deck"])
    assert env.agent_selection == f"player_{case['expected']}"
    assert [s for s in range(SEATS) if "3S" in env.hand(s)] == sorted(case["spade_three_seats"])
    assert env.deck() == case["deck"]
    for seat in range(SEATS):
        assert env.hand(seat) == brute.sort_cards(case["deck"][seat::SEATS])


# --- the action table: sections 3 to 5 and 9 --------------------------------------------------------

KINDS = (
    "pass 1, single 15, pair 15, triple 13, straight 61, flush_straight 61, pair_chain 99, triple_chain 83, "
    "full_house 13, triple_chain_with_pairs 49, bomb 65, joker_bomb 1, kicker 15, suit 4"
)
CATALOGUE = {  # by decks: section 9, kickers ignored
    1: [13, 13, 13, 61, 61, 59, 38, 13, 13, 13, 0],
    2: [15, 15, 13, 61, 61, 99, 83, 13, 49, 65, 1],
}


def test_ids_stand_in_the_order_of_the_page() -> None:
    kinds = [a.kind for a in ACTIONS]
    assert ", ".join(f"{kind} {kinds.count(kind)}" for kind in dict.fromkeys(kinds)) == KINDS
    assert kinds == sorted(kinds, key=list(dict.fromkeys(kinds)).index) and len(kinds) == 495
    env = new_table("zheng_shang_you", {})
    names = [env.describe(action) for action in range(495)]
    assert len(set(names)) == 495 and env.action_space("player_0").n == 495
    assert names[1:16] == [f"single {rank}" for rank in brute.RANKS]
    for kind in ("straight", "flush_straight", "pair_chain", "triple_chain", "triple_chain_with_pairs"):
        copies = {"pair_chain": 2, "triple_chain": 3, "triple_chain_with_pairs": 3}.get(kind, 1)
        lengths = sorted({sum(a.body) // copies for a in ACTIONS if a.kind == kind})
        runs = [rank for groups in lengths for rank in WINDOWS[groups].split()]
        assert [a.written for a in ACTIONS if a.kind == kind] == [
            "".join(rank * copies for rank in run) for run in runs
        ]
    bombs = [a.written for a in ACTIONS if a.kind == "bomb"]
    assert bombs == [rank * size for size in range(4, 9) for rank in brute.RANKS[:-2]]
    assert names[-4:] == ["suit S", "suit H", "suit D", "suit C"]
    assert names[-19:-4] == [f"kicker {rank * 2}" for rank in brute.RANKS]


@pytest.mark.parametrize("decks", [1, 2])
def test_catalogue(decks: int) -> None:
    size = {1: 13, 2: 27}[decks]
    fits = [
        a.kind
        for a in ACTIONS
        if a.length and a.length <= size and all(np.array(a.body) <= MOST_OF_RANK[decks - 1])
    ]
    names = [entry.split()[0] for entry in KINDS.split(", ")[1:12]]
    assert [fits.count(name) for name in names] == CATALOGUE[decks]


def example_plays(action: int) -> Iterator[brute.Play]:
    """The play of a main combination; with the lowest and with the highest kickers where it takes any."""
    a = ACTIONS[action]
    free = [rank for rank in brute.RANKS if rank not in a.written]
    for kickers in {"": None, "".join(free[: a.kickers]): None, "".join(free[::-1][: a.kickers]): None}:
        if len(kickers) == a.kickers:
            ranks = a.written + "".join(rank * 2 for rank in kickers)
            cards = cards_of(ranks + "*" * (a.kind == "flush_straight"))
            made = brute.classify(cards, TWO_DECKS)
            assert made is not None and made[:3] == (a.kind, a.length, brute.RANKS[a.key]), ranks
            yield made


def test_what_beats_what_is_as_the_referee_says() -> None:
    main = range(1, len(BEATS))
    plays = {action: list(example_plays(action)) for action in main}
    assert Counter(len(own) for own in plays.values()) == {1: 475 - 13 - 49, 2: 13 + 49}
    for last, new in product(main, main):
        for table, answer in product(plays[last], plays[new]):
            assert bool(BEATS[last, new]) == brute.beats(answer, table), (answer, table)
    assert BEATS[1:, PASS].all() and not BEATS[PASS, PASS] and BEATS[PASS, 1:].all()


@pytest.mark.parametrize("pair", EXAMPLES_OF_BEATING.split(";"))
def test_examples_that_beat(pair: str) -> None:
    new, table = (cards_of(text.strip()) for text in pair.split(" on "))
    assert found(table_with(new, table, TWO_DECKS), new)


@pytest.mark.parametrize("pair", [pair for pair in DOES_NOT_BEAT.split(";") if "xxXX on xxXX" not in pair])
def test_examples_that_do_not_beat(pair: str) -> None:
    new, table = (cards_of(text.strip()) for text in pair.split(" on "))
    env = table_with(new, table, TWO_DECKS)
    assert not found(env, new)
    with pytest.raises(ValueError, match="do not beat"):
        env.actions_for(new)


# --- tricks: sections 1, 2 and 7 --------------------------------------------------------------------

TRICKS = deck_of(["3S 4S 9S AS", "5S 5H 5D KH", "6S 7S QS QH", "8S TS JS 2S"])


def tell(env: TableEnv, story: str) -> None:
    """Make plays written as ranks, "-" for a pass."""
    for cards in story.split():
        for action in env.actions_for("pass" if cards == "-" else cards):
            env.step(action)


@pytest.mark.parametrize(
    ("lockout", "story", "turn", "plays"),
    [
        (False, "", 0, "3 4 9 A"),  # the first play is a free lead
        (False, "4 - 6 - -", 1, "PASS K"),  # seat 1 may still beat the 6
        (False, "4 - 6 - - -", 2, "7 Q QQ"),
        (False, "4 - 6 - - K", 2, "PASS"),
        (False, "4 - 6 8 9", 1, "PASS K"),
        (False, "4 - 6 8 9 - -", 3, "PASS T J 2"),
        (False, "4 - 6 8 9 - - -", 0, "3 A"),
        (False, "4 5 - - - K - - - 5", 2, "PASS 6 7 Q"),
        (True, "4 - 6 - -", 2, "7 Q QQ"),
        (True, "4 - 6 8 9", 2, "PASS Q"),
        (True, "4 - 6 8 9 -", 3, "PASS T J 2"),
        (True, "4 - 6 8 9 - T", 0, "PASS A"),  # seats 1 and 2 are skipped
        (True, "4 - 6 8 9 - T A", 3, "PASS 2"),
        (True, "4 - 6 8 9 - T A -", 0, "3"),
        (True, "4 - 6 8 9 - T A - 3", None, ""),
        (True, "4 - 6 - - 7 8 9 -", 2, "PASS Q"),  # the next trick is open to all
    ],
)
def test_turns_and_passes(lockout: bool, story: str, turn: int | None, plays: str) -> None:
    env = new_table("zheng_shang_you", {"cards_each": 4, "pass_lockout": lockout}, deck=TRICKS)
    tell(env, story)
    assert is_over(env) == (turn is None)
    assert shown({plain(p) for p in env.legal_plays()}) == set(plays.split())
    if turn is None:
        assert env.infos["player_0"]["winner"] == 0 and env.hand(0) == []
        return
    assert env.agent_selection == f"player_{turn}"
    leads = "PASS" not in plays
    assert leads == ("To beat: nothing" in env.text())
    if leads:
        with pytest.raises(ValueError, match="the seat that leads must play"):
            env.actions_for("")
        with pytest.raises(ValueError, match="pass"):
            env.step(PASS)


def test_the_deal_ends_at_once_and_n_is_the_hand() -> None:
    hands = ["3S 4S 9S AS", "5S 5H 5D KH", "6S 7S QS QH", "TS TH TD TC"]
    env = new_table("zheng_shang_you", {"cards_each": 4, "base": 3}, deck=deck_of(hands))
    tell(env, "4 5 6")
    assert env.scores() == [0, 0, 0, 0] and not is_over(env)
    tell(env, "TTTT")
    assert is_over(env) and env.infos["player_0"]["winner"] == 3
    # One card of four played is a quarter exactly: twice.
    assert env.scores() == [-18, -18, -18, 54] == [env.rewards[f"player_{s}"] for s in range(SEATS)]


@pytest.mark.parametrize("hand_size", range(1, 28))
def test_multipliers(hand_size: int) -> None:
    played = {  # section 7, where N is a hand
        13: {4: [0], 3: [1, 2, 3], 2: [4, 5, 6], 1: range(7, 13)},
        27: {4: [0], 3: range(1, 7), 2: range(7, 14), 1: range(14, 27)},
    }
    for p in range(hand_size):
        found = multiplier(hand_size - p, hand_size)
        assert (
            found
            == kernels.multiplier(hand_size - p, hand_size)
            == brute.multiplier(hand_size - p, hand_size)
        )
        if hand_size in played:
            assert p in played[hand_size][found]


def test_random_scores(rotate: int) -> None:
    rng = np.random.default_rng([rotate, 60])
    for _ in range(500):
        decks, base = int(rng.integers(1, 3)), int(rng.integers(1, 1001))
        each = int(rng.integers(1, 14 if decks == 1 else 28)) if rng.random() < 0.5 else None
        rules = ZhengShangYouRules(decks=decks, base=base, cards_each=each)  # type: ignore[arg-type]
        winner = rng.integers(SEATS)
        left = [0 if s == winner else int(rng.integers(1, rules.hand_size + 1)) for s in range(SEATS)]
        wanted = brute.scores(left, {"decks": decks, "base": base}, each)
        assert scores(rules, left) == settled(rules, left) == wanted
        assert min(wanted) >= GAME.info(rules).min_utility and max(wanted) <= GAME.info(rules).max_utility


# --- deals ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("decks", [1, 2])
@pytest.mark.parametrize("each", [1, 2, 5, None])
def test_who_leads(each: int | None, decks: int, rotate: int) -> None:
    leaders = set()
    for seed in range(40):
        env = new_table("zheng_shang_you", {"decks": decks, "cards_each": each}, seed=1000 * rotate + seed)
        size = each or {1: 13, 2: 27}[decks]
        dealt = env.deck()[: SEATS * size]
        assert [env.hand(s) for s in range(SEATS)] == [
            brute.sort_cards(dealt[s::SEATS]) for s in range(SEATS)
        ]
        order = ["3S", "3D", "3C", "3H", *(r + s for r in brute.RANKS[1:-2] for s in "DCHS"), "x", "X"]
        lowest = min(dealt, key=order.index)
        assert env.agent_selection == f"player_{dealt.index(lowest) % SEATS}"
        assert each or lowest == "3S"
        leaders.add(env.agent_selection)
    assert len(leaders) == SEATS


def test_who_leads_with_equal_lowest_cards() -> None:
    for hands, leads in [
        (["4S", "4H", "4C", "4D"], 3),
        (["4S", "4H", "5C", "4C"], 3),
        (["5S", "4S", "4S", "6S"], 1),
        (["X", "x", "x", "X"], 1),
        (["3D", "3H", "3S", "3S"], 2),
    ]:
        env = new_table("zheng_shang_you", {"decks": 2, "cards_each": 1}, deck=deck_of(hands, 2))
        assert env.agent_selection == f"player_{leads}", hands


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"cards_each": 14}, "cards_each is at most 13 with decks=1, not 14"),
        ({"cards_each": 28, "decks": 2}, "1..27"),
        ({"cards_each": 0}, "1..27"),
        ({"cards_each": 12, "lead_spade_three": True}, "lead_spade_three needs the whole pack"),
        ({"cards_each": 26, "decks": 2, "lead_spade_three": True}, "lead_spade_three needs the whole pack"),
        ({"decks": 3}, "decks must be one of"),
        ({"base": 1001}, "1..1000"),
    ],
)
def test_bad_options(options: Options, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        new_table("zheng_shang_you", options)


def test_whole_hands_go_with_lead_spade_three() -> None:
    for options in ({"cards_each": 13}, {"cards_each": 27, "decks": 2}):
        assert "3S" in new_table("zheng_shang_you", {**options, "lead_spade_three": True}, seed=1).text()


def test_given_decks_of_two() -> None:
    deck = [str(card) for card in np.random.default_rng(3).permutation(brute.pack(2))]
    env = new_table("zheng_shang_you", TWO_DECKS, deck=deck)
    assert env.deck() == deck
    before = env.snapshot()
    for wrong, why in [
        (deck[:-1], "108"),
        ([*deck, "3S"], "too often"),
        (brute.pack(1), "missing"),
        (["3S" if card == "4S" else card for card in deck], "4S, 4S missing"),
        (["x" if card == "X" else card for card in deck], "X, X missing"),
        ([*deck[1:], "1S"], "'1S', which is no card"),
        ([*deck[1:], "xS"], "'xS', which is no card"),
    ]:
        with pytest.raises(ValueError, match=why):
            env.reset(options={"deck": wrong})
        assert env.snapshot() == before
    with pytest.raises(ValueError, match="no card of the pack"):
        new_table("zheng_shang_you", {}, deck=deck)


# --- the steps of a play: kickers and suits (section 6) ---------------------------------------------


def questions(env: TableEnv, cards: Sequence[str]) -> str:
    """How a play is made step by step: its main combination, then what is asked, from what, and the answer.

    A kicker is written "from the pairs 47J: 4", a suit "7 of SH: S", that of a flush straight "* of SH: S".
    Meanwhile nobody else sees anything, and each step but the last leaves the turn where it is.
    """
    (play,) = [p for p in env.legal_plays() if Counter(p.cards) == Counter(cards)]
    seat = seat_to_act(env)
    others = [s for s in range(SEATS) if s != seat]
    hidden = [(env.observe(f"player_{s}")["observation"].tobytes(), env.text(s)) for s in others]
    before, steps = env.snapshot(), []
    for number, action in enumerate(play.actions):
        assert [(p[:4], p.actions) for p in env.legal_plays() if p[:4] == play[:4]] == [
            (play[:4], play.actions[number:])
        ]
        options = [env.describe(a) for a in legal(env)]
        assert number == 0 or len(options) > 1 or "kicker" in options[0]
        kind, answer = env.describe(action).split(" ", 1)
        choices = "".join(option[-1] for option in options)
        if kind == "kicker":
            steps.append(f"from the pairs {choices}: {answer[-1]}")
        elif kind == "suit":
            seen = env.game.observation_dict(env.observe(f"player_{seat}")["observation"])
            asked = [rank for rank, bit in zip(brute.RANKS, seen["asked"], strict=False) if bit]
            assert all(option.startswith("suit ") for option in options)
            assert [s for s, bit in zip("SHDC", seen["suits"], strict=True) if bit] == list(choices)
            steps.append(f"{''.join(asked) or '*'} of {choices}: {answer}")
        else:
            steps.append(env.describe(action))
        assert seat_to_act(env) == seat and not is_over(env)
        assert hidden == [(env.observe(f"player_{s}")["observation"].tobytes(), env.text(s)) for s in others]
        env.step(action)
    assert is_over(env) or seat_to_act(env) != seat
    env.restore(before)
    return ", ".join(steps)


RUNS_B = "5S 6S 7S 8S 9S 7H 8H 9H TH JH 8D"
TWO_RUNS = "3S 4S 5S 6S 7S 3H 4H 5H 6H 7H"
TWICE = "3S 4S 5S 6S 7S 3S 4S 5S 6S 7S"
STEPS = [
    # Example A
    ({}, "3S 4S 5S 6S 7S 7H 7D", [
        ("7H", "single 7"),
        ("7H 7D", "pair 77"),
        ("7S 7H 7D", "triple 777"),
        ("3S 4S 5S 6S 7H", "straight 34567"),
        ("3S 4S 5S 6S 7S", "flush_straight 34567*"),
    ]),
    # Example B
    ({}, RUNS_B, [
        ("8D", "single 8"),
        ("8S 8D", "pair 88, 8 of SH: S"),
        ("8H 8D", "pair 88, 8 of SH: H"),
        ("8S 8H 8D", "triple 888"),
        ("7S", "single 7, 7 of SH: S"),
        ("7H", "single 7, 7 of SH: H"),
        ("5S", "single 5"),
        ("7S 7H", "pair 77"),
        ("5S 6S 7S 8D 9S", "straight 56789, 7 of SH: S, 9 of SH: S"),
        ("5S 6S 7S 8D 9H", "straight 56789, 7 of SH: S, 9 of SH: H"),
        ("5S 6S 7H 8D 9S", "straight 56789, 7 of SH: H, 9 of SH: S"),
        ("5S 6S 7H 8D 9H", "straight 56789, 7 of SH: H, 9 of SH: H"),
        ("5S 6S 7S 8S 9S", "flush_straight 56789*"),
        ("7H 8H 9H TH JH", "flush_straight 789TJ*"),
        ("7S 7H 8S 8D", "pair_chain 7788, 8 of SH: S"),
        ("7S 7H 8H 8D 9S 9H", "pair_chain 778899, 8 of SH: H"),
        ("7S 7H 8S 8H 8D", "full_house 888 + 1 pair, from the pairs 79: 7"),
    ]),
    # Example C
    (TWO_DECKS, "3S 4S 5S 6S 7S 7S 7H", [
        ("7S", "single 7"),
        ("7H", None),
        ("7S 7H", "pair 77"),
        ("7S 7S", None),
        ("3S 4S 5S 6S 7H", "straight 34567"),
        ("3S 4S 5S 6S 7S", "flush_straight 34567*"),
    ]),
    (TWO_DECKS, "3S 4S 5S 6S 7S 7S 7H 8S 9S TS JS", [
        ("7S", None),
        ("7H", "single 7"),
        ("7S 7H", "pair 77"),
        ("7S 7S", None),
        ("7S 7S 7H", "triple 777"),
    ]),
    # the order: suits S H D C never fall, and one that is left is not asked
    ({}, f"{TWO_RUNS} 3D 4D 5D 6D 7D", [
        ("7S", "single 7, 7 of SHD: S"),
        ("7S 7H", "pair 77, 7 of SH: S, 7 of HD: H"),
        ("7S 7D", "pair 77, 7 of SH: S, 7 of HD: D"),
        ("7H 7D", "pair 77, 7 of SH: H"),
        ("7S 7H 7D", "triple 777"),
        ("3S 4H 5D 6D 7S", "straight 34567, 3 of SHD: S, 4 of SHD: H, 5 of SHD: D, 6 of SHD: D, 7 of SHD: S"),
        ("3S 4S 5S 6S 7H", "straight 34567, 3 of SHD: S, 4 of SHD: S, 5 of SHD: S, 6 of SHD: S, 7 of HD: H"),
        ("3H 4H 5H 6H 7H", "flush_straight 34567*, * of SHD: H"),
        ("3S 3D 4H 4D", "pair_chain 3344, 3 of SH: S, 3 of HD: D, 4 of SH: H"),
        ("3S 3H 3D 7H 7D", "full_house 333 + 1 pair, from the pairs 4567: 7, 7 of SH: H"),
        ("3S 3H 7S 7H 7D", "full_house 777 + 1 pair, from the pairs 3456: 3, 3 of SH: S, 3 of HD: H"),
    ]),
    # a straight that must show two suits does not ask for the last of them
    ({}, TWO_RUNS, [
        ("3S 4S 5S 6S 7H", "straight 34567, 3 of SH: S, 4 of SH: S, 5 of SH: S, 6 of SH: S"),
        ("3S 4H 5S 6S 7S", "straight 34567, 3 of SH: S, 4 of SH: H, 5 of SH: S, 6 of SH: S, 7 of SH: S"),
    ]),
    # ranks rise, 3 lowest and 2 highest, wherever A and 2 stand
    ({}, "AS 2S 3S 4S 5S AH 2H 3H 4H 5H", [
        ("AS 2H 3S 4S 5S", "straight A2345, 3 of SH: S, 4 of SH: S, 5 of SH: S, A of SH: S"),
        ("AS 2S 3S 4S 5H", "straight A2345, 3 of SH: S, 4 of SH: S, 5 of SH: H, A of SH: S, 2 of SH: S"),
        ("2S 2H 3S 3H", "pair_chain 2233"),
        ("AH 2H 3H 4H 5H", "flush_straight A2345*, * of SH: H"),
    ]),
    # equal cards: suits may repeat
    (TWO_DECKS, f"{TWICE} 3H 4H 5H 6H 7H", [
        ("7S 7S", "pair 77, 7 of SH: S"),  # the first is S in any case
        ("7S 7H", "pair 77, 7 of SH: H"),
    ]),
    # second copies that are not live go first
    (TWO_DECKS, "3S 4S 5S 6S 7S 8S 8S 4H 5H 6H 7H 8H", [
        ("8S", "single 8"),
        ("8S 8S", "pair 88, 8 of SH: S"),
        ("8S 8H", "pair 88, 8 of SH: H"),
    ]),
    # lifted straights: all held suits, two of them in the end
    (TWO_DECKS, "3S 4S 5S 6S 7S 6S 7S 6H 7H", [
        ("6S", "single 6"),
        ("3S 4S 5S 6S 7H", "straight 34567, 6 of SH: S"),
        ("3S 4S 5S 6H 7S", "straight 34567, 6 of SH: H, 7 of SH: S"),
        ("3S 4S 5S 6H 7H", "straight 34567, 6 of SH: H, 7 of SH: H"),
    ]),
    (TWO_DECKS, "3S 4S 5S 6S 7S 7S 7H 7D", [
        ("3S 4S 5S 6S 7H", "straight 34567, 7 of HD: H"),
        ("3S 4S 5S 6S 7D", "straight 34567, 7 of HD: D"),
    ]),
    # kickers: never falling, and always to be completed
    ({}, "5S 5H 5D 6S 6H 6D 4S 4H 7S 7H 7C JS JH", [
        ("5S 5H 5D 6S 6H 6D 4S 4H 7S 7H", "triple_chain_with_pairs 555666 + 2 pairs, "
         "from the pairs 47: 4, from the pairs 7J: 7"),
        ("5S 5H 5D 6S 6H 6D 7S 7H JS JH", "triple_chain_with_pairs 555666 + 2 pairs, "
         "from the pairs 47: 7, from the pairs J: J"),
        ("5S 5H 5D 4S 4H", "full_house 555 + 1 pair, from the pairs 467J: 4"),
        ("6S 6H 6D JS JH", "full_house 666 + 1 pair, from the pairs 457J: J"),
    ]),
    ({}, "5S 5H 5D 6S 6H 6D JS JH JD JC", [
        ("5S 5H 5D 6S 6H 6D JS JH JD JC", "triple_chain_with_pairs 555666 + 2 pairs, "
         "from the pairs J: J, from the pairs J: J"),
        ("JS JH JD 5S 5H", "full_house JJJ + 1 pair, from the pairs 56: 5"),
    ]),
    (TWO_DECKS, "5S 5S 5H 5D 5C 6S 6H 6D 9S 9H x x X X", [
        ("5S 5S 5H 5D 5C 6S 6H 6D 9S 9H", "triple_chain_with_pairs 555666 + 2 pairs, "
         "from the pairs 59x: 5, from the pairs 9xX: 9"),
        ("5S 5S 5H 6S 6H 6D x x X X", "triple_chain_with_pairs 555666 + 2 pairs, "
         "from the pairs 59x: x, from the pairs X: X"),
        ("5S 5S 5H X X", "full_house 555 + 1 pair, from the pairs 69xX: X"),
        ("5S 5S 5H 5D 5C", "bomb 55555"),
        ("x x X X", "joker_bomb xxXX"),
    ]),
    ({**TWO_DECKS, "distinct_wings": True}, "5S 5S 5H 5D 5C 6S 6H 6D 9S 9H 9D 9C x x X X", [
        ("5S 5S 5H 6S 6H 6D 9S 9H x x", "triple_chain_with_pairs 555666 + 2 pairs, "
         "from the pairs 9x: 9, from the pairs xX: x"),
        ("5S 5S 5H 6S 6H 6D 9S 9H 9D 9C", None),
        ("5S 5S 5H 5D 5C 6S 6H 6D 9S 9H", None),
        ("6S 6H 6D 5S 5S", "full_house 666 + 1 pair, from the pairs 59xX: 5"),
    ]),
    # kickers first, then all suits by rank
    ({}, f"{TWO_RUNS} 3D 4D KS", [
        ("3S 3H 3D 4S 4D", "full_house 333 + 1 pair, from the pairs 4567: 4, 4 of SH: S"),
        ("3H 3D 4S 4H 4D", "full_house 444 + 1 pair, from the pairs 3567: 3, 3 of SH: H"),
    ]),
]  # fmt: skip
SPADE_STEPS = [
    # the spade goes though it is live
    ("3S 4S 5S 6S 7S 3H 3D 4H", [
        ("3S", "single 3"),
        ("3H", None),
        ("3S 3H", "pair 33"),
        ("3H 3D", None),
        ("3S 3H 4S 4H", "pair_chain 3344"),
        ("3S 4H 5S 6S 7S", "straight 34567"),
        ("3S 4S 5S 6S 7S", "flush_straight 34567*"),
        ("4H", None),
    ]),
    ("3S 3C 4C KD", [("3S", "single 3"), ("3C", None), ("3S 3C", "pair 33")]),  # not live
    # then the others in their order: those not live, then a choice
    ("3S 3H 3D 3C 4H 5H 6H 7H 4D 5D 6D 7D", [
        ("3S 3C", "pair 33"),
        ("3S 3H 3C", "triple 333, 3 of HD: H"),
        ("3S 3D 3C", "triple 333, 3 of HD: D"),
        ("3S 3H 3D 3C", "bomb 3333"),
        ("3S 4D 5H 6H 7D", "straight 34567, 4 of HD: D, 5 of HD: H, 6 of HD: H, 7 of HD: D"),
        ("3H 4H 5H 6H 7H", None),
    ]),
    (TWO_RUNS, [
        ("3S 4S 5S 6S 7S", "flush_straight 34567*"),  # hearts have no 3S
        ("3S 4S 5S 6S 7H", "straight 34567, 4 of SH: S, 5 of SH: S, 6 of SH: S"),
        ("3S 3H", "pair 33"),
        ("3S 3H 4S 4H", "pair_chain 3344"),
        ("4S 4H", None),
    ]),
    ("3S 4S 5S 6S 7S 3H", [("3S 4S 5S 6S 7S", "flush_straight 34567*"), ("3H 4S 5S 6S 7S", None)]),
    # in kickers: only the threes, where nothing else has the spade
    ("3S 3H 4S 4H 4D 5S 5H 5D 6S 6H 7S 7H", [
        ("4S 4H 4D 3S 3H", "full_house 444 + 1 pair, from the pairs 3: 3"),
        ("4S 4H 4D 5S 5H 5D 3S 3H 6S 6H", "triple_chain_with_pairs 444555 + 2 pairs, "
         "from the pairs 3: 3, from the pairs 67: 6"),
        ("4S 4H 4D 5S 5H 5D 6S 6H 7S 7H", None),
        ("4S 4H 4D", None),
    ]),
    ("3S 3H 3D 4S 4H 4D 5S 5H 6S 6H", [
        ("3S 3H 3D 4S 4H 4D 5S 5H 6S 6H", "triple_chain_with_pairs 333444 + 2 pairs, "
         "from the pairs 5: 5, from the pairs 6: 6"),
        ("3S 3H 4S 4H 4D", "full_house 444 + 1 pair, from the pairs 3: 3"),
        ("3S 3H 3D 6S 6H", "full_house 333 + 1 pair, from the pairs 456: 6"),
    ]),
]  # fmt: skip
SPADE_STEPS_OF_TWO = [
    # of two 3S one is not live
    ("3S 3S 4S 5S 6S 7S 3H", [
        ("3S", "single 3"),
        ("3S 3H", "pair 33"),
        ("3S 3S", None),
        ("3S 3S 3H", "triple 333"),
        ("3S 4S 5S 6S 7S", "flush_straight 34567*"),
    ]),
    # both are live, and the hearts
    (f"{TWICE} 3H 4H 5H 6H 7H", [
        ("3S", "single 3"),
        ("3S 3S", "pair 33, 3 of SH: S"),
        ("3S 3H", "pair 33, 3 of SH: H"),
        ("3S 3S 3H", "triple 333"),
    ]),
    # a lifted straight still has the spade
    ("3S 3H 4S 5S 6S 7S 7S 7H", [("3S 4S 5S 6S 7H", "straight 34567"), ("3H 4S 5S 6S 7S", None)]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "hand", "cards", "steps", "first_play"),
    [
        *((options, hand, *row, False) for options, hand, rows in STEPS for row in rows),
        *(
            ({"lead_spade_three": True, "decks": decks}, hand, *row, True)
            for decks in (1, 2)
            for hand, rows in SPADE_STEPS + SPADE_STEPS_OF_TWO * (decks == 2)
            for row in rows
        ),
    ],
)
def test_steps(options: Options, hand: str, cards: str, steps: str | None, first_play: bool) -> None:
    env = table_with(hand, None, options, first_play)
    if steps is None:
        assert found(env, cards.split()) == []
    else:
        assert questions(env, cards.split()) == steps


def some_hand(rng: np.random.Generator, decks: int) -> list[str]:
    """Any cards, or equal ranks, or neighbouring ranks of few suits; a 3S with them."""
    by, most = str(rng.choice(["any", "rank", "runs", "runs"])), {1: 13, 2: 23}[decks]
    cards = stacked_deck(rng, decks, "rank")[::SEATS] if by == "rank" else brute.pack(decks)
    if by == "runs":
        places, suits = int(rng.integers(9)), rng.permutation(list("SHDC"))[: rng.integers(2, 4)]
        near = brute.PLACES[places : places + int(rng.integers(5, 8))]
        cards = [card for card in cards if card[0] in near and card[1] in suits]
    cards = rng.permutation(cards).tolist()[: int(rng.integers(most // 2, most))]
    return brute.sort_cards(cards if "3S" in cards else [*cards, "3S"])


@pytest.mark.parametrize("decks", [1, 2])
def test_steps_and_their_inverse_of_all_plays(decks: int, rotate: int) -> None:
    rng = np.random.default_rng([rotate, decks, 61])
    asked: Counter[str] = Counter()
    for _ in range({1: 120, 2: 40}[decks]):
        options = {"decks": decks, "distinct_wings": bool(rng.integers(2)), "lead_spade_three": True}
        hand, is_first = some_hand(rng, decks), bool(rng.integers(2))
        env = table_with(hand, None, options, is_first)
        plays = env.legal_plays()
        same = Counter((p.name, p.cards) for p in plays)
        assert max(same.values()) == 1
        assert len({p.actions for p in plays}) == len(plays)
        few = plays if len(plays) < 40 else [plays[i] for i in rng.choice(len(plays), 40, replace=False)]
        for number, p in enumerate(few):
            assert p.actions == actions_of(plain(p), hand, is_first), (hand, p, texts(env, p.actions))
            if number < 6:
                assert env.actions_for(p.cards) == p.actions, (hand, p)
            asked[" ".join(sorted({env.describe(a).split()[0] for a in p.actions[1:]}))] += 1
    assert all(asked[what] for what in ("", "kicker", "suit")), asked


# --- from cards to actions --------------------------------------------------------------------------


RUN = "3S 4S 5S 6S 7S 7H 7D 7C"
CARDS = [
    # bare ranks; of a flush straight and a plain one the plain one, unless it is said
    (RUN, "34567", {}, "straight 34567"),
    (RUN, "34567", {"name": "straight"}, "straight 34567"),
    (RUN, "34567", {"name": "flush_straight"}, "flush_straight 34567*"),
    (RUN, "34567", {"key": "7"}, "straight 34567"),
    (RUN, "76543", {}, "straight 34567"),
    ("3S 4S 5S 6S 7S", "34567", {}, "flush_straight 34567*"),
    (RUN, "77", {}, "pair 77"),
    (RUN, ["7", "7", "7", "7"], {}, "bomb 7777"),
    ("x x X X", "XX", {}, "pair XX"),
    ("x x X X", "xxXX", {}, "joker_bomb xxXX"),
    ("5S 5H 5D X X 4S 4H", "555XX", {}, "full_house 555 + 1 pair, kicker XX"),
    ("5S 5H 5D 6S 6H 6D 4S 4H X X", "444XX", {}, ValueError("holds 2 of rank 4")),
    ("5S 5H 5D 6S 6H 6D 4S 4H X X", "44555666XX", {},
     "triple_chain_with_pairs 555666 + 2 pairs, kicker 44, kicker XX"),
    # exact cards; cards that are not live are as good as each other
    (RUN, "7D", {}, "single 7"),
    (RUN, "7D 7C", {}, "pair 77"),
    (RUN, "7S 7H 7D 7C", {}, "bomb 7777"),
    (RUN, "3S 4S 5S 6S 7C", {}, "straight 34567"),
    (RUN, "7C 6S 5S 4S 3S", {}, "straight 34567"),
    (RUN, "3S 4S 5S 6S 7S", {}, "flush_straight 34567*"),
    (RUNS_B, "7H", {}, "single 7, suit H"),
    (RUNS_B, "8H8D", {}, "pair 88, suit H"),
    (RUNS_B, "5S 6S 7H 8D 9S", {}, "straight 56789, suit H, suit S"),
    ("3S 4S 5S 6S 7S 7S 7H", "7S", {}, "single 7"),
    ("3S 4S 5S 6S 7S 7S 7H", "7H", {}, "single 7"),
    ("3S 4S 5S 6S 7S 7S 7H", "7S 7H", {}, "pair 77"),
    # some exact, some bare
    (RUN, "3S 4567", {}, "straight 34567"),
    (RUN, ["3", "4", "5", "6", "7S"], {}, "flush_straight 34567*"),
    (RUNS_B, "8 8H", {}, "pair 88, suit H"),
    (RUNS_B, "56 7H 8 9", {}, "straight 56789, suit H, suit S"),
    (TWO_RUNS, "4H 4", {}, "pair 44"),
    # and what is refused, with the reason
    (RUN, "8", {}, ValueError("seat 0 holds 0 of rank 8: its hand is 3S 4S")),
    (RUN, "33", {}, ValueError("seat 0 holds 1 of rank 3")),
    (RUN, "3H", {}, ValueError("no 3H .left. in the hand 3S 4S")),
    (RUN, "3S 3S", {}, ValueError("no 3S .left. in the hand")),
    (RUN, "1", {}, ValueError("'1' is no card")),
    (RUN, "", {}, ValueError("the seat that leads must play")),
    (RUN, "pass", {}, ValueError("the seat that leads must play")),
    (RUN, "34", {}, ValueError("are no combination$")),
    (RUN, "777 6S", {}, ValueError("are no combination")),
    (RUN, "34567", {"name": "pair"}, ValueError("straight with key 7, flush_.*; not as name='pair'")),
    (RUN, "34567", {"key": "6"}, ValueError("may be read as .*; not as name=None, key='6'")),
    ("3S 4S 5S 6S 7S", "34567", {"name": "straight"}, ValueError("may be read as flush_straight")),
    (RUN, "34567*", {}, "flush_straight 34567*"),
    (RUN, "7S", {}, ValueError("would break up a flush straight; 7H is the same play and would not")),
    (RUN, "7S 7H", {}, ValueError("would break up a flush straight")),
    (RUNS_B, "8S", {}, ValueError("would break up a flush straight")),
    ("3S 7S 7H", "7H", {}, "single 7"),
    ("x x X X", "xX", {}, ValueError("no combination$")),
    ("x x X X", "xxX", {}, ValueError("no combination$")),
    ("5S 5H 5D x X 4S", "555xX", {}, ValueError("no combination$")),
    # as good as each other, but in a straight where any suit may go
    ("3S 4S 5S 6S 7S 7S 7H 7D", "3S 4S 5S 6S 7D", {}, "straight 34567, suit D"),
    (RUN, "7C 7", {}, "pair 77"),
    (RUN, "3 4 5 6 7C", {}, "straight 34567"),
    ("x x X X", "xS", {}, ValueError("no card")),
]  # fmt: skip


@pytest.mark.parametrize(("hand", "cards", "which", "wanted"), CARDS)
def test_actions_for(hand: str, cards: Any, which: dict[str, str], wanted: Any) -> None:
    env = table_with(hand, None, TWO_DECKS)
    before = env.snapshot()
    if isinstance(wanted, str):
        assert texts(env, env.actions_for(cards, **which)) == wanted
    else:
        with pytest.raises(ValueError, match=str(wanted)):
            env.actions_for(cards, **which)
    assert env.snapshot() == before


@pytest.mark.parametrize(
    ("table", "cards", "wanted"),
    [
        ("7S", "8", "single 8"),
        ("7S", "7", ValueError("do not beat single 7$")),
        ("7S", "88", ValueError("do not beat single 7")),
        ("7S", "", "pass"),
        ("7S", "PASS", "pass"),
        ("7S", "9999", "bomb 9999"),
        ("TTTT", "9999", ValueError("do not beat bomb TTTT")),
        ("4S 5S 6S 7S 8H", "56789", "straight 56789"),
        ("4S 5S 6S 7S 8H", "34567", "flush_straight 34567*"),  # the plain one would not follow
        ("4D 5D 6D 7D 8D", "56789", ValueError("do not beat flush_straight 45678[*]")),
        ("4D 5D 6D 7D 8D", "3H 4H 5H 6H 7H", ValueError("do not beat flush_straight 45678[*]")),
        ("4D 5D 6D 7D 8D", "9999", "bomb 9999"),
    ],
)
def test_actions_for_an_answer(table: str, cards: str, wanted: Any) -> None:
    beaten = table.split() if " " in table or len(table) == 2 else cards_of(table)
    env = table_with("3H 4H 5H 6H 7H 8S 8C 9S 9H 9D 9C", beaten)
    if isinstance(wanted, str):
        assert texts(env, env.actions_for(cards)) == wanted
    else:
        with pytest.raises(ValueError, match=str(wanted)):
            env.actions_for(cards)


@pytest.mark.parametrize(
    ("cards", "wanted"),
    [
        ("3", "single 3"),
        ("3S", "single 3"),
        ("33", "pair 33"),
        ("3S 3", "pair 33"),
        ("44433", "full_house 444 + 1 pair, kicker 33"),
        ("3S 3H 4S 4H 4D", "full_house 444 + 1 pair, kicker 33"),
        ("3H", ValueError("must contain 3S .lead_spade_three.")),
        ("3H 3D", ValueError("must contain 3S")),
        ("4", ValueError("must contain 3S")),
        ("444", ValueError("must contain 3S")),
        ("", ValueError("the seat that leads must play")),
        ("5", ValueError("holds 0 of rank 5")),
    ],
)
def test_actions_for_the_first_play(cards: str, wanted: Any) -> None:
    options = {"lead_spade_three": True}
    env = table_with("3S 3H 3D 4S 4H 4D", None, options, first_play=True)
    if isinstance(wanted, str):
        assert texts(env, env.actions_for(cards)) == wanted
        return
    with pytest.raises(ValueError, match=str(wanted)):
        env.actions_for(cards)
    later = table_with("3S 3H 3D 4S 4H 4D", None, options)
    assert not cards or cards == "5" or later.actions_for(cards)  # it binds the first play only


def test_actions_for_in_the_middle_of_a_play() -> None:
    env = table_with("3S 4S 5S 6S 7S 3H 4H 5H 6H 7H 3D")
    whole = env.actions_for("333 7H 7S")
    assert texts(env, whole) == "full_house 333 + 1 pair, kicker 77"
    whole = env.actions_for("3D 4H 5S 6S 7S")
    assert texts(env, whole) == "straight 34567, suit H, suit S, suit S, suit S"
    for number, action in enumerate(whole):
        assert env.actions_for("3D 4H 5S 6S 7S") == whole[number:]
        env.step(action)
        if number == 1:
            with pytest.raises(ValueError, match="a play is being completed"):
                env.actions_for("33")
            with pytest.raises(ValueError, match="a play is being completed"):
                env.actions_for("")
            with pytest.raises(ValueError, match="single 3"):
                env.step(env.game.action_names.index("single 3"))


def test_actions_for_after_the_end() -> None:
    env = new_table("zheng_shang_you", {"cards_each": 1}, deck=deck_of(["3S", "4S", "5S", "6S"]))
    tell(env, "3")
    assert is_over(env) and env.legal_plays() == []
    with pytest.raises(ValueError, match="the game is over"):
        env.actions_for("4")


# --- what is told -----------------------------------------------------------------------------------


@pytest.mark.parametrize("decks", [1, 2])
def test_history_and_text(decks: int, rotate: int) -> None:
    rng = np.random.default_rng([rotate, decks, 62])
    env = new_table("zheng_shang_you", {"decks": decks}, deck=stacked_deck(rng, decks, "both"))
    told: list[Any] = []
    while not is_over(env):
        hands = [" ".join(env.hand(s)) for s in range(SEATS)]
        for seat in (None, *range(SEATS)):
            lines = [line for line in env.text(seat).splitlines() if "cards  last:" in line]
            for who, line in enumerate(lines):
                shown_hand = hands[who] if seat in (None, who) else "(hidden)"
                assert line.endswith(f"  {shown_hand}") and f"player_{who}" in line
        plays = env.legal_plays()
        chosen, seat = plays[rng.integers(len(plays))], seat_to_act(env)
        for number, action in enumerate(chosen.actions):
            assert ("is choosing" in env.text()) == ("is choosing" in env.text(seat)) == (number > 0)
            assert "is choosing" not in env.text((seat + 1) % SEATS)
            assert env.history() == told
            env.step(action)
        told.append((seat, chosen))
    assert env.history() == told
    winner, scores = env.infos["player_0"]["winner"], env.scores()
    assert f"player_{winner} wins; scores {', '.join(f'{s:+d}' for s in scores)}" in env.text()


# --- observations -----------------------------------------------------------------------------------


def check_observations(env: TableEnv, seen_at: set[str]) -> None:
    """Every field of every seat, against what the plays so far tell; notes those that are not empty."""
    for seat in range(SEATS):
        seen = env.game.observation_dict(env.observe(f"player_{seat}")["observation"])
        wanted = observed(env, seat)
        assert list(seen) == list(wanted)
        for name, value in wanted.items():
            assert np.array_equal(seen[name], np.array(value).reshape(seen[name].shape)), (
                name,
                seat,
                env.text(),
            )
        seen_at |= {name for name, value in seen.items() if value.any()}


@pytest.mark.parametrize("options", options_of("zheng_shang_you"))
def test_observations_tell_the_game_so_far(options: Options, rotate: int) -> None:
    rng = np.random.default_rng([rotate, 63])
    seen_at: set[str] = set()
    for by in ("rank", "both"):
        env = new_table("zheng_shang_you", options, deck=stacked_deck(rng, options.get("decks", 1), by))
        check_observations(env, seen_at)
        while play(env, rng, most=1 if env._tables[0]["pending"] else 4):
            check_observations(env, seen_at)
    assert {"hand", "played", "latest", "passed", "out", "table_key", "owner"} <= seen_at


RICH_HANDS = {  # of a leader: with flush straights, kickers, and equal cards enough
    1: [f"{TWO_RUNS} 3D 4D 8S", "3S 4S 5S 6S 7S 3H 4H 5H 6H 7H 3D 3C 4C"],
    2: [
        f"{TWICE} 3H 4H 5H 6H 7H 3D 4D 5C 7D 7D x x X X 9S 9H 9D",
        "3S 3S 3H 3H 3D 3D 3C 3C 4S 4S 4H 4H 5S 5H 5S 6S 7S 6S 7S 5H 6H 7H x x X X KS",
    ],
}


@pytest.mark.parametrize("lead_spade_three", [False, True])
@pytest.mark.parametrize("decks", [1, 2])
def test_observations_of_plays_in_the_making(decks: int, lead_spade_three: bool, rotate: int) -> None:
    rng = np.random.default_rng([rotate, decks, 64])
    seen_at: set[str] = set()
    for hand in RICH_HANDS[decks]:
        rest = [str(card) for card in rng.permutation(brute.without(brute.pack(decks), hand.split()))]
        size = len(hand.split())
        others = [" ".join(rest[size * i : size * (i + 1)]) for i in range(3)]
        deck = deck_of([hand, *others], decks)
        env = new_table("zheng_shang_you", {"decks": decks, "lead_spade_three": lead_spade_three}, deck=deck)
        plays = [p for p in env.legal_plays() if len(p.actions) > 1]
        kind = {p: (p.name, bool({"x", "X"} & set(p.cards))) for p in plays}
        for wanted in sorted(set(kind.values())):
            own = [p for p in plays if kind[p] == wanted]
            for p in [own[i] for i in rng.choice(len(own), min(len(own), 3), replace=False)]:
                before = env.snapshot()
                for action in p.actions:
                    env.step(action)
                    check_observations(env, seen_at)
                env.restore(before)
    pending = {"pending_kind", "pending", "pending_cards", "wanted", "asked", "suits", "live", "runs"}
    if decks == 2:
        pending |= {
            "pending_more",
            "pending_jokers",
            "pending_twice",
            "live_twice",
            "hand_twice",
            "ranks_more",
        }
    assert pending <= seen_at
