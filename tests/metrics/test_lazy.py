"""Public names that are imported from their modules on demand."""

import pkgutil
import subprocess
import sys
from importlib import import_module

import pytest

PACKAGES = ("metrics", "metrics.camr")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_found_and_none_is_a_module(package):
    module = import_module(package)
    for name in module.__all__:
        assert getattr(module, name) is not None
        assert name in dir(module)
    modules = {found.name for found in pkgutil.iter_modules(module.__path__)}
    assert not modules & set(module.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = module.nothing


def test_names_import_only_their_own_modules():
    code = (
        "import sys, metrics.camr; from metrics.camr import CamrGraph;"
        "print([name for name in sys.modules if name.startswith('metrics.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "metrics.camr.graph" in done.stdout
    assert "metrics.alignment" not in done.stdout
    assert "metrics.camr.subscoring" not in done.stdout
