"""The explanations of all pairs of a cell as the site's pages need them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from amr_metrics.base import Explanation, Metric, Pair
from amr_metrics.errors import MetricError, NoAlignmentError, PairError
from amr_metrics.types import Ints
from bamboo.explanation.drawing import lines_by_name, link_lines
from bamboo.explanation.matches import Marks, marks, matches_by_kind
from bamboo.explanation.outline import Outline, outline

CHUNK = 1000  # pairs explained at a time: explanations are large
MARKS = {None: "0", False: "1", True: "2"}


class AlignedPair(NamedTuple):
    """The explanation of a pair, in terms of the lines of its graphs' outlines.

    Attributes:
        links: line of src, line of tgt, weight and cost of each link.
        marks: for each graph a string, with a character for the concept and one for the role of
            each line, then one for each re-entrant edge: not counted by the metric (0), not
            matched (1), or matched (2).
        matches: for each kind of triple, the number of matches, the number of triples of src and
            of tgt, and the sum of the weights of the matches.
        effects: for each feature, its value and what it adds to the score.
    """

    links: list[list[float]]
    marks: list[str]
    matches: dict[str, list[float]]
    effects: dict[str, list[float]]


MISSING = AlignedPair([], ["", ""], {}, {})
Outlines = tuple[Outline, Outline]  # of both graphs of a pair


def outlines_of(pairs: Sequence[Pair | None]) -> list[Outlines | None]:
    """Return the outlines of both graphs of each pair; None if it is missing."""
    return [None if pair is None else (outline(pair.src), outline(pair.tgt)) for pair in pairs]


def explained_outlines(
    metric: Metric, pairs: Sequence[Pair | None], outlines: Sequence[Outlines | None]
) -> list[Outlines | None]:
    """Return the outlines of the pairs in the form in which the metric explains them.

    Args:
        outlines: of the pairs as they are; the same objects are returned where nothing changes.
    """
    explained: list[Outlines | None] = []
    for pair, own in zip(pairs, outlines, strict=True):
        form = None if pair is None else explained_form(metric, pair)
        if form is None or form == pair:
            explained.append(own)
        else:
            changed = outline(form.src), outline(form.tgt)
            explained.append(own if changed == own else changed)
    return explained


def explained_form(metric: Metric, pair: Pair) -> Pair:
    """Return the pair as the metric explains it; the pair itself if it has no such form."""
    try:
        return metric.view(pair)
    except MetricError:
        return pair  # with on_error=stop, scoring or explaining the pair stops


def align(
    metric: Metric,
    pairs: Sequence[Pair | None],
    outlines: Sequence[Outlines | None],
    on_error: str = "stop",
    numbers: Sequence[int] | Ints | None = None,
) -> list[AlignedPair] | None:
    """Explain all pairs; return None if the metric has no explanations.

    Args:
        outlines: of the pairs, see `explained_outlines`.
        on_error: with ``nan`` or ``zero``, a pair that cannot be explained has no links.
        numbers: the number of each pair in errors; by default its position.

    Raises:
        PairError: a pair that cannot be explained (``on_error="stop"``), with its number.
    """
    present = [k for k, pair in enumerate(pairs) if pair is not None]
    explanations = explanations_of(
        metric,
        [pair for pair in pairs if pair is not None],
        on_error,
        [k if numbers is None else int(numbers[k]) for k in present],
    )
    aligned = []
    try:
        for pair, pair_outlines in zip(pairs, outlines, strict=True):
            explanation = None if pair is None else next(explanations)
            if pair is None or pair_outlines is None or explanation is None:
                aligned.append(MISSING)
            else:
                aligned.append(aligned_pair(explanation, pair_outlines))
    except NoAlignmentError:
        return None
    return aligned


def aligned_pair(explanation: Explanation, outlines: Outlines) -> AlignedPair:
    """Return an explanation in terms of the lines of the outlines of its pair."""
    links = link_lines(explanation.links, [lines_by_name(rows) for rows, _ in outlines])
    return AlignedPair(
        [list(link) for link in links],
        [_code(side) for side in marks(explanation, outlines)],
        {
            kind: [matched, src, tgt, weight]
            for kind, matched, weight, src, tgt in matches_by_kind(explanation)
        },
        {c.feature: [float(c.value), float(c.effect)] for c in explanation.contributions},
    )


def explanations_of(
    metric: Metric, pairs: Sequence[Pair], on_error: str, numbers: Sequence[int]
) -> Iterator[Explanation | None]:
    """Yield each pair's explanation; None if there is none (``on_error`` not ``stop``).

    Raises:
        NoAlignmentError: the metric has no explanations.
        PairError: a pair that cannot be explained (``on_error="stop"``), with its number.
    """
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


def _code(side: Marks) -> str:
    """Return the marks of an outline in the form described in `AlignedPair`."""
    lines = zip(side.texts, side.roles, strict=True)
    return "".join(MARKS[mark] for line in (*lines, side.reentrant) for mark in line)
