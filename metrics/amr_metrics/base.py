"""The interface of a metric, which the harness, scripts and tests rely on."""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from amr_metrics.errors import (
    MetricError,
    NoAlignmentError,
    NoFeaturesError,
    PairError,
    shift_pairs,
)
from amr_metrics.graphs.corpus import Corpus
from amr_metrics.graphs.graph import Graph
from amr_metrics.graphs.pairs import Pair as Pair  # also imported from here
from amr_metrics.graphs.pairs import Pairs, check_lengths, every_pair, list_pairs, map_graphs
from amr_metrics.options import check_choices
from amr_metrics.types import Bools, Floats, Ints
from amr_metrics.utils.f1 import COUNTS, precision_recall_f1
from amr_metrics.utils.text import format_count
from amr_metrics.version import VERSION

if TYPE_CHECKING:
    from amr_metrics.explanation import Explanation, FeatureExplanation, Link

LARGEST = 1e30  # absolute value of a score: statistics of larger ones could overflow
MATRIX_CHUNK = 100_000  # pairs of `Metric.matrix` scored at a time
Result = TypeVar("Result")


def pair_up(src: Sequence[Graph], tgt: Sequence[Graph]) -> Sequence[Pair]:
    """Pair graph k of `src` with graph k of `tgt`.

    Returns:
        `Pairs` of two corpora, a list of pairs of other sequences.

    Raises:
        PairError: if the two have different lengths.
    """
    if isinstance(src, Corpus) and isinstance(tgt, Corpus):
        return Pairs.aligned(src, tgt)
    check_lengths(src, tgt)
    return [Pair(a, b) for a, b in zip(src, tgt, strict=True)]


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of a list of pairs.

    Attributes:
        values: float64, one score per pair.
        details: further columns of the same length by name, such as ``matches``, ``precision``.
    """

    values: Floats
    details: Mapping[str, np.ndarray[Any, Any]] = field(default_factory=dict)

    @classmethod
    def concatenate(cls, parts: Sequence[Scores]) -> Scores:
        """Concatenate the scores of consecutive chunks."""
        return cls(
            np.concatenate([np.empty(0), *[part.values for part in parts]]),
            {
                name: np.concatenate([part.details[name] for part in parts])
                for name in (parts[0].details if parts else ())
            },
        )

    def columns(self) -> dict[str, np.ndarray[Any, Any]]:
        """Return the scores, under ``score``, and the details."""
        return {"score": self.values, **self.details}

    def take(self, indices: Ints | Bools) -> Scores:
        """Return the scores of some pairs.

        Args:
            indices: their positions, in the order wanted, or a mask with one value per pair.

        >>> scores = Scores(np.array([0.1, 0.2, 0.3]), {"matches": np.array([1, 2, 3])})
        >>> scores.take(np.array([2, 0, 0])).details["matches"].tolist()
        [3, 1, 1]
        >>> scores.take(scores.values > 0.15).values.tolist()
        [0.2, 0.3]
        """
        details = {name: column[indices] for name, column in self.details.items()}
        return Scores(self.values[indices], details)


class LazyColumns(Mapping[str, Floats]):
    """Columns of numbers that are computed when they are first used.

    Such as the sums of details over the pairs of one or more corpora: a detail that no corpus score
    uses may be text.

    Args:
        names: the names of the columns.
        column_of: returns a column.
    """

    def __init__(self, names: Iterable[str], column_of: Callable[[str], Floats]) -> None:
        self._columns: dict[str, Floats | None] = dict.fromkeys(names)
        self._column_of = column_of

    def __getitem__(self, name: str) -> Floats:
        """Return a column."""
        if (column := self._columns[name]) is None:
            column = self._columns[name] = self._column_of(name)
        return column

    def __contains__(self, name: object) -> bool:
        """Return whether there is such a column."""
        return name in self._columns

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self._columns)

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(self._columns)


@dataclass(frozen=True, kw_only=True)
class Metric(ABC):
    """Base class of graph-similarity metrics. Options are fields; a subclass defines `evaluate`.

    A metric that aligns nodes defines `explain`, and `explanations` if that is faster for many
    pairs; one that compares features without aligning nodes may define `explain_features`. A metric
    that changes graphs before it compares them defines `view` (or `graph_view`, if a graph's form
    does not depend on the other graph of its pair) and applies it where it needs it: `evaluate`
    begins with ``pairs = self.views(pairs)``. A metric whose score of a corpus is not the mean of
    the pairs' scores defines `corpus_of_sums`.

    Class attributes:
        reference: the publication that defines the metric, with its section and the addresses of
            the paper and of its code; "" if there is none.

    Raises:
        TypeError: when an object of a subclass without `evaluate` is created, or a subclass with
            `corpus` but without `corpus_of_sums` is defined.
    """

    reference: ClassVar[str] = ""
    part_names: ClassVar[Sequence[str]] = ()
    subscore_names: ClassVar[Sequence[str]] = ()

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Check that scores of a corpus can be computed from sums."""
        super().__init_subclass__(**keywords)
        if cls.corpus is not Metric.corpus and cls.corpus_of_sums is Metric.corpus_of_sums:
            raise TypeError(
                f"{cls.__name__} defines corpus but not corpus_of_sums, from which intervals and "
                "tests are computed: define corpus_of_sums(self, sums, pairs)"
            )

    def __post_init__(self) -> None:
        """Check the options whose type is a `Literal`; a subclass checks its other options."""
        check_choices(self)

    def __getstate__(self) -> dict[str, Any]:
        """Return the options alone: another process computes again what is cached here."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and highest possible score; a subclass may set a class attribute instead."""
        return 0.0, 1.0

    @property
    def symmetric(self) -> bool:
        """Whether swapping src and tgt never changes the score; may also be a class attribute."""
        return True

    @property
    def reads_sentences(self) -> bool:
        """Whether the metric compares the sentences of the graphs, not the graphs themselves.

        Such a metric is not ranked among metrics of graphs. May also be a class attribute.
        """
        return False

    @property
    def without_order(self) -> Metric | None:
        """The variant for which the order of nodes and edges is irrelevant, if this is another one.

        May also be a class attribute.
        """
        return None

    @property
    def splits_at_blanks(self) -> bool:
        """Whether a sentence without blanks, as in Japanese or Chinese, is one word for the metric.

        May also be a class attribute.
        """
        return False

    @property
    def reads_documents(self) -> bool:
        """Whether the metric compares documents of several sentences, not single sentences.

        UMR files are then read document by document. May also be a class attribute.
        """
        return False

    @property
    def graph_format(self) -> str:
        """The format of the graphs that are compared, a name in `amr_metrics.reading.formats`."""
        return "documents" if self.reads_documents else "penman"

    @property
    def reads_alignments(self) -> bool:
        """Whether surface alignments (``dog~e.3``) are parts of labels; may be a class attribute.

        Reading removes them from the labels and keeps the text (`Graph.aligned`).
        """
        return False

    def ignores(self, role: str) -> bool:
        """Return whether no score changes if all triples with a role are removed.

        By default this is known only of metrics that compare sentences.
        """
        return self.reads_sentences

    @property
    def role_options(self) -> Mapping[str, Sequence[str]]:
        """The roles of options that name them, by option; one word can stand for several roles."""
        return {}

    @property
    def scores_at_once(self) -> bool:
        """Whether `evaluate` takes long even for a few pairs, as if it starts a program.

        It is then called with as many pairs as possible; otherwise with as many as take some
        seconds, so that progress can be shown. May also be a class attribute.
        """
        return False

    @property
    def repeat_steps(self) -> Sequence[str]:
        """Standardisation steps that remove repeated triples, if the metric counts them again.

        Before the last step, graphs have the triples that count. May also be a class attribute.
        """
        return ()

    @property
    def description(self) -> str:
        """A description of the metric: by default the docstring of the class."""
        return inspect.getdoc(type(self)) or ""

    def graph_view(self, graph: Graph) -> Graph:
        """Return the graph in the form in which the metric compares it; unchanged by default."""
        return graph

    def view(self, pair: Pair) -> Pair:
        """Return the pair in the form in which the metric compares and explains it.

        Raises:
            PairError: for a pair that has no such form.
        """
        return Pair(self.graph_view(pair.src), self.graph_view(pair.tgt))

    def views(self, pairs: Sequence[Pair]) -> Sequence[Pair]:
        """Return the `view` of each pair; with `graph_view`, each graph is converted once.

        Raises:
            PairError: for a pair that has no such form, with its position in `pairs`.
        """
        if type(self).view is not Metric.view:
            return apply_to_each(self.view, pairs)
        if type(self).graph_view is not Metric.graph_view:
            return map_graphs(self.graph_view, pairs)
        return pairs

    @abstractmethod
    def evaluate(self, pairs: Sequence[Pair]) -> Scores:
        """Score the pairs and return the scores with the columns they are computed from.

        A pair's score does not depend on the other pairs in the call.

        Raises:
            PairError: for a pair that cannot be scored, with its position in `pairs`.
        """

    def score(self, pairs: Iterable[tuple[Graph, Graph]]) -> Floats:
        """Score the pairs: one score per pair, higher means more similar.

        Args:
            pairs: `Pair`, or tuples of two graphs.

        Raises:
            PairError: if a score is not finite, or the number of scores is not that of the pairs.

        >>> from amr_metrics import Smatch, parse_graph
        >>> cat, dog = parse_graph("(c / cat)"), parse_graph("(d / dog)")
        >>> Smatch().score(zip([cat, cat], [cat, dog])).tolist()
        [1.0, 0.0]
        """
        listed = list_pairs(pairs)
        return check_scores(self.evaluate(listed), len(listed)).values

    def matrix(self, src: Sequence[Graph], tgt: Sequence[Graph]) -> Floats:
        """Score every graph of `src` with every graph of `tgt`; each graph is encoded once.

        Returns:
            float64 len(src) x len(tgt). Apart from it, the memory used does not grow with the
            number of pairs.

        Raises:
            PairError: for a pair that cannot be scored. Pairs are counted row by row.

        >>> from amr_metrics import Smatch, parse_graph
        >>> cat, dog = parse_graph("(c / cat)"), parse_graph("(d / dog)")
        >>> Smatch().matrix([cat, dog], [dog, cat, cat]).tolist()
        [[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]]
        """
        scores = np.empty(len(src) * len(tgt))
        for first, pairs in every_pair(src, tgt, MATRIX_CHUNK):
            try:
                scores[first : first + len(pairs)] = self.score(pairs)
            except PairError as error:
                raise error.numbered(range(first, first + len(pairs))) from None
        return scores.reshape(len(src), len(tgt))

    def explain(self, pair: Pair) -> Explanation:
        """Return the alignment behind a pair's score, in terms of the nodes of the pair's `view`.

        Raises:
            NoAlignmentError: if the metric computes no alignment.
        """
        raise NoAlignmentError(
            f"{type(self).__name__} does not align nodes: use a metric that does, "
            "such as smatch or wwlk"
        )

    def explain_features(self, pair: Pair) -> FeatureExplanation:
        """Return the features that a metric without alignment compares, and what each adds.

        Raises:
            NoFeaturesError: if the metric does not list features.
            PairError: for a pair that cannot be scored.

        >>> from amr_metrics import Rematch, parse_graph
        >>> a, b = parse_graph("(s / sleep-01 :polarity -)"), parse_graph("(s / sleep-01)")
        >>> for feature in Rematch().explain_features(Pair(a, b)).features:
        ...     print(*feature)
        attribute :polarity - 1 0 0 0.0
        instance sleep-01 (:polarity -) 1 0 0 0.0
        instance sleep-01 0 1 0 0.0
        """
        raise NoFeaturesError(f"{type(self).__name__} does not list the features that it compares")

    def explanations(self, pairs: Sequence[Pair]) -> list[Explanation]:
        """Return the explanation of each pair, the same as `explain` returns, with its `view`.

        Raises:
            NoAlignmentError: if the metric computes no alignment.
            PairError: for a pair that cannot be explained, with its position in `pairs`.
        """
        explained = zip(apply_to_each(self.explain, pairs), self.views(pairs), strict=True)
        return [dataclasses.replace(explanation, pair=view) for explanation, view in explained]

    def links(self, pairs: Sequence[Pair]) -> list[tuple[Link, ...]]:
        """Return the links of each pair's alignment; raises the same errors as `explanations`."""
        return [explanation.links for explanation in self.explanations(pairs)]

    def part_columns(self, part: str, columns: Mapping[str, Floats]) -> Mapping[str, Floats]:
        """Return columns in place of those of `evaluate`, to compute the score of a part.

        Metrics with `part_names` define it.

        From them, `corpus_of_sums` computes ``f1``. The part is empty in both graphs of a pair if
        those whose names end in ``total`` are 0.
        """
        raise NotImplementedError

    def score_subscores(self, pairs: Sequence[Pair]) -> Mapping[str, Scores]:
        """Score the pairs by each of `subscore_names`, with ``matches`` and totals in the details.

        Metrics with `subscore_names` define it.
        """
        raise NotImplementedError

    def warm_up(self) -> None:  # noqa: B027  (most metrics have nothing to load)
        """Load word vectors and the like, so that loading is not part of the timing."""

    @property
    def triple_solver(self) -> Any:  # of `amr_metrics.alignment`, which imports this module
        """The solver that aligns the triples; None for metrics outside the Smatch family."""
        return None

    def used_files(self) -> Sequence[Path]:
        """Return the files whose content affects the scores, besides the source and the options.

        Examples are a program that the metric runs and a model that it loads: cached scores are
        recomputed when one of them changes. A file whose content is part of `signature` need not
        be listed.
        """
        return ()

    def corpus_of_sums(self, sums: Mapping[str, Floats], pairs: Floats) -> Mapping[str, Floats]:
        """Return corpus scores from sums over pairs, of any number of corpora at once.

        Intervals and tests compute them for thousands of resampled corpora at once.

        Args:
            sums: for each column of `evaluate`, and ``score``, its sum in each corpus; arrays of
                one shape.
            pairs: the number of pairs of each corpus, an array of the same shape.

        Returns:
            by name, arrays of that shape; by default the mean of the scores, NaN without pairs.

        >>> from amr_metrics import Smatch, Wlk
        >>> counts = np.array([[3.0, 2.0], [4.0, 4.0], [4.0, 8.0]])  # of two corpora
        >>> sums = dict(zip(("matches", "src_total", "tgt_total"), counts, strict=True))
        >>> Smatch().corpus_of_sums(sums, np.array([1.0, 2.0]))["precision"].tolist()
        [0.75, 0.5]
        >>> Wlk().corpus_of_sums({"score": np.array([0.5, 1.5])}, np.array([1, 2]))["mean"].tolist()
        [0.5, 0.75]
        """
        with np.errstate(invalid="ignore"):
            return {"mean": sums["score"] / pairs}

    def corpus(self, scores: Scores) -> Mapping[str, float]:
        """Return the corpus scores of pairs, by name; see `corpus_of_sums`."""
        columns = scores.columns()
        sums = LazyColumns(columns, lambda name: columns[name].sum())
        values = corpora_scores(self, sums, np.array(float(len(scores.values))))
        return {name: float(value) for name, value in values.items()}

    @property
    def definition(self) -> str:
        """The metric and the options that determine what it computes.

        Options that determine how it is computed (`HOW`) are left out: a solver, a seed, a time
        limit. Two metrics with equal definitions are compared with the same published value.

        >>> from amr_metrics import Smatch
        >>> Smatch().definition
        'Smatch(root=concept)'
        """
        return describe(self, how=False)

    @property
    def signature(self) -> str:
        """The metric, all its options and the version: equal signatures mean equal scores.

        >>> from amr_metrics import Smatch
        >>> "root=none" in Smatch(root="none").signature
        True
        """
        return f"{describe(self)}|v{VERSION}"


