"""Worlds that a seat may be in, for every game: they may be, and are told by nothing hidden."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import agents
import envs
from agents import Decisions
from envs.core.batch import sample
from envs.core.game import get
from envs.diao_xie.hands import NUM_CARDS as DIAO_XIE_CARDS
from envs.guan_pai import text as guan_pai_text
from envs.guan_pai.actions import ACTIONS, LEAD, MOST_OF_RANK, RANKS
from envs.xiangxi96.kinds import COPIES, NUM_KINDS
from envs.xiangxi96.melds import UNKNOWN
from envs.xiangxi96.shapes import KAN
from envs.xiangxi96.win import find_wins
from envs.zheng_shang_you import text as zheng_shang_you_text

from . import guan_pai_tables, zheng_shang_you_tables
from .games import Options
from .moments import TABLES, at_moment, blank, every_game, filled, keys_of, positions, seen_of

# --- what a world of each game has to be: from the words of the rules -------------------------------


def check_guan_pai(t: Any, seat: int) -> None:
    hands = [guan_pai_text.hand(t, who) for who in range(3)]
    again = t.copy()
    for who, hand in enumerate(hands):
        guan_pai_tables.give(again, who, hand)
    assert again == t, "ranks, suits, lanes, sizes of the hands go together"
    cards = Counter(card for hand in hands for card in hand)
    assert max(cards.values()) == 1
    out_of_play = MOST_OF_RANK - t["gone"] - t["hand"].sum(axis=0)
    assert (out_of_play >= 0).all() and out_of_play.sum() == 48 - 3 * t["cards_each"]
    leader = int(t["leader"])
    if t["cards_each"] == 16 and not t["played"][leader] & 1:  # it was dealt 3D and has played no three
        assert "3D" in hands[leader]
    assert t["breach"] == breaks_duty(t, seat)


def breaks_duty(t: Any, seat: int) -> bool:
    """Whether the turn before, by the hand that it left, broke the top-card duty (section 6)."""
    if t["left"][seat] > 1 or t["plays"] == 0:
        return False
    to_beat, before = ACTIONS[t["last"]], (seat - 1) % 3
    shown = RANKS[to_beat.key] if to_beat.kind == "single" else ""
    if t["last"] == LEAD:  # all have passed on the own play
        own = guan_pai_text.ranks_of([rank + "S" for rank in ranks_in(int(t["latest"][seat]))])
        shown = own if len(own) == 1 else ""
    highest = guan_pai_text.hand(t, before)[-1][0]
    return shown != "" and RANKS.index(highest) > RANKS.index(shown)


def ranks_in(lanes: int) -> str:
    return "".join(RANKS[place % 13] for place in range(52) if lanes >> place & 1)


def check_zheng_shang_you(t: Any, seat: int) -> None:
    hands = [zheng_shang_you_text.hand(t, who) for who in range(4)]
    again = t.copy()
    for who, hand in enumerate(hands):
        zheng_shang_you_tables.give(again, who, hand)
    assert again == t, "ranks, cards, lanes, live cards, sizes of the hands go together"
    decks = int(t["decks"]) + 1
    pack = Counter(zheng_shang_you_tables.brute.pack(decks))
    played = [zheng_shang_you_text.cards_in(words) for words in t["played"].tolist()]
    known = Counter(card for cards in [*hands, *played] for card in cards)
    assert known <= pack and sum(known.values()) == 4 * t["cards_each"]
    leader = int(t["leader"])
    if t["cards_each"] == (13, 27)[decks - 1]:
        assert "3S" in hands[leader] + played[leader]


def check_diao_xie(t: Any, seat: int) -> None:
    n = int(t["num_players"])
    decks = t["deck"].reshape(-1, DIAO_XIE_CARDS)[t["hand"] : t["hands"]]
    assert (np.sort(decks) == np.arange(DIAO_XIE_CARDS)).all()
    assert (t["cards"][:n] == np.sort(decks[0][: 2 * n].reshape(n, 2))).all()


def check_xiangxi96(t: Any, seat: int) -> None:
    n, stock = int(t["num_players"]), t["deck"][t["dealt"] :]
    assert (t["hand"][:n].sum(axis=1) == t["held"][:n]).all() and t["hand"].max() <= KAN
    flips = np.bincount(stock // COPIES, minlength=NUM_KINDS)
    assert (t["hand"][:n].sum(axis=0) + t["shown"] + flips == COPIES).all()
    assert len(set(stock.tolist())) == len(stock)
    for who in set(range(n)) - {seat}:
        wins = t["wins"][who].tolist()
        again = np.array([t])
        again["wins"][0, who] = UNKNOWN
        find_wins(again[0], who)
        assert again["wins"][0, who].tolist() == wins
        assert all(t["hand"][who, kind] < 2 for kind in not_held_twice(t, who))


def not_held_twice(t: Any, who: int) -> set[int]:
    """Kinds of which a card came up that made no three or four of a kind: ``who`` had no two of it."""
    events = [(event // 512, event % 128 // 4) for event in t["events"][: t["num_events"]].tolist()]
    kinds = set()
    for i, (event, kind) in enumerate(events):
        following = events[i + 1] if i + 1 < len(events) else None
        is_open = following is None and t["phase"] == 1 and t["card"] == kind
        if event == 0 and following not in [(took, kind) for took in (2, 3, 4, 5)] and not is_open:
            kinds.add(kind)
    if t["num_players"] == 4:  # discards come up too, for all but who threw them
        owners = [owner for owner in range(4) if owner != who]
        kinds |= set(np.flatnonzero(t["piles"][owners].any(axis=0)).tolist())
    return kinds


CHECKS: dict[str, Callable[[Any, int], None]] = {
    "guan_pai": check_guan_pai,
    "zheng_shang_you": check_zheng_shang_you,
    "diao_xie": check_diao_xie,
    "xiangxi96": check_xiangxi96,
}


def played_out(vec: Any, worlds: NDArray[Any], keys: NDArray[np.uint64]) -> NDArray[Any]:
    """The worlds after random legal actions to the end."""
    loops, tables, keys = get(vec.game.name).loops, worlds.copy(), keys.copy()
    masks, actions = np.zeros((len(tables), vec.game.num_actions), np.int8), np.zeros(len(tables), np.int64)
    for _ in range(vec.game.max_decisions):
        loops.legal_all(tables, masks)
        sample(masks, keys, actions)
        for i in np.flatnonzero(tables["over"] == 0):
            assert actions[i] >= 0, "a live table has a legal action"
            loops.play_one(tables[i : i + 1], actions[i])
    return tables


def check_worlds(game: str, options: Options, steps: int, seed: list[int]) -> None:
    rng, hands = np.random.default_rng([*seed, 1]), "cards" if game == "diao_xie" else "hand"
    num_new = 0
    for vec in positions(game, options, steps, seed):
        true = vec.tables(blank=False)
        seats = true["turn"].astype(np.int64)
        blanked = blank(game, true, seats)
        worlds = filled(game, blanked, keys_of(rng, TABLES))
        assert blank(game, worlds, seats).tobytes() == blanked.tobytes(), "what was seen has been moved"
        for was, now in zip(seen_of(vec, true), seen_of(vec, worlds), strict=True):
            assert np.array_equal(was, now)
        for real, world, seat in zip(true, worlds, seats.tolist(), strict=True):
            CHECKS[game](real, seat)  # what is checked holds in games
            CHECKS[game](world, seat)
        ends = played_out(vec, worlds, keys_of(rng, TABLES))
        assert (ends["over"] == 1).all() and (ends["score"].sum(axis=1) == 0).all()
        assert (worlds["chance"] != true["chance"]).all()
        num_new += np.count_nonzero(worlds[hands] != true[hands])
    assert num_new


@every_game
def test_worlds_are_what_may_be(game: str, options: Options, rotate: int) -> None:
    check_worlds(game, options, steps=20, seed=[rotate, 80])


@pytest.mark.slow
@every_game
def test_many_worlds_are_what_may_be(game: str, options: Options, rotate: int) -> None:
    check_worlds(game, options, steps=600, seed=[rotate, 81])


# --- dealt uniformly, told by nothing hidden --------------------------------------------------------


def landed(game: str, worlds: NDArray[Any], seat: int) -> list[NDArray[np.int64]]:
    """How many of each card the other seats hold, (N, seats, cards); all seats in Diao Xie's next hand."""
    if game == "guan_pai":
        held = worlds["suits"][..., None] >> np.arange(4) & 1
    elif game == "zheng_shang_you":
        held = (worlds["cards"][..., None] >> np.arange(54) & 1).sum(axis=2)
    else:
        held = (worlds["cards"][..., None] == np.arange(DIAO_XIE_CARDS)).sum(axis=2)
    others = np.delete(held.reshape(len(worlds), held.shape[1], -1), seat, axis=1)
    if game != "diao_xie":
        return [others]
    n = int(worlds["num_players"][0])
    decks = worlds["deck"].reshape(len(worlds), -1, DIAO_XIE_CARDS)
    soon = decks[:, worlds["hand"][0] + 1, : 2 * n].reshape(len(worlds), n, 2, 1)
    return [others[:, : n - 1], (soon == np.arange(DIAO_XIE_CARDS)).sum(axis=2)]


