"""Compiled kernels as plain Python functions, to compare both."""

from types import ModuleType

import pytest


def use_plain_kernels(patch: pytest.MonkeyPatch, *modules: ModuleType) -> None:
    """Replace all kernels of some modules, also those that they import."""
    for module in modules:
        for name, kernel in list(vars(module).items()):
            if hasattr(kernel, "py_func"):
                patch.setattr(module, name, kernel.py_func)
