"""From actions to plays and back: what a person may play, and which actions play given cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .game import MASK, OBSERVATION, Game, GameInfo, Play, Rules


def made_play(game: Game, before: Any, after: Any, actions: Sequence[int]) -> Play:
    """The play that ``actions`` made between two states of a table (records)."""
    seat = int(before["turn"])
    name, key, length = game.text.reading(before, actions)
    left = Counter(game.text.hand(after, seat))
    cards = []
    for card in game.text.hand(before, seat):
        if left[card]:
            left[card] -= 1
        else:
            cards.append(card)
    return Play(name, key, length, tuple(cards), tuple(actions))


def legal_plays(game: Game, info: GameInfo, tables: NDArray[Any]) -> list[Play]:
    """Every complete play of the seat to act at ``tables[0]``; in mid-play the ways to complete it."""
    masks = np.zeros((1, info.num_actions), np.int8)
    game.loops.legal_all(tables, masks)
    unseen = np.zeros(info.observation_size, np.uint8)

    def complete(at: NDArray[Any], mask: NDArray[np.int8], actions: tuple[int, ...]) -> Iterator[Play]:
        for action in np.flatnonzero(mask):
            then, next_mask = at.copy(), mask.copy()
            game.loops.advance(then, int(action), unseen, next_mask)
            made = (*actions, int(action))
            if then[0]["pending"]:
                yield from complete(then, next_mask, made)
            else:
                yield made_play(game, tables[0], then[0], made)

    return list(complete(tables, masks[0], ()))


def actions_for(
    game: Game,
    info: GameInfo,
    tables: NDArray[Any],
    cards: Sequence[str],
    name: str | None = None,
    key: str | None = None,
) -> tuple[int, ...]:
    """The actions that play ``cards`` (in notation, none for a pass), as ``raw_env.actions_for``."""
    what = " ".join(cards) or "a pass"
    if tables[0]["over"]:
        raise ValueError(f"may not play {what}: the game is over")
    hand = game.text.hand(tables[0], int(tables[0]["turn"]))
    not_held = Counter(card for card in cards if card in info.cards) - Counter(hand)
    if not_held:
        raise ValueError(
            f"may not play {what}: no {next(iter(not_held))} (left) in the hand {' '.join(hand)}"
        )
    readings = [p for p in legal_plays(game, info, tables) if game.text.same_cards(p.cards, cards)]
    chosen = [p for p in readings if name in (None, p.name) and key in (None, p.key)]
    if chosen:
        return min(chosen, key=game.text.prefer).actions
    if readings:
        known = ", ".join(f"{p.name} with key {p.key}" for p in readings)
        raise ValueError(f"{what} may be read as {known}; not as name={name!r}, key={key!r}")
    if tables[0]["pending"]:
        raise ValueError(f"may not play {what}: a play is being completed; legal_plays() says how")
    raise ValueError(f"may not play {what}: {game.text.why_not(tables[0], cards)}")


def replay(
    game: Game, info: GameInfo, rules: Rules, deck: NDArray[np.int16], decisions: Sequence[tuple[int, int]]
) -> list[tuple[int, Play, int]]:
    """Play ``decisions`` (seat, action) again from ``deck``: (seat, play, index of its first decision)."""
    tables = game.new_tables(1, rules)
    seen, masks = np.zeros((1, info.observation_size), OBSERVATION), np.zeros((1, info.num_actions), MASK)
    one, drawn, seats = np.ones(1, np.bool_), np.full(1, -1, np.int64), np.zeros(1, np.int64)
    game.loops.reset(tables, one, deck[None], drawn, seen, masks, seats, tables.copy(), False)
    found = []
    before, first = tables.copy(), 0
    actions: list[int] = []
    for index, (seat, action) in enumerate(decisions):
        if not actions:
            before, first = tables.copy(), index
        actions.append(action)
        game.loops.play_one(tables, action)
        if not tables[0]["pending"]:
            found.append((seat, made_play(game, before[0], tables[0], actions), first))
            actions = []
    return found
