"""A run of counterfactual regret minimisation: ``training.selfplay diao_xie --algo cfr``.

It measures as it goes, prints a line a measurement, and leaves a policy, a curve and a report.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from agents.tabular import TabularAgent
from envs.core.game import Rules, get

from . import cli
from .betting_tree import GAME
from .cfr import CFRPlus, SampledCFR, learner_of
from .checkpoint import (
    ARRAYS_FILE,
    CONFIG_FILE,
    PROGRESS_FILE,
    SECONDS_BETWEEN_SAVES,
    arrays_bytes,
    csv_rows,
    csv_text,
    read_arrays,
    readable_json,
    write_file,
)
from .curve import CURVE_FILE, REPORT_FILE, as_png, how_made, new_figure
from .exploitability import Exploitability
from .stats import NORMAL_95
from .stopping import Stopping

LEAST_SHOWN = 1e-7


@dataclass(frozen=True)
class Row:
    """What was measured after some iterations: exploitability (mean gain) and its standard error, in b."""

    iteration: int
    seconds: float
    exploitability: float
    error: float


def train(
    rules: Rules,
    description: dict[str, Any],
    folder: Path,
    *,
    seed: int,
    seconds: float,
    iterations: int | None,
    console: Console,
    state: Mapping[str, NDArray[Any]] | None = None,
) -> int:
    """Learn, printing a line a measurement; save the policy and the report in ``folder``.

    Parameters
    ----------
    rules : Rules
    description : dict
        Command, options, versions and machine of the run.
    folder : Path
        Made here, or the run's that goes on.
    seed : int
    seconds : float
        Of learning, measuring not counted.
    iterations : int or None
        So many instead; then the same seed gives the same policy.
    console : Console
    state : mapping of str to array, optional
        Of ``read_state``: to go on from.

    Returns
    -------
    int
        The exit code.
    """
    learner = learner_of(rules, seed)
    rows: list[Row] = []
    spent, due, stopped = 0.0, 1, False
    say = partial(console.print, highlight=False, soft_wrap=True)
    if state is None:
        say(f"Learning {GAME} by CFR in {folder}; the first time it compiles for some seconds.")
    else:
        learner.load_state(state)
        spent, rows = float(state["seconds"]), read_rows(folder, learner.iterations)
        due = learner.measured_every * rows[-1].iteration
        say(f"Going on with {folder} after {learner.iterations:,} iterations.")
    folder.mkdir(parents=True, exist_ok=True)
    write_file(folder / CONFIG_FILE, readable_json(description))
    say(f"{'iteration':>10}  {'seconds':>8}  {_heading(learner)}")
    has_compiled, saved_at = False, time.monotonic()
    with Stopping() as stopping:
        while True:
            started = time.perf_counter()
            learner.iterate()
            spent += time.perf_counter() - started if has_compiled else 0.0
            has_compiled = True
            stopped = stopping.requested
            ended = learner.iterations >= iterations if iterations is not None else spent >= seconds
            if learner.iterations >= due or ended or stopped:
                found = learner.measure()
                rows.append(Row(learner.iterations, spent, found.mean, found.error))
                say(_line(rows[-1]))
                save(learner, rows, folder)
                due = learner.measured_every * learner.iterations
            elif time.monotonic() - saved_at < SECONDS_BETWEEN_SAVES:
                continue
            save_state(learner, spent, folder)
            saved_at = time.monotonic()
            if ended or stopped:
                break
    summary = [*_summary(learner, rows[-1], found), *_next_steps(learner, folder)]
    write_report(folder, description, summary, rows)
    if stopped and not ended:
        say("Stopped before the end; what has been learned is saved.")
        say(f"Go on: python -m training.selfplay --resume {folder}")
    say("\n" + "\n".join(summary))
    say(f"Report, curve and policy: {folder}")
    return cli.INTERRUPTED if stopped and not ended else 0


def save_state(learner: CFRPlus | SampledCFR, seconds: float, folder: Path) -> None:
    """Save what learning goes on from."""
    write_file(folder / ARRAYS_FILE, arrays_bytes({**learner.state(), "seconds": np.array(seconds)}))


def read_state(folder: Path) -> tuple[dict[str, NDArray[Any]], int, float]:
    """What ``save_state`` saved, with the iterations and seconds of learning so far.

    Raises
    ------
    ValueError
        If it cannot be read.
    """
    arrays = read_arrays(folder / ARRAYS_FILE)
    try:
        return arrays, int(arrays["iterations"]), float(arrays["seconds"])
    except KeyError as error:
        raise ValueError(f"{folder} is no run of this version of the program ({error} is missing)") from None


def read_rows(folder: Path, iterations: int) -> list[Row]:
    """What was measured in a run's first ``iterations``."""
    rows = [
        Row(int(told["iteration"]), told["seconds"], told["exploitability"], told["error"])
        for told in csv_rows(folder / PROGRESS_FILE)
    ]
    return [row for row in rows if row.iteration <= iterations]


