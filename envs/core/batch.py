"""The loops over many tables, written once and bound to each game's kernels (``jit.bind``).

In here ``deal``, ``legal``, ``apply``, ``observe``, ``blank`` and ``stats`` are global names that each
game binds to its own kernels on one record (and ``points``, if it has one); loops further up are bound
before those that call them. ``SKIP_FORCED`` is a constant when they compile, so that those who do not want it
need not wait for it.
"""

from __future__ import annotations

import numpy as np

from .crew import STOP, load, pause, store
from .jit import njit
from .rng import pick_below, seed_stream

ILLEGAL = -1  # what `advance` returns instead of a seat
OVER = 256  # what `advance` adds to the seat when the game has ended
# Of one type with what is given elsewhere: constants in a call would have loops compiled again.
NO_DEALER, YES, NO = np.int64(-1), np.bool_(True), np.bool_(False)
SKIP_FORCED = False  # bound to True in loops that play decisions with one legal action themselves
UNRATED = np.int64(-1 << 60)  # what an action scores that a rule player did not look at
_BLOCK = 32  # actions that `sample` counts at a time


def seed(tables, seeds):
    """Give every table the chance stream of its seed (N,) uint64."""
    for i in range(len(tables)):
        seed_stream(tables[i].chance, seeds[i])


def redeal(t, deck, dealer):
    """Deal one table, again where a shuffled deal ends before its first decision."""
    while True:
        deal(t, deck, dealer)  # noqa: F821
        if not t.over or deck[0] >= 0:
            return


def only_action(mask):
    """The one legal action of ``mask`` (A,), or -1 where there are several."""
    found = -1
    for action in range(len(mask)):
        if mask[action]:
            if found >= 0:
                return -1
            found = action
    return found


def would_end(t, action, spare):
    """Whether ``action`` ends the game at ``t``; ``spare`` (1,) is a table to try it on."""
    spare[0] = t
    trial = spare[0]
    apply(trial, action)  # noqa: F821
    return trial.over != 0


def play_forced(t, mask, spare, may_end):
    """Play on while there is a single legal action; with ``may_end`` False not the one that ends the game."""
    while not t.over:
        legal(t, mask)  # noqa: F821
        action = only_action(mask)
        if action < 0 or (not may_end and would_end(t, action, spare)):
            return
        apply(t, action)  # noqa: F821


def show(t, observation, mask):
    """What the seat to act sees and may do; nothing is legal when the game is over."""
    if t.over:
        mask[:] = 0
    else:
        legal(t, mask)  # noqa: F821
    observe(t, t.turn, observation)  # noqa: F821


def reset(tables, wanted, decks, dealers, observations, masks, seats, spare):
    """Deal the ``wanted`` tables; ``decks`` (N, C) with -1 first where the deck is to be shuffled.

    Returns the first table whose given deck ends before its first decision, or -1.
    """
    for i in range(len(tables)):
        if not wanted[i]:
            continue
        t = tables[i]
        redeal(t, decks[i], dealers[i])
        if t.over:
            return i
        if SKIP_FORCED:
            play_forced(t, masks[i], spare, NO)
        show(t, observations[i], masks[i])
        seats[i] = t.turn
    return -1


def first_illegal(tables, masks, actions):
    """The first table whose action is not legal, or -1; a finished table takes any action."""
    size = masks.shape[1]
    for i in range(len(tables)):
        action = actions[i]
        if not (0 <= action < size and masks[i, action]) and not tables[i].over:
            return i
    return -1


def points(t, seat):
    """What ``seat`` is rewarded with at the end; a game whose scores are not whole numbers has its own."""
    return t.score[seat]


def step(
    actions,
    tables,
    observations,
    masks,
    seats,
    rewards,
    ended,
    scores,
    final_stats,
    spare,
    autoreset,
):
    """Play one action at every table that is not finished, up to its next decision.

    Where a game ends ``ended`` is set, its scores go to ``rewards`` (N, P) and ``scores`` (N, P), its
    statistics to ``final_stats`` (N, K), and with ``autoreset`` the next game is dealt.
    """
    no_deck = np.full(1, -1, np.int16)
    for i in range(len(tables)):
        t = tables[i]
        if ended[i]:
            for seat in range(rewards.shape[1]):
                rewards[i, seat] = 0
        ended[i] = t.over != 0
        if ended[i]:
            continue
        apply(t, actions[i])  # noqa: F821
        if SKIP_FORCED:
            play_forced(t, masks[i], spare, YES)
        if t.over:
            ended[i] = True
            for seat in range(rewards.shape[1]):
                rewards[i, seat] = points(t, seat)
                scores[i, seat] = t.score[seat]
            stats(t, final_stats[i])  # noqa: F821
            if autoreset:
                redeal(t, no_deck, NO_DEALER)
                if SKIP_FORCED:  # a step ends one game only
                    play_forced(t, masks[i], spare, NO)
        show(t, observations[i], masks[i])
        seats[i] = t.turn


