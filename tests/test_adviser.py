"""Networks with an adviser: what they see, how they are saved, what they learn, what they may not know."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.torch import save_file

import agents
import envs
from agents.adviser import Adviser
from agents.network import POLICY_FILE, NetworkAgent, network_bytes
from agents.rule import RuleAgent, frozen_rule
from agents.search import Budget, network_search
from envs.core.game import get
from training import selfplay
from training.checkpoint import newest, save_folder
from training.learners import Plan, learner_of, newest_frozen_rule
from training.ppo import PPOConfig
from training.rollout import Rollout

from .games import REDEAL_HIDDEN, Options
from .moments import (
    TABLES,
    at_moment,
    blank,
    decisions_of,
    info_of,
    network,
    new_answers_by_new_keys,
    variants,
)
from .test_resume import small

GAME = "guan_pai"
NOTHING = -(1 << 62)  # no score


@variants
def test_the_network_sees_what_the_adviser_would_do(game: str, options: Options, rotate: int) -> None:
    adviser, size = Adviser.of("rule_v0", game), info_of(game, options).observation_size
    asked = decisions_of(at_moment(game, options, 5, [rotate, 110]), np.random.default_rng(rotate))
    own, seen = network(game, options, adviser=adviser), []
    own.net.register_forward_pre_hook(lambda _, given: seen.append(given[0].numpy().copy()))
    own.act(asked)
    assert np.array_equal(seen[0][:, :size], asked.observations)
    assert np.array_equal(seen[0][:, size:].argmax(axis=1), adviser.rule.act(asked))
    assert (seen[0][:, size:].sum(axis=1) == 1).all()


@variants
def test_grades_say_how_much_less_actions_score(game: str, options: Options, rotate: int) -> None:
    """The grades by the rule player's scores of one table after another, and not by the loop over them."""
    rule = frozen_rule(newest_frozen_rule(game), game)
    if game == "diao_xie":  # it plays by bounds, not by scores
        assert rule.grades == ()
        return
    assert rule.grades == tuple(sorted(rule.grades))
    moments = [at_moment(game, options, steps, [rotate, 117]) for steps in (1, 4, 7, 10)]
    assert sum(rated_at(rule, tables, rotate) for tables in moments) > 2


def rated_at(rule: RuleAgent, tables: Any, rotate: int) -> int:
    """At how many of the ``tables`` several actions were scored, all as they should be."""
    asked = decisions_of(tables, np.random.default_rng(rotate))
    assert asked.tables is not None
    actions, near = rule.rate(asked, rule.grades)
    assert np.array_equal(actions, rule.act(asked))
    rate, rated = import_module(f"agents.rule.{rule.module}").rate, 0
    grades = near.reshape(len(asked), len(rule.grades), -1)
    for table, mask, chosen, shown in zip(asked.tables, asked.action_masks, actions, grades, strict=True):
        scores = np.full(len(mask), NOTHING)
        assert rate(table, mask, np.uint64(0), scores) == chosen
        found = (scores != NOTHING) & (scores[chosen] != NOTHING)
        assert not (found & (mask == 0)).any()
        assert not found.any() or scores.argmax() == chosen
        for grade, bits in zip(rule.grades, shown, strict=True):
            expected = found & (scores >= scores[chosen] - grade)
            expected[chosen] = True
            assert np.array_equal(bits, expected)
        rated += int(found.sum() > 1)
    return rated


@variants
def test_a_graded_network_sees_them(game: str, options: Options, rotate: int) -> None:
    adviser, info = Adviser.of(newest_frozen_rule(game), game, graded=True), info_of(game, options)
    asked = decisions_of(at_moment(game, options, 5, [rotate, 118]), np.random.default_rng(rotate))
    seen, size, last = adviser.advise(asked), info.observation_size, info.num_actions
    assert seen.shape == (TABLES, size + adviser.width(last)) and seen.dtype == np.uint8
    assert np.array_equal(seen[:, :size], asked.observations)
    assert np.array_equal(seen[:, -last:].argmax(axis=1), adviser.rule.act(asked))
    assert (seen[:, -last:].sum(axis=1) == 1).all()
    if adviser.grades:
        assert np.array_equal(seen[:, size:-last], adviser.rule.rate(asked, adviser.grades)[1])