def save(learner: CFRPlus | SampledCFR, rows: Sequence[Row], folder: Path) -> None:
    """Save the policy, which is an agent for every other command, and the figures so far."""
    agent = TabularAgent(learner.policy(), learner.tree.lines)
    for name, content in agent.files(get(GAME), learner.rules).items():
        write_file(folder / name, content)
    write_file(folder / PROGRESS_FILE, csv_text([asdict(row) for row in rows]))


def _heading(learner: CFRPlus | SampledCFR) -> str:
    if isinstance(learner, SampledCFR):
        return "mean gain of a trained response (b a hand, a lower bound, ± 95 %)"
    return (
        "exploitability (b a hand)"
        if learner.rules.num_players == 2
        else "mean best-response gain (b a hand)"
    )


def _amount(row: Row) -> str:
    """The exploitability as far as it is known."""
    if row.error:
        return f"{row.exploitability:.4f} ± {NORMAL_95 * row.error:.4f}"
    return (
        f"{row.exploitability:.7f}" if row.exploitability >= LEAST_SHOWN else f"less than {LEAST_SHOWN:.7f}"
    )


def _line(row: Row) -> str:
    return f"{row.iteration:>10,}  {row.seconds:>8.2f}  {_amount(row)}"


def _summary(learner: CFRPlus | SampledCFR, row: Row, found: Exploitability) -> list[str]:
    """What a person wants to know of the policy."""
    after = f"After {row.iteration:,} iterations ({row.seconds:.1f} s of learning)"
    values = ", ".join(f"{value:+.4f}" for value in found.values)
    n = learner.rules.num_players
    if n == 2:
        return [
            f"{after} this policy is an equilibrium up to {_amount(row)} b a hand: so much a seat "
            "gains that knows it and plays its best against it (exact, mean over the two seats).",
            f"The hand is worth {found.values[0]:+.6f} b to the first speaker.",
        ]
    if isinstance(learner, CFRPlus):
        gain = f"gains {_amount(row)} b a hand (exact, mean over seats)"
    else:
        gain = (
            f"gained {_amount(row)} b a hand (mean over seats, by a response that was trained by "
            "sampling: the best one may gain more)"
        )
    return [
        f"{after} one seat that changes alone, against {n - 1} that stay with this policy, {gain}.",
        f"Values by speaking place: {values} b. With {n} players this is no claim of an equilibrium.",
    ]


def _next_steps(learner: CFRPlus | SampledCFR, folder: Path) -> list[str]:
    options = " ".join(["", *cli.option_words(learner.rules)])
    steps = [f"How strong is it? python -m training.evaluate {GAME} {folder} random{options}"]
    if isinstance(learner, CFRPlus):
        steps.append(f"Best responses by seat: python -m training.exploit {GAME} {folder}{options}")
    return steps


def write_report(
    folder: Path, description: dict[str, Any], summary: Sequence[str], rows: Sequence[Row]
) -> None:
    """Write ``report.md`` and the falling curve into the run's folder."""
    write_file(folder / CURVE_FILE, draw_curve(rows))
    lines = [
        f"# {GAME} by CFR",
        "",
        "\n\n".join(summary),
        "",
        f"![mean best-response gain]({CURVE_FILE})",
        "",
        "| iteration | seconds | mean best-response gain (b a hand) | standard error |",
        "|---|---|---|---|",
        *(f"| {r.iteration:,} | {r.seconds:.2f} | {r.exploitability:.7f} | {r.error:.5f} |" for r in rows),
        "",
        *how_made(description),
    ]
    write_file(folder / REPORT_FILE, "\n".join(lines))


def draw_curve(rows: Sequence[Row]) -> bytes:
    """The mean best-response gain against iterations as PNG, both logarithmic."""
    figure = new_figure(6)
    axes = figure.subplots()
    axes.plot([r.iteration for r in rows], [r.exploitability for r in rows], marker="o", color="tab:blue")
    axes.set_xscale("log")
    axes.set_yscale("log", nonpositive="mask")
    axes.set_xlabel("iterations")
    axes.set_ylabel("mean best-response gain, b a hand")
    axes.grid(alpha=0.3)
    return as_png(figure)
