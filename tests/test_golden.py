"""Games written out decision by decision: a change in any of them must be a deliberate act.

``python -m tests.test_golden --write`` writes the files in ``tests/golden`` anew, to be read in the diff.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator
from difflib import unified_diff
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import envs
from envs.core.plays import decks_of
from envs.core.rng import mix_in
from envs.core.vector import sample_masks

from .games import Options, is_over, legal, new_table

FOLDER = Path(__file__).with_name("golden")
WRITE = "python -m tests.test_golden --write"
SHOWN = 12  # lines of a difference; of legal actions' names in a decision

PLAYTHROUGHS: dict[str, list[tuple[Options, int]]] = {
    "guan_pai": [
        ({}, 341),
        ({"must_beat": "all", "dingda": "forced"}, 136),
        ({"cards_each": 6}, 244),
    ],
    "zheng_shang_you": [
        ({}, 156),
        ({"decks": 2, "pass_lockout": True}, 137),
    ],
    "diao_xie": [
        ({"num_players": 3, "hands": 4, "counter_carry": True}, 5),
        ({"betting": "limit", "num_players": 3}, 2),
        ({}, 1),
    ],
    "xiangxi96": [
        ({}, 3682),
        ({"num_players": 2, "scoring": "big_small", "split_table_sentence": True}, 1676),
        ({"num_players": 4, "zhao_extra": "all", "red_face_is_red": False}, 822),
    ],
}
"""By game: options and the seed of the cards and of the actions."""


def playthrough(game: str, options: Options, seed: int) -> Iterator[str]:
    """The lines of one game of uniformly random legal actions."""
    env = new_table(game, options, seed=seed)
    keys, actions = mix_in(np.array([seed], np.uint64), 1), np.zeros(1, np.int64)
    yield f"# {game} {options} seed {seed}"
    for deck in decks_of(env.game, env._deck()):
        yield f"deck {' '.join(deck)}"
    number = 0
    while not is_over(env):
        seen = env.observe(env.agent_selection)
        sample_masks(seen["action_mask"][None], keys, actions)
        names = [env.describe(action) for action in legal(env).tolist()]
        more = f", and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        yield ""
        yield f"decision {number}: {env.agent_selection}"
        yield from env.text().splitlines()
        sums = (f"{name} {zlib.crc32(seen[name].tobytes()):08x}" for name in ("observation", "action_mask"))
        yield f"  {', '.join(sums)}, legal plays {len(env.legal_plays())}"
        yield f"  legal actions {len(names)}: {', '.join(names[:SHOWN])}{more}"
        yield f"  action {actions[0]}: {env.describe(actions[0])}"
        env.step(int(actions[0]))
        number += 1
    record = env.record()
    yield ""
    yield f"over after {number} decisions"
    yield from env.text().splitlines()
    for seat, name, cards, first in record["plays"]:
        yield f"play {first}: player_{seat} {name} {' '.join(cards)}".rstrip()
    for name in list(record)[list(record).index("events") :]:
        yield f"{name} {record[name]}"


def text_of(game: str) -> str:
    """What the file of a game holds."""
    games = ("\n".join(map(str.rstrip, playthrough(game, *how))) for how in PLAYTHROUGHS[game])
    return "\n\n\n".join(games) + "\n"


def file_of(game: str) -> Path:
    return FOLDER / f"{game}.txt"


@pytest.mark.parametrize("game", envs.games())
def test_the_games_are_as_written(game: str) -> None:
    golden, today = file_of(game).read_text(encoding="utf-8"), text_of(game)
    if golden != today:
        lines = unified_diff(golden.splitlines(), today.splitlines(), "golden", "today", lineterm="", n=2)
        difference = "\n".join(islice(lines, SHOWN))
        pytest.fail(f"{game} plays otherwise; if that is meant: {WRITE}\n{difference}", pytrace=False)


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(f"usage: {WRITE}")
    for name in PLAYTHROUGHS:
        file_of(name).write_text(text_of(name), encoding="utf-8", newline="\n")
        print(f"wrote {file_of(name)}")
