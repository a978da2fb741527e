"""Search: worlds that may be, for every game; answers that depend on nothing else; strength."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations, islice
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import agents
import envs
from agents import Decisions, SearchAgent
from agents.worlds import filler
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
from training.evaluate import evaluate_against

from . import guan_pai_tables, zheng_shang_you_tables
from .games import GAMES, REDEAL_HIDDEN, Options

TABLES = 8
every_game = pytest.mark.parametrize(("game", "options"), GAMES)
each_game = pytest.mark.parametrize("game", envs.games())

VARIANTS: list[tuple[str, Options]] = [
    ("guan_pai", {}),
    ("zheng_shang_you", {}),
    ("zheng_shang_you", {"decks": 2, "cards_each": 10}),
    ("diao_xie", {"num_players": 3, "hands": 3}),
    ("diao_xie", {"betting": "limit"}),
    ("xiangxi96", {}),
    ("xiangxi96", {"num_players": 4}),
]
variants = pytest.mark.parametrize(("game", "options"), VARIANTS, ids=str)


# --- positions, worlds ------------------------------------------------------------------------------


def positions(game: str, options: Options, steps: int, seed: list[int]) -> Iterator[Any]:
    """A vector at moments of games in which every other action is random, the rest the rule player's."""
    vec, rule = envs.make_vec(game, TABLES, **options), agents.load("rule", game)
    rng = np.random.default_rng(seed)
    seen, infos = vec.reset(seed=int(rng.integers(1 << 32)))
    for step in range(steps):
        yield vec
        keys = np.full(TABLES, step, np.uint64)
        asked = Decisions(seen["observation"], seen["action_mask"], infos["seat"], keys, vec.tables())
        seen, _, _, _, infos = vec.step(np.where(rng.random(TABLES) < 0.5, rule.act(asked), vec.sample()))


def keys_of(rng: np.random.Generator, size: int) -> NDArray[np.uint64]:
    return rng.integers(1 << 64, size=size, dtype=np.uint64)


def filled(game: str, blanked: NDArray[Any], keys: NDArray[np.uint64]) -> NDArray[Any]:
    worlds = blanked.copy()
    filler(game)(worlds, keys)
    return worlds


def blank(game: str, tables: NDArray[Any], seats: NDArray[np.int64]) -> NDArray[Any]:
    blanked = tables.copy()
    get(game).loops.blank_all(blanked, seats)
    return blanked


def seen_of(vec: Any, tables: NDArray[Any]) -> tuple[NDArray[np.uint8], NDArray[np.int8]]:
    """Observations and masks of the seats to act."""
    loops = get(vec.game.name).loops
    observations = np.zeros((len(tables), vec.game.observation_size), np.uint8)
    masks = np.zeros((len(tables), vec.game.num_actions), np.int8)
    loops.look(tables, tables["turn"].astype(np.int64), observations)
    loops.legal_all(tables, masks)
    return observations, masks


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


def at_moment(game: str, options: Options, steps: int, seed: list[int]) -> Any:
    """The vector after so many steps."""
    return next(islice(positions(game, options, steps + 1, seed), steps, None))


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


# --- answers ----------------------------------------------------------------------------------------


def decisions_of(vec: Any, rng: np.random.Generator) -> Decisions:
    """What the seats to act at the tables of a vector are asked, with random keys."""
    tables = vec.tables()
    observations, masks = seen_of(vec, vec.tables(blank=False))
    return Decisions(observations, masks, tables["turn"].astype(np.int64), keys_of(rng, len(tables)), tables)


def rows(asked: Decisions, chosen: Any) -> Decisions:
    assert asked.tables is not None
    return Decisions(
        asked.observations[chosen], asked.action_masks[chosen], asked.seats[chosen], asked.keys[chosen],
        asked.tables[chosen],
    )  # fmt: skip


