"""Print a digest of some games of every game: the same whether compiled or not (run by test_jit.py).

The only argument is a number: with the next one other games, under other options.
"""

from __future__ import annotations

import hashlib
import sys
import warnings

import numpy as np

import envs

from .games import CHOICES, is_over, new_table, options_of, play


def digest(game: str, number: int) -> str:
    """Everything that a vector and a record of game ``number`` say, as a hash; options take turns."""
    every_options, found = options_of(game), hashlib.sha256()
    options = every_options[number % len(every_options)]
    vec = envs.make_vec(game, num_envs=2, skip_forced=number // len(every_options) % 2 == 0, **options)
    vec.reset(seed=number)
    for _ in range(60):
        observations, rewards, ended, _, infos = vec.step(vec.sample())
        arrays = (*observations.values(), rewards, ended, *infos.values(), vec.states(), vec.tables())
        found.update(b"".join(array.tobytes() for array in arrays))
    env = new_table(game, options, seed=number)
    play(env, np.random.default_rng(number))
    assert is_over(env)
    found.update(repr(env.record()).encode())
    return found.hexdigest()


if __name__ == "__main__":
    warnings.simplefilter("error")
    for name in CHOICES:
        print(name, digest(name, int(sys.argv[1])))
