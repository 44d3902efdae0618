"""What is checked before parsers are scored, and what users should know about their scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from bamboo.errors import ConfigError
from bamboo.evaluation.file_scores import FileScores
from bamboo.pairs.inputs import STDIN
from bamboo.results.coverage import coverage_warnings
from metrics.base import Metric


def check_sides(parsers: Sequence[object], tgt: object, choice: Path | None) -> None:
    """Check that several parsers can be compared.

    Args:
        parsers: the side of each parser, a path or graphs.
        tgt: the reference graphs.
        choice: which pairs are scored, if not graph k with graph k.

    Raises:
        ConfigError: standard input, or a choice of pairs, with several parsers.
    """
    if len(parsers) < 2:
        return
    if any(isinstance(side, Path) and side == STDIN for side in (*parsers, tgt)):
        raise ConfigError("-: standard input can be read for a single parser only")
    if choice is not None:
        raise ConfigError(f"pairs={choice}: give a single src")


def check_scored(parsers: Mapping[str, FileScores], prefix: str = "") -> None:
    """Check that every parser has at least one scored pair.

    Args:
        prefix: the beginning of the message.

    Raises:
        ConfigError: one has none.
    """
    for name, files in parsers.items():
        if np.isnan(files.scores.values).all():
            reason = next(iter(files.problems.values()))
            raise ConfigError(f"{prefix}{name}: no pair could be scored; first problem: {reason}")


def score_warnings(parsers: Mapping[str, FileScores], metric: Metric) -> Iterator[str]:
    """Warnings about problems and missing word vectors, which affect the scores."""
    for name, files in parsers.items():
        yield from (f"{name}: {text}" for text in files.warnings())
    covered = {name: files.coverage for name, files in parsers.items()}
    yield from coverage_warnings(covered, dict.fromkeys(parsers, metric.vector_file))
