"""Metrics as rows: configurations, labels, options by data set."""

import json

import pytest

import amr_metrics
from amr_metrics.building import build_metric, metric_options
from bamboo.config.groups import compose_metric
from bamboo.config.rows import Row, label, list_properties, merge_boards
from bamboo.errors import ConfigError


@pytest.mark.parametrize("name", amr_metrics.names())
def test_a_metric_is_built_again_from_its_configuration(name):
    metric = amr_metrics.get(name)
    usual = compose_metric(name)
    assert label(metric).split()[0] == usual.base
    if usual.base == usual.title:  # else it is a row of a published table
        assert amr_metrics.get(label(metric)) == metric
    config = metric_options(metric)
    json.dumps(config)
    assert build_metric(name, config) == metric


def test_a_standardised_metric_is_built_again_from_its_configuration():
    # Smatch++ has an option of the same name, which must not be lost.
    pair = amr_metrics.Pair(*map(amr_metrics.parse_graph, ("(c / Cat :x 1)", '(c / cat :x "1")')))
    for inner in (amr_metrics.Sema(), amr_metrics.SmatchPP(standardize="generic")):
        metric = amr_metrics.Standardized.of(inner, ["unquote"])
        again = build_metric("own", metric_options(metric))
        assert again.signature == metric.signature
        assert again.score([pair]).tolist() == metric.score([pair]).tolist()


def test_options_of_a_data_set():
    config = {"_target_": "amr_metrics.Smatch", "by_data": {"para": {"root": "none"}}}
    row = Row.of("a", config)
    assert (row.on("para"), row.on("sts"), row.on()) == (
        amr_metrics.Smatch(root="none"),
        amr_metrics.Smatch(),
        amr_metrics.Smatch(),
    )


@pytest.mark.parametrize("root", ["none", "w.json"])
def test_a_file_of_weights_as_another_option_is_explained(root):
    config = {"_target_": "amr_metrics.Smatch", "root": root, "rot": 1}
    with pytest.raises(ConfigError) as caught:
        Row.of("a", config)
    assert ("are given as learned: FILE" in str(caught.value)) == (root == "w.json")


def test_headings_have_the_title_and_the_options():
    metric = amr_metrics.Smatch(root="none")
    assert Row("smatch root=none", metric, title="Smatch 1").heading == "Smatch 1 root=none"
    assert Row("smatch root=none", metric).heading == "smatch root=none"


def test_properties():
    vectors = amr_metrics.WordVectors.of({"cat": [1.0]})
    metrics = amr_metrics.Smatch(), amr_metrics.S2match(vectors=vectors)
    rows = [Row("a", metric) for metric in metrics] + [Row("a", metrics[1], learned={"tau": 0.0})]
    assert [list_properties(row, row.metric) for row in rows] == [
        ("symmetric",),
        ("vectors", "symmetric"),
        ("trained", "vectors", "symmetric"),
    ]


def test_on_boards_options_of_another_protocol_are_in_the_label():
    plain, variant = (
        Row("wlk", amr_metrics.get("wlk")),
        Row("wlk", amr_metrics.get("wlk", variant="2023")),
    )
    rows = merge_boards({"paper": [plain], "v0.2": [variant], "own": [plain]})
    assert [(row.name, row.protocols) for row in rows] == [
        ("wlk", ("paper", "own")),
        ("wlk variant=2023", ("v0.2",)),
    ]
