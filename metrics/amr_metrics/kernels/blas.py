"""Functions of the BLAS in SciPy, for products within kernels.

NumPy has a BLAS of its own, whose sums differ in the last bits. All kernels use SciPy's, so that
scores and trained weights stay the same to the last bit.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import NamedTuple


class Blas(NamedTuple):
    """Addresses of functions: products of two vectors, a matrix and a vector, two matrices.

    Kernels receive it as the struct of the same name in `transport.h`, which has the same fields
    and declares the type of each function.
    """

    ddot: int
    dgemv: int
    dgemm: int


@cache
def load_blas() -> Blas:
    """Return the addresses; importing SciPy's linear algebra takes a quarter of a second."""
    from scipy.linalg import cython_blas

    name_of, address_of = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.argtypes, name_of.restype = [ctypes.py_object], ctypes.c_char_p
    address_of.argtypes, address_of.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_void_p
    # PyCapsule_GetPointer requires the name of the capsule, which is the C signature.
    capsules = [cython_blas.__pyx_capi__[name] for name in Blas._fields]
    return Blas(*[address_of(capsule, name_of(capsule)) for capsule in capsules])
