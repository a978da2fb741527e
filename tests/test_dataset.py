"""Datasets of recorded games: what stands in them is what the environment shows and does."""

from __future__ import annotations

import hashlib
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from envs import dataset
from envs import record as records
from envs.core import commands
from envs.dataset import arrays
from envs.dataset import minari as export
from envs.dataset.__main__ import main

from .games import (
    GAMES,
    Options,
    in_turn,
    is_over,
    legal,
    new_table,
    pytest_generate_tests,  # noqa: F401 (the hook of in_turn)
)

PAGE = Path(__file__).parents[1] / "docs" / "pages" / "records.md"
NAMES = ("ann", "bob", "cid", "dora", "eve")
Record = dict[str, Any]
Row = dict[str, Any]


def played(game: str, options: Options, seed: int, number: int = 0) -> tuple[Record, list[Row], list[Any]]:
    """A game stepped by hand: its record, a row for each decision, seat by seat, and what all saw at last."""
    env, rng, rows = new_table(game, options, seed=seed), np.random.default_rng(seed), []
    while not is_over(env):
        agent = env.agent_selection
        action = int(rng.choice(legal(env)))
        seen = env.observe(agent)
        rows.append({**seen, "action": action, "seat": int(agent[-1]), "decision": len(rows)})
        env.step(action)
    players = [NAMES[(seat + number) % 5] for seat in range(len(env.possible_agents))]
    for row in rows:
        seat = row["seat"]
        row |= {"game": number, "score": np.float32(env.rewards[f"player_{seat}"]), "player": players[seat]}
    rows.sort(key=lambda row: (row["seat"], row["decision"]))
    final = [env.observe(agent)["observation"] for agent in env.possible_agents]
    return {**env.record(), "agents": players}, rows, final


def check(found: dataset.Dataset, rows: list[Row]) -> None:
    """The dataset has these rows and no others."""
    assert len(found) == len(rows) > 0
    for name in ("observation", "action_mask", "action", "seat", "decision", "game", "score"):
        column = getattr(found, name)
        assert column.dtype == dataset.COLUMNS[name].dtype
        assert np.array_equal(column, np.stack([row[name] for row in rows])), name
    owners = [(row["game"], row["seat"]) for row in rows]
    assert found.last.tolist() == [*(a != b for a, b in pairwise(owners)), True]


@pytest.fixture(scope="module")
def three() -> list[tuple[Record, list[Row], list[Any]]]:
    """Three games of Guan Pai with different players."""
    return [played("guan_pai", {}, seed, seed) for seed in range(3)]


@pytest.fixture
def file(three: Any, tmp_path: Path) -> Path:
    records.write([record for record, _, _ in three], tmp_path / "games.jsonl")
    return tmp_path / "games.jsonl"


# --- what is in it ----------------------------------------------------------------------------------


@in_turn(("game", "options"), GAMES)
def test_a_row_is_what_the_environment_showed_and_did(
    game: str, options: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrays, "GAMES_AT_A_TIME", 2)  # three games in two parts
    games = [played(game, options, seed, seed) for seed in range(3)]
    records.write([record for record, _, _ in games], tmp_path / "games.jsonl")
    told = dataset.write([tmp_path / "games.jsonl"], tmp_path / "games.npz")
    found = dataset.load(tmp_path / "games.npz")
    check(found, [row for _, rows, _ in games for row in rows])
    assert found.players.tolist() == [record["agents"] for record, _, _ in games]
    assert np.array_equal(found.final_observation, np.stack([final for _, _, final in games]))
    assert np.array_equal(found.score, found.final_score[found.game, found.seat])
    assert found.about == told
    assert told["rules"] == games[0][0]["rules"] and told["version"] == games[0][0]["version"]


def test_what_is_wanted(three: Any) -> None:
    given = [record for record, _, _ in three]
    rows = [row for _, rows, _ in three for row in rows]
    wants: list[tuple[dict[str, Any], Callable[[Row], bool]]] = [
        ({"seats": [2, 0]}, lambda row: row["seat"] != 1),
        ({"players": ["bob"]}, lambda row: row["player"] == "bob"),
        (
            {"players": ["bob", "cid"], "seats": [1]},
            lambda row: row["player"] in ("bob", "cid") and row["seat"] == 1,
        ),
        ({"skip_forced": True}, lambda row: row["action_mask"].sum() > 1),
    ]
    for wanted, holds in wants:
        (part,) = dataset.parts(given, **wanted)
        check(part, [row for row in rows if holds(row)])
        assert len(part) < len(rows) and len(part.players) == 3
        assert {name: part.about[name] for name in wanted} == wanted


