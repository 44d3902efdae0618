"""A package ``metrics`` of the user's own must not be imported in place of the project's."""

import os
import subprocess
import sys

import pytest

from bamboo.installation import PACKAGE
from metrics.version import VERSION


def bamboo(folder, *options, path=None):
    """``python -m bamboo --version`` in a folder; `path` comes first in PYTHONPATH."""
    entries = [str(entry) for entry in (path, PACKAGE.parent) if entry is not None]
    return subprocess.run(
        [sys.executable, *options, "-m", "bamboo", "--version"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(entries)},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture(params=["metrics.py", "metrics/__init__.py"])
def other(request, tmp_path):
    """A module or a package ``metrics`` in a folder."""
    path = tmp_path / str(request.param)
    path.parent.mkdir(exist_ok=True)
    path.write_text("accuracy = 1.0\n", "utf-8")
    return path.parent if path.name == "__init__.py" else path


def test_another_metrics_in_the_working_directory_is_a_one_line_error(other):
    done = bamboo(other.parent)
    assert done.returncode == 1
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: {other} is imported instead of bamboo's own package metrics")
    assert "Use the command bamboo" in line


def test_python_that_does_not_search_the_working_directory_runs(other):
    done = bamboo(other.parent, "-P")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"bamboo {VERSION}\n")


def test_another_metrics_in_pythonpath_is_named_with_its_folder(other, tmp_path_factory):
    done = bamboo(tmp_path_factory.mktemp("work"), path=other.parent)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert f"Python searches {other.parent} first. Rename {other.name}" in line


def test_folders_that_are_no_packages_hide_nothing(tmp_path):
    (tmp_path / "metrics").mkdir()
    (tmp_path / "bamboo").mkdir()
    done = bamboo(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"bamboo {VERSION}\n")


def test_the_python_api_names_another_metrics(other):
    done = subprocess.run(
        [sys.executable, "-c", "import bamboo; print('imported'); bamboo.run"],
        cwd=other.parent,
        env=os.environ | {"PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout == "imported\n"
    assert f"ImportError: {other} is imported instead of bamboo's own package" in done.stderr


def test_a_script_beside_another_metrics_says_which_file_to_rename(other):
    script = other.parent / "evaluate.py"
    script.write_text("import bamboo\nbamboo.score('(c / cat)', '(c / cat)')\n", "utf-8")
    done = subprocess.run(
        [sys.executable, script.name],
        cwd=other.parent,
        env=os.environ | {"PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    error = done.stderr.splitlines()[-1]
    assert "Python searches the folder of evaluate.py first" in error
    assert error.endswith(f"Rename {other.name}, or move it to another folder")
