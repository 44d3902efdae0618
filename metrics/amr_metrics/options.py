"""Check options, and convert plain values, as YAML has them, to the fields of a dataclass."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from amr_metrics.errors import OptionError

T = TypeVar("T")

# The values accepted for each field type, and their description in messages.
PLAIN: Mapping[Any, tuple[tuple[type, ...], str]] = {
    bool: ((bool,), "true or false"),
    int: ((int,), "an integer"),
    float: ((int, float), "a number"),
    str: ((str,), "a string"),
    Path: ((str, Path), "a path"),
    NoneType: ((NoneType,), "null"),
    tuple: ((list, tuple), "a list"),
    list: ((list, tuple), "a list"),
    Sequence: ((list, tuple), "a list"),
    dict: ((Mapping,), "a mapping"),
    Mapping: ((Mapping,), "a mapping"),
}


def read_options(cls: type[T], values: Mapping[str, Any], prefix: str = "") -> T:
    """Build a dataclass, including nested dataclasses, from a value for each field.

    Args:
        prefix: begins the option names in messages; ``data`` gives ``data.scale=...``.

    Raises:
        OptionError: an unknown or missing option, or a value of the wrong type.

    >>> @dataclasses.dataclass
    ... class Options:
    ...     seed: int
    ...     report: Literal["table", "json"] = "table"
    >>> read_options(Options, {"seed": 3})
    Options(seed=3, report='table')
    >>> read_options(Options, {"seed": "three"})
    Traceback (most recent call last):
    amr_metrics.errors.OptionError: seed="three": expected an integer
    """
    options = fit_options(cls, values, prefix)
    for field in dataclasses.fields(cls):  # type: ignore[arg-type]
        optional = not (field.default is field.default_factory is dataclasses.MISSING)
        if not (field.name in values or optional):
            raise OptionError(f"{_join_option(prefix, field.name)}=... is required")
    return cls(**options)


def fit_options(cls: type, values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Convert values to the field types of a dataclass.

    Raises:
        OptionError: as `read_options`, except for missing options.
    """
    types, fitting = field_types(cls), {}
    for name, value in values.items():
        if name not in types:
            raise OptionError(
                describe_unknown(f"option of {prefix}" if prefix else "option", name, types)
            )
        fitting[name] = fit(value, types[name], _join_option(prefix, name))
    return fitting


@lru_cache(maxsize=256)
def field_types(cls: type) -> Mapping[str, Any]:
    """Return the type of each field of a dataclass that can be set; ``Any`` if it is unknown."""
    names = [field.name for field in dataclasses.fields(cls) if field.init]
    try:
        types = get_type_hints(cls)
    except Exception:  # of a user's annotations, such as of a type that only type checkers import
        types = dict.fromkeys(names, Any)
    return {name: types[name] for name in names}


def fit(value: Any, hint: Any, option: str) -> Any:
    """Convert a value to a type: lists to tuples, strings to paths, mappings to dataclasses.

    Values of other types (arrays, functions) are not checked.

    Raises:
        OptionError: a value of the wrong type; the message names `option` and the expected type.

    >>> fit([0, 5], tuple[float, float], "data.scale")
    (0, 5)

    Of several dataclasses, a mapping becomes the one whose field ``name`` is its name.

    >>> @dataclasses.dataclass
    ... class Local:
    ...     name: Literal["local"]
    >>> @dataclasses.dataclass
    ... class Remote:
    ...     name: Literal["remote"]
    ...     address: str
    >>> fit({"name": "remote", "address": "there"}, Local | Remote, "engine")
    Remote(name='remote', address='there')
    """
    if isinstance(value, str | int | float) and not _is_suitable(value, hint) and _has_list(hint):
        value = [value]  # a list of one
    kind, inner = get_origin(hint) or hint, get_args(hint)
    if kind is Literal and str(value) in inner:
        return str(value)
    if kind is Literal and isinstance(value, str):
        raise OptionError(describe_unknown(option, value, map(str, inner)))
    if not _is_suitable(value, hint):
        raise OptionError(f"{option}={_format_typed(value)}: expected {_describe_expected(hint)}")
    if kind in (Union, UnionType):
        members = [*filter(partial(_is_suitable, value), inner)]
        best = next(filter(partial(_has_name, value), members), members[0])
        kind, inner = get_origin(best) or best, get_args(best)
    if kind is Path:
        return Path(os.path.expanduser(value))
    if kind is tuple and inner:
        hints = inner[:1] * len(value) if inner[-1] is Ellipsis else inner
        if len(hints) != len(value):
            raise OptionError(f"{option}={_format_typed(value)}: expected {len(hints)} values")
        return tuple(
            fit(v, h, f"{option}[{k}]") for k, (v, h) in enumerate(zip(value, hints, strict=True))
        )
    if kind in (list, Sequence) and inner:
        return [fit(v, inner[0], f"{option}[{k}]") for k, v in enumerate(value)]
    if kind in (dict, Mapping) and inner:
        pairs = {}
        for k, v in value.items():
            pairs[fit(k, inner[0], option)] = fit(v, inner[1], f"{option}.{k}")
        return pairs
    nested = isinstance(kind, type) and dataclasses.is_dataclass(kind)
    if nested and isinstance(value, Mapping) and "_target_" not in value:
        return read_options(kind, value, option)
    return value


