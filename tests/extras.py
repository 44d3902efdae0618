"""Whether the vectors of WordLlama are installed."""

import importlib.util

import pytest

INSTALLED = importlib.util.find_spec("wordllama") is not None

needs_wordllama = pytest.mark.skipif(
    not INSTALLED, reason="needs the extra 'wordllama': pip install -e '.[wordllama]'"
)


def missing_extra(config):
    """The extra that a metric's configuration needs and that is not installed; None if none."""
    return None if INSTALLED or "WordLlama" not in str(config) else "wordllama"
