"""The grammar of all commands: ``python -m training.X [GAME] [...] [--env.OPTION VALUE ...]``.

A command declares its arguments as a dataclass (one field an argument, a line below each says what it
does); the rule options of the game, which the first argument names, join them as ``--env.OPTION``.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import sys
from collections.abc import Sequence
from typing import Any, NoReturn, TypeVar

import tyro

from envs.core.game import NAMES, Rules, get

C = TypeVar("C")

BAD_USAGE = 2  # exit code


def fail(message: object) -> NoReturn:
    """End the program with one line on the standard error and the exit code for bad usage."""
    print(f"error: {' '.join(str(message).split())}", file=sys.stderr)
    raise SystemExit(BAD_USAGE)


def parse(
    config_class: type[C],
    argv: Sequence[str] | None = None,
    *,
    prog: str,
    game: str = NAMES[0],
    rules: Rules | None = None,
) -> tuple[C, str, Rules]:
    """Read a command line.

    Parameters
    ----------
    config_class : type
        Frozen dataclass of the arguments besides ``--env``; its first is a positional ``game``.
    argv : sequence of str, optional
        The arguments; by default the program's.
    prog : str
        How the command is called, for its help.
    game : str
        The game where the first argument names none.
    rules : Rules, optional
        The options where nothing is said about them, if the game is ``game``; by default the game's
        own. Pass those of a saved run: what comes back differs where ``--env`` does not agree.

    Returns
    -------
    config : config_class
    game : str
    rules : Rules

    Raises
    ------
    SystemExit
        With code 2 and one line that says what is wrong, or 0 after ``--help``.
    """
    argv = list(sys.argv[1:] if argv is None else argv)
    chosen = argv[0] if argv and not argv[0].startswith("-") else game
    try:
        options = get(chosen).rules
    except ValueError as error:
        fail(f"{error}; {prog} takes the game first")
    default = rules if rules is not None and chosen == game else options()
    with_env: Any = dataclasses.make_dataclass(
        config_class.__name__,
        [("env", options, dataclasses.field(default=default))],
        bases=(config_class,),
        frozen=True,
    )
    with_env.__doc__ = config_class.__doc__
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            config = tyro.cli(with_env, args=argv, prog=prog)
    except SystemExit as end:
        if end.code in (0, None):
            raise
        fail(f"{_first_paragraph(said.getvalue())} (see {prog} --help)")
    named = getattr(config, "game", chosen)
    if named != chosen:
        fail(f"the game comes first: {prog} {named} ...")
    return config, chosen, config.env


def _first_paragraph(box: str) -> str:
    """The complaint in the box that tyro draws around it and its help."""
    lines = [line.strip("│ ") for line in box.splitlines() if not line.startswith("╭")]
    end = next((i for i, line in enumerate(lines) if not line.strip("─╰╯")), len(lines))
    return " ".join(lines[:end]) or box


def option_words(rules: Rules) -> list[str]:
    """The ``--env`` arguments that stand for ``rules``: its options that are not the defaults.

    >>> option_words(get("guan_pai").rules(must_beat="all", lead_diamond_three=True, loss_cap=None))
    ['--env.must-beat', 'all', '--env.lead-diamond-three', '--env.loss-cap', 'None']
    """
    words = []
    for field in dataclasses.fields(rules):
        value = getattr(rules, field.name)
        if value == field.default:
            continue
        name = field.name.replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--env.{name}" if value else f"--env.no-{name}")
        else:
            words += [f"--env.{name}", str(value)]
    return words
