"""The name of the program, as it was called."""

from __future__ import annotations

import sys
from pathlib import Path

MODULE = "python -m bamboo"
SCRIPT = "bamboo"


def program_name() -> str:
    """``bamboo`` if the installed script was called, otherwise ``python -m bamboo``."""
    return SCRIPT if Path(sys.argv[0]).stem == SCRIPT else MODULE


def as_called(text: str) -> str:
    """Return a text in which commands start with the name of the program as it was called.

    >>> as_called("next: python -m bamboo run data=own")
    'next: python -m bamboo run data=own'
    """
    return text.replace(MODULE, program_name())
