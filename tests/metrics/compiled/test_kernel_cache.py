"""When kernels are compiled again, observed in new processes on a small package of kernels."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[3]
FILES = {
    "__init__.py": "",
    "inner.py": """
from metrics.compiled import inner

@inner
def worth(x):
    return 2.0 * x
""",
    "other.py": """
from metrics.compiled import compiled

@compiled
def unrelated(x):
    return x - 1.0
""",
    "outer.py": """
from typing import NamedTuple
import numpy as np
from metrics.compiled import compiled
from kernels.inner import worth

BONUS = 100.0

class Table(NamedTuple):
    first: np.ndarray
    second: np.ndarray

@compiled
def total(table):
    '''Add up.'''
    value = BONUS
    for x in table.first:
        value += worth(x)
    return value
""",
}
PROGRAM = """
import json, sys
import numpy as np
from kernels.other import unrelated
from kernels.outer import Table, total

def compilations(kernel):
    return sum(kernel.stats.cache_misses.values())

value = total(Table(first=np.array([1.0, 2.0]), second=np.array([10.0])))
unrelated(1.0)
print(json.dumps([value, compilations(total), compilations(unrelated)]))
"""


def write_package(parent):
    """The folder of the small package."""
    folder = parent / "kernels"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def package(tmp_path):
    return write_package(tmp_path)


@pytest.fixture(scope="module")
def compiled_once(tmp_path_factory):
    """A package whose kernels a process has compiled, and a copy of its folder."""
    parent = tmp_path_factory.mktemp("compiled") / "package"
    parent.mkdir()
    package = write_package(parent)
    assert run(package) == [106.0, 1, 1]
    return package, shutil.copytree(parent, parent.with_name("copy"))


@pytest.fixture
def compiled_package(compiled_once):
    """The folder of the package as it was after its kernels were compiled."""
    package, copy = compiled_once
    shutil.rmtree(package.parent)
    shutil.copytree(copy, package.parent)
    return package


def edit(file, old, new):
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))


def start(package, **environment):
    return subprocess.Popen(
        [sys.executable, "-B", "-c", PROGRAM],
        env={
            **{name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"},
            "PYTHONPATH": os.pathsep.join([str(package.parent), str(REPOSITORY)]),
            "NUMBA_CACHE_DIR": str(package.parent / "cache"),
            **environment,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def output(process):
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return json.loads(out), err


def run(package, **environment):
    """The value of ``total``, and how often ``total`` and ``unrelated`` were compiled."""
    return output(start(package, **environment))[0]


def test_a_second_process_compiles_nothing(compiled_package):
    assert run(compiled_package) == [106.0, 0, 0]


def test_comments_docstrings_and_other_functions_compile_nothing(compiled_package):
    for name in FILES:
        path = compiled_package / name
        path.write_text("# A comment that moves all lines.\n\n" + path.read_text())
    edit(compiled_package / "outer.py", "'''Add up.'''", "'''The sum.'''  # of what?")
    edit(
        compiled_package / "inner.py", "return 2.0 * x", "return (\n        2.0 * x  # twice\n    )"
    )
    edit(compiled_package / "other.py", "@compiled", "def plain():\n    return 0\n\n@compiled")
    assert run(compiled_package) == [106.0, 0, 0]


@pytest.mark.parametrize(
    ("file", "old", "new", "value"),
    [
        pytest.param("outer.py", "value += worth(x)", "value -= worth(x)", 94.0, id="own code"),
        pytest.param("inner.py", "return 2.0 * x", "return 3.0 * x", 109.0, id="called kernel"),
        pytest.param("outer.py", "BONUS = 100.0", "BONUS = 200.0", 206.0, id="constant"),
        pytest.param(
            "outer.py",
            "    first: np.ndarray\n    second: np.ndarray",
            "    second: np.ndarray\n    first: np.ndarray",
            106.0,
            id="order of the fields of an argument",
        ),
    ],
)
def test_only_dependent_kernels_are_compiled_again_after_a_change(
    compiled_package, file, old, new, value
):
    path = compiled_package / file
    original = path.stat()
    edit(path, old, new)
    os.utime(path, ns=(original.st_atime_ns, original.st_mtime_ns))
    assert run(compiled_package) == [value, 1, 0]
    edit(path, new, old)
    assert run(compiled_package) == [106.0, 0, 0]  # the first version is still cached


def test_processes_that_start_together_find_the_same_value(package):
    processes = [start(package) for _ in range(3)]
    assert [output(process)[0][0] for process in processes] == [106.0] * 3
    assert run(package) == [106.0, 0, 0]
    assert not list((package.parent / "cache").rglob("*.tmp"))


def test_a_damaged_file_is_compiled_again(compiled_package):
    files = list((compiled_package.parent / "cache").rglob("*outer.total*.nbc"))
    assert len(files) == 1
    files[0].write_bytes(files[0].read_bytes()[:100])
    assert run(compiled_package) == [106.0, 1, 0]
    assert run(compiled_package) == [106.0, 0, 0]


def test_damaged_machine_code_is_not_run(compiled_package):
    (file,) = (compiled_package.parent / "cache").rglob("*outer.total*.nbc")
    whole = file.read_bytes()
    for at in (40, len(whole) // 2, len(whole) - 9):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert run(compiled_package) == [106.0, 1, 0]


def test_the_next_folder_is_used_if_one_cannot_be_written(package):
    (package.parent / "cache").write_text("a file, not a folder")
    assert run(package) == [106.0, 1, 1]
    assert list((package / "__pycache__").glob("kernels.outer.total*.nbc"))
    assert run(package) == [106.0, 0, 0]


def test_without_any_folder_kernels_work_with_a_warning(package):
    for name in ("cache", "kernels/__pycache__", "home"):
        (package.parent / name).write_text("a file, not a folder")
    home = str(package.parent / "home")
    for _ in range(2):
        values, warnings = output(start(package, HOME=home, XDG_CACHE_HOME=home))
        assert values == [106.0, 1, 1]
        assert "set NUMBA_CACHE_DIR" in warnings