UNIFORM: list[tuple[str, Options, int]] = [
    ("guan_pai", {}, 1),
    ("guan_pai", {}, 9),
    ("guan_pai", {"cards_each": 9}, 5),
    ("zheng_shang_you", {}, 15),
    ("zheng_shang_you", {"decks": 2}, 10),
    ("zheng_shang_you", {"decks": 2, "cards_each": 10}, 5),
    ("diao_xie", {"num_players": 3, "hands": 8}, 0),  # before anybody has done anything
]


@pytest.mark.parametrize(("game", "options", "steps"), UNIFORM, ids=str)
def test_unseen_cards_land_anywhere_alike(game: str, options: Options, steps: int) -> None:
    """How often a seat has a card, in 3,000 worlds at each of some tables: as often as by chance."""
    n, vec, scores = 3000, at_moment(game, options, steps, [0, 82]), []
    for number, blanked in enumerate(vec.tables()):
        keys = keys_of(np.random.default_rng([number, 83]), n)
        worlds = filled(game, np.repeat(np.array([blanked]), n), keys)
        for held in landed(game, worlds, int(blanked["turn"])):
            unseen = held.sum(axis=1).max(axis=0)
            sizes, tested = held[0].sum(axis=1), unseen > 0
            for seat, card in np.argwhere((held > 0).all(axis=0)):  # the leader's three stays with it
                sizes[seat] -= 1
                unseen[card] -= 1
                tested[card] = False
            total, copies = unseen.sum(), unseen[tested]
            chance = (sizes / total)[:, None]
            variance = n * copies * chance * (1 - chance) * (total - copies) / (total - 1)
            often = held.sum(axis=0)[:, tested]
            scores.append(((often - n * copies * chance) / np.sqrt(variance)).ravel())
    together = np.concatenate(scores)  # normally distributed, nearly
    assert np.abs(together).max() < 5 and 0.8 < np.mean(together**2) < 1.2


