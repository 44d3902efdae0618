"""Public names that are imported from their modules on demand."""

import pkgutil
import subprocess
import sys

import pytest

import metrics


def test_every_public_name_is_found_and_none_is_a_module():
    for name in metrics.__all__:
        assert getattr(metrics, name) is not None
        assert name in dir(metrics)
    modules = {found.name for found in pkgutil.iter_modules(metrics.__path__)}
    assert not modules & set(metrics.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = metrics.nothing


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
