"""Games played again, many at once: the arrays of their decisions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..core.commands import did_you_mean
from ..core.game import ACTION, MASK, OBSERVATION, REWARD, GameInfo
from ..core.plays import plain_score
from ..core.seeding import as_index
from ..core.vector import VectorTables
from ..record import Record, Start, start, verify

GAMES_AT_A_TIME = 128  # that are played again at once


class Column(NamedTuple):
    """An array of a dataset: its dtype, its shape and what it means."""

    dtype: Any
    shape: str
    meaning: str


COLUMNS = {
    "observation": Column(OBSERVATION, "(D, O)", "what the seat saw, as the environment shows it"),
    "action_mask": Column(MASK, "(D, A)", "1 where an action was legal"),
    "action": Column(ACTION, "(D,)", "what the seat did"),
    "seat": Column(np.int8, "(D,)", "who decided"),
    "game": Column(np.int64, "(D,)", "which game, counted from 0 over all files"),
    "decision": Column(np.int64, "(D,)", "which decision of its record, counted from 0"),
    "score": Column(REWARD, "(D,)", "what the seat scored in the end, in points: what each decision returns"),
    "last": Column(np.bool_, "(D,)", "whether it is the seat's last decision of its game in here"),
    "players": Column(np.str_, "(G, P)", "who played, by game and seat; empty where the record does not say"),
    "final_score": Column(REWARD, "(G, P)", "what all seats scored, in points"),
    "final_observation": Column(OBSERVATION, "(G, P, O)", "what each seat saw when the game was over"),
}
"""The arrays: D decisions, G games, P seats, O numbers in an observation, A actions."""


@dataclass(frozen=True)
class Dataset:
    """Decisions of recorded games: those of a seat in a game stand behind each other, in order.

    So the next row is what the seat saw next, unless this one is ``last``. Nothing is gained before the last
    one, and there is no discount: a seat's ``score`` is the return of each of its decisions.

    Attributes
    ----------
    observation : (D, O) uint8
    action_mask : (D, A) int8
    action : (D,) int64
    seat : (D,) int8
    game, decision : (D,) int64
    score : (D,) float32
    last : (D,) bool
    players : (G, P) str
    final_score : (G, P) float32
    final_observation : (G, P, O) uint8
    about : dict
        ``game``, ``version`` and ``rules`` of all games; which decisions these are: ``seats`` and ``players``
        (None: all) and ``skip_forced``. Of a file also its ``format``; ``files``, a list of ``name``,
        ``sha256`` and number of ``games``; ``paizhuo``, the version of the package that wrote it, None where
        that was not installed.
    """

    observation: NDArray[np.uint8]
    action_mask: NDArray[np.int8]
    action: NDArray[np.int64]
    seat: NDArray[np.int8]
    game: NDArray[np.int64]
    decision: NDArray[np.int64]
    score: NDArray[np.float32]
    last: NDArray[np.bool_]
    players: NDArray[np.str_]
    final_score: NDArray[np.float32]
    final_observation: NDArray[np.uint8]
    about: dict[str, Any]

    def __len__(self) -> int:
        return len(self.action)


def parts(
    records: Iterable[Record],
    *,
    seats: Sequence[int] | None = None,
    players: Sequence[str] | None = None,
    skip_forced: bool = False,
) -> Iterator[Dataset]:
    """The decisions of ``records``, some whole games at a time: for what does not fit into memory.

    Parameters
    ----------
    records : iterable of Record
        Finished games under the same options, as ``envs.record.read`` gives them.
    seats : sequence of int, optional
        Whose decisions are wanted; of all seats without it.
    players : sequence of str, optional
        Of which players, by the names in the records (``agents``); of all without it.
    skip_forced : bool
        Leave decisions with a single legal action out.

    Yields
    ------
    Dataset
        Its ``game`` goes on counting from part to part; row 0 of its ``players``, ``final_score`` and
        ``final_observation`` is its first game.

    Raises
    ------
    ValueError
        At a game that is not as recorded, not finished or of another kind than the first; at the end for
        players who are in no game, and if there is no decision.

    Examples
    --------
    >>> from envs import make
    >>> env = make("guan_pai", cards_each=2).unwrapped
    >>> env.reset(seed=4)
    >>> while not any(env.terminations.values()):
    ...     env.step(env.legal_plays()[0].actions[0])
    >>> (part,) = parts([env.record()])
    >>> part.seat.tolist(), part.action.tolist(), part.score.tolist(), part.last.tolist()
    ([0, 0, 1, 2], [1, 2, 0, 0], [12.0, 12.0, 0.0, -12.0], [False, True, True, True])
    """
    numbered = ((f"game {number}", record) for number, record in enumerate(records))
    return parts_of(numbered, Choice(seats, players, skip_forced))


class Choice(NamedTuple):
    """Which decisions are wanted, as :func:`parts` takes it."""

    seats: Sequence[int] | None = None
    players: Sequence[str] | None = None
    skip_forced: bool = False


class _Placed(NamedTuple):
    """A record, the place where it stands, and what its game starts from."""

    place: str
    record: Record
    start: Start


def parts_of(records: Iterable[tuple[str, Record]], choice: Choice) -> Iterator[Dataset]:
    """As :func:`parts`, of records and the places where they stand, which errors name."""
    rest, first, met = iter(records), None, dict[str, None]()
    games = decisions = 0
    while chunk := list(islice(rest, GAMES_AT_A_TIME)):
        checked: list[_Placed] = []
        for place, record in chunk:
            with _named(place):
                own = start(record)
                first = first or own
                _check(record, own, first, choice)
            checked.append(_Placed(place, record, own))
            met |= dict.fromkeys(record["agents"] or ())
        part = _play_again(checked, choice, games)
        games, decisions = games + len(checked), decisions + len(part)
        yield part
    unknown = [name for name in choice.players or () if name not in met]
    if unknown and games:
        raise ValueError(f"nobody in these games is {unknown[0]!r}; {did_you_mean(unknown[0], met)}")
    if not decisions:
        raise ValueError(f"there is no decision in {games:,} game{'s' * (games != 1)} that was asked for")


@contextmanager
def _named(place: str) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None


def _check(record: Record, own: Start, first: Start, choice: Choice) -> None:
    """ValueError unless the game can stand beside the ``first`` one in a dataset of this ``choice``."""
    mine, others = own.rules.as_dict(), first.rules.as_dict()
    alike = "a dataset is of one game under the same options"
    if own.game is not first.game:
        raise ValueError(f"a game of {own.game.name}, and the first one of {first.game.name}: {alike}")
    for name in mine:
        if mine[name] != others[name]:
            told = f"{name} is {mine[name]!r}, and {others[name]!r} in the first game"
            raise ValueError(f"{told}: {alike}")
    if record["scores"] is None:
        raise ValueError("the game is not finished, so nobody knows what its decisions brought")
    if choice.players is not None and record["agents"] is None:
        raise ValueError("the record does not say who played")
    for seat in choice.seats or ():
        as_index(seat, own.game.info(own.rules).num_players, "a seat")


def _refuse(games: Iterable[_Placed]) -> NoReturn:
    """ValueError that says what is wrong with the first of these ``games`` that is not as recorded."""
    for game in games:
        with _named(game.place):
            verify(game.record)
    raise AssertionError("games that can be replayed one by one can be replayed together")


def _play_again(games: Sequence[_Placed], choice: Choice, number: int) -> Dataset:
    """The decisions of ``games``, of which the first has this ``number``; ValueError as :func:`parts`."""
    kind, n = games[0].start, len(games)
    vec = VectorTables(kind.game, n, autoreset=False, **kind.rules.as_dict())
    info, rows = vec.game, np.arange(n)
    lengths = np.array([len(game.record["decisions"]) for game in games])
    told = np.full((n, lengths.max(), 2), -1)
    for row, game in enumerate(games):
        try:
            told[row, : lengths[row]] = game.record["decisions"] or np.zeros((0, 2))
        except OverflowError:  # no action has such a number
            _refuse([game])
    decks = np.stack([game.start.deck for game in games]).reshape(n, info.num_decks, -1)
    dealers = [game.start.dealer for game in games] if kind.game.has_dealer else None
    options = {"decks": decks if info.num_decks > 1 else decks[:, 0], "dealers": dealers}
    try:
        seen, infos = vec.reset(seed=0, options=options)
    except ValueError:
        _refuse(games)

    wanted = _wanted(games, choice, info)
    ended = np.zeros(n, np.bool_)
    noted: list[tuple[NDArray[Any], ...]] = []
    for step in range(lengths.max()):
        seats, actions = told[:, step].T
        masks, goes_on = seen["action_mask"], step < lengths
        is_action = (actions >= 0) & (actions < info.num_actions)
        legal = is_action & (masks[rows, np.where(is_action, actions, 0)] != 0)
        wrong = np.where(goes_on, ended | ~legal | (seats != infos["seat"]), ~ended)
        if wrong.any():
            _refuse(games[row] for row in np.flatnonzero(wrong).tolist())
        kept = goes_on & wanted[rows, seats]
        if choice.skip_forced:
            kept &= np.count_nonzero(masks, axis=1) > 1
        at = np.flatnonzero(kept)
        moment = np.full(len(at), step)
        noted.append((at, moment, seats[at], actions[at], seen["observation"][at], masks[at]))
        seen, _, ended, _, infos = vec.step(actions)
    final = infos["final_scores"]
    recorded = [list(game.record["scores"]) for game in games]
    wrong = ~ended | [_plain(own, info) != told for own, told in zip(final.tolist(), recorded, strict=True)]
    if wrong.any():
        _refuse(games[row] for row in np.flatnonzero(wrong).tolist())

    at, decision, seat, action, observation, mask = map(np.concatenate, zip(*noted, strict=True))
    order = np.lexsort((decision, seat, at))
    at, seat = at[order], seat[order]
    points = (final / info.denominator).astype(REWARD)
    return Dataset(
        observation=observation[order],
        action_mask=mask[order],
        action=action[order].astype(ACTION),
        seat=seat.astype(np.int8),
        game=at + number,
        decision=decision[order],
        score=points[at, seat],
        last=np.append((at[1:] != at[:-1]) | (seat[1:] != seat[:-1]), True)[: len(at)],
        players=np.array([game.record["agents"] or [""] * info.num_players for game in games]),
        final_score=points,
        final_observation=vec.states().reshape(n, info.num_players, -1),
        about={
            "game": info.name,
            "version": info.version,
            "rules": kind.rules.as_dict(),
            "seats": None if choice.seats is None else list(choice.seats),
            "players": None if choice.players is None else list(choice.players),
            "skip_forced": choice.skip_forced,
        },
    )


def _wanted(games: Sequence[_Placed], choice: Choice, info: GameInfo) -> NDArray[np.bool_]:
    """Whose decisions are wanted (G, P)."""
    wanted = np.ones((len(games), info.num_players), np.bool_)
    if choice.seats is not None:
        wanted &= np.isin(np.arange(info.num_players), choice.seats)
    if choice.players is not None:
        wanted &= np.array([[name in choice.players for name in game.record["agents"]] for game in games])
    return wanted


def _plain(scores: list[int], info: GameInfo) -> list[int | str]:
    """Final scores as a record has them."""
    return [plain_score(Fraction(score, info.denominator)) for score in scores]
