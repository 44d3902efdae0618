"""A metric from its YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import pytest

import amr_metrics
from amr_metrics import HillClimb, Pair, Smatch, parse_graph
from amr_metrics.alignment.exact import Exact
from amr_metrics.building import build_metric
from amr_metrics.errors import MetricError, OptionError
from amr_metrics.vectors import VectorSource

EXACT = "amr_metrics.alignment.exact.Exact"
WORDS = {"_target_": "amr_metrics.vectors.WordVectors.of", "vectors": {"cat": [1.0]}}


def test_options_and_nested_targets():
    metric = build_metric(
        "smatch",
        {
            "_target_": "amr_metrics.Smatch",
            "root": "none",
            "solver": {"_target_": EXACT, "node_limit": 5},
        },
    )
    assert metric == Smatch(root="none", solver=Exact(node_limit=5))


def test_parts_by_name_with_options():
    assert amr_metrics.get("smatch", solver={"name": "hillclimb"}).solver == HillClimb()
    metric = amr_metrics.get("smatch", solver={"name": "hillclimb", "seed": 3})
    assert metric == amr_metrics.get("smatch", solver=HillClimb(seed=3))
    vectors = amr_metrics.get("s2match", vectors={"name": "glove", "cache": "folder"}).vectors
    assert isinstance(vectors, VectorSource)
    assert str(vectors.cache) == "folder"


def test_options_of_a_part_without_a_name_are_those_of_the_metrics_own():
    assert amr_metrics.get("smatch", solver={"node_limit": 5}).solver == Exact(node_limit=5)
    assert amr_metrics.get("s2match", vectors={"file": "f"}).vectors == VectorSource(file="f")
    # The word vectors of text_cosine are WordLlama, which reads no file.
    with pytest.raises(OptionError, match="unknown option of vectors 'file'"):
        amr_metrics.get("text_cosine", vectors={"file": "f"})


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        ("smatch", {"solver": {"name": "hilclimb"}}, "'hilclimb': did you mean 'hillclimb'"),
        (
            "smatch",
            {"solver": {"seed": 3}},
            "unknown option of solver 'seed'. Use one of: node_lim",
        ),
        ("smatch", {"solver": {"name": 3}}, "unknown solver 3. Use one of: exact, hillclimb"),
        ("label_overlap", {"solver": "exact"}, "unknown option of label_overlap 'solver'. Use one"),
        ("smatch", {"solver": {"name": "hillclimb", "sed": 1}}, "'sed': did you mean 'seed'"),
        ("sema", {"solver": {"name": "exact"}}, "unknown option of sema 'solver'"),
    ],
)
def test_parts_that_do_not_exist(metric, options, message):
    with pytest.raises(OptionError, match=message):
        amr_metrics.get(metric, **options)


@pytest.mark.parametrize(
    ("target", "options"),
    [
        ("amr_metrics.features.wlk.Wlk", {"variant": 2021}),
        ("amr_metrics.features.sembleu.SemBleu", {"variant": 2019}),
        ("amr_metrics.transport.wwlk.WWLK", {"variant": 2023, "vectors": WORDS}),
    ],
)
def test_a_variant_may_be_given_as_a_number(target, options):
    metrics = [
        build_metric("mine", {"_target_": target, **options, "variant": variant})
        for variant in (options["variant"], str(options["variant"]))
    ]
    assert [metric.variant for metric in metrics] == [str(options["variant"])] * 2
    assert metrics[0].signature == metrics[1].signature
    assert f"variant={options['variant']}" in metrics[0].signature


def test_the_metric_receives_options_of_its_fields_types(tmp_path, monkeypatch):
    (tmp_path / "typed.py").write_text(
        "from dataclasses import dataclass\nfrom pathlib import Path\nfrom typing import Literal\n"
        "from amr_metrics import Metric\n\n\n"
        "@dataclass(frozen=True, kw_only=True)\nclass Typed(Metric):\n"
        "    years: tuple[Literal['2021', '2023'], ...]\n    table: Path\n\n"
        "    def evaluate(self, pairs):\n        raise NotImplementedError\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    config = {"_target_": "typed.Typed", "years": [2021, "2023"], "table": "~/table.tsv"}
    metric = build_metric("mine", config)
    assert list(metric.years) == ["2021", "2023"]
    assert metric.table == Path("~/table.tsv").expanduser()


class TestValues:
    """A metric is a value."""

    CONFIG: ClassVar[dict[str, Any]] = {
        "_target_": "amr_metrics.Smatch",
        "solver": {"_target_": EXACT, "node_limit": 5},
    }

    def test_equal_configurations_have_equal_metrics(self):
        assert build_metric("a", self.CONFIG) == build_metric("b", self.CONFIG)

    @pytest.mark.parametrize("limit", [5.0, True, "5"])
    def test_values_of_another_type_are_another_configuration(self, limit):
        build_metric("a", self.CONFIG)
        with pytest.raises(OptionError, match=r"node_limit=.*expected an integer"):
            build_metric("a", {**self.CONFIG, "solver": {"_target_": EXACT, "node_limit": limit}})

    def test_the_users_own_code_is_built_anew(self, tmp_path, monkeypatch):
        (tmp_path / "mine.py").write_text("def f(src, tgt):\n    return 1.0\n")
        monkeypatch.syspath_prepend(tmp_path)
        config = {"_target_": "amr_metrics.external.FunctionMetric", "function": "mine.f"}
        assert build_metric("a", config) is not build_metric("a", config)

    def test_errors_name_the_metric_each_time(self):
        for name in ("a", "b"):
            with pytest.raises(OptionError, match=f"metric {name}: .*root"):
                build_metric(name, {**self.CONFIG, "root": "nowhere"})


class TestVectors:
    """Where a metric's word vectors are, if its configuration does not say it."""

    SOURCE = "amr_metrics.vectors.VectorSource"
    S2MATCH = "amr_metrics.alignment.s2match.S2match"

    @pytest.fixture(autouse=True)
    def environment(self, tmp_path, monkeypatch):
        monkeypatch.setenv("BAMBOO_VECTORS", str(tmp_path / "vectors.txt"))
        monkeypatch.setenv("BAMBOO_CACHE_DIR", str(tmp_path / "words"))

    @pytest.mark.parametrize(
        "vectors",
        [{}, {"vectors": {"_target_": SOURCE}}, {"vectors": {"_target_": SOURCE, "file": None}}],
    )
    def test_the_environment_names_file_and_cache(self, tmp_path, vectors):
        (tmp_path / "vectors.txt").write_text("cat " + " ".join(["0.5"] * 100) + "\n")
        metric = build_metric("mine", {"_target_": self.S2MATCH, **vectors})
        assert metric.vectors.path == tmp_path / "vectors.txt"
        assert metric.vectors.select(["cat"]).words == ("cat",)
        assert len(list((tmp_path / "words").glob("vectors-*.json"))) == 1

    def test_the_configuration_takes_precedence(self):
        source = {"_target_": self.SOURCE, "file": "mine.txt", "cache": "here"}
        metric = build_metric("mine", {"_target_": self.S2MATCH, "vectors": source})
        assert (metric.vectors.file, metric.vectors.cache) == ("mine.txt", "here")

    def test_an_empty_environment_variable_is_ignored(self, monkeypatch):
        monkeypatch.setenv("BAMBOO_VECTORS", "")
        monkeypatch.delenv("BAMBOO_CACHE_DIR")
        metric = build_metric("mine", {"_target_": self.S2MATCH})
        assert (metric.vectors.file, metric.vectors.cache) == (None, None)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({}, "its YAML must set _target_"),
        ({"_target_": 3}, "its YAML must set _target_"),
        ({"_target_": "nowhere.Foo"}, "_target_=nowhere.Foo: No module named 'nowhere'"),
        ({"_target_": "bamboo.train.spsa.SPSA"}, "SPSA is now called bamboo.SPSA"),
        ({"_target_": "metrics.Smatch"}, "The library of metrics is now called amr_metrics"),
        ({"_target_": "amr_metrics.sif.SIF"}, "SIF is now called amr_metrics.SIF"),
        (
            {"_target_": "amr_metrics.wordllama.WordLlama"},
            "WordLlama is now called amr_metrics.WordLlama",
        ),
        ({"_target_": "amr_metrics.Smatch", "root": "nnoe"}, "unknown root 'nnoe': did you mean"),
        ({"_target_": "amr_metrics.Smatch", "root": ["none"]}, 'root=["none"]: expected one of'),
        (
            {"_target_": "amr_metrics.Smatch", "solver": "exakt"},
            "unknown solver 'exakt': did you mean",
        ),
        (
            {"_target_": "amr_metrics.Smatch", "solver": {"_target_": EXACT, "node_limit": "abc"}},
            'solver.node_limit="abc": expected an integer',
        ),
        (
            {"_target_": "amr_metrics.Smatch", "solver": {"_target_": EXACT, "node_limit": -1}},
            "limits must be at least 0",
        ),
        (
            {"_target_": "os.path.commonpath"},
            "commonpath() missing 1 required positional argument: 'paths'. For a function of two "
            "graphs use _target_: amr_metrics.external.FunctionMetric, with "
            "function: os.path.commonpath",
        ),
        ({"_target_": "os.getcwd"}, "os.getcwd is a str, not a metric. For a function of two"),
    ],
)
def test_targets_that_are_not_metrics_are_explained(config, message):
    with pytest.raises(OptionError) as caught:
        build_metric("mine", config)
    assert str(caught.value).startswith("metric mine: ")
    assert message in str(caught.value)


