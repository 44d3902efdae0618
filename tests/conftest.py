"""Fixtures for all tests."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path

# Before NumPy is imported. The tests run in a process per core: more threads get in their way.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hydra._internal.hydra import Hydra
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


@pytest.fixture(scope="session", autouse=True)
def compose_once() -> Iterator[None]:
    """Let Hydra compose once per command: it does so twice, the first time only for its mode.

    Commands in processes of their own do both.
    """
    find_mode = Hydra.get_mode

    def get_mode(self: Hydra, config_name: str | None, overrides: list[str]) -> object:
        is_set = any("hydra.mode" in word for word in overrides)
        return find_mode(self, config_name, overrides) if is_set else None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Hydra, "get_mode", get_mode)
        yield


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of released data; CONTRIBUTING.md says what it contains."""
    folder = Path(os.environ.get("BAMBOO_SHARED", Path(__file__).parents[2] / "shared"))
    if not (folder / "bamboo-amr-benchmark").is_dir():
        pytest.skip(
            "needs the released data: set BAMBOO_SHARED (CONTRIBUTING, Tests on the released data)"
        )
    return folder.resolve()
