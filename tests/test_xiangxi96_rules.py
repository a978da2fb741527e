"""Xiangxi 96's engine against the cases of the rules page, its wins against the referee."""

from __future__ import annotations

import json
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envs
from envs.core.aec import TableEnv
from envs.core.game import get
from envs.xiangxi96 import shapes
from envs.xiangxi96.claims import DISCARDING
from envs.xiangxi96.melds import lay_dragons
from envs.xiangxi96.rules import BIG_SMALL, FENG_SHENG, Xiangxi96Rules, points_of, stock_size
from envs.xiangxi96.table import clear
from envs.xiangxi96.units import huxi_of, won_cut
from envs.xiangxi96.win import NO_WIN, best_win, read_win

from .brute import xiangxi96 as brute
from .games import Options, is_over, new_table
from .xiangxi96_tables import (
    ACTIONS,
    ALL_GROUPS,
    COPIES,
    FEWER,
    GROUP,
    IN_HAND,
    INDEX,
    KAN,
    KINDS,
    PLAYERS,
    SU_GROUPS,
    act,
    cards,
    counts,
    deck_of,
    happened,
    kou_numbers,
    least_left,
    legal_names,
    names,
    owing,
    position,
    put_seat,
    seat_of,
    units_to_win,
)

CASES = json.loads((Path(__file__).parent / "cases" / "xiangxi96_cases.json").read_text(encoding="utf-8"))
STOCK = {2: 53, 3: 32, 4: 11}
QUICK, ALL = 20_000 // max(3, FEWER), 200_000  # hands
WON = (1, 3)  # at least so many of so many grown hands win

Case = dict[str, Any]


def cases_of(kind: str, **wanted: Any) -> list[Any]:
    found = [case for case in CASES if case["kind"] == kind and wanted.items() <= case.items()]
    return [pytest.param(case, id=case["id"]) for case in found]


def canon(melds: list[brute.Meld]) -> list[str]:
    return sorted(map(str, melds))


# --- the case file ----------------------------------------------------------------------------------


def test_the_names_of_actions_and_cards() -> None:
    game = envs.make("xiangxi96").unwrapped.game
    assert tuple(name.split()[0] for name in game.action_names) == ACTIONS and len(ACTIONS) == 30
    assert list(game.cards) == brute.PACK
    assert {n: stock_size(n) for n in PLAYERS} == STOCK


@pytest.mark.parametrize("case", cases_of("discards"))
def test_discards(case: Case) -> None:
    assert legal_names(owing(case["hand"], case["banned"])) == case["expected"]
    breaks = {}
    for kind in case["expected"]:
        env = owing(case["hand"], case["banned"])
        act(env, kind)
        t = env._tables[0]
        assert names(t, "thrown", 0) == {kind} and t["ban"][0] == -1
        if names(t, "broken", 0):
            breaks[kind] = brute.in_order(names(t, "broken", 0))
    assert breaks == case["breaks"]


@pytest.mark.parametrize("case", cases_of("deal_dragons"))
def test_deal_dragons(case: Case) -> None:
    expected = case["expected"]
    env = owing(case["hand"], num_players=case["num_players"])
    t = env._tables[0]
    lay_dragons(t, np.int64(0))
    env._look_again()
    assert canon(env.melds(0)) == canon(expected["melds"])
    assert env.hand(0) == expected["hand"] and t["held"][0] == len(expected["hand"])
    assert (t["credit"][0], t["kou"][0]) == (expected["credits"], expected["kou"])
    assert t["shown"].tolist() == counts(card for meld in expected["melds"] for card in brute.cards_of(meld))
    assert t["worth"][0] == sum(brute.meld_huxi(meld, brute.DEFAULTS) for meld in expected["melds"])
    if case["dealer"] and expected["opening"]["phase"] == "discard":
        assert legal_names(env) == expected["opening"]["legal_discards"]


def test_the_openings_without_a_discard() -> None:
    """The dealer's last chance is a credit; without one the deal ends the game."""
    spent, pig = (case["expected"] | case for case in CASES
                  if case["kind"] == "deal_dragons" and len(case["hand"]) == brute.HAND_SIZE + 1)  # fmt: skip
    env = new_table("xiangxi96", {}, deck=deck_of([spent["hand"], [], []]), dealer=0)
    happens = [(number, seat, event) for number, seat, event, _ in env.events()]
    assert happens[:4] == [(-1, 0, "dragon")] * spent["credits"]
    assert happens[4:6] == [(-1, 0, "credit"), (-1, spent["opening"]["seat"], "flip")]
    assert env._tables[0]["credit"][0] <= spent["opening"]["credits"] and not env.history()
    deck = deck_of([pig["hand"], [], []])
    before = env.record(), env.text()
    with pytest.raises(ValueError, match="ends the game before its first decision"):
        env.reset(options={"deck": deck, "dealer": 0})
    assert (env.record(), env.text()) == before
    tables = get("xiangxi96").new_tables(1, Xiangxi96Rules())
    get("xiangxi96").kernels["deal"](
        tables[0], np.array([COPIES * INDEX[card] for card in deck]), np.int64(0)
    )
    assert tables[0]["over"] and tables[0]["score"][:3].tolist() == pig["opening"]["scores"]


