"""The agents that can be asked for: by names that are known, and by runs in the folders given."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from envs.core.game import Rules

from .. import load, names, split_search_net
from ..base import Agent
from ..pretrained import PRETRAINED, shipped
from .folders import Folders
from .words import RefusedError

YOU, GUEST = "you", "guest"  # seats of people: of who opened the table, of who comes by its link
RUN = "run:"
MOST_PLAYOUTS, MOST_MILLISECONDS = 4096, 10_000  # a decision of search, so that nobody waits for long


def offered(game: str, folders: Folders) -> list[str]:
    """Names of agents for a seat; others can be typed, such as ``search:50ms``."""
    trained = [f"{PRETRAINED}:{name}" for name in shipped(game)]
    runs = [f"{RUN}{name}" for name in folders.runs(game)]
    own = [name for name in names(game) if name != PRETRAINED]
    searching = [f"search-net:{name}" for name in (*([PRETRAINED] if trained else []), *runs)]
    return [*own, "search:20ms", "search:200ms", *trained, *runs, *searching]


def _path_of(name: str, game: str, folders: Folders) -> str | None:
    """What ``agents.load`` is to be given for a saved agent, None if the name is none."""
    if name.startswith(RUN):
        return str(folders.find(name.removeprefix(RUN)))
    if name == PRETRAINED or name.partition(":")[2] in shipped(game):
        return name
    return None


def resolve(name: Any, game: str, folders: Folders) -> str:
    """The name or path for ``agents.load``; refused for all that is neither known nor in the folders.

    ``agents.load`` itself takes any path, a page must not.
    """
    if not isinstance(name, str) or len(name) > 300:
        raise RefusedError("An agent is given by its name.", "请给出玩家的名字。")
    if name in names(game) and name != PRETRAINED:
        return name
    budget = re.fullmatch(r"(?:search|search-net):(\d{1,9})(ms)?(?::.+)?", name, re.ASCII)
    if budget and not 1 <= int(budget[1]) <= (MOST_MILLISECONDS if budget[2] else MOST_PLAYOUTS):
        raise RefusedError(
            f"{name[:80]!r}: search takes 1 to {MOST_PLAYOUTS} playouts an action here, "
            f"or 1 to {MOST_MILLISECONDS} ms.",
            f"{name[:80]!r}：搜索每个动作 1 到 {MOST_PLAYOUTS} 次模拟，或 1 到 {MOST_MILLISECONDS} 毫秒。",
        )
    if re.fullmatch(r"search:\d{1,9}(ms)?", name, re.ASCII):
        return name
    prefix, rest = split_search_net(name)
    if rest.startswith((PRETRAINED, RUN)):
        path = _path_of(rest, game, folders)
        if path is not None:
            return prefix + path
    raise RefusedError(
        f"There is no agent {name[:80]!r} for this game; there are {', '.join(offered(game, folders)[:12])}.",
        f"这个游戏没有玩家 {name[:80]!r}；有 {'、'.join(offered(game, folders)[:12])}。",
    )


def find_agent(name: str, game: str, rules: Rules, folders: Folders) -> Agent:
    """The agent of this name; every table loads its own, since two threads may not share one.

    Raises
    ------
    RefusedError
        If there is none, or it was made for other options.
    """
    try:
        return load(resolve(name, game, folders), game, rules)
    except RefusedError:
        raise
    except ValueError as error:
        raise RefusedError(f"{name} cannot play here: {error}.", f"{name} 不能在这里打：{error}。") from None


@contextmanager
def refused_if_it_fails(name: str) -> Iterator[None]:
    """Around what an agent does: whatever a trained one may raise, the page says it."""
    try:
        yield
    except RefusedError:
        raise
    except Exception as error:
        raise RefusedError(f"{name} could not play: {error}.", f"{name} 无法出牌：{error}。") from error
