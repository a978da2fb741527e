"""Who plays besides the policy that learns: past selves, the rule player, a teacher."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import envs
from agents import Agent, Decisions, load
from agents.network import NetworkAgent, mlp
from envs.core.game import get
from training import league
from training.dmc import DMC, DMCConfig
from training.gradients import one_hot, pull_towards, softmax
from training.imitation import WarmStart
from training.league import League
from training.ppo import PPO, PPOConfig
from training.rollout import Rollout

GAME = "guan_pai"
SMALL = {"num_envs": 20, "batch": 600, "minibatch": 200, "hidden": (16,), "bfloat16": False}


def network(seed: int = 0):
    info = get(GAME).info(get(GAME).rules())
    torch.manual_seed(seed)
    return mlp([info.observation_size, 8, info.num_actions])


class Noted:
    """Players as a league has them, with all that was asked and answered written down."""

    def __init__(self, players):
        self.players, self.answers = players, []

    def answer(self, seen, seats, actions):
        before = actions.copy()
        wanted = self.players.answer(seen, seats, actions)
        observations, masks = seen["observation"].copy(), seen["action_mask"].copy()
        learners = getattr(self.players, "_learners", None)
        at = None if learners is None else learners.copy()
        self.answers.append((observations, masks, seats.copy(), before, actions.copy(), wanted.copy(), at))
        return wanted

    def note_results(self, ended, scores):
        self.players.note_results(ended, scores)


def test_fractions_of_the_tables_have_other_players():
    """Of 20 tables 4 have past selves and 6 the rule player in all seats but one; only that one learns."""
    vec = envs.make_vec(GAME, 20, skip_forced=True)
    rollout = Rollout(vec, 3000, seed=1)
    players = League(vec, 0.2, 0.3, load("rule", GAME), seed=1, greedy=False)
    players.begin(network())
    noted = Noted(players)
    logits = np.zeros((20, vec.game.num_actions), np.float32)
    batch, _ = rollout.collect(lambda observations: logits, noted)
    tables, seats_met = np.arange(20), set()
    for _, _, seats, before, after, wanted, learners in noted.answers:
        alone = seats == learners
        others = np.r_[0:4, 14:20]
        assert wanted[4:14].all() and (wanted[others] == alone[others]).all()
        assert (after[wanted] == before[wanted]).all()  # the learner's own actions are left alone
        seats_met |= set(zip(tables[others].tolist(), learners[others].tolist(), strict=True))
    assert len(seats_met) > 20  # of 30: the learner's seat changes from game to game
    rule_rows = slice(14, 20)
    changed = [(a[rule_rows] != b[rule_rows])[~w[rule_rows]] for _, _, _, b, a, w, _ in noted.answers]
    assert np.concatenate(changed).mean() > 0.5  # of what the uniform policy would have done
    decisions = sum(int(wanted.sum()) for *_, wanted, _ in noted.answers)
    assert len(batch) + rollout._counts.sum() == decisions  # nothing else is learned from


def test_other_players_play_as_they_would_anywhere():
    """Their answers are those to the same decisions asked one by one."""
    vec = envs.make_vec(GAME, 12, skip_forced=True)
    seen, infos = vec.reset(seed=0)
    net, rule = network(), load("rule", GAME)
    players = League(vec, 0.5, 0.5, rule, seed=0, greedy=True)
    players.begin(net)
    past, asked = NetworkAgent(net), 0
    for _ in range(60):
        masks, seats = seen["action_mask"], infos["seat"]
        actions = vec.sample().copy()
        wanted = players.answer(seen, seats, actions)
        for row in np.flatnonzero(~wanted):
            asked += 1
            tables = vec.tables()[row : row + 1]
            decisions = Decisions(
                seen["observation"][row : row + 1], masks[row : row + 1], seats[row : row + 1],
                np.zeros(1, np.uint64), tables,
            )  # fmt: skip
            agent: Agent = past if row < 6 else rule
            assert actions[row] == agent.act(decisions)[0]
        seen, _, ended, _, infos = vec.step(actions)
        players.note_results(ended, infos["final_scores"])
    assert asked > 200


def test_past_selves_are_kept_at_growing_distances_and_the_weakest_goes(monkeypatch):
    monkeypatch.setattr(league, "LARGEST_POOL", 3)
    vec = envs.make_vec(GAME, 4, skip_forced=True)
    players = League(vec, 1.0, 0.0, None, seed=0, greedy=False)
    players.begin(network(0))
    players.begin(network(1))  # it has begun
    assert len(players.past) == 1
    nets = [network(seed) for seed in range(1, 20)]
    kept = []
    for net in nets:
        before = len(players.past)
        newest = players.past[-1]
        players.keep(net, 1000)
        kept.append(players.past[-1] is not newest)
        assert len(players.past) == min(3, before + kept[-1])
        players._met[:], players._behind[:] = 10, np.arange(len(players.past))[::-1]  # the oldest is best
    assert [k + 1 for k, new in enumerate(kept) if new] == [1, 2, 3, 4, 5, 7, 9, 12, 15, 19]
    first = players.past[0].net.state_dict()["0.weight"]
    assert torch.equal(first, network(0).state_dict()["0.weight"])


def test_past_selves_that_are_ahead_are_met_more_often():
    vec = envs.make_vec(GAME, 400, skip_forced=True)
    players = League(vec, 1.0, 0.0, None, seed=0, greedy=False)
    players.begin(network(0))
    for seed in (1, 2):
        players.keep(network(seed), 1000)
    players._met[:], players._behind[:] = 98, [9, 49, 89]
    np.testing.assert_allclose(players.chances(), np.square([0.1, 0.5, 0.9]) / (0.01 + 0.25 + 0.81))
    players._draw(np.arange(400))
    met = np.bincount(players._opponents, minlength=3) / 400
    np.testing.assert_allclose(met, players.chances(), atol=0.08)
    scores = np.zeros((400, 3), np.int64)
    scores[:, 1] = 5  # whose seat is the learner's at about a third of the tables
    was, opponents, learners = players._behind.copy(), players._opponents.copy(), players._learners.copy()
    players.note_results(np.arange(400) < 100, scores)
    behind = np.bincount(opponents[:100][learners[:100] != 1], minlength=3)
    assert (players._behind - was == behind).all() and 40 < behind.sum() < 90
    assert (players._met.sum() - 3 * 98) == 100


@pytest.mark.parametrize("make", ["ppo", "dmc"])
def test_a_league_goes_on_where_it_stopped(make):
    rule = load("rule", GAME)

    def learner():
        if make == "ppo":
            config = PPOConfig(**SMALL, epochs=1, critic_hidden=(8,), past=0.3, fixed=0.2, all_hands=True)
            return PPO(envs.make_vec(GAME, 20, skip_forced=True), config, 3, opponent=rule)
        return DMC(
            envs.make_vec(GAME, 20, skip_forced=True), DMCConfig(**SMALL, past=0.3, fixed=0.2), 3, rule
        )

    torch.set_num_threads(1)
    whole, second = learner(), learner()
    for k in range(4):
        whole.iterate(k / 6)
    arrays, plain = whole.state()
    arrays = {name: array.copy() for name, array in arrays.items()}
    for name, (net, _) in second.networks.items():
        net.load_state_dict(whole.networks[name][0].state_dict())
    second.load_state(arrays, plain)
    for agent, other in zip(whole.league.past, second.league.past, strict=True):
        for a, b in zip(agent.net.parameters(), other.net.parameters(), strict=True):
            assert torch.equal(a, b)
    assert len(second.league.past) == len(whole.league.past) > 2
    for k in (4, 5):
        whole.iterate(k / 6)
        second.iterate(k / 6)
    for a, b in zip(whole.policy.parameters(), second.policy.parameters(), strict=True):
        assert torch.equal(a, b)


HANDS = {
    "guan_pai": ({}, 16),
    "zheng_shang_you": ({}, 13),
    "two decks": ({"decks": 2}, 27),
    "diao_xie": ({"num_players": 3}, 2),
    "xiangxi96": ({"num_players": 4}, 21),
}


@pytest.mark.parametrize("case", HANDS)
def test_the_critic_sees_all_cards_in_the_order_of_play(case):
    """At the first decision of a deal the columns behind the observation are the others' whole hands."""
    options, held = HANDS[case]
    game = "zheng_shang_you" if case == "two decks" else case
    vec = envs.make_vec(game, 10, **options)
    rollout, others = Rollout(vec, 10, seed=2, all_hands=True), vec.num_players - 1
    size, places = vec.game.observation_size, vec.game.hand_places
    seen, seats = rollout._seen["observation"], rollout._infos["seat"]
    shown = rollout._with_hands(seen, seats, slice(None))
    assert (shown[:, :size] == seen).all() and rollout.width == size + others * len(places)
    hands = shown[:, size:].reshape(10, others, -1)
    whole = hands.sum(axis=2) == held
    assert whole.all() or (case == "xiangxi96" and whole.mean() > 0.5)  # where fours go to the table at once
    states = vec.states().reshape(10, others + 1, size)
    for row, seat in enumerate(seats):
        for k in range(others):
            assert (hands[row, k] == states[row, (seat + k + 1) % (others + 1)][places]).all()