def apply_to_each(function: Callable[[Pair], Result], pairs: Sequence[Pair]) -> list[Result]:
    """Apply a function to each pair; errors get the pair's position."""
    results = []
    for k, pair in enumerate(pairs):
        with shift_pairs(k):
            results.append(function(pair))
    return results


def score_matches(
    matches: Floats,
    src_total: Floats,
    tgt_total: Floats,
    names: Sequence[str] = COUNTS,
) -> Scores:
    """Return the F1 of each pair, with precision, recall and the counts as columns.

    Args:
        matches, src_total, tgt_total: what matches, and what both sides have, of each pair.
        names: the names of these columns.

    >>> scores = score_matches(np.array([2.0]), np.array([4.0]), np.array([2.0]))
    >>> scores.values.round(3).tolist(), list(scores.details)
    ([0.667], ['precision', 'recall', 'matches', 'src_total', 'tgt_total'])
    """
    counts = matches, src_total, tgt_total
    precision, recall, f1 = precision_recall_f1(*counts)
    columns = {"precision": precision, "recall": recall}
    return Scores(f1, columns | dict(zip(names, counts, strict=True)))


def check_scores(scores: Scores, count: int) -> Scores:
    """Check that there is one finite score per pair, and one value per pair in each detail.

    Returns:
        The scores, unchanged.

    Raises:
        PairError: if a check fails, or a score is outside ±`LARGEST`; it names the first bad pair.
    """
    if not isinstance(scores, Scores):  # an easy mistake in a metric of one's own
        raise PairError(f"evaluate returned {type(scores).__name__}, expected amr_metrics.Scores")
    values = np.asarray(scores.values)
    if values is not scores.values or values.ndim != 1 or values.dtype.kind != "f":
        what = (
            f"an array of {values.dtype}, shape {values.shape}"
            if values is scores.values
            else type(scores.values).__name__
        )
        raise PairError(f"expected a one-dimensional float array of scores, got {what}")
    for name, column in {"scores": values, **scores.details}.items():
        if len(column) != count:
            number = (
                format_count(len(column), "score") if name == "scores" else f"{len(column)} {name}"
            )
            raise PairError(f"the metric returned {number} for {format_count(count, 'pair')}")
    usable = np.abs(values, dtype=np.float64) <= LARGEST  # not NaN
    if not usable.all():
        bad = int(np.flatnonzero(~usable)[0])
        problem = (
            f"outside {-LARGEST:g}..{LARGEST:g}" if np.isfinite(values[bad]) else "not a number"
        )
        raise PairError(f"the metric returned {values[bad]}, {problem}", pair=bad)
    return scores


