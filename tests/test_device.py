"""Learning elsewhere than on the processor: where everything lives, and that runs move between machines.

What needs a GPU is marked ``gpu`` and skipped where torch has none. A process with a pretended one runs it
all the same (``elsewhere.py``), but for what is CUDA's own.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.network import NetworkAgent
from envs.core.game import get
from training import optimiser, selfplay
from training.config import Config
from training.dmc import DMCConfig
from training.evaluate import evaluate_against
from training.learning import new_learner
from training.optimiser import Compute
from training.ppo import PPOConfig
from training.rpi import RPIConfig

from . import elsewhere

GAME = "diao_xie"  # compiles in the shortest time
SMALL: dict[str, Any] = {
    "ppo": PPOConfig(num_envs=64, batch=512, minibatch=256, hidden=(32, 32), bfloat16=False),
    "dmc": DMCConfig(num_envs=64, batch=512, minibatch=256, hidden=(32, 32), bfloat16=False),
    "rpi": RPIConfig(num_envs=64, batch=512, minibatch=256, hidden=(32, 32), bfloat16=False),
}
WORDS = "--samples 2k --evaluations 1 --eval-deals 4 --final-deals 4 --ppo.num-envs 64 --ppo.batch 512"
GPU = elsewhere.NAME if elsewhere.is_pretended() else "cuda"
NO_CUDA = not torch.cuda.is_available()
ON_GPU = pytest.mark.skipif(GPU == "cuda" and NO_CUDA, reason="torch finds no GPU here")


def learner(algo: str, device: str = "cpu", bfloat16: bool = False) -> Any:
    adviser = "rule_v0" if algo == "rpi" else None
    options = {algo: replace(SMALL[algo], bfloat16=bfloat16)}
    config = Config(game=GAME, algo=algo, device=device, adviser=adviser, **options)  # type: ignore[arg-type]
    return new_learner(config, get(GAME), get(GAME).rules())


def run(*words: str) -> int:
    return selfplay.main([word for part in words for word in part.split()])


def device_of(folder: Path) -> str:
    options: dict[str, Any] = json.loads((folder / "config.json").read_text())["options"]
    return str(options["device"])


# --- without a GPU ----------------------------------------------------------------------------------


@pytest.mark.parametrize("algo", SMALL)
def test_whole_layers_learn_as_the_sparse_ones_do(algo: str) -> None:
    """The way of every other device, on the processor."""
    sparse, whole = learner(algo), learner(algo)
    whole.compute.is_sparse = False
    one, other = sparse.iterate(0.0), whole.iterate(0.0)
    assert one["samples"] == other["samples"]
    assert other == pytest.approx(one, rel=1e-3, abs=1e-4)
    for a, b in zip(sparse.policy.parameters(), whole.policy.parameters(), strict=True):
        assert torch.allclose(a, b, atol=1e-4)


def test_the_last_layer_elsewhere_is_float32() -> None:
    own = learner("ppo", bfloat16=True)
    own.compute.is_sparse = False
    seen = np.random.default_rng(0).integers(0, 2, (8, own.sizes[0]), np.uint8)
    inputs = own.compute.inputs(seen)
    assert inputs.dtype == own.compute.hidden(own.policy, inputs).dtype == torch.bfloat16
    assert own.compute.values(own.policy, inputs).dtype == torch.float32


@pytest.mark.parametrize("strided", [False, True])
def test_to_cuda_go_pinned_bytes_that_are_widened_there(
    strided: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen from here: what would be sent, and how."""
    compute, sent = Compute(), []

    def to(tensor: torch.Tensor, device: Any, non_blocking: bool = False) -> torch.Tensor:
        sent.append((tensor.dtype, tensor.is_contiguous(), str(device), non_blocking, pinned == [tensor]))
        return tensor

    pinned: list[torch.Tensor] = []
    monkeypatch.setattr(torch.Tensor, "pin_memory", lambda tensor: pinned.append(tensor) or tensor)
    monkeypatch.setattr(torch.Tensor, "to", to)
    compute.device = torch.device("cuda")
    samples = np.zeros((6, 10), np.uint8)
    compute.send(samples[:, ::2] if strided else samples)
    assert sent == [(torch.uint8, True, "cuda", True, True)]


def test_a_device_that_is_not_here_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    for device in ("cuda:99", "meta", "abacus"):
        with pytest.raises(SystemExit) as end:
            run(GAME, f"--device {device} --minutes 1")
        printed = capsys.readouterr().err
        assert end.value.code == 2 and len(printed.splitlines()) == 1
        assert f"--device {device} is not here (" in printed and "cpu always is" in printed


