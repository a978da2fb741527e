"""What the climbing games share: rows of an action table, what beats what, kinds of action as features.

In a climbing game (爭上游, 關牌) a play is a combination of cards that has to beat the one before it, or a
pass. Its action table has one row per **main combination** (a whole play, or the body of one that takes
kickers along); which row beats which is a matrix, and the legal mask one loop over one of its rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Action(NamedTuple):
    """One row: what kind, how long as the rules count it, which rank is compared, which cards."""

    kind: str
    length: int
    key: int  # -1: none
    body: tuple[int, ...]  # cards by rank
    kickers: int  # kicker steps that follow, away from a last hand
    written: str  # the body as the rules write it


def action(ranks: str, kind: str, body: str = "", key: str = "", length: int = 0, kickers: int = 0) -> Action:
    """A row from its body as the rules write it, such as ``"A2345"``.

    >>> action("3456789TJQKA2", "pair", "44", key="4", length=1).body[:3]
    (0, 2, 0)
    """
    counts = tuple(body.count(rank) for rank in ranks)
    return Action(kind, length, ranks.index(key) if key else -1, counts, kickers, body)


def windows(places: str, size: int) -> list[str]:
    """All runs of ``size`` neighbouring ``places``, none with a rank twice, the lowest first.

    A rank may have a low place and a high one. Of two runs of the same ranks the higher one stands.

    >>> windows("A23456789TJQKA2", 12)
    ['A23456789TJQ', '23456789TJQK', '3456789TJQKA', '456789TJQKA2']
    >>> windows("A23456789TJQKA2", 2)[0], windows("A23456789TJQKA2", 2)[-1], windows("A23456789TJQKA2", 13)
    ('23', 'A2', ['3456789TJQKA2'])
    """
    runs = [places[i : i + size] for i in range(len(places) - size + 1)]
    highest = {frozenset(run): i for i, run in enumerate(runs) if len(set(run)) == size}
    return [runs[i] for i in sorted(highest.values())]


def times(run: str, copies: int) -> str:
    """A run with every rank several times.

    >>> times("345", 2)
    '334455'
    """
    return "".join(rank * copies for rank in run)


def written(counts: Sequence[int], ranks: str) -> str:
    """Counts by rank as the rules write a play: ``34567``."""
    return "".join(rank * int(n) for rank, n in zip(ranks, counts, strict=True))


def beating(actions: Sequence[Action], beats: Callable[[Action, Action], bool]) -> NDArray[np.uint8]:
    """What beats what, (N, N): 1 at [last, new] where the action ``new`` beats ``last``.

    The whole row of a last action, 0 and 1 for every id, is faster to go through than only those that
    beat it: a loop of fixed length without a branch is one that the compiler can vectorise.
    """
    return np.array([[beats(last, new) for new in actions] for last in actions], np.uint8)


def features_of(
    actions: Sequence[Action], kinds: Sequence[str], ranks: str, longest: int, most_kickers: int
) -> tuple[tuple[str, ...], NDArray[np.float32]]:
    """Names (F,) and values (A, F) of what each action is and takes."""
    body = np.array([a.body for a in actions])
    most = int(body.max())
    names = (
        *(f"is_{kind}" for kind in kinds),
        *(f"takes_{k}_of_{rank}" for k in range(1, most + 1) for rank in ranks),
        *(f"key_{rank}" for rank in ranks),
        "length",
        "kickers",
    )
    kind = np.eye(len(kinds))[[kinds.index(a.kind) for a in actions]]
    takes = np.concatenate([k <= body for k in range(1, most + 1)], axis=1)
    key = np.eye(len(ranks) + 1)[[a.key for a in actions]][:, : len(ranks)]  # some have none
    numbers = np.array([[a.length / longest, a.kickers / most_kickers] for a in actions])
    return names, np.concatenate([kind, takes, key, numbers], axis=1).astype(np.float32)
