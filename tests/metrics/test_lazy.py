"""Public names that are imported from their modules on demand."""

import pkgutil
import subprocess
import sys

import pytest


def test_names_import_only_their_own_modules():
    code = (
        "import sys; from metrics import Graph;"
        "print([name for name in sys.modules if name.startswith('metrics.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "metrics.graphs.graph" in done.stdout
    assert "metrics.alignment" not in done.stdout


@pytest.mark.parametrize("name", ["metrics.sif.SIF", "metrics.wordllama.WordLlama"])
def test_names_of_classes_in_yaml(name):
    assert pkgutil.resolve_name(name).__module__.startswith("metrics.vectors.")
