"""What reports of games have in common: versions, a folder to write to, a bar of progress."""

from __future__ import annotations

import sys
from collections.abc import Generator, Sequence
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from platform import python_version

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from agents import Agent
from envs.core.game import GameInfo, Rules

from .checkpoint import write_file
from .tournament import Block, Played


def versions_of(info: GameInfo) -> dict[str, str]:
    """Of the game's rules and of what the results were made with."""
    names = ("paizhuo", "numpy", "numba", "torch", "openskill", "matplotlib")
    return {"rules": str(info.version), "python": python_version(), **{name: version(name) for name in names}}


def facts_of(command: str, seed: int, deals: int, rules: Rules, info: GameInfo) -> list[tuple[str, str]]:
    """The list at the head of a report."""
    options = ", ".join(f"{name}={value!r}" for name, value in rules.as_dict().items())
    return [
        ("Command", f"`{command}`"),
        ("Seed", str(seed)),
        ("Deals of every pair", f"{deals:,}"),
        ("Options", options),
        ("Versions", ", ".join(f"{name} {value}" for name, value in versions_of(info).items())),
    ]


def try_to_write(out: Path) -> None:
    """Find out before the games whether the report can be written after them; ValueError if not."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        write_file(out / ".probe", "")
        (out / ".probe").unlink()
    except OSError as error:
        raise ValueError(f"cannot write to the folder {out}: {error.strerror}; give another --out") from None


def watched(blocks: Sequence[Block], games: Generator[Played, None, None]) -> Generator[Played, None, None]:
    """The ``games`` of the ``blocks``, behind a bar of progress where there is a terminal."""
    bar = Progress(
        TextColumn("games"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
        console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty(),
    )  # fmt: skip
    with bar, closing(games):
        task = bar.add_task("games", total=sum(block.games for block in blocks))
        for block, played in zip(blocks, games, strict=True):
            yield played
            bar.advance(task, block.games)


def depending_on_time(labels: Sequence[str], agents: Sequence[Agent]) -> list[str]:
    """A sentence about agents whose answers depend on how fast the machine is, if there are any."""
    names = [
        label
        for label, agent in zip(labels, agents, strict=True)
        if not getattr(agent, "is_reproducible", True)
    ]
    if not names:
        return []
    have = "has" if len(names) == 1 else "have"
    told = f"{', '.join(names)} {have} a time budget, so these figures depend on the machine."
    return [f"**Not reproducible**: {told}"]
