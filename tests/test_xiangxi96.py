"""Xiangxi 96's engine and its public face against the rules page and the plain referee."""

from __future__ import annotations

import json
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envs
from envs import record as records
from envs.core.aec import TableEnv
from envs.core.game import get
from envs.xiangxi96 import shapes
from envs.xiangxi96.claims import DISCARDING
from envs.xiangxi96.kinds import NUM_CARDS
from envs.xiangxi96.melds import lay_dragons
from envs.xiangxi96.observation import MOST_HUXI, PIG_POINTS
from envs.xiangxi96.rules import BIG_SMALL, FENG_SHENG, Xiangxi96Rules, points_of, stock_size
from envs.xiangxi96.table import clear
from envs.xiangxi96.units import huxi_of, won_cut
from envs.xiangxi96.win import NO_WIN, best_win, read_win

from .brute import xiangxi96 as brute
from .games import Options, is_over, legal, new_table, options_of, play
from .xiangxi96_tables import (
    ALL_GROUPS,
    COPIES,
    FEWER,
    IN_HAND,
    INDEX,
    KAN,
    KINDS,
    SU_GROUPS,
    cards,
    counts,
    deal_sizes,
    deck_of,
    happened,
    names,
    position,
    put_seat,
    rich_deck,
    units_to_win,
)

CASES = json.loads((Path(__file__).parent / "cases" / "xiangxi96_cases.json").read_text(encoding="utf-8"))
ACTIONS = (*KINDS, "hu", "pass", "chi_hand", "chi_table", "chi_half", "tie")
HU = ACTIONS.index("hu")
PLAYERS = (2, 3, 4)
STOCK = {2: 53, 3: 32, 4: 11}
QUICK, ALL = 20_000 // FEWER, 200_000  # hands
WON = (1, 3)  # at least so many of so many grown hands win

Case = dict[str, Any]


def cases_of(kind: str, **wanted: Any) -> list[Any]:
    found = [case for case in CASES if case["kind"] == kind and wanted.items() <= case.items()]
    return [pytest.param(case, id=case["id"]) for case in found]


def act(env: TableEnv, *actions: str) -> None:
    """Play actions by name."""
    for name in actions:
        env.step(ACTIONS.index(name))


def seat_of(env: TableEnv) -> int:
    return env.possible_agents.index(env.agent_selection)


def legal_names(env: TableEnv) -> list[str]:
    """The names of the legal actions, in the order of their numbers."""
    return [ACTIONS[action] for action in legal(env)]


def canon(melds: list[brute.Meld]) -> list[str]:
    return sorted(map(str, melds))


# --- the case file ----------------------------------------------------------------------------------


def test_the_names_of_actions_and_cards() -> None:
    game = envs.make("xiangxi96").unwrapped.game
    assert tuple(name.split()[0] for name in game.action_names) == ACTIONS and len(ACTIONS) == 30
    assert list(game.cards) == brute.PACK
    assert {n: stock_size(n) for n in PLAYERS} == STOCK


def owing(hand: list[str], banned: list[str] = [], **options: Any) -> TableEnv:  # noqa: B006
    """A table at which player 0 has this hand and has to discard; the others have nothing."""
    env = new_table("xiangxi96", options, seed=0, dealer=0)
    t = env._tables[0]
    clear(t)
    put_seat(t, 0, hand, [], options)
    t["dealt"], t["phase"], t["turn"] = NUM_CARDS, DISCARDING, 0
    for kind in banned:
        t["ban"][0] = INDEX[kind]
    env._look_again()
    env._start("player_0")
    return env


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

GROUP = brute.GROUPS[0]
SUBSETS = {number: set(range(number + 1)) for number in range(brute.KOU_TO_WIN + 1)}


def bits(numbers: set[int]) -> int:
    return sum(1 << number for number in numbers)


def kou_numbers(loose: tuple[int, ...]) -> set[int]:
    """The numbers of kou with which loose cards of a group can be cut, as far as they matter."""
    return {number for way in brute.cuts(GROUP, loose) if (number := brute.kou_of(way)) <= brute.KOU_TO_WIN}


