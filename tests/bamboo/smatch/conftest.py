"""The module that stands in for the package smatch has variables that scripts set."""

import pytest

from bamboo import smatch


@pytest.fixture(autouse=True)
def _variables(monkeypatch):
    """The variables of the module, as they are when it is imported."""
    for name in ("iteration_num", "verbose", "veryVerbose", "single_score", "pr_flag"):
        monkeypatch.setattr(smatch, name, getattr(smatch, name))
