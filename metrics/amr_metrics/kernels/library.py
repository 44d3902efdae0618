"""Functions of the C library, called by ctypes; `amr_metrics.kernels` says how to add one."""

from __future__ import annotations

import ctypes
import re
import struct
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from operator import attrgetter, index
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from amr_metrics.errors import KernelError
from amr_metrics.kernels import build

Pass = Callable[[Any, Any], Any]  # from a value and its shape to what ctypes passes to C

# Declarations in the C sources: of kernels, and of structs.
PROTOTYPE = re.compile(r"\nEXPORT (\w+) (\w+)\(([^{;]*)\)\s*\{")
STRUCT = re.compile(r"\ntypedef struct \{([^{}]*)\} (\w+);")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
MEMBER = re.compile(r"(const )?(\w+) (.*)")
PARAMETER = re.compile(r"(const )?(\w+) (\*?)(\w+)((?:\[[^]]+\])*)")
ELEMENTS: dict[str, type[np.generic]] = {
    "bool": np.bool_,
    "uint8_t": np.uint8,
    "int8_t": np.int8,
    "int32_t": np.int32,
    "int64_t": np.int64,
    "uint64_t": np.uint64,
    "float": np.float32,
    "double": np.float64,
}
# Of each C type the type of ctypes, the conversion to a plain number and the format of `struct`.
SCALARS: dict[str, tuple[Any, Callable[[Any], Any], str]] = {
    "bool": (ctypes.c_bool, bool, "?"),
    "int64_t": (ctypes.c_int64, index, "q"),
    "double": (ctypes.c_double, float, "d"),
}
PAUSE = 5_000_000  # steps after which a kernel returns: some hundredths of a second
STATE = 1024  # bytes, as in `pause.h`

RESULTS = {"void": None, **{name: scalar[0] for name, scalar in SCALARS.items()}}

# A buffer takes a fifth of the time of the interfaces that give the address of an array.
_get_buffer: Callable[[Any], Any] = (ctypes.c_char * 0).from_buffer


class Declarations(NamedTuple):
    """What the C sources declare, by name.

    Attributes:
        kernels: the type of the result, and the parameters.
        structs: the members.
    """

    kernels: Mapping[str, tuple[str, str]]
    structs: Mapping[str, str]


@cache
def read_declarations() -> Declarations:
    """Read the declarations of the C sources, which are part of the package."""
    kernels, structs = {}, {}
    for path in build.list_sources():
        text = path.read_text("utf-8")
        for result, name, parameters in PROTOTYPE.findall(text):
            kernels[name] = result, " ".join(parameters.split())
        for members, name in STRUCT.findall(text):
            structs[name] = " ".join(COMMENT.sub("", members).split())
    return Declarations(kernels, structs)


def declare_kernel(name: str) -> Callable[..., Any]:
    """Return a function that calls a kernel, whose prototype is read from the C source.

    Its arguments are those of the kernel. Arrays must have the type and the shape of the
    prototype and be contiguous, those without ``const`` also writable; a parameter without a shape
    takes any. For ``const uint8_t`` they may be `bytes`. For a struct, pass an object with
    attributes of the same names as its members, or the result of `pack_struct`. A struct without
    ``const`` is the state of a kernel that pauses, which is no argument. The library is loaded at
    the first call.

    Raises:
        KernelError: when it is called: an array of another kind; or the library cannot be loaded.
    """
    result, parameters = read_declarations().kernels[name]
    names, passed = [], []
    types: list[Any] = []
    caller = "_call("

    def load_and_call(*arguments: Any) -> Any:
        function = load_library()[name]
        function.restype, function.argtypes = RESULTS[result], types
        scope["_call"] = function
        return function(*arguments)

    scope: dict[str, Any] = {"_call": load_and_call, "_array": np.ndarray, "_buffer": _get_buffer}
    for text in parameters.split(", "):
        const, kind, pointer, parameter, sizes = _match(PARAMETER, text).groups()
        if not const and kind not in {*ELEMENTS, *SCALARS}:  # a state
            types.append(ctypes.c_void_p)
            caller, scope["_run"] = "_run(_call, ", run_to_end
            continue
        names.append(parameter)
        if not (pointer or sizes):
            ctype, scope[f"_pass_{parameter}"], _ = SCALARS[kind]
            types.append(ctype)
            passed.append(f"_pass_{parameter}({parameter})")
            continue
        types.append(ctypes.c_void_p)
        scope[f"_pass_{parameter}"] = _build_pointer_pass(f"{name}: {parameter}", kind, bool(const))
        shape = f"({sizes[1:-1].replace('][', ', ')},)" if sizes else "None"
        check = f"_pass_{parameter}({parameter}, {shape})"
        if kind in ELEMENTS:  # the usual case of `_build_pointer_pass`, without a call
            scope[f"_type_{parameter}"] = np.dtype(ELEMENTS[kind])
            usual = [f"type({parameter}) is _array", f"{parameter}.dtype is _type_{parameter}"]
            usual += [f"{parameter}.shape == {shape}"] if sizes else []
            usual += [f"{parameter}.flags.carray"]
            check = f"_buffer({parameter}) if {' and '.join(usual)} else {check}"
        passed.append(check)
    # One expression binds and passes the arguments: a loop over them takes longer.
    call = eval(f"lambda {', '.join(names)}: {caller}{', '.join(passed)})", scope)
    call.__name__ = name
    return cast(Callable[..., Any], call)


