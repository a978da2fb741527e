"""The exact solution of Diao Xie: its numbers (rules, section 10), its files, its command lines."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
import torch
from scipy.optimize import linprog
from scipy.sparse import block_array, csr_array, eye_array
from torch import nn

import agents
import envs
from agents.base import Agent, Decisions
from agents.network import NetworkAgent, mlp
from agents.tabular import FACTS_FILE, TABLE_FILE, TabularAgent
from envs.core.game import get
from envs.diao_xie.actions import CALL, CARRY, EAT, FOLD, NAMES, NO_CARRY, NUM_ACTIONS, RAISE, TOUCH
from envs.diao_xie.hands import CATEGORY, HAND_TYPE, HAND_TYPES, HANDS, PACK, PAIR
from envs.diao_xie.rules import DiaoXieRules
from training import cfr_run, exploit, external_sampling, selfplay
from training.betting_tree import betting_of, count_deals, grow, tree_of
from training.cfr import CFRPlus, SampledCFR
from training.evaluate import evaluate_against
from training.exploitability import (
    Exploitability,
    _deck_with,
    best_response,
    exploitability,
    information_sets,
)

from .brute.diao_xie import Referee

GAME = "diao_xie"
DEFAULT = DiaoXieRules()
LIMIT = DiaoXieRules(betting="limit")
THREE = DiaoXieRules(num_players=3)
COLUMNS = [  # fold_penalty / counter_carry, as in section 10
    DEFAULT,
    DiaoXieRules(fold_penalty=False),
    DiaoXieRules(counter_carry=True),
    DiaoXieRules(fold_penalty=False, counter_carry=True),
]
HEADS_VALUE = dict(
    zip([*COLUMNS, LIMIT], [-0.2524954, -0.2517945, -0.1264666, -0.1424802, -0.0639518], strict=True)
)
CATEGORY_OF = np.array(
    [next(CATEGORY[h] for h in HANDS if HAND_TYPE[h] == t) for t in range(len(HAND_TYPES))]
)


def changed(rules: object) -> str:
    """Rules (or options) as a short name of a test."""
    options = rules.as_dict() if isinstance(rules, DiaoXieRules) else rules
    default = DEFAULT.as_dict()
    return (
        ",".join(f"{name}={value}" for name, value in options.items() if value != default[name]) or "default"
    )


def fixed_policy(rules: DiaoXieRules, name: str) -> np.ndarray:
    """One of the policies of section 10, (D, 151, A)."""
    legal = tree_of(rules).legal
    policy = np.zeros((len(legal), len(HAND_TYPES), NUM_ACTIONS))
    for point, can in enumerate(legal):
        if name == "uniform":
            policy[point] = can / can.sum()
        elif can[NO_CARRY]:
            policy[point, :, NO_CARRY] = 1
        elif name == "fold unless pair":
            policy[point, np.arange(len(HAND_TYPES)), np.where(CATEGORY_OF >= PAIR, EAT, FOLD)] = 1
        else:
            wishes = {
                "eat": [EAT], "touch1": [TOUCH], "carry or eat": [CARRY, EAT], "fold": [FOLD],
                "call": [CALL], "raise": [RAISE, CALL], "fold or check": [FOLD, CALL],
            }  # fmt: skip
            policy[point, :, next(action for action in wishes[name] if can[action])] = 1
    return policy


def measured(rules: DiaoXieRules, name: str) -> Exploitability:
    return best_response(betting_of(rules), fixed_policy(rules, name))


# --- the tree and the deals ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "points", "ends"),
    [
        ({}, 3, 9), ({"counter_carry": True}, 9, 15),
        ({"num_players": 3}, 23, 91), ({"num_players": 3, "counter_carry": True}, 95, 163),
        ({"num_players": 4}, 207, 1033), ({"num_players": 4, "counter_carry": True}, 1067, 1893),
        ({"num_players": 5}, 2334, 14001), ({"betting": "limit"}, 8, 13),
    ],
)  # fmt: skip
def test_the_tree_has_the_lines_of_the_rules_page(options, points, ends):
    tree = tree_of(DiaoXieRules(**options))
    assert (len(tree.lines), len(tree.ends)) == (points, ends)
    assert len(set(tree.lines)) == points and len(set(tree.ends)) == ends


def test_several_hands_are_no_tree_of_lines():
    with pytest.raises(ValueError, match="leave out hands=2"):
        tree_of(DiaoXieRules(hands=2))
    with pytest.raises(ValueError, match="2 or 3 players, not 4"):
        betting_of(DiaoXieRules(num_players=4))


def test_card_removal_counts_every_deal_once():
    types = HAND_TYPE[tuple(np.array(HANDS).T)]
    apart = np.array([[not {*a} & {*b} for b in HANDS] for a in HANDS])
    of_type = (types == np.arange(len(HAND_TYPES))[:, None]).astype(np.float32)
    pairs = of_type @ apart @ of_type.T
    assert (count_deals(2) == pairs).all() and pairs.sum() == 496 * 435
    triples = count_deals(3)
    assert triples.sum(dtype=np.float64) == 496 * 435 * 378
    assert (triples == triples.transpose(2, 0, 1)).all() and (triples == triples.transpose(1, 0, 2)).all()
    for a in (0, 16, 20, 150):
        left = [apart & apart[own] & apart[own][:, None] for own in np.flatnonzero(types == a)]
        assert (triples[a] == sum(of_type @ both @ of_type.T for both in left)).all()


ALL_OPTIONS = [
    DiaoXieRules(num_players=n, counter_carry=c, fold_penalty=f, supreme_bonus=s, base=1 + 4 * s)
    for n, c, f, s in product((2, 3), *[(False, True)] * 3)
] + [LIMIT, DiaoXieRules(num_players=3, betting="limit")]


@pytest.mark.parametrize("rules", ALL_OPTIONS, ids=changed)
def test_settlements_by_kind_are_those_of_random_deals(rules, rotate):
    rng = np.random.default_rng([rotate, rules.num_players])
    decks = np.array([rng.permutation(len(PACK)) for _ in range(2000)])
    decks[:50] = [_deck_with((31, 1), k % rules.num_players) for k in range(50)]  # X 3H
    assert PACK[31] == "X" and PACK[1] == "3H"
    for deck in decks[:50]:
        deck[2 * rules.num_players :] = rng.permutation(deck[2 * rules.num_players :])
    types = [HAND_TYPE[decks[:, 2 * seat], decks[:, 2 * seat + 1]] for seat in range(rules.num_players)]
    betting, played = betting_of(rules), grow(rules, decks)
    assert played.ends == betting.tree.ends
    kinds = betting.kinds[tuple(types)]
    np.testing.assert_array_equal(np.stack(played.scores), np.stack(betting.tree.scores)[:, kinds])


@pytest.mark.parametrize("rules", [*COLUMNS, LIMIT, THREE], ids=changed)
def test_settlements_are_those_of_the_referee(rules, rotate):
    rng = np.random.default_rng([rotate, 1])
    betting = betting_of(rules)
    for _ in range(10):
        deck = rng.permutation(len(PACK))
        types = tuple(HAND_TYPE[deck[2 * s], deck[2 * s + 1]] for s in range(rules.num_players))
        for line, scores in zip(betting.tree.ends, betting.tree.scores, strict=True):
            referee = Referee([[PACK[card] for card in deck]], rules.as_dict())
            for action in line:
                referee.play(NAMES[action])
            assert [float(reward) for reward in referee.rewards()] == pytest.approx(
                scores[betting.kinds[types]]
            )


# --- section 10 ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("uniform", (0.564786, 0.450346, 0.823003, 0.708672)),
        ("eat", (0.283092, 0.293266, 0.365543, 0.375716)),
        ("touch1", (0.219990, 0.219990, 0.250913, 0.250913)),
        ("carry or eat", (0.382443, 0.399156, 0.548670, 0.565383)),
        ("fold unless pair", (1.389498, 0.921329, 1.389581, 0.921413)),
        ("fold", (1.499870, 1.000000, 1.499870, 1.000000)),
    ],
)
def test_exploitability_of_fixed_policies(name, expected):
    for rules, number in zip(COLUMNS, expected, strict=True):
        assert measured(rules, name).mean == pytest.approx(number, abs=6e-7)
    without = DiaoXieRules(supreme_bonus=False, base=7)
    assert measured(without, name).mean == pytest.approx(expected[0], abs=6e-7)


@pytest.mark.parametrize(
    ("name", "value"),
    [("uniform", -0.330036), ("eat", 0.009066), ("touch1", 0.004533), ("fold unless pair", -1.406554)]
    + [("fold", -1.502007)],
)
def test_heads_value_of_fixed_policies(name, value):
    found = measured(DEFAULT, name)
    assert found.values == pytest.approx([value, -value], abs=6e-7)


def test_best_responses_to_always_eat():
    assert measured(DEFAULT, "eat").best_responses == pytest.approx([0.165100, 0.401085], abs=6e-7)


@pytest.mark.parametrize(
    ("name", "number"),
    [("call", 0.502410), ("uniform", 1.187165), ("raise", 1.341861), ("fold or check", 1.0)],
)
def test_exploitability_of_fixed_policies_in_limit_betting(name, number):
    assert measured(LIMIT, name).mean == pytest.approx(number, abs=6e-7)


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("touch1", 0.538),
        ("uniform", 0.950),
        ("eat", 1.069),
        ("carry or eat", 1.924),
        ("fold unless pair", 2.660),
    ],
)
def test_three_players_fixed_policies(name, number):
    found = measured(THREE, name)
    assert found.mean == pytest.approx(number, abs=6e-4)
    assert found.values.sum() == pytest.approx(0, abs=1e-9) and (found.gains >= 0).all()


# --- a linear program, which knows nothing of CFR --------------------------------------------------


def linear_program(rules: DiaoXieRules) -> float:
    """The value of the game for seat 0 by sequence form (Koller, Megiddo & von Stengel 1994).

    Variables: with each hand the probability x of the head's part of a line, and with each hand of seat 1
    the value v of each of its points. The head chooses x; v is at most what each action of seat 1 gives.
    """
    betting = betting_of(rules)
    tree = betting.tree
    hands, at = betting.num_hands, {line: point for point, line in enumerate(tree.lines)}

    def parts(seat):
        return [(p, a) for p, children in enumerate(tree.children) if tree.seats[p] == seat for a in children]

    def last(line, seat):
        """The seat's last (point, action) on a line."""
        made = [(at[line[:k]], line[k]) for k in range(len(line)) if tree.seats[at[line[:k]]] == seat]
        return made[-1] if made else None

    plan, answers = parts(0), parts(1)
    values = sorted({point for point, _ in answers})
    variables = [*plan, *values]
    no, one = csr_array((hands, hands)), eye_array(hands, format="csr")
    cost = {name: np.zeros(hands) for name in variables}
    most = {(answer, name): no for answer in answers for name in variables}
    for point in values:
        for action in tree.children[point]:
            most[(point, action), point] = one
        before = last(tree.lines[point], 1)
        if before is None:
            cost[point] -= 1
        else:
            most[before, point] = -one
    for line, scores in zip(tree.ends, tree.scores, strict=True):
        gains = betting.weights * scores[betting.kinds, 0] / betting.weights.sum(dtype=np.float64)
        own, answer = last(line, 0), last(line, 1)
        if answer is None:
            cost[own] -= gains.sum(axis=1)
        else:
            most[answer, own] = most[answer, own] - csr_array(gains.T)
    own_points = sorted({point for point, _ in plan})
    equal = {(point, name): no for point in own_points for name in variables}
    total = {point: np.zeros(hands) for point in own_points}
    for point in own_points:
        for action in tree.children[point]:
            equal[point, (point, action)] = one
        before = last(tree.lines[point], 0)
        if before is None:
            total[point] += 1
        else:
            equal[point, before] = -one
    found = linprog(
        np.concatenate([cost[name] for name in variables]),
        A_ub=block_array([[most[answer, name] for name in variables] for answer in answers], format="csr"),
        b_ub=np.zeros(len(answers) * hands),
        A_eq=block_array([[equal[point, name] for name in variables] for point in own_points], format="csr"),
        b_eq=np.concatenate([total[point] for point in own_points]),
        bounds=[(0, None)] * (len(plan) * hands) + [(None, None)] * (len(values) * hands),
        method="highs-ipm",
    )
    assert found.status == 0, found.message
    return -found.fun


