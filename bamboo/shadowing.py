"""Other packages with the name ``metrics``, which would be imported instead of this project's.

``python -m bamboo`` makes Python search the working directory first, where a ``metrics.py`` or a
package ``metrics`` of the user's own may be. This module must not import ``metrics`` itself.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from pathlib import Path

from bamboo.paths import PACKAGE


def shadowing_error() -> str | None:
    """The error message for a module ``metrics`` that is not this project's, else None.

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
    if sys.path[0] in ("", str(Path.cwd())) and other.parent.resolve() == Path.cwd():
        reason = "python -m searches the working directory first"
        remedy = "Use the command bamboo instead of python -m bamboo, or another working directory"
    else:
        reason = f"Python searches {other.parent} first"
        remedy = "Remove that folder from PYTHONPATH, or rename its module"
    return f"{other} is imported instead of bamboo's own package metrics: {reason}. {remedy}"
