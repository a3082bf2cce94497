"""The picture of a training run's curve."""

from __future__ import annotations

from pathlib import Path

import pytest

from dasan.learn.curves import add_row, picture, read


@pytest.mark.parametrize("epochs", [[], [0], [0, 1, 2]])
def test_a_curve_of_any_length_is_drawn(epochs: list[int]) -> None:
    rows = [{"epoch": str(epoch), "greedy": "0.5"} for epoch in epochs]
    drawn = picture(rows, ("greedy",))
    assert f"epochs 0 to {max(epochs, default=0)};" in drawn
    points = drawn.partition('points="')[2].partition('"')[0].split()
    assert len(points) == len(epochs)


def test_a_curve_that_an_editor_has_saved_is_read(tmp_path: Path) -> None:
    file = tmp_path / "curve.csv"
    add_row(file, {"epoch": 0, "greedy": 0.5}, ("greedy",))
    rows = read(file)
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\r\n", b"\n"))
    assert read(file) == rows


@pytest.mark.parametrize(
    "text",
    ["x,y\n1,2\n", "epoch;loss\n1;2\n", "epoch,loss\none,2\n", "epoch\n\udcff", "epoch,net\n1,won\n", "epoch\n1,2\n"],
)
def test_a_file_of_something_else_is_no_curve(text: str, tmp_path: Path) -> None:
    (tmp_path / "curve.csv").write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(ValueError, match=r"curve\.csv is not a curve of a training run"):
        read(tmp_path / "curve.csv")
