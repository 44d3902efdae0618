"""Base class of metrics that align two graphs and count matching facts.

A subclass defines the facts of graphs (`TripleMatch.facts`). The base class aligns the graphs
and computes precision, recall and F1 from the value of the alignment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from amr_metrics import limits
from amr_metrics.alignment.exact import Exact
from amr_metrics.alignment.facts import (
    FactTable,
    Grading,
    PairFacts,
    add_graded,
    find_allowed_pairs,
    match_counts,
    most_matches,
    problem_bytes,
    problems,
)
from amr_metrics.alignment.large import align_large, estimate_memory
from amr_metrics.alignment.matches import matches, worths
from amr_metrics.alignment.problem import Alignment, AlignmentBatch
from amr_metrics.alignment.solver import Solver
from amr_metrics.alignment.workspace import ProblemBatch
from amr_metrics.base import HOW, Metric, Pair, Scores, score_matches
from amr_metrics.graphs.corpus import Corpus, Labels
from amr_metrics.graphs.graph import Graph
from amr_metrics.graphs.rows import count_rows
from amr_metrics.types import Floats, Ints
from amr_metrics.utils.f1 import micro_average, precision_recall_f1, upper_f1

if TYPE_CHECKING:
    from amr_metrics.explanation import Explanation

CHUNK = 1000  # pairs built and solved at a time: keeps the arrays small
GRADED_BYTES = 16  # of two facts that may have a graded match


class ProblemChunk(NamedTuple):
    """Consecutive pairs.

    Attributes:
        first: the position of the first one.
        src, tgt: their facts.
        problems: their alignment problems; None for a single pair whose problem is too large.
    """

    first: int
    src: FactTable
    tgt: FactTable
    problems: ProblemBatch | None


@dataclass(frozen=True, kw_only=True)
class TripleMatch(Metric):
    """Precision, recall and F1 of the best alignment's matching facts.

    Attributes:
        solver: computes the alignment.
    """

    solver: Solver = field(default_factory=Exact, metadata=HOW)

    @property
    def triple_solver(self) -> Solver:
        """The solver."""
        return self.solver

    def facts(self, corpus: Corpus, labels: Labels) -> FactTable:
        """Return the facts of each graph of a corpus, with labels numbered by `labels`."""
        raise NotImplementedError

    def encode(self, pairs: Sequence[Pair]) -> PairFacts:
        """Encode the facts of all graphs; by default in one pass, by `facts`.

        Raises:
            PairError: for a pair that the metric cannot encode, with its position in `pairs`.
        """
        return PairFacts.of(pairs, self.facts)

    def grading(self, labels: Labels) -> Grading | None:
        """Return grades of matches of facts about one node whose labels differ; None: they count 0.

        Args:
            labels: the labels of all facts.
        """
        return None

    def warm_up(self) -> None:
        """Load vectors."""
        self.evaluate([])

    def evaluate(self, pairs: Sequence[Pair]) -> Scores:
        """Return the F1 of each pair, in 0..1.

        The other columns are ``precision``, ``recall``, ``matches`` (the alignment's value),
        ``src_total`` and ``tgt_total`` (weight of all facts), ``upper_bound`` (an upper bound of
        ``matches``), ``upper`` (the resulting upper bound of F1) and ``optimal``.
        """
        return self.scores_of(self.encode(self.views(pairs)))

    def align(self, pairs: Sequence[Pair]) -> list[Ints]:
        """Return the alignment of each pair: for each node of src its node of tgt, or -1.

        Nodes are those of the pair's `view`.
        """
        encoded = self.encode(self.views(pairs))
        answers = map(self.answers, self.parts(encoded, self.grading(encoded.labels)))
        return [answer[p].mapping for answer in answers for p in range(len(answer))]

    def evaluate_aligned(self, pairs: Sequence[Pair], mappings: Sequence[Ints]) -> Scores:
        """Score pairs under given alignments, in the form that `align` returns."""
        return self.scores_of(self.encode(self.views(pairs)), mappings=mappings)

    def node_names(self, graph: Graph) -> Sequence[str]:
        """Return the names of a graph's nodes in explanations: the variables."""
        return graph.variables

    def answers(self, part: ProblemChunk) -> AlignmentBatch:
        """Return the alignments of a part."""
        if part.problems is None:
            return AlignmentBatch.pack([align_large(part.src, part.tgt)])
        answer = self.solver.solve_batch(part.problems)
        if self.solver.exhaustive and not answer.optimal.all():
            return _replace_unproven(part, part.problems, answer)
        return answer

    def further_columns(self, part: ProblemChunk, answer: AlignmentBatch) -> Mapping[str, Floats]:
        """Return columns of `evaluate` that a subclass adds."""
        return {}

    def parts(self, encoded: PairFacts, grading: Grading | None) -> Iterator[ProblemChunk]:
        """Yield consecutive pairs with their alignment problems, at least one part.

        A part needs at most `amr_metrics.limits.MEMORY`; a pair that needs more is a part without
        problems.

        Raises:
            PairError: for a pair that is too large even for `align_large`, or that needs graded
                matches or places of nodes, which `align_large` does not have.
        """
        # The bound of `_memory` decides quickly, for nearly all chunks, that they are one part.
        for first in range(0, max(len(encoded), 1), CHUNK):  # no pairs are one empty part
            src, tgt = encoded.tables(slice(first, first + CHUNK))
            needed = self._memory(src, tgt, grading)
            for start, end in _split_ranges(needed):
                if (start, end) != (0, len(needed)):
                    src, tgt = encoded.tables(slice(first + start, first + end))
                batch = None
                if end - start != 1 or needed[start] <= limits.MEMORY:
                    batch = problems(src, tgt)
                    if grading is not None:
                        batch = add_graded(batch, src, tgt, grading.matches(src, tgt))
                else:
                    unlimited = grading is None and src.places is None
                    least = estimate_memory(src, tgt) if unlimited else needed[start]
                    if least > limits.MEMORY:
                        sizes = int(src.sizes[0]), int(tgt.sizes[0])
                        raise limits.too_large(float(least), sizes, first + start)
                yield ProblemChunk(first + start, src, tgt, batch)

    def _memory(self, src: FactTable, tgt: FactTable, grading: Grading | None) -> Ints:
        """Estimate how many bytes each pair needs; an upper bound if that is small enough."""
        # If all facts had the same label, each would match each: a bound that costs nothing. Only
        # if it is too large, the matches are counted.
        pairs = src.sizes * tgt.sizes
        facts = count_rows(src.facts.start) * count_rows(tgt.facts.start)
        edges = count_rows(src.edges.start) * count_rows(tgt.edges.start)
        graded = 0 if grading is None else pairs * 8 + facts * GRADED_BYTES
        bound = graded + problem_bytes(pairs, facts, edges)
        if bound.sum() <= limits.MEMORY:
            return bound
        return graded + problem_bytes(pairs, *match_counts(src, tgt))

    def scores_of(
        self,
        encoded: PairFacts,
        grading: Grading | None = None,
        mappings: Sequence[Ints] | None = None,
    ) -> Scores:
        """Return the scores of encoded pairs.

        Args:
            grading: by default, that of the metric.
            mappings: given alignments; by default, the best ones.
        """
        parts = []
        grading = grading or self.grading(encoded.labels)
        for part in self.parts(encoded, grading):
            chunk = slice(part.first, part.first + len(part.src.sizes))
            if mappings is None:
                answer = self.answers(part)
            else:
                answer = AlignmentBatch.pack(
                    [_evaluate_map(part, p, mapping) for p, mapping in enumerate(mappings[chunk])]
                )
            scores = _score_answer(part, answer)
            details = {**scores.details, **self.further_columns(part, answer)}
            parts.append(Scores(scores.values, details))
        return Scores.concatenate(parts)

    def corpus_of_sums(self, sums: Mapping[str, Floats], pairs: Floats) -> Mapping[str, Floats]:
        """Return micro-averaged precision, recall and F1, in 0..1."""
        return micro_average(sums)

    def corpus(self, scores: Scores) -> Mapping[str, float]:
        """Return the micro-averaged precision, recall and F1 over all pairs, in 0..1.

        If some alignments are not proven optimal, there is also ``f1_upper``, an upper bound of the
        F1 of optimal alignments.
        """
        corpus, details = {**super().corpus(scores)}, scores.details
        if not details["optimal"].all():
            # F1 = 2 M / (S + T), solved for M: the most matches of each pair, which add up.
            totals = details["src_total"], details["tgt_total"]
            most = details["upper"] * (totals[0] + totals[1]) / 2
            upper = precision_recall_f1(most.sum(), totals[0].sum(), totals[1].sum())[2]
            corpus["f1_upper"] = max(corpus["f1"], float(upper))
        return corpus

    def explain(self, pair: Pair) -> Explanation:
        """Return the alignment with the facts that match and those that do not."""
        return self.explanations([pair])[0]

    def explanations(self, pairs: Sequence[Pair]) -> list[Explanation]:
        """Return the explanation of each pair, the same as `explain` returns."""
        return self._explained(self.views(pairs))

    def _explained(self, views: Sequence[Pair]) -> list[Explanation]:
        from amr_metrics.alignment.explaining import pair_links, pair_triples
        from amr_metrics.explanation import Explanation  # slow to import, and scores need none

        encoded = self.encode(views)
        grading = self.grading(encoded.labels)
        explanations = []
        for part in self.parts(encoded, grading):
            src, tgt, answer = part.src, part.tgt, self.answers(part)
            scores = _score_answer(part, answer)
            graded = None if grading is None else grading.matches(src, tgt)
            matched = matches(src, tgt, answer.mapping, graded)
            pairs = [views[part.first + p] for p in range(len(answer))]
            names = [
                [name for pair in pairs for name in self.node_names(pair[side])] for side in (0, 1)
            ]
            each = zip(
                pairs,
                scores.values.tolist(),
                scores.details["upper"].tolist(),
                answer.optimal.tolist(),
                pair_links(pairs, answer, worths(src, *matched)),
                pair_triples(src, tgt, matched, names, encoded.labels.values),
                strict=True,
            )
            explanations += [
                Explanation(
                    score=score,
                    links=links,
                    matched=triples.matched,
                    unmatched_src=triples.unmatched_src,
                    unmatched_tgt=triples.unmatched_tgt,
                    upper_bound=bound,
                    optimal=is_optimal,
                    weights=triples.weights,
                    pair=pair,
                )
                for pair, score, bound, is_optimal, links, triples in each
            ]
        return explanations


def _score_answer(part: ProblemChunk, answer: AlignmentBatch) -> Scores:
    """Return the F1 of alignments, with the columns of `TripleMatch.evaluate`."""
    # M = the value of the map, S and T = the weights of all facts of src and tgt: precision M / S,
    # recall M / T, F1 = 2 M / (S + T), which grows with M. The upper bound of M is therefore one of
    # F1; no map matches more than S or T either.
    totals = part.src.totals, part.tgt.totals
    scores = score_matches(answer.value, *totals)
    bound = np.minimum(answer.upper_bound, most_matches(part.src, part.tgt))
    details = {
        "upper_bound": answer.upper_bound,
        "upper": upper_f1(scores.values, bound, *totals),
        "optimal": answer.optimal,
    }
    return Scores(scores.values, {**scores.details, **details})


def _replace_unproven(
    part: ProblemChunk, problems: ProblemBatch, answer: AlignmentBatch
) -> AlignmentBatch:
    """Replace unproven maps by that of `align_large` where it is better.

    `align_large` takes milliseconds. It is often better for large graphs with few labels, where a
    search reaches its limits early.
    """
    mapping, value = answer.mapping.copy(), answer.value.copy()
    for p in np.flatnonzero(~answer.optimal).tolist():
        src, tgt = (table.take(np.array([p])) for table in (part.src, part.tgt))
        candidate = align_large(src, tgt).mapping
        if (allowed := find_allowed_pairs(src, tgt)) is not None:
            rows = np.flatnonzero(candidate >= 0)
            inside = allowed.reshape(src.sizes[0], -1)[rows, candidate[rows]]
            candidate[rows[~inside]] = -1
        if (candidate_value := problems.problem(p).value(candidate)) > value[p]:
            mapping[answer.start[p] : answer.start[p + 1]], value[p] = candidate, candidate_value
    bound = np.maximum(answer.upper_bound, value)
    optimal = answer.optimal | (bound <= value)
    return AlignmentBatch(mapping, answer.start, value, bound, optimal)


def _split_ranges(needed: Ints) -> Iterator[tuple[int, int]]:
    """Yield ranges of consecutive pairs that need at most `limits.MEMORY`, or have one pair."""
    first, total = 0, 0
    if needed.sum() > limits.MEMORY:
        for at, size in enumerate(needed.tolist()):
            if at > first and total + size > limits.MEMORY:
                yield first, at
                first, total = at, 0
            total += size
    yield first, len(needed)


def _evaluate_map(part: ProblemChunk, p: int, mapping: Ints) -> Alignment:
    if part.problems is None:
        value = float(worths(part.src, *matches(part.src, part.tgt, mapping)).sum())
    else:
        value = part.problems.problem(p).value(mapping)
    return Alignment(mapping, value, value, True)
