"""The Xiangxi 96 engine and the plain referee play the same games, step by step."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

from envs.core.aec import TableEnv
from envs.xiangxi96.claims import DISCARDING
from envs.xiangxi96.win import find_wins

from .brute import xiangxi96 as brute
from .games import Options, is_over, new_table, options_of
from .xiangxi96_tables import (
    ACTIONS,
    FEWER,
    KINDS,
    PHASES,
    PLAYERS,
    counts,
    dragon_deck,
    names,
    opening_deck,
    ready_deck,
    rich_deck,
)

QUICK, ALL = 200 // max(3, FEWER), 2_000  # games of each player count
SCORINGS = ("feng_sheng", "big_small")

DECKS: dict[str, Callable[[np.random.Generator, int], list[str]]] = {
    "plain": lambda rng, n: rng.permutation(brute.PACK).tolist(),
    "rich": rich_deck,
    "dragons": dragon_deck,
    "opening": opening_deck,
    "any": lambda rng, n: ready_deck(rng, n, "any"),
    "su": lambda rng, n: ready_deck(rng, n, "su"),
    "bao zhu": lambda rng, n: ready_deck(rng, n, "bao zhu"),
    "other": lambda rng, n: ready_deck(rng, n, "any", winner=n - 1),
}
"""How a deck is stacked; in every other game it is plain."""
TASTES = ("even", "keen", "patient", "wild")
"""How actions are chosen: all but "wild" take every hu, "keen" seldom passes, "patient" mostly does."""

SEEN = """
    pass chi_hand chi_table tie chi_passed tie_passed hu_passed hu_passed_then_forced two_ways
    tie_ban tie_of_barred broken
    dragon_zou dragon_ban dragon_man dragon_shuang three_dealt_halves
    zou_zou zou_ban zou_man zou_shuang man_of_mouth shao_to_four half_to_shuang four_of_other
    shao peng forced_chi_hand forced_chi_table forced_chi_half credit opening_credit two_credits
    exhausted broken_company third_kou no_discard
    hu_own hu_other hu_su hu_bao_zhu hu_with_four hu_with_mouth_filled hu_with_triple
"""
SEEN_WHERE_MELDS_ARE_MANY = " hu_with_split"  # with two or three players
SEEN_WITH_DISCARDS = " discard_zou discard_peng discard_chi_hand discard_chi_table discard_tie discard_hu"
"""What has to happen in the long run: every action, every way to claim, to win and to lose.

