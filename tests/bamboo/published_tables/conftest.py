"""A release of parses in the layout of the SemBleu paper's data."""

import pytest

from tests.sembleu_release import write_release


@pytest.fixture
def folder(tmp_path):
    """Three sentences, their parses by four systems, and judgements."""
    root = tmp_path / "sembleu_data"
    write_release(root)
    return root