@pytest.mark.skipif(not NO_CUDA, reason="there is a GPU, so nothing is missing")
def test_a_run_that_began_on_a_gpu_goes_on_without_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    assert run(GAME, WORDS, "--ppo.minibatch 256 --out", str(folder)) == 0
    assert device_of(folder) == "cpu"
    description = json.loads((folder / "config.json").read_text())
    description["options"]["device"] = "cuda"
    (folder / "config.json").write_text(json.dumps(description))
    capsys.readouterr()
    with pytest.raises(SystemExit):
        run("--samples 1k --resume", str(folder))
    assert "--device cuda is not here" in capsys.readouterr().err
    assert run("--samples 1k --device cpu --resume", str(folder)) == 0
    assert device_of(folder) == "cpu"


@pytest.mark.skipif(elsewhere.is_pretended(), reason="this is that run")
def test_what_needs_a_gpu_runs_on_a_pretended_device() -> None:
    words = [sys.executable, "-m", "tests.elsewhere", "-q", "-p", "no:cacheprovider", "-m", "gpu", __file__]
    end = subprocess.run(words, capture_output=True, text=True, cwd=Path(__file__).parents[1], check=False)
    assert end.returncode == 0, end.stdout + end.stderr
    assert " passed" in end.stdout, end.stdout


# --- with one ---------------------------------------------------------------------------------------


@pytest.mark.gpu
@ON_GPU
@pytest.mark.parametrize("bfloat16", [False, True])
@pytest.mark.parametrize("algo", SMALL)
def test_a_learner_lives_on_the_gpu_and_learns_what_the_processor_does(algo: str, bfloat16: bool) -> None:
    here, there = learner(algo), learner(algo, GPU, bfloat16)
    for a, b in zip(here.policy.parameters(), there.policy.parameters(), strict=True):
        assert torch.equal(a, b.cpu())  # the same seed begins with the same weights
    one, other = here.iterate(0.0), there.iterate(0.0)
    close = 0.1 if bfloat16 else 1e-2
    for name in ("loss", "entropy"):
        if name in one:
            assert other[name] == pytest.approx(one[name], rel=close, abs=close), name
    there.iterate(0.5)
    for net, _ in there.networks.values():
        for parameter in net.parameters():
            assert parameter.device.type == GPU and parameter.dtype == torch.float32
            assert parameter.grad is not None and parameter.grad.device.type == GPU
            assert bool(torch.isfinite(parameter).all())
    for moments in there.optimizer.state.values():
        assert {moment.device.type for moment in moments.values()} == {GPU}
    agent = NetworkAgent(there.policy, adviser=there.adviser)
    assert evaluate_against(agent, "random", GAME, get(GAME).rules(), 10, seed=0).games == 20


@pytest.mark.gpu
@pytest.mark.skipif(NO_CUDA, reason="torch finds no GPU here")
def test_bfloat16_is_used_where_the_gpu_multiplies_it() -> None:
    wanted = torch.cuda.get_device_capability() >= optimiser.FAST_BFLOAT16
    compute = Compute("cuda")
    assert compute.bfloat16 == wanted
    inputs = compute.inputs(np.ones((4, 9), np.uint8))
    assert isinstance(inputs, torch.Tensor) and inputs.device.type == "cuda"
    assert inputs.dtype == (torch.bfloat16 if wanted else torch.float32) and float(inputs.sum()) == 36


@pytest.mark.gpu
@ON_GPU
def test_the_past_and_the_teacher_play_on_the_gpu() -> None:
    """A pool of past selves, the policy of a warm start, and a critic that sees all hands."""
    config = replace(SMALL["ppo"], past=0.5, warm_samples=512, all_hands=True)
    own = new_learner(
        Config(game=GAME, device=GPU, warm_start="rule", ppo=config), get(GAME), get(GAME).rules()
    )
    for step in range(3):
        assert all(np.isfinite(value) for value in own.iterate(step / 3).values())
    assert next(own.warm_start.prior.parameters()).device.type == GPU  # type: ignore[union-attr]
    assert {next(past.net.parameters()).device.type for past in own.league.past} == {GPU}  # type: ignore[union-attr]


@pytest.mark.gpu
@ON_GPU
@pytest.mark.parametrize("path", [(GPU, "cpu"), ("cpu", GPU), (GPU, GPU)])
def test_a_run_moves_between_gpu_and_processor(path: tuple[str, str], tmp_path: Path) -> None:
    first, then = path
    folder = tmp_path / "run"
    assert run(GAME, WORDS, f"--ppo.minibatch 256 --device {first} --out", str(folder)) == 0
    assert run(f"--samples 1k --device {then} --resume", str(folder)) == 0
    assert device_of(folder) == then
