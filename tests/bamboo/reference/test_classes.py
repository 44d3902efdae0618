"""What is read from the source of classes is what the classes are when they are imported."""

from __future__ import annotations

import dataclasses
import pkgutil
from pathlib import Path

import pytest
import yaml

from bamboo.commands.list import metric_facts
from bamboo.config.groups import group_names
from bamboo.config.jobs import compose_metrics
from bamboo.config.metrics import build_metric
from bamboo.conformance import sample_pairs
from bamboo.paths import resource
from bamboo.reference.classes import (
    attributes,
    class_source,
    constant_property,
    documented_options,
    field_annotations,
    fields,
    module_file,
    summary,
)
from bamboo.reference.yaml_files import described
from metrics import Pair, parse_graph
from metrics.base import Metric
from metrics.camr import CamrGraph
from metrics.errors import NoAlignmentError

TARGETS = sorted(
    {
        str(yaml.safe_load((resource("conf") / "metric" / f"{name}.yaml").read_text())["_target_"])
        for name in group_names("metric")
    }
)


@pytest.mark.parametrize("target", [*TARGETS, "metrics.Smatch", "metrics.external.FunctionMetric"])
def test_fields_and_ancestors_are_those_of_the_class(target: str) -> None:
    cls = pkgutil.resolve_name(target)
    source = class_source(target)
    assert source is not None
    names = {field.name for field in dataclasses.fields(cls)}
    assert set(fields(source)) == names == set(field_annotations(source))
    ancestors = {ancestor.node.name for ancestor in source.ancestors}
    assert {base.__name__ for base in cls.__mro__ if base.__module__.startswith("metrics")} <= (
        ancestors
    )


@pytest.mark.parametrize("target", TARGETS)
def test_every_option_of_a_metric_is_documented(target: str) -> None:
    source = class_source(target)
    assert source is not None
    undocumented = set(fields(source)) - set(documented_options(source))
    assert undocumented == set()
    assert summary(source.docstring)


@pytest.mark.parametrize("name", group_names("metric"))
def test_facts_are_those_of_the_metric_that_is_built(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    words = "cat dog sleep eat"
    vectors = tmp_path / "vectors.txt"
    vectors.write_text(
        "\n".join(" ".join([word, *["0.5"] * 99, str(k)]) for k, word in enumerate(words.split()))
    )
    monkeypatch.setenv("BAMBOO_VECTORS", str(vectors))
    monkeypatch.setenv("BAMBOO_CACHE_DIR", str(tmp_path))
    (job,) = compose_metrics([(name, name, {})])
    metric: Metric = build_metric(name, job.metric)
    facts = metric_facts(described(resource("conf") / "metric" / f"{name}.yaml"))
    if name.startswith("blend"):  # depends on the metrics that it combines
        assert facts["symmetric"] == "–"
    else:
        assert facts["symmetric"] == ("yes" if metric.symmetric else "no")
    assert facts["vectors"] == ("yes" if metric.vector_file is not None else "no")
    trainer = job.metric.get("trainer", "none")
    trained = "yes" if isinstance(trainer, dict) else {"none": "no", None: "optional"}[trainer]
    assert facts["trained"] == trained
    graph = parse_graph("(s / sleep-01 :ARG0 (c / cat))")
    if name in ("align_smatch", "camr_smatch", "concept_smatch"):
        graph = CamrGraph.of(graph, anchors=["x1", "x2"])
    try:
        metric = metric.initialised(sample_pairs(24)) if trained == "yes" else metric  # type: ignore[attr-defined]
        metric.explain(Pair(graph, graph))
        aligns = "yes"
    except NoAlignmentError:
        aligns = "no"
    assert facts["alignment"] == aligns


def test_a_symmetric_property_that_depends_on_an_option() -> None:
    source = class_source("metrics.features.sema.Sema")
    assert source is not None
    assert constant_property(source, "symmetric", {"variant": "corrected"}) is True
    assert constant_property(source, "symmetric", {"variant": "published"}) is False
    assert constant_property(source, "symmetric", {}) is None


def test_attributes_with_one_description_and_with_several_lines() -> None:
    docstring = (
        "Title.\n\nAttributes:\n    a, b: both\n        of them.\n\n    c: alone.\n\n"
        "Raises:\n    Error: never."
    )
    assert attributes(docstring) == {"a": "both of them.", "b": "both of them.", "c": "alone."}
    assert attributes("Title.") == {}
    assert summary(docstring) == "Title."


def test_code_of_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "mine_seen.py").write_text(
        "raise SystemExit('imported')\n"
        "from metrics.base import Metric\n"
        "class Mine(Metric):\n"
        "    symmetric = False\n"
        "    k: int = 3\n"
    )
    source = class_source("mine_seen.Mine")
    assert source is not None
    assert fields(source) == {"k": "3"}
    assert constant_property(source, "symmetric", {}) is False
    (tmp_path / "broken_seen.py").write_text("class Mine(\n")
    assert class_source("broken_seen.Mine") is None
    assert class_source("no_such_module.Mine") is None
    assert module_file("sys") is None
