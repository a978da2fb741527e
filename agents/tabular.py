"""Policies of Diao Xie as tables: a probability for every hand type, betting line and action.

A saved one is two files without code: ``tabular.safetensors`` with the probabilities (points, hand types,
actions) and ``tabular.json``, which says what for: game, rules version, options, and the names of the actions
that lead to each point.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from envs.core.game import Game, Rules
from envs.diao_xie.actions import NAMES
from envs.diao_xie.hands import HAND_TYPE, HAND_TYPES, TYPE_NAMES
from envs.diao_xie.table import LONGEST_LINE, NONE

from .base import Agent, Decisions, check_made_for

TABLE_FILE, FACTS_FILE = "tabular.safetensors", "tabular.json"
PROBABILITIES = "probabilities"
TOLERANCE = 1e-3
_DIGITS = (len(NAMES) + 1) ** np.arange(LONGEST_LINE)  # a line as a number, below 2**63


def is_table(folder: Path) -> bool:
    """Whether a table is saved in this folder."""
    return (folder / FACTS_FILE).is_file()


def _code(lines: NDArray[Any]) -> NDArray[np.int64]:
    """A number (N,) for each line (N, L) of actions, padded with NONE."""
    codes: NDArray[np.int64] = (lines.astype(np.int64) - NONE) @ _DIGITS
    return codes


class TabularAgent(Agent):
    """Plays Diao Xie by a table, for one hand an episode.

    Parameters
    ----------
    probabilities : (D, 151, A) float array
        At each point with each hand type, zero where illegal.
    lines : sequence of tuple of int
        The actions that lead to each of the D points.
    name : str
    """

    needs_tables = True

    def __init__(
        self, probabilities: NDArray[Any], lines: Sequence[tuple[int, ...]], name: str = "tabular"
    ) -> None:
        self.name, self.lines = name, list(lines)
        shape = (len(self.lines), len(HAND_TYPES), len(NAMES))
        if probabilities.shape != shape:
            raise ValueError(f"a table of {len(lines)} points is {shape}, not {probabilities.shape}")
        sums = probabilities.sum(axis=2)
        if not np.isfinite(sums).all() or (probabilities < 0).any() or (abs(sums - 1) > TOLERANCE).any():
            raise ValueError("a table holds probabilities, those of a point and hand type sum to 1")
        self.probabilities = probabilities.astype(np.float32)
        padded = np.full((len(self.lines), LONGEST_LINE), NONE)
        for point, line in enumerate(self.lines):
            padded[point, : len(line)] = line
        codes = _code(padded)
        self._points = np.argsort(codes)
        self._codes = codes[self._points]

    def policy(self, decisions: Decisions) -> NDArray[np.float32]:
        if decisions.tables is None:
            raise ValueError(f"{self.name} needs Decisions.tables, as its needs_tables says")
        tables = decisions.tables
        codes = _code(tables["line"])
        at = np.searchsorted(self._codes, codes).clip(max=len(self._codes) - 1)
        if (self._codes[at] != codes).any() or (tables["hands"] != 1).any():
            raise ValueError(f"{self.name} has no such betting line; it plays under the options it is for")
        first, second = tables["cards"][np.arange(len(tables)), decisions.seats].T
        answer: NDArray[np.float32] = self.probabilities[self._points[at], HAND_TYPE[first, second]]
        return answer

    def files(self, game: Game, rules: Rules) -> dict[str, bytes | str]:
        """What a saved table's folder holds, by file name."""
        facts = {
            "game": game.name,
            "version": game.info(rules).version,
            "rules": rules.as_dict(),
            "actions": list(NAMES),
            "hand_types": [" + ".join(TYPE_NAMES[t] for t in hand) for hand in HAND_TYPES],
            "points": [" ".join(NAMES[action] for action in line) for line in self.lines],
        }
        return {
            TABLE_FILE: bytes(save({PROBABILITIES: self.probabilities})),
            FACTS_FILE: json.dumps(facts, indent=1, ensure_ascii=False) + "\n",
        }

    @classmethod
    def load(cls, folder: Path, game: Game, rules: Rules | None) -> TabularAgent:
        """The table saved in a folder.

        Raises
        ------
        ValueError
            If there is none, or it is of another game, rules version or options (``base`` apart).
        """
        wanted_rules = rules or game.rules()
        version, wanted = game.info(wanted_rules).version, wanted_rules.as_dict()
        path = folder / FACTS_FILE
        try:
            facts = json.loads(path.read_text(encoding="utf-8"))
            made_for = facts["game"], facts["version"], dict(facts["rules"])
            check_made_for("it", made_for, (game.name, version, wanted))
            lines = [tuple(NAMES.index(name) for name in line.split()) for line in facts["points"]]
            table = load((folder / TABLE_FILE).read_bytes())[PROBABILITIES]
            return cls(table, lines, folder.name)
        except (OSError, SafetensorError, AttributeError, LookupError, TypeError, ValueError) as error:
            reason = str(error).splitlines()[0] if isinstance(error, ValueError) else repr(error)
            raise ValueError(f"cannot play by the table of {path}: {reason}") from None
