"""Declarations of kernels against the C sources, and the check of arrays."""

import copy
import importlib
import pickle
import re
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest

import amr_metrics
import bamboo.training
from amr_metrics import Pair, WordVectors, WWLKTheta, parse_graph
from amr_metrics.errors import KernelError
from amr_metrics.kernels import build, library
from amr_metrics.kernels.library import declare_kernel
from amr_metrics.reading import scanner_kernels
from amr_metrics.transport.flow import CostBatch

SOURCES = sorted(build.FOLDER.glob("*.[ch]"))
PYTHON = [*amr_metrics.__path__, *bamboo.training.__path__]
# The modules of the named tuples that kernels take.
STRUCTS = {
    "Bases": "transport.flow",
    "Buffers": "transport.propagation",
    "CostBatch": "transport.flow",
    "Grams": "transport.propagation",
    "GraphTable": "graphs.encoding",
    "LastTrees": "transport.last_trees",
    "MessageTable": "transport.encoding",
    "Neighbours": "alignment.large",
    "NodeValues": "transport.last_trees",
    "ProblemBatch": "alignment.workspace",
    "Scratch": "transport.encoding",
    "WeightedPairs": "transport.edge_weights",
}

group_rows = declare_kernel("group_rows")


def arguments(**changed):
    a = np.array([4, 4, 5])
    values = {"graphs": 1, "rows": 3, "slots": 8, "start": np.array([0, 3]), "a": a, "b": a, "c": a}
    outputs = {"memory": np.empty(24, np.int64), "groups": np.empty(3, np.int64)}
    return (values | outputs | {"first": np.empty(3, bool)} | changed).values()


def test_a_kernel_writes_to_its_outputs():
    groups = np.empty(3, np.int64)
    assert group_rows(*arguments(groups=groups, rows=np.int64(3))) is None
    assert groups.tolist() == [0, 0, 1]


def test_inputs_may_be_read_only():
    a = np.array([4, 4, 5])
    a.flags.writeable = False
    group_rows(*arguments(a=a))


def test_inputs_of_bytes():
    text, joined = b"ab cd", np.empty(6, np.uint8)
    begins, lengths = np.array([3, 0]), np.array([2, 2])
    scanner_kernels._join_parts(5, 2, 6, text, begins, lengths, joined)
    assert joined.tobytes() == b"cd\nab\n"
    with pytest.raises(KernelError, match=r"data: expected .* uint8 array of shape \(4,\)"):
        scanner_kernels._join_parts(4, 2, 6, text, begins, lengths, joined)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"a": np.zeros(3, np.int32)}, "int64 array of shape (3,), got int32 of shape (3,)"),
        ({"a": np.zeros(2, np.int64)}, "of shape (3,), got int64 of shape (2,)"),
        ({"a": np.zeros((3, 1), np.int64)}, "of shape (3,), got int64 of shape (3, 1)"),
        ({"a": np.zeros(6, np.int64)[::2]}, "got non-contiguous int64"),
        ({"a": [4, 4, 5]}, "a: expected a contiguous int64 array of shape (3,), got list"),
        ({"memory": np.zeros(23, np.int64)}, "group_rows: memory: expected a contiguous writable"),
        ({"groups": np.broadcast_to(np.int64(0), 3)}, "got non-contiguous read-only int64"),
    ],
)
def test_arrays_of_another_kind_are_refused(changed, message):
    with pytest.raises(KernelError, match=re.escape(message)):
        group_rows(*arguments(**changed))


def test_outputs_must_be_writable():
    groups = np.zeros(3, np.int64)
    groups.flags.writeable = False
    with pytest.raises(KernelError, match="got read-only int64"):
        group_rows(*arguments(groups=groups))


def test_each_kernel_is_declared_once():
    modules = [path for folder in PYTHON for path in Path(folder).rglob("*.py")]
    declared = [
        name
        for path in modules
        for name in re.findall(r'^\w+ = declare_kernel\("(\w+)"\)$', path.read_text(), re.MULTILINE)
    ]
    assert sorted(declared) == sorted(library.read_declarations().kernels)
    text = "\n".join(path.read_text() for path in SOURCES)
    assert len(declared) == len(re.findall(r"^EXPORT \w+ \w+\(", text, re.MULTILINE))


def test_a_struct_has_the_members_of_its_named_tuple():
    for name, module in STRUCTS.items():
        fields = getattr(importlib.import_module(f"amr_metrics.{module}"), name)._fields
        members = re.findall(r"(\w+)[,;]", library.read_declarations().structs[name])
        assert members == list(fields), name


def test_a_struct_that_is_packed_once_is_passed_like_its_object():
    batch = CostBatch(np.array([[1, 2]]), np.array([0.25, 0.5]), np.zeros(1, np.int64))
    packed = library.pack_struct("CostBatch", batch)
    assert packed.value is batch
    pass_struct = library._build_struct_pass("CostBatch")
    assert pass_struct(batch, None) == packed.content == pass_struct(packed, None)
    assert struct.unpack("3P", packed.content) == tuple(part.ctypes.data for part in batch)
    for copied in (copy.deepcopy(packed), pickle.loads(pickle.dumps(packed))):
        assert copied.content == pass_struct(copied.value, None) != packed.content
    with pytest.raises(AttributeError):  # it is packed for another struct
        library._build_struct_pass("Bases")(packed, None)
    with pytest.raises(KernelError, match=r"CostBatch\.costs: .* float64 array, got float32"):
        library.pack_struct("CostBatch", batch._replace(costs=np.zeros(2, np.float32)))


def test_structs_within_a_struct_take_the_place_of_their_members():
    pair = Pair(*[parse_graph("(a / b :c (d / e))")] * 2)
    metric = WWLKTheta(weights={":c": 0.5}, vectors=WordVectors.of({"b": [1.0]}))
    prepared = metric.prepare([pair])
    parts = prepared.weighted[:7]
    inner = [library.pack_struct(type(part).__name__, part).content for part in parts]
    assert prepared.packed.content.startswith(b"".join(inner))
    assert len(prepared.packed.content) == 8 * (sum(map(len, parts)) + len(prepared.weighted) - 7)


def test_the_sources_have_no_warnings():
    compiler = build.find_compiler()
    if compiler is None:
        pytest.skip("needs a C compiler")
    flags = ["-std=c11", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
    files = [str(path) for path in SOURCES if path.suffix == ".c"]
    done = subprocess.run([*compiler, *flags, *files], capture_output=True, text=True)
    assert not done.returncode, done.stderr
