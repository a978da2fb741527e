"""The slow referee for Xiangxi 96 agrees with the rules page and its case file."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from . import xiangxi96 as xx

CASE_FILE = Path(__file__).parents[1] / "cases" / "xiangxi96_cases.json"
CASES = json.loads(CASE_FILE.read_text(encoding="utf-8"))
KINDS = {"discards", "deal_dragons", "claims", "hu", "score"}

RANDOM_GAMES = 240  # of each player count
SLOW_GAMES = 3000
GAMES_A_LINE = 5000  # section 14
STOCK = {2: 53, 3: 32, 4: 11}
LONGEST_LEGAL = 16


def cases_of(kind: str) -> list[Any]:
    return [pytest.param(case, id=case["id"]) for case in CASES if case["kind"] == kind]


def options_of(case: dict[str, Any]) -> dict[str, Any]:
    return {"num_players": case["num_players"]} | case["options"]


def cards(hand: xx.Hand) -> list[str]:
    """Return the cards of a hand in kind order."""
    return [kind for kind in xx.KINDS for _ in range(hand[kind])]


def shuffled_game(rng: random.Random, options: dict[str, Any]) -> xx.Referee:
    game = xx.Referee(options)
    game.deal(rng.sample(xx.PACK, len(xx.PACK)), rng.randrange(game.n))
    return game


# The case file.


def test_every_case_is_run() -> None:
    assert {case["kind"] for case in CASES} == KINDS


@pytest.mark.parametrize("case", cases_of("discards"))
def test_discards(case: dict[str, Any]) -> None:
    hand = Counter(case["hand"])
    legal = xx.legal_discards(hand, case["banned"])
    assert legal == case["expected"]
    assert {kind: found for kind in legal if (found := xx.broken_by(hand, kind))} == case["breaks"]


@pytest.mark.parametrize("case", cases_of("deal_dragons"))
def test_deal_dragons(case: dict[str, Any]) -> None:
    expected = case["expected"]
    melds, hand, credit = xx.dealt_dragons(Counter(case["hand"]))
    assert (melds, cards(hand), credit) == (expected["melds"], expected["hand"], expected["credits"])
    assert xx.kou_of(melds) == expected["kou"]
    if not case["dealer"]:
        return
    game = xx.Referee({"num_players": case["num_players"]})
    empty: list[list[str]] = [[] for _ in range(game.n - 1)]
    game.start([case["hand"], *empty], [], 0, hold_flips=True)
    opening = {
        "phase": game.phase,
        "seat": game.pig if game.turn is None else game.turn,
        "credits": game.credits[0],
        "legal_discards": game.legal(),
        "result": game.outcome,
        "scores": game.scores,
        "next_dealer": game.next_dealer,
    }
    assert {name: opening[name] for name in expected["opening"]} == expected["opening"]


def offers(game: xx.Referee) -> list[dict[str, Any]]:
    return [{"seat": seat, "actions": actions} for seat, actions in game.offers]


@pytest.mark.parametrize("case", cases_of("claims"))
def test_claims_when_all_pass(case: dict[str, Any]) -> None:
    game, expected = xx.Referee(options_of(case)), case["expected"]
    game.set_position(case)
    if not case["partial"]:
        assert len(game.stock) == case["stock_size"]
    found = offers(game)
    assert found == expected["offers"]
    forced = [offer for offer in found if "pass" not in offer["actions"]]
    for offer in found:
        if offer not in forced:
            assert (game.turn, game.legal()) == (offer["seat"], offer["actions"])
            game.play("pass")
    next_flipper = game.flipper if game.phase == "flip" and not forced else None
    assert next_flipper == expected["next_flipper_if_all_pass"]


@pytest.mark.parametrize("case", [case for case in cases_of("claims") if "then" in case.values[0]])
def test_claims_then(case: dict[str, Any]) -> None:
    game, after = xx.Referee(options_of(case)), case["expected"]["after"]
    game.set_position(case)
    actor = None
    assert len(case["then"]) <= len(game.offers)
    for (seat, actions), action in zip(game.offers, case["then"], strict=False):
        actor = seat
        if len(actions) == 1:
            assert action == actions[0]
        else:
            assert game.turn == seat
            game.play(action)
    assert actor is not None
    ban = game.ban[actor]
    found = {
        "phase": game.phase,
        "seat": actor if game.turn is None else game.turn,
        "legal_discards": game.legal(),
        "result": game.outcome,
        "reason": game.reason,
        "scores": game.scores,
        "next_dealer": game.next_dealer,
        "huxi": game.huxi,
        "points": game.points,
        "actor": actor,
        "actor_hand": cards(game.hands[actor]),
        "actor_melds": game.melds[actor],
        "actor_kou": xx.kou_of(game.melds[actor]),
        "actor_credits": game.credits[actor],
        "actor_passed_chi": xx.in_order(game.passed_chi[actor]),
        "actor_banned": [] if ban is None else [ban],
    }
    after = after | {"actor_passed_chi": xx.in_order(after["actor_passed_chi"])}
    assert {name: found[name] for name in after} == after


@pytest.mark.parametrize("case", cases_of("hu"))
def test_hu(case: dict[str, Any]) -> None:
    options, expected = options_of(case), case["expected"]
    win = xx.best_win(Counter(case["hand"]), case["melds"], case["card"], case["own_flip"], options)
    if expected is None:
        assert win is None
        return
    assert win is not None
    assert all(win[name] == expected[name] for name in ("huxi", "points", "su", "baozhu"))
    huxi = [xx.meld_huxi(unit, xx.DEFAULTS | options) for unit in expected["units"]]
    assert huxi == expected["unit_huxi"]
    if sorted(map(str, win["units"])) != sorted(map(str, expected["units"])):  # cut differently
        assert cards_of(win["units"]) == cards_of(expected["units"])


def cards_of(melds: list[xx.Meld]) -> Counter[str]:
    return Counter(card for meld in melds for card in xx.cards_of(meld))


@pytest.mark.parametrize("case", cases_of("score"))
def test_score(case: dict[str, Any]) -> None:
    options = xx.DEFAULTS | {"num_players": case.get("num_players", 3)} | case["options"]
    expected: dict[str, Any] = case["expected"]
    found: dict[str, Any]
    if case["what"] == "meld":
        found = {"huxi": xx.meld_huxi(case["meld"], options)}
    elif case["what"] == "ladder":
        found = {"points": xx.win_points(case["huxi"], case["su"], case["baozhu"], options)}
    else:
        scores = xx.payment(case["event"], case["seat"], case["points"], options)
        next_dealer = case["dealer"] if case["event"] == "exhausted" else case["seat"]
        found = {"scores": scores, "next_dealer": next_dealer}
    assert found == expected


def test_what_is_wrong_is_refused() -> None:
    for options in ({"num_players": 5}, {"base": 0}, {"scoring": "small"}, {"zhao_extra": True}):
        with pytest.raises(ValueError):
            xx.Referee(options)
    with pytest.raises(TypeError):
        xx.Referee({"pigs": 8})
    game = xx.Referee({})
    with pytest.raises(ValueError):
        game.deal(xx.PACK[1:], 0)
    game.deal(xx.PACK, 0)
    with pytest.raises(ValueError):
        game.play("hu")


# Section 14: invariants.


def random_options(rng: random.Random, players: int) -> dict[str, Any]:
    return {
        "num_players": players,
        "scoring": rng.choice(["feng_sheng", "big_small"]),
        "zhao_extra": rng.choice(["hun", "all"]),
        "red_face_is_red": rng.random() < 0.5,
        "split_table_sentence": rng.random() < 0.5,
        "pig_points": rng.randrange(20),
        "base": rng.randrange(1, 5),
    }


def size_due(game: xx.Referee, p: int) -> int:
    """Return the number of cards in hand and melds of a seat that owes no discard."""
    return xx.HAND_SIZE + sum(meld["type"] == "zou" for meld in game.melds[p]) - game.credits[p]


def check_cards(game: xx.Referee) -> None:
    """Check every card and every hand size: invariants 1 to 3."""
    everywhere = Counter(game.stock) + Counter(card for pile in game.piles for card in pile)
    everywhere += Counter([] if game.card is None else [game.card])
    dragons: dict[int, list[tuple[str, ...]]] = {p: [] for p in range(game.n)}
    for _, p, event, laid in game.events:
        if event == "dragon":
            dragons[p].append(laid)
    for p in range(game.n):
        table = game.melds[p]
        own = game.hands[p] + cards_of(table)
        everywhere += own
        if game.phase != "over":
            assert own.total() == size_due(game, p) + (game.phase == "discard" and game.turn == p)
            assert max(game.hands[p].values(), default=0) < xx.COPIES
        kou = [meld for meld in table if xx.kou_of([meld])]
        dealt = any(xx.cards_of(meld) in dragons[p] for meld in kou)
        # The page has third_kou only; a third kou that is broken_company as well ends as that.
        third = game.pig == p and game.reason in ("third_kou", "broken_company")
        assert len(kou) <= xx.MOST_KOU or dealt or third
    assert everywhere == Counter(xx.PACK)


def check_end(game: xx.Referee) -> None:
    """Check the result: invariant 4."""
    assert game.legal() == [] and game.scores is not None and sum(game.scores) == 0
    assert game.outcome in ("hu", "pig", "exhausted")
    assert (game.winner is not None) == (game.outcome == "hu")
    assert (game.pig is not None) == (game.reason is not None) == (game.outcome == "pig")
    if game.outcome == "exhausted":
        assert game.stock == [] and game.next_dealer == game.dealer and not any(game.scores)
    if game.winner is not None:
        p = game.winner
        assert game.units is not None and game.points is not None and game.huxi is not None
        assert xx.kou_of(game.units) == xx.KOU_TO_WIN
        assert cards_of(game.units) == game.hands[p] + cards_of(game.melds[p])
        size = (game.hands[p] + cards_of(game.melds[p])).total()
        assert size == size_due(game, p) + 1
        assert game.huxi == sum(xx.meld_huxi(unit, game.options) for unit in game.units)
        assert game.scores[p] == game.points * game.options["base"] * (game.n - 1) > 0
        assert game.next_dealer == p
        lone = [sum(meld["type"] == "zou" for meld in melds) for melds in (game.melds[p], game.units)]
        assert game.credits[p] % 3 == (lone[0] - lone[1]) % 3  # section 9, at its end
    if game.pig is not None:
        assert game.next_dealer == game.pig and game.scores[game.pig] <= 0


def check_game(rng: random.Random, players: int) -> str:
    game = xx.Referee(random_options(rng, players))
    deck, dealer = rng.sample(xx.PACK, len(xx.PACK)), rng.randrange(players)
    game.deal(deck, dealer)
    stock, decisions = deck[-STOCK[players] :], 0
    check_cards(game)
    while game.phase != "over":
        legal, turn = game.legal(), game.turn
        assert turn is not None and 1 <= len(legal) <= LONGEST_LEGAL
        assert len(set(legal)) == len(legal) and (game.phase == "discard" or len(legal) > 1)
        for p in range(players):
            assert game.ban[p] is None or (game.phase == "discard" and p == turn)
        assert (game.card is None) == (game.phase == "discard")
        assert game.decision == decisions - 1
        game.play(rng.choice(legal))
        decisions += 1
        check_cards(game)
    check_end(game)
    flips = [laid[0] for _, _, event, laid in game.events if event == "flip"]
    assert flips + game.stock == stock
    numbers = [number for number, *_ in game.events]
    assert numbers == sorted(numbers) and set(numbers) <= set(range(-1, decisions))
    assert game.outcome is not None
    return game.reason or game.outcome


@pytest.mark.parametrize("players", STOCK)
def test_random_games(players: int, rotate: int) -> None:
    rng = random.Random(f"games {rotate} {players}")
    ends = {check_game(rng, players) for _ in range(RANDOM_GAMES)}
    assert {"hu", "exhausted", "broken_company"} <= ends  # the others are too rare with four players


@pytest.mark.slow
@pytest.mark.parametrize("players", STOCK)
def test_many_random_games(players: int, rotate: int) -> None:
    rng = random.Random(f"many games {rotate} {players}")
    for _ in range(SLOW_GAMES):
        check_game(rng, players)


# Section 14: statistics of random play.

OUTCOMES = ("hu", "exhausted", "pig", "broken_company", "third_kou", "no_discard")
RATE, DECISIONS, HUXI = 0.025, 0.5, 0.7  # tolerances

# Rates of the outcomes, decisions (real, with a choice), mean huxi of wins.
STATISTICS = {
    (2, False): ((0.502, 0.128, 0.370, 0.098, 0.078, 0.195), (25.09, 24.71), 18.01),
    (2, True): ((0.725, 0.080, 0.195, 0.083, 0.073, 0.038), (23.82, 23.54), 17.95),
    (3, False): ((0.164, 0.617, 0.220, 0.104, 0.055, 0.061), (28.30, 28.15), 20.36),
    (3, True): ((0.266, 0.553, 0.181, 0.100, 0.053, 0.028), (27.78, 27.65), 20.28),
    (4, False): ((0.071, 0.831, 0.099, 0.074, 0.019, 0.005), (24.07, 24.03), 16.98),
    (4, True): ((0.117, 0.791, 0.092, 0.073, 0.019, 0.000), (23.80, 23.77), 17.25),
}


def measured(
    rng: random.Random, players: int, hu_first: bool, games: int
) -> tuple[list[float], list[float], float]:
    """Return the numbers of one line of the table."""
    ends: Counter[str] = Counter()
    real = choice = huxi = 0
    for _ in range(games):
        game = shuffled_game(rng, {"num_players": players})
        while game.phase != "over":
            legal = game.legal()
            real += 1
            choice += len(legal) > 1
            game.play("hu" if hu_first and "hu" in legal else rng.choice(legal))
        assert game.outcome is not None
        ends[game.outcome] += 1
        if game.reason is not None:
            ends[game.reason] += 1
        huxi += game.huxi or 0
    rates = [ends[name] / games for name in OUTCOMES]
    return rates, [real / games, choice / games], huxi / ends["hu"]


@pytest.mark.slow
@pytest.mark.parametrize(("players", "hu_first"), STATISTICS)
def test_random_play(players: int, hu_first: bool, rotate: int) -> None:
    rng = random.Random(f"statistics {rotate} {players} {hu_first}")
    rates, decisions, huxi = measured(rng, players, hu_first, GAMES_A_LINE)
    expected = STATISTICS[players, hu_first]
    assert rates == pytest.approx(expected[0], abs=RATE)
    assert decisions == pytest.approx(expected[1], abs=DECISIONS)
    assert huxi == pytest.approx(expected[2], abs=HUXI)
