"""Agents are asked for their actions, and what they answer is checked.

Training wants to hear of an answer that is none: it ends with a ValueError that names the agent. A tournament
goes on instead: the decision is made by a legal action at random and counted, so that the report can say so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents import Agent, Decisions
from agents.uniform import UniformAgent
from envs.core.game import ACTION
from envs.core.rng import mix_in

_INSTEAD = 0x1257EAD  # keeps the random actions apart from what the agent draws by the same keys
_LONGEST_REASON = 200  # characters
_SHOWN = 8  # legal actions

DecisionsAt = Callable[[NDArray[np.int64]], Decisions]
"""Makes the decisions of some rows, anew at every call: an agent may have spoilt those that it got."""


class BadAnswerError(ValueError):
    """An agent's answer that is none; ``kind`` says in a word or two why."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


@dataclass(frozen=True)
class Failures:
    """How often an agent was asked, and how often its answer was none.

    Attributes
    ----------
    asked : int
        Decisions; those with a single legal action are made without asking.
    kinds : dict of str to int
        What was wrong, and in how many decisions; sorted.
    first : str
        The first in the order of deals, seatings and decisions, in full; "" without any.
    """

    asked: int
    kinds: dict[str, int]
    first: str = ""

    @property
    def failed(self) -> int:
        """Decisions that were made at random instead."""
        return sum(self.kinds.values())


NO_FAILURES = Failures(0, {})


def together(parts: Iterable[Failures]) -> Failures:
    """The failures of an agent in parts of a tournament, in their order.

    >>> together([Failures(5, {}), Failures(7, {"illegal action": 2}, "illegal action 9")])
    Failures(asked=12, kinds={'illegal action': 2}, first='illegal action 9')
    """
    parts, kinds = list(parts), Counter[str]()
    for part in parts:
        kinds.update(part.kinds)
    first = next((part.first for part in parts if part.first), "")
    return Failures(sum(part.asked for part in parts), dict(sorted(kinds.items())), first)


def answer(agent: Agent, decisions: Decisions) -> NDArray[np.int64]:
    """What the agent answers, (N,).

    Raises
    ------
    ValueError
        If it fails or answers with an illegal action; it names the agent.
    """
    given, legal, masks = _given(agent, decisions)
    if not legal.all():
        wrong = int(np.flatnonzero(~legal)[0])
        raise ValueError(f"agent {agent.name!r} {_illegal(given[wrong], masks[wrong])}")
    return given.astype(ACTION)


def _given(
    agent: Agent, decisions: Decisions
) -> tuple[NDArray[np.integer], NDArray[np.bool_], NDArray[np.int8]]:
    """The answers (N,), which of them are legal, and the legal actions as they were before.

    Raises BadAnswerError if there are no answers (N,) at all.
    """
    masks = decisions.action_masks.copy()  # which the agent may change
    count, num_actions = masks.shape
    try:
        given = np.asarray(agent.act(decisions))
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        raise BadAnswerError(
            f"raised {type(error).__name__}", f"agent {agent.name!r} failed: {said}"
        ) from error
    if given.shape != (count,) or given.dtype.kind not in "iu":
        is_nan = given.dtype.kind == "f" and bool(np.isnan(given).any())
        told = f"{given.shape} {given.dtype}{', NaN among them' if is_nan else ''}"
        raise BadAnswerError(
            "NaN" if is_nan else "not integers" if given.dtype.kind not in "iu" else "wrong shape",
            f"agent {agent.name!r} must answer with ({count},) integers, not {told}",
        )
    known = (given >= 0) & (given < num_actions)
    legal = known & (masks[np.arange(count), np.where(known, given, 0)] != 0)
    return given, legal, masks


def _illegal(action: np.integer, mask: NDArray[np.int8]) -> str:
    allowed = ", ".join(str(legal) for legal in np.flatnonzero(mask)[:_SHOWN])
    return f"answered with the illegal action {action}; legal at that decision are {allowed}"