def corpora_scores(metric: Metric, sums: LazyColumns, pairs: Floats) -> dict[str, Floats]:
    """Return the corpus scores of any number of corpora (`Metric.corpus_of_sums`), checked.

    Raises:
        MetricError: if the metric returns no score, uses a column that there is not, or returns an
            array of another shape than `pairs`.
    """
    caller = f"{type(metric).__name__}.corpus_of_sums"
    try:
        scores = metric.corpus_of_sums(sums, pairs)
    except KeyError as error:
        raise MetricError(
            f"{caller}: evaluate returned no column {error}, only {', '.join(sums)}"
        ) from error
    if not (isinstance(scores, Mapping) and scores):  # type: ignore[redundant-expr]  # user code
        raise MetricError(f"{caller}: expected scores by name, got {scores!r}")
    try:
        return {name: np.broadcast_to(value, pairs.shape) for name, value in scores.items()}
    except ValueError:
        shapes = ", ".join(f"{name} {np.shape(value)}" for name, value in scores.items())
        raise MetricError(
            f"{caller}: expected arrays of shape {pairs.shape}, got {shapes}"
        ) from None


LONG = 8  # a signature represents mappings with more entries than this by a digest
# Metadata of a field that determines how a score is computed or sampled, not what is computed.
HOW: Mapping[str, bool] = {"how": True}


