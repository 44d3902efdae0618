"""Checks of what every metric promises (`amr_metrics.base.Metric`), for any metric and any pairs.

Each check is a function of a metric and of pairs that raises a `Violation`. `CHECKS` lists all of
them.

>>> from amr_metrics import Smatch, parse_graph
>>> graph = parse_graph("(s / sleep-01 :ARG0 (c / cat))")
>>> all(check.run(Smatch(), [Pair(graph, graph)]) is None for check in CHECKS)
True
"""

from __future__ import annotations

import dataclasses
import hashlib
import pkgutil
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from amr_metrics.base import LazyColumns, Metric, Pair, corpora_scores
from amr_metrics.errors import MetricError, NoAlignmentError, PairError
from amr_metrics.external import CommandMetric, ExternalMetric, FunctionMetric
from amr_metrics.graphs.graph import Graph
from amr_metrics.graphs.random_graphs import rename_variables, shuffle_graph
from amr_metrics.parameters import Parametric
from amr_metrics.reading.formats import CONVERTERS
from amr_metrics.reading.read import parse_graph
from amr_metrics.standardize.metric import inner_metric
from amr_metrics.types import Floats

CLOSE = 1e-9  # differences of floating-point arithmetic
EXPLAINED = 12  # pairs whose alignments are checked


class Violation(MetricError):
    """A promise of `amr_metrics.base.Metric` that a metric does not keep.

    Attributes:
        graphs: the graphs for which it does not, by what they are, such as ``src``.
    """

    def __init__(self, problem: str, graphs: Mapping[str, Graph] | None = None) -> None:
        super().__init__(problem)
        self.graphs = graphs or {}

    @classmethod
    def for_pair(cls, k: int, pair: Pair, problem: str) -> Violation:
        """Return the violation of a pair, with its position in the message."""
        return cls(f"pair {k}: {problem}", pair._asdict())


@dataclass(frozen=True)
class Requirement:
    """One promise and its check.

    Attributes:
        name: a short name.
        promise: what the metric promises.
        run: the check; raises a `Violation`, and returns what it left out, or None.
    """

    name: str
    promise: str
    run: Callable[[Metric, Sequence[Pair]], str | None]


def fingerprint(metric: Metric, pairs: Sequence[Pair]) -> str:
    """Return a hash of a metric's scores, to the last bit."""
    return hashlib.sha256(np.ascontiguousarray(score(metric, pairs)).tobytes()).hexdigest()


def score(metric: Metric, pairs: Sequence[Pair]) -> Floats:
    """Score pairs.

    Raises:
        Violation: a pair that cannot be scored; with its graphs.
    """
    try:
        return metric.score(pairs)
    except PairError as error:
        if error.pair is None:
            raise
        raise Violation(error.problem, pairs[error.pair]._asdict()) from error


def ready(metric: Metric, pairs: Sequence[Pair]) -> Metric:
    """Return the metric in a form that scores plain graphs, for the checks.

    A metric whose parameters have to be learned gets initial values. A metric of Chinese AMR
    receives plain graphs as graphs with empty anchors, a metric of documents receives them as
    documents of one sentence.
    """
    if isinstance(metric, Parametric) and not metric.parameters.names:
        metric = metric.initialised(pairs)
    if metric.graph_format not in CONVERTERS:
        return metric
    convert = pkgutil.resolve_name(CONVERTERS[metric.graph_format])

    class OnPlainGraphs(type(metric)):  # type: ignore[misc]  # a class known only at run time
        """The metric, for plain graphs."""

        def view(self, pair: Pair) -> Pair:
            return super().view(Pair(*map(convert, pair)))  # type: ignore[no-any-return]

    options = {field.name: getattr(metric, field.name) for field in dataclasses.fields(metric)}
    adapted: Metric = OnPlainGraphs(**options)
    return adapted


def check_range(metric: Metric, pairs: Sequence[Pair]) -> None:
    """Check that the scores are in the declared range."""
    low, high = metric.range
    for k, value in enumerate(score(metric, pairs)):
        if not low - CLOSE <= value <= high + CLOSE:
            problem = f"score {value} is outside the declared range {low}..{high}"
            raise Violation.for_pair(k, pairs[k], problem)


