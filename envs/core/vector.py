"""Many tables of a game stepped at once: the fast way to play, for training and tournaments."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from . import batch
from .crew import Crew
from .game import ACTION, COUNTER, MASK, MONEY, OBSERVATION, REWARD, Game, GameInfo, Rules
from .jit import config
from .rng import mix_in
from .seeding import as_dealer, as_decks, fresh_seed, illegal_action, seeds_for

sample_masks = batch.sample
_SAMPLER = np.uint64(0x5A3C_9F17_D2E8_4B61)  # keeps the sampler's keys apart from the chance streams' seeds

STEP, SAMPLE = 0, 1  # the last bit of a crew's ticket, see ``batch.serve``

Info = dict[str, NDArray[Any]]


def _serve(serve: Any, arguments: tuple[Any, ...], ticket: Any, done: Any, patience: int) -> None:
    serve(ticket, done, patience, *arguments)


class VectorTables:
    """``num_envs`` tables of one game; every step is one action at each of them.

    Table i after ``reset(seed=s)`` plays the games of the AEC environment after ``reset(seed=s + i)``.
    What ``reset`` and ``step`` return are this object's buffers: read them, copy what you keep (masks are
    read-only, since they decide what is legal). The names are Gymnasium's, but this is no
    ``gymnasium.vector.VectorEnv``: a step is of one seat a table and rewards are of all seats; the last
    observation of a game that ended is not kept.

    Parameters
    ----------
    game : Game
    num_envs : int
    skip_forced : bool
        Play decisions with a single legal action inside the step; a step ends at most one game a table.
    autoreset : bool
        Deal the next game in the step that ends one (Gymnasium's SAME_STEP). Otherwise a finished
        table waits for ``reset`` with a ``reset_mask`` and ignores its actions meanwhile.
    num_threads : int
        Threads that share the tables; results do not depend on it.
    **options
        The game's rule options.

    Attributes
    ----------
    num_envs, num_players : int
    rules : Rules
    game : GameInfo
    single_observation_space, observation_space : Dict
        ``observation`` (O,) uint8 and ``action_mask`` (A,) int8; with a leading ``num_envs``.
    single_action_space, action_space : Discrete, MultiDiscrete
    metadata : dict
        ``autoreset_mode`` is Gymnasium's.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        *,
        skip_forced: bool = False,
        autoreset: bool = True,
        num_threads: int = 1,
        **options: Any,
    ) -> None:
        for name, number in (("num_envs", num_envs), ("num_threads", num_threads)):
            if not isinstance(number, (int, np.integer)) or number < 1:
                raise ValueError(f"{name} is an integer of at least 1, not {number!r}")
        for name, flag in (("skip_forced", skip_forced), ("autoreset", autoreset)):
            if not isinstance(flag, bool):
                raise ValueError(f"{name} is True or False, not {flag!r}")
        self._game = game
        self.rules: Rules = game.rules.make(options)
        self.game: GameInfo = game.info(self.rules)
        self.num_envs = num_envs
        self.num_players = self.game.num_players
        self.skip_forced, self.autoreset = skip_forced, autoreset
        mode = AutoresetMode.SAME_STEP if autoreset else AutoresetMode.DISABLED
        self.metadata = {"name": f"{game.name}_v{self.game.version}", "autoreset_mode": mode}
        size, actions, seats = self.game.observation_size, self.game.num_actions, self.num_players
        self.single_observation_space = spaces.Dict(
            {
                "observation": spaces.Box(0, 1, (size,), OBSERVATION),
                "action_mask": spaces.Box(0, 1, (actions,), MASK),
            }
        )
        self.single_action_space = spaces.Discrete(actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

        self._tables = game.new_tables(num_envs, self.rules)
        self._is_seeded = False
        self._keys = np.zeros(num_envs, np.uint64)  # of the sampler
        self._sampled, self._chosen = np.zeros(num_envs, ACTION), np.zeros(num_envs, ACTION)
        self._observations = np.zeros((num_envs, size), OBSERVATION)
        self._masks = np.zeros((num_envs, actions), MASK)
        self._shown_masks = self._masks.view()
        self._shown_masks.flags.writeable = False
        self._seats = np.zeros(num_envs, np.int64)
        self._rewards = np.zeros((num_envs, seats), REWARD)
        self._ended = np.zeros(num_envs, np.bool_)
        self._truncated = np.zeros(num_envs, np.bool_)
        self._scores = np.zeros((num_envs, seats), MONEY)
        self._stats = np.zeros((num_envs, len(self.game.stats)), np.int64)
        self._num_threads = min(num_threads, num_envs)
        self._spare = game.new_tables(self._num_threads, self.rules)
        cuts = np.linspace(0, num_envs, self._num_threads + 1).astype(int).tolist()
        self._parts = [  # of the threads, with a table to try things on
            (slice(a, b), self._spare[k : k + 1]) for k, (a, b) in enumerate(pairwise(cuts))
        ]
        self._crew: Crew | None = None  # its threads start when they are first wanted
        self._ticket = 0  # the last one it was given

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[Any]], Info]:
        """Deal new games.

        Parameters
        ----------
        seed : int or sequence of int, optional
            Table i is seeded with ``seed + i``, or with ``seed[i]``; the sampler with it. Without a
            seed the chance streams go on.
        options : dict, optional
            ``"decks"`` (N, cards) integers, indices into ``GameInfo.cards``, a row of -1 to shuffle,
            in a game of several hands (N, hands, cards);
            ``"dealers"`` (N,) seats, -1 to draw; ``"reset_mask"`` (N,) bool, the tables to reset.

        Returns
        -------
        observations : dict
            ``observation`` (N, O) uint8 and ``action_mask`` (N, A) int8 of the seats to act.
        infos : dict
            ``seat`` (N,) int64: who is to act; ``final_scores`` (N, P) and ``final_stats`` (N, K).

        Raises
        ------
        ValueError
            For bad seeds, decks, dealers or masks; no table has been dealt.
        """
        options = options or {}
        n = self.num_envs
        wanted = np.ones(n, np.bool_)
        if options.get("reset_mask") is not None:
            wanted = np.array(options["reset_mask"])
            if wanted.shape != (n,) or wanted.dtype != np.bool_:
                raise ValueError(f"reset_mask is ({n},) bool, not {wanted.shape} {wanted.dtype}")
        decks = np.full((n, self.game.deck_size), -1, COUNTER)
        if options.get("decks") is not None:
            decks = as_decks(options["decks"], n, self.game)
        dealers = np.full(n, -1, np.int64)
        if options.get("dealers") is not None:
            given = np.asarray(options["dealers"])
            if given.shape != (n,):
                raise ValueError(f"dealers are ({n},) seats, not {given.shape}")
            dealers[:] = [d if d == -1 else as_dealer(d, self.game) for d in given.tolist()]
        if not self._is_seeded and not wanted.all():
            raise ValueError("the first reset deals all tables: leave reset_mask out")
        seeds = None
        if seed is not None or not self._is_seeded:
            seeds = seeds_for(fresh_seed() if seed is None else seed, n)

        before = self.snapshot() if options.get("decks") is not None else None
        if seeds is not None:
            seeded = self._tables[wanted]
            self._game.loops.seed(seeded, seeds[wanted])
            self._tables[wanted] = seeded
            self._keys[wanted] = mix_in(seeds[wanted], _SAMPLER)
        failed = self._loops.reset(
            self._tables, wanted, decks, dealers, self._observations, self._masks, self._seats,
            self._spare[:1],
        )  # fmt: skip
        if failed >= 0 and before is not None:
            self.restore(before)
            raise ValueError(f"deck {failed} ends its game before the first decision; give another one")
        self._is_seeded = True
        self._ended[wanted] = False
        self._rewards[wanted] = 0
        return self._seen(), self._infos()

    def step(
        self, actions: NDArray[Any] | Sequence[int]
    ) -> tuple[dict[str, NDArray[Any]], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], Info]:
        """Play one action at every table.

        Parameters
        ----------
        actions : (N,) integers
            Ignored at finished tables (without ``autoreset``).

        Returns
        -------
        observations : dict
            As from ``reset``; after a game that ended, those of the next game's first decision.
        rewards : (N, P) float32
            The points of all seats where a game ended in this step, else zeros.
        terminations, truncations : (N,) bool
            Where a game ended, and without ``autoreset`` where it has not been reset since; truncations
            are all False.
        infos : dict
            ``final_scores`` (N, P) int64 exact points (times ``GameInfo.denominator``), and ``final_stats``
            (N, K) int64 with the columns ``GameInfo.stats``, both valid where ``terminations``; ``seat``
            (N,) int64.

        Raises
        ------
        ValueError
            Names the table, its seat, the action and the legal ones; no table has moved.
        """
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_envs,) or chosen.dtype.kind not in "iu":
            raise ValueError(f"actions are ({self.num_envs},) integers, not {chosen.shape} {chosen.dtype}")
        chosen = np.ascontiguousarray(chosen, ACTION)
        if not self._is_seeded:
            raise ValueError("call reset() before step()")
        illegal = self._game.loops.first_illegal(self._tables, self._masks, chosen)
        if illegal >= 0:
            what = illegal_action(
                self.game, int(self._seats[illegal]), int(chosen[illegal]), self._masks[illegal]
            )
            raise ValueError(f"table {illegal}: {what}")
        self._chosen[:] = chosen
        self._share(STEP)
        return self._seen(), self._rewards, self._ended, self._truncated, self._infos()

    def sample(self) -> NDArray[np.int64]:
        """A uniformly random legal action for every table (a buffer); -1 at finished ones."""
        self._share(SAMPLE)
        return self._sampled

    @property
    def _loops(self) -> Any:
        return self._game.skipping_loops if self.skip_forced else self._game.loops

    def _share(self, kind: int) -> None:
        """Step or sample, every thread its part of the tables, the first one here."""
        if self._num_threads == 1 or config.DISABLE_JIT:
            self._do(kind, slice(None), self._spare[:1])
            return
        if self._crew is None or not self._crew.is_alive():
            serve = self._loops.serve
            self._crew = Crew([partial(_serve, serve, self._serve_arguments(*p)) for p in self._parts[1:]])
            self._ticket = 0
        self._ticket += 2 - (self._ticket - kind) % 2  # the next number of its kind
        self._crew.post(self._ticket)
        self._do(kind, *self._parts[0])
        self._crew.wait(self._ticket)

    def _do(self, kind: int, part: slice, spare: NDArray[Any]) -> None:
        if kind == SAMPLE:
            sample_masks(self._masks[part], self._keys[part], self._sampled[part])
        else:
            self._loops.step(self._chosen[part], *self._step_arguments(part, spare))

    def _step_arguments(self, part: slice, spare: NDArray[Any]) -> tuple[Any, ...]:
        """What ``batch.step`` takes besides the actions, for a part of the tables."""
        return (
            self._tables[part], self._observations[part], self._masks[part], self._seats[part],
            self._rewards[part], self._ended[part], self._scores[part], self._stats[part], spare,
            self.autoreset,
        )  # fmt: skip

    def _serve_arguments(self, part: slice, spare: NDArray[Any]) -> tuple[Any, ...]:
        """What ``batch.serve`` takes besides its ticket, for a part of the tables."""
        step = self._step_arguments(part, spare)
        return (self._sampled[part], self._keys[part], self._chosen[part], *step)

    def states(self) -> NDArray[np.uint8]:
        """Perfect information of every table, (N, P * O) uint8: all seats' observations."""
        states = np.zeros((self.num_envs, self.num_players * self.game.observation_size), OBSERVATION)
        self._game.loops.see_all(self._tables, states, self.game.observation_size)
        return states

    def tables(self, blank: bool = True, rows: NDArray[np.int64] | None = None) -> NDArray[Any]:
        """Copies of the records, with what the seat to act may not know zeroed if ``blank``.

        Of all tables, or of the ``rows`` (M,).
        """
        tables = self._tables.copy() if rows is None else self._tables[rows]
        if blank:
            self._game.loops.blank_all(tables, self._seats if rows is None else self._seats[rows])
        return tables

    def decks(self) -> NDArray[np.int16]:
        """The decks of the games in progress, as ``reset`` takes them."""
        decks: NDArray[np.int16] = self._tables["deck"][:, : self.game.deck_size].copy()
        return decks if self.game.num_decks == 1 else decks.reshape(len(decks), self.game.num_decks, -1)

    def dealers(self) -> NDArray[np.int64] | None:
        """The dealers (N,) of the games in progress, as ``reset`` takes them; None in games without one."""
        return self._tables["dealer"].astype(np.int64) if self._game.has_dealer else None

    def snapshot(self) -> tuple[NDArray[Any], ...]:
        """Everything that goes on changing, as copies, for ``restore``."""
        return tuple(kept.copy() for kept in self._kept())

    def restore(self, snapshot: tuple[NDArray[Any], ...]) -> None:
        """Go back to a snapshot of a vector of the same game, options and size."""
        kept = self._kept()
        is_ours = len(snapshot) == len(kept) and all(
            a.shape == b.shape and a.dtype == b.dtype for a, b in zip(snapshot, kept, strict=True)
        )
        if not is_ours or not self.rules.equal(self._tables, snapshot[0]):
            raise ValueError("the snapshot is of another game, other options or another number of tables")
        for target, source in zip(kept, snapshot, strict=True):
            target[:] = source
        self._is_seeded = bool(self._tables["chance"].any())

    def _kept(self) -> tuple[NDArray[Any], ...]:
        return (
            self._tables, self._keys, self._observations, self._masks, self._seats, self._rewards,
            self._ended, self._scores, self._stats,
        )  # fmt: skip

    def _seen(self) -> dict[str, NDArray[Any]]:
        return {"observation": self._observations, "action_mask": self._shown_masks}

    def _infos(self) -> Info:
        return {"seat": self._seats, "final_scores": self._scores, "final_stats": self._stats}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_crew": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._shown_masks = self._masks.view()
        self._shown_masks.flags.writeable = False

    def close(self) -> None:
        """End the threads; a later step starts new ones."""
        if self._crew is not None:
            self._crew.close()
            self._crew = None
