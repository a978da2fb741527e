"""What all command lines share: what is wrong in one line, the name that was meant, examples, exit codes."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any, NoReturn

FAILED, BAD_USAGE, INTERRUPTED = 1, 2, 130  # exit codes; the last one of a program stopped by Ctrl-C


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """What to say of a name that is none of ``known``: which may be meant, else which there are.

    >>> did_you_mean("guan_pia", ["guan_pai", "diao_xie"])
    'did you mean guan_pai?'
    >>> did_you_mean("chess", ["guan_pai", "diao_xie"])
    'there are guan_pai, diao_xie'
    """
    known = list(known)
    near = get_close_matches(name, known, 1)
    return f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"


def unknown_option(name: str, known: Iterable[str]) -> str:
    """What to say of an option that a command has not.

    >>> unknown_option("--deal", ["--deals", "--seed"]), unknown_option("--x", ["--deals"])
    ('no option --deal; did you mean --deals?', 'no option --x')
    """
    near = get_close_matches(name, known, 1)
    return f"no option {name}" + (f"; did you mean {near[0]}?" if near else "")


def examples(about: str | None) -> str:
    """The part of ``--help`` with the examples in a module's docstring: its indented lines.

    >>> print(examples("What it does.\\n\\n    python -m envs.bench diao_xie\\n\\nAnd more."))
    <BLANKLINE>
    examples:
      python -m envs.bench diao_xie
    <BLANKLINE>
    """
    lines = re.findall(r"^    (python -m .*)$", about or "", flags=re.MULTILINE)
    return "\n".join(["", "examples:", *(f"  {line}" for line in lines), ""]) if lines else ""


def fail(message: object) -> NoReturn:
    """End the program with one line on the standard error and the exit code for bad usage."""
    if isinstance(message, BrokenPipeError):
        raise message  # whoever read the output has gone: there is nothing to say
    print(f"error: {' '.join(str(message).split())}", file=sys.stderr)
    raise SystemExit(BAD_USAGE)


class Parser(argparse.ArgumentParser):
    """Python's own, which says in one line what is wrong, and ends its help by the docstring's examples."""

    def __init__(self, *args: Any, about: str | None = None, **more: Any) -> None:
        super().__init__(*args, **more)
        self._examples = examples(about)

    def format_help(self) -> str:
        lines = self._examples.splitlines(keepends=True)
        own = [line for line in lines if line.strip().startswith(self.prog)]
        return super().format_help() + "".join(["\nexamples:\n", *own] if own else [])

    def error(self, message: str) -> NoReturn:
        unknown = re.match(r"unrecognized arguments: (--[\w.-]+)", message)
        choice = re.match(r"argument (\S+): invalid choice: '(.*)' \(choose from (.*)\)$", message)
        if unknown:
            message = unknown_option(unknown[1], self._options())
        elif choice:
            known = re.findall(r"'?([\w.-]+)'?", choice[3])  # quoted or not, as Python's version has it
            message = f"no {choice[1]} {choice[2]!r}; {did_you_mean(choice[2], known)}"
        fail(f"{message} (see {self.prog} --help)")

    def _options(self) -> list[str]:
        """Its own options and those of its subcommands, whose arguments it reads too."""
        found = list(self._option_string_actions)
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                for parser in action.choices.values():
                    found += parser._option_string_actions
        return found


def run(main: Callable[[], int | None]) -> NoReturn:
    """Run a command's ``main`` and end the program by its exit code.

    Ctrl-C that it does not take itself, and a reader of its output that has gone (``| head``), are no errors
    to be shown.
    """
    try:
        try:
            code = main()
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        code = INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python says so at its end
        code = FAILED
    raise SystemExit(code)
