"""The base class of metrics with word vectors: signature, file, and order of options."""

from __future__ import annotations

from pathlib import Path

import pytest

from amr_metrics import Pair, parse_graph
from amr_metrics.alignment.s2match import S2match
from amr_metrics.base import describe
from amr_metrics.errors import VectorError
from amr_metrics.transport.concept_cosine import ConceptCosine
from amr_metrics.transport.node_match import NodeMatch
from amr_metrics.transport.wwlk import WWLK
from amr_metrics.transport.wwlk_theta import WWLKTheta
from amr_metrics.vectors import VectorSource, WordVectors
from amr_metrics.vectors.sif import SIF
from amr_metrics.vectors.with_vectors import WithVectors
from amr_metrics.version import VERSION

VECTORS = WordVectors.of({"cat": [1, 0], "dog": [0.6, 0.8]})
CLASSES = (S2match, WWLK, WWLKTheta, ConceptCosine, NodeMatch)


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("mass", ["uniform", "sif"])
def test_the_signature_has_the_vectors_and_the_frequencies_that_are_used(
    kind: type[WithVectors], mass: str
) -> None:
    weighted = kind is not S2match
    metric = kind(vectors=VECTORS, **({"mass": mass} if weighted else {}))
    expected = f"{describe(metric)}|v{VERSION}|vectors={VECTORS.digest}"
    if kind is NodeMatch or (weighted and mass == "sif"):  # columns of NodeMatch depend on them
        expected += f"|frequencies={SIF().digest}"
    assert metric.signature == expected


@pytest.mark.parametrize("kind", CLASSES)
def test_no_vectors_are_opened_before_a_pair_is_scored(
    kind: type[WithVectors], tmp_path: Path
) -> None:
    weights = {"weights": {":mod": 0.5}} if kind is WWLKTheta else {}
    metric = kind(vectors=VectorSource(file=tmp_path / "missing"), **weights)
    cat = parse_graph("(c / cat)")
    with pytest.raises(VectorError, match="no such file of word vectors"):
        metric.score([Pair(cat, cat)])
