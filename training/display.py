"""What a person sees while a run learns: a live display on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from types import TracebackType

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table

from .stats import Direction

FIGURES = (  # of an iteration, as people read them: key, name, format
    ("loss", "loss", ".4f"), ("value_loss", "value loss", ".4f"), ("entropy", "entropy", ".3f"),
    ("kl", "KL", ".4f"), ("prior_kl", "KL from the warm start", ".3f"), ("epsilon", "epsilon", ".3f"),
    ("gain", "gain of a draw", "+.2f"), ("gradient", "gradient", ".3f"),
    ("explained_variance", "explained variance", ".2f"), ("clipped", "clipped", ".1%"),
)  # fmt: skip
IN_A_LINE = ("entropy", "kl", "gain", "epsilon", "explained_variance")
SECONDS_BETWEEN_LINES = 15  # where there is no terminal


def strength(result: Direction) -> str:
    """One evaluation in a few words, half widths of the 95 % intervals behind the figures."""
    share, points, wins = result.duplicate_share, result.points, result.win_rate
    return (
        f"{100 * share.mean:.1f} ± {100 * share.half_width:.1f} % of duplicate deals, "
        f"{points.mean:+.2f} ± {points.half_width:.2f} points a game, "
        f"{100 * wins.mean:.1f} ± {100 * wins.half_width:.1f} % of games won"
    )


class Display:
    """Shows the progress of a run; use it in a ``with`` statement.

    Parameters
    ----------
    console : Console
    opponent : str
        Whom the evaluations are against.
    """

    def __init__(self, console: Console, opponent: str) -> None:
        self.console, self.opponent = console, opponent
        self._bar = Progress(
            TextColumn("learning"), BarColumn(None), TextColumn("{task.percentage:3.0f} %"),
            TextColumn("{task.fields[left]}"), console=console, expand=True,
        )  # fmt: skip
        self._task = self._bar.add_task("learning", total=1.0, left="")
        self._live = Live(self._bar, console=console, refresh_per_second=4) if console.is_terminal else None
        self._last_line = time.monotonic()
        self._evaluations: list[tuple[int, Direction]] = []

    def __enter__(self) -> Display:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def say(self, line: str) -> None:
        """Print a line that stays."""
        self.console.print(line, highlight=False, soft_wrap=not self.console.is_terminal)

    def remember(self, evaluations: Iterable[tuple[int, Direction]]) -> None:
        """Know of the evaluations that a run had before it was resumed."""
        self._evaluations = list(evaluations)

    def evaluated(self, samples: int, result: Direction) -> None:
        """Tell of an evaluation."""
        self._evaluations.append((samples, result))
        self.say(f"{samples:>12,} samples: {strength(result)} against {self.opponent}")

    def update(self, progress: float, seconds_left: float | None, figures: Mapping[str, float]) -> None:
        """Show the state of learning: ``figures`` of the last iteration and totals."""
        left = "" if seconds_left is None else f"{int(seconds_left) // 60}:{int(seconds_left) % 60:02d} left"
        self._bar.update(self._task, completed=min(progress, 1.0), left=left)
        if self._live is not None:
            self._live.update(Group(self._bar, self._table(figures)))
        elif time.monotonic() - self._last_line > SECONDS_BETWEEN_LINES:
            self._last_line = time.monotonic()
            self.say(
                f"{100 * min(progress, 1.0):3.0f} %  {figures['samples']:,.0f} samples  "
                f"{figures['samples_per_second']:,.0f}/s  {self._own_figures(figures)}  {left}"
            )

    @staticmethod
    def _own_figures(figures: Mapping[str, float]) -> str:
        """The figures of the algorithm that a line has room for."""
        shown = (
            (name, figures[key], how) for key, name, how in FIGURES if key in IN_A_LINE and key in figures
        )
        return "  ".join(f"{name} {value:{how}}" for name, value, how in shown)

    def _table(self, figures: Mapping[str, float]) -> Table:
        table = Table.grid(padding=(0, 2))
        rows = (
            ("samples", f"{figures['samples']:,.0f}", "a second", f"{figures['samples_per_second']:,.0f}"),
            ("games", f"{figures['games']:,.0f}", "a second", f"{figures['games_per_second']:,.0f}"),
        )
        own = [(name, f"{figures[key]:{how}}") for key, name, how in FIGURES if key in figures]
        rows += tuple((*own[k], *(own[k + 1] if k + 1 < len(own) else ())) for k in range(0, len(own), 2))
        for row in rows:
            table.add_row(*row)
        if self._evaluations:
            trend = "  ".join(
                f"{100 * result.duplicate_share.mean:.0f}" for _, result in self._evaluations[-8:]
            )
            last = self._evaluations[-1][1].duplicate_share
            table.add_row(
                f"% of deals against {self.opponent}", f"{100 * last.mean:.1f} ± {100 * last.half_width:.1f}",
                "trend", trend,
            )  # fmt: skip
        return table