def check_self_scores(metric: Metric, pairs: Sequence[Pair]) -> None:
    """Check that a graph is as similar to itself as possible.

    If the range has no upper bound, it is compared with the other graph of its pair.
    """
    graphs = [graph for pair in pairs for graph in pair]
    scores = score(metric, [Pair(graph, graph) for graph in graphs])
    high = metric.range[1]
    if np.isfinite(high):
        for k, value in enumerate(scores):
            if abs(value - high) > CLOSE:
                side = ("src", "tgt")[k % 2]
                raise Violation(
                    f"pair {k // 2}: {side} scores {value} with itself, expected {high}, the upper "
                    "bound of the range",
                    {side: graphs[k]},
                )
        return
    for k, value in enumerate(score(metric, pairs)):
        best = max(scores[2 * k], scores[2 * k + 1])
        if value > best + CLOSE:
            problem = f"the two graphs score {value}, more than each with itself ({best})"
            raise Violation.for_pair(k, pairs[k], problem)


def check_symmetry(metric: Metric, pairs: Sequence[Pair]) -> None:
    """Check that swapping the graphs changes a score only if the metric is declared asymmetric.

    An asymmetric metric must differ for one of the pairs at least, unless it is an external one,
    whose symmetry is not known.
    """
    forth, back = score(metric, pairs), score(metric, [Pair(b, a) for a, b in pairs])
    different = np.flatnonzero(np.abs(forth - back) > CLOSE)
    if metric.symmetric and len(different):
        k = int(different[0])
        raise Violation.for_pair(
            *(k, pairs[k]),
            f"{forth[k]}, but {back[k]} with src and tgt swapped, although the metric is declared "
            "symmetric: set symmetric = False",
        )
    is_external = isinstance(inner_metric(metric), ExternalMetric)
    if not (metric.symmetric or len(different) or is_external):
        raise Violation(
            "swapping src and tgt changes no score, although the metric is declared asymmetric: "
            "set symmetric = True"
        )


def check_renaming(metric: Metric, pairs: Sequence[Pair]) -> None:
    """Check that names of variables and the order of nodes and triples do not matter."""
    changed = [Pair(shuffle_graph(rename_variables(a), 1), shuffle_graph(b, 2)) for a, b in pairs]
    both = zip(score(metric, pairs), score(metric, changed), strict=True)
    for k, (value, changed_value) in enumerate(both):
        if abs(value - changed_value) > CLOSE:
            raise Violation(
                f"pair {k}: {value}, but {changed_value} with renamed variables and another order "
                "of nodes and triples",
                {
                    **pairs[k]._asdict(),
                    "changed src": changed[k].src,
                    "changed tgt": changed[k].tgt,
                },
            )


def check_batches(metric: Metric, pairs: Sequence[Pair]) -> None:
    """Check that the score of a pair does not depend on the other pairs or their order."""
    batch = score(metric, pairs)
    for k in range(len(pairs)):
        if (alone := score(metric, [pairs[k]])[0]) != batch[k]:
            problem = f"{batch[k]} among the others, but {alone} alone"
            raise Violation.for_pair(k, pairs[k], problem)
    if (backwards := score(metric, list(pairs)[::-1])[::-1]).tolist() != batch.tolist():
        k = int(np.flatnonzero(backwards != batch)[0])
        problem = f"{batch[k]}, but {backwards[k]} in the reverse order of pairs"
        raise Violation.for_pair(k, pairs[k], problem)


def check_repetition(metric: Metric, pairs: Sequence[Pair]) -> None:
    """Check that the same call gives the same scores, to the last bit."""
    first, second = score(metric, pairs), score(metric, pairs)
    if first.tobytes() != second.tobytes():
        k = int(np.flatnonzero(first != second)[0])
        problem = f"{first[k]}, but {second[k]} when it is scored again"
        raise Violation.for_pair(k, pairs[k], problem)


