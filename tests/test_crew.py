"""Threads that share a vector's work: they sleep and wake, fail aloud, and end with their vector."""

from __future__ import annotations

import gc
import os
import threading
import time
from functools import partial

import numpy as np
import pytest

import envs
from envs.core.crew import PATIENCE, STOP, Crew, load, pause, post, see, store
from envs.core.jit import config, njit

compiled_only = pytest.mark.skipif(config.DISABLE_JIT, reason="without the compiler one thread does it all")
GAME = envs.games()[0]


@njit
def echo(ticket, done, patience, answers):
    """Write every ticket into ``answers`` at its place."""
    finished = load(done)
    looks = 0
    while looks < patience:
        asked = load(ticket)
        if asked == STOP:
            return
        if asked == finished:
            looks += 1
            pause()
        else:
            answers[asked] = asked
            finished = asked
            store(done, finished)
            looks = 0


def threads_of_crews() -> int:
    return sum(thread.name.endswith("(_serve_and_sleep)") for thread in threading.enumerate())


def wait_until(happened) -> bool:
    for _ in range(500):
        if happened():
            return True
        time.sleep(0.01)
    return False


@compiled_only
@pytest.mark.parametrize("tickets", [800, pytest.param(2000, marks=pytest.mark.slow)])
def test_every_ticket_is_served_also_after_a_sleep(tickets: int) -> None:
    answers = [np.zeros(tickets + 1, np.int64) for _ in range(2)]
    crew = Crew([partial(_echo, mine) for mine in answers])
    for ticket in range(1, tickets + 1):
        if ticket % (tickets // 4) == 0:
            assert wait_until(lambda: all(helper.is_asleep[0] for helper in crew._helpers))
        crew.post(ticket)
        crew.wait(ticket)
        assert all(mine[ticket] == ticket for mine in answers)
    crew.close()


def _echo(answers, ticket, done, patience) -> None:
    echo(ticket, done, patience, answers)


@compiled_only
def test_looking_in_vain_ends() -> None:
    ticket = np.zeros(1, np.int64)
    assert not see(ticket, 1, PATIENCE)
    post(ticket, 1)
    assert see(ticket, 1, PATIENCE)


@compiled_only
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_thread_that_fails_is_no_endless_wait() -> None:
    def fail(ticket, done, patience):
        raise MemoryError

    crew = Crew([fail])
    crew.post(1)
    with pytest.raises(RuntimeError, match="a thread of this vector failed"):
        crew.wait(1)
    assert not crew.is_alive()


@compiled_only
def test_threads_end_with_their_vector() -> None:
    before = threads_of_crews()
    vec = envs.make_vec(GAME, 8, num_threads=3)
    vec.reset(seed=0)
    vec.step(vec.sample())
    assert threads_of_crews() == before + 2
    vec.close()
    assert wait_until(lambda: threads_of_crews() == before)
    vec.step(vec.sample())  # they come back when they are wanted
    assert threads_of_crews() == before + 2
    del vec
    gc.collect()
    assert wait_until(lambda: threads_of_crews() == before)


@compiled_only
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_gets_threads_of_its_own() -> None:
    vec = envs.make_vec(GAME, 8, num_threads=2)
    vec.reset(seed=0)
    vec.step(vec.sample())
    child = os.fork()
    if child == 0:  # the parent's threads are not here
        vec.step(vec.sample())
        os._exit(0 if vec._crew is not None and vec._crew.is_alive() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
