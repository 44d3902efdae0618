"""Find the line of the user's own code that raised an error."""

from __future__ import annotations

import os
from pathlib import Path

LIBRARY = Path(__file__).resolve().parents[1]
# The harness: beside the library when installed, one folder up in a checkout.
HARNESS = (LIBRARY.with_name("bamboo"), LIBRARY.parents[1] / "bamboo")
STANDARD_LIBRARY = Path(os.__file__).resolve().parent
INSTALLED = {"site-packages", "dist-packages"}  # of any environment


def location(error: BaseException) -> str | None:
    """Return the innermost line of the user's code that this project called, from the traceback.

    The tracebacks of the causes of the error are searched as well. Code of this project, of the
    standard library and of installed packages is not the user's.
    """
    import traceback

    current: BaseException | None = error
    while current is not None:
        frames = traceback.extract_tb(current.__traceback__)
        paths = [Path(frame.filename).resolve() for frame in frames]
        calling = [k for k, path in enumerate(paths) if _is_in(path, (LIBRARY, *HARNESS))]
        for k in reversed(range(len(frames))):
            if calling and k > calling[0] and paths[k].is_file() and is_user_file(paths[k]):
                return f"{frames[k].filename}, line {frames[k].lineno}, in {frames[k].name}"
        current = current.__cause__ or current.__context__
    return None


def is_user_file(path: Path) -> bool:
    """Return whether a file is the user's: not of this project, the library or a package."""
    resolved = path.resolve()
    folders = (LIBRARY, *HARNESS, STANDARD_LIBRARY)
    return not (_is_in(resolved, folders) or INSTALLED & {*resolved.parts})


def _is_in(path: Path, folders: tuple[Path, ...]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)