def check_corpora(metric: Metric, pairs: Sequence[Pair]) -> None:
    """Check that the corpus scores of several corpora are those of each corpus alone."""
    scores = metric.evaluate(pairs)
    columns = scores.columns()
    counts = np.array([np.ones(len(pairs)), np.arange(len(pairs)) % 3 + 1])  # times a pair occurs
    try:
        sums = LazyColumns(columns, lambda name: (counts * columns[name]).sum(axis=1))
        together = corpora_scores(metric, sums, counts.sum(axis=1))
    except MetricError as error:
        raise Violation(str(error)) from error
    for k, times in enumerate(counts):
        corpus = scores.take(np.repeat(np.arange(len(pairs)), times.astype(int)))
        alone = metric.corpus(corpus)
        for name, values in together.items():
            if not np.isclose(values[k], alone[name], rtol=CLOSE, equal_nan=True):
                raise Violation(
                    f"corpus_of_sums: {name} {values[k]} of two corpora, but {alone[name]} alone"
                )


def check_small_graphs(metric: Metric, pairs: Sequence[Pair] = ()) -> str | None:
    """Check that empty graphs and graphs of one node are scored, and that empty ones match none.

    A metric that receives Penman notation cannot be given empty graphs: they are left out.

    Returns:
        what was left out; None if nothing.
    """
    cat = parse_graph(
        "# ::snt The black cat does not sleep.\n"
        "(s / sleep-01 :ARG0 (c / cat :mod (b / black)) :polarity -)"
    )
    cat_node, dog_node = (parse_graph(f"# ::snt {x}\n({x[0]} / {x})") for x in ("cat", "dog"))
    empty = Graph.empty()
    low, high = metric.range
    small = [Pair(empty, empty), Pair(empty, cat), Pair(cat, empty)]
    small += [Pair(cat_node, cat_node), Pair(cat_node, dog_node), Pair(cat_node, cat)]
    names = ["two empty graphs", "an empty graph as src", "an empty graph as tgt"]
    names += ["twice the same node", "two different nodes", "one node and a larger graph"]
    expected = {0: high, 3: high, 1: 0.0, 2: 0.0} if np.isfinite([low, high]).all() else {}
    inner = inner_metric(metric)
    reads_penman = isinstance(inner, CommandMetric | FunctionMetric) and inner.takes == "penman"
    for k, pair in enumerate(small):
        if reads_penman and empty in pair:
            continue
        try:
            (value,) = metric.score([pair])
        except MetricError as error:
            problem = error.problem if isinstance(error, PairError) else error
            raise Violation(f"{names[k]} cannot be scored: {problem}", pair._asdict()) from error
        if k in expected and abs(value - expected[k]) > CLOSE:
            raise Violation(f"{names[k]}: score {value}, expected {expected[k]:g}", pair._asdict())
        if not low - CLOSE <= value <= high + CLOSE:
            raise Violation(
                f"{names[k]}: score {value} is outside the range {low}..{high}", pair._asdict()
            )
    if (shape := metric.score([]).shape) != (0,):
        raise Violation(f"no pairs: scores of shape {shape}, expected (0,)")
    return "empty graphs, which have no Penman notation" if reads_penman else None


def aligns(metric: Metric, pair: Pair) -> bool:
    """Return whether a metric has alignments."""
    try:
        metric.explain(pair)
    except NoAlignmentError:
        return False
    return True


def check_explanations(metric: Metric, pairs: Sequence[Pair]) -> None:
    """Check that explanations have the scores of their pairs, and their matches add up."""
    pairs = pairs[:EXPLAINED]
    if not pairs or not aligns(metric, pairs[0]):
        return
    for k, pair in enumerate(pairs):
        explanation, (value,) = metric.explain(pair), score(metric, [pair])
        if abs(explanation.score - value) > CLOSE:
            problem = f"score {value}, but {explanation.score} in its explanation"
            raise Violation.for_pair(k, pair, problem)
        bound = explanation.upper_bound
        if bound is not None and bound < explanation.score - CLOSE:
            problem = f"upper bound {bound} below the score {explanation.score}"
            raise Violation.for_pair(k, pair, problem)
        if explanation.matched:
            _check_one_to_one(metric, pair, k)


