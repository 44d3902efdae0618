"""S2match (Opitz, Parcalabescu and Frank 2020): Smatch with graded matches of similar concepts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, NamedTuple, Self

import numpy as np

from amr_metrics.alignment.facts import FactTable, GradedMatches, PairFacts
from amr_metrics.alignment.smatch import Smatch
from amr_metrics.errors import OptionError
from amr_metrics.graphs.corpus import Labels
from amr_metrics.graphs.folding import SENSE
from amr_metrics.graphs.pairs import Pair, Pairs
from amr_metrics.kernels.library import declare_kernel
from amr_metrics.parameters import Parameters, Parametric, PreparedPairs
from amr_metrics.types import Bools, Floats, Ints
from amr_metrics.utils.arrays import scale_rows
from amr_metrics.vectors.sources import Vectors, VectorSource, WordVectors
from amr_metrics.vectors.with_vectors import WithVectors

GRADED_KINDS = {"instance": 1, "TOP": 2}


@dataclass(frozen=True, kw_only=True)
class S2match(Smatch, WithVectors, Parametric):
    """F1 of matching triples, where similar concepts match partially, in 0..1.

    The weight of a match of two concepts (of nodes, or as the value of TOP) is 1 if they are
    equal, `tau_sense` if they differ only in their sense (``hit-01`` and ``hit-02``, or ``hit``),
    and otherwise their similarity s if s > `tau`, multiplied by `tau_sense` if either is a
    predicate, that is, a concept with a sense. Similarity is max(0, cosine) of the concepts' word
    vectors. A predicate has the vector of its lemma plus, if it exists, that of the lemma and "s";
    a hyphenated word without its own vector has the sum of the vectors of its parts. Concepts
    without a vector match only if they are equal.

    Opitz, Daza and Frank (2021) tuned ``tau`` and ``tau_sense`` to .9 and .95 on STS and SICK and
    to 0 and .95 on PARA.

    Attributes:
        tau: threshold in 0..1; similarities that are not above it count as 0.
        tau_sense: the weight of concepts that differ in their sense, in 0..1 (tau' in the paper).
        vectors: the word vectors.

    Raises:
        OptionError: if `root` is unknown, or a threshold is outside 0..1.

    >>> from amr_metrics import Pair, parse_graph
    >>> from amr_metrics.vectors.sources import Vectors, WordVectors
    >>> vectors = WordVectors.of({"cat": [1, 0], "kitten": [0.8, 0.6]})
    >>> cat = parse_graph("(s / sleep-01 :ARG0 (c / cat))")
    >>> kitten = parse_graph("(s / sleep-01 :ARG0 (k / kitten))")
    >>> # TOP, sleep-01 and ARG0 are equal, the cosine is 0.8: (3 + 0.8) / 4
    >>> S2match(vectors=vectors).score([Pair(cat, kitten)]).round(12).tolist()
    [0.95]
    """

    reference: ClassVar[str] = (
        "Opitz, Parcalabescu and Frank (2020), AMR similarity metrics from principles, "
        "https://doi.org/10.1162/tacl_a_00329"
        " (code: https://github.com/flipz357/amr-metric-suite)"
    )

    tau: float = 0.5
    tau_sense: float = 0.5
    vectors: Vectors = field(default_factory=VectorSource)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("tau", "tau_sense"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise OptionError(f"{name}={getattr(self, name)}: must lie in 0..1")

    @property
    def parameters(self) -> Parameters:
        """Both thresholds, with bounds 0 and 1."""
        values = np.array([self.tau, self.tau_sense])
        return Parameters(("tau", "tau_sense"), values, np.zeros(2), np.ones(2))

    def with_parameters(self, values: Floats) -> Self:
        """Return the metric with other thresholds."""
        tau, tau_sense = self.parameters.checked(values)
        return replace(self, tau=float(tau), tau_sense=float(tau_sense))

    def prepare(self, pairs: Sequence[Pair]) -> ThresholdPairs:
        """Return the pairs with facts and similarities that are computed once."""
        return ThresholdPairs(self, pairs if isinstance(pairs, Pairs) else tuple(pairs))

    def grading(self, labels: Labels) -> ConceptGrading:
        """Return the grades of matches of concepts and roots."""
        graded = [k for k, (kind, _) in enumerate(labels.values) if kind in GRADED_KINDS]
        concepts = Labels()
        rows = np.full(len(labels.values), -1, np.int64)
        rows[graded] = [concepts.number(labels.values[k][1]) for k in graded]
        kinds = np.zeros(len(labels.values), np.int8)
        kinds[graded] = [GRADED_KINDS[labels.values[k][0]] for k in graded]
        table = concept_table(concepts.values, self.vectors)
        return ConceptGrading(kinds, rows, table, self.tau, self.tau_sense)


@dataclass(frozen=True, eq=False)
class ThresholdPairs(PreparedPairs):
    """Pairs whose facts and vectors are looked up once, when they are first scored."""

    metric: S2match

    @cached_property
    def encoded(self) -> PairFacts:
        """The facts of the pairs."""
        return self.metric.encode(self.metric.views(self.pairs))

    @cached_property
    def grading(self) -> ConceptGrading:
        """The similarities of concepts."""
        return self.metric.grading(self.encoded.labels)

    def score(self, values: Floats, indices: Ints | None = None) -> Floats:
        """Return the scores of the pairs at `indices` (all of them if None) for two thresholds.

        Raises:
            OptionError: if a threshold is outside 0..1.
            PairError: for a pair that is too large, with its position in `indices`.
        """
        tau, tau_sense = self.metric.parameters.checked(values).tolist()
        encoded = self.encoded
        if indices is not None:
            pairs = np.asarray(indices, np.int64)
            src, tgt = encoded.src_index[pairs], encoded.tgt_index[pairs]
            encoded = replace(encoded, src_index=src, tgt_index=tgt)
        grading = replace(self.grading, tau=tau, tau_sense=tau_sense)
        return self.metric.scores_of(encoded, grading).values


@dataclass(frozen=True, eq=False)
class ConceptGrading:
    """Grades the matches of concepts and roots whose labels differ.

    Attributes:
        kinds: int8 by label, the number of its kind in `GRADED_KINDS`; 0 for other kinds.
        concepts: int64 by label, the concept's row in `table`; -1 for other kinds.
        table: the concepts.
        tau, tau_sense: as in `S2match`.
    """

    kinds: Ints
    concepts: Ints
    table: ConceptTable
    tau: float
    tau_sense: float

    def matches(self, src: FactTable, tgt: FactTable) -> GradedMatches:
        """Return the partial matches of concepts and roots."""
        # Room for all pairs of facts: few enough, since `TripleMatch.parts` limits their memory.
        capacity = int((np.diff(src.facts.start) * np.diff(tgt.facts.start)).sum())
        pairs = len(src.sizes)
        rows = np.empty(capacity, np.int32), np.empty(capacity, np.int32)
        weights, start = np.empty(capacity), np.empty(pairs + 1, np.int64)
        _grade_matches(
            *(pairs, len(src.facts.rows), len(tgt.facts.rows)),
            *(len(self.kinds), *self.table.matrix.shape, capacity),
            *(src.facts.start, src.facts.rows, tgt.facts.start, tgt.facts.rows),
            *(self.kinds, self.concepts, *self.table, self.tau, self.tau_sense),
            *(*rows, weights, start),
        )
        (src_rows, tgt_rows), count = rows, start[-1]
        return GradedMatches(src_rows[:count], tgt_rows[:count], weights[:count], start)


_grade_matches = declare_kernel("grade_matches")


class ConceptTable(NamedTuple):
    """Concepts in numeric form.

    Attributes:
        lemma: int64, equal for concepts that differ only in their sense.
        predicate: the concept has a sense.
        has_vector: the concept has a vector.
        matrix: float64, its vector, of length 1, or zeros.
    """

    lemma: Ints
    predicate: Bools
    has_vector: Bools
    matrix: Floats


def concept_table(concepts: Sequence[str], vectors: Vectors) -> ConceptTable:
    """Return the lemmas and vectors of concepts, by which they are compared."""
    lemmas = [SENSE.sub("", concept) for concept in concepts]
    numbers = {lemma: k for k, lemma in enumerate(dict.fromkeys(lemmas))}
    words = _select_words(concepts, vectors)
    matrix = np.zeros((len(concepts), words.dimension))
    has_vector = np.zeros(len(concepts), np.bool_)
    for k, concept in enumerate(concepts):
        rows = _find_rows(concept, words)
        if rows:
            matrix[k] = words.matrix[rows].sum(axis=0, dtype=np.float64)
            has_vector[k] = True
    return ConceptTable(
        np.array([numbers[lemma] for lemma in lemmas], np.int64),
        np.array([lemma != c for lemma, c in zip(lemmas, concepts, strict=True)], np.bool_),
        has_vector,
        scale_rows(matrix)[0],
    )


def _list_alternatives(concept: str) -> list[tuple[str, ...]]:
    """Return the lists of words whose vectors may be summed, in order of preference."""
    lemma = SENSE.sub("", concept)
    return [(lemma, lemma + "s")] if lemma != concept else [(lemma,), tuple(lemma.split("-"))]


def _select_words(concepts: Sequence[str], vectors: Vectors) -> WordVectors:
    return vectors.select(
        word
        for concept in concepts
        for alternative in _list_alternatives(concept)
        for word in alternative
    )


def _find_rows(concept: str, words: WordVectors) -> list[int]:
    """Return the rows of the words whose vectors sum to the concept's; none if it has no vector."""
    alternatives = _list_alternatives(concept)
    if len(alternatives) == 1 and alternatives[0][0] not in words.rows:
        return []  # a predicate has a vector only if its lemma has one
    for alternative in alternatives:
        rows = [words.rows[word] for word in alternative if word in words.rows]
        if rows:
            return rows
    return []