def least_left(loose: tuple[int, ...], kou: int) -> int:
    """Cards of a group that are left over at least with so many kou: every part is tried."""
    parts = product(*(range(count + 1) for count in loose))
    return sum(loose) - max(sum(part) for part in parts if min(kou_numbers(part), default=kou + 1) <= kou)


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


# --- the observation --------------------------------------------------------------------------------


def left_over(hand: Counter[str], kou: int) -> int:
    """Cards left over at least when the hand without its kan is cut into ju and at most so many kou."""
    by_kou = {0: 0}
    for group in brute.GROUPS:
        loose = tuple(hand[kind] if hand[kind] < KAN else 0 for kind in group)
        shares = product(by_kou.items(), range(brute.KOU_TO_WIN + 1))
        sums = [
            (used + more, left + least_left(loose, more))
            for (used, left), more in shares
            if used + more <= kou
        ]
        by_kou = {used: min(left for one, left in sums if one == used) for used, _ in sums}
    return min(by_kou.values())


def unary(value: int, size: int) -> list[int]:
    return [int(value > k) for k in range(size)]


def one_hot(value: Any, choices: Any) -> list[int]:
    return [int(value == choice) for choice in choices]


def more_than(held: Any, most: int, kinds: Any = KINDS) -> list[list[int]]:
    of = Counter(held)
    return [[int(of[kind] > k) for kind in kinds] for k in range(most)]


def among(kinds: Any) -> list[int]:
    return [int(kind in kinds) for kind in KINDS]


def observed(game: brute.Referee, seat: int) -> dict[str, Any]:
    """Every field of what ``seat`` sees, from the referee."""
    n, rules = game.n, game.options
    who = [(seat + i) % n for i in range(n)]
    hand, melds = game.hands[seat], game.melds[seat]
    tables = [card for own in game.melds for meld in own for card in brute.cards_of(meld)]
    offered = [] if game.card is None else [game.card]
    gone = Counter([*tables, *(card for pile in game.piles for card in pile), *offered]) + hand
    unseen = Counter(brute.PACK) - gone
    owes = game.phase == "discard"
    kou = max(0, brute.KOU_TO_WIN - brute.kou_of(melds))
    left = left_over(hand, kou)
    huxi = sum(brute.meld_huxi(meld, rules) for meld in melds)
    kans = [{"type": "kan", "card": kind} for kind in KINDS if hand[kind] >= KAN]
    loose = sum(count for kind, count in hand.items() if count < KAN and kind in brute.HUN)
    worth = huxi + loose + sum(brute.meld_huxi(kan, rules) for kan in kans)

    def wins(own: bool) -> list[int]:
        if owes and game.turn == seat:
            return [0] * len(KINDS)
        best = {kind: brute.best_win(hand, melds, kind, own, rules) for kind in unseen}
        return [int(best.get(kind) is not None) for kind in KINDS]

    def spare(kind: str) -> bool:
        return 0 < hand[kind] < KAN and left_over(hand - Counter([kind]), kou) < left

    def of_type(s: int, *types: str) -> list[brute.Meld]:
        return [meld for meld in game.melds[s] if meld["type"] in types]

    def lacking(tie: brute.Meld) -> str:
        return next(kind for kind in brute.GROUP_OF[tie["cards"][0]] if kind not in tie["cards"])

    def fours(s: int, own: tuple[bool, ...] = (True, False)) -> list[str]:
        single = [meld["card"] for meld in of_type(s, "zou", "ban", "man") if meld["own"] in own]
        pairs = [zip(meld["cards"], meld["own"], strict=True) for meld in of_type(s, "shuang")]
        return single + [kind for pair in pairs for kind, is_own in pair if is_own in own]

    def company(s: int, most: int) -> list[str]:
        return [meld["card"] for meld in of_type(s, "ban", "man") if len(meld["with"]) > most]

    groups = brute.GROUPS
    return {
        "hand": more_than(hand.elements(), KAN),
        "unseen": more_than(unseen.elements(), COPIES),
        "card": among(offered),
        "is_flip": [int(game.source == "flip")],
        "asked": one_hot(game.phase if game.turn == seat else None, ("discard", "hu", "chi", "tie")),
        "barred": among(game.thrown[seat] | game.passed_chi[seat]),
        "broken": among(game.broken[seat]),
        "ban": among({game.ban[seat]}),
        "left": unary(left, brute.HAND_SIZE + 1),
        "spare": [int(spare(kind)) for kind in KINDS],
        "wins_own": wins(True),
        "wins_other": wins(False),
        "huxi": unary(huxi, MOST_HUXI),
        "worth": unary(worth, MOST_HUXI),
        "lacking": unary(brute.least_huxi(rules) - worth, 15),
        "big_small": [int(rules["scoring"] == "big_small")],
        "zhao_extra_all": [int(rules["zhao_extra"] == "all")],
        "red_face_is_red": [int(rules["red_face_is_red"])],
        "split_table_sentence": [int(rules["split_table_sentence"])],
        "pig_points": [int(rules["pig_points"] >= least) for least in PIG_POINTS],
        "melds_mouths": [more_than(map(lacking, of_type(s, "tie")), 2) for s in who],
        "melds_sentences": [
            more_than((brute.GROUP_OF[meld["cards"][0]] for meld in of_type(s, "chi")), COPIES, groups)
            for s in who
        ],
        "melds_pengs": [among([meld["card"] for meld in of_type(s, "peng")]) for s in who],
        "melds_shaos": [among([meld["card"] for meld in of_type(s, "shao")]) for s in who],
        "melds_fours": [among(fours(s)) for s in who],
        "melds_own_fours": [among(fours(s, (True,))) for s in who],
        "melds_company": [[among(company(s, most)) for most in range(2)] for s in who],
        "melds_shuang": [
            [int(any(meld["cards"][0] in group for meld in of_type(s, "shuang"))) for group in groups]
            for s in who
        ],
        "pile": [more_than(game.piles[s], COPIES) for s in who],
        "thrown": [among(game.thrown[s]) for s in who],
        "kou": [unary(brute.kou_of(game.melds[s]), 4) for s in who],
        "credits": [unary(game.credits[s], 5) for s in who],
        "hand_size": [unary(game.hands[s].total(), brute.HAND_SIZE + 1) for s in who],
        "dealer": one_hot(game.dealer, who),
        "owner": one_hot(game.owner if offered else None, who),
        "owes": one_hot(game.turn if owes else None, who),
        "stock": unary(len(game.stock), STOCK[n]),
    }


