"""Agents that come with the package: a folder each, with the files of a checkpoint and ``about.json``.

``about.json`` says what it plays (game, version of the rules, options), the command that trained it, and how
strong it was measured to be. ``python -m training.pretrain`` makes them all again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from envs.core.game import Rules, get

from ..base import check_made_for

FOLDER = Path(__file__).parent
ABOUT_FILE = "about.json"
PRETRAINED = "pretrained"
NEEDED = {"game": str, "version": int, "rules": dict, "greedy": bool, "command": str}


def about(folder: Path) -> dict[str, Any]:
    """What ``about.json`` in an agent's folder says of it; ValueError if it is none of ours."""
    path = folder / ABOUT_FILE
    try:
        told: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if not all(isinstance(told[key], kind) for key, kind in NEEDED.items()):
            raise TypeError(f"its {', '.join(NEEDED)} are of other types")
    except (OSError, LookupError, TypeError, ValueError) as error:
        raise ValueError(f"{path} cannot be used ({type(error).__name__}: {error})") from None
    return told


def shipped(game: str) -> tuple[str, ...]:
    """The names of the agents that play ``game`` under some options, in alphabetical order."""
    every = sorted(path.parent for path in FOLDER.glob(f"*/{ABOUT_FILE}"))
    return tuple(folder.name for folder in every if about(folder)["game"] == game)


def is_greedy(folder: Path) -> bool:
    """Whether a network plays its most probable action: unless ``about.json`` says that it draws.

    In a game of bluffing the most probable actions alone may be exploited.
    """
    return not (folder / ABOUT_FILE).is_file() or bool(about(folder)["greedy"])


def folder_of(name: str, game: str, rules: Rules | None = None) -> Path:
    """The folder of ``pretrained:<name>``, or of ``pretrained``: the first one that plays under ``rules``.

    Raises
    ------
    ValueError
        If there is none for this game and these options; it says which there are.
    """
    own, wanted = name.partition(":")[2], rules or get(game).rules()
    reasons = []
    for other in [own] if own in shipped(game) else shipped(game) * (not own):
        told = about(FOLDER / other)
        try:
            made_for = told["game"], told["version"], told["rules"]
            check_made_for(other, made_for, (game, get(game).info(wanted).version, wanted.as_dict()))
        except ValueError as error:
            reasons.append(str(error))
        else:
            return FOLDER / other
    known = ", ".join(f"pretrained:{other}" for other in shipped(game)) or "none"
    why = f" ({'; '.join(reasons)})" if reasons else ""
    raise ValueError(f"no agent {name!r} for {game} under these options{why}; there is {known}")
