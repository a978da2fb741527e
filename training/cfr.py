"""Counterfactual regret minimisation for Diao Xie, over 151 hand types and all betting lines.

Two players and three: CFR+ with exact sums over all deals (no sampling): regrets are never negative, seats
are updated one after another, iteration t counts t times in the average policy, which is the result. Between
two players its exploitability goes to 0. From three players on self-play promises no equilibrium; what is
reported is what a best response of one seat would gain.

Four players and five: external sampling. For each seat in turn cards are dealt and the others' actions drawn,
all actions of the seat itself are tried by playing the engine, and what is old counts less and less (linear
weights). Gains are estimated by training a response in the same way and playing it on fresh deals: a lower
bound, with its standard error.

References
----------
M. Zinkevich, M. Johanson, M. Bowling, C. Piccione, "Regret minimization in games with incomplete
information", NIPS 2007.
O. Tammelin, N. Burch, M. Johanson, M. Bowling, "Solving heads-up limit Texas hold'em", IJCAI 2015: CFR+.
M. Lanctot, K. Waugh, M. Zinkevich, M. Bowling, "Monte Carlo sampling for regret minimization in extensive
games", NIPS 2009: external sampling.
N. Brown, T. Sandholm, "Solving imperfect-information games via discounted regret minimization", AAAI 2019:
linear weights.
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
from envs.diao_xie.hands import NUM_HAND_TYPES
from envs.diao_xie.rules import DiaoXieRules

from . import cli
from .betting_tree import GAME, MOST_EXACT, Floats, Tree, betting_of, tree_of
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
from .exploitability import Exploitability, best_response, go_back, reaches_of
from .external_sampling import REGRETS, estimate, explore_deals, new_levels
from .stats import NORMAL_95
from .stopping import Stopping

DEALS_AN_ITERATION = 10_000  # of external sampling, for each seat
LEAST_SHOWN = 1e-7


# --- the algorithms -----------------------------------------------------------------------------


class CFRPlus:
    """CFR+ for two or three players.

    Parameters
    ----------
    rules : DiaoXieRules
        One hand.
    """

    measured_every = 3  # times as many iterations as at the last measurement

    def __init__(self, rules: DiaoXieRules) -> None:
        self.rules, self.betting = rules, betting_of(rules)
        self.tree = self.betting.tree
        self.iterations = 0
        self._strategy = _uniform(self.tree)  # (D, H, A)
        self._regrets, self._total = np.zeros_like(self._strategy), np.zeros_like(self._strategy)

    def iterate(self) -> None:
        """Update every seat once."""
        self.iterations += 1
        n = self.rules.num_players
        for seat in range(n):
            at_points, at_ends = reaches_of(self.tree, self._strategy, n)
            ends = self.betting.end_values(seat, at_ends)
            go_back(self.tree, seat, ends, partial(self._update, at_points[seat]))

    def _update(self, own_reaches: Floats, point: int, values: Floats) -> Floats:
        """Add up regrets and the average at a ``point``; ``values`` (H, legal) of its actions."""
        actions = list(self.tree.children[point])
        strategy = self._strategy[point][:, actions]
        self._total[point][:, actions] += self.iterations * own_reaches[point][:, None] * strategy
        expected: Floats = (strategy * values).sum(axis=1)
        regrets = np.maximum(self._regrets[point][:, actions] + values - expected[:, None], 0)
        self._regrets[point][:, actions] = regrets
        sums = regrets.sum(axis=1, keepdims=True)
        matched = np.divide(regrets, sums, out=np.full_like(regrets, 1 / len(actions)), where=sums > 0)
        self._strategy[point][:, actions] = matched
        return expected

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that later iterations depend on."""
        return {
            "iterations": np.array(self.iterations),
            "strategy": self._strategy,
            "regrets": self._regrets,
            "total": self._total,
        }

    def load_state(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from the ``state`` of a learner of the same rules."""
        self.iterations = int(arrays["iterations"])
        for own, kept in ((self._strategy, "strategy"), (self._regrets, "regrets"), (self._total, "total")):
            own[:] = arrays[kept]

    def policy(self) -> Floats:
        """The average policy, (D, 151, A)."""
        return _average(self._total, self.tree)

    def measure(self) -> Exploitability:
        """Exact values and best responses of the average policy."""
        return best_response(self.betting, self.policy())


def _uniform(tree: Tree) -> Floats:
    """The policy (D, 151, A) that plays all legal actions alike."""
    legal = np.repeat(tree.legal[:, None], NUM_HAND_TYPES, axis=1)
    policy: Floats = legal / legal.sum(axis=2, keepdims=True)
    return policy


def _average(total: NDArray[Any], tree: Tree) -> Floats:
    """The policy in proportion to ``total`` (D, 151, A), uniform where that is 0."""
    sums = total.sum(axis=2, keepdims=True, dtype=np.float64)
    return np.divide(total, sums, out=_uniform(tree), where=sums > 0)


class SampledCFR:
    """CFR by external sampling, for any number of players.

    Parameters
    ----------
    rules : DiaoXieRules
        One hand.
    seed : int
        Of the deals and the drawn actions.
    """

    measured_every = 10  # measuring takes longer

    def __init__(self, rules: DiaoXieRules, seed: int) -> None:
        self.rules, self.tree = rules, tree_of(rules)
        self.iterations, self._seed = 0, seed
        self._strategy = _uniform(self.tree).astype(np.float32)  # (D, H, A)
        self._regrets, self._total = np.zeros_like(self._strategy), np.zeros_like(self._strategy)
        self._tables, self._keys = new_levels(rules, seed)

    def iterate(self) -> None:
        """Update every seat on some thousand deals, then weigh down what is old."""
        self.iterations += 1
        arrays = self._strategy, self._regrets, self._total
        for seat in range(self.rules.num_players):
            explore_deals(
                self._tables, self.tree.child_table, seat, *arrays, REGRETS, self._keys, DEALS_AN_ITERATION
            )
        older = np.float32(self.iterations / (self.iterations + 1))
        self._regrets *= older
        self._total *= older

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that later iterations depend on."""
        arrays = {"strategy": self._strategy, "regrets": self._regrets, "total": self._total}
        return {
            **arrays,
            "iterations": np.array(self.iterations),
            "tables": self._tables,
            "keys": self._keys,
        }

    def load_state(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from the ``state`` of a learner of the same rules."""
        self.iterations = int(arrays["iterations"])
        for own, kept in ((self._strategy, "strategy"), (self._regrets, "regrets"), (self._total, "total"),
                          (self._tables, "tables"), (self._keys, "keys")):  # fmt: skip
            own[:] = arrays[kept]

    def policy(self) -> Floats:
        """The average policy, (D, 151, A)."""
        return _average(self._total, self.tree)

    def measure(self) -> Exploitability:
        """Values of the average policy and trained responses to it, estimated."""
        return estimate(self.rules, self.policy(), self._seed)


def learner_of(rules: Rules, seed: int) -> CFRPlus | SampledCFR:
    """CFR+ where sums over all deals are feasible, else external sampling.

    Raises
    ------
    ValueError
        If these are not the rules of a single hand of Diao Xie.
    """
    if not isinstance(rules, DiaoXieRules):
        raise ValueError(
            f"CFR is for {GAME}, where all hands can be gone through: "
            f"python -m training.selfplay {GAME} --algo cfr"
        )
    return CFRPlus(rules) if rules.num_players <= MOST_EXACT else SampledCFR(rules, seed)


# --- a run --------------------------------------------------------------------------------------


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
