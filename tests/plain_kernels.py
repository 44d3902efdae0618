"""Run kernels as plain Python functions, to compare them with the compiled ones."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from amr_metrics import compiled
from amr_metrics.compiled import Kernel, load_numba, plain_if_quick


@contextmanager
def plain_kernels() -> Iterator[None]:
    """Run every kernel as a plain function; to compile one is an error."""

    def target(kernel: Kernel) -> None:
        raise AssertionError(f"{kernel.py_func} is compiled")

    load_numba()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "plain_budget", 1e12)
        patch.setattr(Kernel, "target", property(target))
        with plain_if_quick(0):
            yield