SLOW_TOO = [pytest.param(rules, marks=pytest.mark.slow) for rules in (COLUMNS[1], COLUMNS[3])]


@pytest.mark.parametrize("rules", [DEFAULT, COLUMNS[2], LIMIT, *SLOW_TOO], ids=changed)
def test_cfr_finds_the_value_of_the_linear_program(rules):
    value = linear_program(rules)
    assert value == pytest.approx(HEADS_VALUE[rules], abs=6e-8)
    learner = CFRPlus(rules)
    for _ in range(100):
        learner.iterate()
    found = learner.measure()
    assert 0 <= found.mean < 0.004
    bounds = found.values[0] - found.gains[1], found.values[0] + found.gains[0]
    assert bounds[0] <= value <= bounds[1]  # what each side can have for sure


@pytest.mark.slow
@pytest.mark.parametrize("rules", HEADS_VALUE, ids=changed)
def test_cfr_comes_close(rules):
    learner = CFRPlus(rules)
    for _ in range(10_000):
        learner.iterate()
    found = learner.measure()
    assert found.mean < 1e-5
    assert found.values[0] == pytest.approx(HEADS_VALUE[rules], abs=1e-6)


# --- CFR -------------------------------------------------------------------------------------------


def test_exploitability_falls_and_does_not_depend_on_the_run():
    learner, numbers = CFRPlus(DEFAULT), []
    for _ in range(4):
        for _ in range(15):
            learner.iterate()
        numbers.append(learner.measure().mean)
    assert numbers == sorted(numbers, reverse=True) and numbers[-1] < 0.003
    twin = CFRPlus(DEFAULT)
    for _ in range(60):
        twin.iterate()
    assert (twin.policy() == learner.policy()).all()