def written_as(form: Callable[[Any], Any]) -> Mapping[str, Any]:
    """Return the metadata of a field whose value is converted by `form` for signatures.

    Equivalent options, such as the weights ``[1, 2]`` and ``(1.0, 2.0)``, have the same signature
    if `form` converts them to the same value.

    >>> @dataclass(frozen=True)
    ... class Weighted:
    ...     weights: Sequence[float] = field(metadata=written_as(lambda v: [*map(float, v)]))
    >>> describe(Weighted([1, 2]))
    'Weighted(weights=[1.0,2.0])'
    """
    return {"form": form}


def _convert_value(field: dataclasses.Field[Any], value: Any) -> Any:
    return field.metadata["form"](value) if "form" in field.metadata else value


def describe(value: Any, how: bool = True) -> str:
    """Describe a value and everything in it on one line, identically in every process.

    Arrays, and mappings of more than `LONG` entries, are represented by a digest.

    Args:
        how: whether to include fields marked with `HOW`.

    >>> describe({"b": 1, "a": [True, None]}), describe(dict.fromkeys(map(str, range(40)), 0.5))
    ('{a=[true,none],b=1}', '{40:9bb9fe13d1e2}')
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        options = (
            (f.name, _convert_value(f, getattr(value, f.name)))
            for f in dataclasses.fields(value)
            if f.repr and (how or not f.metadata.get("how"))
        )
        return f"{type(value).__name__}({_list_options(options, how)})"
    if isinstance(value, Mapping):
        text = _list_options(sorted(value.items()), how)
        if len(value) > LONG:
            text = f"{len(value)}:{hashlib.sha256(text.encode()).hexdigest()[:12]}"
        return f"{{{text}}}"
    if isinstance(value, np.ndarray):
        return hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()[:12]
    if isinstance(value, list | tuple):
        return f"[{','.join(describe(item, how) for item in value)}]"
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return str(value)


def _list_options(items: Iterable[tuple[str, Any]], how: bool) -> str:
    return ",".join(f"{name}={describe(value, how)}" for name, value in items)
