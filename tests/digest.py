"""Print a digest of some games of every game: the same whether compiled or not (run by test_jit.py)."""

from __future__ import annotations

import hashlib
import warnings

import numpy as np

import envs

from .games import CHOICES, is_over, new_table, options_of, play


def digest(game: str) -> str:
    """Everything that two vectors and two records under some options say, as a hash."""
    found = hashlib.sha256()
    for number, options in enumerate(options_of(game)[::4]):
        vec = envs.make_vec(game, num_envs=2, skip_forced=number % 2 == 0, **options)
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
        print(name, digest(name))
