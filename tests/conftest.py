"""Fixtures for all tests."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the released data, word vectors and lexicons."""
    folder = Path(os.environ.get("BAMBOO_SHARED", Path(__file__).parents[2] / "shared"))
    if not (folder / "bamboo-amr-benchmark").is_dir():
        pytest.skip(f"needs the released data in {folder} (set BAMBOO_SHARED)")
    return folder.resolve()
