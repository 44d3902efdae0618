"""Other packages with the name ``metrics``, which would be imported instead of this project's.

Python searches the folder of the script first that it runs, and ``python -m bamboo`` the working
directory, where a ``metrics.py`` or a package ``metrics`` of the user's own may be. This module
must not import ``metrics`` itself.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from pathlib import Path

from bamboo.paths import PACKAGE


def shadowing_error() -> str | None:
    """Return the error message for a module ``metrics`` that is not this project's, else None.

    >>> shadowing_error() is None
    True
    """
    expected = PACKAGE.parent / "metrics" / "__init__.py"
    spec = PathFinder.find_spec("metrics")
    if spec is None or spec.origin is None or not expected.is_file():
        return None  # nothing to compare: if something is missing, the import says what
    origin = Path(spec.origin)
    if origin.resolve() == expected.resolve():
        return None
    other = origin.parent if origin.name == "__init__.py" else origin
    script = Path(sys.argv[0])
    if script.parent == PACKAGE and other.parent.resolve() == Path.cwd():
        reason = "python -m searches the working directory first"
        remedy = "Use the command bamboo instead of python -m bamboo, or another working directory"
    elif script.is_file() and script.resolve().parent == other.parent.resolve():
        reason = f"Python searches the folder of {script.name} first"
        remedy = f"Rename {other.name}, or move it to another folder"
    else:
        reason = f"Python searches {other.parent} first"
        remedy = f"Rename {other.name}, or remove that folder from PYTHONPATH"
    return f"{other} is imported instead of bamboo's own package metrics: {reason}. {remedy}"
