"""The folders that were given on the command line: the runs and records in them, and nothing outside."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from envs.record import parse

from ..base import CHECKPOINTS
from .words import RefusedError

LARGEST_RECORD = 256 * 1024  # bytes of one game
MOST_LISTED = 200
POLICY_FILE, TABLE_FACTS = "policy.safetensors", "tabular.json"


class Folders:
    """Runs and records below some folders.

    Parameters
    ----------
    roots : sequence of Path
        Runs, or folders that runs and reports are in.

    Raises
    ------
    ValueError
        If one of them is no folder.
    """

    def __init__(self, roots: Sequence[Path] = ()) -> None:
        for root in roots:
            if not root.is_dir():
                raise ValueError(f"{root} is no folder; give the folders that runs or reports are in")
        self.roots = [root.resolve() for root in roots]

    def find(self, name: str) -> Path:
        """The file or folder that ``name`` means: the number of a root and a path in it, ``0/run-1``.

        Raises
        ------
        RefusedError
            Unless it is there, and inside its root once all links are followed.
        """
        number, _, inside = name.partition("/")
        try:
            root = self.roots[int(number)] if number.isascii() and number.isdigit() else None
            path = None if root is None else (root / inside).resolve(strict=True)
        except (IndexError, OSError, ValueError, RuntimeError):
            path = root = None
        if path is None or root is None or not path.is_relative_to(root):
            raise RefusedError(
                f"There is nothing called {name[:80]!r} in the folders given on the command line.",
                f"命令行给出的文件夹里没有 {name[:80]!r}。",
            )
        return path

    def _below(self, pattern: str) -> Iterator[tuple[str, Path]]:
        """Names and paths of what matches the pattern, in each root and up to three folders down."""
        for number, root in enumerate(self.roots):
            for depth in range(4):
                for path in sorted(root.glob("*/" * depth + pattern)):
                    if path.resolve().is_relative_to(root):
                        yield f"{number}/{path.relative_to(root).as_posix()}", path

    def records(self) -> list[dict[str, Any]]:
        """The files of records: name, label and size in bytes."""
        found = [
            {
                "name": name,
                "label": f"{self.roots[int(name.partition('/')[0])].name}/{name.partition('/')[2]}",
            }
            | {"bytes": path.stat().st_size}
            for name, path in self._below("*.jsonl")
            if "record" in path.name and path.is_file()
        ]
        return found[:MOST_LISTED]

    def record(self, name: str, number: int) -> dict[str, Any]:
        """Game ``number`` (from 0) of a file of records; refused if there is none."""
        path = self.find(name)
        if path.suffix != ".jsonl" or not path.is_file():
            raise RefusedError(f"{name} is no file of records (.jsonl).", f"{name} 不是记录文件（.jsonl）。")
        with path.open("rb") as file:
            line = b""
            for _ in range(number + 1):
                line = file.readline(LARGEST_RECORD + 1)
                if not line:
                    break
                if len(line) > LARGEST_RECORD:
                    raise RefusedError(
                        f"{name} has a line of more than {LARGEST_RECORD:,} bytes.",
                        f"{name} 有一行超过 {LARGEST_RECORD:,} 字节。",
                    )
        if not line.strip():
            raise RefusedError(f"{name} has no game {number + 1}.", f"{name} 里没有第 {number + 1} 局。")
        try:
            return parse(line)
        except ValueError as error:
            raise RefusedError(
                f"{name}, line {number + 1}: {error}.", f"{name} 第 {number + 1} 行不是牌谱：{error}。"
            ) from None

    def runs(self, game: str) -> list[str]:
        """Names of the runs and agents that were made for ``game``."""
        found: dict[str, None] = {}
        for pattern in (POLICY_FILE, TABLE_FACTS, f"{CHECKPOINTS}/*/{POLICY_FILE}"):
            for name, path in self._below(pattern):
                folder = name.rpartition("/")[0]
                if f"/{CHECKPOINTS}/" in f"/{folder}/":
                    folder = folder.partition(f"/{CHECKPOINTS}/")[0]
                if folder not in found and made_for(path) == game:
                    found[folder] = None
        return list(found)[:MOST_LISTED]


def made_for(path: Path) -> str | None:
    """The game that a saved policy plays, from the first bytes of its file; None if it is none."""
    try:
        if path.suffix == ".json":
            facts = json.loads(path.read_bytes()[:LARGEST_RECORD])
        else:
            with path.open("rb") as file:  # safetensors: the length of a JSON header, and the header
                length = int.from_bytes(file.read(8), "little")
                facts = json.loads(file.read(min(length, LARGEST_RECORD)))["__metadata__"]
        game = facts["game"]
    except (OSError, LookupError, TypeError, ValueError):
        return None
    return game if isinstance(game, str) else None