def test_three_players_cfr_plus():
    learner = CFRPlus(THREE)
    for _ in range(30):
        learner.iterate()
    found = learner.measure()
    assert found.mean < 0.01
    assert found.values == pytest.approx([-0.291, -0.062, 0.353], abs=0.005)


@pytest.mark.slow
def test_three_players_cfr_plus_as_on_the_rules_page():
    learner = CFRPlus(THREE)
    for _ in range(300):
        learner.iterate()
    found = learner.measure()
    assert found.mean < 0.0002
    assert found.values == pytest.approx([-0.291, -0.062, 0.353], abs=0.001)


def test_external_sampling_against_exact_responses():
    learner = SampledCFR(THREE, seed=1)
    for _ in range(10):
        learner.iterate()
    assert best_response(betting_of(THREE), learner.policy()).mean < 0.07
    twin = SampledCFR(THREE, seed=1)
    for _ in range(10):
        twin.iterate()
    assert (twin.policy() == learner.policy()).all()
    assert (SampledCFR(THREE, seed=2).policy() == fixed_policy(THREE, "uniform")).all()


@pytest.mark.parametrize("options", [{}, {"counter_carry": True}, {"betting": "limit"}], ids=changed)
def test_estimated_responses_are_lower_bounds(options, monkeypatch):
    monkeypatch.setattr(external_sampling, "DEALS_OF_A_RESPONSE", 100_000)
    rules = DiaoXieRules(**options, base=3)
    exact = measured(rules, "uniform")
    found = external_sampling.estimate(rules, fixed_policy(rules, "uniform"), seed=5)
    assert 0 < found.error < 0.01
    assert exact.mean - 0.05 < found.mean < exact.mean + 4 * found.error
    assert found.values == pytest.approx(exact.values, abs=0.05)