def answer(env: TableEnv, before: Any, offers: list[Case], say: list[str]) -> bool:
    """Go through the claims as the case has them; whether the last one happened by itself."""
    for offer, action in zip(offers, say, strict=False):
        if len(offer["actions"]) == 1:
            claims = [(seat, event) for seat, event, _ in happened(before, env) if event not in OTHER_EVENTS]
            assert claims == [(offer["seat"], offer["actions"][0])] and action == offer["actions"][0]
            return True
        assert (seat_of(env), set(legal_names(env))) == (offer["seat"], set(offer["actions"]))
        act(env, action)
    return False


OTHER_EVENTS = ("flip", "credit", "pig", "exhausted", "dragon")


@pytest.mark.parametrize("case", cases_of("claims"))
def test_claims_when_all_pass(case: Case) -> None:
    offers, wanted = case["expected"]["offers"], case["expected"]["next_flipper_if_all_pass"]
    env, before = position(case)
    forced = offers and "pass" not in offers[-1]["actions"]
    passes = ["pass"] * (len(offers) - bool(forced))
    is_done = answer(env, before, offers, [*passes, *(offers[-1]["actions"][:1] if forced else ())])
    claims = [event for _, event, _ in happened(before, env) if event not in OTHER_EVENTS]
    assert is_done == (bool(forced) and len(offers[-1]["actions"]) == 1) == bool(claims)
    if wanted is not None:  # the stock of a position is empty: the game ends at who would flip
        assert [seat for seat, event, _ in happened(before, env) if event == "exhausted"] == [wanted]
        assert names(env._tables[0], "piles", case["owner"]) >= {case["card"]}
    else:
        assert forced


@pytest.mark.parametrize("case", [case for case in cases_of("claims") if "then" in case.values[0]])
def test_claims_then(case: Case) -> None:
    after = case["expected"]["after"]
    env, before = position(case)
    answer(env, before, case["expected"]["offers"], case["then"])
    t, actor = env._tables[0], after["actor"]
    exhausted = [seat for seat, event, _ in happened(before, env) if event == "exhausted"]
    info = env.infos["player_0"]
    if exhausted:
        phase, seat = "flip", exhausted[0]
    elif is_over(env):
        phase, seat = "over", actor
    else:
        phase, seat = ("discard" if t["phase"] == DISCARDING else "asked"), seat_of(env)
    found = {
        "phase": phase,
        "seat": seat,
        "legal_discards": legal_names(env) if phase == "discard" else [],
        "result": info.get("outcome"),
        "reason": info.get("reason"),
        "scores": env.scores(),
        "next_dealer": info.get("next_dealer"),
        "huxi": info.get("huxi"),
        "points": info.get("points"),
        "actor": actor,
        "actor_hand": env.hand(actor),
        "actor_melds": canon(env.melds(actor)),
        "actor_kou": t["kou"][actor],
        "actor_credits": t["credit"][actor],
        "actor_passed_chi": brute.in_order(names(t, "passed_chi", actor)),
        "actor_banned": [KINDS[kind] for kind in [t["ban"][actor]] if kind >= 0],
    }
    if "actor_melds" in after:
        after = after | {
            "actor_melds": canon(after["actor_melds"]),
            "actor_passed_chi": brute.in_order(after["actor_passed_chi"]),
        }
    assert {name: found[name] for name in after} == after


def about_to_win(case: Case) -> tuple[TableEnv, bool]:
    """A table at which player 0 of a ``hu`` case may win; whether it may. Who flips has no cards."""
    n, nobody = case["num_players"], [[] for _ in range(case["num_players"] - 1)]
    owner = 0 if case["own_flip"] else n - 1
    seats = {"hands": [case["hand"], *nobody], "melds": [case["melds"], *nobody], "source": "flip"}
    env, _ = position({**case, **seats, "owner": owner, "credits": [case["credits"], *([0] * (n - 1))]})
    return env, not is_over(env) and seat_of(env) == 0 and "hu" in legal_names(env)


