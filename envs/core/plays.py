"""From actions to plays and back: what a person may play, and which actions play given cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .batch import ILLEGAL, OVER
from .game import MASK, OBSERVATION, Game, GameInfo, Play, Rules
from .seeding import illegal_action

PASS = "pass"
Decision = tuple[int | None, int]  # (seat, action); None: whoever is to act
IN_THE_DEAL = -1  # the decision that led to what happens before the first one


def decks_of(info: GameInfo, deck: NDArray[np.int16]) -> list[list[str]]:
    """The packs of a game in notation, from their card indices (cards of all packs,)."""
    return [[info.cards[card] for card in one] for one in deck.reshape(info.num_decks, -1).tolist()]


def scores_of(info: GameInfo, table: Any) -> list[Any]:
    """Exact points by seat of a record: integers, or fractions where the game has them."""
    scores = [int(score) for score in table["score"][: info.num_players]]
    return scores if info.denominator == 1 else [Fraction(score, info.denominator) for score in scores]


class _Level(NamedTuple):
    """A table (1,) to try actions on, its bytes and its mask.

    It is copied as bytes: field by field takes ten times as long.
    """

    tables: NDArray[Any]
    content: NDArray[np.uint8]
    mask: NDArray[np.int8]


def _level(tables: NDArray[Any], mask: NDArray[np.int8]) -> _Level:
    own = tables.copy()
    return _Level(own, own.view(np.uint8), mask.copy())


def legal_plays(game: Game, info: GameInfo, tables: NDArray[Any]) -> list[Play]:
    """Every complete play of the seat to act at ``tables[0]``; in mid-play the ways to complete it."""
    masks = np.zeros((1, info.num_actions), np.int8)
    game.loops.legal_all(tables, masks)
    unseen = np.zeros(info.observation_size, np.uint8)
    now = tables[0]
    levels = [_level(tables, masks[0])]

    def complete(actions: tuple[int, ...]) -> Iterator[Play]:
        at = levels[len(actions)]
        if len(levels) == len(actions) + 1:
            levels.append(_level(at.tables, at.mask))
        then = levels[len(actions) + 1]
        record = then.tables[0]
        for action in np.flatnonzero(at.mask).tolist():
            then.content[:] = at.content
            then.mask[:] = at.mask
            game.loops.advance(then.tables, action, unseen, then.mask)
            made = (*actions, action)
            if record["pending"]:
                yield from complete(made)
            else:
                name, key, length = game.text.reading(now, made)
                yield Play(name, key, length, game.text.spent(now, record, made), made)

    return list(complete(()))


def actions_for(
    game: Game,
    info: GameInfo,
    tables: NDArray[Any],
    cards: Sequence[str],
    name: str | None = None,
    key: str | None = None,
) -> tuple[int, ...]:
    """The actions that play ``cards`` (in notation, none for a pass), as ``raw_env.actions_for``."""
    what = " ".join(cards) or name or "a pass"
    if tables[0]["over"]:
        raise ValueError(f"may not play {what}: the game is over")
    hand = game.text.hand(tables[0], int(tables[0]["turn"]))
    not_held = Counter(card for card in cards if card in info.cards) - Counter(hand)
    if not_held:
        raise ValueError(
            f"may not play {what}: no {next(iter(not_held))} (left) in the hand {' '.join(hand)}"
        )
    plays = legal_plays(game, info, tables)
    readings = [play for play in plays if game.text.same_cards(tables[0], play, cards)]
    if not cards and name is None and any(p.name == PASS for p in readings):
        name = PASS
    chosen = [p for p in readings if name in (None, p.name) and key in (None, p.key)]
    if not cards and len(readings) > 1 and len(chosen) != 1:  # a game of actions without cards
        legal = ", ".join(p.name for p in readings)
        refused = f"{name} is not legal now; " if name else ""
        raise ValueError(f"{refused}choose one by name: {legal}")
    exact = [p for p in chosen if sorted(p.cards) == sorted(cards)]
    if chosen:
        return min(exact or chosen, key=game.text.prefer).actions
    if readings:
        known = ", ".join(dict.fromkeys(f"{p.name} with key {p.key}" for p in readings))
        raise ValueError(f"{what} may be read as {known}; not as name={name!r}, key={key!r}")
    if tables[0]["pending"]:
        raise ValueError(f"may not play {what}: a play is being completed; legal_plays() says how")
    raise ValueError(f"may not play {what}: {game.text.why_not(tables[0], cards, plays)}")


@lru_cache(maxsize=16)
def _undealt(game: Game, rules: Rules) -> NDArray[Any]:
    """One record under these rules, to be copied."""
    return game.new_tables(1, rules)


def replay(
    game: Game, rules: Rules, deck: NDArray[np.int16], decisions: Iterable[Decision], dealer: int = -1
) -> Iterator[NDArray[Any]]:
    """Deal ``deck`` (C,) and play ``decisions``: the table as dealt, then after each of them.

    Yields one array (1,) again and again, which moves on: copy what you keep.

    Raises
    ------
    ValueError
        At a deck that ends the game before its first decision; at a decision that is not legal, or of a
        seat that is not to act. Decisions are counted from 0.
    """
    info, tables = game.info(rules), _undealt(game, rules).copy()
    seen, masks = np.zeros((1, info.observation_size), OBSERVATION), np.zeros((1, info.num_actions), MASK)
    one, dealers, seats = np.ones(1, np.bool_), np.full(1, dealer, np.int64), np.zeros(1, np.int64)
    failed = game.loops.reset(tables, one, deck.reshape(1, -1), dealers, seen, masks, seats, tables)
    if failed >= 0:
        raise ValueError("the deck ends the game before its first decision")
    yield tables
    observation, mask, turn = seen[0], masks[0], int(seats[0])
    for number, (seat, action) in enumerate(decisions):
        if turn >= OVER:
            raise ValueError(f"decision {number}: the game was over before it")
        if seat is not None and seat != turn:
            raise ValueError(f"decision {number}: seat {seat} is not to act, seat {turn} is")
        is_known = 0 <= action < info.num_actions  # compiled code takes no integer of any size
        status = game.loops.advance(tables, action, observation, mask) if is_known else ILLEGAL
        if status == ILLEGAL:
            raise ValueError(f"decision {number}: {illegal_action(info, turn, action, mask)}")
        turn = status
        yield tables


class Replayed(NamedTuple):
    """A game played again: its decisions as (seat, action), its plays, its events, its last table (1,).

    ``plays`` are (seat, play, index of its first decision); one that is not complete is left out.
    ``events`` are (index of the decision that led to it or IN_THE_DEAL, seat, event, cards).
    """

    decisions: list[tuple[int, int]]
    plays: list[tuple[int, Play, int]]
    events: list[tuple[int, int, str, tuple[str, ...]]]
    table: NDArray[Any]


def replay_plays(
    game: Game, rules: Rules, deck: NDArray[np.int16], decisions: Sequence[Decision], dealer: int = -1
) -> Replayed:
    """What ``decisions`` come to; ValueError as :func:`replay`."""
    states = replay(game, rules, deck, decisions, dealer)
    now = next(states)
    before, now_bytes = now.copy(), now.view(np.uint8)
    before_bytes = before.view(np.uint8)  # copied as bytes: field by field takes ten times as long
    again = Replayed([], [], [], now)
    events_of = getattr(game.text, "events", None)  # of games in which things happen by themselves
    if events_of is not None:
        again.events.extend((IN_THE_DEAL, *event) for event in events_of(_undealt(game, rules)[0], now[0]))
    actions: list[int] = []
    for (_, action), _ in zip(decisions, states, strict=True):
        seat = int(before[0]["turn"])
        again.decisions.append((seat, action))
        actions.append(action)
        if events_of is not None:
            number = len(again.decisions) - 1
            again.events.extend((number, *event) for event in events_of(before[0], now[0]))
        if now[0]["pending"]:
            continue
        name, key, length = game.text.reading(before[0], actions)
        made = Play(name, key, length, game.text.spent(before[0], now[0], actions), tuple(actions))
        again.plays.append((seat, made, len(again.decisions) - len(actions)))
        actions = []
        before_bytes[:] = now_bytes
    return again


def plain_score(score: int | Fraction) -> int | str:
    """A score for JSON.

    >>> plain_score(3), plain_score(Fraction(3)), plain_score(Fraction(-7, 3))
    (3, 3, '-7/3')
    """
    return int(score) if score == int(score) else str(score)


def make_record(
    game: Game,
    rules: Rules,
    deck: NDArray[np.int16],
    decisions: Sequence[Decision],
    dealer: int | None = None,
    agents: Sequence[str] | None = None,
) -> dict[str, Any]:
    """A game as a record, ready for JSON: see ``envs.record`` for its fields.

    Parameters
    ----------
    game : Game
    rules : Rules
    deck : (C,) int16
        Card indices in dealing order, of all packs.
    decisions : sequence of (seat or None, action)
        From the first one on; the game need not be over.
    dealer : int, optional
        In games that have one.
    agents : sequence of str, optional
        Who played, by seat.

    Raises
    ------
    ValueError
        As :func:`replay`.
    """
    info = game.info(rules)
    again = replay_plays(game, rules, deck, decisions, -1 if dealer is None else dealer)
    t = again.table[0]
    return {
        "game": info.name,
        "version": info.version,
        "rules": rules.as_dict(),
        "decks": decks_of(info, deck),
        "dealer": dealer,
        "agents": None if agents is None else list(agents),
        "decisions": [list(decision) for decision in again.decisions],
        "plays": [[seat, play.name, list(play.cards), first] for seat, play, first in again.plays],
        "events": [[number, who, event, list(cards)] for number, who, event, cards in again.events],
        "scores": list(map(plain_score, scores_of(info, t))) if t["over"] else None,
        **(game.text.outcome(t) if t["over"] else {}),
    }
