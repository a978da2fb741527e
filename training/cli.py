"""The grammar of all commands: ``python -m training.X [GAME] [...] [--env.OPTION VALUE ...]``.

A command declares its arguments as a dataclass: one field an argument, and the line below it says what
it does. The first is ``game``; the options of that game join them as ``--env.OPTION``.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import re
import sys
from collections.abc import Sequence
from itertools import dropwhile, takewhile
from typing import Any, TypeVar

import tyro

from envs.core.commands import BAD_USAGE, FAILED, INTERRUPTED, examples, fail, run, unknown_option
from envs.core.game import NAMES, Rules, get

__all__ = [
    "BAD_USAGE",
    "FAILED",
    "INTERRUPTED",
    "fail",
    "option_words",
    "parse",
    "parse_plain",
    "run",
    "sample_count",
]

C = TypeVar("C")


def parse(
    config_class: type[C],
    argv: Sequence[str] | None = None,
    *,
    prog: str,
    about: str | None = None,
) -> tuple[C, Rules]:
    """Read a command line.

    Parameters
    ----------
    config_class : type
        Frozen dataclass of the arguments; its first is ``game: tyro.conf.Positional[str]``.
    argv : sequence of str, optional
        The arguments; by default the program's.
    prog : str
        How the command is called: ``python -m training.X``.
    about : str, optional
        The docstring whose examples end the help.

    Returns
    -------
    config : config_class
    rules : Rules
        Of the game's own class.

    Raises
    ------
    SystemExit
        With code 2 after one line that says what is wrong; with 0 after ``--help``.
    """
    argv = list(sys.argv[1:] if argv is None else argv)
    chosen = argv[0] if argv and not argv[0].startswith("-") else NAMES[0]
    try:
        default = get(chosen).rules()
    except ValueError as error:
        fail(f"{error} (the game comes first: {prog} GAME ...; see {prog} --help)")
    with_env: Any = dataclasses.make_dataclass(
        config_class.__name__,
        [("env", type(default), dataclasses.field(default=default))],
        bases=(config_class,),
        frozen=True,
    )
    with_env.__doc__ = config_class.__doc__
    config: Any = parse_plain(with_env, argv, prog=prog, about=about, help=f"{prog} {chosen} --help")
    if config.game != chosen:
        fail(f"the game comes first: {prog} {config.game} ...")
    return config, config.env


def parse_plain(
    config_class: type[C],
    argv: Sequence[str] | None = None,
    *,
    prog: str,
    about: str | None = None,
    help: str | None = None,
) -> C:
    """Read the command line of a command that is about no game; ``help`` is how its help is asked for."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            return tyro.cli(config_class, args=argv, prog=prog)
    except SystemExit as end:
        if end.code in (0, None):
            print(examples(about), end="")
            raise
        complaint = _first_paragraph(said.getvalue())
        unknown = re.match(r"Unrecognized options: (--[\w.-]+)", complaint)
        if unknown:
            complaint = unknown_option(unknown[1], _options(config_class))
        fail(f"{complaint} (see {help or f'{prog} --help'})")


def _options(config_class: type[Any]) -> list[str]:
    """The options that tyro's help tells of."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
        tyro.cli(config_class, args=["--help"])
    return re.findall(r"--[a-z](?:[\w.-]*\w)?", said.getvalue())


def _first_paragraph(box: str) -> str:
    """The complaint in the box that tyro draws: below its title, above the next rule.

    >>> _first_paragraph("╭─ Title ─╮\\n│ Too bad:  │\\n│ nothing.  │\\n│ ───────── │\\n│ Help      │")
    'Too bad: nothing.'
    """
    plain = re.sub(r"\x1b\[[0-9;]*m", "", box)  # no colours
    lines = [line.strip("│ ") for line in plain.splitlines()[1:]]
    below = dropwhile(_is_rule, lines)
    return " ".join(takewhile(lambda line: not _is_rule(line), below)) or plain


def _is_rule(line: str) -> bool:
    return not line.strip("─-╰╯ ")


def sample_count(text: str) -> int:
    """A number of samples: ``"500k"``, ``"12M"``, ``"2000000"``.

    >>> sample_count("12M"), sample_count("1.5k")
    (12000000, 1500)
    """
    factor = {"k": 1_000, "M": 1_000_000}.get(text[-1:], 1)
    try:
        count = int(float(text if factor == 1 else text[:-1]) * factor)
    except (ValueError, OverflowError):
        count = 0
    if count < 1:
        raise ValueError(f"--samples takes a number such as 500k or 12M, not {text!r}")
    return count


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