PLAYED = 250 // FEWER  # decisions at which all observations are compared, of each set of options


@pytest.mark.parametrize("options", options_of("xiangxi96"))
def test_every_field_of_the_observation(options: Options, rotate: int) -> None:
    """Of every seat at every decision, and at the end of each game."""
    rng = np.random.default_rng([rotate, 81])
    rules = brute.DEFAULTS | options
    n = rules["num_players"]
    decisions = 0
    while decisions < PLAYED:
        env, referee = dealt(rng, rules)
        while True:
            for seat in range(n):
                seen = env.game.observation_dict(env.observe(f"player_{seat}")["observation"])
                wanted = observed(referee, seat)
                assert list(seen) == list(wanted)
                for name, value in wanted.items():
                    if name.startswith("wins") and referee.phase == "over":
                        continue  # nothing wins any more
                    flat = np.array(value).reshape(seen[name].shape)
                    assert np.array_equal(seen[name], flat), f"{name} of seat {seat}\n{env.text()}"
            if referee.phase == "over":
                break
            name = str(rng.choice(referee.legal()))
            act(env, name)
            referee.play(name)
            decisions += 1


def dealt(rng: np.random.Generator, options: Options) -> tuple[TableEnv, brute.Referee]:
    """A table and a referee with the same deck, in which somebody has much of some groups."""
    referee = brute.Referee(options)
    while referee.phase == "over":
        deck, dealer = rich_deck(rng, referee.n), int(rng.integers(referee.n))
        referee.deal(deck, dealer)
    return new_table("xiangxi96", options, deck=deck, dealer=dealer), referee


# --- hidden passes ----------------------------------------------------------------------------------