def test_unknown_options_are_named():
    with pytest.raises(OptionError, match="unknown option of mine 'rot': did you mean 'root'"):
        build_metric("mine", {"_target_": "amr_metrics.Smatch", "rot": "none"})


def test_an_error_without_a_message_is_named_by_its_type(tmp_path, monkeypatch):
    (tmp_path / "wordless.py").write_text("def metric():\n    raise RuntimeError\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(OptionError, match="metric mine: RuntimeError"):
        build_metric("mine", {"_target_": "wordless.metric"})


def test_code_that_cannot_be_imported_is_an_error_of_the_metric(tmp_path, monkeypatch):
    (tmp_path / "half_written.py").write_text("def metric(:\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(OptionError, match=r"metric mine: _target_=half_written\.metric"):
        build_metric("mine", {"_target_": "half_written.metric"})


def test_standardisation_steps_of_ones_own(tmp_path, monkeypatch):
    (tmp_path / "own_steps.py").write_text(
        "from dataclasses import replace\n\n\n"
        "def renamed(graph, concept='thing'):\n"
        "    return replace(graph, concepts=tuple(concept for _ in graph.concepts))\n\n\n"
        "def broken(graph):\n    return None\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    pair = Pair(parse_graph("(c / cat)"), parse_graph("(d / dog)"))

    def smatch(*steps):
        return build_metric("m", {"_target_": "amr_metrics.Smatch", "standardize": [*steps]})

    assert smatch().score([pair]).tolist() == [0]
    assert smatch("lower", "own_steps.renamed").score([pair]).tolist() == [1]
    metric = smatch({"_target_": "own_steps.renamed", "concept": ":x"})
    assert metric.score([pair]).tolist() == [1]
    assert "standardize=[own_steps.renamed(concept=':x')]" in metric.signature
    with pytest.raises(MetricError, match=r"own_steps\.broken returned a NoneType, not a Graph"):
        smatch("own_steps.broken").score([pair])
    for steps, message in (
        (["own_steps.nothing"], "standardisation step own_steps.nothing: "),
        ([{"step": 1}], "expected a name, or a function as _target_"),
    ):
        with pytest.raises(OptionError, match=message):
            smatch(*steps)
