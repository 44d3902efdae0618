"""The explanations of all pairs of a cell in flat arrays, cached on disk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bamboo.errors import CacheError
from bamboo.explanation.drawing import lines_by_name, link_lines
from bamboo.explanation.matches import KindMatches, Marks, marks, matches_by_kind
from bamboo.explanation.outline import Outline, outline
from bamboo.scoring.cache import Cache, warn_of_damage
from bamboo.scoring.cells import Settings
from metrics.base import Explanation, Metric, Pair
from metrics.errors import MetricError, NoAlignmentError, PairError
from metrics.types import Floats, Ints
from metrics.utils.array_files import read_arrays, write_arrays
from metrics.utils.files import replacing

FORM = "alignment 5"  # increase the number when the content of an entry or `outline` changes
CHUNK = 1000  # pairs explained at a time: explanations are large
UNCOUNTED, UNMATCHED, MATCHED = 0, 1, 2  # the codes in `Alignments.marks`


@dataclass(frozen=True, eq=False)
class Alignments:
    """Explanations of pairs: links between the lines of their outlines, matches, contributions.

    Attributes:
        starts: (pairs + 1,): pair k has the links from starts[k] up to starts[k + 1].
        lines: (links, 2): the line of src and the line of tgt.
        weights, costs: (links,).
        mark_starts: (2 pairs + 1,): where the marks of src and of tgt of each pair start.
        marks: uint8; for each line of an outline the codes of its concept and of its role, then a
            code for each re-entrant edge: not counted by the metric, not matched, or matched.
        kinds: (kinds,) the kinds of triples; none for a metric without triples.
        counts: (pairs, kinds, 3): number of matches, of triples of src and of tgt.
        matched_weights: (pairs, kinds): the sum of the weights of the matches.
        features: (features,) names; none for a metric without contributions.
        values, effects: (pairs, features): the value of each feature and what it adds to the score.
    """

    starts: Ints
    lines: Ints
    weights: Floats
    costs: Floats
    mark_starts: Ints
    marks: Ints
    kinds: np.ndarray[Any, Any]
    counts: Ints
    matched_weights: Floats
    features: np.ndarray[Any, Any]
    values: Floats
    effects: Floats

    def of(self, k: int) -> list[tuple[int, int, float, float]]:
        """The links of pair k."""
        part = slice(int(self.starts[k]), int(self.starts[k + 1]))
        columns = (
            self.lines[part, 0].tolist(),
            self.lines[part, 1].tolist(),
            self.weights[part].tolist(),
            self.costs[part].tolist(),
        )
        return list(zip(*columns, strict=True))

    def marks_of(self, k: int) -> tuple[list[int], list[int]]:
        """The marks of src and tgt of pair k."""
        first, second, end = self.mark_starts[2 * k : 2 * k + 3].tolist()
        return self.marks[first:second].tolist(), self.marks[second:end].tolist()


Outlines = tuple[Outline, Outline]  # of both graphs of a pair


def outlines_of(pairs: Sequence[Pair | None]) -> list[Outlines | None]:
    """The outlines of both graphs of each pair; None if it is missing."""
    return [None if pair is None else (outline(pair.src), outline(pair.tgt)) for pair in pairs]


def explained_outlines(
    metric: Metric, pairs: Sequence[Pair | None], outlines: Sequence[Outlines | None]
) -> list[Outlines | None]:
    """The outlines of the pairs in the form in which the metric explains them.

    Args:
        outlines: of the pairs as they are; the same objects are returned where nothing changes.
    """
    explained: list[Outlines | None] = []
    for pair, own in zip(pairs, outlines, strict=True):
        form = None if pair is None else _explained_form(metric, pair)
        if form is None or form == pair:
            explained.append(own)
        else:
            changed = outline(form.src), outline(form.tgt)
            explained.append(own if changed == own else changed)
    return explained


def _explained_form(metric: Metric, pair: Pair) -> Pair | None:
    """The pair as the metric explains it; None if it has no such form."""
    try:
        return metric.view(pair)
    except MetricError:
        return None  # with on_error=stop, scoring or explaining the pair stops


def align(
    metric: Metric,
    pairs: Sequence[Pair | None],
    outlines: Sequence[Outlines | None],
    on_error: str = "stop",
    numbers: Sequence[int] | Ints | None = None,
) -> Alignments | None:
    """The metric's explanations of all pairs, or None if it has none.

    Args:
        outlines: of the pairs, see `explained_outlines`.
        on_error: with ``nan`` or ``zero``, a pair that cannot be explained has no links.
        numbers: the number of each pair in errors; by default its position.

    Raises:
        PairError: a pair that cannot be explained (``on_error="stop"``), with its number.
    """
    present = [k for k, pair in enumerate(pairs) if pair is not None]
    explanations = _explanations(
        metric,
        [pair for pair in pairs if pair is not None],
        on_error,
        [k if numbers is None else int(numbers[k]) for k in present],
    )
    starts, links, mark_starts = [0], [], [0]
    codes: list[int] = []
    kinds: list[list[KindMatches]] = []
    contributions: list[dict[str, tuple[float, float]]] = []
    try:
        for pair, own in zip(pairs, outlines, strict=True):
            explanation = None if own is None or pair is None else next(explanations)
            if explanation is None or own is None or pair is None:
                mark_starts += [len(codes), len(codes)]
                kinds.append([])
                contributions.append({})
            else:
                links += link_lines(explanation.links, [lines_by_name(rows) for rows, _ in own])
                for of_side in marks(explanation, own):
                    codes += _codes(of_side)
                    mark_starts.append(len(codes))
                kinds.append(matches_by_kind(explanation))
                contributions.append(
                    {c.feature: (c.value, c.effect) for c in explanation.contributions}
                )
            starts.append(len(links))
    except NoAlignmentError:
        return None
    table = np.array(links, dtype=np.float64).reshape(-1, 4)
    return Alignments(
        np.array(starts, dtype=np.int64),
        table[:, :2].astype(np.int64),
        table[:, 2],
        table[:, 3],
        np.array(mark_starts, dtype=np.int64),
        np.array(codes, dtype=np.uint8),
        *_by_kind(kinds),
        *_by_feature(contributions),
    )


def _explanations(
    metric: Metric, pairs: Sequence[Pair], on_error: str, numbers: Sequence[int]
) -> Iterator[Explanation | None]:
    """The explanation of each pair; None if it cannot be explained (``on_error`` not ``stop``)."""
    for at in range(0, len(pairs), CHUNK):
        chunk = pairs[at : at + CHUNK]
        try:
            yield from metric.explanations(chunk)
        except NoAlignmentError:
            raise
        except MetricError as error:
            if on_error == "stop" and isinstance(error, PairError):
                raise error.numbered(numbers[at : at + CHUNK]) from None
            if on_error == "stop":
                raise
            yield from [_explanation_or_none(metric, pair) for pair in chunk]


def _explanation_or_none(metric: Metric, pair: Pair) -> Explanation | None:
    try:
        return metric.explain(pair)
    except MetricError:
        return None


def _codes(of_side: Marks) -> list[int]:
    """The marks of an outline as numbers, in the order described in `Alignments`."""
    code = {None: UNCOUNTED, False: UNMATCHED, True: MATCHED}
    lines = zip(of_side.texts, of_side.roles, strict=True)
    return [code[mark] for line in lines for mark in line] + [code[m] for m in of_side.reentrant]


def _by_kind(rows: Sequence[Sequence[KindMatches]]) -> tuple[np.ndarray[Any, Any], Ints, Floats]:
    """The kinds of triples, and the counts and weights of each pair."""
    kinds = list(dict.fromkeys(row.kind for of_pair in rows for row in of_pair))
    counts = np.zeros((len(rows), len(kinds), 3), np.int64)
    weights = np.zeros((len(rows), len(kinds)))
    for p, of_pair in enumerate(rows):
        for row in of_pair:
            k = kinds.index(row.kind)
            counts[p, k] = row.matched, row.src, row.tgt
            weights[p, k] = row.weight
    return np.array(kinds, dtype=str), counts, weights


def _by_feature(
    rows: Sequence[Mapping[str, tuple[float, float]]],
) -> tuple[np.ndarray[Any, Any], Floats, Floats]:
    """The features, and their values and effects for each pair; 0 where a pair lacks one."""
    features = list(dict.fromkeys(name for row in rows for name in row))
    table = np.array([[row.get(name, (0.0, 0.0)) for name in features] for row in rows])
    values, effects = np.moveaxis(table.reshape(len(rows), len(features), 2), 2, 0)
    return np.array(features, dtype=str), values, effects


def cached_alignments(
    cache: Cache,
    digest: str,
    metrics: Mapping[str, Metric],
    keys: Mapping[str, str],
    pairs: Sequence[Pair | None],
    settings: Settings,
    outlines: Mapping[str, Sequence[Outlines | None]] | None = None,
    numbers: Sequence[int] | Ints | None = None,
) -> dict[str, Alignments]:
    """The explanations of the metrics that have one, by name; cached ones are not computed again.

    Args:
        digest: the digest of the pairs' data.
        keys: the cache key of each metric (`bamboo.config.implementation.cache_key`).
        outlines: the outlines of the pairs as each metric explains them; computed if not given.
        numbers: the number of each pair in errors; by default its position.

    Raises:
        PairError: a pair that cannot be explained (``on_error="stop"``), with its number.
        CacheError: a folder that cannot be written to.
    """
    alignments: dict[str, Alignments] = {}
    for name, metric in metrics.items():
        path = cache.path(digest, f"{FORM} {keys[name]}")
        path = path.with_name(f"{path.stem}-links.npz")
        cached = _loaded(path, len(pairs)) if settings.cache == "use" else None
        if cached is not None:
            alignments[name] = cached
            continue
        if outlines is None:
            own = explained_outlines(metric, pairs, outlines_of(pairs))
        else:
            own = list(outlines[name])
        computed = align(metric, pairs, own, settings.on_error, numbers)
        if computed is not None:
            if settings.cache != "off":
                _store(path, computed)
            alignments[name] = computed
    return alignments


def _loaded(path: Path, pairs: int) -> Alignments | None:
    """The cached explanations; None, with a warning if they are damaged, if there are none."""
    try:
        arrays = read_arrays(path)
        alignments = Alignments(**{name: arrays[name] for name in Alignments.__annotations__})
        if len(alignments.starts) != pairs + 1:
            raise ValueError("they are those of other pairs")
        return alignments
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError) as error:
        warn_of_damage("alignments", path, error)
        return None


def _store(path: Path, alignments: Alignments) -> None:
    small = {"lines": np.int32, "counts": np.int32}
    arrays = {name: getattr(alignments, name) for name in Alignments.__annotations__}
    arrays = {name: array.astype(small.get(name, array.dtype)) for name, array in arrays.items()}
    try:
        with replacing(path) as file:
            write_arrays(file, arrays)
    except OSError as error:
        raise CacheError(f"cannot write alignments to {path.parent}: {error.strerror}") from None