def test_a_file_says_where_it_comes_from_and_has_the_same_bytes_again(file: Path, tmp_path: Path) -> None:
    for out in ("one.npz", "two.npz"):
        dataset.write([file, file], tmp_path / out, players=["bob"])
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    about = dataset.load(tmp_path / "one.npz").about
    sha = hashlib.sha256(file.read_bytes()).hexdigest()
    assert about["files"] == [{"name": file.name, "sha256": sha, "games": 3}] * 2
    assert (about["games"], about["players"], about["seats"]) == (6, ["bob"], None)
    with np.load(tmp_path / "one.npz", allow_pickle=False) as plain:  # by NumPy alone
        assert set(plain.files) == {*dataset.COLUMNS, "about"}


def test_records_without_names(three: Any) -> None:
    given = [{**three[0][0], "agents": None}]
    (part,) = dataset.parts(given)
    assert part.players.tolist() == [["", "", ""]]
    with pytest.raises(ValueError, match="game 0: the record does not say who played"):
        list(dataset.parts(given, players=["bob"]))


# --- what is refused --------------------------------------------------------------------------------

WRONG: dict[str, tuple[Callable[[Record], Any], str]] = {
    "field": (lambda r: r.pop("decks"), "the field 'decks' is missing"),
    "seat": (lambda r: r["decisions"][4].__setitem__(0, 9), "decision 4: seat 9 is not to act"),
    "action": (lambda r: r["decisions"][4].__setitem__(1, 265), "decision 4: .* may not play action 265"),
    "huge": (lambda r: r["decisions"][4].__setitem__(1, 10**30), "decision 4: .* may not play action 1000"),
    "negative": (lambda r: r["decisions"][4].__setitem__(1, -1), "decision 4: .* may not play action -1"),
    "too many": (lambda r: r["decisions"].append([0, 0]), "the game was over before it"),
    "too few": (lambda r: r["decisions"].pop(), "recorded, .* replayed"),
    "none": (lambda r: r["decisions"].clear(), "plays: .* recorded, 0 replayed"),
    "scores": (lambda r: r.update(scores=[0, 0, 0]), r"scores: recorded \[0, 0, 0\], replayed \["),
    "unfinished": (lambda r: r.update(scores=None), "the game is not finished"),
    "options": (lambda r: r["rules"].update(must_beat="all"), "must_beat is 'all', and 'off' in the first"),
    "older": (lambda r: r.update(version=-1), "made by version -1"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_record_is_named_and_nothing_is_written(what: str, three: Any, file: Path) -> None:
    spoil, said = WRONG[what]
    record = json.loads(json.dumps(three[1][0]))
    spoil(record)
    lines = file.read_text().splitlines()
    lines[1] = json.dumps(record)
    file.write_text("\n".join(lines))
    before = set(file.parent.iterdir())
    with pytest.raises(ValueError, match=f"{file}:2: .*{said}") as error:
        dataset.write([file], file.with_suffix(".npz"))
    assert len(str(error.value).splitlines()) == 1 and set(file.parent.iterdir()) == before


def test_games_of_two_kinds_are_refused(three: Any) -> None:
    other = played("diao_xie", {}, 0)[0]
    with pytest.raises(ValueError, match="game 1: a game of diao_xie, and the first one of guan_pai"):
        list(dataset.parts([three[0][0], other]))


def test_a_deck_that_leaves_no_decision_is_named() -> None:
    record = played("xiangxi96", {}, 1)[0]
    wrong = {**record, "decks": [record["decks"][0][::-1]]}
    with pytest.raises(ValueError, match="game 1: "):
        list(dataset.parts([record, wrong]))


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"seats": [3]}, "a seat is an integer of 0..2, not 3"),
        ({"players": ["bbo"]}, "nobody in these games is 'bbo'; did you mean bob?"),
        ({"players": ["eve"], "seats": [0]}, "there is no decision in 3 games that was asked for"),
    ],
)
def test_what_is_not_there(wanted: dict[str, Any], said: str, file: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=said):
        dataset.write([file], tmp_path / "out.npz", **wanted)
    assert not (tmp_path / "out.npz").exists()