@pytest.mark.parametrize("case", cases_of("hu"))
def test_hu(case: Case) -> None:
    expected = case["expected"]
    env, may = about_to_win(case)
    assert may == (expected is not None)
    if not may:
        return
    act(env, "hu")
    info, rules = env.infos["player_0"], env.rules.as_dict()
    assert (info["outcome"], info["winner"], info["next_dealer"]) == ("hu", 0, 0)
    assert (info["huxi"], info["points"]) == (expected["huxi"], expected["points"])
    others = case["num_players"] - 1
    assert env.scores() == [expected["points"] * others, *[-expected["points"]] * others]
    assert info["unit_huxi"] == [brute.meld_huxi(unit, rules) for unit in info["units"]]
    assert sum(info["unit_huxi"]) == info["huxi"] and brute.kou_of(info["units"]) == brute.KOU_TO_WIN
    assert any(map(brute.is_bao_zhu, info["units"])) == expected["baozhu"]
    covered = [card for unit in info["units"] for card in brute.cards_of(unit)]
    assert sorted(covered) == sorted(card for unit in expected["units"] for card in brute.cards_of(unit))


@pytest.mark.parametrize("case", cases_of("score", what="meld"))
def test_score_of_a_meld(case: Case) -> None:
    env = new_table("xiangxi96", case["options"], seed=0)
    assert huxi_of(env._tables[0], case["meld"]) == case["expected"]["huxi"]


@pytest.mark.parametrize("case", cases_of("score", what="ladder"))
def test_score_by_the_ladder(case: Case) -> None:
    scoring = {"feng_sheng": FENG_SHENG, "big_small": BIG_SMALL}[case["options"].get("scoring", "feng_sheng")]
    found = points_of(case["huxi"], case["num_players"], scoring, case["su"], case["baozhu"])
    assert found == case["expected"]["points"]


PIG: Case = {
    "hand": cards("rAAA2 b7"),
    "melds": [{"type": "tie", "cards": ["r4", "r5"]}, {"type": "tie", "cards": ["r7", "r8"]}],
    "card": "rA",
}
"""C25: third_kou with a card that another turns."""
NOBODY_S_CARD: Case = {"hand": [], "melds": [], "card": "rK"}


def win_of(points: int, options: Options) -> Case:
    """A ``hu`` case that is worth so many points with a card that another turns."""
    for case in CASES:
        if case["kind"] == "hu":
            win = brute.best_win(Counter(case["hand"]), case["melds"], case["card"], False, options)
            if win is not None and win["points"] == points:
                found: Case = case
                return found
    raise AssertionError(f"no case of {points} points")


@pytest.mark.parametrize("case", cases_of("score", what="payment"))
def test_score_as_paid(case: Case) -> None:
    n, seat = case["num_players"], case["seat"] or 0
    put = {"pig": PIG, "exhausted": NOBODY_S_CARD}.get(case["event"])
    put = put or win_of(case["points"], case["options"] | {"num_players": n})
    own = {
        name: [put[of] if who == seat else [] for who in range(n)]
        for name, of in (("hands", "hand"), ("melds", "melds"))
    }
    env, _ = position(case | own | {"owner": (seat + 1) % n, "source": "flip", "card": put["card"]})
    if case["event"] == "hu":
        act(env, "hu")
    assert is_over(env) and env.scores() == case["expected"]["scores"] == list(env.rewards.values())
    assert env.infos["player_0"]["outcome"] == case["event"]
    assert env.infos["player_0"]["next_dealer"] == case["expected"]["next_dealer"]


# --- shapes -----------------------------------------------------------------------------------------

SUBSETS = {number: set(range(number + 1)) for number in range(brute.KOU_TO_WIN + 1)}


def bits(numbers: set[int]) -> int:
    return sum(1 << number for number in numbers)


def test_the_tables_of_shapes() -> None:
    for hand in product(range(KAN + 1), repeat=len(GROUP)):
        loose = tuple(count % KAN for count in hand)
        held = Counter(dict(zip(GROUP, hand, strict=True)))
        assert shapes.CUTS[hand] == bits(kou_numbers(hand))
        assert shapes.CUTS_OF_HAND[hand] == bits(kou_numbers(loose))
        assert shapes.FREE[hand] == bits({GROUP.index(kind) for kind in brute.legal_discards(held)})
        assert shapes.LEFT[hand].tolist() == [least_left(loose, kou) for kou in range(brute.KOU_TO_WIN + 1)]
    for one, other in product(range(8), repeat=2):
        sums = {a + b for a in range(3) for b in range(3) if one >> a & 1 and other >> b & 1}
        assert shapes.TOGETHER[one, other] == bits({number for number in sums if number <= brute.KOU_TO_WIN})


