"""Batched Big Three in the memory of an NVIDIA GPU."""

import numpy as np

# numba-cuda 0.30 looks for row_stack, which NumPy 2.5 no longer has.
vars(np).setdefault("row_stack", np.vstack)
