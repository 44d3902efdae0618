"""Fixtures for all tests."""

import gc
import os
from pathlib import Path

# Before NumPy is imported. The tests run in a process per core: more threads get in their way.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import Phase, settings

import tests.extras  # noqa: F401  (sets NLTK_DATA)
from amr_metrics.graphs.notation import allow_levels

# A busy machine must not fail a property. `make fuzz` tries many more examples.
settings.register_profile("quick", max_examples=25, deadline=None)
settings.register_profile("fuzz", max_examples=10_000, deadline=None)
# `make mutants` needs to know that a test fails, not the smallest input.
settings.register_profile(
    "mutants",
    max_examples=25,
    deadline=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
)
settings.load_profile("quick")


def pytest_configure() -> None:
    """Raise the recursion limit as reading graphs does: Hypothesis warns of a test that does."""
    allow_levels()


def pytest_collection_finish() -> None:
    """Make garbage collection rarer; otherwise it takes about a twelfth of the time of the tests.

    Each full collection searches all modules and tests, which last until the end.
    """
    gc.set_threshold(10_000, 20, 20)


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of released data; CONTRIBUTING.md says what it contains."""
    folder = Path(os.environ.get("BAMBOO_SHARED", Path(__file__).parents[2] / "shared"))
    if not (folder / "bamboo-amr-benchmark").is_dir():
        pytest.skip(
            "needs the released data: set BAMBOO_SHARED (CONTRIBUTING, Tests on the released data)"
        )
    return folder.resolve()
