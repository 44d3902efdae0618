"""Modules of the user's own, such as those in the folder ``--config-dir``, for a limited time."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import PathFinder
from pathlib import Path


@contextmanager
def modules_in(folder: str | Path | None) -> Iterator[None]:
    """Find modules in a folder first. Afterwards, those imported from there are forgotten.

    Otherwise the module of the same name in another folder would not be imported by a later call.
    """
    resolved = None if folder is None else str(Path(folder).resolve())
    if resolved is None or resolved in sys.path:
        yield
        return
    sys.path.insert(0, resolved)
    try:
        yield
    finally:
        use_search_path([entry for entry in sys.path if entry != resolved])


def use_search_path(path: Sequence[str]) -> None:
    """Set the search path for modules, and forget modules of folders that it no longer has."""
    removed = {Path(entry).resolve() for entry in sys.path if entry and entry not in path}
    sys.path[:] = path
    if not removed:
        return
    for name, module in [*sys.modules.items()]:
        file = getattr(module, "__file__", None)
        if "." in name or name == "__main__" or file is None:
            continue
        if removed.isdisjoint(Path(file).resolve().parents):
            continue
        spec = PathFinder.find_spec(name, path)
        if spec is None or spec.origin != file:
            for other in [*sys.modules]:
                if other == name or other.startswith(f"{name}."):
                    del sys.modules[other]
