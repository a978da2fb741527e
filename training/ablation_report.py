"""The report of ``python -m training.ablate``: what variants of self-play differ by from its defaults.

References
----------
Student, "The probable error of a mean", Biometrika 6, 1908: the interval of a mean of n numbers is
± t s / sqrt(n), with s their sample deviation and t of n - 1 degrees of freedom.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from .checkpoint import CONFIG_FILE, read_json
from .runs import Entry

# The 97.5 % quantiles of Student's t with 1, 2... degrees of freedom.
STUDENT_T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)
COMPARED = {"duplicate_share": (100, ".1f"), "points": (1, ".2f")}  # figure: unit, format
HEADER = (
    "variant", "arguments", "% of duplicate deals", "points a game", "% of games won",
    "difference, % of deals", "difference, points", "thousand samples",
)  # fmt: skip
HOW_TO_READ = (
    "Figures are means over the seeds (lowest..highest); differences are to the defaults with the same seed, "
    "± half the 95 % interval of their mean (Student's t): where that holds 0, no difference has been shown."
)


@dataclass(frozen=True)
class Difference:
    """A mean of differences, and half its 95 % interval where there are several."""

    mean: float
    half_width: float | None


@dataclass(frozen=True)
class Result:
    """What came of a variant: its finished runs, and the reasons of those that failed, by seed."""

    variant: str
    asks: str
    arguments: str
    runs: dict[int, Entry] = field(default_factory=dict)
    failed: dict[int, str] = field(default_factory=dict)

    def figures(self, name: str) -> dict[int, float]:
        """A figure of the runs' entries by seed; of an interval its mean."""
        found = {seed: getattr(entry, name) for seed, entry in self.runs.items()}
        return {seed: float(getattr(value, "mean", value)) for seed, value in found.items()}


def mean_difference(values: Mapping[int, float], defaults: Mapping[int, float]) -> Difference | None:
    """The mean difference over the seeds that both have; None if there are none.

    >>> mean_difference({0: 4.0, 1: 6.0}, {0: 3.0, 1: 3.0})
    Difference(mean=2.0, half_width=12.706)
    """
    differences = [values[seed] - defaults[seed] for seed in values if seed in defaults]
    n = len(differences)
    if n < 2:
        return Difference(differences[0], None) if n else None
    return Difference(fmean(differences), STUDENT_T[n - 2] * stdev(differences) / math.sqrt(n))


def differences(result: Result, defaults: Result) -> dict[str, Difference | None]:
    """How much better a variant is than the defaults, figure by figure; None without a run to compare."""
    if result is defaults:
        return dict.fromkeys(COMPARED)
    return {name: mean_difference(result.figures(name), defaults.figures(name)) for name in COMPARED}


def table_rows(results: Sequence[Result]) -> list[list[str]]:
    """The cells below ``HEADER``; the first result is the defaults'."""
    rows = []
    for result in results:
        failed = f" (failed: seed {', '.join(map(str, result.failed))})" if result.failed else ""
        samples = result.figures("samples").values()
        rows.append(
            [
                f"{result.variant}{failed}",
                result.arguments,
                _with_spread(result.figures("duplicate_share"), 100, ".1f"),
                _with_spread(result.figures("points"), 1, "+.2f"),
                _with_spread(result.figures("win_rate"), 100, ".1f"),
                *(_with_interval(d, *COMPARED[name]) for name, d in differences(result, results[0]).items()),
                f"{fmean(samples) / 1000:,.0f}" if samples else "",
            ]
        )
    return rows


def _with_spread(figures: Mapping[int, float], unit: float, form: str) -> str:
    values = [unit * value for value in figures.values()]
    if len(values) < 2:
        return f"{values[0]:{form}}" if values else ""
    return f"{fmean(values):{form}} ({min(values):{form}}..{max(values):{form}})"


def _with_interval(found: Difference | None, unit: float, form: str) -> str:
    if found is None:
        return ""
    end = "" if found.half_width is None else f" ± {unit * found.half_width:{form}}"
    return f"{unit * found.mean:+{form}}{end}"


def failures(results: Sequence[Result]) -> list[str]:
    """A line for every run that failed."""
    return [
        f"Failed: {result.variant}, seed {seed}: {reason}"
        for result in results
        for seed, reason in result.failed.items()
    ]


def as_dict(facts: Mapping[str, Any], results: Sequence[Result]) -> dict[str, Any]:
    """The content of ``ablation.json``: ``facts``, and of every variant all that is known."""
    variants = [
        {
            **asdict(result),
            "differences": {
                name: found and asdict(found) for name, found in differences(result, results[0]).items()
            },
        }
        for result in results
    ]
    return {**facts, **made_by(results), "variants": variants}


def made_by(results: Sequence[Result]) -> dict[str, list[str]]:
    """The machines and the versions of packages that the runs have written down."""
    folders = [Path(entry.folder) for result in results for entry in result.runs.values()]
    told = [read_json(folder / CONFIG_FILE) for folder in folders]
    versions = (f"{name} {number}" for run in told for name, number in run["versions"].items())
    return {"machines": sorted({run["machine"] for run in told}), "versions": list(dict.fromkeys(versions))}


def markdown(facts: Mapping[str, Any], results: Sequence[Result]) -> str:
    """The text of ``ablation.md``.

    Parameters
    ----------
    facts : mapping
        ``title`` of the game, ``budget`` of a variant in words, number of ``deals``, ``against`` whom,
        ``command`` and ``rules_version``.
    results : sequence of Result
        The defaults' first.
    """
    cells = [HEADER, ["---"] * len(HEADER), *table_rows(results)]
    own = made_by(results)
    parts = [
        f"# What the defaults of self-play bring: {facts['title']}",
        f"Every variant learned for {facts['budget']} and then played {facts['deals']:,} duplicate deals, "
        f"the same for all, against {facts['against']} in all other seats. {HOW_TO_READ}",
        "\n".join(
            [
                f"- Command: `{facts['command']}`",
                *(f"- Machine: {machine}" for machine in own["machines"]),
                f"- Versions: {', '.join(['rules ' + str(facts['rules_version']), *own['versions']])}",
            ]
        ),
        "\n".join(f"| {' | '.join(row)} |" for row in cells),
        "\n".join(f"- {result.variant}: {result.asks}" for result in results),
        "\n".join(f"- {line}" for line in failures(results)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"
