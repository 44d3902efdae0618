"""What the tests of Chinese AMR share."""

import os
from pathlib import Path

import pytest

from metrics.camr import read_camr

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="session")
def camr_cases() -> Path:
    """The folder of published cases, with the figures of the paper and the tool's sample."""
    root = os.environ.get("BAMBOO_SHARED", Path(__file__).parents[4] / "shared")
    folder = Path(root) / "camr"
    if not (folder / "SPEC.md").is_file():
        pytest.skip(f"needs the Chinese AMR cases in {folder} (set BAMBOO_SHARED)")
    return folder.resolve()


@pytest.fixture
def data() -> Path:
    """Hand-written sentences of our own."""
    return DATA


@pytest.fixture
def gold(data):
    return read_camr(data / "gold.txt")


@pytest.fixture
def parsed(data):
    return read_camr(data / "parsed.txt")
