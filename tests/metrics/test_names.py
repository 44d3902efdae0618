"""Metrics by name: the same as those of the YAML files; every class is exported."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import subprocess
import sys

import penman
import pytest

import amr_metrics
from amr_metrics import Metric, from_penman, parse_graph
from amr_metrics.building import name_target, names, read_member
from amr_metrics.configurations import PARTS, TARGET
from amr_metrics.errors import OptionError
from amr_metrics.standardize import Standardized
from bamboo.config.groups import compose_group, group_names
from bamboo.config.requests import build_named_row

NAMES = group_names("metric")


def test_the_names_are_those_of_the_yaml_files() -> None:
    assert sorted(amr_metrics.names()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_metric_is_the_same_as_that_of_its_yaml_file(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("BAMBOO_VECTORS", "BAMBOO_CACHE_DIR"):
        monkeypatch.delenv(variable, raising=False)
    assert amr_metrics.get(name) == build_named_row(name, name).metric


@pytest.mark.parametrize("group", PARTS)
def test_solvers_and_vectors_by_name(group: str) -> None:
    metric = "smatch" if group == "solver" else "node_match"
    for name in group_names(group):
        part = getattr(amr_metrics.get(metric, **{group: name}), group)
        assert compose_group(group, name)["_target_"] == name_target(type(part))


def classes() -> list[type[Metric]]:
    """The classes of metrics in the package that can be instantiated."""
    metric_classes: set[type[Metric]] = set()
    for module in pkgutil.walk_packages(amr_metrics.__path__, "amr_metrics."):
        for _, member in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            is_metric = issubclass(member, Metric) and member.__module__.startswith("amr_metrics.")
            if is_metric and not inspect.isabstract(member):
                metric_classes.add(member)
    return sorted(metric_classes, key=lambda cls: cls.__name__)


# A base class, and the result of `Standardized.of` for a metric with parameters.
NOT_EXPORTED = {"StandardizedParametric", "TripleMatch"}


def test_every_metric_class_is_exported() -> None:
    listed = {cls.__name__: cls for cls in classes()}
    assert set(listed) - NOT_EXPORTED <= set(amr_metrics.__all__)
    for name in set(listed) - NOT_EXPORTED:
        assert getattr(amr_metrics, name) is listed[name]
    targets = {read_member("metric", name)[TARGET].rpartition(".")[2] for name in names()}
    assert targets <= set(amr_metrics.__all__)
    assert set(listed) >= NOT_EXPORTED


def test_every_exported_name_exists() -> None:
    for name in amr_metrics.__all__:
        assert getattr(amr_metrics, name) is not None
    assert set(amr_metrics.__all__) <= set(dir(amr_metrics))
    with pytest.raises(AttributeError, match="no attribute 'Smacth'"):
        _ = amr_metrics.Smacth  # type: ignore[attr-defined]


def test_options() -> None:
    assert amr_metrics.get("sembleu", k=2, symmetric=True).signature.startswith(
        "SemBleu(symmetric=tr"
    )
    assert amr_metrics.get("smatch", solver="hillclimb") == amr_metrics.Smatch(
        solver=amr_metrics.HillClimb()
    )
    assert amr_metrics.get("sema", standardize="amr") == Standardized.of(amr_metrics.Sema(), "amr")
    assert amr_metrics.get("smatch_1.0", standardize="none") == amr_metrics.SmatchPackage()
    assert amr_metrics.get("smatchpp", standardize="none").signature.count("standardize=none") == 1
    vectors = amr_metrics.VectorSource(file="v.txt")
    assert amr_metrics.get("wwlk", vectors=vectors) == amr_metrics.WWLK(vectors=vectors)
    blend = amr_metrics.get("blend_untrained", vectors=vectors)
    assert isinstance(blend, amr_metrics.Blend)
    assert blend.of["node_match"] == amr_metrics.NodeMatch(vectors=vectors)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("smacth", {}, "unknown metric 'smacth': did you mean 'smatch'?"),
        ("smatch++", {}, "unknown metric 'smatch++': did you mean 'smatchpp'?"),
        ("SmatchPP", {}, "unknown metric 'SmatchPP': did you mean 'smatchpp'?"),
        ("Smatch", {}, "unknown metric 'Smatch': did you mean 'smatch_1_0'?"),
        ("smatch-1.0.4", {}, "unknown metric 'smatch-1.0.4': did you mean 'smatch_1_0'?"),
        ("AnCast++", {}, "unknown metric 'AnCast++': did you mean 'ancast'?"),
        ("chrF", {}, "unknown metric 'chrF': did you mean 'text_chrf'?"),
        ("xyzzy", {}, "unknown metric 'xyzzy'. Use one of: align_smatch, "),
        ("wlk", {"k": 3}, "unknown option of wlk 'k': did you mean 'K'?"),
        ("sembleu", {"varaint": "2019"}, "did you mean 'variant'?"),
        ("wlk", {"K": "3"}, 'metric wlk: K="3": expected an integer'),
        ("wlk", {"K": True}, "metric wlk: K=true: expected an integer"),
        ("s2match", {"tau": "high"}, 'metric s2match: tau="high": expected a number'),
        ("sembleu", {"symmetric": 1}, "metric sembleu: symmetric=1: expected true or false"),
        ("wlk", {"K": -1}, "metric wlk: K=-1"),
        ("smatch", {"root": "non"}, "metric smatch: unknown root 'non': did you mean 'none'?"),
        ("smatch", {"solver": "exakt"}, "metric smatch: unknown solver 'exakt': did you mean"),
        ("wwlk", {"vectors": "glov"}, "metric wwlk: unknown vectors 'glov': did you mean 'glove'"),
        ("sema", {"standardize": "amrr"}, "metric sema: standardize='amrr'"),
        ("blend", {"of": ["smatch"]}, "of=['smatch']: expected a mapping from names to metrics"),
        (
            "blend",
            {"of": {"smatch": 3}},
            "of: smatch: expected a metric, or a mapping with _target_",
        ),
        ("smatch_versions", {}, "metric smatch_versions stands for several: smatch_1_0, smatch_1"),
    ],
)
def test_bad_names_and_options(name: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError) as error:
        amr_metrics.get(name, **options)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


TEXTS = [
    "# ::id 7\n# ::snt A dog barks.\n(b / bark-01 :ARG0 (d / dog :mod (l / loud)))",
    '(d / dog :ARG0-of (b / bark-01 :polarity -) :name (n / name :op1 "Rex"))',
    "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b))",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_graph_of_penman_is_read_like_its_text(text: str) -> None:
    graph = from_penman(penman.decode(text))
    expected = parse_graph(text)
    assert graph == expected
    assert graph.metadata == expected.metadata
    assert graph.inverted == expected.inverted


# Public names are imported from their modules on demand


def test_names_import_only_their_own_modules():
    code = (
        "import sys; from amr_metrics import Graph;"
        "print([name for name in sys.modules if name.startswith('amr_metrics.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "amr_metrics.graphs.graph" in done.stdout
    assert "amr_metrics.alignment" not in done.stdout
