"""Plays the deals that ``test_coverage.py`` draws from: ``python -m tests.record_deals`` writes them again.

Real games of a good player against a careless one, alone against the others and the other way round: points
with a long tail, shares far from a half.
"""

from __future__ import annotations

import csv
from pathlib import Path

from envs.core.game import get
from training.tournament import play_pair

FILE = Path(__file__).parent / "data" / "deals.csv"
DEALS, SEED = 2000, 8
PAIRS = (
    ("guan_pai", "rule_v1", "lowest"),
    ("zheng_shang_you", "rule_v0", "lowest"),
    ("diao_xie", "rule_v0", "random"),
    ("xiangxi96", "rule_v0", "hu_first"),
)
HEADER = ("game", "total_alone", "games_won_alone", "total_of_other_alone", "games_won_by_other_alone")


def main() -> None:
    """Play and write."""
    with FILE.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(HEADER)
        for game, a, b in PAIRS:
            result = play_pair(game, get(game).rules(), a, b, DEALS, SEED)
            totals, won = result.scores.sum(axis=2).tolist(), result.wins.sum(axis=2).tolist()
            for (one, other), (wins, losses) in zip(totals, won, strict=True):
                rows.writerow([game, one, wins, other, losses])


if __name__ == "__main__":
    main()
