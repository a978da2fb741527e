"""Where players would play otherwise, and what it is worth: ``python -m training.disagree``.

    python -m training.disagree guan_pai pretrained rule search --positions 10 --out reports/disagree
    python -m training.disagree diao_xie pretrained rule --deals 500

The first agent plays games in all seats. At each of its decisions the others are asked too; where they
answer otherwise, every answer is tried in the same random worlds that the rule player plays to the end, as
``search`` does. The page shows the positions in which that makes the greatest difference, at most one of a
game, as the seat saw them; the games are in ``records.jsonl``, to be stepped through.

What is worth most in some worlds is partly luck, so what is told is measured in others than those by which
the positions were found. It is the worth against rule players, not against the best play.
"""

from __future__ import annotations

import json
import math
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from numpy.typing import NDArray

from agents import Agent, Decisions, load
from agents.playouts import RulePlayouts
from agents.rule import RuleAgent
from agents.worlds import DealtWorlds
from envs.core.game import Rules, get
from envs.core.rng import mix_in
from envs.core.seeding import as_seed
from envs.core.vector import VectorTables
from envs.record import replay

from . import cli
from .asking import answer
from .blocks import NO_DECISION, make_records
from .checkpoint import write_file
from .evaluate import labels_of
from .intervals import NORMAL_95, Interval
from .report import interval
from .results import try_to_write

FINDING_WORLDS = 64  # of every disagreement
PAGE_FILE, RECORDS_FILE = "positions.md", "records.jsonl"
_STREAM = 0xD15A  # keeps these random numbers apart from others made from the same seed
_ASKING, _FINDING, _MEASURING = 1, 2, 3  # what a key is for


@dataclass(frozen=True)
class Config:
    """Find the positions in which players differ most, and what each one's answer is worth."""

    game: tyro.conf.Positional[str] = "guan_pai"
    """The game."""
    agents: tyro.conf.Positional[tuple[str, ...]] = ()
    """At least two, by name or folder; the first one plays, in all seats."""
    deals: int = 100
    """Games that are played."""
    positions: int = 10
    """How many are shown, the greatest differences first."""
    worlds: int = 1000
    """Random worlds in which the answers are compared at the positions shown; at least 2."""
    seed: int = 0
    """Of the deals, of agents and of the worlds."""
    out: Path = Path("disagree")
    """Folder for positions.md and records.jsonl."""


@dataclass(frozen=True)
class Disagreement:
    """A decision that agents would make otherwise.

    Attributes
    ----------
    game : int
        Which of the games played, from 0.
    decision : int
        Which of the game's decisions, from 0.
    seat : int
    table : (1,) record
        With what the seat may not know zeroed.
    actions : tuple of int
        The agents' answers; the first one was played.
    """

    game: int
    decision: int
    seat: int
    table: NDArray[Any]
    actions: tuple[int, ...]

    @property
    def different(self) -> NDArray[np.int64]:
        """The different actions, the one that was played first."""
        return np.array(list(dict.fromkeys(self.actions)), np.int64)


def play(
    game: str, rules: Rules, agents: Sequence[Agent], labels: Sequence[str], deals: int, seed: int
) -> tuple[list[Disagreement], tuple[str, ...]]:
    """Let the first agent play, and ask the others.

    Returns
    -------
    disagreements : list of Disagreement
        By game and decision.
    records : tuple of str
        Of all games, a line of JSON each.

    Raises
    ------
    ValueError
        If an agent fails or answers with an illegal action.
    """
    keys = mix_in(np.arange(deals, dtype=np.uint64), _STREAM, as_seed(seed))
    vec = VectorTables(get(game), deals, **rules.as_dict())
    seen, infos = vec.reset(seed=keys.tolist())
    decks, dealers, live = vec.decks(), vec.dealers(), np.ones(deals, np.bool_)
    taken: list[NDArray[np.int64]] = []
    found = []
    while live.any():
        masks = seen["action_mask"]
        actions = masks.argmax(axis=1)  # right where it is the only one
        rows = np.flatnonzero(live & (masks.sum(axis=1) > 1))
        asked = Decisions(
            seen["observation"][rows], masks[rows], infos["seat"][rows],
            mix_in(keys[rows], _ASKING, len(taken)), vec.tables(rows=rows),
        )  # fmt: skip
        answers = np.stack([answer(agent, asked) for agent in agents], axis=1)
        actions[rows] = answers[:, 0]
        for i in np.flatnonzero((answers != answers[:, :1]).any(axis=1)):
            told = tuple(answers[i].tolist())
            table = vec.tables(rows=rows[i : i + 1])
            found.append(Disagreement(int(rows[i]), len(taken), int(asked.seats[i]), table, told))
        taken.append(np.where(live, actions, NO_DECISION))
        seen, _, ended, _, infos = vec.step(actions)
        live &= ~ended
    seated = [[labels[0]] * vec.num_players] * deals
    records = make_records(game, rules, decks, dealers, np.stack(taken, axis=1), seated)
    return sorted(found, key=lambda one: (one.game, one.decision)), records