TO_TIE, TO_CHI, NEITHER = cards("r258"), cards("rA23"), cards("r58Q")
TO_WIN = cards("rA23777JQK bA23456789JQK")  # H5
NOT_TO_WIN = cards("rA23777JQK bA23456789JJQ")
PASSED = {
    "tie": ((0, 1), TO_TIE, NEITHER, "flip"),
    "chi": ((0, 1), TO_CHI, NEITHER, "flip"),
    "hu": ((2, 3), TO_WIN, NOT_TO_WIN, "flip"),
    "hu of a discard": ((2, 3), TO_WIN, NOT_TO_WIN, "discard"),
}
"""What is passed: the two seats that may be asked, the hand of who is, of who is not, the source of r3."""


def views(env: TableEnv, seats: Any) -> list[tuple[bytes, bytes, str]]:
    """All that seats get of a table: observation, blanked record, text."""
    found = []
    for seat in seats:
        blanked = env._tables.copy()
        env._game.loops.blank_all(blanked, np.array([seat]))
        seen = env.observe(f"player_{seat}")["observation"]
        found.append((seen.tobytes(), blanked.tobytes(), env.text(seat)))
    return found


@pytest.mark.parametrize("what", PASSED)
def test_nobody_sees_who_was_asked_and_passed(what: str) -> None:
    """Player 0 turns r3; then player 1 flips b9, which who has a pair of it takes."""
    may_be_asked, hand, other_hand, source = PASSED[what]
    bystanders = [seat for seat in range(4) if seat not in may_be_asked]

    def table(*asked: int) -> TableEnv:
        hands = [cards("b99J"), cards("b3"), [], []] if what.startswith("hu") else [[], [], cards("b99J"), []]
        for seat in may_be_asked:
            hands[seat] = hand if seat in asked else other_hand
        put = {"hands": hands, "melds": [[]] * 4, "source": source, "owner": 0, "card": "r3", "stock": ["b9"]}
        env, _ = position({"num_players": 4, "options": {}, **put})
        assert not asked or (seat_of(env) == asked[0] and set(legal_names(env)) >= {"pass"})
        return env

    first, second = may_be_asked
    one, other, both, nobody = table(first), table(second), table(first, second), table()
    while_asked = views(one, bystanders)
    assert while_asked == views(other, bystanders) == views(both, bystanders)
    act(both, "pass")
    assert seat_of(both) == second and views(both, bystanders) == while_asked
    for env in (one, other, both):
        act(env, "pass")
        assert env._tables[0]["phase"] == DISCARDING and seat_of(env) == seat_of(nobody)
        assert views(env, bystanders) == views(nobody, bystanders) != while_asked
    assert views(one, [second]) == views(nobody, [second])
    assert views(other, [first]) == views(nobody, [first])
    assert views(one, [first]) != views(nobody, [first])


# --- invariants and statistics (section 14) ---------------------------------------------------------

LARGEST_CHOICE = 16


@pytest.mark.parametrize("options", options_of("xiangxi96"))
def test_invariants(options: Options, rotate: int) -> None:
    """Told by the public face alone; numbers as in section 14."""
    rng = np.random.default_rng([rotate, 82])
    n = (brute.DEFAULTS | options)["num_players"]
    for _ in range(6):
        env, _ = dealt(rng, brute.DEFAULTS | options)
        t = env._tables[0]
        while True:
            laid = [[card for meld in env.melds(seat) for card in brute.cards_of(meld)] for seat in range(n)]
            hands = [env.hand(seat) for seat in range(n)]
            piles = [kind for seat in range(n) for kind in np.repeat(KINDS, t["piles"][seat]).tolist()]
            offered = [KINDS[t["card"]]] if t["card"] >= 0 else []
            stock = env.deck()[t["dealt"] :]
            everywhere = [*(card for own in laid + hands for card in own), *piles, *offered, *stock]
            assert sorted(everywhere) == sorted(brute.PACK)  # 1
            owing = t["turn"] if t["phase"] == DISCARDING and not t["over"] else None
            info = env.infos["player_0"]
            for seat in range(n):
                lone = sum(meld["type"] == "zou" for meld in env.melds(seat))
                size, due = len(hands[seat] + laid[seat]), brute.HAND_SIZE + lone - t["credit"][seat]
                is_pig = info.get("pig") == seat
                assert size - due == (seat in (owing, info.get("winner"))) or is_pig  # 2
                most = max(Counter(hands[seat]).values(), default=0)
                assert most < COPIES or seat == info.get("winner")  # 3
                assert t["ban"][seat] == -1 or seat == owing or is_pig  # 5
            if is_over(env):
                break
            assert 1 <= len(legal(env)) <= LARGEST_CHOICE  # 4, 5
            play(env, rng, most=1)
        assert sum(env.scores()) == 0 and sum(e[2] == "flip" for e in env.events()) <= STOCK[n]  # 4, 5
        assert info["outcome"] in ("hu", "pig", "exhausted")


