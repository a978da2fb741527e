"""Players of the games, found by name or by the path of a training run.

>>> from agents import load
>>> load("random", "guan_pai").name
'random'
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from envs.core.commands import did_you_mean
from envs.core.game import Game, Rules, get
from envs.core.owner import others, sentence

from .asked import decision
from .base import Agent, Decisions
from .lowest import LowestAgent
from .pretrained import PRETRAINED, folder_of, is_greedy, shipped
from .rule import RuleAgent, frozen_rule, frozen_rules
from .search import NETWORK_BUDGET, RULE_BUDGET, Budget, SearchAgent, network_search, rule_search
from .uniform import UniformAgent

__all__ = [
    "Agent",
    "Decisions",
    "SearchAgent",
    "decision",
    "frozen_rules",
    "load",
    "names",
    "split_search_net",
]

OWNER = "paizhuo"  # by this line ``envs.core.owner`` knows this file from that of openai-agents
FROZEN_SEARCH = {"guan_pai": 1, "zheng_shang_you": 0, "diao_xie": 0, "xiangxi96": 0}
"""Which frozen rule player plays out the games of ``search_v0``: the newest when it was made."""
CLIMBING = ("guan_pai", "zheng_shang_you")  # the games that ``lowest`` plays
WITH_HU = ("xiangxi96",)  # the games that ``hu_first`` plays


def names(game: str) -> tuple[str, ...]:
    """The names that ``load`` knows for a game, besides paths and budgets of ``search``."""
    name = get(game).name
    greedy = ("lowest",) * (name in CLIMBING) + ("hu_first",) * (name in WITH_HU)
    trained = (PRETRAINED,) * bool(shipped(name))
    return ("random", *greedy, "rule", *frozen_rules(game), *trained, "search", "search_v0")


def load(name_or_path: str, game: str, rules: Rules | None = None) -> Agent:
    """The agent of this name, or the one saved at this path.

    Parameters
    ----------
    name_or_path : str
        One of ``names(game)``; ``search:32`` (playouts a legal action) or ``search:20ms`` (time a decision);
        ``pretrained:<name>`` for a certain one of those that come with the package (``agents/pretrained``);
        the folder of a training run or of one of its checkpoints; or ``search-net:`` and a network as in the
        two last cases, with a budget ``search-net:20ms:``, ``search-net:32:``.
    game : str
        The game it is to play.
    rules : Rules, optional
        The options it is to play under; a saved agent of other options (``base`` apart) is refused.

    Raises
    ------
    ValueError
        If there is no such agent, ``search`` gets a bad number, or the agent was trained for another game,
        rules version or options.
    """
    agent = _load(name_or_path, game, rules)
    agent.loaded_as = name_or_path
    return agent


def _load(name_or_path: str, game: str, rules: Rules | None) -> Agent:
    found = get(game)
    if name_or_path == "random":
        return UniformAgent()
    if name_or_path == "lowest" and found.name in CLIMBING:
        return LowestAgent()
    if name_or_path == "hu_first" and found.name in WITH_HU:
        from .hu_first import HuFirstAgent  # its game is slow to import

        return HuFirstAgent()
    if name_or_path == "rule":
        return RuleAgent(game)
    if name_or_path == "search_v0":
        return rule_search(game, frozen=FROZEN_SEARCH[found.name])
    if name_or_path.split(":")[0] == "search":
        return _search(name_or_path, game)
    if name_or_path.split(":")[0] == "search-net":
        return _search_net(name_or_path, found, rules)
    if name_or_path in frozen_rules(game):
        return frozen_rule(name_or_path, game)
    from .tabular import TabularAgent, is_table  # its game is slow to import

    folder = _folder(name_or_path, found, rules)
    if is_table(folder):
        return TabularAgent.load(folder, found, rules)
    if folder.is_dir():
        from .network import NetworkAgent  # torch is slow to import

        agent = NetworkAgent.load(folder, found, rules)
        agent.greedy = is_greedy(folder)
        return agent
    raise ValueError(
        f"no agent {name_or_path!r} for {game}; {did_you_mean(name_or_path, names(game))} "
        "(or give the folder of a run)"
    )


def _folder(name_or_path: str, game: Game, rules: Rules | None) -> Path:
    """The folder of a saved agent, given as a path or as one that comes with the package."""
    if name_or_path.split(":")[0] == PRETRAINED:
        return folder_of(name_or_path, game.name, rules)
    return Path(name_or_path)


def _search(name: str, game: str) -> SearchAgent:
    """The agent of ``search`` or ``search:BUDGET``."""
    match = re.fullmatch(r"search(:(\d{1,9})(ms)?)?", name, re.ASCII)
    if match is None or (match[2] is not None and int(match[2]) == 0):
        raise ValueError(
            f"no agent {name!r}: give search a whole number of playouts an action, as in search:128, or of "
            "milliseconds a decision, as in search:20ms"
        )
    return rule_search(game, _budget(match[2], match[3], RULE_BUDGET))


def split_search_net(name: str) -> tuple[str, str]:
    """``search-net:PATH`` or ``search-net:BUDGET:PATH`` in two: all before the path, and the path.

    >>> split_search_net("search-net:20ms:runs/guan_pai-1"), split_search_net("search-net:runs/guan_pai-1")
    (('search-net:20ms:', 'runs/guan_pai-1'), ('search-net:', 'runs/guan_pai-1'))
    >>> split_search_net("rule")
    ('', 'rule')
    """
    match = re.fullmatch(r"(search-net:(?:\d{1,9}(?:ms)?:)?)(.+)", name, re.ASCII | re.DOTALL)
    return (match[1], match[2]) if match else ("", name)


def _search_net(name: str, game: Game, rules: Rules | None) -> SearchAgent:
    """The agent of ``search-net:PATH`` or ``search-net:BUDGET:PATH``."""
    prefix, path = split_search_net(name)
    budget = re.fullmatch(r"search-net:((\d+)(ms)?:)?", prefix)
    folder = _folder(path, game, rules)
    if budget is None or (budget[2] is not None and int(budget[2]) == 0) or not folder.is_dir():
        raise ValueError(
            f"no agent {name!r}: give search-net the folder of a network's run, as in "
            "search-net:runs/guan_pai-1, after a budget if you like, as in search-net:20ms:runs/guan_pai-1"
        )
    from .network import NetworkAgent  # torch is slow to import

    network, info = NetworkAgent.load(folder, game, rules), game.info(rules or game.rules())
    network.greedy = is_greedy(folder)
    return network_search(info, network, _budget(budget[2], budget[3], NETWORK_BUDGET))


def _budget(number: str | None, unit: str | None, default: Budget) -> Budget:
    if number is None:
        return default
    return Budget(default.playouts, int(number)) if unit else Budget(int(number))


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Say so where a name is asked for that another distribution's ``agents`` has: it is overwritten."""
        if not name.startswith("_") and (found := others()):
            raise ImportError(sentence(found), name=__name__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