# --- tables as agents, exploitability of any agent -------------------------------------------------


def random_policy(rules: DiaoXieRules, seed: int = 0) -> np.ndarray:
    shape = (len(tree_of(rules).lines), len(HAND_TYPES), NUM_ACTIONS)
    policy = np.random.default_rng(seed).random(shape) * tree_of(rules).legal[:, None]
    return policy / policy.sum(axis=2, keepdims=True)


def write(agent: TabularAgent, folder, rules: DiaoXieRules):
    folder.mkdir(exist_ok=True)
    for name, content in agent.files(get(GAME), rules).items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.mark.parametrize("rules", [*COLUMNS, LIMIT, THREE], ids=changed)
def test_a_saved_table_plays_the_same_policy(rules, tmp_path):
    policy = random_policy(rules)
    write(TabularAgent(policy, tree_of(rules).lines), tmp_path / "run", rules)
    agent = agents.load(str(tmp_path / "run"), GAME, rules)
    assert isinstance(agent, TabularAgent) and agent.name == "run"
    exact, asked = best_response(betting_of(rules), policy), exploitability(agent, rules)
    assert asked.values == pytest.approx(exact.values, abs=1e-6)
    assert asked.best_responses == pytest.approx(exact.best_responses, abs=1e-6)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"counter_carry": True}, "counter_carry=False"),
        ({"num_players": 3}, "num_players=2"),
        ({"betting": "limit"}, "betting='pot'"),
    ],
)
def test_a_table_of_other_options_is_refused(options, complaint, tmp_path):
    write(TabularAgent(random_policy(DEFAULT), tree_of(DEFAULT).lines), tmp_path, DEFAULT)
    with pytest.raises(ValueError, match=complaint):
        agents.load(str(tmp_path), GAME, DiaoXieRules(**options))
    assert agents.load(str(tmp_path), GAME, DiaoXieRules(base=5)).needs_tables