def _check_one_to_one(metric: Metric, pair: Pair, k: int) -> None:
    """Check that an alignment with matches is one to one between nodes of the graphs."""
    explanation = metric.explain(pair)
    compared = metric.view(pair) if metric.reads_documents else pair
    for side, graph in zip(("src", "tgt"), compared, strict=True):
        nodes = {*graph.variables, *(a.constant for a in graph.attributes)}
        linked = [getattr(link, side) for link in explanation.links]
        if len(set(linked)) != len(linked):
            raise Violation.for_pair(k, pair, f"a node of {side} is aligned twice")
        if unknown := set(linked) - nodes:
            problem = f"{min(unknown)!r} is aligned, but is no node of {side}"
            raise Violation.for_pair(k, pair, problem)
    details = metric.evaluate([pair]).details
    if "matches" in details:
        total = sum(weight for *_, weight in explanation.matched)
        if abs(total - details["matches"][0]) > 1e-6 * max(1.0, abs(total)):
            raise Violation.for_pair(
                *(k, pair),
                f"the matches of the explanation sum to {total}, those of the score to "
                f"{details['matches'][0]}",
            )


def check_links(metric: Metric, pairs: Sequence[Pair]) -> None:
    """Check that the links and explanations of many pairs are those of each pair."""
    pairs = pairs[:EXPLAINED]
    if not pairs or not aligns(metric, pairs[0]):
        return
    of_many = zip(pairs, metric.links(pairs), metric.explanations(pairs), strict=True)
    for k, (pair, links, explanation) in enumerate(of_many):
        alone = metric.explain(pair)
        for together in (links, explanation.links):
            same_nodes = [link[:2] for link in together] == [link[:2] for link in alone.links]
            if not same_nodes or any(
                abs(a - b) > CLOSE
                for link, expected in zip(together, alone.links, strict=True)
                for a, b in zip(link[2:], expected[2:], strict=True)
            ):
                raise Violation.for_pair(k, pair, "links and explain give different alignments")
        if (
            abs(explanation.score - alone.score) > CLOSE
            or [match[:2] for match in explanation.matched] != [m[:2] for m in alone.matched]
            or [c.feature for c in explanation.contributions]
            != [c.feature for c in alone.contributions]
        ):
            problem = "explanations and explain give different explanations"
            raise Violation.for_pair(k, pair, problem)


def check_signature(metric: Metric, pairs: Sequence[Pair] = ()) -> None:
    """Check that every option changes the signature."""
    seen = {metric.signature}
    for changed in variants(metric):
        if changed.signature in seen:
            raise Violation(
                f"{changed} has a signature that other options have too: {changed.signature}"
            )
        seen.add(changed.signature)


CHECKS = (
    Requirement("range", "scores are in the declared range", check_range),
    Requirement("self-score", "a graph has the highest score with itself", check_self_scores),
    Requirement("symmetry", "the metric is symmetric if it is declared so", check_symmetry),
    Requirement(
        "renaming", "names of variables and the order of triples do not matter", check_renaming
    ),
    Requirement("batches", "a score does not depend on the other pairs", check_batches),
    Requirement("repetition", "the same call gives the same scores", check_repetition),
    Requirement("corpora", "corpus scores follow from sums over pairs", check_corpora),
    Requirement("small graphs", "empty graphs and single nodes are scored", check_small_graphs),
    Requirement("explanations", "explanations agree with the scores", check_explanations),
    Requirement("links", "links of many pairs are those of each pair", check_links),
    Requirement("signature", "every option is part of the signature", check_signature),
)


def variants(value: Any) -> Iterator[Any]:
    """Yield the metric with one option changed at a time, including options of its parts."""
    hints = typing.get_type_hints(type(value))
    for field in dataclasses.fields(value):
        if not field.init:
            continue
        option = getattr(value, field.name)
        for changed in _list_other_values(option, hints[field.name]):
            try:
                yield dataclasses.replace(value, **{field.name: changed})
            except MetricError:
                continue
            if not dataclasses.is_dataclass(option):
                break


def _list_other_values(option: Any, hint: Any) -> Iterator[Any]:
    if dataclasses.is_dataclass(option) and not isinstance(option, type):
        yield from variants(option)
    elif choices := [c for part in (hint, *typing.get_args(hint)) for c in typing.get_args(part)]:
        yield from (c for c in choices if isinstance(c, str) and c != option)
    if isinstance(option, bool):
        yield not option
    elif isinstance(option, int):
        yield from (option + 1, option - 1)
    elif isinstance(option, float):
        yield from (option / 2 if option else 0.5, option + 0.25)
