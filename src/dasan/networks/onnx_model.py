"""Export a network as an ONNX model, for programs that run it without dasan (https://onnx.ai)."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from dasan.arguments import instance
from dasan.networks.network import Network
from dasan.version import __version__

OPSET = 17
"""The version of the operator set, which ONNX Runtime supports from 1.12 on."""


def onnx_model(network: Network) -> bytes:
    """`network` as an ONNX model with the inputs

    - `observations`: uint8 [n, features], and `moves`: uint8 [k, features of a move], as `Network.inputs` gives them;
    - `of`: int64 [k], the row of the observation that each move belongs to;

    and the output `values`: float32 [k], the expected payments as `Network.score` computes them. ModuleNotFoundError:
    the package onnx is not installed.
    """
    weights = dict(instance(network, Network, "onnx_model takes a network").weights)
    try:
        onnx = import_module("onnx")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("an ONNX model needs its extra: pip install 'dasan[onnx]'") from error
    unit = np.float32(network.unit)
    weights["w_last"] = (weights["w_last"] * unit)[:, None]
    weights["b_last"] = weights["b_last"] * unit
    node = onnx.helper.make_node
    nodes = [
        node("Cast", ["observations"], ["seen"], to=onnx.TensorProto.FLOAT),
        node("Cast", ["moves"], ["made"], to=onnx.TensorProto.FLOAT),
        node("MatMul", ["seen", "w_obs"], ["of_observation"]),
        node("Gather", ["of_observation", "of"], ["of_each"], axis=0),
        node("MatMul", ["made", "w_move"], ["of_move"]),
        node("Sum", ["of_each", "of_move", "bias"], ["sum_first"]),
        node("Relu", ["sum_first"], ["first"]),
        node("Gemm", ["first", "w_second", "b_second"], ["sum_second"]),
        node("Relu", ["sum_second"], ["second"]),
        node("Gemm", ["second", "w_last", "b_last"], ["column"]),
        node("Squeeze", ["column", "axis"], ["values"]),
    ]
    observation, move = len(weights["w_obs"]), len(weights["w_move"])
    graph = onnx.helper.make_graph(
        nodes,
        "dasan",
        [
            _tensor(onnx, "observations", "UINT8", "n", observation),
            _tensor(onnx, "moves", "UINT8", "k", move),
            _tensor(onnx, "of", "INT64", "k"),
        ],
        [_tensor(onnx, "values", "FLOAT", "k")],
        [
            *(onnx.numpy_helper.from_array(np.ascontiguousarray(w, np.float32), name) for name, w in weights.items()),
            onnx.numpy_helper.from_array(np.array([1], np.int64), "axis"),
        ],
    )
    model = onnx.helper.make_model(
        graph,
        opset_imports=[onnx.helper.make_opsetid("", OPSET)],
        ir_version=8,
        producer_name="dasan",
        producer_version=__version__,
    )
    onnx.checker.check_model(model, full_check=True)
    out: bytes = model.SerializeToString()
    return out


def _tensor(onnx: Any, name: str, kind: str, *shape: str | int) -> Any:
    return onnx.helper.make_tensor_value_info(name, getattr(onnx.TensorProto, kind), shape)
