"""Kernels: functions on arrays that Numba compiles."""

from metrics.compiled.kernels import (
    Kernel,
    compilation_observed,
    compiled,
    inlined,
    inner,
    interpreted,
    interpreting,
    not_interpreted,
)

__all__ = [
    "Kernel",
    "compilation_observed",
    "compiled",
    "inlined",
    "inner",
    "interpreted",
    "interpreting",
    "not_interpreted",
]
