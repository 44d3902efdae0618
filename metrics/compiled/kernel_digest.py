"""What the machine code of a kernel depends on, as one digest.

Numba compiles the bytecode of a kernel and of the kernels that it calls, with the values of the
global names that they use. The digest covers these, the compiler's options, and the versions of
Python, Numba and NumPy. Comments, docstrings, annotations and the position in the file are not part
of it.
"""

from __future__ import annotations

import builtins
import dis
import enum
import functools
import hashlib
import sys
from collections.abc import Callable, Iterator, Mapping
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.core.dispatcher import Dispatcher

ATTRIBUTE_ACCESS = ("LOAD_ATTR", "LOAD_METHOD")
LIBRARIES = ("numba", "numpy")  # their functions are identified by name and by library version

Function = Any  # a compiled function (Dispatcher) or a plain one
Description = Any  # nested tuples of strings and numbers; different values have different `repr`s


def kernel_digest(kernel: Function) -> str:
    """A digest of all that determines a kernel's machine code, apart from the argument types.

    Args:
        kernel: the compiled function.

    Raises:
        TypeError: it, or a kernel that it calls, uses a global value of a kind that cannot be
            described.
    """
    descriptions: list[Description] = [
        ("versions", sys.implementation.cache_tag, numba.__version__, np.__version__)
    ]
    to_describe, seen = [kernel], {id(kernel)}
    while to_describe:
        description, callees = _describe_function(to_describe.pop())
        descriptions.append(description)
        for callee in callees:
            if id(callee) not in seen:
                seen.add(id(callee))
                to_describe.append(callee)
    return short_digest(descriptions)


def describe_argument(argument: types.Type) -> Description:
    """An argument type; that of a named tuple with its field names, which Numba's name leaves out.

    Numba turns ``table.rows`` into the position of the field, so that another order of the fields
    needs another compilation.
    """
    if isinstance(argument, types.BaseTuple):
        elements = tuple(describe_argument(element) for element in argument)
        return str(argument), getattr(argument, "fields", ()), elements
    return str(argument)


def short_digest(description: Description) -> str:
    """The first 16 hexadecimal digits of a description's SHA-256."""
    return hashlib.sha256(repr(description).encode()).hexdigest()[:16]


def qualified_name(function: Any) -> str:
    """The module and name of a function or class."""
    return f"{function.__module__}.{function.__qualname__}"


def _describe_function(function: Function) -> tuple[Description, list[Function]]:
    """A function without the functions that it calls, and the list of these."""
    options: Mapping[str, object] = {}
    plain = function
    if (dispatcher := _dispatcher(function)) is not None:
        plain, options = dispatcher.py_func, dispatcher.targetoptions
    callees: list[Function] = []
    used = dict(_global_values(plain.__code__, plain.__globals__))
    for name, cell in zip(plain.__code__.co_freevars, plain.__closure__ or (), strict=True):
        used[f"closure {name}"] = cell.cell_contents
    used["defaults"] = (plain.__defaults__, tuple((plain.__kwdefaults__ or {}).items()))
    described = []
    for name, value in sorted(used.items()):
        if _is_own_function(value):
            callees.append(value)
            described.append((name, "function", qualified_name(value)))
        else:
            described.append((name, *_describe_value(value, name, plain)))
    code = _describe_code(plain.__code__, plain.__doc__)
    return (qualified_name(plain), sorted(options.items()), code, described), callees


def _describe_code(code: CodeType, docstring: str | None = None) -> Description:
    """A function's instructions and constants; `docstring` is not one of the constants."""
    constants = [
        _describe_code(constant) if isinstance(constant, CodeType) else _describe_constant(constant)
        for constant in code.co_consts
    ]
    if docstring is not None and code.co_consts and code.co_consts[0] == docstring:
        constants[0] = _describe_constant(None)
    return (
        code.co_code,
        constants,
        (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars),
        (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags),
        code.co_exceptiontable,
    )


def _describe_constant(value: object) -> Description:
    """A constant of the bytecode: a number, a string, None, or a tuple or frozenset of these."""
    if isinstance(value, tuple):
        return "tuple", [_describe_constant(element) for element in value]
    if isinstance(value, frozenset):  # its order differs between processes
        return "frozenset", sorted(repr(_describe_constant(element)) for element in value)
    return type(value).__name__, repr(value)


def _global_values(code: CodeType, names: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """The global values that a function uses; of a module, those of its attributes used."""
    for path, *attributes in _names_used(code):
        if path not in names:
            continue  # built-in functions are among the names that `_describe_code` lists
        value = names[path]
        for attribute in attributes:
            if not isinstance(value, ModuleType):
                break
            path, value = f"{path}.{attribute}", getattr(value, attribute)
        yield path, value


@functools.cache
def _names_used(code: CodeType) -> list[list[str]]:
    """The global names that a function loads, each with the attributes it takes of them."""
    used: list[list[str]] = []
    previous = None  # the name that the last instruction loaded, or an attribute of it
    for instruction in dis.get_instructions(code):
        if instruction.opname == "LOAD_GLOBAL":
            previous = [instruction.argval]
            used.append(previous)
        elif previous and instruction.opname in ATTRIBUTE_ACCESS:
            previous.append(instruction.argval)
        else:
            previous = None
        if isinstance(instruction.argval, CodeType):
            used += _names_used(instruction.argval)
    return used


def _dispatcher(function: object) -> Dispatcher | None:
    """Numba's dispatcher of a kernel (`metrics.compiled.Kernel`) or itself; None for others."""
    target = getattr(function, "target", function)
    return target if isinstance(target, Dispatcher) else None


def _is_own_function(value: object) -> bool:
    """Whether Numba compiles it from bytecode, unlike a library function."""
    if _dispatcher(value) is not None:
        return True
    return isinstance(value, FunctionType) and str(value.__module__).split(".")[0] not in LIBRARIES


def _describe_value(value: Any, name: str, user: Callable[..., object]) -> Description:
    """A global value that `user` uses under `name`."""
    if isinstance(value, enum.Enum):
        return "enum", qualified_name(type(value)), value.name, repr(value.value)
    if value is None or isinstance(value, bool | int | float | complex | str | bytes | np.generic):
        return type(value).__name__, repr(value)
    if isinstance(value, tuple | list):
        elements = [_describe_value(element, name, user) for element in value]
        return qualified_name(type(value)), getattr(value, "_fields", ()), elements
    if isinstance(value, np.ndarray):
        content = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        return "array", repr(value.dtype), value.shape, value.flags.f_contiguous, content
    if isinstance(value, type):
        members = getattr(value, "__members__", {})
        return (
            "class",
            qualified_name(value),
            getattr(value, "_fields", ()),
            [(member, repr(members[member].value)) for member in members],
        )
    if isinstance(value, np.dtype | np.ufunc | types.Type):
        return type(value).__name__, repr(value)
    if isinstance(value, ModuleType):
        return "module", value.__name__
    library = str(getattr(value, "__module__", "")).split(".")[0]
    if isinstance(value, BuiltinFunctionType) or library in (*LIBRARIES, builtins.__name__):
        return "library function", library, getattr(value, "__qualname__", repr(type(value)))
    raise TypeError(
        f"{qualified_name(user)} uses the global {name}, a {type(value).__name__}: kernels can use "
        "numbers, strings, arrays, tuples, classes and functions"
    )
