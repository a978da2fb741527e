"""Four Chinese card games as reinforcement learning environments.

>>> from envs import guan_pai_v0
>>> env = guan_pai_v0.env()
>>> env.reset(seed=7)
>>> env.agent_selection
'player_2'
"""

from __future__ import annotations

from os import PathLike, fspath
from typing import Any

import gymnasium

from .core.game import NAMES, get
from .core.owner import check_agents
from .core.seat_tables import SeatTables
from .core.single_seat import SeatEnv, SeatVectorEnv
from .core.vector import VectorTables
from .core.wrapped import make_env

__all__ = ["games", "make", "make_gym", "make_vec"]


def games() -> tuple[str, ...]:
    """The names of the games."""
    return NAMES


def make(name: str, render_mode: str | None = None, on_illegal: str = "raise", **options: Any) -> Any:
    """The PettingZoo AEC environment of a game, as ``envs.<name>_v0.env(...)``.

    Parameters
    ----------
    name : str
        One of ``games()``.
    render_mode : None or {"ansi", "human", "rgb_array"}
        ``render()`` returns the table as text, prints it (also after every step), or returns a picture.
    on_illegal : {"raise", "terminate"}
        What an illegal action does: a ValueError with the table unchanged, or the end of the game with
        a reward of -1 for who played it.
    **options
        The game's rule options.

    Raises
    ------
    ValueError
        For an unknown game, or a bad value.
    TypeError
        For an unknown option; it lists the known ones.

    Examples
    --------
    >>> make("guan_pai", must_beat="all").unwrapped.rules.must_beat
    'all'
    """
    return make_env(get(name), render_mode=render_mode, on_illegal=on_illegal, **options)


def make_vec(
    name: str,
    num_envs: int = 1,
    *,
    skip_forced: bool = False,
    autoreset: bool = True,
    num_threads: int = 1,
    **options: Any,
) -> VectorTables:
    """``num_envs`` tables of a game stepped at once; see :class:`envs.core.vector.VectorTables`.

    The arrays that it returns are overwritten by its next step: copy what you keep.

    Parameters
    ----------
    name : str
        One of ``games()``.
    num_envs : int
        How many tables.
    skip_forced : bool
        Play decisions with a single legal action inside the step.
    autoreset : bool
        Deal the next game in the step that ends one.
    num_threads : int
        Threads that share the tables; results do not depend on it.
    **options
        The game's rule options.

    Examples
    --------
    >>> vec = make_vec("guan_pai", num_envs=4)
    >>> observations, infos = vec.reset(seed=0)
    >>> observations, rewards, terminations, truncations, infos = vec.step(vec.sample())
    >>> observations["observation"].shape, rewards.shape
    ((4, 620), (4, 3))
    """
    return VectorTables(
        get(name), num_envs, skip_forced=skip_forced, autoreset=autoreset, num_threads=num_threads, **options
    )


def make_gym(
    name: str,
    opponents: Any = "rule",
    seat: int | str = "random",
    num_envs: int | None = None,
    *,
    reward: str = "points",
    reward_scale: float | None = None,
    on_illegal: str = "raise",
    render_mode: str | None = None,
    **options: Any,
) -> Any:
    """One seat of a game as a Gymnasium environment; agents play the other seats inside ``step``.

    Every decision of the seat is a step, also where one action is legal. Observations are plain
    ``Box(0, 1, (O,), uint8)``, the legal actions are in ``info["action_mask"]`` and ``action_masks()``;
    all are fresh copies. The same seed gives the same cards, seats and opponents' choices.

    A game that is over before the seat had a decision (in Diao Xie, when all others fold) is no episode:
    another one is dealt. Its points are not in any reward; the PettingZoo environment and
    ``training.evaluate`` count them.

    Parameters
    ----------
    name : str
        One of ``games()``.
    opponents : str, Agent or sequence of them
        A name or path that ``agents.load`` knows, or an agent, for all other seats; or one for each
        of them, in the order of the seats after the learner's.
    seat : int or "random"
        The learner's seat; "random" draws it for every episode.
    num_envs : int, optional
        Without it a ``gymnasium.Env``; with it a ``gymnasium.vector.VectorEnv`` (SAME_STEP autoreset) whose
        table i after ``reset(seed=s)`` is the single environment after ``reset(seed=s + i)``.
    reward : {"points", "win"}
        At the end of an episode the seat's points divided by ``reward_scale``, or 1 for a win, else 0.
    reward_scale : float, optional
        ``GameInfo.typical_score`` without it.
    on_illegal : {"raise", "terminate"}
        What an illegal action does: a ValueError with nothing changed, or the end of the episode with
        a reward of -1.
    render_mode : None or {"ansi", "human", "rgb_array"}
        The table from the learner's chair; a vector knows "ansi" and "rgb_array", and returns tuples of them.
    **options
        The game's rule options.

    Raises
    ------
    ValueError
        For an unknown game, opponent or seat, or a bad value.
    TypeError
        For an unknown option; it lists the known ones.
    ImportError
        Where another project's package ``agents`` (openai-agents) stands in the place of ours.

    Examples
    --------
    >>> env = make_gym("guan_pai", opponents="random", seat=0)
    >>> observation, info = env.reset(seed=7)
    >>> observation.shape, info["action_mask"].shape
    ((620,), (266,))
    >>> make_gym("guan_pai", opponents=["rule", "random"], num_envs=8)
    SeatVectorEnv(num_envs=8)
    """
    check_agents(__name__)
    from agents import Agent, Decisions, load  # not above: agents stand on envs

    game = get(name)
    rules = game.rules.make(options)
    num_others = game.info(rules).num_players - 1
    given = list(opponents) if isinstance(opponents, (list, tuple)) else [opponents] * num_others
    if len(given) != num_others:
        raise ValueError(
            f"{len(given)} opponents for {num_others} other seats; give one a seat, or one for all"
        )
    loaded: dict[str, Agent] = {}
    others = []
    for opponent in given:
        if isinstance(opponent, (str, PathLike)):
            path = fspath(opponent)
            if path not in loaded:
                loaded[path] = load(path, name, rules)
            others.append(loaded[path])
        elif isinstance(opponent, Agent):
            others.append(opponent)
        else:
            raise ValueError(f"an opponent is a name, a path or an agents.Agent, not {opponent!r}")
    tables = SeatTables(
        game,
        1 if num_envs is None else num_envs,
        decisions=Decisions,
        opponents=others,
        seat=seat,
        reward=reward,
        reward_scale=reward_scale,
        on_illegal=on_illegal,
        **options,
    )
    return (SeatEnv if num_envs is None else SeatVectorEnv)(tables, render_mode)


def _register() -> None:
    """Make the environments known to Gymnasium, and to PettingZoo where it has a registry."""
    for name in NAMES:
        env_id = f"paizhuo/{name.title().replace('_', '')}-v0"
        if env_id not in gymnasium.registry:
            gymnasium.register(
                env_id,
                entry_point="envs:make_gym",
                vector_entry_point="envs:make_gym",
                kwargs={"name": name},
            )
    try:
        from pettingzoo.env_registry.registration import aec_registry, register
    except ImportError:  # an older PettingZoo
        return
    for name in NAMES:
        if f"paizhuo/{name}-v0" not in aec_registry:
            register("aec", f"paizhuo/{name}-v0", entry_point=f"envs.{name}_v0:env")


_register()
