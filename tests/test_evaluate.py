"""Tournaments: fair to the agents, the same on every machine, and honest in what they print."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import numpy as np
import pytest

from agents import Agent, Decisions, load
from agents.network import POLICY_FILE, mlp, network_bytes
from agents.uniform import UniformAgent
from envs import make
from envs.core.game import get
from envs.core.rng import mix, mix_in
from envs.record import main as verify
from training import tournament
from training.evaluate import evaluate_against, main
from training.pool import play_pool, pool_blocks
from training.ratings import pool_seatings, rate
from training.report import interval, percent
from training.stats import Interval, intervals, share_intervals, summarise_direction, summarise_pair
from training.tournament import (
    PAIRS,
    Block,
    pair_seatings,
    play_block,
    play_blocks,
    play_pair,
    winners,
)

GAME = "guan_pai"
RULES = get(GAME).rules()
INFO = get(GAME).info(RULES)
FILES = {"report.md", "results.json", "crosstable.png"}


class Lowest(Agent):
    """The first legal action."""

    name = "lowest"

    def act(self, decisions: Decisions) -> np.ndarray:
        return decisions.action_masks.argmax(axis=1)


class Spy(Lowest):
    """Looks for what it should not see, and keeps its keys."""

    name = "spy"
    needs_tables = True

    def __init__(self) -> None:
        self.keys: list[int] = []

    def act(self, decisions: Decisions) -> np.ndarray:
        tables, rows = decisions.tables, np.arange(len(decisions))
        hands = tables["hand"].copy()
        assert (hands[rows, decisions.seats].sum(axis=1) == tables["left"][rows, decisions.seats]).all()
        hands[rows, decisions.seats] = 0
        assert not hands.any()
        assert not tables["deck"].any()
        assert not tables["chance"].any()
        assert (decisions.action_masks.sum(axis=1) > 1).all()
        self.keys += decisions.keys.tolist()
        tables["hand"][:] = 9  # copies: the game does not care
        return super().act(decisions)


class Answers(Agent):
    """Answers with what it is given."""

    name = "answers"

    def __init__(self, answer) -> None:
        self.answer = answer

    def act(self, decisions: Decisions) -> np.ndarray:
        return self.answer(decisions)


# --- the games ----------------------------------------------------------------------------------


def test_every_deal_is_played_by_both_alone_in_every_seat():
    assert pair_seatings(3, 7, 8).tolist() == [
        [[7, 8, 8], [8, 7, 8], [8, 8, 7]],
        [[8, 7, 7], [7, 8, 7], [7, 7, 8]],
    ]


def test_two_players_play_a_deal_twice():
    blocks, places = tournament.pair_blocks(2, 0, 1, 10, seed=0)
    assert blocks[0].seatings.shape == (10, 2, 2)
    played = blocks[0].seatings[0][places].reshape(2, 2, 2)
    assert (played == pair_seatings(2, 0, 1)).all()


def test_all_seatings_of_a_deal_get_the_same_cards():
    block = Block(3, PAIRS, 5, np.broadcast_to(pair_seatings(3, 0, 1).reshape(-1, 3), (4, 6, 3)))
    played = play_block(GAME, RULES, [Lowest(), Lowest()], block, ["a", "b"])
    records = [json.loads(line) for line in played.records]
    decks = [record["decks"] for record in records]
    assert len(records) == 24
    assert all(decks[i] == decks[i - i % 6] for i in range(24))
    assert len({str(deck) for deck in decks}) == 4
    assert [record["agents"] for record in records[:2]] == [["a", "b", "b"], ["b", "a", "b"]]
    assert [record["scores"] for record in records] == played.scores.reshape(-1, 3).tolist()
    assert (played.scores.sum(axis=2) == 0).all()


def test_records_replay_to_their_scores():
    block = Block(0, PAIRS, 0, np.array([[[0, 1, 1]], [[1, 1, 0]]]))
    played = play_block(GAME, RULES, [Lowest(), Lowest()], block, ["a", "b"])
    env = make(GAME).unwrapped
    for line in played.records:
        record = json.loads(line)
        env.reset(options={"deck": record["decks"][0]})
        for seat, action in record["decisions"]:
            assert env.agent_selection == f"player_{seat}"
            env.step(action)
        assert env.scores() == record["scores"]


def test_results_do_not_depend_on_batching():
    seatings = np.concatenate([np.broadcast_to(pair_seatings(3, 0, 1)[0], (9, 3, 3)), pool_seatings(
        3, 2, 27, seed=1
    ).reshape(9, 3, 3)], axis=1)  # fmt: skip
    loaded = ["random", "rule"]
    whole = list(play_blocks(GAME, RULES, loaded, [Block(1, PAIRS, 0, seatings)], labels="ab"))
    cuts = [Block(1, PAIRS, first, seatings[first : first + 2]) for first in range(0, 9, 2)]
    parts = list(play_blocks(GAME, RULES, loaded, cuts, labels="ab"))
    assert whole[0].records == tuple(record for part in parts for record in part.records)
    assert (whole[0].stats == np.concatenate([part.stats for part in parts])).all()
    alone = Block(1, PAIRS, 4, seatings[4:5, 2:3])
    assert next(play_blocks(GAME, RULES, loaded, [alone], labels="ab")).records[0] == whole[0].records[26]


def test_other_seeds_other_games():
    one, other = (play_pair(GAME, RULES, "random", "random", 5, seed).scores for seed in (0, 1))
    assert (one != other).any()


@pytest.mark.parametrize(
    ("a", "b"),
    [(Lowest(), Answers(lambda d: 265 - d.action_masks[:, ::-1].argmax(axis=1))), ("random", "rule")],
)
def test_pair_the_other_way_round_is_the_same_games(a, b):
    one, other = play_pair(GAME, RULES, a, b, 20, 0), play_pair(GAME, RULES, b, a, 20, 0)
    assert (one.scores == other.scores[:, ::-1]).all()
    assert (one.wins == other.wins[:, ::-1]).all()
    assert one.scores.any()


def test_two_agents_of_one_name_are_told_apart_by_what_they_are():
    """Checkpoints of two runs may have the same name: the pair is the same the other way round."""
    a, b = UniformAgent(), load("rule", GAME)
    b.name = a.name
    one, other = play_pair(GAME, RULES, a, b, 20, 0), play_pair(GAME, RULES, b, a, 20, 0)
    assert (one.scores == other.scores[:, ::-1]).all() and one.scores.any()


def test_a_pair_plays_the_same_games_in_any_company():
    played = {}
    for agents in (("random", "lowest", "rule"), ("rule", "random")):
        a, b = agents.index("random"), agents.index("rule")
        blocks, places = tournament.pair_blocks(3, a, b, 10, 0)
        games = list(play_blocks(GAME, RULES, agents, blocks))
        played[agents] = tournament.pair_result(INFO, games, places).scores
    one, other = played.values()
    assert (one == other).all()


def test_winners_by_column_or_by_score():
    scores = np.array([[5, -5], [-1, 1]])
    with_column = type("Info", (), {"stats": ("length", "winner")})
    without = type("Info", (), {"stats": ("length",)})
    stats = np.array([[9, 1], [9, 1]])
    assert winners(with_column, scores, stats).tolist() == [[False, True], [False, True]]
    assert winners(without, scores, stats).tolist() == [[True, False], [False, True]]


# --- what agents get ----------------------------------------------------------------------------


def test_agents_see_blanked_copies_and_keys_of_their_own():
    spies = Spy(), Spy()
    result = play_pair(GAME, RULES, *spies, deals=10, seed=0)
    for spy in spies:
        assert len(set(spy.keys)) == len(spy.keys) > 500
    assert (result.scores == play_pair(GAME, RULES, Lowest(), Lowest(), 10, 0).scores).all()


def test_keys_are_those_of_the_kernels():
    keys = np.array([0, 1, 2**63 + 5, 2**64 - 1], np.uint64)
    numbers = np.array([1, 2, 3, 4], np.uint64)
    once = mix_in(keys, 7, numbers)
    assert once.tolist() == [int(mix(mix(k ^ np.uint64(7)) ^ n)) for k, n in zip(keys, numbers, strict=True)]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda d: np.full(len(d), 999), "illegal action 999"),
        (lambda d: d.action_masks.argmin(axis=1), "illegal action"),
        (lambda d: np.full(len(d), -1), "illegal action -1"),
        (lambda d: np.zeros(len(d)), "float64"),
        (lambda d: np.zeros(1, int), "integers"),
        (lambda d: d.nothing, "AttributeError"),
    ],
)
def test_a_bad_agent_is_named(answer, said):
    with pytest.raises(ValueError, match=f"agent 'answers' .*{said}"):
        play_pair(GAME, RULES, "random", Answers(answer), 2, 0)


def test_workers_take_names():
    blocks = [Block(0, PAIRS, first, np.array([[[0, 1, 1]]])) for first in range(2)]
    with pytest.raises(ValueError, match="by name or path"):
        next(play_blocks(GAME, RULES, [Lowest(), "random"], blocks, workers=2))


# --- figures ------------------------------------------------------------------------------------


def test_random_against_random_is_no_better_and_no_worse():
    result = play_pair(GAME, RULES, "random", "random", 600, seed=1)
    found = summarise_pair(result.scores, result.wins)
    assert found.difference.low < 0 < found.difference.high
    assert abs(found.z) < 3
    for direction in found.alone:
        assert direction.points.low < 0 < direction.points.high
        assert direction.win_rate.low < 1 / 3 < direction.win_rate.high


def test_evaluate_against_is_one_direction_of_the_pair():
    result = play_pair(GAME, RULES, "rule", "random", 30, seed=4)
    found = evaluate_against("rule", "random", GAME, RULES, 30, seed=4)
    assert found == summarise_direction(result.scores[:, 0], result.wins[:, 0], seed=4)
    assert found.points.low > 0
    assert found.games == 90


def test_ratings_put_the_better_first():
    seatings = pool_seatings(3, 4, 300, seed=0)
    assert all(len(set(row)) == 3 for row in seatings.tolist())
    strength = np.array([0, 5, 10, 2])
    scores = strength[seatings] + np.random.default_rng(0).integers(-5, 6, seatings.shape)
    rated = rate(seatings, scores, 4)
    assert sorted(range(4), key=lambda agent: rated[agent].mu) == [0, 3, 1, 2]
    assert all(rating.sigma < 4 for rating in rated)
    assert sum(rating.games for rating in rated) == 900


def test_few_agents_all_sit_down():
    seatings = pool_seatings(3, 2, 50, seed=0)
    assert all(set(row) == {0, 1} for row in seatings.tolist())


# --- the command --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """The same tournament of some blocks of deals by one process and by two."""
    found = [tmp_path_factory.mktemp("reports") / workers for workers in ("1", "2")]
    for out in found:
        words = f"{GAME} rule random rule --deals 300 --seed 3 --pool 60 --resamples 999 --env.must-beat all"
        assert main([*words.split(), "--workers", out.name, "--out", str(out)]) == 0
    return found


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    """The reports of a small tournament with records."""
    found = [tmp_path_factory.mktemp("records") / workers for workers in ("1", "2")]
    for out in found:
        words = (
            f"{GAME} random random rule --deals 4 --pool 6 --save-records --workers {out.name} --out {out}"
        )
        assert main([*words.split(), "--env.loss-cap", "None"]) == 0
    return found


def test_the_same_bytes_whatever_the_workers(reports, records):
    assert {path.name for path in reports[0].iterdir()} == FILES
    assert {path.name for path in records[0].iterdir()} == FILES | {"records.jsonl"}
    for one, two in (reports, records):
        for path in one.iterdir():
            assert path.read_bytes() == (two / path.name).read_bytes(), path.name


def test_rule_against_itself_prints_zeros(reports):
    lines = (reports[0] / "report.md").read_text().splitlines()
    assert "| rule - rule#2 | 0 [0, 0] | 0 |" in lines


def test_results_recompute_the_report(reports):
    results = json.loads((reports[0] / "results.json").read_text())
    report = (reports[0] / "report.md").read_text()
    assert results["rules"]["must_beat"] == "all"
    assert results["command"] in report
    assert len(results["pairs"]) == 3
    for pair in results["pairs"]:
        a, b = pair["agents"]
        totals = [[sum(games) for games in deal] for deal in pair["scores"]]
        for direction, (alone, against) in enumerate(((a, b), (b, a))):
            own = [total[direction] for total in totals]
            won = [sum(deal[direction]) for deal in pair["wins"]]
            positive = [1 + (t > 0) - (t < 0) for t in own]
            points = intervals(np.array([own]).T, [3], results["resamples"], results["seed"])[0]
            wins, share = share_intervals(np.array([won, positive]).T, [3, 2])
            assert points.mean == sum(own) / 900
            row = [alone, against, interval(points), interval(wins, percent), interval(share, percent)]
            assert f"| {' | '.join(row)} |" in report
            assert pair["summary"]["alone"][direction]["points"]["mean"] == points.mean
            length = [game[0] for deal in pair["stats"] for game in deal[direction]]
            decisions = f"{sum(length) / 900:.2f}"
            assert f"| {alone} | {against} | {results['stats'][0]} | {decisions} |" in report
        difference = np.array([[total[0] - total[1]] for total in totals])
        worth = pair["summary"]["worth"]
        assert f"| {a} - {b} |  | 6 | {'no spread' if worth is None else f'{worth:,.1f}'} |" in report
        found = intervals(difference, [3], results["resamples"], results["seed"])[0]
        assert f"| {a} - {b} | {interval(found)} |" in report
        assert pair["summary"]["difference"] == {"mean": found.mean, "low": found.low, "high": found.high}
    pool = results["pool"]
    rated = rate(np.array(pool["seatings"]), np.array(pool["scores"]), 3)
    assert [r.mu for r in rated] == [r["mu"] for r in pool["ratings"]]
    assert all(f"{r.mu:.2f} ± {r.sigma:.2f}" in report for r in rated)


def test_a_pool_is_that_of_the_command(reports):
    pool = json.loads((reports[0] / "results.json").read_text())["pool"]
    rules = get(GAME).rules(must_beat="all")
    seatings, scores = play_pool(GAME, rules, ["rule", "random", "rule"], games=60, seed=3)
    assert (seatings.tolist(), scores.tolist()) == (pool["seatings"], pool["scores"])
    seatings, scores = play_pool(GAME, rules, ["rule", "random"], games=0, seed=3)
    assert seatings.shape == scores.shape == (0, 3)


def test_every_game_has_its_record(records):
    lines = (records[0] / "records.jsonl").read_text().splitlines()
    results = json.loads((records[0] / "results.json").read_text())
    assert len(lines) == 3 * 4 * 6 + 6
    last = json.loads(lines[-1])
    assert last["scores"] == results["pool"]["scores"][-1]
    assert last["agents"] == [results["agents"][entry] for entry in results["pool"]["seatings"][-1]]
    assert last["rules"]["loss_cap"] is None


@pytest.mark.parametrize(
    "words",
    [
        "guan_pai --env.lead-diamond-three",
        "zheng_shang_you",
        "zheng_shang_you --env.decks 2",
        "diao_xie --env.num-players 4",
        "xiangxi96",
        "xiangxi96 --env.num-players 2",
    ],
)
def test_records_of_every_game_verify(words, tmp_path, capsys):
    game, *options = words.split()
    more = ["--deals", "2", "--pool", "2", "--resamples", "99", "--save-records", "--out", str(tmp_path)]
    assert main([game, "random", "rule", *more, *options]) == 0
    capsys.readouterr()
    assert verify(["verify", str(tmp_path / "records.jsonl")]) == 0
    assert "games, all as recorded" in capsys.readouterr().out


def test_agents_made_for_something_else_are_refused(tmp_path):
    """Before any game, with the reason: another game, rules version or option."""
    net, found = mlp([INFO.observation_size, INFO.num_actions]), get(GAME)
    content = network_bytes(net, found, RULES, [INFO.observation_size, INFO.num_actions])
    (tmp_path / POLICY_FILE).write_bytes(content)
    for words, said in (
        (f"{GAME} {tmp_path} random --env.must-beat all", "was made with must_beat='off' (here 'all')"),
        (f"xiangxi96 {tmp_path} random", f"plays {GAME}, not xiangxi96"),
    ):
        assert said in refusal(words), words
    version = f'"version":"{INFO.version}"'.encode()
    assert version in content
    (tmp_path / POLICY_FILE).write_bytes(content.replace(version, b'"version":"9"'))
    assert "is for version 9 of the rules, these are version" in refusal(f"{GAME} {tmp_path} random")


def refusal(words):
    """The line on the standard error with which a command ends."""
    with pytest.raises(SystemExit) as end, pytest.MonkeyPatch.context() as patch:
        said = io.StringIO()
        patch.setattr(sys, "stderr", said)
        main(words.split())
    assert end.value.code == 2
    return said.getvalue()


def test_a_time_budget_is_named(capsys):
    assert main(["diao_xie", "random", "search:1ms", "--deals", "2", "--pool", "0", "--resamples", "99"]) == 0
    assert "Not reproducible: search:1ms has a time budget" in capsys.readouterr().out


def test_exploitability_of_each_agent(tmp_path, capsys):
    words = f"diao_xie random search:1 --deals 2 --pool 0 --resamples 99 --exploitability --out {tmp_path}"
    assert main(words.split()) == 0
    report = (tmp_path / "report.md").read_text()
    found = json.loads((tmp_path / "results.json").read_text())["exploitability"]
    assert found["random"] == pytest.approx(0.564786, abs=1e-6)
    assert "| random | 0.564786 |" in report
    assert f"| search:1 | {found['search:1']} |" in report
    assert found["search:1"].startswith("none: ")
    assert "--exploitability" in report and "Exploitability, exact" in capsys.readouterr().out


def test_prints_the_tables(capsys):
    assert main([GAME, "rule", "rule", "--deals", "4", "--pool", "0"]) == 0
    printed = capsys.readouterr()
    assert "0 [0, 0]" in printed.out
    assert "24 games in" in printed.out
    assert "Ratings" not in printed.out
    assert printed.err == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("chess rule random", "no game 'chess'"),
        ("guan_pai rule nobody", "no agent 'nobody'"),
        ("guan_pai rule runs/nothing-here", "no agent 'runs/nothing-here'"),
        ("guan_pai rule {tmp}", "{tmp}"),
        ("guan_pai rule", "at least 2 agents"),
        ("", "at least 2 agents"),
        ("guan_pai rule random --deals 1", "--deals is at least 2"),
        ("guan_pai rule random --deals many", "--deals"),
        ("guan_pai rule random --seed -1", "--seed is at least 0"),
        ("guan_pai rule random --workers 0", "--workers is at least 1"),
        ("guan_pai rule random --resamples 5", "--resamples is at least 39"),
        ("guan_pai rule random --env.must-beat some", "must-beat"),
        ("guan_pai rule random --env.base 0", "option base must be an integer of 1..1000"),
        ("guan_pai rule random --env.hands 3", "--env.hands"),
        ("guan_pai rule random --save-records", "give --out"),
        ("guan_pai rule random --exploitability", "single hand of diao_xie with 2 or 3 players"),
        ("diao_xie rule random --exploitability --env.num-players 4", "with 2 or 3 players"),
        ("guan_pai rule random --out {tmp}/file/reports", "cannot write to the folder"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(words, said, tmp_path, capsys):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(SystemExit) as end:
        main(words.format(tmp=tmp_path).split())
    printed = capsys.readouterr()
    assert end.value.code == 2
    assert said.format(tmp=tmp_path) in printed.err
    assert len(printed.err.splitlines()) == 1
    assert printed.out == ""


def test_as_a_program():
    words = [sys.executable, "-m", "training.evaluate", GAME, "random", "nobody"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("error: no agent 'nobody'")


def test_interval_of_one_number():
    assert interval(Interval(1.234, -0.5, 2.0)) == "+1.23 [-0.50, +2.00]"


# --- blocks fit those who play them -----------------------------------------------------------------


@pytest.mark.parametrize("at_a_time", [1, 3, 7])
def test_how_many_deals_are_a_block_changes_nothing(at_a_time):
    """Search is spread so; an agent that fails now and then is told of in the same words."""

    def sometimes(decisions):
        return np.where(decisions.keys % 5 == 0, -1, decisions.action_masks.argmax(axis=1))

    agents = [load("search:1", GAME), load("random", GAME), Answers(sometimes)]
    found = []
    for size in (tournament.DEALS_AT_A_TIME, at_a_time):
        blocks = tournament.pair_blocks(3, 0, 2, 7, 4, at_a_time=size)[0]
        blocks += pool_blocks(pool_seatings(3, 3, 8, seed=4), 4, size)
        played = list(play_blocks(GAME, RULES, agents, blocks, labels="abc", goes_on=True))
        records = [record for block in played for record in block.records]
        found.append((records, tournament.failures_of(3, played), len(blocks)))
    (whole, failures, one_each), (parts, same_failures, more) = found
    assert parts == whole and same_failures == failures
    assert failures[2].failed > 10 and one_each == 2 and more == -(-7 // at_a_time) - (-8 // at_a_time)


def test_every_worker_has_blocks():
    for deals, workers in ((100, 8), (2000, 3), (7, 2), (1, 5)):
        size = tournament.deals_at_a_time(deals, workers)
        assert min(deals, workers) <= -(-deals // size) <= max(4 * workers, deals / size + 1)
        assert 1 <= size <= tournament.DEALS_AT_A_TIME
    assert tournament.deals_at_a_time(1000, 1) == tournament.DEALS_AT_A_TIME
