"""What changes the digest of a kernel, and what does not."""

from collections import namedtuple
from typing import NamedTuple

import numpy as np
import pytest
from numba import from_dtype, typeof, types

from metrics.alignment import climb, exact, hillclimb
from metrics.compiled import compiled, inlined, inner
from metrics.compiled.kernel_digest import describe_argument, kernel_digest
from metrics.features.wlk import label_products

SOURCE = """
import math
import numpy as np

SCALE = 2.0
TABLE = np.array([1, 2, 3])
NAMES = ("a", "b")

@compiled
def called(x):
    return x * SCALE + TABLE[0] + len(NAMES)

def kernel(x, y=1):
    total = called(x)
    if x in (1, 2):
        total = math.floor(total) + np.sqrt(y)
    return total if total > 0 else np.inf
"""


def digest(source=SOURCE):
    names = {"compiled": compiled, "__name__": "module", "__file__": __file__}
    exec(compile(source, __file__, "exec"), names)
    return kernel_digest(compiled(names["kernel"]))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("SCALE = 2.0", "SCALE = 2.5"),
        ("SCALE = 2.0", "SCALE = 2"),  # another type
        ("[1, 2, 3]", "[1, 2, 4]"),
        ("[1, 2, 3]", "[1, 2, 3], dtype=np.int32"),
        ('("a", "b")', '("a", "c")'),
        ("x * SCALE", "x / SCALE"),
        ("x in (1, 2)", "x in (1, 3)"),
        ("total > 0 ", "total > 0.0 "),
        ("y=1", "y=2"),
        ("math.floor", "math.ceil"),
        ("np.inf", "np.pi"),
        ("np.sqrt", "np.exp"),
    ],
)
def test_a_change_of_code_or_constants_changes_the_digest(old, new):
    assert SOURCE.count(old) == 1
    assert digest(SOURCE.replace(old, new)) != digest()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("import math", "# comment\n\nimport math"),
        ("    total = called(x)\n", "    '''Docstring.'''\n    total = called(x)  # comment\n"),
        ("def kernel(x, y=1)", "def kernel(x, y = 1)"),
        ("SCALE = 2.0", "SCALE = 1.0 + 1.0\nUNUSED = 3"),
    ],
)
def test_other_changes_do_not_change_the_digest(old, new):
    assert SOURCE.count(old) == 1
    assert digest(SOURCE.replace(old, new)) == digest()


def test_options_of_the_compiler_are_part_of_it():
    names = {"__name__": "module"}
    exec("def kernel(x):\n    return x", names)
    digests = {kernel_digest(kind(names["kernel"])) for kind in (compiled, inner, inlined)}
    assert len(digests) == 3


def test_recursion_ends():
    names = {"compiled": compiled, "__name__": "module"}
    exec("@compiled\ndef kernel(n):\n    return n * kernel(n - 1) if n > 1 else 1", names)
    assert kernel_digest(names["kernel"]) == kernel_digest(names["kernel"])


def test_a_global_that_cannot_be_described_is_an_error():
    with pytest.raises(TypeError, match=r"module\.kernel uses the global SCALE, a object"):
        digest("SCALE = object()\ndef kernel(x):\n    return SCALE")


def test_a_constant_changes_the_kernels_that_use_it_and_no_others(monkeypatch):
    kernels = [
        exact._solve_all,
        hillclimb._climb_all,
        climb.climb,
        exact._fix_pair,
        label_products,
    ]
    before = [kernel_digest(kernel) for kernel in kernels]
    monkeypatch.setattr(climb, "SMALLEST_GAIN", 1e-8)
    after = [kernel_digest(kernel) for kernel in kernels]
    assert [a != b for a, b in zip(before, after, strict=True)] == [True, True, True, False, False]


class Columns(NamedTuple):
    first: np.ndarray
    second: np.ndarray


def test_a_tuple_argument_is_described_with_its_fields():
    array = types.Array(types.int64, 1, "C")
    one = types.NamedTuple((array, array), Columns)
    other = types.NamedTuple((array, array), namedtuple("Columns", ["second", "first"]))
    assert describe_argument(one) != describe_argument(other)
    nested = [types.Tuple((kind, array)) for kind in (one, other)]
    assert describe_argument(nested[0]) != describe_argument(nested[1])
    assert describe_argument(typeof(1)) != describe_argument(typeof(1.0))
    record = from_dtype(np.dtype([("price", np.float64)]))
    renamed = from_dtype(np.dtype([("profit", np.float64)]))
    assert describe_argument(record) != describe_argument(renamed)
