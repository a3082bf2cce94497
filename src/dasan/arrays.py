"""The types of NumPy arrays, one name for each type of elements, and `U`, which makes a word of a number."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

U = np.uint64
Words = npt.NDArray[np.uint64]
Longs = npt.NDArray[np.int64]
Ints = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]
Doubles = npt.NDArray[np.float64]
Floats = npt.NDArray[np.float32]
