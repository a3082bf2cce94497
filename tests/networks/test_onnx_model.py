"""A network exported as an ONNX model gives the same values."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import dasan
from dasan.bots.protocol import choices
from dasan.errors import DasanError
from dasan.networks.network import LayerSizes, Network, fresh
from dasan.networks.onnx_model import onnx_model
from dasan.networks.trained import catalogue, fit, load

pytestmark = pytest.mark.full

with_onnx = pytest.mark.skipif(
    not (find_spec("onnx") and find_spec("onnxruntime")), reason="no ONNX Runtime: `make envs` installs it"
)


def session_of(network: Network) -> Any:
    runtime = import_module("onnxruntime")
    return runtime.InferenceSession(onnx_model(network), providers=["CPUExecutionProvider"])


@pytest.mark.sampled(15, 15)
@with_onnx
@pytest.mark.parametrize(
    ("trained", "rules"),
    [pytest.param(one, rules, id=f"{one.name}-{k}") for one in catalogue() for k, rules in enumerate(one.every)],
)
def test_a_model_values_the_moves_of_a_hand_as_its_network_does(trained: Any, rules: dasan.Rules) -> None:
    network = fit(trained, rules).network
    session = session_of(network)
    state = dasan.deal(rules, seed=11)
    seen: list[Any] = []
    moves: list[Any] = []
    of: list[int] = []
    values: list[Any] = []
    while state.to_act is not None:
        view = state.view(state.to_act)
        observation, rows = network.inputs(view, trained.session)
        assert len(rows) == len(choices(view))
        own = network.of_view(view, trained.session)
        (outputs,) = session.run(
            ["values"], {"observations": observation[None], "moves": rows, "of": np.zeros(len(rows), np.int64)}
        )
        assert outputs.dtype == np.float32
        assert outputs == pytest.approx(own, abs=1e-4)
        of += [len(seen)] * len(rows)
        seen.append(observation)
        moves.append(rows)
        values.append(own)
        state = state.play(choices(view)[int(own.argmax())])
    every = {"observations": np.stack(seen), "moves": np.concatenate(moves), "of": np.array(of)}
    assert session.run(None, every)[0] == pytest.approx(np.concatenate(values), abs=1e-4)


@with_onnx
def test_a_model_names_its_inputs_and_their_sizes() -> None:
    shape = LayerSizes(observation=24, move=8, first=5, second=3)
    network = Network(shape.views(fresh(shape, np.random.default_rng(1))), unit=4.0)
    session = session_of(network)
    assert [(one.name, one.type, one.shape) for one in session.get_inputs()] == [
        ("observations", "tensor(uint8)", ["n", 24]),
        ("moves", "tensor(uint8)", ["k", 8]),
        ("of", "tensor(int64)", ["k"]),
    ]
    assert [(one.name, one.shape) for one in session.get_outputs()] == [("values", ["k"])]
    moves = np.zeros((0, 8), np.uint8)
    none = {"observations": np.zeros((1, 24), np.uint8), "moves": moves, "of": np.zeros(0, np.int64)}
    assert session.run(None, none)[0].shape == (0,)


@pytest.mark.skipif(bool(find_spec("onnx")), reason="ONNX is installed")
def test_without_onnx_the_error_names_the_extra() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"dasan\[onnx\]"):
        onnx_model(load(catalogue()[0]))


def test_invalid_networks_are_refused() -> None:
    wrong: Any = {"w_obs": 1}
    with pytest.raises((TypeError, DasanError), match="onnx_model takes a network"):
        onnx_model(wrong)
