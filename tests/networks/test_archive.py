"""Files of arrays that claim more than they hold: every array of a network and of a run."""

from __future__ import annotations

import struct
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

from dasan.learn.config import Config
from dasan.learn.trainer import Trainer
from dasan.networks.archive import arrays_of, claims_of
from dasan.networks.network import NAMES, Network

pytestmark = pytest.mark.full

SMALL = Config("big-two", envs=4, steps=2, rounds=1, epochs=1, first=16, second=8)
MOST = 2**45
"""Bytes that no computer has."""


def claiming(good: bytes, name: str, size: int, told: bool, kind: bytes = b"|u1") -> bytes:
    """The archive with an array whose header claims `size` bytes. told: whether the archive claims the same. kind: the type of
    its elements.
    """
    header = b"{'descr': '%b', 'fortran_order': False, 'shape': (%d,), }\n" % (kind, size)
    content = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
    file = BytesIO()
    with ZipFile(BytesIO(good)) as archive, ZipFile(file, "w") as copy:
        for part in archive.namelist():
            copy.writestr(part, content if part == f"{name}.npy" else archive.read(part))
        if told:
            copy.getinfo(f"{name}.npy").file_size = len(content) + size
    return file.getvalue()


@pytest.fixture(scope="module")
def network() -> bytes:
    file = BytesIO()
    Trainer(SMALL).network().save(file)
    return file.getvalue()


@pytest.mark.parametrize("told", [False, True], ids=["header", "archive"])
@pytest.mark.parametrize("name", [*NAMES, "unit", "card"])
def test_a_network_that_claims_terabytes_is_refused(network: bytes, name: str, told: bool) -> None:
    with pytest.raises(ValueError, match=r"^the file does not contain a network$"):
        Network.load(BytesIO(claiming(network, name, MOST, told)))


@pytest.mark.parametrize("kind", [b"|S0", b"<U0", b"|V0"])
def test_elements_of_no_bytes_claim_nothing_and_are_refused(network: bytes, kind: bytes) -> None:
    """Converted to numbers they would take terabytes."""
    for name in [*NAMES, "unit"]:
        with pytest.raises(ValueError, match=r"^the file does not contain a network$"):
            Network.load(BytesIO(claiming(network, name, MOST, False, kind)))


@pytest.mark.parametrize("told", [False, True], ids=["header", "archive"])
@pytest.mark.parametrize("method", ["values", "policy"])
def test_a_run_that_claims_terabytes_is_refused(method: str, told: bool, tmp_path: Path) -> None:
    file, trainer = tmp_path / "run.npz", Trainer(Config.from_json({**SMALL.to_json(), "method": method}))
    trainer.save(file)
    good, names = file.read_bytes(), ["about", *trainer.learner.arrays()]
    assert len(names) == (5 if method == "values" else 8)
    for name in names:
        file.write_bytes(claiming(good, name, MOST, told))
        with pytest.raises(ValueError, match=r"not a saved training run$|of a network with another size$"):
            Trainer.load(file)


def test_claims_are_shapes_and_types(tmp_path: Path) -> None:
    file = tmp_path / "some.npz"
    np.savez(file, a=np.zeros((2, 3), np.float16), b=np.array("x" * 70_000))
    assert {name: (one.shape, one.dtype.str) for name, one in claims_of(file, "bad").items()} == {
        "a": ((2, 3), "<f2"),
        "b": ((), "<U70000"),
    }
    assert arrays_of(file, "bad", ["a"], 1000)["a"].tolist() == [[0, 0, 0]] * 2
    for names, most in ((["d"], 1000), (["a"], 10), (None, 1000)):
        with pytest.raises(ValueError, match=r"^bad$"):
            arrays_of(file, "bad", names, most)
    with pytest.raises(FileNotFoundError):
        claims_of(tmp_path / "none.npz", "bad")
    for content in (b"", b"PK", b"\x93NUMPY\x01\x00"):
        file.write_bytes(content)
        with pytest.raises(ValueError, match=r"^bad$"):
            claims_of(file, "bad")
