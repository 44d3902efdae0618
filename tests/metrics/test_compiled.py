"""When kernels are compiled again, observed in new processes on a copy of the package."""

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import amr_metrics
from amr_metrics.compiled import MARK, Kernel, kernel_digest

PACKAGE = Path(amr_metrics.__file__).parent
MODULE = """
from amr_metrics.compiled import compiled

@compiled
def double(k):
    return 2 * k

@compiled
def add(k):
    return double(k) + 0
"""
PROGRAM = """
import json
from amr_metrics.example import add, double

value = add(double(0))
misses = [kernel.target.stats.cache_misses for kernel in (double, add)]
print(json.dumps([value, sum(sum(counts.values()) for counts in misses)]))
"""
OLD, NEW = "+ 0", "+ 10"


@pytest.fixture
def copy(tmp_path):
    """A folder with a copy of the package, and a module with two kernels in it."""
    shutil.copytree(PACKAGE, tmp_path / "amr_metrics", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "amr_metrics/example.py").write_text(MODULE)
    return tmp_path


def start(copy):
    inherited = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    return subprocess.Popen(
        [sys.executable, "-B", "-c", PROGRAM],
        env={**inherited, "PYTHONPATH": str(copy), "NUMBA_CACHE_DIR": str(copy / "cache")},
        cwd=copy,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def output(process):
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return json.loads(out), err


def run(copy):
    """The value of the kernels, and how many were compiled."""
    return output(start(copy))[0]


def test_kernels_are_compiled_again_when_one_of_them_changes(copy):
    assert run(copy) == [0, 2]
    path = copy / "amr_metrics/example.py"
    original = path.read_text()
    assert original.count(OLD) == 1
    path.write_text(original.replace(OLD, NEW))
    assert run(copy) == [10, 2]
    path.write_text(original)
    assert run(copy) == [0, 0]  # the first version is still cached


def test_processes_that_start_together_find_the_same_value(copy):
    processes = [start(copy) for _ in range(2)]
    assert [output(process)[0][0] for process in processes] == [0] * 2
    assert run(copy) == [0, 0]


def test_without_a_folder_kernels_work_with_a_warning(copy):
    (copy / "cache").write_text("a file, not a folder")
    values, warnings = output(start(copy))
    assert values == [0, 2]
    assert "set NUMBA_CACHE_DIR" in warnings


def test_kernels_use_only_names_of_modules_that_the_digest_covers():
    """A constant or a class of any other module could change without a new compilation."""
    covered = {path for path in PACKAGE.rglob("*.py") if MARK in path.read_bytes()}
    assert covered
    for path in covered:
        tree = ast.parse(path.read_text("utf-8"))
        others = {
            alias.asname or alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("amr_metrics.")
            and PACKAGE.parent / f"{str(node.module).replace('.', '/')}.py" not in covered
            for alias in node.names
        } - {"GraphTable", "Bools", "Floats", "Ints"}  # fmt: skip
        others -= {"compiled", "hot", "inlined", "inner"}
        for kernel in tree.body:
            if isinstance(kernel, ast.FunctionDef) and any(
                isinstance(mark, ast.Name) and mark.id in ("compiled", "hot", "inlined", "inner")
                for mark in kernel.decorator_list
            ):
                used = {node.id for node in ast.walk(kernel) if isinstance(node, ast.Name)}
                assert not used & others, f"{path}: {kernel.name}"


def test_the_digest_of_another_package_covers_its_modules_with_kernels(tmp_path):
    with_kernels, other = tmp_path / "kernels.py", tmp_path / "other.py"
    with_kernels.write_text("from amr_metrics.compiled import compiled\n")
    other.write_text("")
    digests = [kernel_digest.__wrapped__(tmp_path)]
    other.write_text("x = 1\n")
    digests.append(kernel_digest.__wrapped__(tmp_path))
    with_kernels.write_text("from amr_metrics.compiled import compiled\nLIMIT = 3\n")
    digests.append(kernel_digest.__wrapped__(tmp_path))
    assert digests[0] == digests[1] != digests[2]


def test_an_interrupt_that_numba_reports_as_another_error_stays_one():
    def interrupted():
        raise SystemError("unpickled a result with an exception set") from KeyboardInterrupt()

    def broken():
        raise SystemError("a defect")

    for function, error in ((interrupted, KeyboardInterrupt), (broken, SystemError)):
        kernel = Kernel(function)
        kernel.target = function
        with pytest.raises(error):
            kernel()
