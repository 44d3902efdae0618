"""Metrics of special graphs, so that the contract's plain pairs can be put to them."""

import dataclasses

from extras import INSTALLED

from metrics import Pair
from metrics.camr import CamrGraph
from metrics.camr.align_smatch import CamrSmatch
from metrics.parameters import Parametric


def missing_extra(config):
    """The extra that a metric's configuration needs and that is not installed; None if none."""
    return None if INSTALLED or "metrics.wordllama" not in str(config) else "wordllama"


def ready(metric, pairs):
    """The metric, fit for the contract's pairs.

    One whose parameters have to be learned gets its first ones; one of Chinese AMR takes plain
    graphs as graphs without anchors.
    """
    if isinstance(metric, Parametric) and not metric.parameters.names:
        metric = metric.initialised(pairs)
    if not isinstance(metric, CamrSmatch):
        return metric

    class OnPlainGraphs(type(metric)):
        def view(self, pair):
            return super().view(_anchorless(pair))

    options = {field.name: getattr(metric, field.name) for field in dataclasses.fields(metric)}
    return OnPlainGraphs(**options)


def _anchorless(pair):
    return Pair(
        *(
            graph
            if isinstance(graph, CamrGraph)
            else CamrGraph.of(graph, anchors=[""] * len(graph.variables))
            for graph in pair
        )
    )