def test_a_broken_table_is_refused(tmp_path):
    write(TabularAgent(random_policy(DEFAULT), tree_of(DEFAULT).lines), tmp_path, DEFAULT)
    facts = json.loads((tmp_path / FACTS_FILE).read_text())
    for change in (
        {"game": "guan_pai"},
        {"version": 99},
        {"points": ["dance"]},
        {"points": []},
        {"rules": 1},
    ):
        (tmp_path / FACTS_FILE).write_text(json.dumps(facts | change))
        with pytest.raises(ValueError, match="cannot play by the table of"):
            agents.load(str(tmp_path), GAME, DEFAULT)
    (tmp_path / FACTS_FILE).write_text(json.dumps(facts))
    (tmp_path / TABLE_FILE).write_bytes(b"no table")
    with pytest.raises(ValueError, match="cannot play by the table of"):
        agents.load(str(tmp_path), GAME, DEFAULT)
    with pytest.raises(ValueError, match="sum to 1"):
        TabularAgent(2 * random_policy(DEFAULT), tree_of(DEFAULT).lines)


def test_a_table_plays_through_the_environment_what_it_is_worth():
    """Self-play by ``act`` from blanked tables, against the exact value and the share of first actions."""
    rules, games = DiaoXieRules(counter_carry=True), 20_000
    policy = random_policy(rules, seed=3)
    agent = TabularAgent(policy, tree_of(rules).lines)
    vec = envs.make_vec(GAME, games, autoreset=False, **rules.as_dict())
    seen, infos = vec.reset(seed=0)
    keys, total, ended, first = np.arange(games, dtype=np.uint64), np.zeros(2), np.zeros(games, bool), None
    for turn in range(3):
        actions = np.zeros(games, np.int64)
        live = np.flatnonzero(~ended)
        actions[live] = agent.act(
            Decisions(
                seen["observation"][live], seen["action_mask"][live], infos["seat"][live],
                keys[live] + np.uint64(turn * games), vec.tables(blank=True)[live],
            )
        )  # fmt: skip
        first = actions.copy() if first is None else first
        before = ended.copy()
        seen, rewards, ended, _, infos = vec.step(actions)
        total += rewards[ended & ~before].sum(axis=0)
    assert ended.all()
    expected = best_response(betting_of(rules), policy).values
    assert total / games == pytest.approx(expected, abs=0.12)  # a score's deviation is about 3.5
    shares = betting_of(rules).shares @ policy[0]
    assert np.bincount(first, minlength=NUM_ACTIONS) / games == pytest.approx(shares, abs=0.015)


