"""Array types used in signatures."""

from __future__ import annotations

from typing import Any

import numpy as np

# `numpy.typing.NDArray` is the same, and slower to import.
Floats = np.ndarray[tuple[Any, ...], np.dtype[np.float64]]
Ints = np.ndarray[tuple[Any, ...], np.dtype[np.integer[Any]]]
Bools = np.ndarray[tuple[Any, ...], np.dtype[np.bool_]]
