"""Whether the vectors of WordLlama are installed."""

import importlib.util

import pytest

INSTALLED = importlib.util.find_spec("wordllama") is not None

needs_wordllama = pytest.mark.skipif(
    not INSTALLED, reason="the extra 'wordllama' is not installed: pip install -e '.[wordllama]'"
)