STATISTICS = {
    (2, False): ((0.502, 0.128, 0.370, 0.098, 0.078, 0.195), (25.09, 24.71), 18.01),
    (2, True): ((0.725, 0.080, 0.195, 0.083, 0.073, 0.038), (23.82, 23.54), 17.95),
    (3, False): ((0.164, 0.617, 0.220, 0.104, 0.055, 0.061), (28.30, 28.15), 20.36),
    (3, True): ((0.266, 0.553, 0.181, 0.100, 0.053, 0.028), (27.78, 27.65), 20.28),
    (4, False): ((0.071, 0.831, 0.099, 0.074, 0.019, 0.005), (24.07, 24.03), 16.98),
    (4, True): ((0.117, 0.791, 0.092, 0.073, 0.019, 0.000), (23.80, 23.77), 17.25),
}
"""By players and whether hu is never declined: rates of hu, exhausted, pig and its reasons, decisions (real,
with a choice), mean huxi of wins."""
WON_OUTCOME, PIG_OUTCOME, EXHAUSTED_OUTCOME = range(3)
TABLES, GAMES_A_TABLE = 512, 60  # games of each table: its long ones count as much as its short ones
RATE, DECISIONS, HUXI = 0.025, 0.5, 0.7  # tolerances


@pytest.mark.slow
@pytest.mark.parametrize(("players", "hu_first"), STATISTICS)
def test_random_play(players: int, hu_first: bool, rotate: int) -> None:
    vec = envs.make_vec("xiangxi96", num_envs=TABLES, num_players=players)
    vec.reset(seed=rotate)
    column = {name: number for number, name in enumerate(vec.game.stats)}
    games = [list[tuple[int, ...]]() for _ in range(TABLES)]
    choices = np.zeros(TABLES, int)
    while min(map(len, games)) < GAMES_A_TABLE:
        masks, actions = vec._masks, vec.sample().copy()
        choices += masks.sum(axis=1) > 1
        if hu_first:
            actions[masks[:, HU] == 1] = HU
        _, _, ended, _, infos = vec.step(actions)
        for table in np.flatnonzero(ended):
            row = infos["final_stats"][table]
            figures = (row[column[name]] for name in ("outcome", "reason", "decisions", "huxi"))
            games[table].append((*map(int, figures), int(choices[table])))
            choices[table] = 0
    outcome, reason, decisions, huxi, chosen = (
        np.array([own[:GAMES_A_TABLE] for own in games]).reshape(-1, 5).T
    )
    rates = [(outcome == what).mean() for what in (WON_OUTCOME, EXHAUSTED_OUTCOME, PIG_OUTCOME)]
    rates += [(reason == what).mean() for what in (1, 2, 3)]
    wanted = STATISTICS[players, hu_first]
    assert rates == pytest.approx(wanted[0], abs=RATE)
    assert [decisions.mean(), chosen.mean()] == pytest.approx(wanted[1], abs=DECISIONS)
    assert huxi[outcome == WON_OUTCOME].mean() == pytest.approx(wanted[2], abs=HUXI)


# --- the public face --------------------------------------------------------------------------------


