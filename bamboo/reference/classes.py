"""What a class says about itself, from its source: docstring, attributes, bases and properties.

Nothing is imported: the module of a metric loads compiled kernels, which takes longer than
everything else that `bamboo help` and `bamboo list` do.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path

# One entry of the section "Attributes" of a docstring: `name: text`, or `name, other: text`.
ENTRY = re.compile(r"(\w+(?:, \w+)*): ?(.*)")


@dataclass(frozen=True)
class ClassSource:
    """The source of a class or function.

    Attributes:
        node: its definition.
        module: the name of its module.
        file: the file of its module.
    """

    node: ast.ClassDef | ast.FunctionDef
    module: str
    file: Path

    @property
    def docstring(self) -> str:
        """Its docstring; empty if it has none."""
        return inspect.cleandoc(ast.get_docstring(self.node, clean=False) or "")

    @property
    def ancestors(self) -> list[ClassSource]:
        """The class and the classes that it is derived from, as far as their source is known."""
        ancestors = [self]
        if isinstance(self.node, ast.ClassDef):
            for base in self.node.bases:
                source = _named(self.module, ast.unparse(base))
                ancestors += [] if source is None else source.ancestors
        return ancestors

    def defines(self, name: str) -> bool:
        """Whether the body of the class defines a method or an attribute with this name."""
        return any(name in _names(statement) for statement in self.node.body)


def class_source(target: str) -> ClassSource | None:
    """The source of a class or function, by its dotted name; None if it cannot be found.

    >>> source = class_source("metrics.features.wlk.Wlk")
    >>> source.docstring.split(" of ")[0]
    'Cosine similarity'
    >>> source.ancestors[-1].node.name
    'ABC'
    >>> class_source("metrics.features.wlk.Nothing") is None
    True
    """
    module, _, name = target.rpartition(".")
    return _named(module, name) if module else None


def summary(docstring: str) -> str:
    """The paragraphs of a docstring before its first section or example."""
    text = re.split(r"\n\n(?=\w[\w ]*:\n|>>> )", docstring, maxsplit=1)[0]
    return text.strip()


def attributes(docstring: str) -> dict[str, str]:
    """The attributes that a docstring describes.

    >>> attributes(class_source("metrics.external.CommandMetric").docstring)["time_limit"]
    'seconds until the program is stopped; None means no limit.'
    """
    match = re.search(r"^(?:Attributes|Args):\n((?:[ \t]+.*\n?|\n(?=[ \t]))+)", docstring, re.M)
    if match is None:
        return {}
    entries: dict[str, str] = {}
    names: list[str] = []
    indent = None
    for line in match[1].splitlines():
        width = len(line) - len(line.lstrip())
        indent = width if indent is None else indent
        entry = ENTRY.fullmatch(line.strip()) if width == indent else None
        if entry is not None:
            names = entry[1].split(", ")
            entries |= dict.fromkeys(names, entry[2])
        else:
            entries |= {name: f"{entries[name]} {line.strip()}".strip() for name in names}
    return entries


def documented_options(source: ClassSource) -> dict[str, str]:
    """The meaning of each attribute, from the docstrings of a class and of its bases."""
    meanings: dict[str, str] = {}
    for ancestor in source.ancestors:
        meanings = attributes(ancestor.docstring) | meanings
    return meanings


def fields(source: ClassSource) -> dict[str, str]:
    """The annotated fields of a dataclass and of its bases, each with its default as written.

    >>> fields(class_source("metrics.external.CommandMetric"))
    {'command': '', 'time_limit': '3600.0'}
    """
    return {name: _default(statement.value) for name, statement in _annotated(source).items()}


def field_annotations(source: ClassSource) -> dict[str, str]:
    """The annotation of each field of a dataclass and of its bases, as written.

    >>> field_annotations(class_source("bamboo.commands.run.Run"))["weights"]
    'Path | None'
    """
    return {name: ast.unparse(s.annotation) for name, s in _annotated(source).items()}


def _annotated(source: ClassSource) -> dict[str, ast.AnnAssign]:
    """The annotated fields of a class and of its bases, those of the bases first."""
    statements: dict[str, ast.AnnAssign] = {}
    for ancestor in reversed(source.ancestors):
        for statement in ancestor.node.body:
            if (
                isinstance(statement, ast.AnnAssign)
                and isinstance(statement.target, ast.Name)
                and "ClassVar" not in ast.unparse(statement.annotation)
            ):
                statements[statement.target.id] = statement
    return statements


def constant_property(source: ClassSource, name: str, options: dict[str, object]) -> object:
    """The value of a property that is a constant, an option, or a comparison with an option.

    Args:
        options: the values of the options.

    Returns:
        the value; None if the source does not say it in this simple way.

    >>> wwlk = class_source("metrics.transport.wwlk.WWLK")
    >>> constant_property(wwlk, "symmetric", {"form": "precision"})
    False
    """
    for ancestor in source.ancestors:
        for statement in ancestor.node.body:
            if name not in _names(statement):
                continue
            if isinstance(statement, ast.FunctionDef):
                last = statement.body[-1]
                return _value(last.value, options) if isinstance(last, ast.Return) else None
            if isinstance(statement, ast.AnnAssign) and name in options:
                return options[name]
            if isinstance(statement, ast.AnnAssign | ast.Assign):
                return _value(statement.value, options)
    return None


def _value(node: ast.expr | None, options: dict[str, object]) -> object:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self":
        return options.get(node.attr)
    if (
        isinstance(node, ast.Compare)
        and len(node.ops) == 1
        and isinstance(node.ops[0], ast.Eq | ast.NotEq)
    ):
        left, right = _value(node.left, options), _value(node.comparators[0], options)
        if left is None or right is None:
            return None
        return (left == right) == isinstance(node.ops[0], ast.Eq)
    return None


def _default(node: ast.expr | None) -> str:
    """The default of a field as written; that of ``field(default=...)`` without the call."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "field":
        given = {keyword.arg: keyword.value for keyword in node.keywords}
        factory = given.get("default_factory")
        return _default(given.get("default")) if factory is None else f"{ast.unparse(factory)}()"
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return "" if node is None else ast.unparse(node)


def _names(statement: ast.stmt) -> list[str]:
    """The names that a statement defines."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return [statement.name]
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _named(module: str, name: str) -> ClassSource | None:
    """A class or function of a module, by its name in the module; imports are followed."""
    file = module_file(module)
    if file is None or (tree := _tree(file)) is None:
        return None
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name:
            return ClassSource(node, module, file)
    for origin, imported, known_as in _imports(tree):
        if known_as == name and origin != module:
            return _named(origin, imported)
    return None


def _imports(tree: ast.Module) -> Iterator[tuple[str, str, str]]:
    """Module, name and alias of each ``from ... import``, also below ``if TYPE_CHECKING``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                yield node.module, alias.name, alias.asname or alias.name


@cache
def _tree(file: Path) -> ast.Module | None:
    try:
        return ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None


@cache
def module_file(name: str) -> Path | None:
    """The source file of a module; unlike `importlib.util.find_spec` it imports no package."""
    first, *rest = name.split(".")
    try:
        spec = PathFinder.find_spec(first)
    except (ImportError, ValueError):
        return None
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin)
    for part in rest:
        if path.name != "__init__.py":
            return None
        inner = path.parent / part
        path = inner / "__init__.py" if inner.is_dir() else inner.with_suffix(".py")
    return path if path.suffix == ".py" and path.is_file() else None
