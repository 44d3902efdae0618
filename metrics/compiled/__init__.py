"""Kernels: functions on arrays that Numba compiles."""

from metrics.compiled.kernels import (
    Kernel,
    compilation_observed,
    compiled,
    hot,
    inlined,
    inner,
    is_plain,
    leave_plain,
    load_numba,
    plain_if_quick,
)

__all__ = [
    "Kernel",
    "compilation_observed",
    "compiled",
    "hot",
    "inlined",
    "inner",
    "is_plain",
    "leave_plain",
    "load_numba",
    "plain_if_quick",
]