@variants
def test_answers_depend_on_the_decision_and_its_key_alone(game: str, options: Options, rotate: int) -> None:
    search, rng = agents.load("search:8", game), np.random.default_rng([rotate, 86])
    num_other = 0
    for steps in (4, 12):
        asked = decisions_of(at_moment(game, options, steps, [rotate, 87]), rng)
        answers = search.act(asked)
        assert asked.action_masks[np.arange(TABLES), answers].all()
        order = rng.permutation(TABLES)
        assert np.array_equal(search.act(rows(asked, order)), answers[order])
        for i in range(TABLES):
            assert search.act(rows(asked, slice(i, i + 1))) == answers[i : i + 1]
        asked.keys[:] = keys_of(rng, TABLES)
        num_other += np.count_nonzero(search.act(asked) != answers)
    assert num_other or game == "diao_xie", "keys matter"


@variants
def test_what_is_hidden_changes_neither_worlds_nor_answers(game: str, options: Options, rotate: int) -> None:
    search, rng = agents.load("search:4", game), np.random.default_rng([rotate, 88])
    for steps in (3, 10):
        vec = at_moment(game, options, steps, [rotate, 89])
        asked, others = decisions_of(vec, rng), vec.tables(blank=False)
        for t, seat in zip(others, asked.seats.tolist(), strict=True):
            deck = [vec.game.cards[card] for card in t["deck"][: len(vec.game.cards)]]
            REDEAL_HIDDEN[game](t, deck, seat, rng)
        assert others.tobytes() != vec.tables(blank=False).tobytes()
        again = blank(game, others, asked.seats)
        worlds = [filled(game, tables, asked.keys).tobytes() for tables in (asked.tables, again)]
        assert worlds[0] == worlds[1]
        changed = Decisions(asked.observations, asked.action_masks, asked.seats, asked.keys, again)
        assert np.array_equal(search.act(changed), search.act(asked))