# --- winning ----------------------------------------------------------------------------------------


def taken_back(
    rng: np.random.Generator, unit: brute.Meld, card: str
) -> tuple[list[str], list[brute.Meld]] | None:
    """Cards in the hand and melds that become ``unit`` with ``card``; None where nothing does."""
    what, rest = unit["type"], list(brute.cards_of(unit))
    rest.remove(card)
    if what == "chi" and rng.random() < 0.7:
        return [], [{"type": "tie", "cards": rest}]
    if "with" not in unit:
        return rest, []
    if card in unit["with"]:
        others = [kind for kind in unit["with"] if kind != card]
        return ([], [brute.four(unit["card"], unit["own"], others)]) if what == "man" else None
    three: tuple[list[str], list[brute.Meld]] = ([card] * KAN, [])
    if rng.random() < 0.4:
        three = ([], [{"type": "shao", "card": card}])
    company, melds = list(unit["with"]), list[brute.Meld]()
    if what == "shuang":
        place = 1 - unit["cards"].index(card)
        melds, company = [brute.four(unit["cards"][place], unit["own"][place], company)], []
    elif what == "man" and rng.random() < 0.5:
        melds, company = [{"type": "tie", "cards": company}], []
    return three[0] + company, three[1] + melds


def grown_position(rng: np.random.Generator) -> tuple[list[str], list[brute.Meld], str] | None:
    """Hand, melds and card of a position that wins if it is worth enough, or one card away from that."""
    groups = SU_GROUPS if rng.random() < 0.15 else ALL_GROUPS
    start = list[brute.Meld]()
    is_split = rng.random() < 0.1
    if is_split:
        start = [{"type": "chi", "cards": list(brute.GROUPS[int(rng.choice(groups))])}]
        units = units_to_win(rng, brute.HAND_SIZE, groups, start, kou=0)
    else:
        fours = rng.permutation(groups)[: rng.choice([0, 0, 0, 1, 2])]  # lone: each takes a card more
        start = [
            brute.four(brute.GROUPS[group][rng.integers(3)], bool(rng.integers(2)), []) for group in fours
        ]
        units = units_to_win(rng, brute.HAND_SIZE + 1 + len(start), groups, start)
    if units is None:
        return None
    last = int(rng.integers(len(units))) if not is_split else 0
    card = str(rng.choice(brute.cards_of(units[last])))
    back = ([], start) if is_split else taken_back(rng, units.pop(last), card)
    if back is None:
        return None
    units = units[1:] if is_split else units
    hand = back[0] + [kind for unit in units if unit["type"] in IN_HAND for kind in brute.cards_of(unit)]
    melds = back[1] + [unit for unit in units if unit["type"] not in IN_HAND]
    if rng.random() < 0.4 and hand:
        if rng.random() < 0.5:
            card = str(rng.choice(KINDS))
        else:
            hand[int(rng.integers(len(hand)))] = str(rng.choice(KINDS))
    whole = Counter([*hand, card, *(kind for meld in melds for kind in brute.cards_of(meld))])
    halves = Counter(brute.GROUP_OF[meld["card"]] for meld in melds if meld["type"] == "ban")
    if max(whole.values()) > COPIES or max(Counter(hand).values(), default=0) > KAN:
        return None
    return None if max(halves.values(), default=0) > 1 else (hand, melds, card)  # two would be a shuang


def random_options(rng: np.random.Generator) -> Options:
    return {
        "num_players": int(rng.integers(2, 5)),
        "scoring": str(rng.choice(["feng_sheng", "big_small"])),
        "zhao_extra": str(rng.choice(["hun", "all"])),
        "red_face_is_red": bool(rng.random() < 0.5),
        "split_table_sentence": bool(rng.random() < 0.5),
    }


def check_cut(table: Any, value: int, hand: list[str], melds: list[brute.Meld], card: str, own: bool) -> None:
    """The cut of a won hand has all its cards, two kou and the huxi that are paid for."""
    table["winner"], table["won_with"], table["win"] = 1, INDEX[card], value
    table["is_flip"], table["owner"] = 1, 1 if own else 0
    table["hand"][1] = counts([*hand, card])
    units = won_cut(table)
    covered = [kind for unit in units for kind in brute.cards_of(unit)]
    assert counts(covered) == counts(
        [*hand, card, *(kind for meld in melds for kind in brute.cards_of(meld))]
    )
    assert brute.kou_of(units) == brute.KOU_TO_WIN
    assert sum(huxi_of(table, unit) for unit in units) == read_win(value)[1], f"{hand} {melds} {card} {units}"