# --- a warm start ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_the_pull_towards_goals_is_what_autograd_says(seed):
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(60, 9)).astype(np.float32) * 2
    masks = (rng.random((60, 9)) < 0.6).astype(np.int8)
    masks[:, 0] = 1
    goals = np.empty_like(logits)
    softmax(rng.normal(size=(60, 9)).astype(np.float32), masks, goals)
    goals[:20] = one_hot(np.zeros(20, np.int64), 9)
    np.testing.assert_allclose(goals.sum(axis=1), 1, rtol=1e-5)
    assert (goals[masks == 0] == 0).all()
    gradient = np.full_like(logits, 0.5)
    divergence, entropy = pull_towards(logits, masks, goals, np.float32(0.3), gradient)

    x, q = torch.from_numpy(logits).double().requires_grad_(), torch.from_numpy(goals).double()
    log_p = torch.log_softmax(x.masked_fill(torch.from_numpy(masks == 0), -torch.inf), dim=1)
    terms = torch.where(q > 0, q * (q.clamp(min=1e-300).log() - log_p), 0.0)
    (0.3 * terms.sum(dim=1).mean()).backward()
    np.testing.assert_allclose(gradient - 0.5, x.grad.numpy(), atol=1e-6)
    assert divergence == pytest.approx(float(terms.sum().detach()), rel=1e-4)
    p = log_p.exp()
    expected = -float(torch.where(p > 0, p * log_p.clamp(min=-1e3), 0.0).sum().detach())
    assert entropy == pytest.approx(expected, rel=1e-4)