class Tally:
    """Answers that are none, decision by decision; everything about it is the same whatever the batches.

    Parameters
    ----------
    entries : int
        How many agents there are.
    """

    def __init__(self, entries: int) -> None:
        self._asked = [0] * entries
        self._kinds = [Counter[str]() for _ in range(entries)]
        self._first: list[tuple[int, int, str] | None] = [None] * entries

    def answer(
        self, entry: int, agent: Agent, decisions_at: DecisionsAt, rows: NDArray[np.int64], moment: int
    ) -> NDArray[np.int64]:
        """What the agent answers at ``rows`` (N,); at random and counted where that is none.

        If the call fails its decisions are halved until those that fail are alone: all others count, as an
        agent's answer does not depend on what else it is asked.

        Parameters
        ----------
        entry : int
            Number of the agent.
        agent : Agent
        decisions_at : callable
        rows : (N,) int64
            Numbers of the games.
        moment : int
            How many decisions each of these games has had.
        """
        self._asked[entry] += len(rows)
        return self._answer(entry, agent, decisions_at, rows, moment)

    def _answer(
        self, entry: int, agent: Agent, decisions_at: DecisionsAt, rows: NDArray[np.int64], moment: int
    ) -> NDArray[np.int64]:
        try:
            given, legal, masks = _given(agent, decisions_at(rows))
        except BadAnswerError as error:
            if len(rows) > 1:
                halves = np.array_split(rows, 2)
                return np.concatenate(
                    [self._answer(entry, agent, decisions_at, half, moment) for half in halves]
                )
            self._count(entry, int(rows[0]), moment, error.kind, str(error))
            return _at_random(decisions_at(rows))
        found = given.astype(ACTION)
        wrong = np.flatnonzero(~legal)
        if len(wrong):
            for i in wrong:
                reason = f"agent {agent.name!r} {_illegal(given[i], masks[i])}"
                self._count(entry, int(rows[i]), moment, "illegal action", reason)
            found[wrong] = _at_random(decisions_at(rows[wrong]))
        return found

    def _count(self, entry: int, row: int, moment: int, kind: str, reason: str) -> None:
        self._kinds[entry][kind] += 1
        first = self._first[entry]
        if first is None or (row, moment) < first[:2]:
            self._first[entry] = (row, moment, _same_everywhere(reason))

    def failures(self) -> tuple[Failures, ...]:
        """Of each agent."""
        return tuple(
            Failures(asked, dict(sorted(kinds.items())), "" if first is None else first[2])
            for asked, kinds, first in zip(self._asked, self._kinds, self._first, strict=True)
        )


def _at_random(decisions: Decisions) -> NDArray[np.int64]:
    decisions.keys = mix_in(decisions.keys, _INSTEAD)
    return UniformAgent().act(decisions)


def _same_everywhere(reason: str) -> str:
    """A reason in one line, without what differs from process to process.

    >>> _same_everywhere("failed: <object object at 0x7f3a2c>\\nand so on")
    'failed: <object object at 0x...> and so on'
    """
    line = " ".join(re.sub(r"0x[0-9a-fA-F]+", "0x...", reason).split())
    return line if len(line) <= _LONGEST_REASON else f"{line[: _LONGEST_REASON - 3]}..."


def failing(labels: Sequence[str], failures: Sequence[Failures]) -> list[str]:
    """The sentences of a report about the agents that failed.

    >>> failing(["net"], [Failures(40, {"illegal action": 3}, "agent 'net' answered with...")])[0][:73]
    'net failed in 3 of the 40 decisions it was asked for (illegal action: 3).'
    """
    told = []
    for label, found in zip(labels, failures, strict=True):
        if not found.failed:
            continue
        kinds = ", ".join(f"{kind}: {count:,}" for kind, count in found.kinds.items())
        told.append(
            f"{label} failed in {found.failed:,} of the {found.asked:,} decisions it was asked for "
            f"({kinds}). "
            f'The first reason: "{found.first}". It was not punished: a legal action at random was played in '
            "their place. So its figures, and those of others against it, are those of a player that is "
            f"{'wholly' if found.failed == found.asked else 'partly'} random."
        )
    return told
