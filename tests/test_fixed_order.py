"""Operations whose last bits depend on the processor are used only where it does not matter.

`@` and its relatives call a BLAS, whose order of sums depends on the processor; exponentials,
logarithms and powers have variants for processors (docs/reproducibility.md). Instead: sums of
products, `bamboo.statistics.sums`, `amr_metrics.utils.elementary` and `np.square`.
"""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from amr_metrics.kernels.build import list_sources

ROOT = Path(__file__).parents[1]
FUNCTIONS = {
    *("dot", "vdot", "vecdot", "matmul", "inner", "tensordot", "corrcoef", "cov", "linalg"),
    *("exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "power", "float_power", "pow"),
    *("tanh", "sinh", "cosh", "sin", "cos", "tan", "erf", "erfc", "gamma", "lgamma", "cbrt"),
    *("hypot", "stdtr"),
}
MODULES = {"np", "numpy", "math", "scipy.special"}
ALLOWED = {
    # Products of whole numbers are exact.
    "bamboo/published_tables/preference_tables.py": Counter({"@": 1}),
    "metrics/amr_metrics/alignment/facts.py": Counter({"@": 1}),
    "metrics/amr_metrics/alignment/matches.py": Counter({"@": 2}),
    "metrics/amr_metrics/documents/ancast_alignment.py": Counter({"@": 1}),
    # Sums without rounding errors.
    "bamboo/statistics/sums.py": Counter({"@": 2}),
    # Norms of rows are sums over an axis, which NumPy adds itself.
    "metrics/amr_metrics/text/cosine.py": Counter({"linalg": 1}),
    # Marks on axes, with few digits.
    "bamboo/pages/charts.py": Counter({"log10": 3, "**": 5}),
    # What the documentation names: weights of SciPy's search, p-values of z and of Williams' tests.
    "bamboo/training/correlation.py": Counter({"@": 9, "**": 3}),
    "bamboo/parsers/systems.py": Counter({"erfc": 1}),
    "bamboo/statistics/classic.py": Counter({"stdtr": 1}),
}


def list_operations(tree):
    """Yield the operations of a module whose results may depend on the processor."""
    for node in ast.walk(tree):
        match node:
            case ast.BinOp(op=ast.MatMult()) | ast.AugAssign(op=ast.MatMult()):
                yield "@"
            case ast.BinOp(ast.Constant(), ast.Pow(), ast.Constant()):
                pass  # computed when the module is compiled
            case ast.BinOp(op=ast.Pow()) | ast.AugAssign(op=ast.Pow()):
                yield "**"
            case ast.Attribute(attr="dot"):
                yield "dot"
            case ast.Attribute(ast.Name(module), name):
                if module in MODULES and name in FUNCTIONS:
                    yield name
            case ast.ImportFrom(module, names):
                if module in MODULES:
                    yield from (name.name for name in names if name.name in FUNCTIONS)
            case ast.Call(ast.Name("pow")):
                yield "pow"


def test_kernels_call_functions_without_variants_only():
    """Of math.h, those that IEEE 754 defines to the last bit."""
    for path in list_sources():
        called = set(re.findall(r"\b([a-z]\w*?)f?\(", path.read_text("utf-8")))
        assert not called & (FUNCTIONS | {"fma"}), path.name


@pytest.mark.parametrize("folder", ["bamboo", "metrics"])
def test_sums_have_a_fixed_order(folder):
    found = {
        path.relative_to(ROOT).as_posix(): Counter(
            list_operations(ast.parse(path.read_text("utf-8")))
        )
        for path in sorted((ROOT / folder).rglob("*.py"))
    }
    allowed = {path: counts for path, counts in ALLOWED.items() if path.startswith(f"{folder}/")}
    assert {path: counts for path, counts in found.items() if counts} == allowed


@pytest.mark.parametrize(
    ("code", "operations"),
    [
        ("a @ b", ["@"]),
        ("a @= b", ["@"]),
        ("a**2", ["**"]),
        ("a **= b", ["**"]),
        ("2**64", []),
        ("np.dot(a, b)", ["dot"]),
        ("a.dot(b)", ["dot"]),
        ("np.linalg.norm(a)", ["linalg"]),
        ("math.exp(a)", ["exp"]),
        ("from math import log, ceil", ["log"]),
        ("pow(a, b)", ["pow"]),
        ("exp(a) + np.square(b).sum() + LOG.log(1)", []),
    ],
)
def test_operations_are_found(code, operations):
    assert [*list_operations(ast.parse(code))] == operations
