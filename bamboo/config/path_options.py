"""Find options that are paths from their types; paths are used as typed, not parsed by Hydra."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

from bamboo.config.options import field_types
from bamboo.errors import ConfigError

LISTS = (tuple, list, Sequence)
SCALARS = (str, int, float, bool, Path, Literal)

# Returns the dataclasses of a command's options, given its name.
OptionTypes = Callable[[str], Iterable[type]]
_REGISTERED: list[OptionTypes] = []  # set by `bamboo.cli`, which this package does not import


def register_option_types(option_types: OptionTypes) -> None:
    """Register the function that returns the types of a command's options.

    Args:
        option_types: returns the dataclasses of the options of a command, given its name. It is
            called only when an option is set on the command line.
    """
    _REGISTERED[:] = [option_types]


def registered_options(command: str) -> Iterable[type]:
    """The dataclasses of a command's options, one by one: importing them all takes time.

    Raises:
        ConfigError: no options are registered.
    """
    if not _REGISTERED:
        raise ConfigError("the options of commands are not registered: import bamboo.cli first")
    (option_types,) = _REGISTERED
    return option_types(command)


def positional_options(command: str) -> tuple[str, ...]:
    """The options of a command that can be given without their names, in this order.

    >>> import bamboo.cli  # registers the options of its commands
    >>> positional_options("score"), positional_options("explain"), positional_options("run")
    (('src', 'tgt'), ('src', 'tgt'), ())
    """
    names = (getattr(kind, "POSITIONAL", ()) for kind in registered_options(command))
    return tuple(name for own in names for name in own)


def is_path_of_command(command: str, key: str) -> bool:
    """Whether ``key`` is a path among a command's own options or the shared options.

    >>> import bamboo.cli  # registers the options of its commands
    >>> is_path_of_command("score", "src"), is_path_of_command("run", "data.root")
    (True, True)
    >>> is_path_of_command("run", "split")
    False
    """
    return any(holds_path(kind, None, key.split(".")) for kind in registered_options(command))


def is_list_of_command(command: str, key: str) -> bool:
    """Whether ``key`` can be a list, among a command's own options or the shared options.

    >>> import bamboo.cli  # registers the options of its commands
    >>> is_list_of_command("run", "partition"), is_list_of_command("site", "seeds.drawn")
    (True, True)
    >>> is_list_of_command("run", "seed")
    False
    """
    return any(_of_leaf(kind, None, key.split(".")).lists for kind in registered_options(command))


def is_only_list_of_command(command: str, key: str) -> bool:
    """Whether ``key`` is always a list, of any length, so that a single value is a list of one.

    >>> import bamboo.cli  # registers the options of its commands
    >>> [is_only_list_of_command("site", key) for key in ("seeds.drawn", "partition")]
    [True, False]
    >>> is_only_list_of_command("run", "data.scale")  # two numbers
    False
    """
    leaves = [_of_leaf(kind, None, key.split(".")) for kind in registered_options(command)]
    return any(leaf.lists and not (leaf.scalars or leaf.fixed) for leaf in leaves)


def is_only_list(kind: Any, value: Any, keys: Sequence[str]) -> bool:
    """Whether an option is always a list; arguments as of `holds_path`.

    >>> sembleu = {"_target_": "metrics.features.sembleu.SemBleu", "weights": None}
    >>> [is_only_list(None, sembleu, [option]) for option in ("weights", "k")]
    [True, False]
    """
    leaf = _of_leaf(kind, value, keys)
    return not leaf.scalars and (leaf.lists or isinstance(leaf.value, list))


class _Leaf(NamedTuple):
    """What an option can be: a list, a single value; and its configured value.

    Attributes:
        fixed: whether the length of a list is fixed.
    """

    lists: bool
    scalars: bool
    value: Any
    fixed: bool = False


def _of_leaf(kind: Any, value: Any, keys: Sequence[str]) -> _Leaf:
    """What an option can be; arguments as of `holds_path`."""
    if isinstance(value, Mapping) and isinstance(value.get("_target_"), str):
        kind = _target(value["_target_"])
    if get_origin(kind) in (Union, UnionType):
        leaves = [_of_leaf(member, value, keys) for member in get_args(kind)]
        lists, scalars = (any(flags) for flags in zip(*(leaf[:2] for leaf in leaves), strict=True))
        return _Leaf(lists, scalars, leaves[0].value, any(leaf.fixed for leaf in leaves))
    origin, inner = get_origin(kind) or kind, get_args(kind)
    if not keys:
        fixed = origin is tuple and bool(inner) and inner[-1] is not Ellipsis
        return _Leaf(origin in LISTS, origin in SCALARS, value, fixed)
    key, *rest = keys
    below = value.get(key) if isinstance(value, Mapping) else None
    if isinstance(origin, type) and is_dataclass(origin):
        return _of_leaf(field_types(origin).get(key), below, rest)
    if origin in (dict, Mapping) and len(inner) == 2:
        return _of_leaf(inner[1], below, rest)
    return _of_leaf(None, below, rest) if below is not None else _Leaf(False, False, None)


def holds_path(kind: Any, value: Any, keys: Sequence[str]) -> bool:
    """Whether an option is annotated as a path or a list of paths.

    Args:
        kind: a type, such as a dataclass of options.
        value: the corresponding configuration; a ``_target_`` in it takes precedence over `kind`.
        keys: the path of names from `kind` to the option.

    >>> from metrics.vectors import VectorSource
    >>> [holds_path(VectorSource, None, [name]) for name in ("file", "name")]
    [True, False]
    >>> holds_path(None, {"_target_": "metrics.vectors.VectorSource"}, ["file"])
    True
    """
    if isinstance(value, Mapping) and isinstance(value.get("_target_"), str):
        kind = _target(value["_target_"])
    if get_origin(kind) in (Union, UnionType):
        return any(holds_path(member, value, keys) for member in get_args(kind))
    origin, inner = get_origin(kind) or kind, get_args(kind)
    if not keys:
        return origin is Path or (origin in LISTS and Path in inner)
    key, *rest = keys
    below = value.get(key) if isinstance(value, Mapping) else None
    if isinstance(origin, type) and is_dataclass(origin):
        return holds_path(field_types(origin).get(key), below, rest)
    if origin in (dict, Mapping) and len(inner) == 2:
        return holds_path(inner[1], below, rest)
    return below is not None and holds_path(None, below, rest)


def _target(name: str) -> Any:
    """The class in a ``_target_``; None if it cannot be imported, which is reported later."""
    try:
        return pkgutil.resolve_name(name)
    except Exception:  # importing it may raise anything
        return None


def quoted_paths(value: str) -> str:
    """A path as typed, or a list of them, quoted for Hydra."""
    if value.startswith("[") and value.endswith("]") and not Path(value).exists():
        return "[" + ",".join(quoted(part.strip()) for part in value[1:-1].split(",")) + "]"
    return "null" if value == "null" else quoted(value)


def quoted(value: str) -> str:
    """Quote a string such that ``${`` in it is not interpolated."""
    return in_quotes(re.sub(r"(\\*)\$\{", r"\1\1\\${", value))


def in_quotes(value: str) -> str:
    """Quote a string as one value in Hydra's syntax."""
    from hydra.core.override_parser.types import Quote, QuotedString

    return str(QuotedString(value, Quote.single).with_quotes())