def run_to_end(function: Callable[..., bool], *arguments: Any) -> None:
    """Call a kernel that pauses until it is finished.

    Between two calls, Ctrl-C raises KeyboardInterrupt. The kernel owns nothing else than its state
    and the arguments.
    """
    state = (ctypes.c_int64 * (STATE // 8))()
    finished = False
    while not finished:
        state[0] = PAUSE
        finished = function(state, *arguments)


class PackedStruct(NamedTuple):
    """A struct in memory, to be passed many times.

    Attributes:
        name: of the struct.
        content: its members.
        value: the object with the arrays, which are kept.
    """

    name: str
    content: bytes
    value: Any

    def __reduce__(self) -> tuple[Any, ...]:
        return pack_struct, (self.name, self.value)  # copies of the arrays have other addresses


def pack_struct(name: str, value: Any) -> PackedStruct:
    """Check and pack a struct now instead of at each call of a kernel.

    Args:
        name: of the struct.
        value: an object with attributes of the same names as its members.

    Raises:
        KernelError: an array of another kind.
    """
    return PackedStruct(name, _build_struct_pass(name)(value, None), value)


@cache
def _build_struct_pass(name: str) -> Pass:
    """Return the function that passes a struct."""
    names, passes, formats = zip(*_list_members(name), strict=True)
    pack, getters = struct.Struct("@" + "".join(formats)).pack, [*map(attrgetter, names)]

    def pass_struct(value: Any, shape: None) -> bytes:
        if type(value) is PackedStruct and value.name == name:
            return value.content
        return pack(*[p(get(value), None) for p, get in zip(passes, getters, strict=True)])

    return pass_struct


def _list_members(struct_name: str) -> Iterator[tuple[str, Pass, str]]:
    """Yield the name, conversion and format of each member: pointers to arrays, and numbers.

    Members that are structs are replaced by their own members.
    """
    structs = read_declarations().structs
    for line in structs[struct_name].rstrip(";").split("; "):
        const, kind, rest = _match(MEMBER, line).groups()
        for member in rest.split(", "):
            name = member.lstrip("*")
            if member.startswith("*"):
                text = f"{struct_name}.{name}"
                yield name, _build_pointer_pass(text, kind, bool(const), address=True), "P"
            elif kind in structs:
                for inner, convert, code in _list_members(kind):
                    assert code != "?", f"{struct_name}.{name}: padding is not supported"
                    yield f"{name}.{inner}", convert, code
            else:
                yield name, _number(kind), SCALARS[kind][2]


def _match(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    match = pattern.fullmatch(text)
    assert match is not None, f"not understood: {text!r}"
    return match


def _number(kind: str) -> Pass:
    convert = SCALARS[kind][1]
    return lambda value, shape: convert(value)


def _build_pointer_pass(name: str, kind: str, const: bool, address: bool = False) -> Pass:
    """Return the function that passes an array or a struct.

    Args:
        name: for messages.
        kind: the C type of the elements, or a struct.
        const: whether C only reads the elements.
        address: whether to pass an integer.
    """
    if kind not in ELEMENTS:
        assert const, f"{name}: structs are passed by a const pointer"
        return _build_struct_pass(kind)
    dtype = np.dtype(ELEMENTS[kind])
    takes_bytes = const and dtype == np.uint8 and not address

    def pass_array(array: Any, shape: tuple[int, ...] | None) -> Any:
        if takes_bytes and type(array) is bytes and shape in (None, (len(array),)):
            return array
        if (
            isinstance(array, np.ndarray)
            and array.dtype == dtype
            and (shape is None or array.shape == shape)
        ):
            flags = array.flags
            if flags.carray:  # contiguous, aligned and writable
                buffer = _get_buffer(array)
                return ctypes.addressof(buffer) if address else buffer
            if const and flags.c_contiguous and flags.aligned:
                pointer = array.__array_interface__["data"][0]
                return pointer if address else ctypes.c_void_p(pointer)
        raise KernelError(_describe_mismatch(name, array, dtype, shape, const))

    return pass_array


def _describe_mismatch(
    name: str, array: Any, dtype: np.dtype[Any], shape: tuple[int, ...] | None, const: bool
) -> str:
    expected = f"a contiguous {'' if const else 'writable '}{dtype} array"
    expected += "" if shape is None else f" of shape {tuple(map(int, shape))}"
    if not isinstance(array, np.ndarray):
        return f"{name}: expected {expected}, got {type(array).__name__}"
    kind = "" if array.flags.c_contiguous else "non-contiguous "
    kind += "" if array.flags.writeable else "read-only "
    return f"{name}: expected {expected}, got {kind}{array.dtype} of shape {array.shape}"


@cache
def load_library(folder: Path = build.FOLDER) -> ctypes.CDLL:
    """Load the library; in a checkout, build it first if it is missing, damaged or outdated.

    Raises:
        KernelError: it cannot be built or loaded.
    """
    is_checkout = build.is_checkout(folder)
    problem = f"there are none for {build.name_machine()} and the present sources"
    for path in _provide_libraries(folder, is_checkout):
        try:
            library = ctypes.CDLL(str(path))
        except OSError as error:  # such as that of another C library
            problem = str(error)
            continue
        if is_checkout:
            build.remove_older(path)
        return library
    raise KernelError(f"the compiled kernels cannot be loaded: {problem}; install bamboo-amr again")


def _provide_libraries(folder: Path, is_checkout: bool) -> Iterator[Path]:
    """Yield the libraries to try in turn, in a checkout at last a new one."""
    yield from build.find_libraries(folder, check_content=is_checkout)
    if is_checkout:
        try:
            if compiler := build.find_compiler():
                name = "zig" if "ziglang" in compiler else Path(compiler[0]).name
                print(f"compiling the kernels of amr_metrics with {name}, once", file=sys.stderr)
            yield build.build_library(folder)
        except build.BuildError as error:
            raise KernelError(str(error)) from None