@pytest.mark.parametrize("options", options_of("xiangxi96"))
def test_actions_for_inverts_every_legal_play(options: Options, rotate: int) -> None:
    rng, env = np.random.default_rng([rotate, 83]), new_table("xiangxi96", options, seed=rotate)
    for _ in range(40 // FEWER):
        plays = env.legal_plays()
        assert [made.actions for made in plays] == [(action,) for action in legal(env)]
        for made in plays[:: max(1, len(plays) // 2)]:  # asking takes as long as there are plays
            name = ACTIONS[made.actions[0]]
            if name in KINDS:
                assert (made.name, made.key, made.length, made.cards) == ("discard", name, 1, (name,))
                assert (
                    env.actions_for(name)
                    == env.actions_for((name,))
                    == env.actions_for([name])
                    == made.actions
                )
            else:
                assert (made.name, made.key, made.length) == (name, "", 0)
                assert env.actions_for(name) == env.actions_for(made.cards, name=name) == made.actions
            assert Counter(made.cards) <= Counter(env.hand(seat_of(env)))
        if "pass" in legal_names(env):
            assert env.actions_for("") == env.actions_for(()) == env.actions_for("pass")
        play(env, rng, most=1)
        if is_over(env):
            env.reset()


def claim_table(hand: str, card: str, *, tie: str = "", after: str = "") -> TableEnv:
    """A table of three at which player 0 has flipped ``card``, with a tie before it; then plays ``after``."""
    melds = [{"type": "tie", "cards": cards(tie)}] if tie else []
    put = {
        "hands": [cards(hand), [], []],
        "melds": [melds, [], []],
        "source": "flip",
        "owner": 0,
        "card": card,
    }
    env, _ = position({"num_players": 3, "options": {}, **put})
    if after:
        act(env, after)
    return env


REFUSED = {
    "not held": (lambda: owing(cards("rAA23 b7")), "b8", "no b8"),
    "no card": (lambda: owing(cards("rAA23 b7")), "r10", "no card: write a colour of rb"),
    "two cards": (lambda: owing(cards("rAA23 b7")), "rA b7", r"one, as in actions_for\('r7'\)"),
    "a kan": (lambda: owing(cards("rAAA b7")), "rA", r"three of a kind \(坎\) stay together"),
    "a sentence": (lambda: owing(cards("rAA23 b7")), "r2", r"a sentence \(句\) stay together: rA r2 r3"),
    "the tie ban": (lambda: claim_table("rAA2 b7", "r2", after="tie"), "r2", "kind of the last tie"),
    "no hu": (
        lambda: claim_table("rAA2 b7", "r2"),
        "hu",
        "hu is not legal now; choose one by name: pass, tie",
    ),
    "another's claim": (lambda: claim_table("rAA2 b7", "r2"), "rA rA", "r2 is on offer: pass, tie"),
    "hu for a discard": (lambda: owing(cards("rAA23 b7")), "hu", "hu: a card has to be discarded"),
    "pass for a discard": (lambda: owing(cards("rAA23 b7")), "pass", "pass: a card has to be discarded"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_actions_for_says_why_not(why: str) -> None:
    make, given, said = REFUSED[why]
    env = make()
    with pytest.raises(ValueError, match=said):
        env.actions_for(given)


def test_claims_by_their_cards_or_names() -> None:
    env = claim_table("rA2 b7", "r3", tie="rA2")  # C15: either way, but one of them
    assert [made.cards for made in env.legal_plays()] == [("rA", "r2"), ()]
    assert env.actions_for("rA r2") == env.actions_for("rA2") == env.actions_for("chi_hand")
    assert env.actions_for("chi_table") == (ACTIONS.index("chi_table"),)
    with pytest.raises(ValueError, match="pass is not legal now; choose one by name: chi_hand, chi_table"):
        env.actions_for("pass")


def test_dealers() -> None:
    env = new_table("xiangxi96", {}, seed=1, dealer=2)
    deck = env.deck()
    for dealer in range(3):
        env.reset(options={"deck": deck, "dealer": dealer})
        assert env.deck() == deck and env.record()["dealer"] == dealer
        for i, size in enumerate(deal_sizes(3)):
            start, seat = sum(deal_sizes(3)[:i]), (dealer + i) % 3
            table = [card for meld in env.melds(seat) for card in brute.cards_of(meld)]
            assert sorted(env.hand(seat) + table) == sorted(deck[start : start + size])
        assert env.agent_selection == f"player_{dealer}"
    drawn = Counter(new_table("xiangxi96", {}, seed=seed).record()["dealer"] for seed in range(60))
    assert set(drawn) == {0, 1, 2}
    for wrong in (3, -1, "0"):
        with pytest.raises(ValueError, match=r"a dealer's seat is an integer of 0\.\.2"):
            env.reset(options={"dealer": wrong})


def test_melds_wants_a_seat() -> None:
    env = new_table("xiangxi96", {}, seed=1)
    for wrong in (3, -1, "player_0"):
        with pytest.raises(ValueError, match=r"a seat is an integer of 0\.\.2"):
            env.melds(wrong)


def test_dragons_are_events_of_the_deal() -> None:
    deck = deck_of([[], cards("rAAAA2 b4444 bJJJJQQQQK"), []])
    env = new_table("xiangxi96", {}, deck=deck, dealer=1)  # the second of the dealing order
    assert env.events() == [
        (-1, 2, "dragon", tuple(cards("rAAAA2"))),
        (-1, 2, "dragon", tuple(cards("b4444"))),
        (-1, 2, "dragon", tuple(cards("bJJJJQQQQK"))),
    ]
    assert env._tables[0]["credit"].tolist() == [0, 0, 1, 0]


def test_the_end_in_infos_and_records(rotate: int) -> None:
    """For each outcome: which keys there are, the same in both, and the record verifies."""
    of_all = {"winner", "outcome", "next_dealer"}
    keys = {"hu": {"huxi", "points", "units", "unit_huxi"}, "pig": {"pig", "reason"}, "exhausted": set()}
    rng, seen = np.random.default_rng([rotate, 84]), set[str]()
    env = new_table("xiangxi96", {"num_players": 2}, seed=rotate)
    while seen != set(keys):
        while not is_over(env):
            env.step(HU if HU in legal(env) else int(rng.choice(legal(env))))
        record, info = env.record(), env.infos["player_1"]
        told = keys[info["outcome"]] | of_all
        assert set(info) == {"action_mask"} | told and all(info == one for one in env.infos.values())
        assert {name: record[name] for name in told} == {name: info[name] for name in told}
        assert (info["winner"] is not None) == (info["outcome"] == "hu")
        again = records.parse(json.dumps(record))
        records.verify(again)
        assert again == json.loads(json.dumps(record)) and again["dealer"] == record["dealer"]
        with pytest.raises(ValueError, match=r"^(decision \d+|plays|events|next_dealer|the deck ends)"):
            records.verify(again | {"dealer": 1 - again["dealer"]})
        seen.add(info["outcome"])
        env.reset()


# --- the text view ----------------------------------------------------------------------------------


@pytest.mark.parametrize("options", options_of("xiangxi96"))
def test_a_seat_s_text_shows_no_hidden_card_and_not_who_is_asked(options: Options, rotate: int) -> None:
    rng = np.random.default_rng([rotate, 85])
    env = new_table("xiangxi96", options, seed=rotate)
    n = env.game.num_players
    while not is_over(env):
        t, turn = env._tables[0], seat_of(env)
        hands = [" ".join(env.hand(seat)) for seat in range(n)]
        assert all(f"player_{seat}  {hands[seat]}" in env.text() for seat in range(n))
        assert f"player_{turn} may" in env.text() and f"> player_{turn}" in env.text()
        for seat in range(n):
            text = env.text(seat)
            lines = [line[2:] for line in text.splitlines() if line[2:].startswith("player_")]
            wanted = [
                f"player_{who}  {hands[who] if who == seat else f'({len(env.hand(who))} cards)'}"
                for who in range(n)
            ]
            assert [line.rstrip() for line in lines] == [line.rstrip() for line in wanted]
            is_known = seat == turn or t["phase"] == DISCARDING
            assert (" may " in text) == (f"> player_{turn}" in text) == is_known
            assert f"stock {NUM_CARDS - t['dealt']}, dealer player_{t['dealer']}" in text
        play(env, rng, most=1)
    assert env.text(0) == env.text(1) == env.text() and "deals next" in env.text()


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