def _has_list(hint: Any) -> bool:
    """Check that a type is a list of any length, or such a list or None."""
    members = [m for m in get_args(hint) if m is not NoneType]
    if get_origin(hint) in (Union, UnionType):
        return len(members) == 1 and _has_list(members[0])
    return get_origin(hint) is tuple and get_args(hint)[-1] is Ellipsis


def _is_suitable(value: Any, hint: Any) -> bool:
    """Check that a value can be converted to a type, or to a member of a union."""
    for member in get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,):
        kind = get_origin(member) or member
        if kind is Literal:
            is_suitable = value in get_args(member)
        elif kind in PLAIN:
            is_boolean = isinstance(value, bool)
            is_suitable = isinstance(value, PLAIN[kind][0]) and (kind is bool or not is_boolean)
        else:
            is_suitable = not dataclasses.is_dataclass(kind) or isinstance(value, Mapping | kind)
        if is_suitable:
            return True
    return False


def _has_name(value: Any, kind: Any) -> bool:
    """Check that a mapping has a name that a dataclass is for: ``name: Literal[...]``."""
    if not (isinstance(value, Mapping) and dataclasses.is_dataclass(kind)):
        return False
    hint = field_types(kind).get("name")  # type: ignore[arg-type]
    return get_origin(hint) is Literal and value.get("name") in get_args(hint)


def _describe_expected(hint: Any) -> str:
    kind, inner = get_origin(hint) or hint, get_args(hint)
    if kind in (Union, UnionType):
        return " or ".join(map(_describe_expected, inner))
    if kind is Literal:
        return f"one of {', '.join(map(str, inner))}"
    return PLAIN[kind][1] if kind in PLAIN else f"the options of {kind.__name__}"


def _format_typed(value: Any) -> str:
    return json.dumps(value, default=str, ensure_ascii=False)


