"""A file is replaced whole or stays as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from dasan.whole_file import whole_file


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "network.npz"
    with whole_file(file) as stream:
        stream.write(b"first")
    with pytest.raises(TypeError), whole_file(file) as stream:
        stream.writelines([b"half of the", "second"])  # type: ignore[list-item]
    assert file.read_bytes() == b"first"
    with whole_file(file) as stream:
        stream.write(b"second")
        stream.flush()
        assert file.read_bytes() == b"first"
        assert [one for one in tmp_path.iterdir() if not one.name.startswith(".")] == [file]
    assert file.read_bytes() == b"second"
    assert list(tmp_path.iterdir()) == [file]
