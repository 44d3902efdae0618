"""Where the files that belong to the project are, in a checkout and in an installed wheel."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def resource(name: str) -> Path:
    """The folder ``conf`` or ``data`` that came with the code.

    >>> (resource("conf") / "run.yaml").is_file()
    True
    """
    inside = PACKAGE / name
    return inside if inside.is_dir() else PACKAGE.parent / name
