"""The base class of metrics with word vectors: signature, file, and order of options."""

from __future__ import annotations

from pathlib import Path

import pytest

from metrics import Pair, parse_graph
from metrics.alignment.s2match import S2match
from metrics.base import describe
from metrics.errors import VectorError
from metrics.transport.concept_cosine import ConceptCosine
from metrics.transport.node_match import NodeMatch
from metrics.transport.wwlk import WWLK
from metrics.transport.wwlk_theta import WWLKTheta
from metrics.vectors import VectorSource, WordVectors
from metrics.vectors.sif import SIF
from metrics.vectors.with_vectors import WithVectors
from metrics.version import VERSION

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
