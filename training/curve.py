"""A run's learning curve (PNG) and its ``report.md``."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .checkpoint import readable_json, write_file
from .stats import Direction, Interval

CURVE_FILE = "learning_curve.png"
REPORT_FILE = "report.md"


@dataclass(frozen=True)
class Evaluation:
    """An evaluation at a moment of a run."""

    samples: int
    games: int
    seconds: float
    result: Direction

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> Evaluation:
        """The evaluation that ``dataclasses.asdict`` made ``told`` of, through JSON or not."""
        result: dict[str, Any] = {
            name: Interval(**value) if isinstance(value, Mapping)
            else tuple(Interval(**one) for one in value) if isinstance(value, list | tuple)
            else value
            for name, value in told["result"].items()
        }  # fmt: skip
        return cls(told["samples"], told["games"], told["seconds"], Direction(**result))


def write_report(
    folder: Path,
    description: dict[str, Any],
    summary: Sequence[str],
    evaluations: Sequence[Evaluation],
    opponent: str,
) -> None:
    """Write ``report.md`` and the curve into the run's folder.

    Parameters
    ----------
    folder : Path
    description : dict
        Command, options, versions and machine of the run.
    summary : sequence of str
        How strong the agent became.
    evaluations : sequence of Evaluation
    opponent : str
        Whom the agent was evaluated against.
    """
    title = f"{description['game']} by {description['options']['algo'].upper()} against {opponent}"
    write_file(folder / CURVE_FILE, draw_curve(evaluations, title))
    rows = [
        f"| {e.samples:,} | {e.games:,} | {e.seconds / 60:.1f} | {_share(e.result.duplicate_share)} | "
        f"{e.result.points.mean:+.2f} [{e.result.points.low:+.2f}, {e.result.points.high:+.2f}] | "
        f"{_share(e.result.win_rate)} | {e.result.deals} |"
        for e in evaluations
    ]
    lines = [
        f"# {description['game']} by self-play",
        "",
        *summary,
        "",
        f"![learning curve]({CURVE_FILE})",
        "",
        f"One seat of the agent against {opponent} in all the others, every deal played from each seat; "
        "95 % bootstrap intervals over deals.",
        "",
        "| samples | games | minutes | % of duplicate deals | points a game | % of games won | deals |",
        "|---|---|---|---|---|---|---|",
        *rows,
        "",
        *how_made(description),
    ]
    write_file(folder / REPORT_FILE, "\n".join(lines))


def how_made(description: dict[str, Any]) -> list[str]:
    """The end of a report: the command, the machine, and everything that made the run what it is."""
    return [
        f"Made by `{description['command']}` on {description['machine']}.",
        "",
        "```json",
        readable_json(description).rstrip(),
        "```",
        "",
    ]


def new_figure(width: float) -> Any:
    """An empty picture, ``width`` inches wide, that needs no screen."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def as_png(figure: Any) -> bytes:
    """A picture as the content of a file."""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=120)
    return file.getvalue()


def _share(interval: Interval) -> str:
    return f"{100 * interval.mean:.1f} [{100 * interval.low:.1f}, {100 * interval.high:.1f}]"


def draw_curve(evaluations: Sequence[Evaluation], title: str) -> bytes:
    """The learning curve as PNG: share of duplicate deals and points a game against samples."""
    return draw_curves({"": [evaluations]}, title)


def draw_curves(curves: Mapping[str, Sequence[Sequence[Evaluation]]], title: str) -> bytes:
    """The learning curves of several runs as PNG; those of one name have one colour, as other seeds have."""
    from matplotlib.ticker import EngFormatter

    figure = new_figure(9)
    share, points = figure.subplots(1, 2)
    for number, (name, runs) in enumerate(curves.items()):
        more = len(runs) - 1
        others = f" and {more} more seed{'s' * (more > 1)}" if more else ""
        for k, evaluations in enumerate(runs):
            samples, label = [e.samples for e in evaluations], name + others if k == 0 else None
            shares = [e.result.duplicate_share for e in evaluations]
            _draw(share, samples, shares, 100, f"C{number}", label)
            _draw(points, samples, [e.result.points for e in evaluations], 1, f"C{number}", label)
    for axes, level in ((share, 50), (points, 0)):
        axes.axhline(level, color="grey", linestyle="--", linewidth=1)
        axes.xaxis.set_major_formatter(EngFormatter())
        axes.set_xlabel("samples")
        axes.grid(alpha=0.3)
    share.set_ylabel("% of duplicate deals with a positive total")
    points.set_ylabel("points a game")
    if any(curves):
        points.legend(fontsize=8, loc="lower right")
    figure.suptitle(f"{title}; band: 95 % interval, dashed: an equal player", fontsize=10)
    return as_png(figure)


def _draw(
    axes: Any, samples: list[int], intervals: list[Interval], unit: float, colour: str, label: str | None
) -> None:
    """A curve with its intervals."""
    axes.plot(samples, [unit * i.mean for i in intervals], marker="o", color=colour, label=label)
    low, high = [unit * i.low for i in intervals], [unit * i.high for i in intervals]
    axes.fill_between(samples, low, high, alpha=0.25, color=colour, linewidth=0)