@pytest.mark.parametrize("graded", [False, True])
@variants
def test_answers_depend_on_what_may_be_known_alone(
    game: str, options: Options, rotate: int, graded: bool
) -> None:
    adviser = Adviser.of(newest_frozen_rule(game), game, graded=graded)
    own, rng = network(game, options, adviser=adviser), np.random.default_rng(rotate)
    vec = at_moment(game, options, 7, [rotate, 111])
    asked, others = decisions_of(vec, rng), vec.tables(blank=False)
    for t, seat in zip(others, asked.seats.tolist(), strict=True):
        REDEAL_HIDDEN[game](t, [vec.game.cards[card] for card in t["deck"][: len(vec.game.cards)]], seat, rng)
    again = replace(asked, tables=blank(game, others, asked.seats))
    for agent in (own, network_search(info_of(game, options), own, Budget(1))):
        assert np.array_equal(agent.act(asked), agent.act(again))


def test_an_advised_network_that_draws_is_asked_by_keys() -> None:
    own = network(GAME, {}, 1.0, adviser=Adviser.of("rule_v1", GAME))
    own.greedy = False
    assert new_answers_by_new_keys(own, GAME, {}, [5, 112])


# --- files ----------------------------------------------------------------------------------------


def saved(folder: Path, own: NetworkAgent, sizes: list[int]) -> str:
    game = get(GAME)
    content = network_bytes(own.net, game, game.rules(), sizes, own.adviser)
    save_folder(folder, {POLICY_FILE: content})
    return str(folder)


def test_it_is_saved_with_its_adviser(tmp_path: Path) -> None:
    own, info = network(GAME, {}, adviser=Adviser.of("rule_v1", GAME, 2.5)), info_of(GAME, {})
    folder = saved(tmp_path / "x", own, [info.observation_size + info.num_actions, 16, info.num_actions])
    again = agents.load(folder, GAME)
    assert isinstance(again, NetworkAgent) and again.adviser is not None and again.needs_tables
    assert (again.adviser.rule.name, again.adviser.weight) == ("rule_v1", 2.5)
    asked = decisions_of(at_moment(GAME, {}, 5, [1, 113]), np.random.default_rng(0))
    assert np.array_equal(again.act(asked), own.act(asked))
    asked.tables = None
    with pytest.raises(ValueError, match="needs_tables"):
        again.act(asked)


def test_it_is_saved_with_its_grades(tmp_path: Path) -> None:
    adviser, info = Adviser.of("rule_v1", GAME, 2.5, graded=True), info_of(GAME, {})
    own = network(GAME, {}, adviser=replace(adviser, grades=adviser.grades[1:3]))  # others than there are now
    sizes = [info.observation_size + 3 * info.num_actions, 16, info.num_actions]
    again = agents.load(saved(tmp_path / "x", own, sizes), GAME)
    assert isinstance(again, NetworkAgent) and again.adviser is not None
    assert again.adviser.grades == adviser.grades[1:3]
    asked = decisions_of(at_moment(GAME, {}, 5, [1, 119]), np.random.default_rng(0))
    assert np.array_equal(again.act(asked), own.act(asked))


