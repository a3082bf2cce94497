"""The picture of a training run's curve."""

from __future__ import annotations

import pytest

from dasan.learn.curves import picture


@pytest.mark.parametrize("epochs", [[], [0], [0, 1, 2]])
def test_a_curve_of_any_length_is_drawn(epochs: list[int]) -> None:
    rows = [{"epoch": str(epoch), "greedy": "0.5"} for epoch in epochs]
    drawn = picture(rows, ("greedy",))
    assert f"epochs 0 to {max(epochs, default=0)};" in drawn
    points = drawn.partition('points="')[2].partition('"')[0].split()
    assert len(points) == len(epochs)
