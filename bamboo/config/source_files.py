"""Find the Python modules that code depends on by parsing its import statements."""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import re
import sys
import sysconfig
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib import metadata
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

import metrics
from bamboo.paths import PACKAGE
from metrics.options import target_of

# The project's own packages are represented by all of their files: see `package_digest`.
OWN = {"bamboo": PACKAGE, "metrics": Path(metrics.__file__).parent}
INSTALLED = ("site-packages", "dist-packages")
STANDARD = tuple(Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib"))
DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)+")
DYNAMIC = ("import_module", "__import__")

# Digests and imports of the modules loaded in this process, recorded on first use: a file edited
# later does not change the running code.
_LOADED: dict[str, tuple[ModuleType, str, tuple[str, ...]]] = {}


def dotted_names(value: Any, skipped: Collection[str] = (), name: str = "") -> Iterator[str]:
    """The strings in a configuration that may name a class, a function or a module.

    Args:
        skipped: options that are not searched.
        name: the option that the value belongs to.

    >>> list(dotted_names({"_target_": "Own", "solver": {"_target_": "metrics.Milp"}, "k": "a"}))
    ['Own', 'metrics.Milp']
    """
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key not in skipped:
                yield from dotted_names(item, skipped, str(key))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from dotted_names(item, skipped)
    elif isinstance(value, str):
        target = target_of(value)  # a function with options is written as a call
        if name == "_target_" or DOTTED.fullmatch(target):
            yield target


def module_digests(names: Iterable[str], path: Sequence[str] | None = None) -> dict[str, str]:
    """Digests of modules and of all modules that they import.

    Imports are followed through the user's modules, wherever they occur in a file. A compiled
    module is represented by the content of its binary file, an installed distribution by its
    version, and ``bamboo`` and ``metrics`` by all of their files. The standard library is
    excluded. Nothing is imported.

    Args:
        names: dotted names of modules or of their members; names that do not belong to a module
            are ignored.
        path: the folders to search; None for ``sys.path``.
    """
    digests: dict[str, str] = {}
    seen: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        head, _, _ = name.rpartition(".")
        if head:
            waiting.append(head)
        top = name.partition(".")[0]
        if top in OWN:
            digests[top] = package_digest(OWN[top])
            continue
        spec = _spec(name, path)
        if spec is None or spec.origin in (None, "built-in", "frozen"):
            continue
        origin = Path(str(spec.origin))
        if _is_installed(origin) and (version := _version(top)) is not None:
            digests[top] = version
        elif _is_installed(origin) or not any(map(origin.is_relative_to, STANDARD)):
            digests[name], imported = _content(name, spec, use_loaded=path is None)
            waiting += imported
    return digests


def script_digests(script: Path, path: Sequence[str]) -> dict[str, str]:
    """Like `module_digests`, for the modules that a script imports from the given folders."""
    try:
        source = script.read_bytes()
    except OSError:
        return {}
    return module_digests(imports(source, "", True), path)


@cache
def package_digest(folder: Path) -> str:
    """A digest of all files of a package, including data files; read once per process."""
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        hidden = any(part.startswith((".", "__pycache__")) for part in name.split("/"))
        if not hidden and not name.endswith(("~", ".pyc")) and path.is_file():
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            total.update(f"{name}\n{content}\n".encode())
    return total.hexdigest()


@lru_cache(maxsize=1024)
def imports(source: bytes, name: str, is_package: bool) -> tuple[str, ...]:
    """The names that a module's import statements mention, made absolute.

    ``from a import b`` gives ``a`` and ``a.b``, since ``b`` may be a module. Calls of
    ``importlib.import_module`` with a literal name count as well. Source that cannot be parsed
    imports nothing.

    >>> imports(b"import a.b; from . import c; from .d import *", "pack.mod", False)
    ('a.b', 'pack', 'pack.c', 'pack.d')
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return ()
    package = name if is_package else name.rpartition(".")[0]
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node.module or "", node.level, package)
            members = [alias.name for alias in node.names if alias.name != "*"]
            names += [base] if base else []
            names += [f"{base}.{member}" if base else member for member in members]
        elif isinstance(node, ast.Call) and node.args:
            called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func
            called = called.id if isinstance(called, ast.Name) else called
            text = node.args[0].value if isinstance(node.args[0], ast.Constant) else None
            if called in DYNAMIC and isinstance(text, str):
                level = len(text) - len(text.lstrip("."))
                names.append(_absolute(text.lstrip("."), level, package))
    return tuple(dict.fromkeys(filter(None, names)))


def _absolute(module: str, level: int, package: str) -> str:
    """The absolute name of a module that is named relative to a package."""
    if not level:
        return module
    parts = package.split(".") if package else []
    parts = parts[: max(0, len(parts) - level + 1)]
    return ".".join([*parts, *([module] if module else [])])


def _spec(name: str, path: Sequence[str] | None) -> ModuleSpec | None:
    """Where a module is, without importing anything; None if it does not exist."""
    head, _, last = name.rpartition(".")
    if head:
        parent = _spec(head, path)
        locations = None if parent is None else parent.submodule_search_locations
        # With its full name, a folder without __init__ would need its parent to be imported.
        return None if locations is None else PathFinder.find_spec(last, list(locations))
    if path is not None:
        return PathFinder.find_spec(name, path)
    try:
        return importlib.util.find_spec(name)
    except (ImportError, ValueError):  # a loaded module without a spec, as a script's __main__
        file = getattr(sys.modules.get(name), "__file__", None)
        return None if file is None else importlib.util.spec_from_file_location(name, file)


def _content(name: str, spec: ModuleSpec, use_loaded: bool) -> tuple[str, tuple[str, ...]]:
    """The digest of a module's file, and the names that it imports."""
    module = sys.modules.get(name) if use_loaded else None
    if module is not None and name in _LOADED and _LOADED[name][0] is module:
        return _LOADED[name][1:]
    origin = str(spec.origin)
    try:
        data: bytes = spec.loader.get_data(origin)  # type: ignore[union-attr]
    except (OSError, AttributeError):  # it cannot be imported either
        return "", ()
    is_package = spec.submodule_search_locations is not None
    imported = imports(data, name, is_package) if origin.endswith(".py") else ()
    content = hashlib.sha256(data).hexdigest(), imported
    if module is not None:
        _LOADED[name] = (module, *content)
    return content


def _is_installed(origin: Path) -> bool:
    return any(part in INSTALLED for part in origin.parts)


@cache
def _version(top: str) -> str | None:
    """Name and version of the distribution that an installed module belongs to, if one does."""
    try:
        return f"{top} {metadata.version(top)}"
    except (metadata.PackageNotFoundError, ValueError):
        names = sorted(set(_distributions().get(top, ())))
    return ", ".join(f"{name} {metadata.version(name)}" for name in names) or None


@cache
def _distributions() -> dict[str, list[str]]:
    return {
        name: list(distributions)
        for name, distributions in metadata.packages_distributions().items()
    }
