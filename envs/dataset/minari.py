"""Datasets of Minari, the collection of datasets for offline reinforcement learning that goes with Gymnasium.

An episode is what one seat did in one game, as ``envs.make_gym`` would have shown it: plain observations, the
legal actions in ``infos["action_mask"]``, points as the reward of the last step.
"""

from __future__ import annotations

import copy
import json
import os
import shutil
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from ..core.game import ACTION, MASK, OBSERVATION, REWARD
from .arrays import Choice, Dataset, parts_of
from .files import Source, described


def add(
    files: Sequence[str | os.PathLike[str]],
    dataset_id: str,
    *,
    seats: Sequence[int] | None = None,
    players: Sequence[str] | None = None,
    skip_forced: bool = False,
) -> dict[str, Any]:
    """Add the decisions of files of records to Minari's datasets on this machine, all of them or none.

    ``minari.load_dataset(dataset_id).recover_environment()`` makes the environment of one seat under the same
    options, with points as its reward and the rule player in the other seats.

    Parameters
    ----------
    files : sequence of paths
        Of JSON lines, see ``envs.record``.
    dataset_id : str
        As Minari has it: ``"guan_pai/rule-v0"``.
    seats, players, skip_forced
        As in :func:`envs.dataset.parts`.

    Returns
    -------
    dict
        What the dataset says about itself in its ``description``, as :func:`envs.dataset.write`.

    Raises
    ------
    ImportError
        If Minari is not installed.
    ValueError
        As :func:`envs.dataset.write`, and for an id that is bad or taken.
    OSError
        If a file cannot be read or written.
    """
    try:
        import minari
        from minari.data_collector import EpisodeBuffer
    except ImportError as error:
        raise ImportError(f"Minari is missing ({error}): pip install 'paizhuo[minari]'") from None
    source, choice = Source(files), Choice(seats, players, skip_forced)
    dataset, games, decisions = None, 0, 0
    try:
        for part in parts_of(source, choice):
            buffers = [EpisodeBuffer(**episode) for episode in _episodes(part, games)]
            games, decisions = games + len(part.players), decisions + len(part)
            if dataset is not None:
                dataset.update_dataset_from_buffer(buffers)
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that author, address and link are not told
                dataset = minari.create_dataset_from_buffers(
                    _checked(dataset_id),
                    buffers,
                    env=_spec(part),
                    observation_space=spaces.Box(0, 1, part.observation.shape[1:], OBSERVATION),
                    action_space=spaces.Discrete(part.action_mask.shape[1]),
                    data_format="hdf5",
                )
        assert dataset is not None  # there is a part, or an error
        about = described(part, games, decisions, source)
        dataset.storage.update_metadata({"description": json.dumps(about)})
    except BaseException:
        if dataset is not None:
            shutil.rmtree(Path(dataset.storage.data_path).parent)
        raise
    return about


def _checked(dataset_id: str) -> str:
    """The id, if it is one."""
    from minari.dataset.minari_dataset import parse_dataset_id

    try:
        parse_dataset_id(dataset_id)
    except (ValueError, TypeError):  # the latter where the version is missing
        raise ValueError(f"a dataset's id is like guan_pai/rule-v0, not {dataset_id!r}") from None
    return dataset_id


def _spec(part: Dataset) -> Any:
    """Of the environment of one seat under the same options, with points as its reward."""
    name = part.about["game"].title().replace("_", "")
    spec = copy.deepcopy(gymnasium.spec(f"paizhuo/{name}-v0"))
    spec.kwargs |= {**part.about["rules"], "reward_scale": 1.0}
    return spec


def _episodes(part: Dataset, first_game: int) -> Iterator[dict[str, Any]]:
    """What each seat did in each game."""
    ends = np.flatnonzero(part.last) + 1
    for begin, end in zip(np.append(0, ends)[:-1], ends, strict=True):
        rows, seat, steps = slice(begin, end), int(part.seat[begin]), end - begin
        final = part.final_observation[part.game[begin] - first_game, seat]
        masks = part.action_mask[rows]
        last = part.last[rows]
        yield {
            "observations": np.vstack([part.observation[rows], final]),
            "actions": part.action[rows].astype(ACTION),
            "rewards": np.where(last, part.score[rows], REWARD(0)),
            "terminations": last,
            "truncations": np.zeros(steps, np.bool_),
            "infos": {
                "action_mask": np.vstack([masks, np.zeros((1, masks.shape[1]), MASK)]),
                "seat": np.full(steps + 1, seat),
            },
        }