Not chi_half as a choice: a ban-zhao has all four of a kind that chi_hand would need.
"""


def canon(melds: list[brute.Meld]) -> list[str]:
    """Melds in an order that does not depend on when they were laid."""
    return sorted(str(sorted(meld.items())) for meld in melds)


class Where(NamedTuple):
    """Which game it is, and the table, written only when something is wrong there."""

    game: str
    env: TableEnv

    def __str__(self) -> str:
        return f"{self.game}\n{self.env.text()}"


def same_state(env: TableEnv, referee: brute.Referee, where: Where) -> None:
    """All that a record says is what the referee says."""
    t = env._tables[0]
    for seat in range(referee.n):
        melds = referee.melds[seat]
        assert env.hand(seat) == brute.in_order(referee.hands[seat].elements()), where
        assert t["held"][seat] == len(env.hand(seat)), where
        assert canon(env.melds(seat)) == canon(melds), where
        assert t["worth"][seat] == sum(brute.meld_huxi(meld, referee.options) for meld in melds), where
        assert t["kou"][seat] == brute.kou_of(melds) and t["credit"][seat] == referee.credits[seat], where
        for field in ("thrown", "passed_chi", "broken"):
            assert names(t, field, seat) == getattr(referee, field)[seat], f"{field}: {where}"
        ban = None if t["ban"][seat] < 0 else KINDS[t["ban"][seat]]
        assert ban == referee.ban[seat], where
        assert t["piles"][seat].tolist() == counts(referee.piles[seat]), where
    assert (None if t["card"] < 0 else KINDS[t["card"]]) == referee.card, where
    assert env.deck()[t["dealt"] :] == referee.stock, where
    melds = [card for own in referee.melds for meld in own for card in brute.cards_of(meld)]
    shown = [*melds, *(card for pile in referee.piles for card in pile)]
    assert t["shown"].tolist() == counts([*shown, *([] if referee.card is None else [referee.card])]), where
    if referee.phase != "over":
        assert t["phase"] == PHASES[referee.phase], where
        same_wins(env, where)
    if referee.card is not None:
        assert (t["owner"], t["is_flip"]) == (referee.owner, referee.source == "flip"), where


def same_wins(env: TableEnv, where: Where) -> None:
    """The kinds that win which the record remembers are right, but for the seat that has to discard."""
    again = env._tables.copy()
    t = again[0]
    for seat in range(env.game.num_players):
        if t["phase"] != DISCARDING or t["turn"] != seat:
            find_wins(t, np.int64(seat))
    assert np.array_equal(t["wins"], env._tables[0]["wins"]), where


def same_end(env: TableEnv, referee: brute.Referee, where: Where) -> None:
    """The end is told alike by the scores, the infos, the record and the referee."""
    record, info = env.record(), env.infos["player_0"]
    assert env.scores() == record["scores"] == referee.scores, where
    assert env.game.min_utility <= min(env.scores()) and max(env.scores()) <= env.game.max_utility
    assert list(env.rewards.values()) == referee.scores, where
    for told in (info, record):
        for name in ("outcome", "winner", "next_dealer"):
            assert told[name] == getattr(referee, name), where
        for name in ("huxi", "points", "pig", "reason"):
            assert told.get(name) == getattr(referee, name), where
    assert record["dealer"] == referee.dealer and record["decks"] == [env.deck()]
    assert env.events() == referee.events, where
    assert json.loads(json.dumps(record)) == record, where
    same_stats(env, referee, where)
    if referee.winner is None:
        assert "units" not in info
        return
    units, own = info["units"], env.hand(referee.winner)
    assert [brute.meld_huxi(unit, referee.options) for unit in units] == info["unit_huxi"], where
    assert sum(info["unit_huxi"]) == info["huxi"] and brute.kou_of(units) == brute.KOU_TO_WIN, where
    table = [card for meld in env.melds(referee.winner) for card in brute.cards_of(meld)]
    assert counts(card for unit in units for card in brute.cards_of(unit)) == counts(own + table), where


OUTCOMES = ("hu", "pig", "exhausted")
REASONS = (None, "broken_company", "third_kou", "no_discard")


def same_stats(env: TableEnv, referee: brute.Referee, where: Where) -> None:
    """What a vector would tell of the finished game."""
    found = np.zeros(len(env.game.stats), np.int64)
    env._game.kernels["stats"](env._tables[0], found)
    assert dict(zip(env.game.stats, found.tolist(), strict=True)) == {
        "decisions": referee.decision + 1,
        "winner": -1 if referee.winner is None else referee.winner,
        "outcome": OUTCOMES.index(str(referee.outcome)),
        "huxi": referee.huxi or 0,
        "points": referee.points or 0,
        "pig": -1 if referee.pig is None else referee.pig,
        "reason": REASONS.index(referee.reason),
        "flips": sum(event == "flip" for _, _, event, _ in referee.events),
    }, where


# --- what was seen ----------------------------------------------------------------------------------


def note_decision(seen: Counter[str], referee: brute.Referee, action: str) -> None:
    """Count what is remarkable in a decision that is about to be made."""
    seat, legal, card = referee.turn, referee.legal(), referee.card
    assert seat is not None
    if referee.phase == "discard":
        seen["tie_ban"] += referee.ban[seat] in brute.legal_discards(referee.hands[seat])
        seen["broken"] += bool(brute.broken_by(referee.hands[seat], action))
        return
    assert card is not None
    seen[action] += action != "hu"
    seen["two_ways"] += "pass" not in legal
    seen[f"{referee.phase}_passed"] += action == "pass"
    if action == "pass":
        seen["hu_passed_then_forced"] += referee.phase == "hu" and len(referee.offers[-1][1]) == 1
    elif referee.source == "discard":
        seen["discard_" + action] += 1
    seen["tie_of_barred"] += action == "tie" and card in referee.thrown[seat] | referee.passed_chi[seat]


def note_win(seen: Counter[str], melds: list[brute.Meld], win: brute.Win, own: bool) -> None:
    """Count how a win is made of what was on the table before."""
    table = Counter(
        canon([meld | {"type": brute.NAME_IN_A_CUT.get(meld["type"], meld["type"])} for meld in melds])
    )
    cut = Counter(canon(win["units"]))
    lost, new = str(list(table - cut)), str(list(cut - table))
    has_four = "'own'" in new
    seen["hu_own" if own else "hu_other"] += 1
    seen["hu_su"] += win["su"]
    seen["hu_bao_zhu"] += win["baozhu"]
    seen["hu_with_four"] += has_four
    seen["hu_with_triple"] += "shao" in new or "peng" in new
    seen["hu_with_mouth_filled"] += "'kou'" in lost and not has_four
    seen["hu_with_split"] += "'ju'" in lost


def note_change(seen: Counter[str], before: list[brute.Meld], after: list[brute.Meld]) -> None:
    """Count what became of melds of a seat."""
    gone = [meld for meld in before if meld not in after]
    for meld in [meld for meld in after if meld not in before]:
        of_group = set(brute.GROUP_OF[brute.cards_of(meld)[0]])
        lost = {one["type"] for one in gone if set(brute.cards_of(one)) <= of_group}
        seen["man_of_mouth"] += meld["type"] == "man" and "tie" in lost
        seen["half_to_shuang"] += meld["type"] == "shuang" and "ban" in lost
        seen["shao_to_four"] += "with" in meld and "shao" in lost


def note_events(
    seen: Counter[str],
    referee: brute.Referee,
    claimed: bool,
    events: list[tuple[int, int, str, tuple[str, ...]]],
) -> None:
    """Count what has happened by itself after a decision; ``claimed``: a discard was on offer."""
    flipper, halves = None, Counter[int]()
    for number, (_, seat, event, laid) in enumerate(events):
        name = event
        if event in ("dragon", "zou"):
            seen[event] += 1
            fours = sum(count == brute.COPIES for count in Counter(laid).values())
            name = f"{event}_{'shuang' if fours == 2 else ('zou', 'ban', 'man')[len(laid) - brute.COPIES]}"
            seen["four_of_other"] += event == "zou" and flipper not in (None, seat)
            halves[seat] += name == "dragon_ban"
        elif event == "pig":
            name = str(referee.reason)
        elif event.startswith("chi"):
            name = "forced_" + event
        seen[name] += 1
        seen["discard_" + event] += claimed and number == 0
        flipper = seat if event == "flip" else flipper
    seen["three_dealt_halves"] += max(halves.values(), default=0) >= brute.MOST_KOU + 1


# --- in lockstep ------------------------------------------------------------------------------------


def choose(rng: np.random.Generator, legal: list[str], taste: str) -> str:
    """A random action; see ``TASTES``."""
    if "hu" in legal:
        return "hu" if taste != "wild" or rng.random() < 0.2 else "pass"
    if "pass" in legal and taste in ("keen", "patient") and rng.random() < 0.8:
        return "pass" if taste == "patient" else legal[0]
    return str(rng.choice(legal))


def start(rng: np.random.Generator, kind: str, options: Options) -> tuple[TableEnv, brute.Referee]:
    """A table and a referee with the same deck and dealer."""
    n = options["num_players"]
    referee = brute.Referee(options)
    while referee.phase == "over":  # now and then the deal ends the game
        deck, dealer = DECKS[kind](rng, n), int(rng.integers(n))
        referee.deal(deck, dealer)
    return new_table("xiangxi96", options, deck=deck, dealer=dealer), referee


def play_in_lockstep(number: int, kind: str, taste: str, options: Options) -> Counter[str]:
    """Play one game on both, and the engine under the other scoring as well; what was seen."""
    rng, seen = np.random.default_rng([number, 70]), Counter[str]()
    env, referee = start(rng, kind, options)
    where = Where(f"game {number} ({kind}, {taste}) under {options}", env)
    other_options = options | {"scoring": SCORINGS[1 - SCORINGS.index(options["scoring"])]}
    other = new_table("xiangxi96", other_options, deck=env.deck(), dealer=referee.dealer)
    wins: list[brute.Win | None] = [None, None]
    note_events(seen, referee, False, referee.events)
    seen["opening_credit"] += any(event == "credit" for _, _, event, _ in referee.events)
    while referee.phase != "over":
        same_state(env, referee, where)
        assert env.agent_selection == other.agent_selection == f"player_{referee.turn}", where
        legal, mask = referee.legal(), env.infos[env.agent_selection]["action_mask"]
        assert {ACTIONS[action] for action in np.flatnonzero(mask)} == set(legal), where
        assert np.array_equal(mask, other.infos[other.agent_selection]["action_mask"]), where
        action = choose(rng, legal, taste)
        note_decision(seen, referee, action)
        if action == "hu":
            seat, card = referee.turn, referee.card
            own = referee.source == "flip" and referee.owner == seat
            position = (referee.hands[seat], referee.melds[seat], card, own)
            wins = [brute.best_win(*position, rules) for rules in (options, other_options)]
            note_win(seen, referee.melds[seat], wins[0], own)
        before, num_events = [list(melds) for melds in referee.melds], len(referee.events)
        claimed = referee.n == 4 and (referee.phase == "discard" or referee.source == "discard")
        for one in (env, other):
            one.step(ACTIONS.index(action))
        referee.play(action)
        note_events(seen, referee, claimed, referee.events[num_events:])
        for melds, then in zip(before, referee.melds, strict=True):
            note_change(seen, melds, then)
    same_state(env, referee, where)
    assert is_over(env) and is_over(other)
    same_end(env, referee, where)
    seat = referee.winner if referee.pig is None else referee.pig
    points = wins[1]["points"] if wins[1] else 0
    assert other.scores() == brute.payment(referee.outcome, seat, points, other_options), where
    assert [other.infos["player_0"].get(name) for name in ("points", "huxi")] == [
        wins[1] and wins[1][name] for name in ("points", "huxi")
    ], where
    seen["two_credits"] += sum(event == "credit" for _, _, event, _ in referee.events) >= 2
    return seen


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("games", [QUICK, pytest.param(ALL, marks=pytest.mark.slow)])
def test_engine_and_referee_agree(games: int, players: int, rotate: int) -> None:
    seen: Counter[str] = Counter()
    every_options = [brute.DEFAULTS | options for options in options_of("xiangxi96")]
    kinds = [name for kind in DECKS for name in (kind, "plain")]
    for number in range(rotate * QUICK, rotate * QUICK + games):
        options = every_options[number % len(every_options)] | {"num_players": players}
        kind, taste = kinds[number % len(kinds)], TASTES[number // len(kinds) % len(TASTES)]
        seen += play_in_lockstep(number, kind, taste, options)
    more = SEEN_WITH_DISCARDS if players == 4 else SEEN_WHERE_MELDS_ARE_MANY
    expected = (SEEN + more).split()
    print(f"{games} games of {players}", {what: seen[what] for what in expected}, sep="\n")
    assert seen["peng"] and seen["forced_chi_hand"]
    assert games < ALL or not [what for what in expected if not seen[what]]
