"""One learner in several processes: equal weights, averaged gradients, exact resume."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import distributed, nn

from envs.core.game import get
from training import averaged, selfplay
from training.averaged import AveragedPPO, Averaging, part_of
from training.checkpoint import arrays_bytes, read_arrays
from training.learners import Plan
from training.learners import averaged as averaged_ppo
from training.optimiser import is_adam
from training.ppo import PPOConfig

CONFIG = PPOConfig(
    num_envs=16, batch=400, minibatch=100, epochs=2, hidden=(16,), critic_hidden=(8,), bfloat16=False,
    past=0.25, fixed=0.25, all_hands=True, target="win", warm_samples=700,
)  # fmt: skip


def learner() -> AveragedPPO:
    return averaged_ppo(Plan("guan_pai", get("guan_pai").rules(cards_each=5), CONFIG, 3, teacher="rule"), 2)


def weights(learner: AveragedPPO) -> torch.Tensor:
    return torch.cat([p.detach().flatten() for p in learner.policy.parameters()])


def test_two_processes_learn_as_one_and_go_on_where_they_stopped(tmp_path):
    torch.set_num_threads(1)
    whole = learner()
    try:
        figures = [whole.iterate(k / 5) for k in range(3)]  # two of them of the teacher's play
        arrays, plain = whole.state()
        kept = {name: net.state_dict() for name, (net, _) in whole.networks.items()}
        kept = {name: {k: v.clone() for k, v in net.items()} for name, net in kept.items()}
        (tmp_path / "state.npz").write_bytes(arrays_bytes(arrays))
        (own, facts), (other, other_facts) = whole._tell("state", [None, None])
        assert facts["warm_start"]["samples_left"] == other_facts["warm_start"]["samples_left"] == -50
        first_selves = [name for name in own if name.startswith("pool_0_")]
        assert len(first_selves) == 4
        for name in first_selves:
            assert (own[name] == other[name]).all()
        for name in filter(is_adam, own):
            assert (own[name] == other[name]).all()  # so their gradients were the same, step by step
        assert (own["keys"] != other["keys"]).all()  # while they play other games
        figures += [whole.iterate(k / 5) for k in (3, 4)]
        expected = weights(whole)
    finally:
        whole.close()
    assert all(f["samples"] >= 400 and np.isfinite(list(f.values())).all() for f in figures)
    second = learner()
    try:
        for name, (net, _) in second.networks.items():
            net.load_state_dict(kept[name])
        second.load_state(read_arrays(tmp_path / "state.npz"), plain)
        for k in (3, 4):
            second.iterate(k / 5)
        assert torch.equal(weights(second), expected)
        second._others[0].kill()
        with pytest.raises(ChildProcessError, match="one of the processes has ended"):
            second.iterate(0.9)
    finally:
        second.close()


OTHER = """
import sys
from pathlib import Path
from tests.test_averaged import averaged_gradients
averaged_gradients(Path(sys.argv[1]), 1)
"""


def averaged_gradients(folder: Path, rank: int) -> list[list[list[float]]]:
    """What becomes of gradients that are ``rank`` and 0, 1, 2, 3 times it; then of twice these, ..."""
    parameters = [nn.Parameter(torch.zeros(2, 3)), nn.Parameter(torch.zeros(4))]
    average, told = Averaging(folder / "gradients", rank, 2, parameters), []
    if rank == 0:
        other = subprocess.Popen([sys.executable, "-c", OTHER, str(folder)])
    averaged._join(averaged._store(folder, 2), rank, 2)
    for times in (1, 2, 3):
        parameters[0].grad = torch.full((2, 3), float(times * rank))
        parameters[1].grad = torch.arange(4.0) * rank * times
        average(parameters)
        told.append([p.grad.flatten().tolist() for p in parameters])
    distributed.destroy_process_group()
    assert rank == 1 or other.wait(60) == 0
    return told


def test_gradients_are_averaged(tmp_path):
    once = [[0.5] * 6, [0.0, 0.5, 1.0, 1.5]]
    expected = [[[times * x for x in gradient] for gradient in once] for times in (1, 2, 3)]
    assert averaged_gradients(tmp_path, 0) == expected


@pytest.mark.parametrize(
    ("name", "odd"),
    [
        ("num-envs", {"num_envs": 3}),
        ("batch", {"batch": 303, "minibatch": 101}),
        ("minibatch", {"batch": 202, "minibatch": 101}),
    ],
)
def test_what_cannot_be_shared_equally_is_refused(name, odd):
    assert part_of(CONFIG, 4) == replace(CONFIG, num_envs=4, batch=100, minibatch=25, warm_samples=175)
    with pytest.raises(ValueError, match=f"--ppo.{name} .* shared equally"):
        part_of(replace(CONFIG, **odd), 2)


@pytest.mark.skipif(os.name != "posix", reason="kills a process")
def test_a_run_whose_other_process_is_killed_keeps_its_checkpoints(tmp_path, monkeypatch, capsys):
    iterate, done = AveragedPPO.iterate, []

    def killing(self, progress):
        done.append(progress)
        if len(done) == 3:
            self._others[0].kill()
        return iterate(self, progress)

    monkeypatch.setattr(AveragedPPO, "iterate", killing)
    monkeypatch.setattr("training.learning.SECONDS_BETWEEN_SAVES", 0)
    small = ["--ppo.num-envs", "16", "--ppo.batch", "400", "--ppo.minibatch", "100", "--ppo.hidden", "16"]
    arguments = ["--processes", "2", "--samples", "3k", "--evaluations", "1", "--eval-deals", "4", *small]
    assert selfplay.main([*arguments, "--final-deals", "4", "--out", str(tmp_path / "run")]) == 1
    assert "error: one of the processes has ended" in capsys.readouterr().err
    monkeypatch.undo()
    assert selfplay.main(["--resume", str(tmp_path / "run")]) == 0
    assert "it beats 2 rule_v0 players" in capsys.readouterr().out
