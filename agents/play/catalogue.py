"""The games and their options, as the rules declare them, ready for JSON."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import envs
from envs.core.docs import option_notes
from envs.core.game import Rules, get

from .reasons import in_chinese
from .words import RefusedError


def options_of(rules: type[Rules]) -> list[dict[str, Any]]:
    """Every option: its name, kind ("choice", "switch" or "number"), values, default and note.

    A number has ``least`` and ``most``, and ``may_be_none`` where None is a value too.
    """
    hints, notes, told = get_type_hints(rules), option_notes(rules), []
    for field in dataclasses.fields(rules):
        hint = hints[field.name]
        option = {"name": field.name, "default": field.default, "note": notes[field.name]}
        if get_origin(hint) is Literal:
            option |= {"kind": "choice", "values": list(get_args(hint))}
        elif hint is bool:
            option |= {"kind": "switch"}
        else:
            is_union = get_origin(hint) in (Union, types.UnionType)
            option |= {"kind": "number", **field.metadata, "may_be_none": is_union}
        told.append(option)
    return told


def make_rules(game: str, options: Any) -> Rules:
    """The rules with these options; refused in words if there are no such ones."""
    if game not in envs.games():
        raise RefusedError(
            f"There is no game {str(game)[:80]!r}; there are {', '.join(envs.games())}.",
            f"没有游戏 {str(game)[:80]!r}；有 {'、'.join(envs.games())}。",
        )
    if not isinstance(options, Mapping):
        raise RefusedError("Options are an object of names and values.", "选项是名称和值的对象。")
    try:
        return get(game).rules.make(options)
    except (TypeError, ValueError) as error:
        raise RefusedError(
            f"These options do not go together: {error}.", f"规则选项不能这样设：{in_chinese(str(error))}。"
        ) from None


@cache
def games() -> list[dict[str, Any]]:
    """Every game: name, title, options, and the number of players under the default options."""
    return [
        {
            "name": name,
            "options": options_of(get(name).rules),
            "players": get(name).info(get(name).rules()).num_players,
        }
        for name in envs.games()
    ]
