"""The contract of a metric: what the harness, a script or a test may rely on."""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
from abc import ABC
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from metrics.errors import NoAlignmentError, PairError
from metrics.graph import Graph
from metrics.types import Bools, Floats, Ints
from metrics.version import VERSION

if TYPE_CHECKING:  # these build on metrics
    from metrics.alignment.solver import Solver
    from metrics.aspects import AspectScorer
    from metrics.camr import SubscoreScorer


class Pair(NamedTuple):
    """Two graphs to compare. Precision is seen from `src` (the parse), recall from `tgt` (gold)."""

    src: Graph
    tgt: Graph


def pair_up(src: Sequence[Graph], tgt: Sequence[Graph]) -> list[Pair]:
    """Pair graph k of `src` with graph k of `tgt`.

    Raises:
        PairError: if the two have different lengths.
    """
    if len(src) != len(tgt):
        raise PairError(
            f"src has {len(src)} graphs but tgt has {len(tgt)}: pair k is line k of both, "
            f"so pair {min(len(src), len(tgt))} has only one side. Check that both files are whole"
        )
    return [Pair(a, b) for a, b in zip(src, tgt, strict=True)]


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of a list of pairs.

    Attributes:
        values: float64, one score per pair.
        details: further columns of the same length by name, such as ``matches``, ``precision``.
            A metric with word vectors has ``nodes`` and ``nodes_with_vector``: how many nodes of
            both graphs it looks up, and how many of them have a vector.
    """

    values: Floats
    details: Mapping[str, np.ndarray[Any, Any]] = field(default_factory=dict)

    @classmethod
    def concatenate(cls, parts: Sequence[Scores]) -> Scores:
        """Scores of consecutive chunks as one."""
        return cls(
            np.concatenate([np.empty(0), *[part.values for part in parts]]),
            {
                name: np.concatenate([part.details[name] for part in parts])
                for name in (parts[0].details if parts else ())
            },
        )

    def take(self, chosen: Ints | Bools) -> Scores:
        """The scores of some pairs.

        Args:
            chosen: their positions, in the order wanted, or a mask with one value per pair.

        >>> scores = Scores(np.array([0.1, 0.2, 0.3]), {"matches": np.array([1, 2, 3])})
        >>> scores.take(np.array([2, 0, 0])).details["matches"].tolist()
        [3, 1, 1]
        >>> scores.take(scores.values > 0.15).values.tolist()
        [0.2, 0.3]
        """
        details = {name: column[chosen] for name, column in self.details.items()}
        return Scores(self.values[chosen], details)


class Link(NamedTuple):
    """One entry of an alignment: `weight` of node `src` goes to node `tgt` at `cost`."""

    src: str
    tgt: str
    weight: float
    cost: float


@dataclass(frozen=True)
class Explanation:
    """How a score came about.

    Attributes:
        score: the pair's score.
        links: the alignment, n:m in general. In a one-to-one alignment `weight` is the weight of
            the matches at the node pair and `cost` is 0.
        matched: (triple of src, triple of tgt, weight) of each match.
        unmatched_src, unmatched_tgt: what was left over on either side.
        upper_bound: no alignment scores more.
        optimal: the alignment is proven best.
    """

    score: float
    links: tuple[Link, ...]
    matched: tuple[tuple[str, str, float], ...] = ()
    unmatched_src: tuple[str, ...] = ()
    unmatched_tgt: tuple[str, ...] = ()
    upper_bound: float | None = None
    optimal: bool | None = None


@dataclass(frozen=True, kw_only=True)
class Metric(ABC):  # noqa: B024  (`__new__` checks what is needed: one of two methods)
    """A graph-similarity metric. Options are fields; a subclass defines `evaluate`.

    A metric that changes graphs before it compares them (standardisation, for example) defines
    `view`, and `_evaluate` in place of `evaluate`: `evaluate`, `score`, `explain` and `links` apply
    `view` to every pair, and call `_evaluate`, `_explain` and `_links` with the result.

    Class attributes:
        reference: the publication that defines the metric, with its section; "" if there is none.

    Raises:
        TypeError: for a subclass that defines neither `evaluate` nor `_evaluate`, or defines
            `view` and `evaluate`.
    """

    reference: ClassVar[str] = ""

    def __new__(cls, *args: Any, **options: Any) -> Self:
        """Check that the class defines how to score."""
        if cls._evaluate is Metric._evaluate:
            if cls.evaluate is Metric.evaluate:
                raise TypeError(f"{cls.__name__} does not define evaluate(self, pairs)")
            if cls.view is not Metric.view:
                raise TypeError(
                    f"{cls.__name__} defines view and evaluate: rename evaluate to _evaluate, so "
                    "that it receives the pairs in the form that view gives them"
                )
        return super().__new__(cls)

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and highest score possible; a subclass may set a class attribute instead."""
        return 0.0, 1.0

    @property
    def symmetric(self) -> bool:
        """Whether swapping src and tgt never changes the score; may be a class attribute too."""
        return True

    @property
    def description(self) -> str:
        """What the metric computes, as a docstring."""
        return inspect.getdoc(type(self)) or ""

    def view(self, pair: Pair) -> Pair:
        """The pair in the form in which the metric compares it: by default as it is.

        Raises:
            PairError: for a pair that has no such form.
        """
        return pair

    def views(self, pairs: Sequence[Pair]) -> Sequence[Pair]:
        """The `view` of each pair.

        Raises:
            PairError: for a pair that has none, with its position in `pairs`.
        """
        if type(self).view is Metric.view:
            return pairs
        views = []
        for k, pair in enumerate(pairs):
            try:
                views.append(self.view(pair))
            except PairError as error:
                raise PairError(error.problem, pair=k, argument=error.argument) from None
        return views

    def evaluate(self, pairs: Sequence[Pair]) -> Scores:
        """Score the pairs and give the columns that the scores are computed from.

        A pair's score does not depend on the other pairs of the call.

        Raises:
            PairError: for a pair that cannot be scored, with its position in `pairs`.
        """
        return self._evaluate(self.views(pairs))

    def score(self, pairs: Sequence[Pair]) -> Floats:
        """One score per pair, higher is more similar.

        Raises:
            PairError: for a score that is not finite, or another number of scores than pairs.
        """
        return checked(self.evaluate(pairs), len(pairs)).values

    def explain(self, pair: Pair) -> Explanation:
        """The alignment behind a pair's score; it names the nodes of `explained_pair`.

        Raises:
            NoAlignmentError: if the metric has none.
        """
        (view,) = self.views([pair])
        return self._explain(view)

    def explained_pair(self, pair: Pair) -> Pair:
        """The pair whose nodes `explain` names: the pair in its final form."""
        return self.view(pair)

    def links(self, pairs: Sequence[Pair]) -> list[tuple[Link, ...]]:
        """The links of each pair's alignment, the same as `explain` gives.

        Raises:
            NoAlignmentError: if the metric has none.
        """
        links = self._links(self.views(pairs))
        return [self.explain(pair).links for pair in pairs] if links is None else links

    def _evaluate(self, views: Sequence[Pair]) -> Scores:
        """What `evaluate` returns, for pairs in the metric's form (see `view`)."""
        raise NotImplementedError

    def _explain(self, view: Pair) -> Explanation:
        """What `explain` returns, for a pair in the metric's form."""
        raise NoAlignmentError(
            f"{type(self).__name__} compares bags of features without aligning nodes: "
            "use a metric that has an alignment, such as smatch or wwlk"
        )

    def _links(self, views: Sequence[Pair]) -> list[tuple[Link, ...]] | None:
        """What `links` returns, for pairs in the metric's form; None: call `explain` for each."""
        return None

    def warm_up(self) -> None:  # noqa: B027  (most metrics have nothing to load)
        """Load what scoring needs, such as word vectors and kernels, so that it is not timed."""

    @property
    def vector_file(self) -> str | None:
        """The file of the metric's word vectors, for messages; None if there is none.

        Raises:
            VectorError: the file cannot be found.
        """
        return None

    @property
    def triple_solver(self) -> Solver | None:
        """The solver with which the metric aligns triples; None for all but the Smatch family."""
        return None

    @property
    def aspects(self) -> AspectScorer | None:
        """Scores the pairs' sub-graphs of each aspect of meaning; None if the metric cannot."""
        return None

    @property
    def subscores(self) -> SubscoreScorer | None:
        """Computes the sub-scores of Chinese AMR; None if the metric is for other graphs."""
        return None

    def used_files(self) -> Sequence[Path]:
        """Files whose content decides on the scores, beside the source and the options.

        A program that the metric runs, a model that it loads: cached scores are computed anew when
        one of them changes. A file that `signature` stands for by its content need not be here.
        """
        return ()

    def corpus(self, scores: Scores) -> Mapping[str, float]:
        """Scores of all pairs together; unless a metric knows better, their mean."""
        return {"mean": float(scores.values.mean()) if len(scores.values) else float("nan")}

    @property
    def definition(self) -> str:
        """The metric and the options that say what it computes.

        Left out are options that say how it is computed (`HOW`): a solver, a seed, a time limit.
        Two metrics with equal definitions can stand beside the same published value.

        >>> from metrics import Smatch
        >>> Smatch().definition
        'Smatch(root=concept)'
        """
        return describe(self, how=False)

    @property
    def signature(self) -> str:
        """The metric, all its options and the version: equal signatures mean equal scores.

        >>> from metrics import Smatch
        >>> "root=none" in Smatch(root="none").signature
        True
        """
        return f"{describe(self)}|v{VERSION}"


