"""Metrics of special graphs, so that the contract's plain pairs can be put to them."""

import dataclasses

from metrics import Pair
from metrics.camr import CamrGraph
from metrics.camr.align_smatch import CamrSmatch


def on_plain_graphs(metric):
    """The metric itself, or one of Chinese AMR that takes plain graphs as graphs without anchors."""
    if not isinstance(metric, CamrSmatch):
        return metric

    class OnPlainGraphs(type(metric)):
        def evaluate(self, pairs):
            return super().evaluate([_anchorless(pair) for pair in pairs])

        def explain(self, pair):
            return super().explain(_anchorless(pair))

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
