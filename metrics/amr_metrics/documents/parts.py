"""The parts of the scores of documents: coreference and other relations, as aspects of meaning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from amr_metrics.base import Metric, Scores
from amr_metrics.documents.ancast import COLUMNS, PARTS, Ancast
from amr_metrics.documents.doc_smatch import COREF_COLUMNS, DocSmatch
from amr_metrics.documents.juumaetsh import Juumaetsh
from amr_metrics.errors import OptionError
from amr_metrics.types import Bools
from amr_metrics.utils.f1 import precision_recall_f1

COUNTS = ("matches", "src_total", "tgt_total")


class PartScores(NamedTuple):
    """The scores of one part.

    Attributes:
        scores: with the columns from which the metric computes corpus scores.
        empty: whether neither document of a pair has anything of the part.
    """

    scores: Scores
    empty: Bools


def part_names(metric: Metric) -> Sequence[str]:
    """Return the parts of a metric of documents; none for other metrics.

    >>> part_names(DocSmatch()), part_names(Juumaetsh())
    (('coreference',), ('sentence', 'document'))
    >>> part_names(Ancast())
    ('sentence', 'temporal', 'modal', 'coreference')
    """
    if isinstance(metric, DocSmatch):
        return ("coreference",)
    if isinstance(metric, Juumaetsh):
        return ("sentence", "document")
    return (*PARTS[:-1], "coreference") if isinstance(metric, Ancast) else ()


def chosen_parts(metric: Metric, names: str | Sequence[str]) -> Sequence[str]:
    """Return the parts with some names, or ``all``.

    Raises:
        OptionError: an unknown name.
    """
    known = part_names(metric)
    if names == "all":
        return known
    chosen = names.split(",") if isinstance(names, str) else [*names]
    for name in chosen:
        if name not in known:
            raise OptionError(
                f"unknown part {name!r} of {type(metric).__name__}: use all or some of "
                f"{', '.join(known)}"
            )
    return chosen


def part_scores(metric: Metric, scores: Scores, names: Sequence[str]) -> Mapping[str, PartScores]:
    """Return the scores of the parts with some names.

    Args:
        scores: of the metric itself.
    """
    return {name: _part(metric, scores, name) for name in names}


def _part(metric: Metric, scores: Scores, name: str) -> PartScores:
    columns = scores.details
    if isinstance(metric, Ancast):
        part = "coref" if name == "coreference" else name
        zeros = np.zeros(len(scores.values))
        of_part = {
            f"{p}_{column}": columns[f"{p}_{column}"] if p == part else zeros
            for p in PARTS
            for column in COLUMNS
        }
        totals = columns[f"{part}_src_total"] + columns[f"{part}_tgt_total"]
        return PartScores(Scores(columns[f"{part}_f1"], of_part), totals == 0)
    sources = COREF_COLUMNS if isinstance(metric, DocSmatch) else [f"{name}_{c}" for c in COUNTS]
    counts = [columns[source] for source in sources]
    precision, recall, f1 = precision_recall_f1(*counts)
    details = {"precision": precision, "recall": recall, **dict(zip(COUNTS, counts, strict=True))}
    if isinstance(metric, DocSmatch):
        details |= dict(zip(COREF_COLUMNS, counts, strict=True))
        details["optimal"] = columns["optimal"]
        details["upper"] = f1
    return PartScores(Scores(f1, details), counts[1] + counts[2] == 0)
