"""Fixtures for all tests."""

import gc
import os
from collections.abc import Generator, Iterator
from copy import copy, deepcopy
from pathlib import Path
from typing import IO

# Before NumPy is imported. The tests run in a process per core: more threads get in their way.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from _pytest.doctest import DoctestModule
from hydra._internal import defaults_list
from hydra._internal.config_repository import ConfigRepository
from hydra._internal.defaults_list import Overrides
from hydra._internal.hydra import Hydra
from hydra.core.default_element import InputDefault
from hypothesis import Phase, settings
from omegaconf import Container, OmegaConf

import tests.extras  # noqa: F401  (sets NLTK_DATA)
from amr_metrics.graphs.notation import allow_levels

# A busy machine must not fail a property. `make fuzz` tries many more examples.
settings.register_profile("quick", max_examples=15, deadline=None)
settings.register_profile("fuzz", max_examples=10_000, deadline=None)
# `make mutants` needs to know that a test fails, not the smallest input.
settings.register_profile(
    "mutants",
    max_examples=15,
    deadline=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
)
settings.load_profile("quick")


def pytest_configure() -> None:
    """Raise the recursion limit as reading graphs does: Hypothesis warns of a test that does."""
    allow_levels()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for no doctests in the tests, which takes a second; those of the project are run."""
    collectors = yield
    return [found for found in collectors if not isinstance(found, DoctestModule)]


def pytest_collection_finish() -> None:
    """Make garbage collection rarer, and leave out modules and tests, which last until the end."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


@pytest.fixture(scope="session", autouse=True)
def compose_quickly() -> Iterator[None]:
    """Let Hydra compose once per command, parse each text once, and copy only what it needs.

    It composes twice, the first time only for its mode, copies all that is registered each time it
    parses overrides, and all choices for each list of defaults, in case it refers to one of them.
    Commands in processes of their own do all of this.
    """
    find_mode, load = Hydra.get_mode, OmegaConf.load
    copy_choices = defaults_list._create_interpolation_map
    known: dict[str, Container] = {}

    def get_mode(self: Hydra, config_name: str | None, overrides: list[str]) -> object:
        is_set = any("hydra.mode" in word for word in overrides)
        return find_mode(self, config_name, overrides) if is_set else None

    def copy_needed(overrides: Overrides, entries: list[InputDefault], self_added: bool) -> object:
        is_needed = any(entry.is_interpolation() for entry in entries)
        return copy_choices(overrides, entries, self_added) if is_needed else None

    def load_once(file: str | Path | IO[str]) -> Container:
        if isinstance(file, str | Path):
            return load(file)
        text = file.read()
        file.seek(0)
        if text not in known:
            known[text] = load(file)
        return deepcopy(known[text])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Hydra, "get_mode", get_mode)
        patch.setattr(OmegaConf, "load", staticmethod(load_once))
        patch.setattr(defaults_list, "_create_interpolation_map", copy_needed)
        # A repository replaces its list of sources and does not change it.
        patch.setattr(ConfigRepository, "__deepcopy__", lambda self, _: copy(self), raising=False)
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