def test_a_table_plays_in_tournaments():
    learner = CFRPlus(DEFAULT)
    for _ in range(30):
        learner.iterate()
    agent = TabularAgent(learner.policy(), learner.tree.lines, "cfr")
    assert evaluate_against(agent, "random", GAME, DEFAULT, deals=500, seed=0, resamples=100).points.low > 0


def test_a_table_says_what_it_cannot_do():
    agent = TabularAgent(random_policy(DEFAULT), tree_of(DEFAULT).lines)
    decisions = information_sets(LIMIT)
    with pytest.raises(ValueError, match="no such betting line"):
        agent.policy(decisions)
    decisions.tables = None
    with pytest.raises(ValueError, match=r"needs Decisions\.tables"):
        agent.policy(decisions)


def own_cards(observations: np.ndarray) -> np.ndarray:
    cards = get(GAME).info(DEFAULT).observation_dict(observations)["cards"]
    return np.nonzero(cards)[1].reshape(-1, 2)


def test_every_information_set_is_asked_once():
    decisions, tree = information_sets(DEFAULT), tree_of(DEFAULT)
    assert len(decisions) == len(tree.lines) * len(HANDS)
    own = decisions.tables["cards"][np.arange(len(decisions)), decisions.seats]
    assert [tuple(hand) for hand in own.tolist()] == list(HANDS) * len(tree.lines)
    others = decisions.tables["cards"][np.arange(len(decisions)), 1 - decisions.seats]
    assert not others.any() and not decisions.tables["deck"].any()
    assert (decisions.action_masks != 0).tolist() == np.repeat(tree.legal, len(HANDS), axis=0).tolist()
    assert (own_cards(decisions.observations) == own).all()


def test_uniform_is_worth_what_the_rules_page_says():
    for rules, number in zip(COLUMNS, (0.564786, 0.450346, 0.823003, 0.708672), strict=True):
        assert exploitability(agents.load("random", GAME), rules).mean == pytest.approx(number, abs=6e-7)


class ByCard(Agent):
    """Tells the two cards of a pair apart: eats with cards of even number, else folds."""

    def act(self, decisions: Decisions) -> np.ndarray:
        cards = own_cards(decisions.observations)
        return np.where(cards.sum(axis=1) % 2 == 0, EAT, FOLD)


def test_hands_of_a_type_may_be_played_differently():
    """Best responses hand by hand, written out for an agent that only eats or folds."""
    found = exploitability(ByCard(), DEFAULT)
    betting = betting_of(DEFAULT, by_card=True)
    points = {line: s[betting.kinds] * betting.weights[..., None] / (496 * 435) for line, s in
              zip(betting.tree.ends, betting.tree.scores, strict=True)}  # fmt: skip
    eats = np.array(HANDS).sum(axis=1) % 2 == 0
    mine = {EAT: eats, FOLD: ~eats}
    answers = {first: [line for line in points if line[0] == first] for first in betting.tree.children[0]}
    best_of_second = points[(FOLD,)][~eats, :, 1].sum()
    best_of_second += max_over([points[line][eats, :, 1].sum(axis=0) for line in answers[EAT]])
    of_head = []
    for lines in answers.values():
        answered = [(line, mine[line[1]]) for line in lines if len(line) > 1 and line[1] in mine]
        alone = [(line, slice(None)) for line in lines if len(line) == 1]
        of_head.append(sum(points[line][:, hands, 0].sum(axis=1) for line, hands in answered + alone))
    assert found.best_responses == pytest.approx([max_over(of_head), best_of_second], abs=1e-9)
    with pytest.raises(ValueError, match="plays hands which are alike"):
        exploitability(ByCard(), THREE)


