"""The trainer's own layers against torch's: the same values, the same gradients."""

import numpy as np
import pytest
import torch
from torch import nn

from training.sparse import Ones, first_layer, last_layer


def observations(share, shape=(37, 91), seed=0):
    return (np.random.default_rng(seed).random(shape) < share).astype(np.uint8)


def compare(ours, theirs, ours_parameters, theirs_parameters, gradient):
    """Values, and gradients of all parameters."""
    np.testing.assert_allclose(ours.detach(), theirs.detach(), atol=1e-5)
    for a, b in zip(
        torch.autograd.grad(ours, ours_parameters, gradient),
        torch.autograd.grad(theirs, theirs_parameters, gradient),
        strict=True,
    ):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, atol=1e-5)


@pytest.mark.parametrize("share", [0, 0.02, 0.15, 0.5, 1])
def test_first_layer_is_a_linear_layer(share):
    torch.manual_seed(0)
    seen, layer = observations(share), nn.Linear(91, 33)
    ours, theirs = first_layer(layer, Ones(seen)), layer(torch.from_numpy(seen).float())
    compare(ours, theirs, list(layer.parameters()), list(layer.parameters()), torch.randn(37, 33))


def test_ones_of_a_view_of_records():
    """As the trainer has them: rows of records, of which the policy takes the first columns."""
    records = np.zeros(37, [("seat", np.int8), ("observation", np.uint8, (91,))])
    records["observation"] = observations(0.2)
    ones = Ones(records["observation"][:, :50])
    starts = np.r_[0, ones.ends[:-1]]
    found = [ones.places[a:b].tolist() for a, b in zip(starts, ones.ends, strict=True)]
    assert found == [np.flatnonzero(row[:50]).tolist() for row in records["observation"]]
    rows, ends = ones.by_place
    starts = np.r_[0, ends[:-1]]
    found = [rows[a:b].tolist() for a, b in zip(starts, ends, strict=True)]
    assert found == [np.flatnonzero(column).tolist() for column in records["observation"][:, :50].T]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_last_layer_is_a_linear_layer_at_legal_actions(dtype):
    torch.manual_seed(0)
    masks = observations(0.2, (37, 19)).astype(np.int8)
    masks[0] = 0
    legal = torch.from_numpy(masks).float()
    layer, hidden = nn.Linear(33, 19), torch.randn(37, 33).to(dtype).requires_grad_()
    ours, theirs = last_layer(layer, hidden, masks), layer(hidden.float()) * legal
    gradient = torch.randn(37, 19)
    assert (ours.detach().numpy()[masks == 0] == 0).all()
    below = torch.autograd.grad(ours, hidden, gradient, retain_graph=True)[0]
    assert below.dtype == dtype
    np.testing.assert_allclose(
        below.float(), torch.autograd.grad(theirs, hidden, gradient, retain_graph=True)[0].float(), atol=1e-5
    )
    compare(ours, theirs, list(layer.parameters()), list(layer.parameters()), gradient)