class Judge:
    """Compares a disagreement's actions in random worlds.

    Parameters
    ----------
    game : str
    rules : Rules
    seed : int
    """

    def __init__(self, game: str, rules: Rules, seed: int) -> None:
        self._play_out, self._seed = (
            RulePlayouts(game, RuleAgent(game).module, DealtWorlds(game)),
            as_seed(seed),
        )
        self._denominator = get(game).info(rules).denominator

    def gains(self, one: Disagreement, worlds: int, purpose: int) -> list[Interval]:
        """What each of the ``different`` actions gains on the one that was played, in points.

        Another ``purpose`` means other worlds. The interval is the normal one over the worlds.
        """
        place = np.array([one.game], np.uint64)
        key = mix_in(place, _STREAM, self._seed, purpose, one.decision)[0]
        points = self._play_out(one.table, one.different, key, 0, worlds) / self._denominator
        gained = points - points[:, :1]
        means, errors = gained.mean(axis=0), gained.std(axis=0, ddof=1) / math.sqrt(worlds)
        return [Interval(m, m - NORMAL_95 * e, m + NORMAL_95 * e) for m, e in zip(means, errors, strict=True)]


def greatest(found: Sequence[Disagreement], judge: Judge, positions: int) -> list[Disagreement]:
    """Those in which the worth differs most beyond doubt, at most one of a game."""

    def doubtless(gain: Interval) -> float:
        return max(gain.low, -gain.high, 0.0)

    worth = [max(map(doubtless, judge.gains(one, FINDING_WORLDS, _FINDING))) for one in found]
    chosen: dict[int, Disagreement] = {}
    for k in sorted(range(len(found)), key=lambda k: (-worth[k], k)):
        if worth[k] > 0 and len(chosen) < positions:
            chosen.setdefault(found[k].game, found[k])
    return list(chosen.values())


def page(
    config: Config,
    rules: Rules,
    labels: Sequence[str],
    found: Sequence[Disagreement],
    shown: Sequence[Disagreement],
    records: Sequence[dict[str, Any]],
    judge: Judge,
) -> Iterator[str]:
    """The paragraphs of ``positions.md``."""
    info, text = get(config.game).info(rules), get(config.game).text
    yield f"# {info.title}: where {' and '.join([', '.join(labels[:-1]), labels[-1]])} differ"
    yield (
        f"`{labels[0]}` played {config.deals:,} games in all seats; the others would have played otherwise "
        f"at {len(found):,} of its decisions. Points are what an action gains on the one that was played, in "
        f"{config.worlds:,} random worlds that the rule player plays to the end: mean and 95 % interval. The "
        f"games are in `{RECORDS_FILE}`, a line each. Made by `{command(config, rules)}`."
    )
    for number, (one, record) in enumerate(zip(shown, records, strict=True), 1):
        tables = list(replay(record))
        yield f"## {number}. Game {number}, decision {one.decision}, seat {one.seat}"
        yield f"```text\n{str(text.view(tables[one.decision][0], one.seat)).rstrip()}\n```"
        gains = judge.gains(one, config.worlds, _MEASURING)
        lines = ["| who | plays | points |", "| --- | --- | --- |"]
        for action, gain in zip(one.different.tolist(), gains, strict=True):
            who = ", ".join(f"`{name}`" for name, a in zip(labels, one.actions, strict=True) if a == action)
            told = "played" if action == one.actions[0] else interval(gain)
            lines.append(f"| {who} | {info.action_names[action]} | {told} |")
        yield "\n".join(lines)


def command(config: Config, rules: Rules) -> str:
    """The command line that gives the same page."""
    words = [config.game, *config.agents]
    for name in ("deals", "positions", "worlds", "seed"):
        if getattr(config, name) != getattr(Config(), name):
            words += [f"--{name}", str(getattr(config, name))]
    return shlex.join(["python", "-m", "training.disagree", *words, *cli.option_words(rules)])


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    config, rules = cli.parse(Config, argv, prog="python -m training.disagree", about=__doc__)
    try:
        if len(config.agents) < 2:
            raise ValueError(f"it takes at least 2 agents, not {len(config.agents)}: GAME AGENT OTHER")
        for name, least in {"deals": 1, "positions": 1, "worlds": 2, "seed": 0}.items():
            if getattr(config, name) < least:
                raise ValueError(f"--{name} is at least {least}, not {getattr(config, name)}")
        agents = [load(name, config.game, rules) for name in config.agents]
        try_to_write(config.out)
        labels = labels_of(config.agents)
        found, records = play(config.game, rules, agents, labels, config.deals, config.seed)
        judge = Judge(config.game, rules, config.seed)
        shown = greatest(found, judge, config.positions)
        own = [records[one.game] for one in shown]
        paragraphs = page(config, rules, labels, found, shown, [json.loads(line) for line in own], judge)
        write_file(config.out / PAGE_FILE, "\n\n".join(paragraphs) + "\n")
        write_file(config.out / RECORDS_FILE, "".join(f"{line}\n" for line in own))
    except (OSError, ValueError) as error:
        cli.fail(error)
    except KeyboardInterrupt:
        print("stopped before the end: nothing has been written", file=sys.stderr)
        return cli.INTERRUPTED
    print(f"{len(found):,} decisions where they differ, {len(shown)} of them in {config.out / PAGE_FILE}")
    return 0


if __name__ == "__main__":
    cli.run(main)
