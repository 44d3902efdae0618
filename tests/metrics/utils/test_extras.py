"""Extras: what is missing is named with the command that installs it."""

import importlib.util
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from amr_metrics.errors import VectorError
from amr_metrics.utils.extras import MODULES, describe_lacking, installation
from amr_metrics.vectors import VectorSource

PROJECT = tomllib.loads(Path(__file__).parents[3].joinpath("pyproject.toml").read_text("utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
distributions = cache(packages_distributions)  # reads the list of files of every package


def hide(monkeypatch, module):
    """Make a module look as if it were not installed."""
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == module else find(name)
    )


@pytest.mark.parametrize("extra", MODULES)
def test_the_modules_are_those_of_the_extra(extra):
    declared = {requirement.split(">")[0].lower() for requirement in EXTRAS[extra]}
    assert {*MODULES[extra]} == declared
    for module in MODULES[extra]:
        if module in (packages := distributions()):
            assert module in {d.lower() for d in packages[module]}


@pytest.mark.parametrize("extra", MODULES)
def test_a_missing_package_is_named_with_the_command(monkeypatch, extra):
    module = MODULES[extra][-1]
    hide(monkeypatch, module)
    for installed in MODULES[extra][:-1]:
        pytest.importorskip(installed)
    problem = describe_lacking(extra, "the things")
    assert problem is not None
    assert problem.startswith(f"the things need the package {module}")
    assert problem.endswith(f"pip install 'bamboo-amr[{extra}]'")


def test_all_has_every_extra_but_tools():
    (everything,) = EXTRAS["all"]
    named = everything.partition("[")[2].rstrip("]").split(",")
    of_blend = EXTRAS["blend"][0].partition("[")[2].rstrip("]").split(",")
    assert set(EXTRAS) - {*named, *of_blend} == {"all", "dev", "docs"}


class TestVectors:
    def file(self, tmp_path):
        (tmp_path / "vectors.txt").write_text("cat 1 0\ndog 0 1\n")
        return VectorSource(file=tmp_path / "vectors.txt", cache=tmp_path / "cache", dimension=2)

    def test_without_gensim(self, monkeypatch, tmp_path):
        hide(monkeypatch, "gensim")
        for use in (lambda source: source.digest, lambda source: source.select(["cat"])):
            with pytest.raises(VectorError, match="word vectors need the package gensim") as error:
                use(self.file(tmp_path))
            assert installation("vectors") in str(error.value)

    def test_cached_vectors_need_no_gensim(self, monkeypatch, tmp_path):
        source = self.file(tmp_path)
        source.select(["cat", "dog"])
        hide(monkeypatch, "gensim")
        assert source.digest
        assert source.select(["dog"]).matrix.tolist() == [[0.0, 1.0]]