@pytest.mark.parametrize(("options", "steps"), [({}, 1), ({}, 5), ({"num_players": 4}, 9)], ids=str)
def test_unseen_cards_of_xiangxi96_land_as_by_dealing_again_and_again(options: Options, steps: int) -> None:
    """Against shuffles of which those are kept that may be: how many of a kind a seat holds."""
    n, vec, worst, num_tested = 1500, at_moment("xiangxi96", options, steps, [0, 84]), 1.0, 0
    rng = np.random.default_rng(85)
    for t in vec.tables()[:3]:
        seat, num_players = int(t["turn"]), int(t["num_players"])
        others = [who for who in range(num_players) if who != seat]
        worlds = filled("xiangxi96", np.repeat(np.array([t]), n), keys_of(rng, n))
        most = np.full((len(others), NUM_KINDS), KAN)
        for i, who in enumerate(others):
            most[i, list(not_held_twice(t, who))] = 1
        ends = np.cumsum(t["held"][others])
        kinds = np.repeat(np.arange(NUM_KINDS), COPIES - t["shown"] - t["hand"][seat])
        kept: list[NDArray[np.int64]] = []
        while len(kept) < n:
            parts = np.split(rng.permutation(kinds), ends)[:-1]
            dealt = np.array([np.bincount(part, minlength=NUM_KINDS) for part in parts])
            if (dealt <= most).all():
                kept.append(dealt)
        for i, who in enumerate(others):
            for kind in range(NUM_KINDS):
                counts = worlds["hand"][:, who, kind], np.array(kept)[:, i, kind]
                both = np.array([np.bincount(c, minlength=KAN + 1) for c in counts])
                both = both[:, both.sum(axis=0) > 10]
                if both.shape[1] > 1:
                    worst = min(worst, stats.chi2_contingency(both).pvalue)
                    num_tested += 1
    assert num_tested > 50 and worst > 0.001 / num_tested


@pytest.mark.parametrize("options", [{"num_players": 3}, {"num_players": 4}, {"betting": "limit"}], ids=str)
def test_in_diao_xie_others_hold_what_they_do_such_things_with(options: Options, rotate: int) -> None:
    """The head holds a hand with which the rule player would have done the same, or has slipped: 1 in 16."""
    n, slip, vec, rng = 2000, 1 / 16, envs.make_vec("diao_xie", 16, **options), np.random.default_rng(86)
    vec.reset(seed=rotate)
    before = vec.tables()
    actions = vec.sample().copy()
    vec.step(actions)
    told = 0
    for start, after, action in zip(before, vec.tables(), actions, strict=True):
        if after["acted"] != 1:
            continue  # that was the end
        head, own = int(start["turn"]), after["cards"][after["turn"]].tolist()
        rest = [card for card in range(DIAO_XIE_CARDS) if card not in own]
        hands = np.array(list(combinations(rest, 2)))
        might = does(start, head, hands) == action
        expected = might.mean() / (might.mean() + slip * (1 - might.mean()))
        worlds = filled("diao_xie", np.repeat(np.array([after]), n), keys_of(rng, n))
        found = (does(start, head, worlds["cards"][:, head]) == action).mean()
        assert abs(found - expected) <= 5 * np.sqrt(expected * (1 - expected) / n)
        told += 0 < might.mean() < 1
    assert told


def does(start: Any, seat: int, hands: NDArray[Any]) -> NDArray[np.int64]:
    """What the rule player does at a table with each of the hands (N, 2)."""
    tables = np.repeat(np.array([start]), len(hands))
    tables["cards"][:, seat] = hands
    masks = np.zeros((len(hands), len(get("diao_xie").info(get("diao_xie").rules()).action_names)), np.int8)
    get("diao_xie").loops.legal_all(tables, masks)
    none = np.zeros((len(hands), 1), np.uint8)
    return agents.load("rule_v0", "diao_xie").act(
        Decisions(none, masks, np.full(len(hands), seat), np.zeros(len(hands), np.uint64), tables)
    )