def test_no_games_at_all(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").touch()
    with pytest.raises(ValueError, match="there is no decision in 0 games"):
        dataset.write([tmp_path / "none.jsonl"], tmp_path / "out.npz")


def test_what_is_no_dataset(file: Path, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.npz", tmp_path / "bad.npz"
    dataset.write([file], good)
    np.savez(tmp_path / "other.npz", action=np.zeros(3))
    contents = [
        b"",
        b"PK",
        file.read_bytes(),
        good.read_bytes()[:-100],
        (tmp_path / "other.npz").read_bytes(),
    ]
    for content in contents:
        bad.write_bytes(content)
        with pytest.raises(ValueError, match=r"bad\.npz is no dataset of games \(.+\)$"):
            dataset.load(bad)
    with np.load(good) as kept:
        columns = dict(kept)
    for change, said in (
        (("format", 9), "version 9 of the format"),
        (("version", 7), "7 of guan_pai's rules"),
    ):
        about = {**json.loads(str(columns["about"])), change[0]: change[1]}
        np.savez(bad, **{**columns, "about": np.array(json.dumps(about))})
        with pytest.raises(ValueError, match=said):
            dataset.load(bad)


# --- the command, the page --------------------------------------------------------------------------


def test_the_command_line(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "bob.npz")
    assert main([str(file), "--players", "bob", "--skip-forced", "--out", out]) == 0
    found = dataset.load(out)
    assert capsys.readouterr().out == f"{out}: {len(found)} decisions of 3 games of guan_pai\n"
    assert (found.about["players"], found.about["skip_forced"]) == (["bob"], True)
    for words, said in (
        ([str(file), "--players", "bbo", "--out", out], "did you mean bob?"),
        (["none.jsonl", "--out", out], "No such file"),
        ([str(file), "--out", str(tmp_path / "no" / "x.npz")], "No such file"),
        ([str(file)], "one of the arguments --out --minari is required"),
    ):
        with pytest.raises(SystemExit) as end:
            main(words)
        printed = capsys.readouterr()
        assert end.value.code == commands.BAD_USAGE and said in printed.err
        assert len(printed.err.splitlines()) == 1
    assert dataset.load(out).about == found.about  # still there


def test_the_page_has_the_columns_of_today() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name, column in dataset.COLUMNS.items():
        dtype = np.dtype(column.dtype).name
        assert f"| `{name}` | {column.shape} {dtype} | {column.meaning} |\n" in page


# --- Minari -----------------------------------------------------------------------------------------


@pytest.fixture
def minari(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = pytest.importorskip("minari", reason="pip install -c constraints.txt -e '.[minari]'")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    return module


def test_minari_has_an_episode_for_each_seat_of_each_game(
    minari: Any, three: Any, file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(arrays, "GAMES_AT_A_TIME", 2)
    assert main([str(file), "--players", "bob", "cid", "--minari", "guan_pai/two-v0"]) == 0
    assert "guan_pai/two-v0: " in capsys.readouterr().out
    wanted = [
        (number, seat)
        for number, (record, _, _) in enumerate(three)
        for seat, name in enumerate(record["agents"])
        if name in ("bob", "cid")
    ]
    found = minari.load_dataset("guan_pai/two-v0")
    assert found.total_episodes == len(wanted)
    for episode, (number, seat) in zip(found.iterate_episodes(), wanted, strict=True):
        _, rows, final = three[number]
        own = [row for row in rows if row["seat"] == seat]
        assert np.array_equal(episode.observations, [*(row["observation"] for row in own), final[seat]])
        assert episode.actions.tolist() == [row["action"] for row in own]
        assert episode.rewards.tolist() == [0] * (len(own) - 1) + [own[0]["score"]]
        assert episode.terminations.tolist() == [False] * (len(own) - 1) + [True]
        assert not episode.truncations.any()
        masks = episode.infos["action_mask"]
        assert np.array_equal(masks[:-1], [row["action_mask"] for row in own]) and not masks[-1].any()
        assert set(episode.infos["seat"].tolist()) == {seat}
    env = found.recover_environment(opponents="random")
    observation, info = env.reset(seed=0)
    assert env.observation_space == found.observation_space and env.action_space == found.action_space
    assert observation.shape == found[0].observations[0].shape
    assert info["action_mask"].shape == found[0].infos["action_mask"][0].shape


def test_minari_gets_all_or_nothing(
    minari: Any, three: Any, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrays, "GAMES_AT_A_TIME", 1)
    with file.open("a") as more:
        more.write(json.dumps({**three[0][0], "scores": [0, 0, 0]}) + "\n")
    with pytest.raises(ValueError, match="scores: recorded"):
        export.add([file], "guan_pai/bad-v0")
    assert not minari.list_local_datasets()
    for bad in ("guan pai", "guan_pai/bad", ""):
        with pytest.raises(ValueError, match="a dataset's id is like"):
            export.add([file], bad)


def test_without_minari_the_command_says_what_to_install(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "minari", None)
    with pytest.raises(SystemExit):
        main([str(file), "--minari", "guan_pai/x-v0"])
    assert "pip install 'paizhuo[minari]'" in capsys.readouterr().err