def checked(scores: Scores, count: int) -> Scores:
    """The scores themselves, once they are one finite number a pair, and the details one value.

    Raises:
        PairError: otherwise; it names the first bad pair.
    """
    values = np.asarray(scores.values)
    if values is not scores.values or values.ndim != 1 or values.dtype.kind != "f":
        raise PairError(f"a metric returns a one-dimensional float array, not {scores.values!r}")
    for name, column in {"scores": values, **scores.details}.items():
        if len(column) != count:
            raise PairError(f"the metric returned {len(column)} {name} for {count} pairs")
    if not np.isfinite(values).all():
        bad = int(np.flatnonzero(~np.isfinite(values))[0])
        raise PairError(f"the metric returned {values[bad]}, not a number", pair=bad)
    return scores


LONG = 8  # entries of a mapping that a signature spells out
# Metadata of a field that says how a score is computed or drawn, not what is computed.
HOW: Mapping[str, bool] = {"how": True}


def written_as(form: Callable[[Any], Any]) -> Mapping[str, Any]:
    """Metadata of a field whose value signatures give in another form.

    Options that mean the same, such as the weights ``[1, 2]`` and ``(1.0, 2.0)``, have the same
    signature if `form` makes them equal.

    >>> @dataclass(frozen=True)
    ... class Weighted:
    ...     weights: Sequence[float] = field(metadata=written_as(lambda v: [*map(float, v)]))
    >>> describe(Weighted([1, 2]))
    'Weighted(weights=[1.0,2.0])'
    """
    return {"form": form}


def _written(field: dataclasses.Field[Any], value: Any) -> Any:
    return field.metadata["form"](value) if "form" in field.metadata else value


def describe(value: Any, how: bool = True) -> str:
    """A value and everything in it as one line, the same in every process.

    Arrays, and mappings of more than `LONG` entries, are represented by a digest.

    Args:
        how: whether to include fields marked with `HOW`.

    >>> describe({"b": 1, "a": [True, None]}), describe(dict.fromkeys(map(str, range(40)), 0.5))
    ('{a=[true,none],b=1}', '{40:9bb9fe13d1e2}')
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        options = (
            (f.name, _written(f, getattr(value, f.name)))
            for f in dataclasses.fields(value)
            if f.repr and (how or not f.metadata.get("how"))
        )
        return f"{type(value).__name__}({_listed(options, how)})"
    if isinstance(value, Mapping):
        text = _listed(sorted(value.items()), how)
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


def _listed(items: Iterable[tuple[str, Any]], how: bool) -> str:
    return ",".join(f"{name}={describe(value, how)}" for name, value in items)
