"""Tables for the terminal, whatever its width."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from textwrap import fill

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

WIDTH = 140  # where there is no terminal
WORDS = ("run", "why", "variant", "arguments")  # columns that may be broken anywhere
HEADER_WIDTH = 11
LEAST_FOR_TABLES = 125  # characters


def new_console() -> Console:
    """Where tables are printed: as wide as the terminal, or wide enough where there is none."""
    return Console() if sys.stdout.isatty() else Console(width=WIDTH)


def show(console: Console, title: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table; in a narrow terminal a paragraph for every row, headed by its first cell."""
    if console.width < LEAST_FOR_TABLES:
        console.print(f"\n{title}", style="italic", markup=False, highlight=False)
        for row in rows:
            told = "; ".join(
                f"{name}: {cell}" for name, cell in zip(header[1:], row[1:], strict=True) if cell
            )
            console.print(row[0], style="bold", markup=False, highlight=False)
            console.print(Padding(escape(told), (0, 0, 0, 2)), highlight=False)
        return
    table = Table(title=escape(title), title_justify="left", header_style="bold")
    for name in header:
        if name in WORDS:
            table.add_column(escape(name), overflow="fold")
        else:
            table.add_column(escape(fill(name, HEADER_WIDTH)), justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*map(escape, row))
    console.print(table)