def test_a_file_without_grades_is_of_a_network_that_sees_none(tmp_path: Path) -> None:
    own, info = network(GAME, {}, adviser=Adviser.of("rule_v1", GAME)), info_of(GAME, {})
    folder = Path(
        saved(tmp_path / "x", own, [info.observation_size + info.num_actions, 16, info.num_actions])
    )
    with safe_open(folder / POLICY_FILE, "pt") as file:
        metadata, weights = file.metadata(), {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    del metadata["grades"]
    save_file(weights, folder / POLICY_FILE, metadata)
    again = agents.load(str(folder), GAME)
    assert isinstance(again, NetworkAgent) and again.adviser is not None and again.adviser.grades == ()


def test_a_weight_that_is_no_number_says_so(tmp_path: Path) -> None:
    own, info = network(GAME, {}, adviser=Adviser.of("rule_v1", GAME, float("nan"))), info_of(GAME, {})
    folder = saved(tmp_path / "x", own, [info.observation_size + info.num_actions, 16, info.num_actions])
    asked = decisions_of(at_moment(GAME, {}, 5, [1, 115]), np.random.default_rng(0))
    with pytest.raises(ValueError, match="not finite"):
        agents.load(folder, GAME).act(asked)


def test_an_unknown_adviser_is_refused(tmp_path: Path) -> None:
    own, info = network(GAME, {}, adviser=Adviser.of("rule_v1", GAME)), info_of(GAME, {})
    assert own.adviser is not None
    own.adviser.rule.name = "rule_v77"
    folder = saved(tmp_path / "x", own, [info.observation_size + info.num_actions, 16, info.num_actions])
    with pytest.raises(ValueError, match="no frozen rule player 'rule_v77' of guan_pai: give one of rule_v0"):
        agents.load(folder, GAME)


# --- learning -------------------------------------------------------------------------------------


@pytest.mark.parametrize("all_hands", [False, True])
def test_samples_hold_what_the_adviser_would_do(all_hands: bool) -> None:
    """Two rollouts of the same games, one without an adviser: the same samples, but for the advice."""
    info, adviser = info_of(GAME, {}), Adviser.of("rule_v0", GAME)
    size, width = info.observation_size, info.observation_size + info.num_actions
    logits = np.zeros((8, info.num_actions), np.float32)
    plain, advised = (
        Rollout(envs.make_vec(GAME, 8, skip_forced=True), 200, 3, all_hands=all_hands, adviser=own)
        for own in (None, adviser)
    )
    told: list[NDArray[np.int64]] = []
    act = adviser.rule.act
    adviser.rule.act = lambda asked: told.append(act(asked)) or told[-1]  # type: ignore[method-assign,func-returns-value]
    a, games = plain.collect(lambda seen: logits)
    b, games_again = advised.collect(lambda seen: logits)
    assert advised.policy_width == width and advised.width - width == plain.width - size
    assert games == games_again and np.array_equal(a["action"], b["action"])
    assert np.array_equal(a["observation"][:, :size], b["observation"][:, :size])
    assert np.array_equal(a["observation"][:, size:], b["observation"][:, width:])
    advice = b["observation"][:, size:width]
    assert (advice.sum(axis=1) == 1).all()
    assert b["action_mask"][np.arange(len(b)), advice.argmax(axis=1)].all()
    asked, noted = np.unique(np.concatenate(told)), np.unique(advice.argmax(axis=1))
    assert set(noted) <= set(asked) and len(noted) > 20


@pytest.mark.parametrize("game", envs.games())
def test_before_it_learns_it_plays_as_its_adviser_does(game: str) -> None:
    config = PPOConfig(num_envs=8, batch=64, minibatch=64, hidden=(16,), critic_hidden=(16,))
    learner = learner_of(Plan(game, get(game).rules(), config, 0, adviser="rule_v0"))
    own = NetworkAgent(learner.policy, adviser=learner.adviser)
    asked = decisions_of(at_moment(game, {}, 3, [0, 114]), np.random.default_rng(0))
    assert np.array_equal(own.act(asked), agents.load("rule_v0", game).act(asked))
    odds = own.chances(asked)
    legal = asked.action_masks > 0
    taken = odds[np.arange(len(odds)), own.act(asked)]
    np.testing.assert_allclose(taken, 1 / (1 + (legal.sum(axis=1) - 1) * np.exp(-4)), rtol=0.2)


def test_it_acts_and_learns_by_the_same_probabilities() -> None:
    """Before the first step it is the policy that chose the samples: no divergence, nothing clipped."""
    config = PPOConfig(num_envs=32, batch=512, minibatch=512, epochs=1, hidden=(16,), critic_hidden=(16,))
    learner = learner_of(Plan(GAME, get(GAME).rules(), config, 0, adviser="rule_v1"))
    for _ in range(3):
        figures = learner.iterate(0.0)
        assert figures["clipped"] == 0 and abs(figures["kl"]) < 1e-6
        assert 0.1 < figures["entropy"] < 1


def test_selfplay_with_an_adviser(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = small("ppo", "zheng_shang_you", "--env.cards-each", "6")
    arguments += ["--adviser", "rule_v0", "--warm-start", "rule_v0", "--ppo.advice-weight", "3"]
    assert selfplay.main([*arguments, "--out", str(tmp_path / "run")]) == 0
    found = agents.load(str(tmp_path / "run"), "zheng_shang_you", get("zheng_shang_you").rules(cards_each=6))
    assert isinstance(found, NetworkAgent) and found.adviser is not None and found.adviser.weight == 3
    assert (newest(tmp_path / "run" / "checkpoints") / "prior.safetensors").is_file()
    capsys.readouterr()
    for wrong in ("rule", "random", "rule_v7"):
        with pytest.raises(SystemExit):
            selfplay.main(["guan_pai", "--adviser", wrong, "--out", str(tmp_path / "none")])
        assert f"no frozen rule player '{wrong}' of guan_pai" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()
    with pytest.raises(SystemExit):
        selfplay.main(["guan_pai", "--algo", "dmc", "--adviser", "rule_v0"])
    assert "--adviser is an option of --algo ppo or rpi, not dmc" in capsys.readouterr().err
