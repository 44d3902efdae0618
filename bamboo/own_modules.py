"""Modules of the user's own, such as those in the folder ``--config-dir``, for a limited time."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import PathFinder
from pathlib import Path

from bamboo.own_code import is_own


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
        sys.path[:] = [entry for entry in sys.path if entry != resolved]
        _forget(lambda name, file: _is_below(file, {Path(resolved)}))


def use_search_path(path: Sequence[str]) -> None:
    """Set the search path for modules of a worker, and forget modules that it does not lead to.

    These are modules of folders that it no longer has, and those of which another folder, which now
    comes first, has a module of the same name.
    """
    if [*path] == sys.path:
        return
    removed = {Path(entry).resolve() for entry in sys.path if entry and entry not in path}
    sys.path[:] = path

    def is_elsewhere(name: str, file: str) -> bool:
        spec = PathFinder.find_spec(name, path)
        return _is_below(file, removed) if spec is None else spec.origin != file

    _forget(is_elsewhere)


def _forget(chosen: Callable[[str, str], bool]) -> None:
    """Forget the modules of the user's own that are chosen by name and file, with their parts."""
    for name, module in [*sys.modules.items()]:
        file = getattr(module, "__file__", None)
        if "." in name or name == "__main__" or file is None or not is_own(Path(file)):
            continue
        if chosen(name, file):
            for other in [*sys.modules]:
                if other == name or other.startswith(f"{name}."):
                    del sys.modules[other]


def _is_below(file: str, folders: Collection[Path]) -> bool:
    return any(folder in folders for folder in Path(file).resolve().parents)