def _join_option(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


def defaults(cls: type) -> dict[str, Any]:
    """Return the default values of the fields of a dataclass that have one."""
    values = {}
    for field in dataclasses.fields(cls):
        if field.default is not dataclasses.MISSING:
            values[field.name] = field.default
        elif field.default_factory is not dataclasses.MISSING:
            values[field.name] = field.default_factory()
    return values


def check_choice(option: str, value: object, values: Sequence[str]) -> None:
    """Check that the value of an option is one of the given strings.

    Args:
        option: name of the option, for the message.
        values: the allowed values.

    Raises:
        OptionError: if it is not.

    >>> check_choice("variant", "2021", ("2021", "2023"))
    >>> check_choice("variant", 2021, ("2021", "2023"))
    Traceback (most recent call last):
    amr_metrics.errors.OptionError: variant=2021: expected a string: use '2021'
    """
    if value in values:
        return
    if str(value) in values:
        raise OptionError(f"{option}={value!r}: expected a string: use {str(value)!r}")
    raise OptionError(f"{option}={value!r}: use one of {', '.join(values)}")


def check_choices(options: object) -> None:
    """Check that each field of a dataclass whose type is a `Literal` has one of its values.

    Raises:
        OptionError: if one has not.

    >>> @dataclasses.dataclass
    ... class Options:
    ...     report: Literal["table", "json"] | None = None
    >>> check_choices(Options(report="csv"))
    Traceback (most recent call last):
    amr_metrics.errors.OptionError: report='csv': use one of table, json
    """
    for name, values in _list_choices(type(options)).items():  # type: ignore[arg-type]
        if (value := getattr(options, name)) not in values:
            check_choice(name, value, [choice for choice in values if choice is not None])


@lru_cache(maxsize=256)
def _list_choices(cls: type) -> Mapping[str, tuple[str | None, ...]]:
    """Return the values of each field whose type is a `Literal`, or such a type and None."""
    choices = {}
    for name, hint in field_types(cls).items():
        members = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
        literals = [member for member in members if get_origin(member) is Literal]
        if literals and all(member in (*literals, NoneType) for member in members):
            values = [value for member in literals for value in get_args(member)]
            choices[name] = (*values, None) if NoneType in members else tuple(values)
    return choices


def optional_floats(value: Sequence[float] | None) -> list[float] | None:
    """Convert numbers to floats; return None unchanged.

    >>> optional_floats((1, 2))
    [1.0, 2.0]
    """
    return None if value is None else [*map(float, value)]


# Names of tools whose closest name is that of another metric: `smatch` is that of BAMBOO.
ALIASES = {("metric", name): "smatch_1_0" for name in ("smatch", "smatch_1.0.3", "smatch_1.0.4")}


def describe_unknown(kind: str, name: object, names: Iterable[str]) -> str:
    """Return a message for an unknown name of some kind, with the closest of the known names.

    >>> describe_unknown("metric", "smacth", ["sema", "smatch"])
    "unknown metric 'smacth': did you mean 'smatch'? Use one of: sema, smatch"
    """
    choices = sorted(set(names))
    if not choices:
        return f"unknown {kind} {name!r}: there are none"
    similar = ALIASES.get((kind, _fold(str(name))))
    if similar not in choices:
        similar = _find_similar(str(name), choices)
    hint = f": did you mean {similar!r}?" if similar else "."
    return f"unknown {kind} {name!r}{hint} Use one of: {', '.join(choices)}"


def convert_named_floats(values: Mapping[str, float]) -> dict[str, float]:
    """Convert the values of a mapping to floats."""
    return {name: float(value) for name, value in values.items()}


def select_names(kind: str, names: str | Sequence[str], choices: Iterable[str]) -> tuple[str, ...]:
    """Return the choices with some names, ignoring case; ``all`` selects all of them.

    Args:
        kind: the kind of name, for the message.

    Raises:
        OptionError: if a name is unknown; the message suggests the nearest one.

    >>> select_names("aspect", ["NER", "wiki"], ["ner", "wiki", "srl"])
    ('ner', 'wiki')
    """
    choices = tuple(choices)
    requested = [names] if isinstance(names, str) else list(names)
    if requested == ["all"]:
        return choices
    for name in requested:
        if name.lower() not in choices:
            raise OptionError(f"unknown {kind} {name!r}: {nearest(name.lower(), choices)}")
    return tuple(dict.fromkeys(map(str.lower, requested)))


def nearest(name: str, choices: Sequence[str]) -> str:
    """Suggest the choice nearest to a name, and list all choices.

    >>> nearest("sri", ["ner", "srl"])
    "did you mean 'srl'? Use one of ner, srl"
    """
    similar = _find_similar(name, choices)
    hint = f"did you mean {similar!r}? " if similar else ""
    return f"{hint}Use one of {', '.join(choices)}"


def _find_similar(name: str, choices: Sequence[str]) -> str | None:
    """Return the choice that is most similar to a name, if any is."""
    from difflib import get_close_matches  # slow to import

    by_form = {_fold(choice): choice for choice in choices}
    return next((by_form[form] for form in get_close_matches(_fold(name), by_form, n=1)), None)


def _fold(name: str) -> str:
    """Return a form of a name in which ``Smatch++`` and ``smatchpp`` are equal."""
    return name.lower().replace("+", "p").replace("-", "_")
