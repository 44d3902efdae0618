"""Check and convert the arguments of the functions, and let them import the user's modules."""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, get_type_hints

from amr_metrics.errors import OptionError
from amr_metrics.options import fit
from amr_metrics.utils.user_code import guard_user_code
from bamboo.config.groups import ConfigDir as ConfigDir  # also imported from here
from bamboo.config.groups import compose_group, list_folders, list_shadowed
from bamboo.engines import AnyEngine
from bamboo.errors import ConfigError, describe_unknown
from bamboo.log import Messages, print_messages, warn
from bamboo.user_code import find_modules_in

if TYPE_CHECKING:
    from bamboo.scoring.buckets import Grouping

P = ParamSpec("P")
CALLED: ContextVar[Mapping[str, Any]] = ContextVar("CALLED")  # the arguments of the running call
T = TypeVar("T")


def check_call(function: Callable[P, T]) -> Callable[P, T]:
    """Check the names and types of the arguments of a function when it is called.

    Values are converted as in YAML: lists to tuples, strings to paths, mappings to dataclasses.
    Modules in the folders ``config_dir`` can be imported during the call, and ``progress`` shows
    progress on standard error: a bar on a terminal, and elsewhere a line for each step. There goes
    what the user's code prints, which cannot end the process (`guard_user_code`).

    Raises:
        ConfigError: an unknown name, or a value of the wrong type.
    """
    parameters = inspect.signature(function)

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        for name in kwargs:
            if name not in parameters.parameters:
                raise ConfigError(
                    describe_unknown(f"option of {function.__name__}", name, parameters.parameters)
                )
        bound = parameters.bind(*args, **kwargs)
        bound.arguments |= fit_values(function, bound.arguments)
        with contextlib.ExitStack() as stack:
            if bound.arguments.get("progress"):
                stack.enter_context(print_messages(Messages(verbose=not sys.stderr.isatty())))
            config_dir = bound.arguments.get("config_dir")
            warn(list_shadowed(config_dir))
            for folder in reversed(list_folders(config_dir)):  # the first one is searched first
                stack.enter_context(find_modules_in(folder))
            stack.enter_context(guard_user_code())
            of_outer = CALLED.set(_name_arguments(bound))
            stack.callback(CALLED.reset, of_outer)
            return function(*bound.args, **bound.kwargs)

    return call


def _name_arguments(bound: inspect.BoundArguments) -> Mapping[str, Any]:
    bound = inspect.BoundArguments(bound.signature, bound.arguments.copy())
    bound.apply_defaults()
    return bound.arguments


def list_arguments(**resolved: Any) -> Mapping[str, Any]:
    """Return the arguments of the function that was called, for a record.

    Args:
        resolved: what takes the place of some of them.
    """
    return {**CALLED.get(), **resolved}


def fit_values(function: Callable[..., Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Convert values to the types of a function's parameters.

    Raises:
        ConfigError: a value of the wrong type.
    """
    types = parameter_types(function)
    try:
        return {name: fit(value, types[name], name) for name, value in values.items()}
    except OptionError as error:
        raise ConfigError(str(error)) from None


@functools.cache
def parameter_types(function: Callable[..., Any]) -> Mapping[str, Any]:
    """Return the type of each parameter of a function, and of its result as ``return``.

    Raises:
        TypeError: a parameter without a type.
    """
    types = get_type_hints(inspect.unwrap(function))
    for name in inspect.signature(function).parameters:
        if name not in types:
            raise TypeError(f"{function.__name__}: write the type of {name}, such as {name}: int")
    return types


def resolve_engine(engine: str | AnyEngine, config_dir: ConfigDir = None) -> AnyEngine:
    """Return an engine by its name, or the engine itself."""
    if not isinstance(engine, str):
        return engine
    config = compose_group("engine", engine, config_dir)
    resolved: AnyEngine = fit_values(resolve_engine, {"engine": config})["engine"]
    return resolved


def make_grouping(by: str | Path) -> Grouping:
    """Return how pairs are divided into buckets; see `Grouping.of`."""
    from bamboo.scoring.buckets import Grouping  # most calls have none

    return Grouping.of(by)