def max_over(by_action: list[np.ndarray]) -> float:
    return float(np.max(by_action, axis=0).sum())


class Drawing(ByCard):
    def act(self, decisions: Decisions) -> np.ndarray:
        return np.where(decisions.keys % 2 == 0, EAT, FOLD)


class Wrong(ByCard):
    def policy(self, decisions: Decisions) -> np.ndarray:
        return np.ones(decisions.action_masks.shape, np.float32) / NUM_ACTIONS


def test_agents_that_cannot_be_measured_are_told_why():
    with pytest.raises(ValueError, match=r"has no policy\(\)"):
        exploitability(Drawing(), DEFAULT)
    with pytest.raises(ValueError, match="not probabilities of legal actions"):
        exploitability(Wrong(), DEFAULT)
    with pytest.raises(ValueError, match="diao_xie only"):
        exploitability(ByCard(), get("guan_pai").rules())
    with pytest.raises(ValueError, match="leave out hands=2"):
        exploitability(ByCard(), DiaoXieRules(hands=2))
    with pytest.raises(ValueError, match="not 4"):
        exploitability(ByCard(), DiaoXieRules(num_players=4))


@pytest.mark.parametrize("greedy", [True, False])
def test_networks_are_measured_too(greedy):
    torch.manual_seed(0)
    info = get(GAME).info(DEFAULT)
    net = mlp([info.observation_size, 16, info.num_actions])
    last = net[-1]
    assert isinstance(last, nn.Linear)
    with torch.no_grad():
        last.weight.mul_(100)
    agent = NetworkAgent(net, greedy=greedy)
    found = exploitability(agent, DEFAULT)
    assert found.values.sum() == pytest.approx(0, abs=1e-9) and (found.gains >= 0).all()
    games = 20_000
    vec = envs.make_vec(GAME, games, autoreset=False)
    seen, infos = vec.reset(seed=1)
    total, ended = np.zeros(2), np.zeros(games, bool)
    for turn in range(2):
        keys = np.arange(games, dtype=np.uint64) + np.uint64(turn * games)
        actions = agent.act(
            Decisions(seen["observation"], seen["action_mask"] | ended[:, None], infos["seat"], keys)
        )
        before = ended.copy()
        seen, rewards, ended, _, infos = vec.step(actions)
        total += rewards[ended & ~before].sum(axis=0)
    assert total / games == pytest.approx(found.values, abs=0.1)


# --- command lines ---------------------------------------------------------------------------------


