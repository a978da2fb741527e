"""The tables in a game's docs page, made from what the game declares: ``python -m envs.core.docs GAME``.

    python -m envs.core.docs guan_pai
    python -m envs.core.docs diao_xie > tables.md

The page is the docstring of ``envs/<game>_v0.py``; a test compares its tables with these.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from .commands import Parser, did_you_mean, run
from .game import NAMES, Field, Game, GameInfo, Rules, get


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table in Markdown, its columns lined up."""
    lines = [head, *rows]
    widths = [max(len(line[k]) for line in lines) for k in range(len(head))]

    def padded(line: tuple[str, ...]) -> str:
        return "| " + " | ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)) + " |"

    rule = "|" + "|".join("-" * (w + 2) for w in widths) + "|"
    return "\n".join([padded(head), rule, *map(padded, lines[1:])])


def spec_table(infos: Mapping[str, GameInfo]) -> str:
    """The game in numbers, a column for each variant."""
    facts = [
        {
            "agents": ", ".join(f"player_{seat}" for seat in range(info.num_players)),
            "cards in the pack": str(len(info.cards)),
            "actions": f"Discrete({info.num_actions})",
            "observation": f"Box(0, 1, ({info.observation_size},), uint8)",
            "action mask": f"Box(0, 1, ({info.num_actions},), int8)",
            "most decisions a game": str(info.max_decisions),
            "a seat's score is within": f"{info.min_utility:+,} .. {info.max_utility:+,} points, zero-sum",
            "rules version": str(info.version),
        }
        for info in infos.values()
    ]
    return table(("what", *infos), [(what, *(own[what] for own in facts)) for what in facts[0]])


def option_notes(rules: type[Rules]) -> dict[str, str]:
    """The line below each option in the source of its class."""
    body = ast.parse(inspect.getsource(rules)).body[0]
    assert isinstance(body, ast.ClassDef)
    notes = {}
    for option, note in zip(body.body[:-1], body.body[1:], strict=True):
        if isinstance(option, ast.AnnAssign) and isinstance(note, ast.Expr):
            assert isinstance(option.target, ast.Name) and isinstance(note.value, ast.Constant)
            notes[option.target.id] = str(note.value.value)
    return notes


def options_table(rules: type[Rules]) -> str:
    """Every option with its values, default and meaning."""
    hints, notes = get_type_hints(rules), option_notes(rules)
    rows = []
    for field in dataclasses.fields(rules):
        hint = hints[field.name]
        if get_origin(hint) is Literal:
            values = ", ".join(map(repr, get_args(hint)))
        elif hint is bool:
            values = "True, False"
        else:
            values = f"{field.metadata['least']}..{field.metadata['most']}"
            values += ", None" if type(None) in get_args(hint) else ""
        rows.append((f"`{field.name}`", values, repr(field.default), notes[field.name]))
    return table(("option", "values", "default", "meaning"), rows)


def actions_table(info: GameInfo) -> str:
    """The kinds of action in the order of their ids."""
    is_kind = [k for k, name in enumerate(info.action_feature_names) if name.startswith("is_")]
    kinds = np.array(is_kind)[info.action_features[:, is_kind].argmax(axis=1)]
    rows = []
    for kind, group in groupby(range(info.num_actions), key=lambda action: int(kinds[action])):
        ids = list(group)
        span = f"{ids[0]}..{ids[-1]}" if len(ids) > 1 else str(ids[0])
        name = info.action_feature_names[kind].removeprefix("is_")
        examples = info.action_names[ids[0]] + (f" .. {info.action_names[ids[-1]]}" if len(ids) > 1 else "")
        rows.append((span, str(len(ids)), name, examples))
    return table(("ids", "number", "kind", "first .. last"), rows)


def fields_table(fields: Iterable[Field]) -> str:
    """Pieces of the observation."""
    rows = [(f"{f.start}..{f.start + f.size - 1}", f"`{f.name}`", str(f.shape), f.meaning) for f in fields]
    return table(("places", "field", "shape", "meaning"), rows)


def tables(game: Game) -> dict[str, str]:
    """All tables of a game's page, by heading: of the defaults, then what is more in other variants."""
    named = {option_words(variant): game.info(game.rules(**variant)) for variant in game.variants}
    default = next(iter(named.values()))
    found = {
        "In numbers": spec_table(named),
        "Options": options_table(game.rules),
        "Actions": actions_table(default),
        "Observation": fields_table(default.fields),
    }
    for name, info in list(named.items())[1:]:
        found[f"Observation with {name}"] = fields_table(f for f in info.fields if f not in default.fields)
    return found


def option_words(options: Mapping[str, Any]) -> str:
    """Options as a person writes them.

    >>> option_words({"decks": 2}), option_words({})
    ('decks=2', 'default')
    """
    return ", ".join(f"{name}={value!r}" for name, value in options.items()) or "default"


def main(argv: list[str] | None = None) -> None:
    """Run the command line."""
    about = "Print the tables of a game's docs page, in Markdown."
    parser = Parser(prog="python -m envs.core.docs", description=about, about=__doc__)
    parser.add_argument("game", metavar="GAME", help=f"one of {', '.join(NAMES)}")
    game = parser.parse_args(argv).game
    if game not in NAMES:
        parser.error(f"no game {game!r}; {did_you_mean(game, NAMES)}")
    for heading, text in tables(get(game)).items():
        print(f"## {heading}\n\n{text}\n")


if __name__ == "__main__":
    run(main)