def advance(tables, action, observation, mask):
    """Play one action at the only table; its observation and mask become those of the next seat.

    Returns the seat to act, plus OVER where the game has ended, or ILLEGAL with nothing changed.
    """
    if not (0 <= action < len(mask) and mask[action]):
        return ILLEGAL
    t = tables[0]
    apply(t, action)  # noqa: F821
    show(t, observation, mask)
    return t.turn + OVER if t.over else t.turn


def play_one(tables, action):
    """Play one legal action at the only table, nothing else."""
    apply(tables[0], action)  # noqa: F821


def look(tables, seats, observations):
    """What ``seats`` (N,) see at their tables, whoever is to act."""
    for i in range(len(tables)):
        observe(tables[i], seats[i], observations[i])  # noqa: F821


def legal_all(tables, masks):
    """The masks of the seats to act; zeros at a finished table."""
    for i in range(len(tables)):
        if tables[i].over:
            masks[i, :] = 0
        else:
            legal(tables[i], masks[i])  # noqa: F821


def see_all(tables, states, size):
    """Perfect information: the observations (``size``) of all seats, one behind the other, (N, P * O)."""
    for i in range(len(tables)):
        for seat in range(states.shape[1] // size):
            observe(tables[i], seat, states[i, seat * size : (seat + 1) * size])  # noqa: F821


def blank_all(tables, seats):
    """Zero in every table what its seat (N,) may not know."""
    for i in range(len(tables)):
        blank(tables[i], seats[i])  # noqa: F821


def choose_all(tables, masks, keys, actions):
    """Let a rule player's ``choose`` answer for every table."""
    for i in range(len(tables)):
        actions[i] = choose(tables[i], masks[i], keys[i])  # noqa: F821


def rate_all(tables, masks, keys, steps, scores, actions, grades):
    """As ``choose_all``, by a rule player's ``rate``, which also tells by how little other actions are worse.

    ``grades`` (N, S * A) are zeros, and become ones where an action scores less than the chosen one by at
    most the first of the ``steps`` (S,), then by the next. ``scores`` (A,) is room to work in.
    """
    for i in range(len(tables)):
        scores[:] = UNRATED
        chosen = rate(tables[i], masks[i], keys[i], scores)  # noqa: F821
        actions[i] = chosen
        for k in range(len(steps)):
            row = k * len(scores)
            grades[i, row + chosen] = 1
            if scores[chosen] == UNRATED:
                continue
            for action in range(len(scores)):
                if scores[action] >= scores[chosen] - steps[k]:
                    grades[i, row + action] = 1


@njit
def pick_legal(mask, key):
    """A uniformly random legal action of ``mask`` (A,), made from ``key``; -1 if there is none."""
    legal_here = np.int64(0)
    for action in range(len(mask)):
        legal_here += mask[action]
    if legal_here == 0:
        return -1
    rank = pick_below(key, legal_here)
    start = 0
    while start + _BLOCK <= len(mask):  # whole blocks first: their sums are cheap
        inside = np.int64(0)
        for action in range(start, start + _BLOCK):
            inside += mask[action]
        if rank < inside:
            break
        rank -= inside
        start += _BLOCK
    for action in range(start, len(mask)):
        rank -= mask[action]
        if rank < 0:
            return action
    return -1  # never reached: rank is below the number of legal actions


@njit
def sample(masks, keys, actions):
    """A uniformly random legal action for every mask (N, A), -1 without any; moves every key (N,) on."""
    for i in range(len(masks)):
        actions[i] = pick_legal(masks[i], keys[i])
        keys[i] += np.uint64(1)


def play_randomly(tables, masks, keys, rounds):
    """Play ``rounds`` random decisions at every table, redeals included, without observations.

    Returns the number of games that ended.
    """
    no_deck = np.full(1, -1, np.int16)
    games = 0
    for i in range(len(tables)):
        t = tables[i]
        for _ in range(rounds):
            action = pick_legal(masks[i], keys[i])
            keys[i] += np.uint64(1)
            apply(t, action)  # noqa: F821
            if t.over:
                games += 1
                redeal(t, no_deck, NO_DEALER)
            legal(t, masks[i])  # noqa: F821
    return games


def serve(
    ticket, done, patience, sampled, keys, chosen,
    tables, observations, masks, seats, rewards, ended, scores, final_stats, spare, autoreset,
):  # fmt: skip
    """A thread's part of the tables: step or sample as the tickets say (see ``crew.py``).

    An even ticket asks for a step with the ``chosen`` actions, an odd one for ``sampled`` actions.
    """
    finished = load(done)
    looks = 0
    while looks < patience:
        asked = load(ticket)
        if asked == STOP:
            return
        if asked == finished:
            looks += 1
            pause()
            continue
        if asked % 2 == 0:
            step(
                chosen, tables, observations, masks, seats, rewards, ended, scores, final_stats, spare,
                autoreset,
            )  # fmt: skip
        else:
            sample(masks, keys, sampled)
        finished = asked
        store(done, finished)
        looks = 0


PARTS = ("redeal", "show")  # of the loops that follow: see ``jit.njit``
LOOPS = {
    loop.__name__: loop
    for loop in (
        seed, redeal, only_action, would_end, play_forced, show, reset, first_illegal, points, step,
        advance, play_one, look, legal_all, see_all, blank_all, play_randomly, serve,
    )
}  # fmt: skip
