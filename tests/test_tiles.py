"""Acting in bfloat16 on a processor: the numbers of the network as it is now, however many rows there are."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import nn

from agents.network import mlp
from training.optimiser import Compute
from training.tiles import ROWS, Tiles, filled_up

from .test_device import learner

INPUTS, OUTPUTS = 91, 19


def observations(n: int) -> NDArray[np.uint8]:
    """The first columns of records, as the trainer has them: not in one piece."""
    return (np.random.default_rng(n).random((n, INPUTS + 3)) < 0.2).astype(np.uint8)[:, :INPUTS]


def network() -> nn.Sequential:
    """Weights as large as learned ones: nothing is near enough to zero by itself."""
    torch.manual_seed(0)
    net = mlp([INPUTS, 33, 17, OUTPUTS])
    for weight in net.parameters():
        nn.init.normal_(weight, std=0.3)
    return net


def acting(tiles: bool) -> Compute:
    """Both ways of bfloat16, whatever this processor has."""
    compute = Compute("cpu", bfloat16=True)
    compute._tiles = Tiles() if tiles else None
    return compute


def exact(net: nn.Sequential, seen: NDArray[np.uint8]) -> NDArray[np.float32]:
    with torch.no_grad():
        found: NDArray[np.float32] = net(torch.from_numpy(seen.astype(np.float32))).numpy()
    return found


def assert_near(found: NDArray[np.float32], wanted: NDArray[np.float32]) -> None:
    """As near as bfloat16 comes, of whose numbers two neighbours differ by a 256th to a 128th."""
    np.testing.assert_allclose(found, wanted, atol=0.02 * np.abs(wanted).max(initial=0))


@pytest.mark.parametrize("n", [0, 1, ROWS - 1, ROWS, ROWS + 1])
@pytest.mark.parametrize("tiles", [True, False])
def test_answers_are_the_networks(n: int, tiles: bool) -> None:
    net, seen = network(), observations(n)
    found, wanted = acting(tiles).answer(net, seen), exact(net, seen)
    assert found.shape == (n, OUTPUTS) and found.dtype == np.float32
    assert_near(found, wanted)
    if n > 1:
        assert np.abs(wanted - wanted[0]).max() > 1


@pytest.mark.parametrize("tiles", [True, False])
def test_a_row_does_not_depend_on_the_others(tiles: bool) -> None:
    net, seen, compute = network(), observations(2 * ROWS + 5), acting(tiles)
    together = compute.answer(net, seen)
    for some in (slice(0, 3), slice(60, 70), slice(130, None)):
        np.testing.assert_array_equal(compute.answer(net, seen[some]), together[some])


def test_weights_are_kept_while_networks_act_and_no_longer() -> None:
    """By a fused step of the optimiser, of which torch tells nothing; while it acts, two networks apart."""
    net, other, seen, tiles = network(), network(), observations(20), Tiles()
    optimizer = torch.optim.Adam(net.parameters(), 0.3, fused=True)

    def answers() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        return tiles(net, seen).float().numpy(), tiles(other, seen).float().numpy()

    def learn() -> None:
        net(torch.from_numpy(seen.astype(np.float32))).square().sum().backward()
        optimizer.step()

    before = answers()
    learn()
    now, same = answers()
    assert np.abs(now - before[0]).max() > 0.3
    assert_near(now, exact(net, seen))
    np.testing.assert_array_equal(same, before[1])
    with tiles.keeping():
        for _ in range(2):
            for a, b in zip(answers(), (now, same), strict=True):
                np.testing.assert_array_equal(a, b)
            learn()
    assert_near(answers()[0], exact(net, seen))
    with tiles.keeping():
        assert np.abs(answers()[0] - now).max() > 0.3


def test_nothing_is_kept_after_an_error() -> None:
    tiles = Tiles()
    with pytest.raises(ZeroDivisionError), tiles.keeping():
        tiles(network(), observations(2))
        raise ZeroDivisionError
    assert tiles._kept is None


@pytest.mark.parametrize("algo", ["ppo", "dmc", "rpi"])
def test_learners_act_as_what_they_have_learned(algo: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each batch by the weights of its iteration, wherever this runs: as without anything kept."""
    played = []
    for keeps in (True, False):
        one = learner(algo, bfloat16=True)
        one.compute._tiles = Tiles()
        if not keeps:
            monkeypatch.setattr(Tiles, "keeping", nullcontext)
        for _ in range(3):
            one.iterate(0)
        played.append(one.play()[0].copy())
    for name in played[0].dtype.names:
        np.testing.assert_array_equal(played[0][name], played[1][name])


def test_filled_up_with_nothing() -> None:
    seen = observations(ROWS + 1)
    full = filled_up(seen)
    assert full.shape == (2 * ROWS, INPUTS) and not full[ROWS + 1 :].any()
    np.testing.assert_array_equal(full[: ROWS + 1], seen)
    assert filled_up(full) is full
