"""Fixtures for the tests of the metric library."""

import pytest


@pytest.fixture(autouse=True)
def no_vectors_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Find word vectors only where a test says so; metrics read the variable when created."""
    monkeypatch.delenv("BAMBOO_VECTORS", raising=False)