def test_selfplay_by_cfr_saves_and_reports(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert selfplay.main([GAME, "--algo", "cfr", "--iterations", "100", "--env.counter-carry"]) == 0
    out = capsys.readouterr().out
    assert "exploitability" in out and "this policy is an equilibrium up to 0.00" in out
    folder = tmp_path / "runs" / "diao_xie-1"
    description = json.loads((folder / "config.json").read_text())
    assert description["rules"]["counter_carry"] and description["options"]["iterations"] == 100
    assert (folder / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    assert "| 100 |" in (folder / "report.md").read_text()
    rows = [line.split(",") for line in (folder / "progress.csv").read_text().splitlines()]
    assert rows[0] == ["iteration", "seconds", "exploitability", "error"]
    numbers = [float(row[2]) for row in rows[1:]]
    assert numbers[0] == pytest.approx(0.823003, abs=6e-7) and numbers == sorted(numbers, reverse=True)

    assert exploit.main([GAME, "runs/diao_xie-1", "--env.counter-carry"]) == 0
    assert f"Exploitability of runs/diao_xie-1: {numbers[-1]:.6f} b a hand." in capsys.readouterr().out
    again = ["--algo", "cfr", "--iterations", "100", "--env.counter-carry", "--out", "twin", "--seed", "0"]
    assert selfplay.main([GAME, *again]) == 0
    assert (tmp_path / "twin" / TABLE_FILE).read_bytes() == (folder / TABLE_FILE).read_bytes()


@pytest.mark.parametrize(
    ("players", "told"), [(3, "(exact, mean over seats)"), (4, "the best one may gain more")]
)
def test_selfplay_of_more_players_claims_no_equilibrium(players, told, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(external_sampling, "DEALS_OF_A_RESPONSE", 20_000)
    monkeypatch.setattr(external_sampling, "DEALS_OF_AN_ESTIMATE", 10_000)
    arguments = [
        "--algo",
        "cfr",
        "--iterations",
        "2",
        "--env.num-players",
        str(players),
        "--out",
        str(tmp_path / "run"),
    ]
    assert selfplay.main([GAME, *arguments]) == 0
    out = capsys.readouterr().out
    assert told in out and "no claim of an equilibrium" in out
    rules = DiaoXieRules(num_players=players)
    agent = agents.load(str(tmp_path / "run"), GAME, rules)
    assert (
        evaluate_against(agent, "random", GAME, rules, deals=20, seed=0, resamples=100).games == 20 * players
    )


def test_a_stopped_run_saves_what_it_has(tmp_path, capsys, monkeypatch):
    iterate = CFRPlus.iterate

    def interrupted(learner):
        iterate(learner)
        if learner.iterations == 5:
            stopping.requested = True

    class Stopped(cfr_run.Stopping):
        def __enter__(self):
            nonlocal stopping
            stopping = super().__enter__()
            return stopping

    stopping = cfr_run.Stopping()
    monkeypatch.setattr(cfr_run, "Stopping", Stopped)
    monkeypatch.setattr(CFRPlus, "iterate", interrupted)
    arguments = ["--algo", "cfr", "--iterations", "50", "--out", str(tmp_path / "run")]
    assert selfplay.main([GAME, *arguments]) == 130
    assert "what has been learned is saved" in capsys.readouterr().out
    assert "| 5 |" in (tmp_path / "run" / "report.md").read_text()
    assert agents.load(str(tmp_path / "run"), GAME).name == "run"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--algo", "cfr"], "CFR is for diao_xie"),
        ([GAME, "--algo", "cfr", "--env.hands", "2"], "leave out hands=2"),
        ([GAME, "--algo", "cfr", "--iterations", "0"], "--iterations is at least 1"),
        ([GAME, "--algo", "cfr", "--minutes", "0"], "--minutes must be above 0"),
        ([GAME, "--algo", "cfr", "--samples", "1k"], "--samples is an option of --algo ppo"),
        ([GAME, "--algo", "cfr", "--ppo.epochs", "3"], "--ppo is an option of --algo ppo"),
        (["--iterations", "5"], "--iterations is an option of --algo cfr"),
    ],
)
def test_bad_usage_of_selfplay(arguments, complaint, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        selfplay.main(arguments)
    error = capsys.readouterr().err.strip()
    assert end.value.code == 2 and complaint in error and len(error.splitlines()) == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("game", "options", "complaint"),
    [
        ("guan_pai", {}, "for diao_xie only"),
        (GAME, {"hands": 3}, "leave out hands=3"),
        (GAME, {"num_players": 5}, "2 or 3 players, not 5"),
    ],
)
def test_where_nothing_is_exact(game, options, complaint):
    with pytest.raises(ValueError, match=complaint):
        exploitability(agents.load("random", game), get(game).rules(**options))


def test_bad_usage_of_exploit(capsys):
    with pytest.raises(SystemExit) as end:
        exploit.main([GAME, "nobody"])
    error = capsys.readouterr().err.strip()
    assert end.value.code == 2 and "no agent 'nobody'" in error and len(error.splitlines()) == 1


def test_exploit_prints_a_line_a_seat(capsys):
    assert exploit.main([GAME, "random"]) == 0
    out = capsys.readouterr().out
    assert "player_0    -0.330036" in out and "Exploitability of random: 0.564786 b a hand." in out
    assert exploit.main([GAME, "random", "--env.num-players", "3"]) == 0
    assert "Mean best-response gain of random: 0.950300 b a hand." in capsys.readouterr().out
