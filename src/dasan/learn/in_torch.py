"""A learner in PyTorch (extra `train`), on the CPU or a GPU, and scores of moves on a GPU."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from dasan.arrays import Floats, Longs
from dasan.learn.config import Config
from dasan.learn.decisions import Samples
from dasan.learn.learner import Learner
from dasan.networks.network import LayerSizes
from dasan.networks.scoring import Inputs, Scorer

_COPIES = 8
"""The number of networks kept on the device."""


class DeviceFailed(Exception):
    """PyTorch failed on its device, for example out of memory."""


class TorchLearner(Learner):
    """The learner on `config.device`. Each call copies weights and Adam's state to the device and back.

    ImportError: PyTorch is not installed or does not load. ValueError: PyTorch has no such device here. `learn` raises
    DeviceFailed, and then leaves the weights unchanged.
    """

    def __init__(self, config: Config, shape: LayerSizes) -> None:
        super().__init__(config, shape)
        # cuBLAS is deterministic only with a workspace of this size.
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
        self._torch = torch()
        try:
            self._device = self._torch.device(config.device)
            self._scales = self._there(self.scale_obs), self._there(self.scale_move)
            with self._deterministic():
                (self._scales[0][None] @ self._scales[0][:, None]).cpu()
        except (RuntimeError, AssertionError) as error:
            raise ValueError(f"PyTorch has no device {config.device!r} here: {_first_line(error)}") from error

    def _steps(self, samples: Samples, parts: Sequence[Longs], rate: float, step: int) -> list[float]:
        torch = self._torch
        try:
            with self._deterministic():
                flat = self._there(self.flat).requires_grad_()
                mean, square = self._there(self.mean), self._there(self.square)
                adam = torch.optim.Adam([flat], lr=rate)
                adam.state[flat] = {"step": torch.tensor(float(step)), "exp_avg": mean, "exp_avg_sq": square}
                rows = [self._there(array) for array in samples]
                losses = []
                for part in parts:
                    at = self._there(part)
                    seen, made, aims, group = (row[at] for row in rows)
                    error = self._scores(flat, seen, made) - aims
                    losses.append((error.detach() ** 2).mean())
                    adam.zero_grad()
                    error.backward(self._contrasted(error.detach(), group) * (2 / len(part)))
                    adam.step()
                learnt = [tensor.cpu().numpy() for tensor in (flat.detach(), mean, square)]
                errors: list[float] = torch.stack(losses).tolist()
        except RuntimeError as error:
            raise DeviceFailed(f"PyTorch failed on {self._device}: {_first_line(error)}") from error
        for array, after in zip((self.flat, self.mean, self.square), learnt, strict=True):
            array[:] = after
        return errors

    @contextmanager
    def _deterministic(self) -> Iterator[None]:
        """Use deterministic algorithms inside this block."""
        torch = self._torch
        before = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
        torch.use_deterministic_algorithms(True)
        try:
            yield
        finally:
            torch.use_deterministic_algorithms(before[0], warn_only=before[1])

    def _scores(self, flat: Any, obs: Any, moves: Any) -> Any:
        """[rows]: see `dasan.networks.network`."""
        w = self.shape.views(flat)
        scale_obs, scale_move = self._scales
        first = (obs * scale_obs) @ w["w_obs"] + (moves * scale_move) @ w["w_move"] + w["bias"]
        second = first.relu() @ w["w_second"] + w["b_second"]
        return second.relu() @ w["w_last"] + w["b_last"]

    def _contrasted(self, error: Any, groups: Any) -> Any:
        """As `contrasted` in `dasan.learn.learner`."""
        torch = self._torch
        numbers, group = torch.unique(groups, return_inverse=True)
        empty = torch.zeros(len(numbers), dtype=error.dtype, device=self._device)
        mean = empty.index_add(0, group, error) / empty.index_add(0, group, torch.ones_like(error))
        apart = torch.where(groups >= 0, error - mean[group], torch.zeros_like(error))
        return error + float(self.contrast - 1) * apart

    def _there(self, array: npt.NDArray[Any]) -> Any:
        """A copy of the array on the device."""
        return self._torch.tensor(array, device=self._device)


class TorchScorer(Scorer):
    """Scores moves on a device of PyTorch; on a GPU in half precision.

    ImportError: PyTorch is not installed or does not load. A call raises DeviceFailed.
    """

    def __init__(self, device: str) -> None:
        super().__init__()
        self._torch = torch()
        self._device = self._torch.device(device)
        self._type = self._torch.float32 if device == "cpu" else self._torch.float16
        self._copies: list[tuple[Mapping[str, Floats], dict[str, Any]]] = []

    def _scored(self, read: Inputs, rows: int, weights: Mapping[str, Floats]) -> tuple[Longs, Floats]:
        counts = read.num[read.at].astype(np.int64)
        begin = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        within = np.arange(rows) - np.repeat(begin[:-1], counts)
        moves = read.moves[np.repeat(read.starts[read.at], counts) + within]
        try:
            w = self._copied(weights)
            base = self._there(read.obs[read.at]) @ w["w_obs"] + w["bias"]
            which = self._torch.from_numpy(counts).to(self._device)
            first = base.repeat_interleave(which, 0, output_size=rows) + self._there(moves) @ w["w_move"]
            second = first.relu_() @ w["w_second"] + w["b_second"]
            scores = (second.relu_() @ w["w_last"] + w["b_last"]).float().cpu().numpy()
        except RuntimeError as error:
            raise DeviceFailed(f"PyTorch failed on {self._device}: {_first_line(error)}") from error
        return begin, scores

    def _copied(self, weights: Mapping[str, Floats]) -> dict[str, Any]:
        """The weights on the device; those of the last few calls stay there."""
        for known, copy in self._copies:
            if known is weights:
                return copy
        copy = {name: self._there(part) for name, part in weights.items()}
        self._copies = [(weights, copy), *self._copies[: _COPIES - 1]]
        return copy

    def _there(self, array: npt.NDArray[Any]) -> Any:
        return self._torch.from_numpy(np.ascontiguousarray(array)).to(self._device).to(self._type)


def scorer(device: str) -> Scorer:
    """Scores on `device` if it is a GPU that this machine has, otherwise in compiled code."""
    _, _, number = device.partition(":")
    on_gpu = device.startswith("cuda") and best_device() and int(number or 0) < torch().cuda.device_count()
    return TorchScorer(device) if on_gpu else Scorer()


def torch() -> Any:
    """The module torch. ImportError: it is not installed or does not load."""
    try:
        return import_module("torch")
    except (ImportError, OSError) as error:
        if isinstance(error, ModuleNotFoundError) and error.name == "torch":
            raise ModuleNotFoundError("a learner in PyTorch needs its extra: pip install 'dasan[train]'") from error
        raise ImportError(f"PyTorch does not load: {_first_line(error)}") from error


def best_device() -> str:
    """PyTorch's GPU device; "" if there is none or PyTorch does not load."""
    try:
        return "cuda" if torch().cuda.is_available() else ""
    except ImportError:
        return ""


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)
