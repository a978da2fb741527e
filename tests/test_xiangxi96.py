"""Xiangxi 96: what seats see, invariants, the public face, against the rules page and the plain referee."""

from __future__ import annotations

import json
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest

import envs
from envs import record as records
from envs.core.aec import TableEnv
from envs.xiangxi96.claims import DISCARDING
from envs.xiangxi96.kinds import NUM_CARDS
from envs.xiangxi96.observation import MOST_HUXI, PIG_POINTS

from .brute import xiangxi96 as brute
from .brute.test_xiangxi96_brute import DECISIONS, HUXI, RATE, STATISTICS
from .games import (
    Options,
    in_turn,
    is_over,
    legal,
    new_table,
    options_of,
    play,
    pytest_generate_tests,  # noqa: F401 (the hook of in_turn)
)
from .xiangxi96_tables import (
    ACTIONS,
    COPIES,
    FEWER,
    HU,
    KAN,
    KINDS,
    act,
    cards,
    deal_sizes,
    deck_of,
    least_left,
    legal_names,
    owing,
    position,
    rich_deck,
    seat_of,
)

STOCK = {2: 53, 3: 32, 4: 11}

Case = dict[str, Any]


def canon(melds: list[brute.Meld]) -> list[str]:
    return sorted(map(str, melds))


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


QUICK, ALL = 250 // max(3, FEWER), 250  # decisions at which all are compared, of each set of options


@in_turn("options", options_of("xiangxi96"), ids=str)
@pytest.mark.parametrize("least", [QUICK, pytest.param(ALL, marks=pytest.mark.slow)])
def test_every_field_of_the_observation(least: int, options: Options, rotate: int) -> None:
    """Of every seat at every decision, and at the end of each game."""
    rng = np.random.default_rng([rotate, 81])
    rules = brute.DEFAULTS | options
    n = rules["num_players"]
    decisions = 0
    while decisions < least:
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


WON_OUTCOME, PIG_OUTCOME, EXHAUSTED_OUTCOME = range(3)
TABLES, GAMES_A_TABLE = 512, 60  # games of each table: its long ones count as much as its short ones


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
