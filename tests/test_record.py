"""Records of games: what is written is what was played, and anything else is found."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envs
from envs import record as records
from training.evaluate import main as evaluate

from .games import (
    GAMES,
    Options,
    in_turn,
    is_over,
    legal,
    new_table,
    play,
    pytest_generate_tests,  # noqa: F401 (the hook of in_turn)
)

PAGE = Path(__file__).parents[1] / "docs" / "pages" / "records.md"

every_game = pytest.mark.parametrize(("game", "options"), GAMES)
every_game_in_turn = in_turn(("game", "options"), GAMES)
Record = dict[str, Any]


def played(game: str, options: Options, seed: int, most: float = float("inf")) -> Record:
    env = new_table(game, options, seed=seed)
    play(env, np.random.default_rng(seed), most)
    return env.record()


@pytest.fixture(scope="module")
def finished() -> Record:
    """A finished game of Guan Pai with a play of several actions in it."""
    for seed in range(100):
        record = played("guan_pai", {}, seed)
        if len(record["plays"]) < len(record["decisions"]):
            return record
    raise AssertionError("no play with kickers in 100 games")


# --- what is right ----------------------------------------------------------------------------------


@every_game_in_turn
def test_every_moment_s_record_verifies_and_comes_back(game: str, options: Options, tmp_path: Path) -> None:
    env, rng = new_table(game, options, seed=5), np.random.default_rng(5)
    found = [env.record()]
    while not is_over(env):
        env.step(int(rng.choice(legal(env))))
        found.append(env.record())
    for record in found:
        records.verify(record)
    records.write(found, tmp_path / "games.jsonl")
    assert list(records.read(tmp_path / "games.jsonl")) == found
    assert records.verify_file(tmp_path / "games.jsonl") == (len(found), [])


@every_game
def test_replay_gives_the_table_after_every_decision(game: str, options: Options) -> None:
    env, rng = new_table(game, options, seed=6), np.random.default_rng(6)
    tables = [env._tables.copy()]
    while not is_over(env):
        env.step(int(rng.choice(legal(env))))
        tables.append(env._tables.copy())
    replayed = list(records.replay(env.record()))
    assert len(replayed) == len(tables)
    for one, other in zip(tables, replayed, strict=True):
        other["chance"] = one["chance"]  # the one thing that a record does not hold
        assert one.tobytes() == other.tobytes()


@every_game
def test_plays_are_the_decisions_in_words(game: str, options: Options) -> None:
    env, rng, made = new_table(game, options, seed=7), np.random.default_rng(7), []
    while not is_over(env):
        seat, plays = int(env.agent_selection[-1]), env.legal_plays()
        chosen = plays[rng.integers(len(plays))]
        made.append([seat, chosen.name, list(chosen.cards), len(env.record()["decisions"])])
        for action in chosen.actions:
            env.step(action)
    assert env.record()["plays"] == made


def test_records_of_a_tournament_verify(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = "guan_pai rule random --deals 8 --pool 2 --save-records --env.must-beat all --out"
    assert evaluate([*words.split(), str(tmp_path)]) == 0
    capsys.readouterr()
    file = tmp_path / "records.jsonl"
    assert records.main(["verify", str(file)]) == 0
    assert capsys.readouterr().out == f"{file}: 50 games, all as recorded\n"
    for record in records.read(file):
        env = new_table("guan_pai", record["rules"], deck=record["decks"][0])
        for _, action in record["decisions"]:
            env.step(action)
        assert {**env.record(), "agents": record["agents"]} == record
        assert set(record["agents"]) <= {"rule", "random"}


# --- what is wrong ----------------------------------------------------------------------------------

WRONG: dict[str, tuple[Callable[[Record], Any], str]] = {
    "no object": (lambda r: [r], "a record is an object, not list"),
    "no deck": (lambda r: r.pop("decks"), "the field 'decks' is missing"),
    "no winner": (lambda r: r.pop("winner"), "the field 'winner' is missing"),
    "a new field": (lambda r: r.update(huxi=3), "no field 'huxi'"),
    "a float": (lambda r: r.update(version=0.0), "version must be integer, not 0.0"),
    "a truth": (lambda r: r["decisions"][0].__setitem__(1, True), "decisions must be list of .seat, action."),
    "three in a pair": (lambda r: r["decisions"][0].append(0), "decisions must be"),
    "no text": (lambda r: r["plays"][0][2].append(7), "plays must be"),
    "game": (lambda r: r.update(game="poker"), "no game 'poker'; there are guan_pai"),
    "older": (lambda r: r.update(version=-1), "made by version -1 of guan_pai's rules; these are version 0"),
    "option": (lambda r: r["rules"].update(wild=1), "unknown option 'wild' of guan_pai"),
    "no option": (lambda r: r["rules"].pop("base"), "the option 'base' is missing"),
    "value": (lambda r: r["rules"].update(must_beat="maybe"), "must_beat must be one of"),
    "two decks": (lambda r: r["decks"].append(r["decks"][0]), "deals 1 deck.s. under these rules, not 2"),
    "card": (lambda r: r["decks"][0].__setitem__(0, "1X"), "'1X', which is no card"),
    "twice": (lambda r: r["decks"][0].append("3S"), "some card is there too often"),
    "dealer": (lambda r: r.update(dealer=3), "a dealer's seat is an integer of 0..2, not 3"),
    "agents": (lambda r: r.update(agents=["a"]), "3 seats, but 1 names"),
    "seat": (lambda r: r["decisions"][4].__setitem__(0, 9), "decision 4: seat 9 is not to act, seat"),
    "action": (lambda r: r["decisions"][4].__setitem__(1, 265), "decision 4: .* may not play action 265"),
    "huge": (lambda r: r["decisions"][4].__setitem__(1, 10**30), "decision 4: .* may not play action 1000"),
    "negative": (lambda r: r["decisions"][4].__setitem__(1, -1), "decision 4: .* may not play action -1"),
    "too many": (lambda r: r["decisions"].append([0, 0]), "the game was over before it"),
    "too few": (lambda r: r["decisions"].pop(), "plays: .* recorded, .* replayed"),
    "name": (lambda r: r["plays"][3].__setitem__(1, "hop"), r"plays\[3\]: recorded .*'hop'.*, replayed"),
    "cards": (lambda r: r["plays"][0][2].__setitem__(0, "2S"), r"plays\[0\]: recorded .*2S.*, replayed"),
    "first": (lambda r: r["plays"][2].__setitem__(3, 9), r"plays\[2\]: recorded .*9\], replayed"),
    "event": (lambda r: r["events"].append([0, 1, "flip", ["3D"]]), "events: 1 recorded, 0 replayed"),
    "no event": (lambda r: r["events"].append([1]), "events must be list of .number, seat, event, cards."),
    "a dealer": (lambda r: r.update(dealer=1), "guan_pai has none, not 1"),
    "scores": (lambda r: r.update(scores=[0, 0, 0]), r"scores: recorded \[0, 0, 0\], replayed \["),
    "no scores": (lambda r: r.update(scores=None), "scores: recorded None, replayed"),
    "winner": (lambda r: r.update(winner=(r["winner"] + 1) % 3), "winner: recorded"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_record_says_what_is_wrong(what: str, finished: Record) -> None:
    record = json.loads(json.dumps(finished))
    spoil, said = WRONG[what]
    record = [record] if what == "no object" else (spoil(record), record)[1]
    with pytest.raises(ValueError, match=said) as error:
        records.verify(record)
    assert len(str(error.value).splitlines()) == 1 and len(str(error.value)) < 800


def test_replay_stops_where_the_record_is_wrong(finished: Record) -> None:
    record = json.loads(json.dumps(finished))
    record["decisions"][4][0] = 9
    tables = records.replay(record)
    assert [int(next(tables)[0]["decisions"]) for _ in range(5)] == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError, match="decision 4"):
        next(tables)


# --- files ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{", "not JSON: .* at column"),
        (b'{"game": "guan_pai", "deci', "not JSON: .* at column"),
        (b"\xff\xfe{}", "not JSON"),
        (b"\xff", "not JSON: the text is not UTF-8"),
        (b"[" * 100_000, "not JSON that can be read"),
        (b"9" * 5000, "not JSON that can be read"),
        (b"[]", "a record is an object, not list"),
        (b"NaN", "a record is an object, not float"),
        (b"{}", "the field 'game' is missing"),
    ],
)
def test_a_broken_line_is_named(line: bytes, said: str, finished: Record, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    good = json.dumps(finished).encode()
    file.write_bytes(b"\n".join([good, b"", line, good]))
    read = records.read(file)
    assert next(read) == finished
    with pytest.raises(ValueError, match=f"^{re.escape(str(file))}:3: {said}"):
        next(read)
    games, problems = records.verify_file(file)
    assert games == 3 and len(problems) == 1 and problems[0].startswith(f"{file}:3: ")


def test_writing_is_all_or_nothing(finished: Record, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    records.write([finished] * 2, str(file))
    before = file.read_bytes()

    def failing() -> Iterator[Record]:
        yield finished
        raise KeyError("no more")

    with pytest.raises(KeyError, match="no more"):
        records.write(failing(), file)
    with pytest.raises(ValueError, match="the field 'game' is missing"):
        records.write([finished, {}], file)
    assert file.read_bytes() == before and list(tmp_path.iterdir()) == [file]
    records.write(iter([finished]), file)
    assert list(records.read(file)) == [finished]
    records.write([], file)
    assert list(records.read(file)) == []


def test_the_command_line(finished: Record, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad, none = (str(tmp_path / name) for name in ("good", "bad", "none"))
    records.write([finished] * 3, good)
    records.write([finished, *[{**finished, "scores": [1, 2, 3]}] * 6], bad)
    assert records.main(["verify", good]) == 0
    assert capsys.readouterr() == (f"{good}: 3 games, all as recorded\n", "")
    assert records.main(["verify", bad, good]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[0] for line in lines] == [*(f"{bad}:{i}" for i in range(2, 7)), bad, good]
    assert lines[5] == f"{bad}: 7 games, 6 not as recorded, of which 5 are shown"
    for missing in (none, str(tmp_path)):
        assert records.main(["verify", missing, good]) == 2
        printed = capsys.readouterr()
        assert printed.out == f"{good}: 3 games, all as recorded\n"
        assert printed.err.startswith(f"{missing}: cannot be read: ") and len(printed.err.splitlines()) == 1


# --- the page ---------------------------------------------------------------------------------------


def test_the_page_has_the_schema_and_an_example_of_today() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name, key in records.KEYS.items():
        assert f"| `{name}` | {key.type} | {key.meaning} |\n" in page
    code, shown = re.findall(r"```(?:python|json)\n(.*?)```", page, flags=re.DOTALL)[:2]
    names: dict[str, Any] = {"envs": envs}
    exec(compile(code, str(PAGE), "exec"), names)
    assert json.loads(shown) == names["raw"].record()
    records.verify(json.loads(shown))
    assert names["raw"].record()["scores"] is not None