def halving(playouts: int, worth: list[int], favourite: int, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The action chosen, by what each is worth a playout, and the rounds: (actions, first, worlds)."""
    search, played = SearchAgent("guan_pai", playouts), []

    def tried(table, candidates, key, first, worlds, sums, mask, spare):
        played.append((candidates.tolist(), first, worlds))
        sums += worlds * np.array(worth)[candidates]

    monkeypatch.setattr(search, "_try", tried)
    monkeypatch.setattr(search._rule, "act", lambda asked: np.array([favourite]))
    masks = np.zeros((1, 266), np.int8)
    masks[0, : len(worth)] = 1
    tables = get("guan_pai").new_tables(1, get("guan_pai").rules())
    asked = Decisions(
        np.zeros((1, 1), np.uint8), masks, np.zeros(1, np.int64), np.zeros(1, np.uint64), tables
    )
    return int(search.act(asked)[0]), played


def test_the_worse_half_is_dropped_after_rounds_of_fresh_worlds_of_equal_cost(monkeypatch) -> None:
    best, played = halving(32, [3, 9, 1, 7, 5], 2, monkeypatch)
    assert best == 1
    assert played == [([2, 0, 1, 3, 4], 0, 10), ([1, 3, 4], 10, 17), ([1, 3], 27, 26)]


@pytest.mark.parametrize(
    ("worth", "favourite", "best"),
    [([5, 5, 5, 5], 2, 2), ([1, 5, 5, 5], 0, 1), ([5, 6, 5, 5], 3, 1), ([5, 5], 1, 1), ([7], 0, 0)],
)
def test_ties_go_to_the_rule_player_and_then_to_the_lowest(worth, favourite, best, monkeypatch) -> None:
    assert halving(1, worth, favourite, monkeypatch)[0] == best


FROZEN = {
    "guan_pai": [110, 64, 1, 57, 50, 97, 93, 10, 56, 4, 7, 50, 12, 1, 0, 51, 12, 23],
    "zheng_shang_you": [16, 353, 65, 9, 348, 3, 0, 16, 0, 0, 0, 5, 352, 35, 13, 1, 13, 0],
    "diao_xie": [1, 2, 2, 1, 2, 1, 2, 2, 2, 2, 2, 1, 1, 2, 2, 6, 1, 2],
    "xiangxi96": [7, 5, 16, 18, 19, 12, 25, 5, 25, 26, 16, 29, 16, 16, 23, 25, 25, 22],
}
"""What ``search_v0`` answers at some moments: a yardstick does not change. Another one is ``search_v1``."""


@each_game
def test_search_v0_is_frozen(game: str) -> None:
    search, vec = agents.load("search_v0", game), envs.make_vec(game, 6, skip_forced=True)
    seen, infos = vec.reset(seed=5)
    answers: list[int] = []
    for step in range(3):
        keys = np.arange(step, step + 6, dtype=np.uint64)
        asked = Decisions(seen["observation"], seen["action_mask"], infos["seat"], keys, vec.tables())
        answers += search.act(asked).tolist()
        for _ in range(3):
            seen, _, _, _, infos = vec.step(vec.sample())
    assert answers == FROZEN[game]


# --- names ------------------------------------------------------------------------------------------


@each_game
def test_names(game: str) -> None:
    assert agents.names(game)[-2:] == ("search", "search_v0")
    newest = agents.frozen_rules(game)[-1]
    named = {name: agents.load(name, game) for name in ("search", "search:32", "search:20ms", "search_v0")}
    assert [agent.name for agent in named.values()] == [
        "search:128", "search:32", "search:20ms", f"search:128 by {newest}"
    ]  # fmt: skip
    assert [agent.is_reproducible for agent in named.values()] == [True, True, False, True]
    assert all(agent.needs_tables for agent in named.values())


@pytest.mark.parametrize(
    "name", ["search:", "search:0", "search:0ms", "search:-1", "search:1.5", "search:ms", "search:20s",
             "search:x", "search:1e3", "search:٣", "search: 5"]
)  # fmt: skip
def test_bad_numbers_say_what_is_allowed(name: str) -> None:
    with pytest.raises(ValueError, match=r"search:128, or of milliseconds a decision, as in search:20ms"):
        agents.load(name, "guan_pai")


def test_unknown_names_are_told_of_search() -> None:
    with pytest.raises(ValueError, match="search, search_v0, or the folder of a run"):
        agents.load("searching", "guan_pai")


@pytest.mark.parametrize("budget", [{"playouts": 0}, {"milliseconds": 0}, {"milliseconds": -1.0}])
def test_no_budget_is_an_error(budget: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="at least 1 playout"):
        SearchAgent("guan_pai", **budget)


def test_it_needs_tables() -> None:
    asked = decisions_of(at_moment("guan_pai", {}, 1, [0, 90]), np.random.default_rng(0))
    asked.tables = None
    with pytest.raises(ValueError, match=r"needs Decisions\.tables"):
        agents.load("search", "guan_pai").act(asked)


@each_game
def test_a_budget_of_time_gives_legal_answers(game: str) -> None:
    asked = decisions_of(at_moment(game, {}, 3, [0, 91]), np.random.default_rng(1))
    answers = agents.load("search:1ms", game).act(asked)
    assert asked.action_masks[np.arange(TABLES), answers].all()


# --- strength ---------------------------------------------------------------------------------------


def gain(search: str, opponent: str, game: str, options: Options, deals: int) -> Any:
    return evaluate_against(search, opponent, game, get(game).rules(**options), deals, seed=1)


@pytest.mark.parametrize(
    ("search", "opponent", "game", "deals", "points"),
    [
        ("search:16", "rule_v0", "guan_pai", 24, 5),
        ("search:32", "rule_v0", "zheng_shang_you", 40, 1),
        ("search:32", "rule_v0", "diao_xie", 1000, 0.02),
        ("search:8", "hu_first", "xiangxi96", 12, 1),
    ],
)
def test_alone_it_gains(search: str, opponent: str, game: str, deals: int, points: float) -> None:
    found = gain(search, opponent, game, {}, deals)
    assert found.points.mean > points and found.points.low > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "options", "deals", "points"),
    [
        ("guan_pai", {}, 150, 10),
        ("zheng_shang_you", {}, 100, 2.5),
        ("zheng_shang_you", {"decks": 2}, 30, 4),
        ("diao_xie", {}, 4000, 0.05),
        ("diao_xie", {"num_players": 3}, 4000, 0.08),
        ("diao_xie", {"num_players": 5}, 4000, 0.03),
        ("diao_xie", {"betting": "limit"}, 4000, 0.08),
    ],
    ids=str,
)
def test_alone_it_beats_rule_v0(game: str, options: Options, deals: int, points: float) -> None:
    found = gain("search", "rule_v0", game, options, deals)
    assert found.points.mean > points and found.points.low > 0