def test_a_teacher_has_all_seats():
    vec = envs.make_vec(GAME, 20, skip_forced=True)
    rollout = Rollout(vec, 800, seed=1)
    noted = Noted(WarmStart(vec, lambda: load("rule_v0", GAME), 1, 1000, network()))
    zeros = np.zeros((20, vec.game.num_actions), np.float32)
    batch, games = rollout.collect(lambda observations: zeros, noted)
    assert all(wanted.all() for *_, wanted, _ in noted.answers) and games > 10
    taken = {(seen[row].tobytes(), int(after[row])) for seen, _, _, _, after, _, _ in noted.answers
             for row in range(20)}  # fmt: skip
    assert all((sample["observation"].tobytes(), int(sample["action"])) in taken for sample in batch)


def test_a_warm_start_learns_the_teachers_play_and_then_goes_on():
    torch.set_num_threads(1)
    config = PPOConfig(
        num_envs=64, batch=4000, minibatch=200, hidden=(64,), critic_hidden=(8,), bfloat16=False,
        warm_samples=24_000,
    )  # fmt: skip
    learner = PPO(envs.make_vec(GAME, 64, skip_forced=True), config, 1, lambda: load("rule_v0", GAME))
    first = learner.iterate(0.0)
    while learner.warm_start.samples_left > 0:
        figures = learner.iterate(0.0)
    assert figures["prior_kl"] < 0.6 * first["prior_kl"]  # nearer to what the teacher does
    assert (learner.rollout._counts == 0).all()  # the teacher's games in progress are not learned from
    prior = {k: v.clone() for k, v in learner.warm_start.prior.state_dict().items()}
    assert all(torch.equal(v, prior[k]) for k, v in learner.policy.state_dict().items())
    after = learner.iterate(0.5)
    assert set(after) == set(figures) and 0 < after["prior_kl"] < 0.5
    assert all(torch.equal(v, prior[k]) for k, v in learner.warm_start.prior.state_dict().items())


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"past": 0.7, "fixed": 0.4}, "together at most 1"),
        ({"past": -0.1}, "a share of 0..1"),
        ({"past": float("nan")}, "a share of 0..1"),
        ({"learning_rate": float("nan")}, "above 0"),
        ({"entropy": float("inf")}, "at least 0"),
        ({"hidden": ()}, "one or more layers"),
        ({"batch": 1000, "minibatch": 300}, "a multiple of --ppo.minibatch"),
        ({"target": "luck"}, "score, win"),
        ({"warm_samples": 0}, "warm-samples"),
        ({"warm_pull": -1}, "warm-pull"),
    ],
)
def test_options_that_cannot_be_meant(options, complaint):
    with pytest.raises(ValueError, match=complaint):
        PPOConfig(**options)
