"""What the tests of Chinese AMR share."""

from pathlib import Path

import pytest

from amr_metrics.camr import read_camr
from tests.released import shared_file

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="session")
def camr_cases(shared: Path) -> Path:
    """The folder of published cases, with the figures of the paper and the tool's sample."""
    return shared_file(shared, "camr")


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
