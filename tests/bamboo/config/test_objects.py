"""Metrics given as objects: their configurations and labels."""

import json

import pytest

import metrics
from bamboo.config.metrics import build_metric
from bamboo.config.objects import configuration, label


@pytest.mark.parametrize("name", metrics.names())
def test_a_metric_is_built_again_from_its_configuration(name):
    metric = metrics.get(name)
    assert label(metric) == name or metrics.get(label(metric)) == metric
    config = configuration(metric)
    json.dumps(config)
    assert build_metric(name, config) == metric


def test_a_standardised_metric_is_built_again_from_its_configuration():
    # Smatch++ has an option of the same name, which must not be lost.
    pair = metrics.Pair(*map(metrics.parse_graph, ("(c / Cat :x 1)", '(c / cat :x "1")')))
    for inner in (metrics.Sema(), metrics.SmatchPP(standardize="generic")):
        metric = metrics.Standardized.of(inner, ["unquote"])
        again = build_metric("own", configuration(metric))
        assert again.signature == metric.signature
        assert again.score([pair]).tolist() == metric.score([pair]).tolist()