@pytest.mark.parametrize("wanted", [QUICK, pytest.param(ALL, marks=pytest.mark.slow)])
def test_every_win_is_the_best_that_the_words_allow(wanted: int, rotate: int) -> None:
    rng = np.random.default_rng([rotate, 80])
    game, seen, number = get("xiangxi96"), Counter[str](), 0
    table = game.new_tables(1, Xiangxi96Rules())[0]
    while number < wanted:
        found = grown_position(rng)
        if found is None:
            continue
        hand, melds, card = found
        options, own = random_options(rng), bool(rng.random() < 0.5)
        Xiangxi96Rules(**options).write(table)
        clear(table)
        put_seat(table, 1, hand, melds, options)
        value = best_win(table, np.int64(1), np.int64(INDEX[card]), own)
        win = brute.best_win(Counter(hand), melds, card, own, options)
        wanted_win = None if win is None else (win["points"], win["huxi"])
        mine = None if value == NO_WIN else tuple(int(part) for part in read_win(value)[:2])
        assert mine == wanted_win, f"{hand} {melds} {card} {own} {options}"
        number += 1
        if win is not None:
            if number % 3 == 0:
                check_cut(table, value, hand, melds, card, own)
            seen.update(["won", f"won of {options['num_players']}", "own" if own else "other"])
            seen.update(name for name in ("su", "baozhu") if win[name])
            seen.update({unit["type"] for unit in win["units"]})
    print(dict(sorted(seen.items())))
    assert WON[1] * seen["won"] >= WON[0] * number
    sure = ["own", "other", "su", "baozhu", "kou", "ju", "kan", "shao", "peng", "zou", "ban", "man", "shuang"]
    assert not [what for what in [*sure, *(f"won of {n}" for n in PLAYERS)] if not seen[what]]


@pytest.mark.parametrize(
    ("melds", "card", "claim"),
    [
        ([{"type": "tie", "cards": ["rA", "r2"]}], "r3", "chi_table"),
        ([brute.four("rA", True, ["r2"])], "r3", "chi_half"),
        ([brute.four("rA", True, ["r2"]), {"type": "shao", "card": "b5"}], "b5", "zou"),
    ],
)
def test_what_wins_after_a_claim_that_leaves_the_hand_as_it_was(
    melds: list[brute.Meld], card: str, claim: str
) -> None:
    """A chi whose discard a credit cancels, or a lone zou; then the next player flips bK."""
    hand = cards("r45777 bQ") if claim != "zou" else cards("r777 bQ")
    put = {"hands": [hand, []], "melds": [melds, []], "credits": [int(claim != "zou"), 0], "stock": ["bK"]}
    env, before = position(
        {"num_players": 2, "options": {}, "source": "flip", "owner": 0, "card": card, **put}
    )
    assert [event for _, event, _ in happened(before, env)][1] == claim
    assert legal_names(env) == ["hu", "pass"] and env.text().count("player_1 flips bK") == 1
    seen = env.game.observation_dict(env.observe("player_0")["observation"])
    assert seen["wins_other"][INDEX["bJ"]] == 1 and seen["asked"].tolist() == [0, 1, 0, 0]


# --- the text view of the end -------------------------------------------------------------------------


def test_the_text_of_a_win_tells_the_cut() -> None:
    case = next(case for case in CASES if case["id"] == "hu_01")
    env, _ = about_to_win(case)
    assert "player_0 flips bK" in env.text(1) and "> " not in env.text(1)
    assert "> player_0" in env.text(0) and "player_0 may hu 胡, pass 过" in env.text(0)
    act(env, "hu")
    end = env.text(1)
    assert "player_0 wins 胡 with bK: " in end and "= 11 huxi; scores 2, -2; player_0 deals next" in end
    assert all(unit in end for unit in ("tie rA2 2", "kan r7 6", "ju r456 3", "kou rJQ 0", "ju bJQK 0"))


def test_the_text_of_a_pig_tells_why() -> None:
    put = {"hands": [PIG["hand"], [], []], "melds": [PIG["melds"], [], []], "card": "rA", "source": "flip"}
    env, _ = position({"num_players": 3, "options": {}, "owner": 1, **put})
    assert "player_0 is the pig 猪 (third_kou); scores -16, 8, 8; player_0 deals next" in env.text(2)
    assert "ban rA(other)+r2" in env.text()
